/*
 * machine/diagnostics.h: what is wrong with a document. Every pass of the loader reports
 * here and continues, so that loading (which wants the first error of the text) and
 * checking (which wants all) are the same work.
 */
#ifndef WF_MACHINE_DIAGNOSTICS_H
#define WF_MACHINE_DIAGNOSTICS_H

#include <stdarg.h>
#include <wfsm/machine.h>
#include "base/arena.h"
#include "base/error.h"
#include "logic/value.h"

enum { WF_ERROR = 1, WF_WARNING = 2, WF_NOTE = 3 };

/* More are counted, but not kept; a last one tells how many. */
enum { WF_MAX_DIAGNOSTICS = 1000 };

typedef struct wf_diagnostic {
    int32_t severity;
    int32_t status; /* that loading fails with */
    bool on_key;    /* the place is the key, not the value */
    uint32_t order; /* in which it was found */
    int32_t line, column;
    const wf_value *value; /* while positions are looked up */
    const char *rule;
    const char *message;
    const char *pointer;
} wf_diagnostic;

struct wfsm_diagnostics {
    wfsm_allocator allocator;
    wf_arena arena; /* messages and pointers */
    wf_diagnostic *list;
    size_t count, capacity;
    size_t dropped;
    uint32_t errors;
    bool failed; /* out of memory */
};

wfsm_diagnostics *wf_diagnostics_new(const wfsm_allocator *allocator);

/* The JSON pointer of a place, kept as long as the diagnostics; NULL when out of memory.
 */
const char *wf_diagnostics_pointer(wfsm_diagnostics *diagnostics, const wf_place *place);

/* Adds one. `rule` is static, `pointer` lives as long as the diagnostics (NULL: out of
 * memory). The message is cut at 511 bytes; control characters in it are replaced, for
 * it may quote the document. Returns it, or NULL (out of memory, too many). */
wf_diagnostic *wf_diagnostics_add(wfsm_diagnostics *diagnostics, int32_t severity,
                                  const char *rule, const char *pointer, const char *format,
                                  va_list args) WF_PRINTF(5, 0);

/* Looks up line and column of all of them and sorts them by position. `root` was parsed
 * from `text`. False when out of memory. */
bool wf_diagnostics_settle(wfsm_diagnostics *diagnostics, const char *text, size_t length,
                           const wf_value *root);

/* The first error, as a status with *error filled in; WFSM_OK if there is none. */
int32_t wf_diagnostics_first_error(const wfsm_diagnostics *diagnostics, wfsm_error *error);
#endif
