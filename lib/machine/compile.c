/* machine/compile.c: the passes, in order. */
#include "machine/load.h"

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
    wf_load_limits(load, root);
    wf_load_root(load, root);
    wf_load_retention(load, root);
    wf_load_budget_names(load, root);
    wf_load_states(load, root);
    /* What was left out would be reported as missing. */
    if (load->limited)
        return;
    wf_load_restore(load, root);
    wf_load_migrate(load, root);
    wf_load_budgets(load, root);
    for (uint32_t i = 0; i < load->states.count && !load->failed; i++)
        wf_load_initial(load, i);
    for (uint32_t i = 0; i < load->states.count && !load->failed; i++)
        wf_load_history(load, i);
    for (uint32_t i = 0; i < load->states.count && !load->failed; i++)
        load_body(load, i);
    if (!load->failed)
        wf_load_attributes(load, root);
    if (!load->failed)
        wf_load_properties(load, root);
    if (!load->failed)
        wf_load_assumptions(load, root);
}

static bool out_of_memory(const wf_load *load)
{
    return load->failed || load->diagnostics->failed || load->diagnostics->arena.failed ||
           load->arena->failed || load->scratch.failed;
}

int32_t wf_load_compile(wf_load *load, const char *text, size_t length)
{
    wf_node root = {&load->root, {NULL, NULL, 0, 0}};
    bool sound = true;

    if (wf_expect(load, &root, WF_OBJECT, "a machine, an object"))
        run_passes(load, &root);
    if (!load->diagnostics->errors && !out_of_memory(load)) {
        wf_load_settle_vectors(load);
        wf_machine_event_seen(load->machine);
        if (!out_of_memory(load))
            wf_machine_entry_paths(load->machine);
        sound = wf_load_initial_context(load, &root) &&
                wf_fingerprint(load->allocator, &load->root, load->machine->fingerprint);
        if (sound && !out_of_memory(load))
            wf_machine_fast_table(load->machine);
        load->machine->document = wf_arena_text(load->arena, text, length);
        load->machine->document_length = length;
        if (load->lint && sound && !out_of_memory(load))
            wf_lint(load);
    }
    if (!sound || out_of_memory(load))
        return WFSM_NO_MEMORY;
    if (!wf_diagnostics_settle(load->diagnostics, text, length, &load->root))
        return WFSM_NO_MEMORY;
    return WFSM_OK;
}
