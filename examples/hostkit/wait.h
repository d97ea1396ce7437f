/* Waiting for programs and HTTP calls at the same time. */
#ifndef HK_WAIT_H
#define HK_WAIT_H

#include "http.h"
#include "process.h"

/* Waits until something of either has come, a signal came, or timeout_ms went by, and does
 * what there is to do; call it in a loop. http may be NULL. The number of children and calls
 * that have ended. */
int hk_wait(hk_children *children, hk_http *http, int64_t timeout_ms);

#endif
