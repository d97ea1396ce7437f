/* engine/permits.c: limits that all engines of a store share. */
#ifndef WF_ENGINE_PERMITS_H
#define WF_ENGINE_PERMITS_H

#include <stdbool.h>
#include <wfsm/engine.h>

/* A round begins: what other engines wait for, and is not in use any more, goes back first. */
void wf_permits_open(wfsm_engine *engine);
/* Adds to the exchange what the engine wants of the limits that it shares. False: out of memory. */
bool wf_permits_ask(wfsm_engine *engine);
/* The exchange is over: takes its answers. */
void wf_permits_settle(wfsm_engine *engine);
/* The exchange was not made. */
void wf_permits_refuse(wfsm_engine *engine);
/* The lease has lapsed, or the session is lost: others may have the permits. */
void wf_permits_lapse(wfsm_engine *engine);
/* True if the store is to be told at once. */
bool wf_permits_due(const wfsm_engine *engine);
/* True if the engine waits for permits that others have. */
bool wf_permits_missing(const wfsm_engine *engine);
#endif
