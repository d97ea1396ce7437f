/* machine/load.c: from text to a machine, or to a list of diagnostics. */
#include "machine/load.h"

#include <string.h>
#include "base/sized.h"
#include "logic/json.h"
#include "machine/machine.h"

static const wfsm_machine_limits default_limits = {sizeof(wfsm_machine_limits),
                                                   (uint64_t)64 << 20, 100000, 1000};

static int32_t begin(wf_load *load, wfsm_allocator *allocator,
                     const wfsm_machine_limits *limits)
{
    memset(load, 0, sizeof *load);
    load->allocator = allocator;
    load->limits = *limits;
    wf_load_init_vectors(load);
    wf_arena_init(&load->scratch, allocator, 0);
    wf_names_init(&load->invoke_ids, allocator);
    load->machine = wf_machine_new(allocator);
    load->diagnostics = wf_diagnostics_new(allocator);
    load->error = wfsm_error_new(allocator);
    if (!load->machine || !load->diagnostics || !load->error)
        return WFSM_NO_MEMORY;
    load->arena = &load->machine->arena;
    wf_load_set_up_resolver(load);
    return WFSM_OK;
}

static void finish(wf_load *load)
{
    wf_load_fini_vectors(load);
    wf_names_fini(&load->invoke_ids);
    wf_arena_fini(&load->scratch);
    wfsm_error_free(load->error);
    wfsm_diagnostics_free(load->diagnostics);
    wfsm_machine_unref(load->machine);
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
        wf_fail(error, WFSM_LIMIT, "the document has %zu bytes, at most %llu are allowed",
                length, (unsigned long long)load->limits.max_bytes);
        wf_error_set_position(error, 1, 1);
        return WFSM_LIMIT;
    }
    status = wf_json_parse(load->arena, text, length, &load->root, error);
    if (status)
        place_error(error, text, length);
    return status;
}

static int32_t load_text(wf_load *load, const char *text, size_t length, wfsm_error *error)
{
    int32_t status = parse(load, text, length, error);

    if (status)
        return status;
    status = wf_load_compile(load, text, length);
    return status ? wf_no_memory(error) : wf_diagnostics_first_error(load->diagnostics, error);
}

int32_t wfsm_machine_load(wfsm_machine **machine, const char *text, size_t length,
                          const wfsm_machine_limits *limits, const wfsm_allocator *allocator,
                          wfsm_error *error)
{
    wfsm_machine_limits bounds;
    wfsm_allocator own;
    wf_load load;
    int32_t status;

    if (!machine || !text || !wf_allocator_init(&own, allocator) ||
        !take_limits(&bounds, limits))
        return wf_fail(
            error, WFSM_INVALID,
            "the text or the pointer for the machine is NULL, or limits or allocator are "
            "incomplete");
    status = begin(&load, &own, &bounds) ? wf_no_memory(error)
                                         : load_text(&load, text, length, error);
    if (!status) {
        *machine = load.machine;
        load.machine = NULL;
    }
    finish(&load);
    return status;
}

static void keep(wfsm_diagnostics *diagnostics, const wfsm_error *error, const char *format,
                 ...) WF_PRINTF(3, 4);

static void keep(wfsm_diagnostics *diagnostics, const wfsm_error *error, const char *format,
                 ...)
{
    const char *pointer = wfsm_error_pointer(error);
    wf_diagnostic *diagnostic;
    va_list args;

    va_start(args, format);
    pointer = wf_arena_text(&diagnostics->arena, pointer, strlen(pointer));
    diagnostic = wf_diagnostics_add(diagnostics, WF_ERROR,
                                    wfsm_error_status(error) == WFSM_LIMIT ? "limit" : "syntax",
                                    pointer, format, args);
    va_end(args);
    if (!diagnostic)
        return;
    diagnostic->line = wfsm_error_line(error);
    diagnostic->column = wfsm_error_column(error);
}

static int32_t check_text(wf_load *load, const char *text, size_t length)
{
    int32_t status = parse(load, text, length, load->error);

    if (!status)
        return wf_load_compile(load, text, length);
    if (status == WFSM_NO_MEMORY)
        return status;
    keep(load->diagnostics, load->error, "%s", wfsm_error_message(load->error));
    return load->diagnostics->failed ? WFSM_NO_MEMORY : WFSM_OK;
}

int32_t wfsm_machine_check(wfsm_diagnostics **diagnostics, const char *text, size_t length,
                           const wfsm_allocator *allocator, wfsm_error *error)
{
    wfsm_allocator own;
    wf_load load;
    int32_t status;

    if (!diagnostics || !text || !wf_allocator_init(&own, allocator))
        return wf_fail(error, WFSM_INVALID,
                       "the text or the pointer for the diagnostics is NULL");
    status = begin(&load, &own, &default_limits);
    load.lint = true;
    if (!status)
        status = check_text(&load, text, length);
    if (status)
        wf_no_memory(error);
    else {
        *diagnostics = load.diagnostics;
        load.diagnostics = NULL;
    }
    finish(&load);
    return status;
}
