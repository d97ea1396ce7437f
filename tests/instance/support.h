/* Shared by the tests of instances: a document that uses every feature, a script of inputs, and
 * a store that fails on request. */
#ifndef TESTS_INSTANCE_SUPPORT_H
#define TESTS_INSTANCE_SUPPORT_H

#include <wfsm/engine.h>
#include "instance/inner.h"

extern const char *const everything; /* a machine document */

/* Guard "allowed" and actions "note" and "broken" of that document. */
int32_t add_functions(wfsm_functions *functions, wfsm_error *error);

int32_t add_engine_functions(wfsm_engine *engine, wfsm_error *error);

/* A store over another one that counts commits; the one of number `fail_at` (from 1)
 * answers `answer` instead, after it was written if `written`. With `bend`, every row goes
 * through it when it is read: it may change the row, and returns how often it is returned. */
enum row_kind {
    ROW_RECORD,
    ROW_SNAPSHOT,
    ROW_CHECKPOINT, /* its state */
    ROW_DOCUMENT,
    ROW_HEAD,
    ROW_LISTED /* a checkpoint in the listing */
};
typedef struct flaky {
    wfsm_store *inner;
    uint64_t commits, fail_at;
    int32_t answer;
    bool written;
    int (*bend)(void *user, int kind, wfsm_row *row);
    void *user;
} flaky;
int32_t flaky_open(wfsm_store **store, flaky *self, const wfsm_allocator *allocator,
                   wfsm_error *error);

/* An allocator that fails from its n-th call on, once (0: never). */
typedef struct scarce {
    uint64_t calls, fail_at;
    int64_t living;
} scarce;
wfsm_allocator scarce_allocator(scarce *self);

/* One input of the script; the instance may be replaced by loading it again. */
enum { SCRIPT_LENGTH = 37 };
int32_t run_line(wfsm_instance *instance, int line, int32_t *outcome, wfsm_error *error);

/* The whole state as bytes, NUL-terminated, freed by the caller. */
char *bytes_of(const wfsm_instance *instance);
/* The same without effects: one is acknowledged between two revisions. */
char *bare_bytes_of(const wfsm_instance *instance);
#endif
