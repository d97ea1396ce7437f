/*
 * wfsm/monitor.h: watches the properties of a machine's document over one run: a simulated one, a
 * live one, or one that is read from its journal. wfsm_verify() checks them for all runs;
 * doc/verification.md describes what each of them means. Part of
 * libwfsm-tools.
 */
#ifndef WFSM_MONITOR_H
#define WFSM_MONITOR_H

#include <wfsm/machine.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The state of a property after the last observation. */
enum wfsm_watched {
    WFSM_WATCHED_GOOD = 0,     /* it holds so far */
    WFSM_WATCHED_VIOLATED = 1, /* violated by the last step, or because time has passed */
    WFSM_WATCHED_FAILED = 2,   /* one of its rules cannot be evaluated here */
    WFSM_WATCHED_REACHED = 3,  /* `reachable`: reached now or before */
    WFSM_WATCHED_PENDING = 4,  /* it waits for what must come: `leadsTo`, `until`, `atLeast`,
                                  `exactly` */
    WFSM_WATCHED_UNKNOWN = 5 /* `instances`: the monitor of one run does not see its children.
                                  Since 0.1 */
};

/* One property. Strings are borrowed from the machine; message until the next observation. */
typedef struct wfsm_watched_property {
    size_t size;
    const char *name; /* in the document */
    const char *kind; /* "never", "leadsTo", … */
    const char *description; /* or "" */
    int32_t watched; /* enum wfsm_watched */
    const char *message; /* why a rule cannot be evaluated, or "" */
} wfsm_watched_property;

/* The monitor of one run. It belongs to one thread at a time. */
typedef struct wfsm_monitor wfsm_monitor;

/* A monitor of all properties, before the start of a run. Holds a reference to the machine and
 * takes its allocator. Fails with INVALID, NO_MEMORY, VERSION (libwfsm is of another
 * release). */
WFSM_API int32_t wfsm_monitor_new(wfsm_monitor **monitor, wfsm_machine *machine,
                                  wfsm_error *error);
/* Frees it; NULL is fine. */
WFSM_API void wfsm_monitor_free(wfsm_monitor *monitor);

/* What a monitor is shown of an instance. Set all members; borrowed for the call. */
typedef struct wfsm_observation {
    size_t size;
    const char *configuration; /* as wfsm_instance_configuration() gives it */
    size_t configuration_length; /* bytes */
    const char *context; /* as wfsm_instance_context() gives it */
    size_t context_length; /* bytes */
    /* As wfsm_instance_event() gives it: the event that the step reacted to, if a transition took
     * it. NULL or null: none. */
    const char *event;
    size_t event_length; /* bytes */
    /* As wfsm_instance_entered() gives it. With it `atMost`, `atLeast` and `exactly` count a state
     * that the step has left and entered again. NULL: no such state. Since 0.1. */
    const char *entered;
    size_t entered_length; /* bytes */
    /* The time of the start or step, in ms, as wfsm_instance_now() gives it; not before that of the
     * observation before. A `within` of `leadsTo` is measured by it. Since 0.1. */
    int64_t now;
} wfsm_observation;

/*
 * Shows the monitor an instance: once after its start, and once after each step. A checkpoint, an event or a claim
 * to which nothing reacts, and a vote that neither decides nor leads anywhere are no steps. INVALID,
 * SYNTAX, SEMANTIC (there are no such states, or the context or event is not an object) and
 * NO_MEMORY leave the monitor as it was.
 */
WFSM_API int32_t wfsm_monitor_observe(wfsm_monitor *monitor,
                                      const wfsm_observation *observation, wfsm_error *error);

/*
 * Tells the monitor that the time is `now` (ms, as in wfsm_observation), and that there was no step since
 * the last observation. A `leadsTo` whose `within` has passed becomes WFSM_WATCHED_VIOLATED, and waits no
 * longer. Violations by the last step are reset; everything else stays as it is. INVALID. Since 0.1.
 */
WFSM_API int32_t wfsm_monitor_advance(wfsm_monitor *monitor, int64_t now, wfsm_error *error);

/* Fills in *property, whose size you set, with the index-th property, from 0, in the order of the
 * document. NOT_FOUND beyond the last; INVALID. */
WFSM_API int32_t wfsm_monitor_property(const wfsm_monitor *monitor, size_t index,
                                       wfsm_watched_property *property);

/*
 * The event of the last observation, if its data breaks what the document's `assume` promises of it:
 * wfsm_verify() has not tried such a run. NULL: none does, the document has no properties, or monitor is NULL.
 * Borrowed from the machine.
 * Since 0.1.
 */
WFSM_API const char *wfsm_monitor_unassumed(const wfsm_monitor *monitor);

#ifdef __cplusplus
}
#endif
#endif
