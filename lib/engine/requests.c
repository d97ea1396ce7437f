/* engine/requests.c: what an exchange asks about instances of which it has no commit. */
#include "engine/requests.h"

wfsm_request *wf_requests_make(wf_arena *arena, wfsm_exchange *exchange, size_t count)
{
    wfsm_request *made = wf_arena_take(arena, count * sizeof *made);
    const wfsm_request **list = wf_arena_take(arena, count * sizeof *list);
    int32_t *answers = wf_arena_take(arena, count * sizeof *answers);

    if (arena->failed)
        return NULL;
    for (size_t i = 0; i < count; i++)
        list[i] = &made[i];
    exchange->requests = list;
    exchange->request_answers = answers;
    return made;
}
