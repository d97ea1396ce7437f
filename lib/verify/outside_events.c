/* verify/outside_events.c: the events that come from outside, and the classes of their data. */
#include <string.h>
#include "base/memory.h"
#include "verify/cone_find.h"
#include "verify/data_reads.h"
#include "verify/prepare.h"

/* Events with a reserved name do not come from outside. Refused votes do: anybody may cast one. */
static bool is_own(const wf_name *name)
{
    return wf_event_reserved(name->text) && strcmp(name->text, WF_APPROVAL_REFUSED) != 0;
}

bool wf_state_names(const wfsm_machine *machine, const wf_state *state, uint32_t number,
                    const wf_name *name)
{
    for (uint32_t i = state->exact.first; i < state->exact.first + state->exact.count; i++)
        if (machine->handlers[i].event == number)
            return true;
    for (uint32_t i = state->generic.first; i < state->generic.first + state->generic.count;
         i++) {
        uint32_t descriptor = machine->candidates[i].descriptor;
        if (descriptor != WF_NONE &&
            wf_prefix_matches(&machine->prefixes[descriptor], name->text, name->length))
            return true;
    }
    return false;
}

static bool add_outside(wf_explorer *explorer, uint32_t number, const wf_name *name,
                        wf_value begin)
{
    const wfsm_machine *machine = explorer->machine;
    wf_external_event self = {.name = wf_string(name->text, name->length),
                              .number = number,
                              .begin = begin,
                              .assumed = wf_assumed_of(machine, number)};
    bool handled = false;
    self.handlers = wf_arena_zero(&explorer->arena, machine->words * sizeof(uint64_t));
    if (!self.handlers)
        return false;
    for (uint32_t s = 0; s < machine->state_count; s++)
        if (wf_state_names(machine, &machine->states[s], number, name)) {
            wf_set_add(self.handlers, s);
            handled = true;
        }
    if (!handled)
        return true;
    wf_external_event *list =
        wf_grow(explorer->allocator, explorer->outside, &explorer->outside_capacity,
                explorer->outside_count + 1, sizeof *list);
    if (!list)
        return false;
    explorer->outside = list;
    wf_data_classes_find(&self.data, &explorer->arena, self.assumed,
                         wf_cones_of_event(&explorer->cones, name->text, name->length),
                         explorer->cones.links);
    wf_note_cut(explorer, &self.data, name);
    if (!explorer->symbolic)
        wf_data_mark(&self.data, machine, &explorer->arena);
    if (self.data.count == 0)
        explorer->no_data = name->text;
    list[explorer->outside_count++] = self;
    return true;
}

static bool is_outside(const wf_explorer *explorer, const wf_name *name)
{
    for (size_t i = 0; i < explorer->outside_count; i++)
        if (explorer->outside[i].name.length == name->length &&
            memcmp(explorer->outside[i].name.as.text, name->text, name->length) == 0)
            return true;
    return false;
}

/* Unless the document names it, or it is there already. */
static bool add_unnamed(wf_explorer *explorer, const wf_name *name, wf_value begin)
{
    return is_own(name) ||
           wf_names_find(&explorer->machine->events, name->text, name->length) != WF_NONE ||
           is_outside(explorer, name) || add_outside(explorer, WF_NONE, name, begin);
}

static char *joined(wf_arena *arena, const wf_name *prefix, const char *rest)
{
    size_t length = strlen(rest);
    char *text = wf_arena_take(arena, prefix->length + length + 1);
    if (!text)
        return NULL;
    memcpy(text, prefix->text, prefix->length);
    memcpy(text + prefix->length, rest, length + 1);
    return text;
}

/* No descriptor has the name, and no rule compares a name with it. */
static bool is_new(const wf_explorer *explorer, const wf_name *name)
{
    const wf_value text = wf_string(name->text, name->length);
    return wf_names_find(&explorer->machine->events, name->text, name->length) == WF_NONE &&
           !wf_cone_has_constant(&explorer->cones.type, &text);
}

/* A name that begins so, and that the document does not have: BEGINother, or BEGINotherother, and so on. */
static bool name_other(wf_explorer *explorer, wf_name *name)
{
    name->text = joined(&explorer->arena, name, "other");
    name->length += 5;
    return name->text && (is_new(explorer, name) || name_other(explorer, name));
}

/* For each prefix one more event, which no descriptor names exactly. The prefix itself is another one if
 * rules ask for names; and if there are no more names: `done.*` also matches `done`, which is not reserved. */
static bool add_for_prefix(wf_explorer *explorer, const wf_name *prefix)
{
    wf_name other = {joined(&explorer->arena, prefix, prefix->length > 0 ? "." : ""),
                     prefix->length + (prefix->length > 0), 0};
    if (!other.text)
        return false;
    const wf_value begin = wf_string(other.text, other.length);
    if (!name_other(explorer, &other))
        return false;
    bool asked = wf_cone_is_wanted(&explorer->cones.type) || is_own(&other);
    if (prefix->length > 0 && asked && !add_unnamed(explorer, prefix, wf_absent()))
        return false;
    return add_unnamed(explorer, &other, begin);
}

/* One of a few interfaces, and anybody. */
static bool find_origins(wf_explorer *explorer)
{
    static const char shape[] =
        "{\"type\":\"object\",\"required\":[\"interface\",\"sender\"],"
        "\"additionalProperties\":false,\"properties\":{\"interface\":{\"enum\":"
        "[\"engine\",\"post\",\"command\",\"page\",\"api\"]},"
        "\"sender\":{\"type\":[\"string\",\"null\"],\"minLength\":1}}}";
    if (!wf_cone_is_wanted(&explorer->cones.origin))
        return true;
    if (!wf_shape_compile(explorer, shape, &explorer->origin_schema))
        return false;
    wf_data_classes_find(&explorer->origins, &explorer->arena, explorer->origin_schema,
                         &explorer->cones.origin, explorer->cones.links);
    if (explorer->origins.cut)
        explorer->cut_data = "origin";
    return true;
}

/* Names that only a rule asks for reach it through a wildcard. */
static bool add_asked(wf_explorer *explorer)
{
    const wf_cone *asked = &explorer->cones.type;
    bool fine = true;
    for (uint32_t i = 0; i < asked->constant_count && fine; i++) {
        const wf_value *text = &asked->constants[i];
        wf_name name = {text->as.text, text->length, 0};
        if (text->type == WF_STRING && text->length > 0)
            fine = add_unnamed(explorer, &name, wf_absent());
    }
    return fine;
}

bool wf_find_outside(wf_explorer *explorer)
{
    const wfsm_machine *machine = explorer->machine;
    bool fine = find_origins(explorer);
    for (uint32_t i = 0; i < machine->events.count && fine; i++) {
        const wf_name *name = &machine->events.list[i];
        bool raised = wf_cones_raise(&explorer->cones, name->text, name->length);
        explorer->inner_events |= raised && !explorer->open;
        if (!is_own(name) && (explorer->open || !raised))
            fine = add_outside(explorer, i, name, wf_absent());
    }
    fine = fine && add_asked(explorer);
    for (uint32_t s = 0; s < machine->state_count && fine; s++) {
        wf_span generic = machine->states[s].generic;
        for (uint32_t i = generic.first; i < generic.first + generic.count && fine; i++)
            if (machine->candidates[i].descriptor != WF_NONE)
                fine = add_for_prefix(explorer,
                                      &machine->prefixes[machine->candidates[i].descriptor]);
    }
    return fine;
}
