/* What went wrong, as one line of text for a person.
 *
 * The caller makes the error and may reuse it. Setting it never allocates. Every function of a
 * host that can fail returns 0 for success and -1 for failure, and says why in the error that it
 * was given; the error may be NULL. */
#ifndef HOST_ERROR_H
#define HOST_ERROR_H

#include <stdarg.h>

#include <wfsm/base.h>

typedef struct host_error {
    char message[768];
} host_error;

/* Sets the message (cut when too long) and returns -1, so that a failing function can end with
 * `return host_fail(error, …);`. */
int host_fail(host_error *error, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The same with what a call of the library said. */
int host_fail_wfsm(host_error *error, const wfsm_error *why);

#endif
