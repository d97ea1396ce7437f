/* Which state of the new document each state of the old one becomes. */
#include "step/migrate.h"

#include <string.h>

static uint32_t moved(const wf_migrator *self, const wf_name *path)
{
    const wfsm_machine *machine = self->step->machine;
    wf_span moves = self->rule->moves;
    for (uint32_t i = moves.first; i < moves.first + moves.count; i++)
        if (strcmp(machine->moves[i].old.text, path->text) == 0)
            return machine->moves[i].state;
    return WF_NONE;
}

/* The state whose path is that of `state` followed by `rest`. */
static uint32_t below(const wf_migrator *self, uint32_t state, const char *rest)
{
    const wfsm_machine *machine = self->step->machine;
    const wf_name *path = &machine->states[state].path;
    size_t rest_length = strlen(rest);
    char *text = wf_arena_take(&self->step->arena, path->length + rest_length + 1);
    if (!text)
        return WF_NONE;
    memcpy(text, path->text, path->length);
    memcpy(text + path->length, rest, rest_length + 1);
    return wf_machine_find(machine, text, path->length + rest_length);
}

uint32_t wf_mapped(const wf_migrator *self, uint32_t state)
{
    const wfsm_machine *machine = self->step->machine, *old = self->old->machine;
    const wf_name *path = &old->states[state].path;
    uint32_t found = WF_NONE, around = state;
    for (; around != 0 && found == WF_NONE; around = old->states[around].parent) {
        uint32_t to = moved(self, &old->states[around].path);
        if (to == WF_NONE)
            continue;
        found = around == state ? to
                                : below(self, to, path->text + old->states[around].path.length);
        if (found == WF_NONE)
            return WF_NONE;
    }
    if (found == WF_NONE)
        found = wf_machine_find(machine, path->text, path->length);
    return found != WF_NONE && machine->states[found].type < WF_SHALLOW ? found : WF_NONE;
}
