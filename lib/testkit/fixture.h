/* fixture.h: commits with sensible defaults, and all that a store holds as one text. */
#ifndef TESTKIT_FIXTURE_H
#define TESTKIT_FIXTURE_H

#include "check.h"

/* A commit that fits an instance without owner at revision `base`. */
wfsm_commit tk_commit_of(const char *instance, uint64_t base);
/* Commits one and looks at the answer. */
bool tk_commit(tk_kit *kit, const char *what, wfsm_store *store, const wfsm_commit *commit,
               int32_t answer);
/* Commits revisions 1 to `count` of a new instance. */
void tk_start(tk_kit *kit, wfsm_store *store, const char *instance, uint64_t count);
/* The head of an instance that must be there, in store 0; zeroed and with empty texts
 * otherwise. Strings are copied, cut at the size of their member. */
typedef struct tk_head {
    uint64_t revision, snapshot_revision, effects, acknowledged, first;
    int32_t status;
    int64_t deadline, created, updated;
    char instance[256], machine[256], fingerprint[256], owner[256], token[256], tags[256];
} tk_head;
tk_head tk_head_of(tk_kit *kit, const char *instance);

/* Everything that a reader can see, one line for each row. */
int32_t tk_dump(wfsm_store *store, tk_text *out, wfsm_error *error);
tk_text tk_dump_of(tk_kit *kit, wfsm_store *store);
/* Looks whether the store shows exactly this; frees the text. */
bool tk_same(tk_kit *kit, const char *what, wfsm_store *store, tk_text *before);

/* The last row that tk_keep saw, and how many there were; texts are cut. */
typedef struct tk_row {
    uint64_t count, revision, number;
    int64_t now;
    char id[256], instance[256], name[256], text[256];
    size_t length;
} tk_row;
int32_t tk_keep(void *user, const wfsm_row *row);
#endif
