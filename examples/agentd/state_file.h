/* STATE.yaml: what the store says about a change, for people and their tools to read.
 *
 *     change_id: "add-login"
 *     phase: Challenged
 *     verdict: APPROVED               # or ~
 *     iteration: 1                    # reproposals, or resolves, begun in this run
 *     revision: 12                    # of the workflow's record in the store
 *     created_at: 2026-01-21T09:30:00.000Z
 *     updated_at: 2026-01-21T09:41:12.345Z
 *     tree: "…"                       # digest of the files that were reviewed (tree.h), if any
 *     digest: "…"                     # of the lines above
 *
 * The store is the truth where it knows the change; a clone of the project, which has no store,
 * is read from this file. It is written after each commit, and rewritten whenever it is
 * not what was written. The digest distinguishes a file that is only behind (its host was
 * killed between the commit and the file) from one that a person has edited. */
#ifndef AGENTD_STATE_FILE_H
#define AGENTD_STATE_FILE_H

#include <stdint.h>

#include <wfsm/base.h>

#include "ids.h"
#include "phase.h"
#include "verdict.h"

typedef struct state {
    char change_id[CHANGE_ID_MOST + 1];
    phase phase;
    verdict verdict;
    int64_t iteration; /* 0 or more */
    int64_t revision;  /* 0 or more */
    int64_t created, updated; /* ms since 1970, UTC; the years 1970 to 9999 */
    char tree[WFSM_DIGEST_SIZE]; /* or "" */
} state;

/* Writes it atomically and durably (durable_write): a reader sees the old file or the new one. */
int state_file_write(const char *path, const state *written, host_error *error);

/* -1 if it does not exist, or has another form: FILE:LINE and what was expected. */
int state_file_read(const char *path, state *read, host_error *error);

typedef enum state_file_is {
    STATE_FILE_CURRENT, /* it agrees with the store */
    STATE_FILE_BEHIND, /* it was written for an earlier revision */
    STATE_FILE_AHEAD, /* it was written for a later one, so the store may be an old copy */
    STATE_FILE_LOST, /* no such file */
    STATE_FILE_EDITED /* somebody has edited it, or it is truncated */
} state_file_is;

/* Compares the file with the store. `what` (or NULL) describes the last three for people, in
 * one line. -1 only if the file cannot be read. */
int state_file_check(const char *path, const state *truth, state_file_is *is, host_error *what);

#endif
