/* Waiting for programs and HTTP calls at the same time. */
#ifndef WFA_WAIT_H
#define WFA_WAIT_H

#include "http.h"
#include "process.h"

/* Waits until something of either has come, a signal came, or timeout_ms went by, and does
 * what there is to do; call it in a loop. http may be NULL. The number of children and calls
 * that have ended. */
int wfa_wait(wfa_children *children, wfa_http *http, int64_t timeout_ms);

/* The same until a time of wfa_now()'s clock, but never longer than `longest`. */
int wfa_wait_until(wfa_children *children, wfa_http *http, int64_t time, int64_t longest);

/* Children that were told to stop get the time to do it: a minute for those that have no grace
 * period of their own. */
void wfa_wait_ended(wfa_children *children);

#endif
