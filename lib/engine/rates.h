/* engine/rates.c: how often work may begin, in this engine or in all of a store. */
#ifndef WF_ENGINE_RATES_H
#define WF_ENGINE_RATES_H

#include <stdbool.h>
#include <wfsm/engine.h>
#include "engine/job.h"

/* A round begins: jobs are ready whose time has come. */
void wf_rates_open(wfsm_engine *engine);
/* The job is claimed. */
void wf_rates_spend(wfsm_engine *engine, wf_job *job);
/* Adds to the exchange what the engine wants of the rates that it shares. False: out of memory. */
bool wf_rates_ask(wfsm_engine *engine);
/* The exchange is over: takes its answers. */
void wf_rates_settle(wfsm_engine *engine);
/* The exchange was not made. */
void wf_rates_refuse(wfsm_engine *engine);
/* When a job that a rate holds up may begin, or the store is to be asked. */
int64_t wf_rates_due(const wfsm_engine *engine);
#endif
