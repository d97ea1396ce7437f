/*
 * check.h: what a case of the suite looks at. The first wrong answer is the one that is told;
 * the case goes on after it, because leaving it would mean to jump out of the store's own
 * functions.
 */
#ifndef TESTKIT_CHECK_H
#define TESTKIT_CHECK_H

#include <wfsm/testkit.h>
#include "text.h"

typedef struct tk_kit {
    const wfsm_testkit_store_options *options;
    wfsm_store *store; /* number 0, open at the beginning of a case */
    wfsm_error *error;
    uint64_t checks;
    bool no_memory;    /* of the kit itself */
    char message[512]; /* "" while everything is as it should be */
} tk_kit;

/* `what` names the thing or the call that is looked at. All return whether it was right. */
bool tk_holds(tk_kit *kit, bool fine, const char *format, ...) TK_PRINTF(3, 4);
bool tk_status(tk_kit *kit, const char *what, int32_t wanted, int32_t got);
bool tk_number(tk_kit *kit, const char *what, uint64_t wanted, uint64_t got);
bool tk_time(tk_kit *kit, const char *what, int64_t wanted, int64_t got);
bool tk_string(tk_kit *kit, const char *what, const char *wanted, const char *got);
/* Of texts with many lines, the first line that differs is told. */
bool tk_lines(tk_kit *kit, const char *what, const char *wanted, const char *got);

/* Store 0 or 1; NULL, which every call refuses, when it cannot be opened. */
wfsm_store *tk_open(tk_kit *kit, int32_t which);
/* Closes store 0 and opens it again. */
void tk_reopen(tk_kit *kit);
#endif
