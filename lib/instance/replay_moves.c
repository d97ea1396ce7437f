/* States of a journal, under the names that `migrate` of another document gives them. */
#include "instance/replay_parts.h"

#include <string.h>
#include "base/error.h"
#include "base/memory.h"

int32_t wf_moves_init(wf_moves *self, const wf_replay *replay, const wfsm_machine *machine,
                      wfsm_store *store, wfsm_error *error)
{
    int32_t status = wf_replay_load(replay, store, &self->old, error);
    if (status == WFSM_OK)
        self->rule = wf_migration_from(machine, self->old);
    if (self->rule)
        self->states =
            wf_new(&replay->allocator, self->old->state_count * sizeof *self->states);
    if (self->rule && !self->states)
        status = wf_no_memory(error);
    if (self->rule && status == WFSM_OK)
        return WFSM_OK;
    wf_moves_fini(self, replay);
    return status == WFSM_NOT_FOUND ? WFSM_OK : status;
}

void wf_moves_fini(wf_moves *self, const wf_replay *replay)
{
    wfsm_machine_unref(self->old);
    wf_free(&replay->allocator, self->states);
    *self = (wf_moves){0};
}

static uint32_t moved(const wf_moves *self, wf_replay *replay, const wf_value *path)
{
    uint32_t state = path && path->type == WF_STRING
                         ? wf_machine_find(self->old, path->as.text, path->length)
                         : WF_NONE;
    return state == WF_NONE ? WF_NONE
                            : wf_migrated(&replay->step, self->old, self->rule, state);
}

static void take_configuration(wf_moves *self, wf_replay *replay, const wf_value *then)
{
    self->count = 0;
    for (uint32_t i = 0; i < then->length && self->count < self->old->state_count; i++)
        self->states[self->count++] = moved(self, replay, &then->as.items[i]);
}

static bool is_in(const wfsm_machine *machine, uint32_t state, uint32_t around)
{
    return state >= around && state < machine->states[around].end;
}

/* It is one of the journal's, or below or around one of them. */
static bool has_counterpart(const wf_moves *self, const wfsm_machine *machine, uint32_t state)
{
    for (size_t i = 0; i < self->count; i++)
        if (is_in(machine, state, self->states[i]) || is_in(machine, self->states[i], state))
            return true;
    return false;
}

bool wf_moves_agree(wf_moves *self, wf_replay *replay, const wf_value *then)
{
    const wfsm_machine *machine = replay->machine;
    const uint64_t *active = replay->snapshot.active;
    if (then && then->type == WF_ARRAY)
        take_configuration(self, replay, then);
    for (size_t i = 0; i < self->count; i++)
        if (self->states[i] == WF_NONE || !wf_set_has(active, self->states[i]))
            return false;
    for (uint32_t s = wf_set_next(active, machine->words, 1); s != WF_NONE;
         s = wf_set_next(active, machine->words, s + 1))
        if (!has_counterpart(self, machine, s))
            return false;
    return true;
}

/* A name that was not moved stays: it is told as a difference. */
static const wf_value *rename_invocation(const wf_moves *self, wf_replay *replay,
                                         const wf_value *then)
{
    const wf_value *path = wf_replay_member(then, "state");
    uint32_t state = moved(self, replay, path);
    wf_value *made = wf_arena_take(&replay->arena, sizeof *made);
    wf_member *members = wf_arena_take(&replay->arena, then->length * sizeof *members + 1);
    if (!made || !members)
        return NULL;
    if (state == WF_NONE)
        return then;
    const wf_name *name = &replay->machine->states[state].path;
    memcpy(members, then->as.members, then->length * sizeof *members);
    for (uint32_t i = 0; i < then->length; i++) {
        bool own = strcmp(members[i].key, "invoke") == 0 &&
                   wf_value_equal(&members[i].value, path); /* it has no id of its own */
        if (own || strcmp(members[i].key, "state") == 0)
            members[i].value = wf_string(name->text, name->length);
    }
    *made = wf_object(members, then->length);
    return made;
}

const wf_value *wf_moves_invocations(const wf_moves *self, wf_replay *replay,
                                     const wf_value *then)
{
    wf_value *list = wf_arena_take(&replay->arena, sizeof *list);
    wf_value *items = wf_arena_take(&replay->arena, then->length * sizeof *items + 1);
    if (!list || !items || then->type != WF_ARRAY)
        return list && items ? then : NULL;
    for (uint32_t i = 0; i < then->length; i++) {
        const wf_value *one = &then->as.items[i];
        if (one->type == WF_OBJECT && !(one = rename_invocation(self, replay, one)))
            return NULL;
        items[i] = *one;
    }
    *list = wf_array(items, then->length);
    return list;
}
