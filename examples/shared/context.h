/* The context of an instance as JSON, read and changed by the host. */
#ifndef HOST_CONTEXT_H
#define HOST_CONTEXT_H

#include <jansson.h>
#include <wfsm/engine.h>

/* A new object. NULL: there is no such instance, or no memory. */
json_t *host_context(wfsm_engine *engine, const char *id);
/* Changes members of the context as a patch does, now. `changes` is released; NULL stands for one that could
 * not be made: WFSM_NO_MEMORY. */
int32_t host_context_patch(wfsm_engine *engine, const char *id, json_t *changes,
                           wfsm_error *error);

#endif
