/* The format of proposal.md, and the small repairs that agentd makes by itself.
 *
 * A proposal is UTF-8 text of at most PROPOSAL_MOST_BYTES. It may begin with front matter (---
 * to ---). It has a title (# …), and each required section (## NAME) exactly once, with some
 * text in it. Other sections are allowed. A line of code is not a heading, and comments are
 * ignored.
 *
 * These are repaired, because they can mean only one thing, and listed:
 *
 * - a byte order mark, ends of lines with CR, a missing end of the last line
 * - the whole text inside one code fence, as models like to answer
 * - a heading of a required section with other letters, a ':' or stars around its words,
 *   without the blank behind its signs, or of another level (# Why, ### Why), if no heading
 *   of the right form is there
 * - no title: one is made of the change's id
 *
 * Anything else is reported to the author, with the line. */
#ifndef AGENTD_PROPOSAL_H
#define AGENTD_PROPOSAL_H

#include <jansson.h>
#include <stddef.h>

#include "shared/error.h"
#include "shared/text.h"

enum { PROPOSAL_MOST_BYTES = 1024 * 1024 };

typedef struct proposal_check {
    host_text text;      /* the repaired text; its data may be NULL if it is empty */
    json_t *repaired;  /* texts, in the order of the file; empty: nothing was repaired */
    json_t *problems;  /* texts, likewise; empty: the proposal is valid */
} proposal_check;

/* Checks a text; `sections` ends with NULL. -1 only when out of memory. Must be cleared after a
 * failure, too. */
int proposal_check_text(proposal_check *made, const char *id, const char *text, size_t length,
                        const char *const *sections, host_error *error);
void proposal_check_clear(proposal_check *made);

#endif
