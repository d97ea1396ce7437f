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

/* Initialise with the text; everything else is zero. */
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

/* The number of '#' of a heading, 0 for another line. *text is its text, without blanks and '#'
 * around it. A heading is at most three blanks, one to six '#', and a blank or the end of the
 * line. */
int markdown_heading(const markdown_line *line, const char **text, size_t *length);

/* Removes blanks at both ends. */
void markdown_trim(const char **text, size_t *length);

#endif
