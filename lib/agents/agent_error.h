/* What went wrong, as one line of text for a person.
 *
 * The caller makes the error and may reuse it. Setting it never allocates. Every
 * function of hostkit that can fail returns 0 for success and -1 for failure, and
 * says why in the error it was given; the error may be NULL. */
#ifndef WFA_AGENT_ERROR_H
#define WFA_AGENT_ERROR_H

#include <stdarg.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct wfa_error {
    char message[768];
} wfa_error;

/* Sets the message (cut when too long) and returns -1, so that a failing function
 * can end with `return wfa_fail(error, …);`. */
int wfa_fail(wfa_error *error, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The same with a list of arguments. */
int wfa_fail_list(wfa_error *error, const char *format, va_list arguments)
    __attribute__((format(printf, 2, 0)));

#ifdef __cplusplus
}
#endif

#endif
