/* verify/symbolic_trace.c: values for the symbols of a trace. The trace is run again from the start, over
 * symbols that keep their identity from move to move, so that all that was decided on the way is
 * known of them. The solver then looks for values. */
#include "base/error.h"
#include "base/memory.h"
#include "logic/schema_tree.h"
#include "verify/data_classes.h"
#include "verify/places.h"
#include "verify/trace.h"

enum { EFFORT = 2 };

typedef struct replay {
    wf_search *search;
    wf_symbolic *self;
    wf_snapshot snapshot;
    wf_step step;
    wf_places places;
    uint8_t *memory;
    wf_arena *arena;
    uint32_t base;
    wf_value *began; /* the context at the beginning of the round; NULL: there is none */
} replay;

/* ---- the symbols of a move ---- */

typedef wf_value mapping(replay *on, wf_term term);

static wf_value mapped(replay *on, const wf_value *value, mapping *map);

static wf_value mapped_list(replay *on, const wf_value *value, mapping *map)
{
    wf_value *items = wf_arena_take(on->arena, (value->length + 1u) * sizeof *items);
    for (uint32_t i = 0; items && i < value->length; i++)
        items[i] = mapped(on, &value->as.items[i], map);
    return items ? wf_array(items, value->length) : wf_absent();
}

static wf_value mapped_object(replay *on, const wf_value *value, mapping *map)
{
    wf_member *members = wf_arena_take(on->arena, (value->length + 1u) * sizeof *members);
    for (uint32_t i = 0; members && i < value->length; i++) {
        members[i] = value->as.members[i];
        members[i].value = mapped(on, &value->as.members[i].value, map);
    }
    return members ? wf_object(members, value->length) : wf_absent();
}

static wf_value mapped(replay *on, const wf_value *value, mapping *map)
{
    wf_term term;
    if (wf_symbolic_term(value, &term))
        return map(on, term);
    if (!wf_symbolic_within(value))
        return *value;
    return value->type == WF_ARRAY ? mapped_list(on, value, map)
                                   : mapped_object(on, value, map);
}

static void map_input(replay *on, wf_input *input, mapping *map)
{
    input->data = mapped(on, &input->data, map);
    input->origin = mapped(on, &input->origin, map);
    input->id = mapped(on, &input->id, map);
}

/* Symbols that are made in a step have numbers from WF_FRESH on; each move has its own. */
static wf_term own_term(replay *on, wf_term term)
{
    wf_terms *terms = &on->self->terms;
    const wf_term_node node = *wf_term_at(terms, term); /* new terms move the list */
    if (node.kind == WF_TERM_MEMBER)
        return wf_term_member(terms, own_term(on, node.operands[0]), node.key, node.key_length);
    if (node.kind != WF_TERM_SYMBOL || node.index < WF_FRESH)
        return term;
    return wf_term_symbol(terms, node.schemas, node.schema_count,
                          node.index - WF_FRESH + on->base);
}

static wf_value own_symbol(replay *on, wf_term term)
{
    return wf_symbolic_value(on->self, own_term(on, term));
}

/* ---- the run ---- */

static bool has_place(const replay *on, const wf_input *input)
{
    return input->kind != WF_INPUT_CHECKPOINT && input->kind != WF_INPUT_RESTORE &&
           wf_input_has_place(input, &on->snapshot);
}

static void follow(replay *on, const wf_trace_move *move)
{
    wf_explorer *explorer = &on->search->explorer;
    explorer->choices.count = 0;
    explorer->choices.fixed = move->answer_count;
    memcpy(explorer->choices.answer, move->answers, sizeof move->answers);
    explorer->asking = &on->step;
    on->self->log = move->decisions;
    on->self->log_count = move->decision_count;
    on->self->kept = on->self->path_count;
    wf_symbolic_begin(on->self);
}

static wf_value same_symbol(replay *on, wf_term term)
{
    return wf_symbolic_value(on->self, term);
}

/* What functions of the host have changed. */
static bool keep_patches(replay *on, wf_trace_move *move)
{
    const uint32_t count = on->self->patched_count;
    move->patches = wf_arena_take(on->arena, (count + 1u) * sizeof *move->patches);
    for (uint32_t i = 0; move->patches && i < count; i++)
        move->patches[i] = mapped(on, &on->self->patched[i], same_symbol);
    move->patch_count = count;
    return move->patches && !on->arena->failed;
}

static int32_t go(replay *on, wf_trace_move *move)
{
    int32_t outcome = 0;
    wf_explorer *explorer = &on->search->explorer;
    map_input(on, &move->input, own_symbol);
    const wf_input input = wf_places_input(&on->places, &on->snapshot, &move->input);
    follow(on, move);
    if (wf_input_is_decision(&on->snapshot, &input))
        wf_symbolic_assume_votes(
            on->self, wf_invocation_at(&on->snapshot.extras->ledger, input.place), &input.data);
    wf_step_begin(&on->step, 0);
    int32_t status = wf_input_run(&on->step, &input, &outcome);
    if (!keep_patches(on, move))
        status = WFSM_NO_MEMORY;
    bool changed = status == WFSM_OK && wf_input_changes(&input, outcome);
    if (changed && !wf_places_after(&on->places, &on->snapshot, &move->order))
        status = WFSM_NO_MEMORY;
    if (changed && move->late)
        memcpy(explorer->late, move->late, explorer->machine->property_count);
    if (changed && status == WFSM_OK)
        status = wf_input_observe(explorer, &on->step, &input, outcome, on->memory);
    if (on->step.arena.failed)
        status = WFSM_NO_MEMORY;
    if (changed && status == WFSM_OK)
        status = wf_step_prepare(&on->step);
    if (changed && status == WFSM_OK)
        wf_step_commit(&on->step);
    else
        wf_step_rollback(&on->step);
    return status == WFSM_NO_MEMORY ? status : WFSM_OK;
}

static void to_base(replay *on, size_t move)
{
    on->base = WF_FRESH + (uint32_t)(move + 1) * WF_SYMBOLS_OF_MOVE;
    on->self->base = on->base;
}

static int32_t go_all(replay *on, wf_trace *trace, bool *same)
{
    int32_t status = WFSM_OK;
    *same = true;
    for (size_t i = 0; i < trace->count && *same && status == WFSM_OK; i++) {
        const wf_input input =
            wf_places_input(&on->places, &on->snapshot, &trace->moves[i].input);
        *same = has_place(on, &input);
        to_base(on, i);
        if (i == trace->cycle) {
            on->began = wf_context_copy(&on->snapshot, on->arena);
            if (!on->began)
                return WFSM_NO_MEMORY;
        }
        if (*same)
            status = go(on, &trace->moves[i]);
    }
    return status;
}

/* ---- values ---- */

typedef struct valuation {
    replay on; /* first: a mapping gets it */
    wf_model model;
} valuation;

/* Of a symbol that nothing was asked of. */
static wf_value simplest(replay *on, const wf_term_node *node)
{
    wf_data_classes data;
    if (node->schema_count == 0 || node->schemas[0]->types & 1u << WF_NULL)
        return wf_null();
    wf_data_classes_find(&data, on->arena, node->schemas[0], NULL, NULL);
    return data.count > 0 ? data.list[0] : wf_null();
}

static wf_value value_of(replay *on, wf_term term);

static wf_value member_value(replay *on, const wf_term_node *node)
{
    const wf_value of = value_of(on, node->operands[0]);
    const wf_value *member =
        of.type == WF_OBJECT ? wf_value_get(&of, node->key, node->key_length) : NULL;
    return member ? *member : wf_null();
}

static wf_value value_of(replay *on, wf_term term)
{
    const wf_model *model = &((const valuation *)(const void *)on)->model;
    const wf_term_node *node = wf_term_at(&on->self->terms, term);
    for (uint32_t i = 0; i < model->count; i++)
        if (model->symbols[i] == term)
            return model->values[i];
    return node->kind == WF_TERM_MEMBER ? member_value(on, node) : simplest(on, node);
}

static const wf_value *value_in_model(const valuation *by, const wf_value *of)
{
    wf_term term;
    for (uint32_t i = 0; wf_symbolic_term(of, &term) && i < by->model.count; i++)
        if (by->model.symbols[i] == term)
            return &by->model.values[i];
    return NULL;
}

/* Of the keys that nothing was asked of, none changes. */
static void choose_patch(const valuation *by, wf_value *patch)
{
    wf_member *members = wf_arena_take(by->on.arena, (patch->length + 1u) * sizeof *members);
    uint32_t count = 0;
    for (uint32_t i = 0; members && i < patch->length; i++) {
        const wf_value *value = value_in_model(by, &patch->as.members[i].value);
        if (!value)
            continue;
        members[count] = patch->as.members[i];
        members[count++].value = *value;
    }
    *patch = members ? wf_object(members, count) : wf_absent();
}

/* The name of an event that a wildcard matches, if any rule has asked for it. */
static void choose_name(valuation *by, wf_input *input)
{
    const wfsm_machine *machine = by->on.search->explorer.machine;
    const wf_value name = wf_symbolic_input(by->on.self, WF_SYMBOL_NAME);
    const wf_value *value = value_in_model(by, &name);
    if (input->kind != WF_INPUT_EVENT || !value || value->type != WF_STRING ||
        !wf_symbolic_any_name(by->on.self, &input->name))
        return;
    input->name = *value;
    input->number = wf_names_find(&machine->events, input->name.as.text, input->name.length);
}

static void choose(valuation *by, size_t number, wf_trace_move *move)
{
    to_base(&by->on, number);
    choose_name(by, &move->input);
    map_input(&by->on, &move->input, value_of);
    for (uint32_t i = 0; i < move->patch_count; i++)
        choose_patch(by, &move->patches[i]);
}

/* The context at the end is the one that is wanted. */
static bool want(replay *on, const wf_value *context)
{
    for (uint32_t i = 0; context && i < on->snapshot.slot_count; i++) {
        const wf_value *slot = &on->snapshot.slots[i];
        if (context[i].type == WF_ABSENT)
            continue;
        wf_schema *only = wf_arena_zero(on->arena, sizeof *only);
        if (!only || on->self->path_count == WF_CONDITIONS_MOST)
            return false;
        only->constant = &context[i];
        wf_literal fits = {.kind = WF_FITS, .schema = only};
        fits.term = wf_symbolic_of(on->self, slot);
        if (fits.term == WF_NONE)
            return false;
        wf_decide_known(on->self, &fits);
    }
    return true;
}

/* The context at the end of a round is that at its beginning. */
static bool want_round(replay *on)
{
    for (uint32_t i = 0; on->began && i < on->snapshot.slot_count; i++) {
        const wf_value *before = &on->began[i], *after = &on->snapshot.slots[i];
        if (wf_value_equal(before, after) ||
            !(wf_symbolic_within(before) || wf_symbolic_within(after)))
            continue;
        const wf_literal same = {.kind = WF_IS_TRUE,
                                 .term = wf_symbolic_compared(on->self, "===", before, after)};
        if (same.term == WF_NONE || on->self->path_count == WF_CONDITIONS_MOST)
            return false;
        wf_decide_known(on->self, &same);
    }
    return true;
}

/* The hardest search is made for the first traces only. */
static bool has_values(valuation *by, wf_arena *arena)
{
    wf_symbolic *self = by->on.self;
    enum wf_solved found = WF_UNKNOWN;
    for (uint32_t effort = 1; effort <= EFFORT && found == WF_UNKNOWN; effort++) {
        if (effort == EFFORT && self->searches_left == 0)
            break;
        self->searches_left -= effort == EFFORT;
        found = wf_solve(&self->terms, self->path, self->path_count, effort, arena, &by->model);
    }
    return found == WF_SAT;
}

static bool begin(replay *on, wf_search *search, wf_arena *arena)
{
    wf_explorer *explorer = &search->explorer;
    on->search = search;
    on->self = explorer->symbolic;
    on->arena = arena;
    wf_places_begin(&on->places, explorer->allocator);
    on->self->path_count = on->self->kept = 0;
    on->self->opaque_rule = NULL;
    on->self->lost = false;
    on->memory = wf_new(explorer->allocator, explorer->memory_size + 1);
    if (!on->memory ||
        !wf_snapshot_init(&on->snapshot, explorer->machine, explorer->allocator) ||
        !wf_snapshot_extras(&on->snapshot) || !wf_step_init(&on->step, &on->snapshot, "sim"))
        return false;
    on->step.host = wf_choosing_host(explorer);
    on->step.evaluator = &on->self->evaluator;
    return true;
}

static void end(replay *on)
{
    wf_step_fini(&on->step);
    wf_places_end(&on->places);
    wf_snapshot_fini(&on->snapshot);
    wf_free(on->search->explorer.allocator, on->memory);
    on->self->log = NULL;
    on->self->base = WF_FRESH;
}

int32_t wf_trace_values(wf_search *search, wf_trace *trace, wf_arena *arena, bool *found)
{
    valuation by = {0};
    int32_t status = WFSM_NO_MEMORY;
    *found = false;
    if (begin(&by.on, search, arena))
        status = go_all(&by.on, trace, found);
    if (status == WFSM_OK && *found)
        *found = want(&by.on, trace->context) && want_round(&by.on) && has_values(&by, arena);
    for (size_t i = 0; i < trace->count && *found; i++)
        choose(&by, i, &trace->moves[i]);
    if (wf_symbolic_failed(by.on.self) || arena->failed)
        status = WFSM_NO_MEMORY;
    end(&by.on);
    return status == WFSM_OK ? WFSM_OK : wf_no_memory(search->explorer.error);
}
