/* machine/load.c: from text to a machine, or to a list of findings. */
#include "machine/load.h"

#include <string.h>
#include "logic/json.h"
#include "machine/machine.h"

static const wfsm_machine_limits default_limits = {sizeof(wfsm_machine_limits),
                                                   (uint64_t)64 << 20, 100000, 1000};

void *wf_vector_at(const wf_vector *vector, size_t index)
{
    return vector->data + index * vector->element;
}

static void *grow(wf_load *load, wf_vector *vector, size_t count)
{
    char *data;

    if (count >= WF_NONE - vector->count)
        data = NULL;
    else
        data = wf_grow(load->allocator, vector->data, &vector->capacity,
                       vector->count + count, vector->element);
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

static void init_vectors(wf_load *load)
{
    const vector_size all[] = {
        {&load->uses, sizeof(wf_key_use)},
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
        {&load->id_states, sizeof(uint32_t)},
        {&load->offers, sizeof(wf_offer)},
        {&load->transition_pointers, sizeof(char *)},
        {&load->invoke_pointers, sizeof(char *)},
    };

    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        all[i].vector->element = all[i].element;
}

static void fini_vectors(wf_load *load)
{
    wf_vector *const all[] = {&load->uses,
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
                              &load->offers,
                              &load->id_states,
                              &load->transition_pointers,
                              &load->invoke_pointers};

    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        wf_free(load->allocator, all[i]->data);
}

static int32_t begin(wf_load *load, wfsm_allocator *allocator,
                     const wfsm_machine_limits *limits)
{
    memset(load, 0, sizeof *load);
    load->allocator = allocator;
    load->limits = *limits;
    init_vectors(load);
    wf_arena_init(&load->scratch, allocator, 0);
    wf_names_init(&load->invoke_ids, allocator);
    load->machine = wf_machine_new(allocator);
    load->findings = wf_findings_new(allocator);
    load->error = wfsm_error_new(allocator);
    if (!load->machine || !load->findings || !load->error)
        return WFSM_NO_MEMORY;
    load->arena = &load->machine->arena;
    wf_load_set_up_resolver(load);
    return WFSM_OK;
}

static void finish(wf_load *load)
{
    fini_vectors(load);
    wf_names_fini(&load->invoke_ids);
    wf_arena_fini(&load->scratch);
    wfsm_error_free(load->error);
    wfsm_findings_free(load->findings);
    wfsm_machine_unref(load->machine);
}

static void load_body(wf_load *load, uint32_t state)
{
    wf_node node = wf_load_source(load, state)->node;
    wf_span entry = wf_load_blocks_of(load, &node, "entry");
    wf_span exit = wf_load_blocks_of(load, &node, "exit");
    const wf_expr *output = wf_load_expr_of(load, &node, "output");

    wf_load_state(load, state)->output = output;
    wf_load_state(load, state)->entry = entry;
    wf_load_state(load, state)->exit = exit;
    wf_load_always(load, state);
    wf_load_on(load, state);
}

static void run_passes(wf_load *load, const wf_node *root)
{
    wf_load_root(load, root);
    wf_load_states(load, root);
    /* What was left out would be reported as missing. */
    if (load->limited)
        return;
    wf_load_restore(load, root);
    for (uint32_t i = 0; i < load->states.count && !load->failed; i++)
        wf_load_initial(load, i);
    for (uint32_t i = 0; i < load->states.count && !load->failed; i++)
        wf_load_history(load, i);
    for (uint32_t i = 0; i < load->states.count && !load->failed; i++)
        load_body(load, i);
}

static void *settle(wf_load *load, const wf_vector *vector)
{
    size_t bytes = vector->count * vector->element;
    void *copy = wf_arena_take(load->arena, bytes ? bytes : 1);

    if (copy && bytes)
        memcpy(copy, vector->data, bytes);
    return copy;
}

static void settle_all(wf_load *load)
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
    machine->id_states = settle(load, &load->id_states);
    machine->state_count = (uint32_t)load->states.count;
    machine->transition_count = (uint32_t)load->transitions.count;
    machine->invoke_count = (uint32_t)load->invokes.count;
    machine->words = (machine->state_count + 63) / 64;
}

static bool out_of_memory(const wf_load *load)
{
    return load->failed || load->findings->failed || load->findings->arena.failed ||
           load->arena->failed || load->scratch.failed;
}

static int32_t compile(wf_load *load, const char *text, size_t length)
{
    wf_node root = {&load->root, {NULL, NULL, 0, 0}};
    bool sound = true;

    if (wf_expect(load, &root, WF_OBJECT, "a machine, an object"))
        run_passes(load, &root);
    if (!load->findings->errors && !out_of_memory(load)) {
        settle_all(load);
        sound =
            wf_load_initial_context(load, &root) &&
            wf_fingerprint(load->allocator, &load->root, load->machine->fingerprint);
        load->machine->document = wf_arena_text(load->arena, text, length);
        load->machine->document_length = length;
        if (load->lint && sound && !out_of_memory(load))
            wf_lint(load);
    }
    if (!sound || out_of_memory(load))
        return WFSM_NO_MEMORY;
    if (!wf_findings_settle(load->findings, text, length, &load->root))
        return WFSM_NO_MEMORY;
    return WFSM_OK;
}

/* An error of the text itself, with line and column also where it only has a pointer.
 */
static void place_error(wfsm_error *error, const char *text, size_t length)
{
    int32_t line, column;

    if (!error || wfsm_error_line(error) || wfsm_error_status(error) == WFSM_NO_MEMORY)
        return;
    if (wf_json_locate(text, length, wfsm_error_pointer(error), false, &line, &column))
        wf_error_set_position(error, line, column);
    else
        wf_error_set_position(error, 1, 1);
}

static bool take_limits(wfsm_machine_limits *out, const wfsm_machine_limits *given)
{
    *out = default_limits;
    if (!given)
        return true;
    if (!wf_struct_check(out, sizeof *out, given, sizeof given->size))
        return false;
    if (!out->max_bytes)
        out->max_bytes = default_limits.max_bytes;
    if (!out->max_states)
        out->max_states = default_limits.max_states;
    if (!out->max_depth)
        out->max_depth = default_limits.max_depth;
    return true;
}

static int32_t parse(wf_load *load, const char *text, size_t length, wfsm_error *error)
{
    int32_t status;

    if (length > load->limits.max_bytes) {
        wf_fail(error, WFSM_LIMIT,
                "the document has %zu bytes, at most %llu are allowed", length,
                (unsigned long long)load->limits.max_bytes);
        wf_error_set_position(error, 1, 1);
        return WFSM_LIMIT;
    }
    status = wf_json_parse(load->arena, text, length, &load->root, error);
    if (status)
        place_error(error, text, length);
    return status;
}

static int32_t load_text(wf_load *load, const char *text, size_t length,
                         wfsm_error *error)
{
    int32_t status = parse(load, text, length, error);

    if (status)
        return status;
    status = compile(load, text, length);
    return status ? wf_no_memory(error)
                  : wf_findings_first_error(load->findings, error);
}

int32_t wfsm_machine_load(wfsm_machine **machine, const char *text, size_t length,
                          const wfsm_machine_limits *limits,
                          const wfsm_allocator *allocator, wfsm_error *error)
{
    wfsm_machine_limits bounds;
    wfsm_allocator own;
    wf_load load;
    int32_t status;

    if (!machine || !text || !wf_allocator_init(&own, allocator) ||
        !take_limits(&bounds, limits))
        return wf_fail(error, WFSM_INVALID,
                       "a machine is loaded from text into a pointer; "
                       "limits and allocator are whole or NULL");
    status = begin(&load, &own, &bounds) ? wf_no_memory(error)
                                         : load_text(&load, text, length, error);
    if (!status) {
        *machine = load.machine;
        load.machine = NULL;
    }
    finish(&load);
    return status;
}

static void keep(wfsm_findings *findings, const wfsm_error *error, const char *format,
                 ...) WF_PRINTF(3, 4);

static void keep(wfsm_findings *findings, const wfsm_error *error, const char *format,
                 ...)
{
    const char *pointer = wfsm_error_pointer(error);
    wf_finding *finding;
    va_list args;

    va_start(args, format);
    pointer = wf_arena_text(&findings->arena, pointer, strlen(pointer));
    finding = wf_findings_add(
        findings, WF_ERROR, wfsm_error_status(error) == WFSM_LIMIT ? "limit" : "syntax",
        pointer, format, args);
    va_end(args);
    if (!finding)
        return;
    finding->line = wfsm_error_line(error);
    finding->column = wfsm_error_column(error);
}

static int32_t check_text(wf_load *load, const char *text, size_t length)
{
    int32_t status = parse(load, text, length, load->error);

    if (!status)
        return compile(load, text, length);
    if (status == WFSM_NO_MEMORY)
        return status;
    keep(load->findings, load->error, "%s", wfsm_error_message(load->error));
    return load->findings->failed ? WFSM_NO_MEMORY : WFSM_OK;
}

int32_t wfsm_machine_check(wfsm_findings **findings, const char *text, size_t length,
                           const wfsm_allocator *allocator, wfsm_error *error)
{
    wfsm_allocator own;
    wf_load load;
    int32_t status;

    if (!findings || !text || !wf_allocator_init(&own, allocator))
        return wf_fail(error, WFSM_INVALID, "a text is checked into a pointer");
    status = begin(&load, &own, &default_limits);
    load.lint = true;
    if (!status)
        status = check_text(&load, text, length);
    if (status)
        wf_no_memory(error);
    else {
        *findings = load.findings;
        load.findings = NULL;
    }
    finish(&load);
    return status;
}
