/* The repairs of proposal.h, one after the other. */
#ifndef AGENTD_PROPOSAL_REPAIR_H
#define AGENTD_PROPOSAL_REPAIR_H

#include "proposal.h"

/* Fills made->text and made->repaired from a text that is UTF-8. -1: out of memory. */
int proposal_repair(proposal_check *made, const char *id, const char *text, size_t length,
                    const char *const *sections);

/* True if it is exactly the heading "## NAME". */
int proposal_is_section(const char *words, size_t length, int level, int strict,
                        const char *name);

/* Appends a line of text to a list; -1: out of memory. */
int proposal_note(json_t *list, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
