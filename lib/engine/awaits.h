/* engine/awaits.h: instances that are told when an agent, a phase or a group has nothing
 * left to do. */
#ifndef WF_ENGINE_AWAITS_H
#define WF_ENGINE_AWAITS_H

#include <wfsm/engine.h>
#include <stdbool.h>

typedef struct wf_await {
    struct wf_await *next;
    int32_t kind; /* enum wfsm_pool_kind */
    const char *name, *instance, *event, *event_id;
    char text[];
} wf_await;

/* True if a wait is over. */
bool wf_awaits_due(const wfsm_engine *engine);
/* Posts the events of those whose wait is over. True if there were any. */
bool wf_awaits_serve(wfsm_engine *engine);
void wf_awaits_free(wfsm_engine *engine);
#endif
