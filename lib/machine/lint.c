/* machine/lint.c: the list of rules, and the short ones. */
#include "machine/lint.h"

static void lint_initials(wf_load *load)
{
    for (uint32_t i = 0; i < load->machine->state_count; i++) {
        const wf_node *node = &wf_load_source(load, i)->node;
        const wf_state *state = &load->machine->states[i];
        uint32_t target;

        if (state->type != WF_COMPOUND || wf_value_get_z(node->value, "initial"))
            continue;
        target = load->machine->lists[load->machine->transitions[state->initial].targets.first];
        wf_load_warn(load, node, "missing-initial",
                     "no \"initial\": the first child state, \"%.*s\", is taken",
                     wf_shown(load->machine->states[target].key.length),
                     load->machine->states[target].key.text);
    }
}

static void lint_keys(wf_load *load)
{
    for (uint32_t slot = 0; slot < load->uses.count; slot++) {
        const wf_key_use *use = wf_vector_at(&load->uses, slot);
        const wf_name *key = &load->machine->keys.list[slot];

        if (use->read && !use->set)
            wf_load_warn_at(load, use->read, "never-set",
                            "the context key \"%.*s\" is read, but neither declared nor "
                            "assigned anywhere",
                            wf_shown(key->length), key->text);
    }
}

/* Somebody may have meant guards of the host: `{"and": ["isPaid", "isOpen"]}` is true, as these are texts. */
static void lint_guards(wf_load *load)
{
    for (uint32_t i = 0; i < load->machine->transition_count; i++) {
        const wf_guard *guard = &load->machine->transitions[i].guard;
        wf_value value;

        if (guard->kind != WF_GUARD_RULE || guard->text[0] != '{' ||
            !wf_expr_constant(guard->rule, &value))
            continue;
        wf_load_warn_at(
            load, wf_lint_transition_pointer(load, i), "constant-guard",
            "the guard is always %s: it reads nothing, and texts in it are values, not "
            "guards of the host",
            wf_value_truth(&value) ? "true" : "false");
    }
}

static void lint_suspects(wf_load *load)
{
    for (size_t i = 0; i < load->suspects.count; i++) {
        const wf_suspect *suspect = wf_vector_at(&load->suspects, i);

        wf_load_warn_at(load, suspect->pointer, suspect->rule, "%s", suspect->message);
    }
}

static void lint_notes(wf_load *load)
{
    for (size_t i = 0; i < load->notes.count; i++) {
        const wf_suspect *note = wf_vector_at(&load->notes, i);

        wf_load_note_at(load, note->pointer, note->rule, "%s", note->message);
    }
}

/* Notes come last, so that many of them leave no warning out. */
void wf_lint(wf_load *load)
{
    lint_initials(load);
    lint_keys(load);
    lint_guards(load);
    lint_suspects(load);
    wf_lint_reach(load);
    wf_lint_shadows(load);
    wf_lint_ends(load);
    wf_lint_cycles(load);
    wf_lint_invokes(load);
    wf_lint_xstate(load);
    lint_notes(load);
}
