/* The time that hosts give to the library. */
#ifndef WFA_CLOCK_H
#define WFA_CLOCK_H

#include <stdint.h>

/* Milliseconds since 1970. */
int64_t wfa_now(void);

#endif
