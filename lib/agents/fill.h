/* Fills marks such as {dir} in a text with values, in one pass: what a value brings along
 * is not filled again. Braces that are no mark stay as they are. */
#ifndef WFA_FILL_H
#define WFA_FILL_H

typedef struct wfa_mark {
    const char *mark; /* with its braces; NULL ends a list */
    const char *with;
} wfa_mark;

/* malloc'ed, NULL when out of memory. */
char *wfa_fill(const char *text, const wfa_mark *marks);

#endif
