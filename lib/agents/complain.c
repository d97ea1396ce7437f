#include "complain.h"

#include <stdarg.h>
#include <stdio.h>

void hk_complain(const char *format, ...)
{
    va_list list;

    (void)fflush(stdout);
    (void)fprintf(stderr, "%s: ", hk_program);
    va_start(list, format);
    (void)vfprintf(stderr, format, list);
    va_end(list);
    (void)fputc('\n', stderr);
}

void hk_complain_wfsm(const char *what, const wfsm_error *error)
{
    const char *pointer = wfsm_error_pointer(error);
    int32_t line = wfsm_error_line(error);

    if (line > 0)
        hk_complain("%s:%d:%d: %s", what, (int)line, (int)wfsm_error_column(error),
                    wfsm_error_message(error));
    else
        hk_complain("%s%s%s: %s", what, *pointer ? " " : "", pointer,
                    wfsm_error_message(error));
}
