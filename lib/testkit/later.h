/* testkit/later.h: commits that are carried out some calls after they were requested. */
#ifndef TESTKIT_LATER_H
#define TESTKIT_LATER_H

#include <stdbool.h>
#include <wfsm/store.h>

/* Copies of commits, in one block. */
typedef struct tk_later tk_later;

/* NULL when out of memory. */
tk_later *tk_later_new(const wfsm_commit *const *commits, size_t count);
/* Carries them out and drops the answers. */
void tk_later_do(tk_later *later, wfsm_store *store);
void tk_later_free(tk_later *later);
#endif
