#include "error.h"

#include <stdio.h>

int host_fail(host_error *error, const char *format, ...)
{
    va_list arguments;

    if (!error)
        return -1;
    va_start(arguments, format);
    (void)vsnprintf(error->message, sizeof error->message, format, arguments);
    va_end(arguments);
    return -1;
}

int host_fail_wfsm(host_error *error, const wfsm_error *why)
{
    return host_fail(error, "%s", wfsm_error_message(why));
}
