#include "print_error.h"

#include <errno.h>
#include <unistd.h>

#include <stdarg.h>
#include <stdio.h>
#include "wfsm/shown.h"

void print_error(const char *format, ...)
{
    va_list list;

    (void)fflush(stdout);
    shown_fprintf(stderr, "%s: ", host_program);
    va_start(list, format);
    shown_vfprintf(stderr, format, list);
    va_end(list);
    (void)fputc('\n', stderr);
}

void print_wfsm_error(const char *what, const wfsm_error *error)
{
    const char *pointer = wfsm_error_pointer(error);
    int32_t line = wfsm_error_line(error);

    if (line > 0)
        print_error("%s:%d:%d: %s", what, (int)line, (int)wfsm_error_column(error),
                    wfsm_error_message(error));
    else
        print_error("%s%s%s: %s", what, *pointer ? " " : "", pointer,
                    wfsm_error_message(error));
}

int print_missing_config(const char *path)
{
    if (access(path, F_OK) == 0 || errno != ENOENT)
        return 0;
    print_error("there is no %s here; `%s init` writes one, and --config names another", path,
                host_program);
    return 1;
}
