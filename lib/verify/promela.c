/* verify/promela.c: a chart as tables for the algorithm in promela_select.c and promela_step.c,
 * and the inputs that are possible. */
#include "verify/promela.h"

#include <stdio.h>
#include <string.h>
#include "base/error.h"
#include "logic/json.h"

/* Numbers are bytes, and the last of them is NONE. */
enum { MOST = 250, NONE = 255 };

typedef struct promela {
    const wfsm_machine *machine;
    wf_buffer *out;
    wf_arena arena;
    wfsm_error *error;
    int32_t status;
    uint32_t timers;
    wf_name
        *others; /* an event that no descriptor names exactly, for `*` and for each prefix */
    uint32_t other_count;
    uint32_t events; /* numbers: 0 for eventless transitions, the machine's + 1, the others */
} promela;

/* Keeps the first error. */
static void refuse(promela *self, uint32_t state, const char *what)
{
    const wf_name *path = &self->machine->states[state].path;

    if (!self->status)
        self->status = wf_fail(self->error, WFSM_SEMANTIC,
                               "state \"%.200s\": %s; only charts without data can be written "
                               "as Promela",
                               path->text, what);
}

static void set(promela *self, const char *table, uint32_t index, uint32_t value)
{
    wf_buffer_format(self->out, "    %s[%u] = %u;\n", table, (unsigned)index,
                     (unsigned)(value == WF_NONE ? NONE : value));
}

/* A part of a list table: where it begins and how long it is. */
static void set_part(promela *self, const char *table, uint32_t index, uint32_t first,
                     uint32_t count)
{
    if (!count)
        return;
    wf_buffer_format(self->out, "    %s_first[%u] = %u; %s_count[%u] = %u;\n", table,
                     (unsigned)index, (unsigned)first, table, (unsigned)index, (unsigned)count);
}

/* ---- states and transitions ---- */

static void write_states(promela *self)
{
    const wfsm_machine *machine = self->machine;

    for (uint32_t i = 0; i < machine->state_count; i++) {
        const wf_state *state = &machine->states[i];

        wf_buffer_format(self->out, "    /* %u: %s */\n", (unsigned)i,
                         i ? state->path.text : "");
        set(self, "kind", i, state->type);
        set(self, "parent", i, state->parent);
        set(self, "end", i, state->end);
        set(self, "initial", i, state->initial);
        if (state->done_event != WF_NONE)
            set(self, "done_event", i, state->done_event + 1);
        if (state->type == WF_SHALLOW || state->type == WF_DEEP)
            set(self, "number", i, state->history);
    }
}

static void write_transitions(promela *self)
{
    const wfsm_machine *machine = self->machine;
    uint32_t used = 0;

    for (uint32_t i = 0; i < machine->transition_count; i++) {
        const wf_transition *transition = &machine->transitions[i];

        set(self, "source", i, transition->source);
        set(self, "reenter", i, transition->reenter);
        set_part(self, "target", i, used, transition->targets.count);
        for (uint32_t j = 0; j < transition->targets.count; j++)
            set(self, "target_list", used++, machine->lists[transition->targets.first + j]);
    }
}

/* ---- which transitions an event offers ---- */

static wf_span candidates_of(const wfsm_machine *machine, const wf_state *state, uint32_t event)
{
    for (uint32_t i = state->exact.first; i < state->exact.first + state->exact.count; i++)
        if (machine->handlers[i].event == event)
            return machine->handlers[i].candidates;
    return state->generic;
}

/* Named as by the explorer; no event of a document has such a name. */
static bool add_other(promela *self, const wf_name *prefix)
{
    const char *dot = prefix->length ? "." : "";
    char *text = wf_arena_take(&self->arena, prefix->length + 7);

    if (!text)
        return false;
    snprintf(text, prefix->length + 7, "%s%sother", prefix->text, dot);
    wf_name name = {text, (uint32_t)strlen(text), 0};
    if (wf_names_find(&self->machine->events, text, name.length) != WF_NONE)
        return add_other(self, &name);
    for (uint32_t i = 0; i < self->other_count; i++)
        if (strcmp(self->others[i].text, text) == 0)
            return true;
    self->others[self->other_count++] = name;
    return true;
}

static bool find_others(promela *self)
{
    const wfsm_machine *machine = self->machine;
    const wf_name any = {"", 0, 0};
    uint32_t most = 1;
    bool good;

    for (uint32_t i = 0; i < machine->state_count; i++)
        most += machine->states[i].generic.count;
    self->others = wf_arena_take(&self->arena, most * sizeof *self->others);
    good = self->others && add_other(self, &any);
    for (uint32_t i = 0; i < machine->state_count; i++) {
        wf_span generic = machine->states[i].generic;

        for (uint32_t j = generic.first; good && j < generic.first + generic.count; j++)
            if (machine->candidates[j].descriptor != WF_NONE)
                good = add_other(self, &machine->prefixes[machine->candidates[j].descriptor]);
    }
    self->events = machine->events.count + 1 + self->other_count;
    return good;
}

static const wf_name *event_name(const promela *self, uint32_t event)
{
    const wf_names *events = &self->machine->events;

    return event < events->count ? &events->list[event] : &self->others[event - events->count];
}

static bool fits(const promela *self, const wf_candidate *candidate, uint32_t event)
{
    const wf_name *name = event_name(self, event);

    return candidate->descriptor == WF_NONE ||
           wf_prefix_matches(&self->machine->prefixes[candidate->descriptor], name->text,
                             name->length);
}

static uint32_t write_candidates_of(promela *self, uint32_t number, uint32_t event,
                                    uint32_t used)
{
    const wfsm_machine *machine = self->machine;
    const wf_state *state = &machine->states[number];
    uint32_t first = used;
    wf_span span = event ? candidates_of(machine, state, event - 1) : state->always;

    for (uint32_t i = span.first; i < span.first + span.count; i++) {
        if (!event)
            set(self, "candidate_list", used++, machine->lists[i]);
        else if (fits(self, &machine->candidates[i], event - 1))
            set(self, "candidate_list", used++, machine->candidates[i].transition);
    }
    set_part(self, "candidate", number * self->events + event, first, used - first);
    return used;
}

static uint32_t write_candidates(promela *self)
{
    uint32_t used = 0;

    for (uint32_t i = 0; i < self->machine->state_count; i++)
        for (uint32_t event = 0; event < self->events; event++)
            used = write_candidates_of(self, i, event, used);
    return used;
}

/* ---- actions: what is raised ---- */

static uint32_t write_action(promela *self, uint32_t state, const wf_action *action,
                             uint32_t used)
{
    switch (action->kind) {
    case WF_RAISE:
        if (action->as.raise.delay || action->as.raise.number == WF_NONE)
            refuse(self, state, "raises an event later, or by an expression");
        else
            set(self, "raise_list", used++, action->as.raise.number + 1);
        break;
    case WF_CHOOSE:
    case WF_EACH:
    case WF_CALL:
        refuse(self, state, "has an action whose course depends on data");
        break;
    default: /* nothing that a chart without data can see */
        break;
    }
    return used;
}

static uint32_t write_raises(promela *self, uint32_t owner, uint32_t state, wf_span blocks,
                             uint32_t used)
{
    const wfsm_machine *machine = self->machine;
    uint32_t first = used;

    for (uint32_t i = blocks.first; i < blocks.first + blocks.count; i++) {
        wf_span actions = machine->blocks[i].actions;

        for (uint32_t j = actions.first; j < actions.first + actions.count; j++)
            used = write_action(self, state, &machine->actions[j], used);
    }
    set_part(self, "raise", owner, first, used - first);
    return used;
}

static uint32_t write_all_raises(promela *self)
{
    const wfsm_machine *machine = self->machine;
    uint32_t states = machine->state_count, used = 0;

    for (uint32_t i = 0; i < states; i++)
        used = write_raises(self, i, i, machine->states[i].entry, used);
    for (uint32_t i = 0; i < states; i++)
        used = write_raises(self, states + i, i, machine->states[i].exit, used);
    for (uint32_t i = 0; i < machine->transition_count; i++)
        used = write_raises(self, 2 * states + i, machine->transitions[i].source,
                            machine->transitions[i].blocks, used);
    return used;
}

/* ---- guards ---- */

static void write_rule(promela *self, uint32_t state, const wf_value *rule);

static void write_operands(promela *self, uint32_t state, const wf_value *operands,
                           const char *between, const char *none)
{
    uint32_t count = operands->type == WF_ARRAY ? operands->length : 1;

    wf_buffer_text(self->out, count ? "(" : none);
    for (uint32_t i = 0; i < count; i++) {
        if (i)
            wf_buffer_text(self->out, between);
        write_rule(self, state, operands->type == WF_ARRAY ? &operands->as.items[i] : operands);
    }
    wf_buffer_text(self->out, count ? ")" : "");
}

static void write_in_state(promela *self, const wf_value *operand)
{
    const wf_value *path = operand->type == WF_ARRAY ? &operand->as.items[0] : operand;

    wf_buffer_format(self->out, "in[%u]",
                     (unsigned)wf_machine_find(self->machine, path->as.text, path->length));
}

static void write_operator(promela *self, uint32_t state, const wf_member *member)
{
    const wf_value *operands = &member->value;
    bool one = operands->type != WF_ARRAY || operands->length == 1;

    if (strcmp(member->key, "in_state") == 0)
        write_in_state(self, operands);
    else if (strcmp(member->key, "and") == 0)
        write_operands(self, state, operands, " && ", "0");
    else if (strcmp(member->key, "or") == 0)
        write_operands(self, state, operands, " || ", "0");
    else if (strcmp(member->key, "!") == 0 && one) {
        wf_buffer_byte(self->out, '!');
        write_operands(self, state, operands, "", "0");
    } else if (strcmp(member->key, "!!") == 0 && one)
        write_operands(self, state, operands, "", "0");
    else
        refuse(self, state, "has a guard that looks at more than in_state");
}

static void write_rule(promela *self, uint32_t state, const wf_value *rule)
{
    if (rule->type == WF_BOOLEAN)
        wf_buffer_byte(self->out, rule->as.boolean ? '1' : '0');
    else if (rule->type == WF_OBJECT && rule->length == 1)
        write_operator(self, state, &rule->as.members[0]);
    else
        refuse(self, state, "has a guard that looks at more than in_state");
}

static void write_guard(promela *self, uint32_t number)
{
    const wf_transition *transition = &self->machine->transitions[number];
    wf_value rule;

    if (transition->guard.kind == WF_GUARD_HOST) {
        refuse(self, transition->source, "asks a guard of the host");
        return;
    }
    if (wf_json_parse(&self->arena, transition->guard.text, strlen(transition->guard.text),
                      &rule, self->error)) {
        self->status = WFSM_NO_MEMORY;
        return;
    }
    wf_buffer_format(self->out, "    :: which == %u -> ok = ", (unsigned)number);
    write_rule(self, transition->source, &rule);
    wf_buffer_byte(self->out, '\n');
}

static void write_guards(promela *self)
{
    const wfsm_machine *machine = self->machine;

    wf_buffer_text(self->out, "inline guard(which) {\n    if\n");
    for (uint32_t i = 0; i < machine->transition_count; i++)
        if (machine->transitions[i].guard.kind != WF_GUARD_NONE)
            write_guard(self, i);
    wf_buffer_text(self->out, "    :: else -> ok = 1\n    fi\n}\n\n");
}

/* ---- what can happen ---- */

static void write_events(promela *self)
{
    for (uint32_t i = 0; i + 1 < self->events; i++) {
        const wf_name *name = event_name(self, i);

        if (!wf_event_reserved(name->text))
            wf_buffer_format(self->out, "            :: event = %u /* %s */\n", (unsigned)i + 1,
                             name->text);
    }
}

static void write_answers(promela *self)
{
    const wfsm_machine *machine = self->machine;

    for (uint32_t i = 0; i < machine->invoke_count; i++) {
        const wf_invoke *invoke = &machine->invokes[i];

        wf_buffer_format(self->out,
                         "            :: work[%u] -> used_work = %u; event = %u /* %s */\n",
                         (unsigned)i, (unsigned)i, (unsigned)invoke->done_event + 1,
                         machine->events.list[invoke->done_event].text);
        wf_buffer_format(self->out,
                         "            :: work[%u] -> used_work = %u; event = %u /* %s */\n",
                         (unsigned)i, (unsigned)i, (unsigned)invoke->error_event + 1,
                         machine->events.list[invoke->error_event].text);
    }
}

static void write_timers(promela *self)
{
    const wfsm_machine *machine = self->machine;
    uint32_t number = 0;

    for (uint32_t i = 0; i < machine->state_count; i++) {
        wf_span after = machine->states[i].after;

        for (uint32_t j = after.first; j < after.first + after.count; j++, number++)
            wf_buffer_format(
                self->out, "            :: wait[%u] -> used_wait = %u; event = %u /* %s */\n",
                (unsigned)number, (unsigned)number, (unsigned)machine->afters[j].event + 1,
                machine->events.list[machine->afters[j].event].text);
    }
}

static void write_life(promela *self)
{
    /* step() is called in one place, because SPIN copies the text and it is long. */
    wf_buffer_text(self->out, "\ninit {\n"
                              "    d_step { tables(); used_work = NONE; used_wait = NONE };\n"
                              "    do\n"
                              "    :: over -> break\n"
                              "    :: else ->\n"
                              "        atomic {\n"
                              "            if\n"
                              "            :: !started -> started = 1; event = START\n"
                              "            :: else ->\n"
                              "            if\n");
    write_events(self);
    write_answers(self);
    write_timers(self);
    wf_buffer_text(self->out, "            fi\n"
                              "            fi;\n"
                              "            d_step { step() }\n"
                              "        }\n"
                              "    od\n"
                              "}\n");
}

/* ---- the whole ---- */

static uint32_t at_least_one(uint32_t count)
{
    return count ? count : 1;
}

static void write_work(promela *self)
{
    const wfsm_machine *machine = self->machine;
    uint32_t number = 0;

    for (uint32_t i = 0; i < machine->invoke_count; i++)
        set(self, "work_state", i, machine->invokes[i].state);
    for (uint32_t i = 0; i < machine->state_count; i++)
        for (uint32_t j = 0; j < machine->states[i].after.count; j++)
            set(self, "wait_state", number++, i);
}

static void count_timers(promela *self)
{
    for (uint32_t i = 0; i < self->machine->state_count; i++)
        self->timers += self->machine->states[i].after.count;
}

static void write_sizes(promela *self)
{
    const wfsm_machine *machine = self->machine;
    uint32_t states = machine->state_count;

    wf_buffer_format(
        self->out,
        "#define NONE 255\n#define ALWAYS 0\n#define START 254\n"
        "#define QUEUE 250\n#define STATES %u\n#define TRANSITIONS %u\n"
        "#define EVENTS %u\n#define MEMORY %u\n#define WORKS %u\n"
        "#define TIMERS %u\n#define SELECTIONS %u\n\n",
        (unsigned)states, (unsigned)at_least_one(machine->transition_count),
        (unsigned)self->events, (unsigned)at_least_one(machine->history_count * states),
        (unsigned)at_least_one(machine->invoke_count), (unsigned)at_least_one(self->timers),
        (unsigned)machine->limits.selections);
    for (uint32_t i = 1; i < states; i++)
        wf_buffer_format(self->out, "/* in[%u]: %s */\n", (unsigned)i,
                         machine->states[i].path.text);
    wf_buffer_text(self->out,
                   "\n/* The state: what is active, what histories remember, which\n"
                   " * invocations and timers are outstanding, whether it has begun and\n"
                   " * is over. */\n"
                   "bit in[STATES];\nbit memory[MEMORY];\nbit work[WORKS];\n"
                   "bit wait[TIMERS];\nbit started, over;\n\n");
}

static void declare_tables(promela *self, uint32_t candidates, uint32_t raises,
                           uint32_t targets)
{
    wf_buffer_format(
        self->out,
        "hidden byte kind[STATES], parent[STATES], end[STATES], initial[STATES];\n"
        "hidden byte done_event[STATES], number[STATES];\n"
        "hidden byte source[TRANSITIONS], reenter[TRANSITIONS];\n"
        "hidden short target_first[TRANSITIONS], target_count[TRANSITIONS];\n"
        "hidden byte target_list[%u];\n"
        "hidden short candidate_first[%u], candidate_count[%u];\n"
        "hidden byte candidate_list[%u];\n"
        "hidden short raise_first[%u], raise_count[%u];\n"
        "hidden byte raise_list[%u];\n"
        "hidden byte work_state[WORKS], wait_state[TIMERS];\n\n",
        (unsigned)at_least_one(targets), (unsigned)(self->machine->state_count * self->events),
        (unsigned)(self->machine->state_count * self->events),
        (unsigned)at_least_one(candidates),
        (unsigned)(2 * self->machine->state_count + self->machine->transition_count + 1),
        (unsigned)(2 * self->machine->state_count + self->machine->transition_count + 1),
        (unsigned)at_least_one(raises));
}

static uint32_t count_targets(const wfsm_machine *machine)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < machine->transition_count; i++)
        count += machine->transitions[i].targets.count;
    return count;
}

static void write_model(promela *self)
{
    wf_buffer *out = self->out;
    wf_buffer tables;
    uint32_t candidates, raises;

    wf_buffer_init(&tables, &self->machine->allocator);
    self->out = &tables;
    wf_buffer_text(&tables, "inline tables() {\n");
    write_states(self);
    write_transitions(self);
    candidates = write_candidates(self);
    raises = write_all_raises(self);
    write_work(self);
    wf_buffer_text(&tables, "    skip\n}\n\n");
    self->out = out;
    write_sizes(self);
    declare_tables(self, candidates, raises, count_targets(self->machine));
    wf_buffer_add(out, tables.data, tables.length);
    if (tables.failed)
        self->status = WFSM_NO_MEMORY;
    wf_buffer_fini(&tables);
    write_guards(self);
    wf_promela_select(out);
    wf_promela_step(out);
    write_life(self);
}

static int32_t too_large(wfsm_error *error)
{
    return wf_fail(error, WFSM_LIMIT,
                   "at most %d states, transitions, events and invocations can be written as "
                   "Promela",
                   (int)MOST);
}

int32_t wf_promela(wf_buffer *out, const wfsm_machine *machine, wfsm_error *error)
{
    promela self = {.machine = machine, .out = out, .error = error};

    if (machine->state_count > MOST || machine->transition_count > MOST ||
        machine->events.count > MOST || machine->invoke_count > MOST)
        return too_large(error);
    wf_arena_init(&self.arena, &machine->allocator, 0);
    count_timers(&self);
    if (!find_others(&self))
        self.status = WFSM_NO_MEMORY;
    else if (self.events > MOST)
        self.status = too_large(error);
    else
        write_model(&self);
    wf_arena_fini(&self.arena);
    return out->failed ? WFSM_NO_MEMORY : self.status;
}
