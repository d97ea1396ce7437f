/* engine/outgoing.h: what a round asks of the store beside its commits, and what it gets. */
#ifndef WF_ENGINE_OUTGOING_H
#define WF_ENGINE_OUTGOING_H

#include <stdbool.h>
#include <wfsm/engine.h>
#include "base/arena.h"
#include "store/rows.h"

typedef struct wf_outgoing {
    wfsm_exchange exchange;
    wf_arena arena; /* its requests and their answers */
    wf_rows inbox; /* posts that the last exchange has returned: the oldest of each instance */
    wf_rows loaded; /* of instances that were asked for */
    wf_rows behind; /* those behind them, as far as a round takes them */
    uint64_t reading; /* serial number of the last one of the inbox */
    size_t read; /* posts in it */
    uint64_t after; /* number of the last post that was for none of the engine's instances */
    const wfsm_engine *engine;
    int64_t claimed; /* what a claim was to write whose answer was lost; 0: none */
    int64_t next; /* end of a lease that begins now */
} wf_outgoing;

void wf_outgoing_init(wfsm_engine *engine);
void wf_outgoing_fini(wfsm_engine *engine);
/* The posts are forgotten. Those that were not taken stay in the store. */
void wf_outgoing_clear(wfsm_engine *engine);
/* Makes the exchange: the lease, acknowledgements, and, if `inbox`, up to WF_RUN_POSTS posts. NO_MEMORY:
 * the exchange asks for nothing. */
int32_t wf_outgoing_fill(wfsm_engine *engine, bool inbox, wfsm_error *error);
/* Reads the posts at once, so that the next round takes those of instances that were adopted. If that
 * fails, the next exchange returns them. */
void wf_outgoing_read(wfsm_engine *engine);
/* This post for an instance that nobody owns, and later ones, come again if they are not taken. */
void wf_outgoing_read_again(wfsm_engine *engine, uint64_t post);
/* True if the exchange was refused because a claim whose answer was lost was made: it can be made again,
 * with what that claim wrote. */
bool wf_outgoing_repeats(wf_outgoing *self);
/* True if it asks for something. */
bool wf_outgoing_asks(const wfsm_engine *engine);
/* Instead of the exchange: everything has this answer, and the lease is as it was. */
void wf_outgoing_refuse(wfsm_engine *engine, int32_t answer);
/* The engine takes the answers. Before the commits are settled. */
void wf_outgoing_settle(wfsm_engine *engine);
#endif
