/* verify/property.c: the monitor of properties: its memory, and its verdicts after a step. */
#include "verify/property.h"

#include <string.h>
#include "base/invariant.h"
#include "step/snapshot.h"

/* The byte of `atMost`: whether its condition held after the step before, and how often it became
 * true, up to one more than any `times`. A condition that reads the event becomes true with each
 * event; one that reads only states and data, when it was false before. */
enum { HELD = 0x80, COUNT = 0x7f };
/* The byte of `until` and `absent`: between the two points; it has begun at the start. */
enum { OPEN = 1, BEGUN = 2 };

_Static_assert(WF_TIMES_MAX + 1 <= COUNT, "a count beyond the most can be told");

/* One observation of an instance. */
typedef struct observation {
    const wf_observed *seen;
    const wf_property *properties;
    wf_value nothing;
    uint32_t limit; /* steps of a rule */
    int32_t status; /* WFSM_OK, or NO_MEMORY */
    const char *failure; /* why a rule of this property cannot be evaluated */
    uint64_t
        *stayed; /* the active states without those that were entered again; NULL: as these */
} observation;

static wf_scope scope_of(const observation *look, const uint64_t *active)
{
    const wf_observed *seen = look->seen;

    return (wf_scope){.arena = seen->arena,
                      .slots = seen->slots,
                      .keys = seen->keys,
                      .slot_count = seen->slot_count,
                      .event = seen->event ? seen->event : &look->nothing,
                      .instance = &look->nothing,
                      .active = active,
                      .steps = look->limit};
}

static void close_scope(observation *look, const wf_scope *scope, int32_t status)
{
    if (status == WFSM_NO_MEMORY)
        look->status = status;
    if (status)
        look->failure = scope->failure ? scope->failure : "it cannot be evaluated";
}

/* One that cannot be evaluated is false. */
static bool is_true_in(observation *look, const wf_expr *rule, const uint64_t *active)
{
    wf_scope scope = scope_of(look, active);
    const wf_evaluator *own = look->seen->evaluator;
    bool yes = false;

    close_scope(look, &scope,
                own ? own->test(own->user, rule, &scope, &yes)
                    : wf_expr_test(rule, &scope, &yes));
    return yes;
}

static bool is_true(observation *look, const wf_expr *rule)
{
    return is_true_in(look, rule, look->seen->active);
}

/* A missing condition is false. */
static bool holds(observation *look, const wf_condition *condition)
{
    return condition->rule && is_true(look, condition->rule);
}

static uint8_t precedes(observation *look, const wf_property *property, uint8_t *byte)
{
    if (holds(look, &property->since))
        *byte = 0;
    else if (!*byte)
        *byte = holds(look, &property->before);
    return !*byte && holds(look, &property->of) ? WF_VERDICT_VIOLATED : WF_VERDICT_NONE;
}

static bool is_late(const observation *look, const wf_property *property)
{
    const uint8_t *late = look->seen->late;

    return late && late[property - look->properties];
}

/* Once the time limit has passed, the property is violated, and waits no longer. */
static uint8_t leads_to(observation *look, const wf_property *property, uint8_t *byte)
{
    bool from = !property->before.rule || holds(look, &property->before);
    bool late = *byte && is_late(look, property);
    bool waits = *byte && !late;

    WF_INVARIANT(*byte <= 1);
    *byte = (waits || from) && !holds(look, &property->of);
    if (late)
        return WF_VERDICT_VIOLATED;
    return *byte ? WF_VERDICT_PENDING : WF_VERDICT_NONE;
}

/* The value of `times`; negative after a failure. */
static double times_of(observation *look, const wf_property *property)
{
    wf_scope scope = scope_of(look, look->seen->active);
    wf_value value = wf_null();

    const wf_evaluator *own = look->seen->evaluator;
    close_scope(look, &scope,
                own ? own->eval(own->user, property->times, &scope, WF_NEED_ALL, &value)
                    : wf_expr_eval(property->times, &scope, &value));
    if (!look->failure && value.type != WF_NUMBER)
        look->failure = "\"times\" is no number";
    return value.type == WF_NUMBER ? value.as.number : -1;
}

/* How far to count: one more than a constant limit is enough, and keeps the state space small. Of what
 * must come at least so often, the limit itself. */
static int count_most(const wf_property *property)
{
    wf_value limit;

    if (!wf_expr_constant(property->times, &limit) || limit.type != WF_NUMBER ||
        limit.as.number >= COUNT)
        return COUNT;
    return (int)limit.as.number + (property->kind == WF_AT_LEAST ? 0 : 1);
}

/* True if `of`, which is true, comes true now: with an event, after it was false, or because of a
 * state that the step has entered again: `of` is false while that state is left. */
static bool comes_true(observation *look, const wf_property *property, bool held)
{
    if (!held || (property->of.of_event && look->seen->event))
        return true;
    return look->stayed && !is_true_in(look, property->of.rule, look->stayed);
}

/* Counts in the byte how often `of` came true. True if it comes true now. */
static bool count(observation *look, const wf_property *property, uint8_t *byte)
{
    bool now = holds(look, &property->of);
    bool starts = now && comes_true(look, property, *byte & HELD);
    int counted = holds(look, &property->since) ? 0 : *byte & COUNT;

    if (starts && counted < count_most(property))
        counted++;
    WF_INVARIANT(counted <= COUNT);
    *byte = (uint8_t)(counted | (now ? HELD : 0));
    return starts;
}

static uint8_t at_most(observation *look, const wf_property *property, uint8_t *byte)
{
    bool starts = count(look, property, byte);

    return starts && (*byte & COUNT) > times_of(look, property) ? WF_VERDICT_VIOLATED
                                                                : WF_VERDICT_NONE;
}

static uint8_t at_least(observation *look, const wf_property *property, uint8_t *byte)
{
    count(look, property, byte);
    return wf_property_pending(property, *byte) ? WF_VERDICT_PENDING : WF_VERDICT_NONE;
}

static uint8_t exactly(observation *look, const wf_property *property, uint8_t *byte)
{
    uint8_t verdict = at_most(look, property, byte);

    return wf_property_pending(property, *byte) ? WF_VERDICT_PENDING : verdict;
}

/* True between `from` and `to`: from the step in which `from` is true, or from the start, up to the
 * step before `to` is true. */
static bool is_between(observation *look, const wf_property *property, uint8_t *byte)
{
    bool from = property->before.rule ? holds(look, &property->before) : !(*byte & BEGUN);
    bool open = ((*byte & OPEN) || from) && !holds(look, &property->to);

    *byte = (uint8_t)((open ? OPEN : 0) | (property->before.rule ? 0 : BEGUN));
    return open;
}

/* What was violated is no longer waited for. */
static uint8_t until(observation *look, const wf_property *property, uint8_t *byte)
{
    if (!is_between(look, property, byte))
        return WF_VERDICT_NONE;
    if (holds(look, &property->of))
        return WF_VERDICT_PENDING;
    *byte &= (uint8_t)~OPEN;
    return WF_VERDICT_VIOLATED;
}

static uint8_t absent(observation *look, const wf_property *property, uint8_t *byte)
{
    bool open = is_between(look, property, byte);

    return open && holds(look, &property->of) ? WF_VERDICT_VIOLATED : WF_VERDICT_NONE;
}

bool wf_property_must_come(const wf_property *property)
{
    return (property->kind == WF_LEADS_TO && !property->limited) ||
           property->kind == WF_UNTIL || property->kind == WF_AT_LEAST ||
           property->kind == WF_EXACTLY;
}

bool wf_machine_must_come(const wfsm_machine *machine)
{
    for (uint32_t i = 0; i < machine->property_count; i++)
        if (wf_property_must_come(&machine->properties[i]))
            return true;
    return false;
}

bool wf_property_pending(const wf_property *property, uint8_t byte)
{
    wf_value times;

    switch (property->kind) {
    case WF_LEADS_TO:
        return byte != 0;
    case WF_UNTIL:
        return (byte & OPEN) != 0;
    case WF_AT_LEAST:
    case WF_EXACTLY:
        return wf_expr_constant(property->times, &times) && (byte & COUNT) < times.as.number;
    default:
        return false;
    }
}

static uint8_t verdict_of(observation *look, const wf_property *property, uint8_t *byte)
{
    switch (property->kind) {
    case WF_NEVER:
        return holds(look, &property->of) ? WF_VERDICT_VIOLATED : WF_VERDICT_NONE;
    case WF_ALWAYS:
        return holds(look, &property->of) ? WF_VERDICT_NONE : WF_VERDICT_VIOLATED;
    case WF_PRECEDES:
        return precedes(look, property, byte);
    case WF_LEADS_TO:
        return leads_to(look, property, byte);
    case WF_AT_MOST:
        return at_most(look, property, byte);
    case WF_UNTIL:
        return until(look, property, byte);
    case WF_ABSENT_BETWEEN:
        return absent(look, property, byte);
    case WF_AT_LEAST:
        return at_least(look, property, byte);
    case WF_EXACTLY:
        return exactly(look, property, byte);
    case WF_INSTANCES: /* one instance does not know its children: instances.c */
        return WF_VERDICT_NONE;
    default:
        return holds(look, &property->of) ? WF_VERDICT_REACHED : WF_VERDICT_NONE;
    }
}

/* Over symbols, a question about data would split the state: it is not asked, and accuses nobody. */
static void note_triggers(observation *look, const wf_property *property, uint8_t *triggered)
{
    if (property->kind == WF_INSTANCES) /* of a combination: instances_search.c */
        return;
    for (uint32_t i = 0; i < property->trigger_count; i++) {
        uint8_t bit = (uint8_t)(1u << i);
        bool asks = !look->seen->evaluator || (property->plain_triggers & bit);

        if (!(*triggered & bit) && (!asks || is_true(look, property->triggers[i])))
            *triggered |= bit;
    }
}

bool wf_property_vacuous(const wf_property *property, uint8_t triggered)
{
    return triggered != (1u << property->trigger_count) - 1;
}

/* False when out of memory. */
static bool find_stayed(const wfsm_machine *machine, observation *look)
{
    const wf_observed *seen = look->seen;

    if (!seen->reentered || wf_set_next(seen->reentered, machine->words, 0) == WF_NONE)
        return true;
    look->stayed = wf_arena_take(seen->arena, machine->words * sizeof *look->stayed);
    for (uint32_t w = 0; look->stayed && w < machine->words; w++)
        look->stayed[w] = seen->active[w] & ~seen->reentered[w];
    return look->stayed != NULL;
}

int32_t wf_monitor_observe(const wfsm_machine *machine, const wf_observed *seen,
                           uint8_t *memory, uint8_t *verdicts, const char **why)
{
    observation look = {.seen = seen,
                        .properties = machine->properties,
                        .nothing = wf_null(),
                        .limit = machine->limits.rule_steps,
                        .status = WFSM_OK};

    if (!find_stayed(machine, &look))
        return WFSM_NO_MEMORY;
    for (uint32_t i = 0; i < machine->property_count; i++) {
        const wf_property *property = &machine->properties[i];
        uint8_t *byte = property->byte == WF_NONE ? NULL : &memory[property->byte];

        if (why)
            why[i] = NULL;
        if (verdicts[i] == WF_VERDICT_REACHED || (seen->asked && !seen->asked[i]))
            continue;
        look.failure = NULL;
        verdicts[i] = verdict_of(&look, property, byte);
        /* Something that shall be possible may fail elsewhere. */
        if (look.failure && property->kind != WF_REACHABLE)
            verdicts[i] = WF_VERDICT_FAILED;
        if (why)
            why[i] = look.failure;
        if (seen->triggered)
            note_triggers(&look, property, &seen->triggered[i]);
        if (look.status)
            return look.status;
    }
    return WFSM_OK;
}

void wf_monitor_find_late(const wfsm_machine *machine, const uint8_t *memory, int64_t now,
                          int64_t *since, uint8_t *late)
{
    for (uint32_t i = 0; i < machine->property_count; i++) {
        const wf_property *property = &machine->properties[i];
        bool waits = property->limited && memory[property->byte] != 0;

        late[i] = waits && now - since[i] > property->within;
        /* What waits after the step, and did not before, begins to wait now. */
        if (!waits || late[i])
            since[i] = now;
    }
}

void wf_monitor_pass(const wfsm_machine *machine, const uint8_t *late, uint8_t *memory,
                     uint8_t *verdicts)
{
    for (uint32_t i = 0; i < machine->property_count; i++) {
        if (verdicts[i] == WF_VERDICT_VIOLATED || verdicts[i] == WF_VERDICT_FAILED)
            verdicts[i] = WF_VERDICT_NONE;
        if (!late[i])
            continue;
        memory[machine->properties[i].byte] = 0;
        verdicts[i] = WF_VERDICT_VIOLATED;
    }
}

const char *wf_property_word(int kind)
{
    static const char *const words[] = {"never",   "always",    "precedes", "leadsTo",
                                        "atMost",  "reachable", "until",    "absent",
                                        "atLeast", "exactly",   "instances"};

    return words[kind];
}
