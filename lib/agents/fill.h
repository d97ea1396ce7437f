/* Fills marks such as {dir} in a text with values, in one pass: what a value brings along
 * is not filled again. Braces that are no mark stay as they are. */
#ifndef HK_FILL_H
#define HK_FILL_H

typedef struct hk_mark {
    const char *mark; /* with its braces; NULL ends a list */
    const char *with;
} hk_mark;

/* malloc'ed, NULL when out of memory. */
char *hk_fill(const char *text, const hk_mark *marks);

#endif
