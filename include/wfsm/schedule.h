/*
 * wfsm/schedule.h: schedules, which start instances at times; part of libwfsm-agents
 * (-lwfsm-agents). doc/schedules.md is the guide.
 *
 * A schedule is an instance of the machine "wfsm.schedule", which this library brings along. So it is
 * durable, belongs to one engine at a time, and has a journal. Its document says what it starts, and
 * when: cron lines, or recurrence rules of RFC 5545, in a time zone of the system. The id of an instance
 * that it starts is made of its own id and the time, so no crash and no second engine starts it twice.
 *
 * A program that runs an engine adds schedules to it, and calls wfsm_schedules_run() between rounds:
 *
 *     wfsm_schedules_new(&schedules, engine, store, error);
 *     while (wfsm_engine_run(engine, now, error) == WFSM_OK &&
 *            wfsm_schedules_run(schedules, now, error) == WFSM_OK)
 *         …
 *     wfsm_schedules_free(schedules);
 *
 * A wfsm_loop does that when wfsm_loop_options.schedules is 1, and so does the command wfsm work.
 * examples/embed/schedule.c is a whole program.
 *
 * Anybody may post these events to a schedule: "pause", "resume", "trigger" (start now), and "update",
 * whose data is a new document. Times are milliseconds since 1970. Since 0.1.
 */
#ifndef WFSM_SCHEDULE_H
#define WFSM_SCHEDULE_H

#include <wfsm/engine.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The id of the machine of schedules. */
#define WFSM_SCHEDULE_MACHINE "wfsm.schedule"
/* The longest id of a schedule, in bytes: those of its instances are longer. */
enum { WFSM_SCHEDULE_ID_BYTES = 180 };

/*
 * *next is the first time after `after` at which a schedule document is due; WFSM_NEVER: there is none.
 * json has `length` bytes. Errors: SYNTAX: it is not JSON. SEMANTIC: it is not a schedule document; the
 * message names the key and what was expected. LIMIT: a rule has too many times a day, or
 * before the next one. INVALID, NO_MEMORY. Since 0.1.
 */
WFSM_API int32_t wfsm_schedule_next(const char *json, size_t length, int64_t after,
                                    int64_t *next, wfsm_error *error);
/*
 * Creates the schedule `id` in a store; nobody owns it yet. Its first time is after `now`. EXISTS: there is
 * an instance of this id. INVALID: an argument is NULL or out of range. Otherwise what
 * wfsm_schedule_next() and wfsm_instance_start() return. Since 0.1.
 */
WFSM_API int32_t wfsm_schedule_create(wfsm_store *store, const char *id, const char *json,
                                      size_t length, int64_t now, wfsm_error *error);

/* The schedules of an engine. */
typedef struct wfsm_schedules wfsm_schedules;

/*
 * Adds the machine of schedules to an engine, so that it can adopt schedules. *schedules is new; you free
 * it with wfsm_schedules_free(), before the engine. The engine and its store are borrowed. INVALID: an
 * argument is NULL. NO_MEMORY, and what wfsm_engine_add_machine() returns. Since 0.1.
 */
WFSM_API int32_t wfsm_schedules_new(wfsm_schedules **schedules, wfsm_engine *engine,
                                    wfsm_store *store, wfsm_error *error);
/*
 * Starts what the engine's schedules are due to start. Call it after each round, and at least once a
 * second; it looks into the store about once a second. A start that fails because the store does, or
 * because the engine does not have the machine, is tried again in the next call. INVALID: schedules is
 * NULL, or now is negative. BUSY: a round is out. Otherwise the first failure; the other schedules were
 * served. Since 0.1.
 */
WFSM_API int32_t wfsm_schedules_run(wfsm_schedules *schedules, int64_t now, wfsm_error *error);
/* Frees it; the schedules stay in the store. NULL is allowed. Since 0.1. */
WFSM_API void wfsm_schedules_free(wfsm_schedules *schedules);

#ifdef __cplusplus
}
#endif
#endif
