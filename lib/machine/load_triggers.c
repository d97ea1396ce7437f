/* machine/load_triggers.c: what a property depends on. `never` a release in a state that no run enters
 * holds, and says nothing: it holds vacuously. So does `leadsTo` if `from` is never true. */
#include <string.h>
#include "machine/load.h"

static bool is_word(const char *text, size_t length, const char *word)
{
    return length == strlen(word) && memcmp(text, word, length) == 0;
}

/* The name of the event, and its kind. */
static bool is_about_event(const wf_value *path)
{
    return path->type == WF_STRING && (is_word(path->as.text, path->length, "event.type") ||
                                       is_word(path->as.text, path->length, "event.kind"));
}

/* A comparison of a number of children is the claim, too: "never more than two at once". */
static bool counts_children(const wf_member *rule)
{
    const wf_value *of = &rule->value;
    if (rule->length == 0 || !strchr("<>=!", rule->key[0]) ||
        is_word(rule->key, rule->length, "!") || is_word(rule->key, rule->length, "!!") ||
        of->type != WF_ARRAY)
        return false;
    for (uint32_t i = 0; i < of->length; i++)
        if (wf_value_get_z(&of->as.items[i], "children_in"))
            return true;
    return false;
}

/* True if a rule asks where an instance is or what happened, and no data. What it says of data is the
 * claim itself, not its condition. */
static bool asks_no_data(const wf_value *rule)
{
    if (rule->type == WF_ARRAY) {
        for (uint32_t i = 0; i < rule->length; i++)
            if (!asks_no_data(&rule->as.items[i]))
                return false;
        return true;
    }
    if (rule->type != WF_OBJECT || rule->length != 1)
        return rule->type != WF_OBJECT;
    const wf_member *only = &rule->as.members[0];
    if (is_word(only->key, only->length, "var"))
        return is_about_event(&only->value);
    return !is_word(only->key, only->length, "val") && !counts_children(only) &&
           asks_no_data(&only->value);
}

static void add_trigger(wf_property *property, const wf_expr *rule, const wf_value *source)
{
    if (!rule || property->trigger_count == WF_TRIGGERS_MAX)
        return;
    if (asks_no_data(source))
        property->plain_triggers |= (uint8_t)(1u << property->trigger_count);
    property->triggers[property->trigger_count++] = rule;
}

static void add_part(wf_load *load, const wf_node *part, wf_property *property)
{
    if (part->value->type == WF_OBJECT && asks_no_data(part->value))
        add_trigger(property, wf_load_rule(load, part), part->value);
}

static void add_condition(const wf_node *claim, const char *key, const wf_condition *condition,
                          wf_property *property)
{
    wf_node part;

    if (wf_node_get(&part, claim, key))
        add_trigger(property, condition->rule, part.value);
}

/* Of `never` {"and": [A, B]}: A, and B. */
static void add_conjuncts(wf_load *load, const wf_node *claim, wf_property *property)
{
    wf_node parts;

    if (!wf_node_get(&parts, claim, "and") || parts.value->type != WF_ARRAY)
        return;
    for (uint32_t i = 0; i < parts.value->length; i++) {
        wf_node part = wf_node_item(&parts, i);
        add_part(load, &part, property);
    }
}

/* {"!": A} and {"!": [A]} */
static bool get_negated(wf_node *out, const wf_node *rule)
{
    if (rule->value->type != WF_OBJECT || !wf_node_get(out, rule, "!"))
        return false;
    if (out->value->type == WF_ARRAY && out->value->length == 1) {
        wf_node list = *out;
        *out = wf_node_item(&list, 0);
    }
    return true;
}

/* "If A, then B": of `always` {"or": [{"!": A}, B]} and {"if": [A, B, true]}, A. */
static void add_premises(wf_load *load, const wf_node *claim, wf_property *property)
{
    wf_node parts, part;

    if (wf_node_get(&parts, claim, "if") && parts.value->type == WF_ARRAY &&
        parts.value->length == 3) {
        part = wf_node_item(&parts, 0);
        add_part(load, &part, property);
    }
    if (!wf_node_get(&parts, claim, "or") || parts.value->type != WF_ARRAY)
        return;
    for (uint32_t i = 0; i < parts.value->length; i++) {
        wf_node whole = wf_node_item(&parts, i);
        if (get_negated(&part, &whole))
            add_part(load, &part, property);
    }
}

static bool is_zero(const wf_expr *times)
{
    wf_value value;

    return times && wf_expr_constant(times, &value) && value.type == WF_NUMBER &&
           value.as.number == 0;
}

void wf_load_triggers(wf_load *load, const wf_node *claim, wf_property *property)
{
    if (!property->of.rule)
        return;
    const bool instances = property->kind == WF_INSTANCES;
    if (property->kind == WF_NEVER || (instances && !property->always))
        add_conjuncts(load, claim, property);
    if (property->kind == WF_ALWAYS || (instances && property->always))
        add_premises(load, claim, property);
    if (property->kind == WF_PRECEDES || property->kind == WF_ABSENT_BETWEEN ||
        (property->kind == WF_AT_MOST && !is_zero(property->times)))
        add_condition(claim, "of", &property->of, property);
    if (property->kind == WF_LEADS_TO || property->kind == WF_UNTIL ||
        property->kind == WF_ABSENT_BETWEEN)
        add_condition(claim, "from", &property->before, property);
}
