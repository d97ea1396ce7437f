/*
 * wfsm/monitor.h: the properties of a machine's document, watched over one run: a simulated
 * one, a running one, or one that is read again from its journal. `wfsm_verify()` says how
 * they stand for all runs; doc/verification.md says what each of them means. Part of
 * libwfsm-tools.
 */
#ifndef WFSM_MONITOR_H
#define WFSM_MONITOR_H

#include <wfsm/machine.h>

#ifdef __cplusplus
extern "C" {
#endif

/* How a property stands after the last observation. */
enum wfsm_watched {
    WFSM_WATCHED_GOOD = 0,     /* it holds so far */
    WFSM_WATCHED_VIOLATED = 1, /* not here */
    WFSM_WATCHED_FAILED = 2,   /* likewise: one of its rules cannot be evaluated here */
    WFSM_WATCHED_REACHED = 3,  /* `reachable`: now or before */
    WFSM_WATCHED_PENDING = 4   /* `leadsTo`: it waits for its `to` */
};

/* One property. Strings are borrowed from the machine; message until the next observation. */
typedef struct wfsm_watched_property {
    size_t size;
    const char *name;        /* in the document */
    const char *kind;        /* "never", "leadsTo", … */
    const char *description; /* or "" */
    int32_t watched;         /* enum wfsm_watched */
    const char *message;     /* why a rule cannot be evaluated, or "" */
} wfsm_watched_property;

/* It remembers what it has seen of one run; belongs to one thread at a time. */
typedef struct wfsm_monitor wfsm_monitor;

/* A monitor of all properties, before the start of a run. Holds a reference to the machine and
 * takes its allocator. Fails with INVALID, NO_MEMORY, VERSION (libwfsm is of another
 * release). Since 0.1. */
WFSM_API int32_t wfsm_monitor_new(wfsm_monitor **monitor, wfsm_machine *machine,
                                  wfsm_error *error);
/* Frees it; NULL is fine. */
WFSM_API void wfsm_monitor_free(wfsm_monitor *monitor);

/*
 * Looks at an instance after its start, and then after each step, whatever came in.
 * `configuration` and `context` are what wfsm_instance_configuration() and
 * wfsm_instance_context() say. `event` is {"type", "data", "id", "kind"} of the event that the
 * step reacted to, if a transition took it: what was sent or raised by a timer, or
 * done.invoke.ID and error.invoke.ID of an invocation; else NULL. Fails with INVALID, SYNTAX,
 * SEMANTIC (no such states, no objects), NO_MEMORY: then nothing was seen. Since 0.1.
 */
WFSM_API int32_t wfsm_monitor_observe(wfsm_monitor *monitor, const char *configuration,
                                      size_t configuration_length, const char *context,
                                      size_t context_length, const char *event,
                                      size_t event_length, wfsm_error *error);

/* Fills in the index-th property in the order of the document; the size is set by the caller.
 * NOT_FOUND beyond the last. Since 0.1. */
WFSM_API int32_t wfsm_monitor_property(const wfsm_monitor *monitor, size_t index,
                                       wfsm_watched_property *property);

#ifdef __cplusplus
}
#endif
#endif
