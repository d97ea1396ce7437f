/* What the tests of stores share: commits with sensible defaults, and all that a store
 * holds as one text. */
#ifndef TESTS_STORE_FIXTURE_H
#define TESTS_STORE_FIXTURE_H

#include "store/store.h"

/* A commit that fits an instance without owner at revision `base`. */
wfsm_commit commit_of(const char *instance, uint64_t base);
/* Commits it; fails the test unless the answer is the expected one. */
void expect_commit(wfsm_store *store, const wfsm_commit *commit, int32_t answer);
/* Commits revisions 1 to `count` of a new instance. */
void start_instance(wfsm_store *store, const char *instance, uint64_t count);

/* Everything a reader can see, one line for each row; to be freed. */
char *dump(wfsm_store *store);
void free_dump(char *text);
/* Fails the test unless the store shows exactly this; frees the text. */
void expect_dump(wfsm_store *store, char *before);

/* The last row that keep_row saw; texts are cut at the size of their member. */
typedef struct kept_row {
    int count;
    uint64_t revision, number;
    int64_t now;
    char id[256], instance[256], name[256], text[256];
    size_t length;
} kept_row;
int32_t keep_row(void *user, const wfsm_row *row);
#endif
