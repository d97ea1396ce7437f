/* What a decision is about, shown to the person who decides. */
#ifndef AGENTD_SUBJECT_H
#define AGENTD_SUBJECT_H

#include "shared/page.h"
#include "work.h"

/* The proposal: its documents and CHALLENGE.md. */
int subject_show_proposal(const work *self, host_error *error);
/* The implementation: the diff of the project since it began, and REVIEW.md. `now` is the list
 * of the project's files (tree.h). */
int subject_show_code(const work *self, const json_t *now, host_error *error);
/* That diff alone. `base` is the commit from which it begins; without git "". */
int subject_diff_code(page *to, const place *at, const char *id, const char *base,
                      const json_t *now, host_error *error);

#endif
