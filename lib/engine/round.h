/* engine/round.h: one round: its inputs, one exchange with the store, and what follows. */
#ifndef WF_ENGINE_ROUND_H
#define WF_ENGINE_ROUND_H

#include "engine/entries.h"

/* From here on inputs are part of the round: their commits wait in the batch of the store. */
int32_t wf_round_open(wfsm_engine *engine, wfsm_error *error);
/* No more inputs. With `inbox`, the store is to return the posts for the next round. */
void wf_round_close(wfsm_engine *engine, bool inbox);
/* Hands the round to the store. */
int32_t wf_round_exchange(wfsm_engine *engine, wfsm_error *error);
/* The round goes to the host, and the store belongs to it. Questions about instances are answered from
 * the state before it. */
void wf_round_give_out(wfsm_engine *engine);
/* The host returns the round. If there was no exchange, nothing of it is stored. */
void wf_round_take_back(wfsm_engine *engine);
/* Every instance takes the answers of its commits, and its jobs follow. Returns the first refusal. */
int32_t wf_round_settle(wfsm_engine *engine);
/* The rest of a round that has one input, which a call of the host has made with this status. Returns
 * what that call returns. *outcome is that of the input, and may be changed; it may be NULL. */
int32_t wf_round_of_one(wfsm_engine *engine, int32_t status, int32_t *outcome,
                        wfsm_error *error);
/* The same after the host's exchange of such a round. engine->status is what the call would have returned. */
void wf_round_settle_one(wfsm_engine *engine);
#endif
