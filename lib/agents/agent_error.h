/* What went wrong inside the library: one line of text for a person, and the status that the
 * public call returns for it.
 *
 * The caller makes the error and may reuse it. Setting it never allocates. Every inner function
 * that can fail returns 0 for success and -1 for failure, and sets the error that it was given;
 * the error may be NULL. */
#ifndef WFA_AGENT_ERROR_H
#define WFA_AGENT_ERROR_H

#include <stdarg.h>

#include <wfsm/base.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct wfa_error {
    char message[768];
    int32_t status; /* enum wfsm_status */
} wfa_error;

/* Sets the message (cut when too long) with the status INVALID and returns -1, so that a
 * failing function can end with `return wfa_fail(error, …);`. */
int wfa_fail(wfa_error *error, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The same with another status. */
int wfa_fail_as(wfa_error *error, int32_t status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* "out of memory", NO_MEMORY. */
int wfa_no_memory(wfa_error *error);

/* For public calls: sets `error`, which may be NULL, and returns the status. */
int32_t wfa_report(const wfa_error *why, wfsm_error *error);

#ifdef __cplusplus
}
#endif

#endif
