/* machine/load_instances.c: properties of an instance and its children. Their rule may ask children_in,
 * which no other rule may. */
#include <string.h>
#include "machine/load.h"

/* True if its child is always an instance of the same machine. */
static bool starts_child(const wf_invoke *invoke)
{
    wf_value src;

    return invoke->src && wf_expr_constant(invoke->src, &src) && src.type == WF_STRING &&
           wf_child_machine(src.as.text);
}

static uint32_t find_invoke(const wf_load *load, const wf_value *id)
{
    for (uint32_t i = 0; i < load->invokes.count; i++) {
        const wf_invoke *invoke = wf_vector_at(&load->invokes, i);

        if (id->length > 0 && invoke->id.length == id->length &&
            memcmp(invoke->id.text, id->as.text, id->length) == 0)
            return starts_child(invoke) ? i : WF_NONE;
    }
    return WF_NONE;
}

/* Asked again, a question keeps its number. */
uint32_t wf_load_child_question(void *user, const wf_value *invocation, const wf_value *state)
{
    wf_load *load = user;
    wf_child_question question = {
        find_invoke(load, invocation),
        {state->as.text, state->length, wf_hash(state->as.text, state->length)}};

    if (question.invoke == WF_NONE)
        return WF_NONE;
    for (uint32_t i = 0; i < load->child_questions.count; i++) {
        const wf_child_question *known = wf_vector_at(&load->child_questions, i);

        if (known->invoke == question.invoke && known->state.length == question.state.length &&
            memcmp(known->state.text, question.state.text, question.state.length) == 0)
            return i;
    }
    return wf_load_push(load, &load->child_questions, &question);
}

bool wf_load_instances(wf_load *load, const wf_node *claim, wf_property *property,
                       wf_node *rule)
{
    wf_node never, always;

    if (!wf_expect(load, claim, WF_OBJECT, "an object with \"never\" or \"always\""))
        return false;
    wf_check_keys(load, claim, WF_INSTANCES_KEYS, 0);
    property->always = wf_node_get(&always, claim, "always");
    if (wf_node_get(&never, claim, "never") == property->always) {
        wf_load_error(load, claim, "bad-value", "expected exactly one of never and always");
        return false;
    }
    *rule = property->always ? always : never;
    return true;
}
