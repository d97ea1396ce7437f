/*
 * The part testkit (libwfsm-testkit): tests that anybody can run on a store. It sees public
 * headers only, needs no test framework, and reports through a function of the caller.
 *
 * The files, in the order to read them:
 *
 *   wfsm_testkit_store(): many short cases, each on empty stores
 *     suite.c              runs the groups of cases (cases.h)
 *     check.c              the checks of a case
 *     fixture.c            commits with default values; dump.c writes a store as text
 *     commit_cases.c, batch_cases.c, reading_cases.c, list_cases.c, where_cases.c, inbox_cases.c,
 *     owner_cases.c,
 *     opening_cases.c, compact_cases.c, changes_cases.c, share_cases.c, since_cases.c,
 *     permit_cases.c, rate_cases.c, exchange_cases.c, workflow_cases.c
 *                          the groups
 *
 *   wfsm_testkit_wrap(): one call of a store fails
 *     faulty.c             the store that fails; later.c keeps commits that are delayed
 *
 *   wfsm_testkit_crash(): a workflow runs with a fault at every call of its store (crash.h)
 *     crash.c              chooses the faults
 *     crash_run.c          one run, with recovery; crash_line.c runs one line of the script
 *     crash_check.c        compares the run with the reference, the run without faults
 *     reference.c, text.c  the reference; growing text
 *
 * testkit/check.h: the checks of a case. Only the first failed check of a case is
 * reported. The case continues after it, because leaving it would mean a jump out of the
 * store's own functions. */
#ifndef TESTKIT_CHECK_H
#define TESTKIT_CHECK_H

#include <wfsm/testkit.h>
#include "text.h"

typedef struct tk_suite {
    const wfsm_testkit_store_options *options;
    wfsm_store *store; /* store 0, which is open when a case begins */
    wfsm_error *error;
    uint64_t checks;
    bool no_memory;    /* the testkit itself ran out of memory */
    char message[512]; /* "" while no check has failed */
} tk_suite;

/* `what` names the thing or the call that is checked. Each returns whether the check
 * holds. */
bool tk_holds(tk_suite *suite, bool fine, const char *format, ...) TK_PRINTF(3, 4);
bool tk_status(tk_suite *suite, const char *what, int32_t wanted, int32_t got);
bool tk_number(tk_suite *suite, const char *what, uint64_t wanted, uint64_t got);
bool tk_time(tk_suite *suite, const char *what, int64_t wanted, int64_t got);
bool tk_string(tk_suite *suite, const char *what, const char *wanted, const char *got);
/* A refusal has its status and a message, which has each of the words. They end with NULL. */
bool tk_said(tk_suite *suite, const char *what, const wfsm_error *error, int32_t status,
             const char *const words[]);
/* For texts of many lines, the message shows the first line that differs. */
bool tk_lines(tk_suite *suite, const char *what, const char *wanted, const char *got);

/* Store 0 or 1, or NULL if it cannot be opened; every call refuses NULL. */
wfsm_store *tk_open(tk_suite *suite, int32_t which);
/* Closes store 0 and opens it again. */
void tk_reopen(tk_suite *suite);
#endif
