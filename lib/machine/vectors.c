/* machine/vectors.c: the arrays of a machine while it is made. */
#include <string.h>
#include "base/invariant.h"
#include "machine/load.h"

void *wf_vector_at(const wf_vector *vector, size_t index)
{
    WF_INVARIANT(index < vector->count);
    return vector->data + index * vector->element;
}

static void *grow(wf_load *load, wf_vector *vector, size_t count)
{
    char *data;

    if (count >= WF_NONE - vector->count)
        data = NULL;
    else
        data = wf_grow(load->allocator, vector->data, &vector->capacity, vector->count + count,
                       vector->element);
    if (!data) {
        load->failed = true;
        return NULL;
    }
    vector->data = data;
    data += vector->count * vector->element;
    vector->count += count;
    return data;
}

wf_span wf_load_reserve(wf_load *load, wf_vector *vector, size_t count)
{
    uint32_t first = (uint32_t)vector->count;
    void *data;

    if (!count)
        return (wf_span){first, 0};
    data = grow(load, vector, count);
    if (!data)
        return (wf_span){0, 0};
    memset(data, 0, count * vector->element);
    return (wf_span){first, (uint32_t)count};
}

uint32_t wf_load_push(wf_load *load, wf_vector *vector, const void *element)
{
    void *data = grow(load, vector, 1);

    if (!data)
        return 0;
    memcpy(data, element, vector->element);
    return (uint32_t)vector->count - 1;
}

uint32_t wf_load_intern(wf_load *load, wf_names *names, const char *text, size_t length)
{
    uint32_t number = wf_names_add(names, text, length);

    if (number == WF_NONE)
        load->failed = true;
    return number;
}

typedef struct vector_size {
    wf_vector *vector;
    size_t element;
} vector_size;

void wf_load_init_vectors(wf_load *load)
{
    const vector_size all[] = {
        {&load->uses, sizeof(wf_key_use)},
        {&load->suspects, sizeof(wf_suspect)},
        {&load->notes, sizeof(wf_suspect)},
        {&load->sources, sizeof(wf_source *)},
        {&load->states, sizeof(wf_state)},
        {&load->lists, sizeof(uint32_t)},
        {&load->transitions, sizeof(wf_transition)},
        {&load->handlers, sizeof(wf_handler)},
        {&load->candidates, sizeof(wf_candidate)},
        {&load->prefixes, sizeof(wf_name)},
        {&load->descriptors, sizeof(wf_name)},
        {&load->blocks, sizeof(wf_block)},
        {&load->actions, sizeof(wf_action)},
        {&load->assignments, sizeof(wf_assignment)},
        {&load->branches, sizeof(wf_branch)},
        {&load->afters, sizeof(wf_after)},
        {&load->invokes, sizeof(wf_invoke)},
        {&load->retries, sizeof(wf_retry)},
        {&load->migrations, sizeof(wf_migration)},
        {&load->moves, sizeof(wf_move)},
        {&load->versions, sizeof(wf_name)},
        {&load->budgets, sizeof(wf_budget)},
        {&load->child_questions, sizeof(wf_child_question)},
        {&load->id_states, sizeof(uint32_t)},
        {&load->offers, sizeof(wf_offer)},
        {&load->transition_pointers, sizeof(char *)},
        {&load->invoke_pointers, sizeof(char *)},
    };

    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        all[i].vector->element = all[i].element;
}

void wf_load_fini_vectors(wf_load *load)
{
    wf_vector *const all[] = {&load->uses,
                              &load->suspects,
                              &load->notes,
                              &load->sources,
                              &load->states,
                              &load->lists,
                              &load->handlers,
                              &load->prefixes,
                              &load->transitions,
                              &load->candidates,
                              &load->blocks,
                              &load->actions,
                              &load->descriptors,
                              &load->assignments,
                              &load->branches,
                              &load->afters,
                              &load->invokes,
                              &load->retries,
                              &load->migrations,
                              &load->moves,
                              &load->versions,
                              &load->budgets,
                              &load->child_questions,
                              &load->offers,
                              &load->id_states,
                              &load->transition_pointers,
                              &load->invoke_pointers};

    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        wf_free(load->allocator, all[i]->data);
}

static void *settle(wf_load *load, const wf_vector *vector)
{
    size_t bytes = vector->count * vector->element;
    void *copy = wf_arena_take(load->arena, bytes ? bytes : 1);

    if (copy && bytes)
        memcpy(copy, vector->data, bytes);
    return copy;
}

void wf_load_settle_vectors(wf_load *load)
{
    wfsm_machine *machine = load->machine;

    machine->states = settle(load, &load->states);
    machine->lists = settle(load, &load->lists);
    machine->transitions = settle(load, &load->transitions);
    machine->handlers = settle(load, &load->handlers);
    machine->candidates = settle(load, &load->candidates);
    machine->prefixes = settle(load, &load->prefixes);
    machine->descriptors = settle(load, &load->descriptors);
    machine->blocks = settle(load, &load->blocks);
    machine->actions = settle(load, &load->actions);
    machine->assignments = settle(load, &load->assignments);
    machine->branches = settle(load, &load->branches);
    machine->afters = settle(load, &load->afters);
    machine->invokes = settle(load, &load->invokes);
    machine->retries = settle(load, &load->retries);
    machine->migrations = settle(load, &load->migrations);
    machine->moves = settle(load, &load->moves);
    machine->versions = settle(load, &load->versions);
    machine->budgets = settle(load, &load->budgets);
    machine->budget_count = (uint32_t)load->budgets.count;
    machine->child_questions = settle(load, &load->child_questions);
    machine->child_question_count = (uint32_t)load->child_questions.count;
    machine->migration_count = (uint32_t)load->migrations.count;
    machine->id_states = settle(load, &load->id_states);
    machine->state_count = (uint32_t)load->states.count;
    machine->transition_count = (uint32_t)load->transitions.count;
    machine->invoke_count = (uint32_t)load->invokes.count;
    machine->words = (machine->state_count + 63) / 64;
}

const char *wf_load_joined(wf_load *load, const char *a, const char *b, const char *c,
                           size_t *length)
{
    size_t sizes[] = {strlen(a), strlen(b), strlen(c)};
    char *text;

    *length = sizes[0] + sizes[1] + sizes[2];
    text = wf_arena_take(load->arena, *length + 1);
    if (!text)
        return NULL;
    memcpy(text, a, sizes[0]);
    memcpy(text + sizes[0], b, sizes[1]);
    memcpy(text + sizes[0] + sizes[1], c, sizes[2] + 1);
    return text;
}
