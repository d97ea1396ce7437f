/*
 * wfsm/testkit.h: proofs for those who write a store, a companion library (-lwfsm-testkit)
 * for their tests. It needs no test framework: what it finds goes to a function.
 *
 * wfsm_testkit_store() holds a store against everything that wfsm/store.h promises.
 * doc/store.md shows it at work.
 */
#ifndef WFSM_TESTKIT_H
#define WFSM_TESTKIT_H

#include <wfsm/store.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The store under test. Every case begins with empty ones, and ends with none open. */
typedef struct wfsm_testkit_store_options {
    size_t size;
    void *user; /* of the two functions */
    /* Opens store 0 or 1, which have nothing in common; a durable one opened again has what
     * was committed before. On WFSM_OK *store is new; the kit frees it. */
    int32_t (*open)(void *user, int32_t which, wfsm_store **store, wfsm_error *error);
    /* Throws away what both hold; nothing is open then. NULL: closing does that. */
    void (*wipe)(void *user);
    int32_t durable;  /* 1: it outlives its handle, and may have two at a time */
    const char *only; /* the name of one case, or NULL for all */
} wfsm_testkit_store_options;

enum wfsm_testkit_verdict {
    WFSM_TESTKIT_PASSED = 1,
    WFSM_TESTKIT_FAILED = 2,
    WFSM_TESTKIT_SKIPPED = 3 /* it does not apply to such a store */
};

/* What came of one case. Strings are borrowed for the call. */
typedef struct wfsm_testkit_result {
    size_t size;
    const char *name;    /* of the case, words joined by _; stays the same over releases */
    int32_t verdict;     /* enum wfsm_testkit_verdict */
    const char *message; /* FAILED, SKIPPED: one sentence; PASSED: "" */
} wfsm_testkit_result;

/* A status other than WFSM_OK ends the suite and is returned. */
typedef int32_t (*wfsm_testkit_sink)(void *user, const wfsm_testkit_result *result);

/* Filled in by the kit, its size set by the caller. */
typedef struct wfsm_testkit_counts {
    size_t size;
    uint64_t passed, failed, skipped; /* cases */
    uint64_t checks;                  /* answers that were looked at */
} wfsm_testkit_counts;

/*
 * Runs the cases, one result each, in an order that stays. WFSM_OK also when cases failed:
 * counts->failed tells. sink and counts may be NULL. A case that fails ends at its first
 * wrong answer as far as its message goes, and goes on to its end. Fails with INVALID,
 * NOT_FOUND (there is no case of the name `only`), NO_MEMORY, and what the sink answers. The
 * kit's own memory comes from the C library. Since 0.1.
 */
WFSM_API int32_t wfsm_testkit_store(const wfsm_testkit_store_options *options,
                                    wfsm_testkit_sink sink, void *user,
                                    wfsm_testkit_counts *counts, wfsm_error *error);

#ifdef __cplusplus
}
#endif
#endif
