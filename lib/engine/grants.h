/* engine/grants.h: what a step may claim at once, of the invocations that it makes. */
#ifndef WF_ENGINE_GRANTS_H
#define WF_ENGINE_GRANTS_H

#include <wfsm/engine.h>
#include "instance/instance.h"

struct wf_job;

/* Agents, phases and groups without a quota yet that one step may claim of; further ones wait
 * for the next round. */
enum { WF_GRANT_NAMES = 16 };

typedef struct wf_grants {
    uint64_t number; /* of the step at work */
    size_t most;     /* jobs that may hold a slot after it */
    bool refused;    /* nothing more is granted to this step */
    const struct wf_job *freeing; /* the job that the step ends, NULL if it ends none */
    size_t count;
    struct {
        int32_t kind;
        uint32_t count;
        const char *name; /* the ledger's */
    } names[WF_GRANT_NAMES]; /* granted of those without a quota yet */
} wf_grants;

/* What the next step of an instance of this machine may claim. The step ends the job `freeing`,
 * if that is not NULL. Valid until the next call. */
wf_grant wf_grants_begin(wfsm_engine *engine, const wfsm_machine *machine,
                         const struct wf_job *freeing);
#endif
