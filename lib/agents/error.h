/* What went wrong, as one line of text for a person.
 *
 * The caller makes the error and may reuse it. Setting it never allocates. Every
 * function of hostkit that can fail returns 0 for success and -1 for failure, and
 * says why in the error it was given; the error may be NULL. */
#ifndef HK_ERROR_H
#define HK_ERROR_H

#include <stdarg.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct hk_error {
    char message[768];
} hk_error;

/* Sets the message (cut when too long) and returns -1, so that a failing function
 * can end with `return hk_fail(error, …);`. */
int hk_fail(hk_error *error, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The same with a list of arguments. */
int hk_fail_list(hk_error *error, const char *format, va_list arguments)
    __attribute__((format(printf, 2, 0)));

#ifdef __cplusplus
}
#endif

#endif
