/* The format of proposal.md, and the small repairs that agentd makes by itself.
 *
 * A proposal is UTF-8 text of at most PROPOSAL_MOST_BYTES. It may begin with front matter (--- to
 * ---). It has a title (# …), and each required section (## NAME) exactly once, with some words
 * in it. Other sections are the author's own. What stands in code is no heading, and comments
 * are nothing at all.
 *
 * Repaired, because it can mean only one thing, and listed:
 *
 * - a byte order mark, ends of lines with CR, a missing end of the last line
 * - the whole text inside one code fence, as models like to answer
 * - a heading of a required section with other letters, a ':' or stars around its words,
 *   without the blank behind its signs, or of another level (# Why, ### Why), if no heading
 *   of the right form is there
 * - no title: one is made of the change's id
 *
 * Anything else is a problem that its author is told about, with the line. */
#ifndef AGENTD_PROPOSAL_H
#define AGENTD_PROPOSAL_H

#include <jansson.h>
#include <stddef.h>

#include "shared/error.h"
#include "shared/text.h"

enum { PROPOSAL_MOST_BYTES = 1024 * 1024 };

typedef struct proposal_check {
    host_text text;      /* as it is to be: repaired; its data may be NULL for an empty one */
    json_t *repaired;  /* texts, in the order of the file; empty: `text` is what was given */
    json_t *problems;  /* texts, likewise; empty: the proposal is valid */
} proposal_check;

/* Looks at a text; `sections` ends with NULL. -1 only when out of memory. Must be cleared after
 * failure, too. */
int proposal_check_text(proposal_check *made, const char *id, const char *text, size_t length,
                        const char *const *sections, host_error *error);
void proposal_check_clear(proposal_check *made);

#endif
