#include "error.h"

#include <stdio.h>

int hk_fail_list(hk_error *error, const char *format, va_list arguments)
{
    if (error)
        (void)vsnprintf(error->message, sizeof error->message, format, arguments);
    return -1;
}

int hk_fail(hk_error *error, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    hk_fail_list(error, format, arguments);
    va_end(arguments);
    return -1;
}
