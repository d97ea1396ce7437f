/* machine/event_seen.c: an event as expressions see it. Its keys are hashed once for a machine, and
 * not at each step. */
#include <string.h>
#include "machine/load.h"

/* In the order of enum wf_event_member. */
static const char *const keys[WF_EVENT_MEMBERS] = {"type", "data", "id", "kind", "origin"};

void wf_machine_event_seen(wfsm_machine *machine)
{
    wf_member *origin = wf_arena_take(&machine->arena, 2 * sizeof *origin);

    if (!origin)
        return;
    for (int i = 0; i < WF_EVENT_MEMBERS; i++)
        wf_member_set(&machine->event_seen[i], keys[i], strlen(keys[i]), wf_null());
    wf_member_set(&origin[0], "interface", 9, wf_string_z("engine"));
    wf_member_set(&origin[1], "sender", 6, wf_null());
    machine->engine_origin = wf_object(origin, 2);
}
