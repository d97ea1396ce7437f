#include "agent_error.h"

#include <stdio.h>

int wfa_fail_list(wfa_error *error, const char *format, va_list arguments)
{
    if (error)
        (void)vsnprintf(error->message, sizeof error->message, format, arguments);
    return -1;
}

int wfa_fail(wfa_error *error, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    wfa_fail_list(error, format, arguments);
    va_end(arguments);
    return -1;
}
