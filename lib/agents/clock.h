/* The time that hosts give to the library. */
#ifndef HK_CLOCK_H
#define HK_CLOCK_H

#include <stdint.h>

/* Milliseconds since 1970. */
int64_t hk_now(void);

#endif
