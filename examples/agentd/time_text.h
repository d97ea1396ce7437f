/* Times as ISO 8601 texts in UTC. */
#ifndef AGENTD_TIME_TEXT_H
#define AGENTD_TIME_TEXT_H

#include <stdint.h>

enum { TIME_TEXT_SIZE = 32 };

/* "2026-01-21T09:30:00.000Z" of milliseconds since 1970. A time outside the years 1970 to 9999
 * counts as the nearest inside. */
void time_text(int64_t ms, char text[TIME_TEXT_SIZE]);
/* "2026-01-21", its day. */
void date_text(int64_t ms, char text[TIME_TEXT_SIZE]);
/* Reads the form that time_text() writes; -1 for any other. */
int time_of_text(const char *text, int64_t *ms);

#endif
