#include "agent_error.h"

#include <stdio.h>

#include "../base/invariant.h"

static void set(wfa_error *error, int32_t status, const char *format, va_list arguments)
{
    WF_INVARIANT(status != WFSM_OK);
    if (!error)
        return;
    error->status = status;
    (void)vsnprintf(error->message, sizeof error->message, format, arguments);
}

int wfa_fail(wfa_error *error, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    set(error, WFSM_INVALID, format, arguments);
    va_end(arguments);
    return -1;
}

int wfa_fail_as(wfa_error *error, int32_t status, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    set(error, status, format, arguments);
    va_end(arguments);
    return -1;
}

int wfa_no_memory(wfa_error *error)
{
    return wfa_fail_as(error, WFSM_NO_MEMORY, "out of memory");
}

int32_t wfa_report(const wfa_error *why, wfsm_error *error)
{
    return wfsm_error_set(error, why->status, why->message);
}
