#include "progress_line.h"

#include <stdarg.h>
#include <stdio.h>

void host_progress_line(wfsm_progress *progress, int64_t now, const char *instance,
                        int32_t tone, const char *format, ...)
{
    char text[1024];
    va_list arguments;

    va_start(arguments, format);
    (void)vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    wfsm_progress_line(progress, now, instance, tone, text);
}
