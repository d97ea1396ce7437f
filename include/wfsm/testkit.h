/*
 * wfsm/testkit.h: tests for a store of your own, as a companion library (-lwfsm-testkit). It
 * needs no test framework: it calls a function of yours with each result.
 *
 * wfsm_testkit_store() checks everything that wfsm/store.h promises; doc/store.md has an example.
 * wfsm_testkit_crash() runs a workflow many times, with another fault at another call of the store
 * each time; doc/testing.md describes it. The memory of the testkit comes from malloc(). Options
 * are borrowed for the call.
 */
#ifndef WFSM_TESTKIT_H
#define WFSM_TESTKIT_H

#include <wfsm/instance.h>
#include <wfsm/store.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The store under test. Set `size` and `open`. Every case begins with empty stores, and ends with
 * none open. */
typedef struct wfsm_testkit_store_options {
    size_t size;
    void *user; /* passed to both functions */
    /* Opens store 0 or 1, which have nothing in common; a durable one opened again has what
     * was committed before. On WFSM_OK *store is new; the testkit frees it. */
    int32_t (*open)(void *user, int32_t which, wfsm_store **store, wfsm_error *error);
    /* Deletes what both contain, while none is open. NULL: closing a store does that. */
    void (*wipe)(void *user);
    int32_t durable; /* 1: the contents outlive the handle, and a store can be open twice */
    const char *only; /* the name of one case, or NULL for all */
} wfsm_testkit_store_options;

/* The verdict of a case. */
enum wfsm_testkit_verdict {
    WFSM_TESTKIT_PASSED = 1,
    WFSM_TESTKIT_FAILED = 2,
    WFSM_TESTKIT_SKIPPED = 3 /* it does not apply to such a store */
};

/* The result of one case. Strings are borrowed for the call. */
typedef struct wfsm_testkit_result {
    size_t size;
    const char *name; /* of the case, words joined by _; the same in every release */
    int32_t verdict; /* enum wfsm_testkit_verdict */
    const char *message; /* FAILED, SKIPPED: one sentence; PASSED: "" */
} wfsm_testkit_result;

/* A status other than WFSM_OK ends the suite and is returned. */
typedef int32_t (*wfsm_testkit_sink)(void *user, const wfsm_testkit_result *result);

/* The caller sets the size, and the testkit fills in the rest. */
typedef struct wfsm_testkit_counts {
    size_t size;
    uint64_t passed; /* cases */
    uint64_t failed; /* cases */
    uint64_t skipped; /* cases */
    uint64_t checks; /* answers of the store that were compared */
} wfsm_testkit_counts;

/*
 * Runs the cases in a fixed order, and calls sink with `user` for the result of each. Returns
 * WFSM_OK even if cases failed; counts->failed is their number. sink and counts may be NULL. The
 * message of a failed case describes its first wrong answer; the case continues to its end.
 * INVALID: the options have no size or no `open`, or counts has no size. NOT_FOUND: there is no
 * case of the name `only`. NO_MEMORY, and what the sink returns.
 */
WFSM_API int32_t wfsm_testkit_store(const wfsm_testkit_store_options *options,
                                    wfsm_testkit_sink sink, void *user,
                                    wfsm_testkit_counts *counts, wfsm_error *error);

/* What happens to a call of a store. */
enum wfsm_testkit_fault {
    WFSM_TESTKIT_NONE = 0,
    WFSM_TESTKIT_FAIL = 1, /* nothing is done, and the answer says so */
    WFSM_TESTKIT_DROP = 2, /* nothing is done, but the answer is lost */
    WFSM_TESTKIT_LOSE = 3, /* it is done, but the answer is lost */
    WFSM_TESTKIT_DELAY = 4, /* the answer is lost, and a commit done some calls later */
    WFSM_TESTKIT_CUT_BEFORE = 5, /* nothing is done, and the power is lost */
    WFSM_TESTKIT_CUT_AFTER = 6 /* it is done, and the power is lost before the answer */
};
/* "fail", "drop", "lose", "delay", "cut-before", "cut-after"; "none" for any other number.
 * Static. */
WFSM_API const char *wfsm_testkit_fault_name(int32_t fault);

/*
 * One fault to come, and what happened so far. You make it, set the first four members, and may
 * change them between calls. The store counts in the others, also over several handles.
 */
typedef struct wfsm_testkit_plan {
    size_t size;
    int32_t fault; /* enum wfsm_testkit_fault */
    uint64_t at; /* the number of the call that it happens to, from 1; 0: none */
    uint64_t delay; /* DELAY: done right before the delay-th call after it; at least 1 */
    uint64_t calls; /* how many calls were made so far */
    int32_t happened; /* how many faults happened so far */
    int32_t wrote; /* 1: the last call with a fault was one that writes */
    int32_t dead; /* 1: the power is lost: no call does anything until you set it to 0 */
    /* 1: a store that is wrong on purpose, to see that a check can fail: it answers a commit with
     * OK, and makes it right before the next call */
    int32_t early;
} wfsm_testkit_plan;

/*
 * *store is new, and passes every call on to `inner`, except the one with the fault of the plan. A
 * call that writes and whose answer is lost returns STORE_UNKNOWN. For a call that reads, DROP and
 * DELAY are a FAIL, and LOSE returns the rows before it fails. For a call that writes but does not
 * commit, DELAY is a LOSE. plan NULL: no fault, only another handle on `inner`. inner and plan are
 * borrowed and must outlive *store. You free *store with wfsm_store_free(): this does what was
 * delayed, unless the power is lost, and leaves `inner` open. INVALID: store or inner is NULL, or
 * the plan has no size. NO_MEMORY.
 */
WFSM_API int32_t wfsm_testkit_wrap(wfsm_store **store, wfsm_store *inner,
                                   wfsm_testkit_plan *plan, wfsm_error *error);

/* The lines of a script: what `wfsm simulate` reads. */
enum wfsm_testkit_kind {
    WFSM_TESTKIT_EVENT = 1, /* name, id or NULL, json: data or NULL */
    WFSM_TESTKIT_ADVANCE = 2, /* ms: moves the clock, from deadline to deadline */
    WFSM_TESTKIT_PATCH = 3, /* json */
    WFSM_TESTKIT_CHECKPOINT = 4, /* name: its id, json: artifacts or NULL */
    WFSM_TESTKIT_RESTORE = 5, /* name: its id, "" for the newest; NULL: the revision */
    WFSM_TESTKIT_RESULT = 6, /* name: INSTANCE/REVISION/ORDINAL, json: output or NULL */
    WFSM_TESTKIT_FAILURE = 7, /* name: the same, failure_class */
    WFSM_TESTKIT_FORGET = 8, /* name: the id of a checkpoint, which is deleted */
    WFSM_TESTKIT_APPROVE = 9, /* approval, id or NULL */
    WFSM_TESTKIT_RETRY = 10 /* name: the invocation, as for RESULT */
};

/* One line of a script. Set `size`; a member that does not apply is 0 or NULL. */
typedef struct wfsm_testkit_input {
    size_t size;
    int32_t kind; /* enum wfsm_testkit_kind */
    const char *name; /* of the event, checkpoint or invocation */
    const char *id; /* an event or approval without one is sent under "line-N", N
                       from 1 */
    const char *failure_class; /* of FAILURE: a word of wfsm_call_failed() */
    const char *json; /* or NULL */
    size_t length; /* bytes of json */
    int64_t ms; /* of ADVANCE */
    uint64_t revision; /* of RESTORE without a name */
    const wfsm_approval *approval; /* its id does not count */
} wfsm_testkit_input;

/* One invariant that is violated. Strings are borrowed for the call. */
typedef struct wfsm_testkit_violation {
    size_t size;
    int32_t fault; /* enum wfsm_testkit_fault of the run */
    uint64_t at; /* the call that it happened to */
    uint64_t line; /* of the script, from 1; 0: the start, or the end */
    const char *message; /* one sentence */
} wfsm_testkit_violation;

/* A workflow, and the store that it runs on. Set `size`, `machine` and `open`. */
typedef struct wfsm_testkit_crash_options {
    size_t size;
    wfsm_machine *machine; /* of the workflow */
    const wfsm_functions *functions; /* or NULL */
    const char *instance; /* its id; NULL: "sim" */
    const wfsm_testkit_input *const *inputs; /* the script */
    size_t count; /* of its lines */
    void *user; /* passed to all functions below */
    /* Opens the store, which has what was committed before. *store is new. */
    int32_t (*open)(void *user, wfsm_store **store, wfsm_error *error);
    /* The power was lost: makes the store forget what is not durable. The handle is still open,
     * and is freed right after. May be NULL. */
    void (*cut)(void *user);
    /* Empties the store for the next run; it is not open. NULL: closing it does that. */
    void (*wipe)(void *user);
    /* Called for each violation. A status other than WFSM_OK ends everything and is returned. May
     * be NULL. */
    int32_t (*violated)(void *user, const wfsm_testkit_violation *violation);
    /* Called from time to time with the number of runs done, and of all. May be NULL; statuses as
     * above. */
    int32_t (*progress)(void *user, uint64_t done, uint64_t all);
    uint64_t pairs; /* runs with two faults at random places, after those with one */
    uint64_t seed; /* of their places */
    uint64_t most; /* how many calls to try faults at, spread over all; 0: all of them */
} wfsm_testkit_crash_options;

/* The caller sets the size, and the testkit fills in the rest. */
typedef struct wfsm_testkit_crash_counts {
    size_t size;
    uint64_t calls; /* of the store, by one run without faults */
    uint64_t runs; /* with faults */
    uint64_t fail; /* faults of this kind that happened, as the next five */
    uint64_t drop; /* as above */
    uint64_t lose; /* as above */
    uint64_t delay; /* as above */
    uint64_t cut_before; /* as above */
    uint64_t cut_after; /* as above */
    uint64_t restarts; /* the workflow was loaded again */
    uint64_t invariants; /* checked */
    uint64_t violations; /* one for each run at most */
} wfsm_testkit_crash_counts;

/*
 * Runs the script once without faults, and then once for every call of the store and every
 * fault, with that fault at that call. Each run continues as a careful program would: after a
 * failure it tries the input again; after a lost answer it loads the instance and compares the
 * revision; after a power cut it opens the store again and loads the instance. It checks during
 * each run, and at the end, that
 * - what was acknowledged is there; every input was applied exactly once;
 * - after a failure the instance is as before, after a lost answer it is sealed;
 * - every effect was delivered, in order, none without its commit;
 * - the journal, configuration, context and output are those of the run without faults;
 * - the audit finds nothing.
 * Returns WFSM_OK even if invariants are violated; counts->violations is their number. counts
 * may be NULL. INVALID: a member of the options is missing or out of range. LIMIT: one line
 * fires more than 100,000 timers, or 2,000 at the same time. NO_MEMORY, what `open` and the
 * functions above return, and what the start of the instance returns.
 */
WFSM_API int32_t wfsm_testkit_crash(const wfsm_testkit_crash_options *options,
                                    wfsm_testkit_crash_counts *counts, wfsm_error *error);

/* What must outlive the process that wfsm_testkit_resume() runs in. */
typedef struct wfsm_testkit_witness {
    size_t size;
    uint64_t acknowledged; /* the last revision noted, 0: none */
    uint64_t delivered; /* the number of the last effect noted, 0: none */
    void *user; /* of the function */
    /* A commit was acknowledged (its revision, and effect 0), or an effect delivered (its number).
     * Once this returns WFSM_OK, the number must survive the process. */
    int32_t (*note)(void *user, uint64_t revision, uint64_t effect);
} wfsm_testkit_witness;

/*
 * Runs the script once on the store that `open` opens, without faults, from where the store says
 * that the instance is. The process may be killed at any time, and started again with what the
 * witness noted. Checks as above; counts->runs is 1 if the script came to its end. wipe, cut,
 * progress, pairs, seed and most are not used. Fails as above, and with what `note` returns.
 */
WFSM_API int32_t wfsm_testkit_resume(const wfsm_testkit_crash_options *options,
                                     wfsm_testkit_witness *witness,
                                     wfsm_testkit_crash_counts *counts, wfsm_error *error);

#ifdef __cplusplus
}
#endif
#endif
