/* testkit/check.h: the checks of a case. Only the first failed check of a case is
 * reported. The case goes on after it, because leaving it would mean a jump out of the
 * store's own functions. */
#ifndef TESTKIT_CHECK_H
#define TESTKIT_CHECK_H

#include <wfsm/testkit.h>
#include "text.h"

typedef struct tk_kit {
    const wfsm_testkit_store_options *options;
    wfsm_store *store; /* store 0, which is open when a case begins */
    wfsm_error *error;
    uint64_t checks;
    bool no_memory;    /* the testkit itself ran out of memory */
    char message[512]; /* "" while no check has failed */
} tk_kit;

/* `what` names the thing or the call that is checked. Each returns whether the check
 * holds. */
bool tk_holds(tk_kit *kit, bool fine, const char *format, ...) TK_PRINTF(3, 4);
bool tk_status(tk_kit *kit, const char *what, int32_t wanted, int32_t got);
bool tk_number(tk_kit *kit, const char *what, uint64_t wanted, uint64_t got);
bool tk_time(tk_kit *kit, const char *what, int64_t wanted, int64_t got);
bool tk_string(tk_kit *kit, const char *what, const char *wanted, const char *got);
/* For texts of many lines, the message shows the first line that differs. */
bool tk_lines(tk_kit *kit, const char *what, const char *wanted, const char *got);

/* Store 0 or 1, or NULL if it cannot be opened; every call refuses NULL. */
wfsm_store *tk_open(tk_kit *kit, int32_t which);
/* Closes store 0 and opens it again. */
void tk_reopen(tk_kit *kit);
#endif
