/* The headings of a Markdown text, and lines that are almost headings. */
#ifndef AGENTD_OUTLINE_H
#define AGENTD_OUTLINE_H

#include "markdown.h"

typedef struct heading {
    size_t number;         /* of its line */
    size_t offset, length; /* of its line in the text, without the end */
    int level;             /* how many '#' */
    int strict;            /* 0: the blank after the signs is missing */
    const char *text; /* its text without blanks around it; of a strict one, as in Markdown */
    size_t text_length;
    int has_words; /* there is text between it and the next heading */
} heading;

typedef struct outline {
    heading *list;
    size_t count;
    size_t body; /* where the text begins, after its front matter */
} outline;

/* -1: out of memory. Borrows the text. Must be freed after failure, too. */
int outline_read(outline *read, const char *text, size_t length);
void outline_free(outline *read);

#endif
