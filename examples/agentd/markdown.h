/* The lines of a Markdown text that count: not those in a code fence, nor in a comment. */
#ifndef AGENTD_MARKDOWN_H
#define AGENTD_MARKDOWN_H

#include <stddef.h>

typedef struct markdown_line {
    const char *text; /* without the end of the line, \n or \r\n */
    size_t length;
    size_t number;  /* from 1 */
    size_t offset;  /* where it begins in the text */
    int fenced;     /* in a code fence, or one of its two ends */
    int commented;  /* in an HTML comment; on its first line `length` ends before it */
} markdown_line;

/* All zero but for the text to begin with. */
typedef struct markdown {
    const char *text;
    size_t length;
    size_t at, number;
    char fence; /* '`' or '~'; 0: outside */
    size_t fence_length;
    int in_comment;
} markdown;

/* 0 at the end. A byte order mark at the beginning is not a part of the first line. */
int markdown_next(markdown *in, markdown_line *line);

/* How many '#' a heading has, 0 for another line; *text is what it says, without blanks and
 * '#' around it. A heading is one to six '#' and a blank, or nothing, behind at most three
 * blanks. */
int markdown_heading(const markdown_line *line, const char **text, size_t *length);

/* Without blanks at either end. */
void markdown_trim(const char **text, size_t *length);

#endif
