/* machine/load_budgets.c: `budgets`, what an instance may use up. */
#include <string.h>
#include "machine/load.h"

static wf_name borrow(const char *text, size_t length)
{
    return (wf_name){text, (uint32_t)length, wf_hash(text, length)};
}

static bool get_budgets(wf_load *load, const wf_node *root, wf_node *budgets)
{
    return wf_node_get(budgets, root, "budgets") &&
           wf_expect(load, budgets, WF_OBJECT, "an object of budgets by name");
}

/* They stand in paths of "var" and in names of events. */
static bool is_name(const wf_node *budget)
{
    size_t length = budget->place.key_length;

    return length > 0 && length <= 64 && !memchr(budget->place.key, '.', length);
}

static void load_name(wf_load *load, const wf_node *node)
{
    wf_budget budget = {.event = WF_NONE};
    size_t length;
    const char *event;

    if (!is_name(node))
        wf_load_error_key(load, node, "bad-name",
                          "expected the name of a budget, 1 to 64 bytes without a dot");
    budget.name = borrow(node->place.key, node->place.key_length);
    event = wf_load_joined(load, "error.budget.", budget.name.text, "", &length);
    if (event)
        budget.event = wf_load_intern(load, &load->machine->events, event, length);
    wf_load_intern(load, &load->machine->budget_names, budget.name.text, budget.name.length);
    wf_load_push(load, &load->budgets, &budget);
}

void wf_load_budget_names(wf_load *load, const wf_node *root)
{
    wf_node budgets;

    if (!get_budgets(load, root, &budgets))
        return;
    if (budgets.value->length > WF_BUDGETS_MAX) {
        wf_load_error_limit(load, &budgets, "at most %d budgets are allowed", WF_BUDGETS_MAX);
        return;
    }
    for (uint32_t i = 0; i < budgets.value->length && !load->failed; i++) {
        wf_node node = wf_node_member(&budgets, i);

        load_name(load, &node);
    }
}

/* ---- what it counts ---- */

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

static wf_span load_list(wf_load *load, const wf_node *node,
                         void (*load_one)(wf_load *load, const wf_node *node))
{
    uint32_t first = (uint32_t)load->lists.count;

    if (node->value->type != WF_ARRAY)
        load_one(load, node);
    else
        for (uint32_t i = 0; i < node->value->length && !load->failed; i++) {
            wf_node item = wf_node_item(node, i);

            load_one(load, &item);
        }
    return (wf_span){first, (uint32_t)load->lists.count - first};
}

static void load_rounds(wf_load *load, const wf_node *node, wf_budget *budget)
{
    wf_node part;

    budget->counts = WF_COUNT_ROUNDS;
    wf_check_keys(load, node, WF_COUNTED_KEYS, 0);
    if (wf_node_get(&part, node, "states"))
        budget->states = load_list(load, &part, load_state);
    if (wf_node_get(&part, node, "events"))
        budget->heard = load_list(load, &part, load_event);
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

        load_budget(load, &node, &budget);
        *(wf_budget *)wf_vector_at(&load->budgets, i) = budget;
    }
}

/* ---- who names them ---- */

static void load_known(wf_load *load, const wf_node *node)
{
    uint32_t number = WF_NONE;

    if (!wf_expect(load, node, WF_STRING, "the name of a budget"))
        return;
    number =
        wf_names_find(&load->machine->budget_names, node->value->as.text, node->value->length);
    if (number == WF_NONE)
        wf_load_error(load, node, "unknown-budget",
                      "no budget \"%.*s\"; expected a key of the root's \"budgets\"",
                      wf_shown(node->value->length), node->value->as.text);
    else
        wf_load_push(load, &load->lists, &number);
}

wf_span wf_load_budget_list(wf_load *load, const wf_node *node)
{
    return load_list(load, node, load_known);
}
