/* A schedule document: what is started, and when (doc/schedules.md). */
#ifndef WFA_SCHEDULE_DOCUMENT_H
#define WFA_SCHEDULE_DOCUMENT_H

#include <jansson.h>
#include <stdint.h>

#include "agent_error.h"
#include "schedule_zone.h"

/* What happens at a time at which an instance of the schedule still runs; Temporal's words. */
typedef enum wfa_overlap {
    WFA_OVERLAP_SKIP,
    WFA_OVERLAP_BUFFER_ONE,
    WFA_OVERLAP_ALLOW_ALL,
    WFA_OVERLAP_CANCEL_OTHER,
    WFA_OVERLAP_TERMINATE_OTHER
} wfa_overlap;

typedef struct wfa_schedule {
    json_t *document; /* a reference; what follows points into it */
    const char *machine;
    const json_t *input; /* or NULL */
    const json_t *cron, *rules; /* a string, an array of strings, or NULL */
    wfa_overlap overlap;
    int64_t catchup_ms;
    int64_t start, end; /* local times in seconds; INT64_MIN and INT64_MAX: none */
    wfa_zone zone;
} wfa_schedule;

/* Checks a document and reads it. -1 and an error. */
int wfa_schedule_read(wfa_schedule *schedule, json_t *document, wfa_error *error);
void wfa_schedule_free(wfa_schedule *schedule);

/* The first time after `after`, both in milliseconds; INT64_MAX: there is none. -1 and an error. */
int wfa_schedule_next_time(const wfa_schedule *schedule, int64_t after, int64_t *next,
                           wfa_error *error);

#endif
