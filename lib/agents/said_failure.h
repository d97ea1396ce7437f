/* How a program says why it failed: with an exit code other than 0 and, where its answer would be,
 *
 *     {"error": {"class": "network", "message": "429 Too Many Requests", "retry_after": 30}}
 *
 * `class` is one of the failure classes; `message` and `retry_after`, in seconds, may be left out.
 * Other words on its output are not read: a test that failed may write "429" as well. */
#ifndef WFA_SAID_FAILURE_H
#define WFA_SAID_FAILURE_H

#include <jansson.h>

#include "json_answer.h"

typedef struct wfa_said_failure {
    json_t *said; /* what the others are borrowed from; NULL: nothing was said */
    const char *failure_class; /* static */
    const char *message; /* "": none */
    int64_t retry_after; /* ms; -1: not told */
} wfa_said_failure;

/* From what it wrote to stdout, NULL for nothing. Must be cleared. */
void wfa_said_failure_read(wfa_said_failure *read, const char *text, size_t length,
                           wfa_answer_mode mode);
void wfa_said_failure_clear(wfa_said_failure *read);

#endif
