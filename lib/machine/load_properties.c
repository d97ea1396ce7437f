/* machine/load_properties.c: `properties`, what the author claims of all runs. They come last:
 * they may look at everything, and must not change anything, not even the order of the context
 * keys, as they are no part of the fingerprint. */
#include <string.h>
#include "machine/load.h"

/* In the order of enum wf_property_kind. */
static const char *const kinds[] = {"never",   "always",    "precedes", "leadsTo",
                                    "atMost",  "reachable", "until",    "absent",
                                    "atLeast", "exactly",   "instances"};
enum { KINDS = sizeof kinds / sizeof *kinds };

/* Its rules are asked without the rest: that would be null, and the property would mean nothing. */
static void check_reads(wf_load *load, const wf_node *node, const wf_expr *rule)
{
    static const char *const names[] = {"instance", "budgets", "failure"};
    static const unsigned bits[] = {WF_READS_INSTANCE, WF_READS_BUDGETS, WF_READS_FAILURE};
    const unsigned reads = wf_expr_reads(rule);

    for (size_t i = 0; i < sizeof bits / sizeof *bits; i++)
        if (reads & bits[i])
            wf_load_error(load, node, "bad-value",
                          "a property cannot look at \"%s\"; expected a rule over the context, "
                          "the event and in_state. An assign can keep it in the context",
                          names[i]);
}

void wf_load_known_keys(wf_load *load, const wf_node *node, uint32_t known)
{
    const wf_names *keys = &load->machine->keys;

    for (uint32_t i = known; i < keys->count; i++)
        wf_load_error(load, node, "unknown-context-key",
                      "nothing else in the document knows the context key \"%.*s\"; expected "
                      "one that is declared, or assigned somewhere",
                      wf_shown(keys->list[i].length), keys->list[i].text);
}

static const wf_expr *load_expr(wf_load *load, const wf_node *node, bool rule)
{
    uint32_t known = load->machine->keys.count;
    const wf_expr *expr = rule ? wf_load_rule(load, node) : wf_load_expr(load, node);

    wf_load_known_keys(load, node, known);
    if (expr)
        check_reads(load, node, expr);
    return expr;
}

static void load_condition(wf_load *load, const wf_node *node, wf_condition *condition)
{
    if (!wf_expect(load, node, WF_OBJECT, "a condition, a JsonLogic rule"))
        return;
    condition->rule = load_expr(load, node, true);
    condition->of_event = condition->rule && (wf_expr_reads(condition->rule) & WF_READS_EVENT);
}

/* The condition under a key of an object; false after a report. */
static void load_part(wf_load *load, const wf_node *object, const char *key, bool needed,
                      wf_condition *condition)
{
    wf_node node;

    if (wf_node_get(&node, object, key))
        load_condition(load, &node, condition);
    else if (needed)
        wf_load_error(load, object, "missing-key", "expected the key \"%s\", a condition", key);
}

static void load_precedes(wf_load *load, const wf_node *node, wf_property *property)
{
    if (!wf_expect(load, node, WF_OBJECT, "an object with \"of\", \"needs\" and \"since\""))
        return;
    wf_check_keys(load, node, WF_PRECEDES_KEYS, 0);
    load_part(load, node, "of", true, &property->of);
    load_part(load, node, "needs", true, &property->before);
    load_part(load, node, "since", false, &property->since);
}

/* The most is that of `after`. */
static void load_within(wf_load *load, const wf_node *node, wf_property *property)
{
    static const double most = 999999999999999;
    wf_node ms;
    double number;

    if (!wf_expect(load, node, WF_OBJECT, "an object with \"ms\""))
        return;
    wf_check_keys(load, node, WF_WITHIN_KEYS, 0);
    if (!wf_node_get(&ms, node, "ms"))
        wf_load_error(load, node, "missing-key",
                      "expected the key \"ms\", a number of milliseconds");
    else if (wf_expect_integer(load, &ms, 0, most, &number))
        property->within = (int64_t)number;
}

static void load_leads_to(wf_load *load, const wf_node *node, wf_property *property)
{
    wf_node within;

    if (!wf_expect(load, node, WF_OBJECT, "an object with \"from\", \"to\" and \"within\""))
        return;
    wf_check_keys(load, node, WF_LEADS_TO_KEYS, 0);
    load_part(load, node, "from", false, &property->before);
    load_part(load, node, "to", true, &property->of);
    if (!wf_node_get(&within, node, "within"))
        return;
    load_within(load, &within, property);
    property->limited = true;
    load->machine->has_limits = true;
}

static void load_times(wf_load *load, const wf_node *node, wf_property *property)
{
    double number;

    if (node->value->type == WF_OBJECT)
        property->times = load_expr(load, node, true);
    else if (wf_expect_integer(load, node, 0, WF_TIMES_MAX, &number))
        property->times = load_expr(load, node, false);
}

static void load_at_most(wf_load *load, const wf_node *node, wf_property *property)
{
    wf_node times;

    if (!wf_expect(load, node, WF_OBJECT, "an object with \"of\", \"times\" and \"since\""))
        return;
    wf_check_keys(load, node, WF_AT_MOST_KEYS, 0);
    load_part(load, node, "of", true, &property->of);
    load_part(load, node, "since", false, &property->since);
    if (wf_node_get(&times, node, "times"))
        load_times(load, &times, property);
    else
        wf_load_error(load, node, "missing-key",
                      "expected the key \"times\", an integer or an expression");
}

/* How often; once, if it is not said. */
static void load_count(wf_load *load, const wf_node *node, wf_property *property)
{
    static const wf_value once = {.type = WF_NUMBER, .as.number = 1};
    enum wf_key_set set = property->kind == WF_EXACTLY ? WF_EXACTLY_KEYS : WF_AT_LEAST_KEYS;
    wf_node times = *node;
    double number;

    if (!wf_expect(load, node, WF_OBJECT, "an object with \"of\" and \"times\""))
        return;
    wf_check_keys(load, node, set, 0);
    load_part(load, node, "of", true, &property->of);
    if (!wf_node_get(&times, node, "times"))
        times.value = &once;
    if (wf_expect_integer(load, &times, 1, WF_TIMES_MAX, &number))
        property->times = load_expr(load, &times, false);
}

/* From one point to another. */
static void load_stretch(wf_load *load, const wf_node *node, wf_property *property)
{
    bool until = property->kind == WF_UNTIL;

    if (!wf_expect(load, node, WF_OBJECT, "an object with \"of\", \"from\" and \"to\""))
        return;
    wf_check_keys(load, node, until ? WF_UNTIL_KEYS : WF_ABSENT_KEYS, 0);
    load_part(load, node, "of", true, &property->of);
    load_part(load, node, "from", false, &property->before);
    load_part(load, node, "to", until, &property->to);
}

/* It is asked between the steps of several instances, where no event is at hand. */
static void load_instances(wf_load *load, const wf_node *node, wf_property *property)
{
    wf_node rule;

    if (!wf_load_instances(load, node, property, &rule))
        return;
    load->resolver.children = wf_load_child_question;
    load_condition(load, &rule, &property->of);
    wf_load_triggers(load, &rule, property);
    load->resolver.children = NULL;
    if (property->of.of_event)
        wf_load_error(load, &rule, "bad-value",
                      "instances cannot look at \"event\"; expected a rule over children_in, "
                      "in_state and the context");
}

static void load_claim(wf_load *load, const wf_node *claim, wf_property *property)
{
    switch (property->kind) {
    case WF_PRECEDES:
        load_precedes(load, claim, property);
        break;
    case WF_LEADS_TO:
        load_leads_to(load, claim, property);
        break;
    case WF_AT_MOST:
        load_at_most(load, claim, property);
        break;
    case WF_UNTIL:
    case WF_ABSENT_BETWEEN:
        load_stretch(load, claim, property);
        break;
    case WF_AT_LEAST:
    case WF_EXACTLY:
        load_count(load, claim, property);
        break;
    case WF_INSTANCES:
        load_instances(load, claim, property);
        break;
    default:
        load_condition(load, claim, &property->of);
    }
}

/* What kind of claim it is; KINDS after a report. */
static uint32_t find_kind(wf_load *load, const wf_node *node, wf_node *claim)
{
    uint32_t kind = KINDS, count = 0;

    for (uint32_t i = 0; i < KINDS; i++) {
        if (!wf_node_get(claim, node, kinds[i]))
            continue;
        kind = i;
        count++;
    }
    if (count == 1) {
        wf_node_get(claim, node, kinds[kind]);
        return kind;
    }
    wf_load_error(load, node, "bad-value",
                  "expected exactly one of never, always, precedes, leadsTo, atMost, atLeast, "
                  "exactly, until, absent, reachable and instances, found %u",
                  count);
    return KINDS;
}

/* All others remember something of the past. */
static uint32_t take_byte(wf_load *load, uint32_t kind)
{
    bool remembers =
        kind != WF_NEVER && kind != WF_ALWAYS && kind != WF_REACHABLE && kind != WF_INSTANCES;

    return remembers ? load->machine->property_bytes++ : WF_NONE;
}

static void load_property(wf_load *load, const wf_node *node, wf_property *property)
{
    wf_node claim, description;

    if (!wf_expect(load, node, WF_OBJECT, "a property, an object"))
        return;
    wf_check_keys(load, node, WF_PROPERTY_KEYS, 0);
    wf_check_description(load, node);
    property->name = (wf_name){node->place.key, (uint32_t)node->place.key_length,
                               wf_hash(node->place.key, node->place.key_length)};
    if (wf_node_get(&description, node, "description") && description.value->type == WF_STRING)
        property->description = description.value->as.text;
    property->kind = (uint8_t)find_kind(load, node, &claim);
    if (property->kind == KINDS)
        return;
    property->byte = take_byte(load, property->kind);
    load_claim(load, &claim, property);
    if (property->kind != WF_INSTANCES)
        wf_load_triggers(load, &claim, property);
}

void wf_load_properties(wf_load *load, const wf_node *root)
{
    wf_node properties;
    wf_property *list;
    uint32_t count;

    if (!wf_node_get(&properties, root, "properties") ||
        !wf_expect(load, &properties, WF_OBJECT, "an object of properties by name"))
        return;
    count = properties.value->length;
    if (count > WF_PROPERTIES_MAX) {
        wf_load_error_limit(load, &properties, "%u properties, at most %d are allowed", count,
                            WF_PROPERTIES_MAX);
        return;
    }
    list = wf_arena_zero(load->arena, (count + 1) * sizeof *list);
    for (uint32_t i = 0; list && i < count; i++) {
        wf_node property = wf_node_member(&properties, i);

        load_property(load, &property, &list[i]);
    }
    load->machine->properties = list;
    load->machine->property_count = list ? count : 0;
}
