/* machine/keys.c */
#include <string.h>
#include "machine/load.h"

enum {
    ANY_STATE = WF_ON_ATOMIC | WF_ON_COMPOUND | WF_ON_PARALLEL,
    ALL = 63,
    LATER = 0 /* part of the format, but not of this version */
};

typedef struct wf_key {
    const char *name;
    unsigned places;
} wf_key;

typedef struct wf_keys {
    const char *owner;
    const wf_key *list;
} wf_keys;

static const wf_key state_keys[] = {
    {"type", ALL},
    {"id", ALL},
    {"initial", WF_ON_COMPOUND},
    {"states", ANY_STATE},
    {"on", ANY_STATE},
    {"always", ANY_STATE},
    {"after", ANY_STATE},
    {"entry", ANY_STATE | WF_ON_FINAL},
    {"exit", ANY_STATE | WF_ON_FINAL},
    {"invoke", ANY_STATE},
    {"onDone", WF_ON_COMPOUND | WF_ON_PARALLEL},
    {"tags", ANY_STATE | WF_ON_FINAL},
    {"output", WF_ON_FINAL},
    {"history", WF_ON_HISTORY},
    {"target", WF_ON_HISTORY},
    {"meta", ALL},
    {"description", ALL},
    {"$schema", WF_ON_ROOT},
    {"wfsm", WF_ON_ROOT},
    {"version", WF_ON_ROOT},
    {"context", WF_ON_ROOT},
    {"schemas", WF_ON_ROOT},
    {"restore", WF_ON_ROOT},
    {"properties", WF_ON_ROOT},
    {"domains", WF_ON_ROOT},
    {"assume", WF_ON_ROOT},
    {"budgets", WF_ON_ROOT},
    {"migrate", WF_ON_ROOT},
    {"limits", WF_ON_ROOT},
    {"retention", WF_ON_ROOT},
    {"attributes", WF_ON_ROOT},
    {NULL, 0},
};
static const wf_key transition_keys[] = {
    {"target", ALL}, {"guard", ALL},       {"actions", ALL}, {"reenter", ALL},
    {"meta", ALL},   {"description", ALL}, {NULL, 0},
};
static const wf_key listed_transition_keys[] = {
    {"event", ALL},   {"target", ALL}, {"guard", ALL},       {"actions", ALL},
    {"reenter", ALL}, {"meta", ALL},   {"description", ALL}, {NULL, 0},
};
static const wf_key default_keys[] = {
    {"target", ALL}, {"actions", ALL}, {"meta", ALL}, {"description", ALL}, {NULL, 0},
};
static const wf_key named_keys[] = {{"type", ALL}, {"params", ALL}, {NULL, 0}};
static const wf_key raise_keys[] = {
    {"event", ALL}, {"data", ALL}, {"delay", ALL}, {"id", ALL}, {NULL, 0},
};
static const wf_key cancel_keys[] = {{"id", ALL}, {NULL, 0}};
static const wf_key log_keys[] = {{"label", ALL}, {"value", ALL}, {NULL, 0}};
static const wf_key emit_keys[] = {{"event", ALL}, {"data", ALL}, {NULL, 0}};
static const wf_key choose_keys[] = {{"branches", ALL}, {NULL, 0}};
static const wf_key branch_keys[] = {{"guard", ALL}, {"actions", ALL}, {NULL, 0}};
static const wf_key each_keys[] = {
    {"in", ALL}, {"as", ALL}, {"index", ALL}, {"actions", ALL}, {NULL, 0},
};
static const wf_key invoke_keys[] = {
    {"id", ALL},        {"src", ALL},
    {"srcs", ALL},      {"input", ALL},
    {"output", ALL},    {"retry", ALL},
    {"timeoutMs", ALL}, {"heartbeatMs", ALL},
    {"pool", ALL},      {"onDone", ALL},
    {"onError", ALL},   {"onUnknown", ALL},
    {"items", ALL},     {"maxConcurrency", ALL},
    {"complete", ALL},  {NULL, 0},
};
static const wf_key retry_keys[] = {
    {"errors", ALL},     {"maxAttempts", ALL}, {"intervalMs", ALL}, {"backoffRate", ALL},
    {"maxDelayMs", ALL}, {"jitter", ALL},      {NULL, 0},
};
static const wf_key pool_keys[] = {
    {"priority", ALL},
    {"phase", ALL},
    {"group", ALL},
    {NULL, 0},
};
static const wf_key schemas_keys[] = {{"context", ALL}, {NULL, 0}};
static const wf_key restore_keys[] = {{"from", ALL}, {"event", ALL}, {NULL, 0}};
static const wf_key retention_keys[] = {
    {"afterMs", ALL},
    {"then", ALL},
    {"records", ALL},
    {NULL, 0},
};
static const wf_key migrate_keys[] = {
    {"from", ALL},
    {"states", ALL},
    {"assign", ALL},
    {NULL, 0},
};
static const wf_key limits_keys[] = {
    {"selections", ALL},  {"ruleSteps", ALL},        {"ruleDepth", ALL},
    {"ruleBytes", ALL},   {"stepWork", ALL},         {"stepBytes", ALL},
    {"descendants", ALL}, {"descendantsInAll", ALL}, {NULL, 0},
};
static const wf_key budget_keys[] = {
    {"limit", ALL}, {"counts", ALL}, {"refuse", ALL}, {"description", ALL}, {NULL, 0},
};
static const wf_key counted_keys[] = {{"states", ALL}, {"events", ALL}, {NULL, 0}};
static const wf_key reset_keys[] = {{"budgets", ALL}, {"failures", ALL}, {NULL, 0}};
static const wf_key property_keys[] = {
    {"never", ALL},  {"always", ALL},    {"precedes", ALL},  {"leadsTo", ALL},
    {"atMost", ALL}, {"atLeast", ALL},   {"exactly", ALL},   {"until", ALL},
    {"absent", ALL}, {"reachable", ALL}, {"instances", ALL}, {"description", ALL},
    {NULL, 0},
};
static const wf_key instances_keys[] = {{"never", ALL}, {"always", ALL}, {NULL, 0}};
static const wf_key precedes_keys[] = {
    {"of", ALL},
    {"needs", ALL},
    {"since", ALL},
    {NULL, 0},
};
static const wf_key leads_to_keys[] = {
    {"from", ALL},
    {"to", ALL},
    {"within", ALL},
    {NULL, 0},
};
static const wf_key within_keys[] = {{"ms", ALL}, {NULL, 0}};
static const wf_key at_most_keys[] = {
    {"of", ALL},
    {"times", ALL},
    {"since", ALL},
    {NULL, 0},
};
/* Of until and absent. */
static const wf_key stretch_keys[] = {
    {"of", ALL},
    {"from", ALL},
    {"to", ALL},
    {NULL, 0},
};
/* Of atLeast and exactly. */
static const wf_key count_keys[] = {{"of", ALL}, {"times", ALL}, {NULL, 0}};

/* In the order of enum wf_key_set. */
static const wf_keys vocabulary[] = {
    {"a state", state_keys},
    {"a transition", transition_keys},
    {"a transition in a list", listed_transition_keys},
    {"a default transition", default_keys},
    {"a guard", named_keys},
    {"an action", named_keys},
    {"raise", raise_keys},
    {"cancel", cancel_keys},
    {"log", log_keys},
    {"emit", emit_keys},
    {"choose", choose_keys},
    {"a branch", branch_keys},
    {"each", each_keys},
    {"an invocation", invoke_keys},
    {"a retry rule", retry_keys},
    {"pool", pool_keys},
    {"schemas", schemas_keys},
    {"restore", restore_keys},
    {"retention", retention_keys},
    {"a property", property_keys},
    {"precedes", precedes_keys},
    {"leadsTo", leads_to_keys},
    {"within", within_keys},
    {"atMost", at_most_keys},
    {"until", stretch_keys},
    {"absent", stretch_keys},
    {"atLeast", count_keys},
    {"exactly", count_keys},
    {"instances", instances_keys},
    {"an entry of migrate", migrate_keys},
    {"limits", limits_keys},
    {"a budget", budget_keys},
    {"counts", counted_keys},
    {"reset", reset_keys},
};

static const char *owner_of(enum wf_key_set set, unsigned places)
{
    if (set != WF_STATE_KEYS)
        return vocabulary[set].owner;
    if (places & WF_ON_ROOT)
        return "the root";
    switch (places) {
    case WF_ON_ATOMIC:
        return "a state without child states";
    case WF_ON_COMPOUND:
        return "a compound state";
    case WF_ON_PARALLEL:
        return "a parallel state";
    case WF_ON_FINAL:
        return "a final state";
    default:
        return "a history state";
    }
}

static size_t shorter(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Edits to turn one word into the other, with a swap of neighbours as one. */
static size_t distance(const char *a, size_t a_length, const char *b, size_t b_length)
{
    size_t rows[3][34];
    size_t *before = rows[0], *last = rows[1], *row = rows[2];

    for (size_t j = 0; j <= b_length; j++)
        last[j] = j;
    for (size_t i = 1; i <= a_length; i++) {
        size_t *recycled = before;

        row[0] = i;
        for (size_t j = 1; j <= b_length; j++) {
            size_t best = last[j - 1] + (a[i - 1] != b[j - 1]);

            best = shorter(best, shorter(last[j], row[j - 1]) + 1);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                best = shorter(best, before[j - 2] + 1);
            row[j] = best;
        }
        before = last;
        last = row;
        row = recycled;
    }
    return last[b_length];
}

bool wf_similar(const char *a, size_t a_length, const char *b, size_t b_length)
{
    size_t least = shorter(a_length, b_length);
    size_t allowed = least < 3 ? 0 : least < 5 ? 1 : 2;

    if (a_length > 32 || b_length > 32 || a_length > b_length + 2 || b_length > a_length + 2)
        return false;
    return distance(a, a_length, b, b_length) <= allowed;
}

static bool allowed_at(const wf_key *key, enum wf_key_set set, unsigned places)
{
    return set == WF_STATE_KEYS ? (key->places & places) != 0 : key->places != LATER;
}

static const wf_key *find(const wf_key *list, const wf_member *member)
{
    for (; list->name; list++)
        if (strlen(list->name) == member->length &&
            !memcmp(list->name, member->key, member->length))
            return list;
    return NULL;
}

static const wf_key *find_similar(const wf_key *list, const wf_member *member,
                                  enum wf_key_set set, unsigned places)
{
    for (; list->name; list++)
        if (allowed_at(list, set, places) &&
            wf_similar(list->name, strlen(list->name), member->key, member->length))
            return list;
    return NULL;
}

static void list_allowed(enum wf_key_set set, unsigned places, char *out, size_t size)
{
    size_t used = 0;

    out[0] = '\0';
    for (const wf_key *key = vocabulary[set].list; key->name; key++) {
        size_t length = strlen(key->name);

        if (!allowed_at(key, set, places) || used + length + 3 > size)
            continue;
        if (used) {
            memcpy(out + used, ", ", 2);
            used += 2;
        }
        memcpy(out + used, key->name, length + 1);
        used += length;
    }
}

static void report_unknown(wf_load *load, const wf_node *node, const wf_member *member,
                           enum wf_key_set set, unsigned places)
{
    const wf_key *near = find_similar(vocabulary[set].list, member, set, places);
    const char *here = wf_foreign_key(member->key, member->length);
    char allowed[400];

    if (here) {
        wf_load_error_key(load, node, "unknown-key", "unknown key \"%.*s\" of %s: %s",
                          wf_shown(member->length), member->key, owner_of(set, places), here);
        return;
    }
    if (near) {
        wf_load_error_key(load, node, "unknown-key",
                          "unknown key \"%.*s\"; did you mean \"%s\"?",
                          wf_shown(member->length), member->key, near->name);
        return;
    }
    list_allowed(set, places, allowed, sizeof allowed);
    wf_load_error_key(load, node, "unknown-key",
                      "unknown key \"%.*s\" of %s; expected one of: %s",
                      wf_shown(member->length), member->key, owner_of(set, places), allowed);
}

void wf_check_keys(wf_load *load, const wf_node *object, enum wf_key_set set, unsigned places)
{
    for (uint32_t i = 0; i < object->value->length; i++) {
        const wf_member *member = &object->value->as.members[i];
        const wf_key *key = find(vocabulary[set].list, member);
        wf_node node;

        if (key && allowed_at(key, set, places))
            continue;
        node = wf_node_member(object, i);
        if (!key)
            report_unknown(load, &node, member, set, places);
        else if (key->places == LATER)
            wf_load_error_key(load, &node, "not-supported", "\"%s\" is not supported yet",
                              key->name);
        else
            wf_load_error_key(load, &node, "misplaced-key", "\"%s\" does not belong to %s",
                              key->name, owner_of(set, places));
    }
}
