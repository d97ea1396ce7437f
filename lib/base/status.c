/* base/status.c: the words for statuses. */
#include <wfsm/base.h>

static const char *const status_names[] = {
    [WFSM_OK] = "OK",
    [WFSM_NO_MEMORY] = "NO_MEMORY",
    [WFSM_INVALID] = "INVALID",
    [WFSM_SYNTAX] = "SYNTAX",
    [WFSM_SEMANTIC] = "SEMANTIC",
    [WFSM_NOT_FOUND] = "NOT_FOUND",
    [WFSM_EXISTS] = "EXISTS",
    [WFSM_BUSY] = "BUSY",
    [WFSM_CONFLICT] = "CONFLICT",
    [WFSM_STORE_FAILED] = "STORE_FAILED",
    [WFSM_STORE_UNKNOWN] = "STORE_UNKNOWN",
    [WFSM_SEALED] = "SEALED",
    [WFSM_CORRUPT] = "CORRUPT",
    [WFSM_VERSION] = "VERSION",
    [WFSM_LIMIT] = "LIMIT",
    [WFSM_DENIED] = "DENIED",
    [WFSM_IO] = "IO",
    [WFSM_HOST] = "HOST",
};

const char *wfsm_status_name(int32_t status)
{
    if (status < 0 || (size_t)status >= sizeof status_names / sizeof *status_names)
        return "?";
    return status_names[status];
}

const char *wfsm_outcome_name(int32_t outcome)
{
    static const char *const names[] = {"?",       "taken", "no_transition", "blocked",
                                        "failed",  "ended", "duplicate",     "stale",
                                        "started", "retry", "queued"};
    return outcome > 0 && outcome <= WFSM_QUEUED ? names[outcome] : names[0];
}
