/* engine/grants.h: what a step may claim at once, of the invocations that it makes. */
#ifndef WF_ENGINE_GRANTS_H
#define WF_ENGINE_GRANTS_H

#include <wfsm/engine.h>
#include "instance/instance.h"

struct wf_job;

/* Agents, phases and groups without a quota yet that the steps of one round may claim of; further
 * ones wait for the next round. */
enum { WF_GRANT_NAMES = 16 };

typedef struct wf_grants {
    uint64_t number; /* of the round */
    size_t taken; /* slots granted in this round, which no job holds yet */
    bool refused; /* nothing more is granted to this step */
    const struct wf_job *freeing; /* the job that the step ends, NULL if it ends none */
    unsigned
        passed_on; /* what of that job the step has granted to another: a bit for each kind of
                           quota, and bit WFSM_POOL_ALL for its slot */
    size_t count;
    struct {
        int32_t kind;
        uint32_t count;
        const char *name; /* in the arena */
    } names[WF_GRANT_NAMES]; /* granted of those without a quota yet */
    wf_arena arena;
} wf_grants;

/* A round begins: nothing is granted yet. */
void wf_grants_open(wfsm_engine *engine);
/* What the next step of an instance of this machine may claim. The step ends the job `freeing`,
 * if that is not NULL. Valid until the next call. */
wf_grant wf_grants_begin(wfsm_engine *engine, const wfsm_machine *machine,
                         const struct wf_job *freeing);
#endif
