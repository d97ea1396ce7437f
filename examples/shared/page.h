/* Long output for a person: through a pager and with colour at a terminal, else as it is. What it
 * shows was written by agents; no part of it reaches the terminal as a control sequence. */
#ifndef HOST_PAGE_H
#define HOST_PAGE_H

#include <stddef.h>
#include <stdio.h>

#include "error.h"

typedef struct page {
    FILE *out;
    int pager; /* out is a pipe to one */
    int memory; /* out is a text for programs: nothing is escaped */
    int colour;
} page;

/* Starts $PAGER, or less, if stdout is a terminal. */
void page_open(page *to);
/* The same into a malloc'ed text, which is there when the page is closed. -1 when out of memory. */
int page_open_memory(page *to, char **text, size_t *length);
/* Waits until the person has left the pager. */
void page_close(page *to);

/* A heading with an empty line before it; the format is not for text of agents. */
void page_heading(page *to, const char *text);
/* Text of several lines. */
void page_text(page *to, const char *text, size_t length);
/* One line of a unified diff, with its end. */
void page_diff_line(page *to, const char *line, size_t length);
/* What `git diff` prints in the folder `root` with these words; the list ends with NULL. 0, or -1 and an error. */
int page_git_diff(page *to, const char *root, host_error *error, ...);

#endif
