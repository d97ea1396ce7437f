/* store/decode_states.c: the configuration and the histories. */
#include "store/decode_parts.h"

#include <string.h>

static bool is_leaf(const wf_state *state)
{
    return state->type == WF_ATOMIC || state->type == WF_FINAL;
}

static bool is_history(const wf_state *state)
{
    return state->type == WF_SHALLOW || state->type == WF_DEEP;
}

/* Reads paths of leaves below `top`, in document order, and adds them with the states
 * between. */
static int32_t read_leaves(const wf_decoder *decoder, const wf_value *paths, uint32_t top,
                           uint64_t *set)
{
    const wfsm_machine *machine = decoder->machine;
    uint32_t before = WF_NONE;
    for (uint32_t i = 0; i < paths->length; i++) {
        uint32_t leaf = wf_state_of(decoder, &paths->as.items[i]);
        if (leaf == WF_NONE || !is_leaf(&machine->states[leaf]) ||
            (leaf != top && !wf_is_descendant(machine, leaf, top)) ||
            (before != WF_NONE && leaf <= before))
            return wf_corrupt(decoder,
                              "expected paths of atomic or final states in document order");
        before = leaf;
        for (uint32_t s = leaf; s != top; s = machine->states[s].parent)
            wf_set_add(set, s);
        wf_set_add(set, top);
    }
    return WFSM_OK;
}

int32_t wf_decode_configuration(wf_decoder *decoder, const wf_value *leaves)
{
    const wfsm_machine *machine = decoder->machine;
    uint64_t *active = decoder->snapshot->active;
    memset(active, 0, machine->words * sizeof *active);
    int32_t status = read_leaves(decoder, leaves, 0, active);
    if (status == WFSM_OK && !wf_is_legal(machine, active, 0))
        return wf_corrupt(decoder, "the configuration is not legal");
    return status;
}

static int32_t read_deep(wf_decoder *decoder, const wf_value *paths, uint32_t parent,
                         uint64_t *set)
{
    const wfsm_machine *machine = decoder->machine;
    size_t bytes = machine->words * sizeof *set;
    uint64_t *whole = wf_arena_zero(decoder->arena, bytes);
    if (!whole)
        return wf_no_memory(decoder->error);
    int32_t status = read_leaves(decoder, paths, parent, whole);
    if (status == WFSM_OK && paths->length > 0 && !wf_is_legal(machine, whole, parent))
        return wf_corrupt(decoder,
                          "a deep history remembers states that cannot be active together");
    for (uint32_t i = 0; i < paths->length && status == WFSM_OK; i++)
        wf_set_add(set, wf_state_of(decoder, &paths->as.items[i]));
    return status;
}

static int32_t read_shallow(const wf_decoder *decoder, const wf_value *paths, uint32_t parent,
                            uint64_t *set)
{
    const wfsm_machine *machine = decoder->machine;
    uint32_t before = parent;
    for (uint32_t i = 0; i < paths->length; i++) {
        uint32_t child = wf_state_of(decoder, &paths->as.items[i]);
        if (child == WF_NONE || machine->states[child].parent != parent ||
            is_history(&machine->states[child]) || child <= before)
            return wf_corrupt(decoder, "a shallow history remembers children of its "
                                       "parent, in document order");
        before = child;
        wf_set_add(set, child);
    }
    if (paths->length > 0 && !wf_children_fit(machine, set, parent))
        return wf_corrupt(decoder,
                          "a shallow history remembers states that cannot be active together");
    return WFSM_OK;
}

static int32_t decode_history(wf_decoder *decoder, const wf_member *member)
{
    const wfsm_machine *machine = decoder->machine;
    uint32_t number = wf_names_find(&machine->paths, member->key, member->length);
    const wf_state *history = number == WF_NONE ? NULL : &machine->states[number];
    if (!history || !is_history(history) || member->value.type != WF_ARRAY)
        return wf_corrupt(decoder,
                          "expected the path of a history and a list of states, "
                          "found \"%s\"",
                          member->key);
    if (decoder->record == 0 && member->value.length == 0)
        return wf_corrupt(decoder, "\"%s\" is listed, but remembers nothing", member->key);
    uint64_t *set =
        decoder->snapshot->extras->histories + (size_t)history->history * machine->words;
    memset(set, 0, machine->words * sizeof *set);
    return history->type == WF_DEEP
               ? read_deep(decoder, &member->value, history->parent, set)
               : read_shallow(decoder, &member->value, history->parent, set);
}

int32_t wf_decode_histories(wf_decoder *decoder, const wf_value *histories)
{
    int32_t status = WFSM_OK;
    if (histories->length == 0)
        return wf_corrupt(decoder, "\"histories\" is empty");
    for (uint32_t i = 0; i < histories->length && status == WFSM_OK; i++)
        status = decode_history(decoder, &histories->as.members[i]);
    return status;
}
