/*
 * machine/entry_paths.c: finds the transitions that always enter the same states. Such a
 * transition has one target, only compound states between its domain and the target, and only
 * default children below it, so that neither a history nor another region decides what is
 * entered. The step then need not compute an entry set. Most transitions of most machines are
 * of this kind.
 */
#include <string.h>
#include "base/invariant.h"
#include "machine/load.h"

enum { WF_PATH_MOST = 64 };

/* What is entered, from the outside in. */
typedef struct wf_path {
    uint32_t states[WF_PATH_MOST];
    uint32_t count;
} wf_path;

static bool is_below(const wfsm_machine *machine, uint32_t state, uint32_t ancestor)
{
    return wf_is_descendant(machine, state, ancestor);
}

/* The same as wf_domain() of step/targets.c, for a target that is not a history state. */
static uint32_t domain_of(const wfsm_machine *machine, const wf_transition *transition,
                          uint32_t target)
{
    uint32_t domain = transition->source;
    bool within = target == domain || is_below(machine, target, domain);

    if (domain == 0 || (within && !transition->reenter))
        return domain;
    domain = machine->states[domain].parent;
    while (domain != 0 &&
           (machine->states[domain].type != WF_COMPOUND || !is_below(machine, target, domain)))
        domain = machine->states[domain].parent;
    return domain;
}

/* From the child of the domain down to the target. */
static bool walk_down(const wfsm_machine *machine, uint32_t domain, uint32_t target,
                      wf_path *path)
{
    uint32_t depth = machine->states[target].depth - machine->states[domain].depth;

    WF_INVARIANT(is_below(machine, target, domain));
    if (depth > WF_PATH_MOST)
        return false;
    path->count = depth;
    for (uint32_t s = target; depth-- > 0; s = machine->states[s].parent) {
        path->states[depth] = s;
        if (s != target && machine->states[s].type != WF_COMPOUND)
            return false;
    }
    return true;
}

/* The child that a compound state enters by default. The state itself if its initial
 * transition has several targets, or a deeper one. */
static uint32_t default_child(const wfsm_machine *machine, uint32_t state)
{
    wf_span targets = machine->transitions[machine->states[state].initial].targets;
    uint32_t child = machine->lists[targets.first];

    WF_INVARIANT(is_below(machine, child, state)); /* check_inside() of load_initials.c */
    return targets.count == 1 && machine->states[child].parent == state ? child : state;
}

static bool walk_inside(const wfsm_machine *machine, uint32_t state, wf_path *path)
{
    while (machine->states[state].type == WF_COMPOUND) {
        uint32_t child = default_child(machine, state);

        if (child == state || path->count == WF_PATH_MOST)
            return false;
        path->states[path->count++] = state = child;
    }
    return machine->states[state].type == WF_ATOMIC || machine->states[state].type == WF_FINAL;
}

static void make_path(wfsm_machine *machine, wf_transition *self)
{
    uint32_t target, domain, *list;
    wf_path path;

    if (self->targets.count != 1)
        return;
    target = machine->lists[self->targets.first];
    domain = domain_of(machine, self, target);
    if (!is_below(machine, target, domain) || machine->states[domain].type != WF_COMPOUND ||
        !walk_down(machine, domain, target, &path))
        return;
    WF_INVARIANT(machine->states[path.states[0]].parent == domain);
    self->through = (uint8_t)(path.count - 1);
    if (!walk_inside(machine, target, &path))
        return;
    WF_INVARIANT(self->through < path.count && path.count <= WF_PATH_MOST);
    list = wf_arena_take(&machine->arena, path.count * sizeof *list);
    if (!list)
        return;
    memcpy(list, path.states, path.count * sizeof *list);
    self->path = list;
    self->path_count = (uint8_t)path.count;
    self->domain = domain;
}

void wf_machine_entry_paths(wfsm_machine *machine)
{
    for (uint32_t i = 0; i < machine->transition_count; i++)
        make_path(machine, &machine->transitions[i]);
    for (uint32_t i = 0; i < machine->state_count; i++) {
        machine->has_always |= machine->states[i].always.count > 0;
        machine->has_regions |= machine->states[i].type == WF_PARALLEL;
    }
}
