/* Whether a run violates its document's properties. The rules are evaluated by a second machine, the
 * observer, which the generator makes of them: what it is shown of the run is the data of an event,
 * and its context then has an answer for each rule. What the answers mean is decided here. */
#ifndef TESTS_OPINION_WATCH_H
#define TESTS_OPINION_WATCH_H

#include <jansson.h>
#include <stdbool.h>
#include <wfsm/wfsm.h>

enum { RULES_MOST = 64, PROPERTIES_MOST = 32 };

typedef struct watched {
    const char *name;
    const char *kind;
    int rules[3]; /* -1: there is none */
    int times;
    int64_t within; /* milliseconds */
    bool of_event; /* the rule looks at the event */
    /* of a run */
    bool begun;
    bool seen;
    int64_t since;
    bool was;
    int count;
    bool violated; /* `reachable`: reached */
} watched;

typedef struct watcher {
    wfsm_machine *machine;
    wfsm_instance *observer;
    wfsm_error *error;
    watched list[PROPERTIES_MOST];
    size_t count;
    size_t rule_count;
    unsigned char answers[RULES_MOST]; /* 0 no, 1 yes, 2 cannot be evaluated */
    json_t *before; /* the active states, as they were last seen */
} watcher;

/* `observer` is a document, `properties` a list of {"name", "kind", "rules", "times", "within", "event"};
 * both are borrowed while the watch lives. */
bool watch_open(watcher *self, const json_t *observer, const json_t *properties, size_t rules,
                wfsm_error *error);
void watch_close(watcher *self);
void watch_begin(watcher *self); /* a new run */
/* After the start and after each step, at this time. `event` is JSON or NULL. */
bool watch_look(watcher *self, wfsm_instance *instance, const char *event, int64_t now);
/* Time passes, and nothing happens. */
void watch_wait(watcher *self, int64_t now);

#endif
