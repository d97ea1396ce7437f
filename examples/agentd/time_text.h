/* Times as ISO 8601 texts in UTC. */
#ifndef AGENTD_TIME_TEXT_H
#define AGENTD_TIME_TEXT_H

#include <stdint.h>

enum { TIME_TEXT_SIZE = 32 };

/* "2026-01-21T09:30:00.000Z" of milliseconds since 1970; what lies outside the years 1970 to
 * 9999 is taken as the nearest that lies inside. */
void time_text(int64_t ms, char text[TIME_TEXT_SIZE]);
/* "2026-01-21", its day. */
void date_text(int64_t ms, char text[TIME_TEXT_SIZE]);
/* Reads what time_text() makes, and nothing else; -1. */
int time_of_text(const char *text, int64_t *ms);

#endif
