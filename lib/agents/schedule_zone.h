/* A time zone of the system's data (RFC 9636): a TZif file below $TZDIR or /usr/share/zoneinfo.
 *
 * It is read here, and not with the C library, whose zone is one for the whole process (TZ). */
#ifndef WFA_SCHEDULE_ZONE_H
#define WFA_SCHEDULE_ZONE_H

#include <stddef.h>
#include <stdint.h>

#include "agent_error.h"
#include "schedule_zone_rule.h"

typedef struct wfa_zone {
    int64_t *times; /* of the changes, seconds since 1970, rising */
    int32_t
        *offsets; /* count + 1: before the first change, and after each. Seconds east of UTC */
    size_t count;
    wfa_zone_rule rule; /* behind the last change */
} wfa_zone;

/* The zone of a name such as "Europe/Berlin". -1 and an error: there is none. */
int wfa_zone_read(wfa_zone *zone, const char *name, wfa_error *error);
/* The same from the bytes of a file. */
int wfa_zone_parse(wfa_zone *zone, const char *bytes, size_t length, wfa_error *error);
void wfa_zone_free(wfa_zone *zone);

/* Seconds east of UTC at a time. */
int32_t wfa_zone_offset(const wfa_zone *zone, int64_t seconds);
/*
 * The instants at which clocks of the zone show a local time, earliest first, and how many they are: 2
 * while clocks go back. 0: they never do, because they go forward then; instants[0] is what RFC 5545
 * (3.3.5) says: the time by the offset before the gap.
 */
int wfa_zone_instants(const wfa_zone *zone, int64_t local, int64_t instants[2]);

#endif
