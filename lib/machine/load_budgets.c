/* machine/load_budgets.c: `budgets`, what an instance may use up. */
#include <string.h>
#include "base/invariant.h"
#include "machine/load.h"

static void load_state(wf_load *load, const wf_node *node)
{
    uint32_t state = WF_NONE;

    if (!wf_expect(load, node, WF_STRING, "a state: its path or #id"))
        return;
    state = wf_load_find(load, node->value->as.text, node->value->length);
    if (state == WF_NONE || state == 0 || wf_load_state(load, state)->type >= WF_SHALLOW)
        wf_load_error(load, node, "unknown-target",
                      "no state \"%.*s\" to be entered; expected its dotted path from the "
                      "root, or #id",
                      wf_shown(node->value->length), node->value->as.text);
    else
        wf_load_push(load, &load->lists, &state);
}

static void load_event(wf_load *load, const wf_node *node)
{
    uint32_t event;

    if (!wf_expect_name(load, node, "the name of an event"))
        return;
    event =
        wf_load_intern(load, &load->machine->events, node->value->as.text, node->value->length);
    wf_load_push(load, &load->lists, &event);
}

static void load_rounds(wf_load *load, const wf_node *node, wf_budget *budget)
{
    wf_node part;

    budget->counts = WF_COUNT_ROUNDS;
    wf_check_keys(load, node, WF_COUNTED_KEYS, 0);
    if (wf_node_get(&part, node, "states"))
        budget->states = wf_load_number_list(load, &part, load_state);
    if (wf_node_get(&part, node, "events"))
        budget->heard = wf_load_number_list(load, &part, load_event);
    if (!budget->states.count && !budget->heard.count && !load->diagnostics->errors)
        wf_load_error(load, node, "missing-key",
                      "expected \"states\" or \"events\" that are counted");
}

static void load_counts(wf_load *load, const wf_node *node, wf_budget *budget)
{
    static const char *const words[] = {"usage", "claims", "time"};
    static const uint8_t kinds[] = {WF_COUNT_USAGE, WF_COUNT_CLAIMS, WF_COUNT_TIME,
                                    WF_COUNT_USAGE};

    if (node->value->type == WF_OBJECT)
        load_rounds(load, node, budget);
    else
        budget->counts = kinds[wf_expect_word(load, node, words, 3)];
}

static const wf_expr *load_limit(wf_load *load, const wf_node *node)
{
    const wf_expr *limit = wf_load_expr(load, node);
    wf_value value;
    double number;

    if (limit && wf_expr_constant(limit, &value)) {
        wf_node constant = {&value, node->place};

        wf_expect_integer(load, &constant, 0, 9007199254740991.0, &number);
    }
    return limit;
}

static void load_budget(wf_load *load, const wf_node *node, wf_budget *budget)
{
    wf_node part;

    if (!wf_expect(load, node, WF_OBJECT, "a budget, an object with \"limit\""))
        return;
    wf_check_keys(load, node, WF_BUDGET_KEYS, 0);
    wf_check_description(load, node);
    if (wf_node_get(&part, node, "limit"))
        budget->limit = load_limit(load, &part);
    else
        wf_load_error(load, node, "missing-key", "a budget needs a \"limit\"");
    if (wf_node_get(&part, node, "counts"))
        load_counts(load, &part, budget);
    budget->refuses = budget->counts == WF_COUNT_CLAIMS;
    if (wf_node_get(&part, node, "refuse") &&
        wf_expect(load, &part, WF_BOOLEAN, "true or false")) {
        if (budget->refuses && !part.value->as.boolean)
            wf_load_error(load, &part, "bad-value",
                          "a budget of claims refuses those beyond its limit");
        budget->refuses = part.value->as.boolean;
    }
}

void wf_load_budgets(wf_load *load, const wf_node *root)
{
    wf_node budgets;

    if (!wf_node_get(&budgets, root, "budgets") || !load->budgets.count)
        return;
    for (uint32_t i = 0; i < load->budgets.count && !load->failed; i++) {
        wf_budget budget = *(wf_budget *)wf_vector_at(&load->budgets, i);
        wf_node node = wf_node_member(&budgets, i);

        WF_INVARIANT(budget.name.text == node.place.key); /* in the order of the document */
        load_budget(load, &node, &budget);
        *(wf_budget *)wf_vector_at(&load->budgets, i) = budget;
    }
}
