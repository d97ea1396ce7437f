/* What a host says on stderr when something is not right. */
#ifndef HOST_PRINT_ERROR_H
#define HOST_PRINT_ERROR_H

#include <wfsm/base.h>

/* Defined by each host: the name in front of every complaint. */
extern const char *const host_program;

/* "PROGRAM: …", on a line of its own. */
void print_error(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* What a call of the library said, with the place where it knows one. */
void print_wfsm_error(const char *what, const wfsm_error *error);

/* Says, of a configuration that is not there, what to do. 0: it is there. */
int print_missing_config(const char *path);

#endif
