/* engine/machines.h: the machines that an engine knows. */
#ifndef WF_ENGINE_MACHINES_H
#define WF_ENGINE_MACHINES_H

#include <wfsm/engine.h>
#include <stdbool.h>
#include "engine/shards.h"

typedef struct wf_known {
    wfsm_machine *machine;
    bool named;    /* the host added it: it may be started by its id */
    bool complete; /* all its agents are registered */
    bool served;   /* by wfsm_engine_share(), when it was judged last (serving.c) */
    uint8_t shards[WF_SHARD_BYTES]; /* those that are this engine's, when it shared last */
} wf_known;

/* The entry of the machine with this fingerprint, or NULL. Valid until another machine is added. */
wf_known *wf_known_find(const wfsm_engine *engine, const char *fingerprint);
/* The machine with this fingerprint, or NULL. */
wfsm_machine *wf_machines_find(const wfsm_engine *engine, const char *fingerprint);
/* Of the machines with this id that the host added, the last; or NULL. */
wfsm_machine *wf_machines_newest(const wfsm_engine *engine, const char *id);
/* References a machine that is not known yet. */
int32_t wf_machines_keep(wfsm_engine *engine, wfsm_machine *machine, bool named,
                         wfsm_error *error);
/* Looks again which machines are complete, after an agent or a machine was added. */
void wf_machines_complete(wfsm_engine *engine);
#endif
