/* The host: answers that depend only on the question. */
#include "world.h"

#include <stdio.h>
#include <string.h>

/* The names of states do not count. */
static uint64_t hash_text(const world *self, uint64_t hash, const char *text)
{
    size_t length = strlen(self->prefix);
    while (*text != '\0') {
        if (strncmp(text, self->prefix, length) == 0)
            text += length;
        else
            hash = (hash ^ (unsigned char)*text++) * 1099511628211u;
    }
    return hash;
}

static bool hash_call(const world *self, wfsm_call *call, uint64_t *hash)
{
    const char *params = wfsm_call_params(call, NULL);
    const char *context = wfsm_call_context(call, NULL);
    const char *event = wfsm_call_event(call, NULL);
    if (!params || !context || !event)
        return false;
    *hash = hash_text(self, 14695981039346656037u, params);
    *hash = hash_text(self, *hash, context);
    *hash = hash_text(self, *hash, event) ^ (uint64_t)wfsm_call_now(call);
    *hash ^= *hash >> 29;
    return true;
}

static int32_t answer_guard(void *user, wfsm_call *call)
{
    uint64_t hash;
    if (!hash_call(user, call, &hash))
        return WFSM_NO_MEMORY;
    if (hash % 16 == 0)
        return WFSM_HOST;
    if (hash % 16 == 1)
        return WFSM_OK; /* no answer */
    return wfsm_call_allow(call, hash % 2 == 0);
}

static int32_t answer_action(void *user, wfsm_call *call)
{
    char patch[64];
    uint64_t hash;
    if (!hash_call(user, call, &hash))
        return WFSM_NO_MEMORY;
    int length = snprintf(patch, sizeof patch, "{\"h\":%u,\"n\":%u}", (unsigned)(hash % 97),
                          (unsigned)(hash % 4));
    if (hash % 16 == 0)
        return WFSM_HOST;
    if (hash % 16 == 1)
        return wfsm_call_patch(call, "[1]", 3); /* no patch */
    if (hash % 16 < 4)
        return WFSM_OK;
    return wfsm_call_patch(call, patch, (size_t)length);
}

bool world_add_answers(world *self)
{
    return wfsm_functions_new(&self->functions, NULL, self->error) == WFSM_OK &&
           wfsm_functions_add_guard(self->functions, "host", answer_guard, self, self->error) ==
               WFSM_OK &&
           wfsm_functions_add_guard(self->functions, "asks", answer_guard, self, self->error) ==
               WFSM_OK &&
           wfsm_functions_add_action(self->functions, "does", answer_action, self,
                                     self->error) == WFSM_OK;
}
