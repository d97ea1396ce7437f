/* machine/load_budget_names.c: the names of budgets, and lists of them. */
#include <string.h>
#include "base/invariant.h"
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

/* They occur in paths of "var" and in names of events. */
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
    /* The number of a budget is the number of its name. */
    WF_INVARIANT(load->failed || load->budgets.count == load->machine->budget_names.count);
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

wf_span wf_load_number_list(wf_load *load, const wf_node *node,
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
    return wf_load_number_list(load, node, load_known);
}
