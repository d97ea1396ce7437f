/* Which entry of `migrate` takes an instance, and which state of the new document each state of the old one
 * becomes. */
#include "step/migrate.h"

#include <string.h>

static bool fits(const wfsm_machine *machine, const wf_migration *rule, const wfsm_machine *old)
{
    for (uint32_t i = 0; i < rule->versions.count; i++) {
        const char *version = machine->versions[rule->versions.first + i].text;
        if (strcmp(version, old->version.text) == 0 || strcmp(version, old->fingerprint) == 0)
            return true;
    }
    return rule->versions.count == 0;
}

const wf_migration *wf_migration_from(const wfsm_machine *machine, const wfsm_machine *old)
{
    for (uint32_t i = 0; i < machine->migration_count; i++)
        if (fits(machine, &machine->migrations[i], old))
            return &machine->migrations[i];
    return NULL;
}

static uint32_t moved(const wfsm_machine *machine, const wf_migration *rule,
                      const wf_name *path)
{
    wf_span moves = rule->moves;
    for (uint32_t i = moves.first; i < moves.first + moves.count; i++)
        if (strcmp(machine->moves[i].old.text, path->text) == 0)
            return machine->moves[i].state;
    return WF_NONE;
}

/* The state whose path is that of `state` followed by `rest`. */
static uint32_t below(wf_step *step, uint32_t state, const char *rest)
{
    const wf_name *path = &step->machine->states[state].path;
    size_t rest_length = strlen(rest);
    char *text = wf_arena_take(&step->arena, path->length + rest_length + 1);
    if (!text)
        return WF_NONE;
    memcpy(text, path->text, path->length);
    memcpy(text + path->length, rest, rest_length + 1);
    return wf_machine_find(step->machine, text, path->length + rest_length);
}

uint32_t wf_migrated(wf_step *step, const wfsm_machine *old, const wf_migration *rule,
                     uint32_t state)
{
    const wfsm_machine *machine = step->machine;
    const wf_name *path = &old->states[state].path;
    uint32_t found = WF_NONE, around = state;
    for (; around != 0 && found == WF_NONE; around = old->states[around].parent) {
        uint32_t to = moved(machine, rule, &old->states[around].path);
        if (to == WF_NONE)
            continue;
        found = around == state ? to
                                : below(step, to, path->text + old->states[around].path.length);
        if (found == WF_NONE)
            return WF_NONE;
    }
    if (found == WF_NONE)
        found = wf_machine_find(machine, path->text, path->length);
    return found != WF_NONE && machine->states[found].type < WF_SHALLOW ? found : WF_NONE;
}

uint32_t wf_mapped(const wf_migrator *self, uint32_t state)
{
    return wf_migrated(self->step, self->old->machine, self->rule, state);
}
