/* testkit/fixture.h: commits with sensible defaults, and the contents of a store as one
 * text. */
#ifndef TESTKIT_FIXTURE_H
#define TESTKIT_FIXTURE_H

#include "check.h"

/* A commit for an instance without owner at revision `base`. */
wfsm_commit tk_commit_of(const char *instance, uint64_t base);
/* Makes one commit and checks the answer. */
bool tk_commit(tk_suite *suite, const char *what, wfsm_store *store, const wfsm_commit *commit,
               int32_t answer);
/* Commits revisions 1 to `count` of a new instance. */
void tk_start(tk_suite *suite, wfsm_store *store, const char *instance, uint64_t count);
/* Reads the head of an instance, which must exist, from store 0. If it does not, *head is
 * zeroed and its texts are empty. Texts are copied, and truncated to their members' sizes. */
typedef struct tk_head {
    uint64_t revision, snapshot_revision, effects, acknowledged, first;
    int32_t status;
    int64_t deadline, created, updated;
    char instance[256], machine[256], fingerprint[256], owner[256], token[256], tags[256];
} tk_head;
tk_head tk_head_of(tk_suite *suite, const char *instance);

/* Everything that a reader can see, one line per row. */
int32_t tk_dump(wfsm_store *store, tk_text *out, wfsm_error *error);
tk_text tk_dump_of(tk_suite *suite, wfsm_store *store);
/* Checks that the store shows exactly this text, and frees it. */
bool tk_same(tk_suite *suite, const char *what, wfsm_store *store, tk_text *before);

/* The last row that tk_keep saw, with truncated texts, and the number of rows. */
typedef struct tk_row {
    uint64_t count, revision, number;
    int64_t now;
    char id[256], instance[256], name[256], sender[256], text[256];
    int32_t kind, interface;
    size_t length;
} tk_row;
int32_t tk_keep(void *user, const wfsm_row *row);
#endif
