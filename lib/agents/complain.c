#include "complain.h"

#include <stdarg.h>
#include <stdio.h>

void wfa_complain(const char *format, ...)
{
    va_list list;

    (void)fflush(stdout);
    (void)fprintf(stderr, "%s: ", wfa_program);
    va_start(list, format);
    (void)vfprintf(stderr, format, list);
    va_end(list);
    (void)fputc('\n', stderr);
}

void wfa_complain_wfsm(const char *what, const wfsm_error *error)
{
    const char *pointer = wfsm_error_pointer(error);
    int32_t line = wfsm_error_line(error);

    if (line > 0)
        wfa_complain("%s:%d:%d: %s", what, (int)line, (int)wfsm_error_column(error),
                     wfsm_error_message(error));
    else
        wfa_complain("%s%s%s: %s", what, *pointer ? " " : "", pointer,
                     wfsm_error_message(error));
}
