/* shared/context.c: the context of an instance as JSON. */
#include "shared/context.h"

#include <stdlib.h>
#include <string.h>
#include <wfsm/agents.h>

json_t *host_context(wfsm_engine *engine, const char *id)
{
    size_t length = 0;
    wfsm_instance *instance = wfsm_engine_instance(engine, id);
    const char *text = instance ? wfsm_instance_context(instance, &length) : NULL;

    return text ? json_loadb(text, length, 0, NULL) : NULL;
}

int32_t host_context_patch(wfsm_engine *engine, const char *id, json_t *changes,
                           wfsm_error *error)
{
    char *text = changes ? json_dumps(changes, JSON_COMPACT) : NULL;
    int32_t outcome, status = WFSM_NO_MEMORY;

    json_decref(changes);
    if (text)
        status = wfsm_engine_patch(engine, id, text, strlen(text), wfsm_agents_now(), &outcome,
                                   error);
    free(text);
    return status;
}
