/* verify/hiding_eval.c: expressions over values of which some are hidden. What a rule asks of those is not
 * evaluated: each answer is possible. */
#include <stdlib.h>
#include <string.h>
#include "base/memory.h"
#include "verify/assigned.h"
#include "verify/cone_find.h"
#include "verify/exactness.h"
#include "verify/explorer.h"
#include "verify/expr_alike.h"
#include "verify/hiding.h"
#include "verify/symbolic_eval.h"

static wf_hiding *hiding_of(const wf_explorer *explorer)
{
    return explorer->symbolic ? explorer->symbolic->hiding : NULL;
}

/* ---- what is read ---- */

static bool reads_any_key(const wf_hiding *self)
{
    for (uint32_t i = 0; i < self->keys; i++)
        if (self->hidden[i])
            return true;
    return false;
}

static bool reads_var(const wf_hiding *self, const wf_var *var)
{
    bool all = var->origin == WF_FROM_ROOT || var->origin == WF_FROM_CONTEXT;
    if (var->origin == WF_FROM_SLOT && self->hidden[var->slot])
        return true;
    return (all && reads_any_key(self)) ||
           (var->fallback && wf_hiding_reads(self, var->fallback));
}

static bool any_reads(const wf_hiding *self, const wf_expr *list, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (wf_hiding_reads(self, &list[i]))
            return true;
    return false;
}

/* A path that is computed may lead there, too: then what it finds is a symbol, and as unknown. */
bool wf_hiding_reads(const wf_hiding *self, const wf_expr *expr)
{
    switch (expr->node) {
    case WF_NODE_SLOT:
        return self->hidden[expr->count] != WF_FOLLOWED;
    case WF_NODE_VAR:
        return reads_var(self, expr->as.var);
    case WF_NODE_RULE:
    case WF_NODE_ARRAY:
        return any_reads(self, expr->as.list, expr->count);
    case WF_NODE_OBJECT:
        return any_reads(self, expr->as.object.list, expr->count);
    default:
        return false;
    }
}

/* A negated comparison as the one that it negates. */
static wf_expr positive(const wf_expr *rule)
{
    wf_expr copy = *rule;
    if (rule->node == WF_NODE_RULE && strcmp(rule->op->name, "!==") == 0 && rule->count == 2)
        copy.op = wf_operator_find("===", 3);
    return copy;
}

bool wf_hiding_is_fact(const wf_hiding *self, const wf_expr *rule)
{
    const wf_expr asked = positive(rule);
    for (uint32_t i = 0; i < self->fact_count; i++) {
        const wf_expr fact = positive(self->facts[i]);
        if (self->facts[i] == rule || wf_expr_alike(&fact, &asked))
            return true;
    }
    return false;
}

static void meet_rule(wf_hiding *self, const wf_expr *rule)
{
    if (self->met_rule_count < WF_MET_RULES_MOST)
        self->met_rules[self->met_rule_count++] = rule;
}

static bool reads_event(const wf_expr *expr);

/* ---- guards ---- */

/* Answers that are possible. */
enum { YES = 1, NO = 2, FAILS = 4 };

static int32_t answers_of(wf_symbolic *self, const wf_expr *rule, wf_run *run,
                          uint8_t *answers);

static int32_t answers_of_value(wf_symbolic *self, const wf_expr *rule, wf_run *run,
                                uint8_t *answers)
{
    wf_value value;
    bool yes = false;
    if (wf_hiding_reads(self->hiding, rule) && !wf_hiding_is_fact(self->hiding, rule)) {
        meet_rule(self->hiding, rule);
        *answers = (uint8_t)(YES | NO |
                             (wf_typed_may_fail(self->explorer->machine, rule) ? FAILS : 0));
        return WFSM_OK;
    }
    int32_t status = wf_symbolic_eval(self, rule, run, &value);
    self->hiding->lasts = wf_hiding_reads(self->hiding, rule) && !reads_event(rule);
    if (status == WFSM_OK)
        status = wf_decide_truth(self, rule, 32, &value, &yes);
    self->hiding->lasts = false;
    *answers = status == WFSM_SEMANTIC ? FAILS : yes ? YES : NO;
    return status == WFSM_SEMANTIC ? WFSM_OK : status;
}

/* The operands are asked in turn until one has the answer `until`. */
static int32_t answers_of_first(wf_symbolic *self, const wf_expr *rule, wf_run *run,
                                uint8_t until, uint8_t *answers)
{
    const uint8_t goes_on = until == YES ? NO : YES;
    int32_t status = WFSM_OK;
    *answers = goes_on;
    for (uint32_t i = 0; i < rule->count && (*answers & goes_on) && status == WFSM_OK; i++) {
        uint8_t one = 0;
        status = answers_of(self, &rule->as.list[i], run, &one);
        *answers = (uint8_t)((*answers & ~goes_on) | one);
    }
    return status;
}

static int32_t answers_of_not(wf_symbolic *self, const wf_expr *rule, wf_run *run,
                              uint8_t *answers)
{
    uint8_t one = 0;
    int32_t status = answers_of(self, &rule->as.list[0], run, &one);
    *answers = (uint8_t)((one & FAILS) | (one & YES ? NO : 0) | (one & NO ? YES : 0));
    return status;
}

static bool is_op(const wf_expr *rule, const char *name)
{
    return rule->node == WF_NODE_RULE && strcmp(rule->op->name, name) == 0 &&
           rule->mode == WF_MODE_LISTED && rule->count > 0;
}

/* Its one operand may stand there without a list. */
static bool is_unary(const wf_expr *rule, const char *name)
{
    return rule->node == WF_NODE_RULE && strcmp(rule->op->name, name) == 0 &&
           rule->mode <= WF_MODE_SPREAD && rule->count == 1;
}

bool wf_hiding_is_truth(const wf_expr *rule)
{
    return is_op(rule, "and") || is_op(rule, "or") || is_unary(rule, "!") ||
           is_unary(rule, "!!");
}

static int32_t answers_of(wf_symbolic *self, const wf_expr *rule, wf_run *run, uint8_t *answers)
{
    if (is_op(rule, "and"))
        return answers_of_first(self, rule, run, NO, answers);
    if (is_op(rule, "or"))
        return answers_of_first(self, rule, run, YES, answers);
    if (is_unary(rule, "!"))
        return answers_of_not(self, rule, run, answers);
    if (is_unary(rule, "!!"))
        return answers_of(self, &rule->as.list[0], run, answers);
    return answers_of_value(self, rule, run, answers);
}

/* One of the answers; they are choices of the run. */
static uint8_t pick(wf_symbolic *self, uint8_t answers)
{
    bool first = true;
    for (uint8_t one = YES; one < FAILS; one = (uint8_t)(one << 1)) {
        if (answers == one)
            return one;
        if ((answers & one) == 0)
            continue;
        self->splits = true;
        wf_decide_freely(self, NULL, 0, &first);
        if (first)
            return one;
        answers &= (uint8_t)~one;
    }
    return answers;
}

int32_t wf_hiding_test(wf_symbolic *self, const wf_expr *rule, wf_run *run, bool *yes)
{
    uint8_t answers = 0;
    int32_t status = answers_of(self, rule, run, &answers);
    if (status != WFSM_OK)
        return status;
    uint8_t one = pick(self, answers);
    *yes = one == YES;
    if (one != FAILS)
        return WFSM_OK;
    wf_symbolic_fails(run);
    return WFSM_SEMANTIC;
}

/* ---- facts ---- */

typedef struct asking {
    wf_explorer *explorer;
    const wf_expr *rule;
    uint32_t slot;
    wf_value *slots;
} asking;

/* What the rule says if the key has this value. */
static int32_t ask(const asking *self, const wf_value *value, wf_value *answer)
{
    static const wf_value nothing = {.type = WF_NULL};
    const wf_snapshot *snapshot = &self->explorer->snapshot;
    wf_scope scope = {.arena = &self->explorer->symbolic->scratch,
                      .slots = self->slots,
                      .keys = wf_snapshot_keys(snapshot),
                      .slot_count = (uint32_t)snapshot->slot_count,
                      .event = &nothing,
                      .instance = &nothing,
                      .active = snapshot->active,
                      .steps = WF_EVAL_STEPS};
    wf_run run = {.scope = &scope};
    self->slots[self->slot] = *value;
    return wf_symbolic_eval(self->explorer->symbolic, self->rule, &run, answer);
}

/* What it says of the value is said of the symbol; nothing, if that is not known. */
static int32_t note_fact(const asking *self, const wf_value *value, const wf_value *symbol)
{
    wf_symbolic *symbolic = self->explorer->symbolic;
    wf_value of_value, of_symbol;
    wf_term term;
    bool yes = false;
    int32_t status = ask(self, symbol, &of_symbol);
    if (status != WFSM_OK || !wf_symbolic_term(&of_symbol, &term))
        return status;
    status = ask(self, value, &of_value);
    if (status == WFSM_OK)
        status = wf_decide_truth(symbolic, self->rule, 41, &of_value, &yes);
    if (status == WFSM_OK)
        wf_decide_known(symbolic,
                        &(wf_literal){.kind = yes ? WF_IS_TRUE : WF_IS_FALSE, .term = term});
    return status;
}

static bool any_reads_event(const wf_expr *list, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (reads_event(&list[i]))
            return true;
    return false;
}

/* It, or what may be it: then the rule says nothing about the time after the step. */
static bool reads_event(const wf_expr *expr)
{
    switch (expr->node) {
    case WF_NODE_VAR:
        return expr->as.var->origin == WF_FROM_EVENT || expr->as.var->origin == WF_FROM_ROOT ||
               expr->as.var->climb > 0 ||
               (expr->as.var->fallback && reads_event(expr->as.var->fallback));
    case WF_NODE_RULE:
        return expr->mode >= WF_MODE_SCOPED || any_reads_event(expr->as.list, expr->count);
    case WF_NODE_ARRAY:
        return any_reads_event(expr->as.list, expr->count);
    case WF_NODE_OBJECT:
        return any_reads_event(expr->as.object.list, expr->count);
    default:
        return false;
    }
}

/* True if the rule reads this key. */
static bool is_about(const wf_hiding *self, const wf_expr *rule, uint32_t slot)
{
    uint8_t *only = self->only;
    memset(only, 0, self->keys);
    only[slot] = WF_NOT_READ;
    return wf_hiding_reads(&(wf_hiding){.hidden = only, .keys = self->keys}, rule);
}

static void note_facts(asking *self, const wf_value *value, const wf_value *symbol)
{
    wf_hiding *hiding = hiding_of(self->explorer);
    hiding->lasts = true;
    for (uint32_t i = 0; i < hiding->fact_count; i++) {
        self->rule = hiding->facts[i];
        if (is_about(hiding, self->rule, self->slot) && !reads_event(self->rule) &&
            note_fact(self, value, symbol) == WFSM_NO_MEMORY)
            self->explorer->symbolic->failed = true;
    }
    hiding->lasts = false;
}

/* Its value is known, or parts of it are: a symbol takes its place. */
static wf_value symbol_for(wf_explorer *explorer, uint32_t slot, const wf_value *value)
{
    wf_symbolic *symbolic = explorer->symbolic;
    const wf_value symbol = wf_hiding_value(symbolic, slot, ++symbolic->hiding->made);
    size_t size = explorer->snapshot.slot_count * sizeof(wf_value);
    asking self = {.explorer = explorer, .slot = slot};
    self.slots = wf_arena_take(&symbolic->scratch, size + 1);
    symbolic->failed |= !self.slots;
    if (!self.slots)
        return symbol;
    memcpy(self.slots, explorer->snapshot.slots, size);
    note_facts(&self, value, &symbol);
    return symbol;
}

/* Of an object with another member the others are known. */
static bool is_with(const wf_symbolic *self, wf_term term)
{
    const wf_term_node *node = wf_term_at(&self->terms, term);
    return node->kind == WF_TERM_APPLY && strcmp(node->op->name, "with") == 0;
}

wf_value wf_hiding_facts(wf_explorer *explorer, uint32_t slot, const wf_value *value)
{
    wf_hiding *self = hiding_of(explorer);
    wf_term term;
    if (!self || self->hidden[slot] != WF_KNOWN_BY_FACTS || value->type == WF_ABSENT)
        return *value;
    bool open = wf_symbolic_term(value, &term) && !is_with(explorer->symbolic, term);
    const wf_value symbol = open ? *value : symbol_for(explorer, slot, value);
    if (wf_symbolic_term(&symbol, &term))
        self->known[self->known_count++] = term;
    return symbol;
}

/* ---- values that nobody needs ---- */

/* Its evaluation cannot fail, and its value always fits. */
static bool always_assigns(const wfsm_machine *machine, const wf_expr *expr,
                           const wf_schema *schema)
{
    enum wf_type type = wf_expr_type(expr);
    wf_value value;
    if (wf_typed_may_fail(machine, expr))
        return false;
    if (!schema)
        return true;
    if (wf_expr_constant(expr, &value))
        return wf_schema_check(schema, &value, NULL) == WFSM_OK;
    return type != WF_ABSENT && wf_schema_takes_all(schema, type);
}

static int by_expression(const void *a, const void *b)
{
    const wf_unread *one = a, *other = b;
    uintptr_t x = (uintptr_t)one->expr, y = (uintptr_t)other->expr;
    return x < y ? -1 : x > y;
}

typedef struct finder {
    wf_explorer *explorer;
    wf_hiding *hiding;
    size_t capacity;
    bool failed;
} finder;

static void add(finder *self, const wf_unread *one)
{
    wf_hiding *hiding = self->hiding;
    if (hiding->unread_count == self->capacity) {
        size_t capacity = self->capacity * 2 + 64;
        wf_unread *list = wf_arena_take(&self->explorer->arena, capacity * sizeof *list);
        self->failed |= !list;
        if (!list)
            return;
        if (hiding->unread_count > 0)
            memcpy(list, hiding->unread, hiding->unread_count * sizeof *list);
        hiding->unread = list;
        self->capacity = capacity;
    }
    hiding->unread[hiding->unread_count++] = *one;
}

/* Constants are known. */
static void note_assigned(void *user, const wf_target *target, const wf_expr *value)
{
    finder *self = user;
    if (!value || target->depth > 0 || wf_expr_constant(value, &(wf_value){0}))
        return;
    wf_unread one = {.expr = value,
                     .slot = target->slot,
                     .fits = always_assigns(self->explorer->machine, value,
                                            self->hiding->schemas[target->slot]),
                     .partly = self->hiding->evaluated[target->slot]};
    if (self->hiding->hidden[target->slot])
        add(self, &one);
}

/* An agent that is neither a person nor a workflow: nothing tells it from others. */
static bool is_ordinary(const wfsm_machine *machine, uint32_t agent)
{
    const wf_name *name = &machine->agents.list[agent];
    return !wf_is_person(name) && !wf_child_machine(name->text);
}

static const char *any_agent(const wfsm_machine *machine, const wf_invoke *invoke)
{
    for (uint32_t i = 0; i < invoke->srcs.count; i++)
        if (!is_ordinary(machine, machine->lists[invoke->srcs.first + i]))
            return NULL;
    return invoke->srcs.count > 0
               ? machine->agents.list[machine->lists[invoke->srcs.first]].text
               : NULL;
}

static void note_invoke(finder *self, const wf_invoke *invoke)
{
    const wf_expr *const places[] = {invoke->priority, invoke->phase, invoke->group};
    const char *agent = any_agent(self->explorer->machine, invoke);
    if (agent && invoke->src && !wf_expr_constant(invoke->src, &(wf_value){0}))
        add(self, &(wf_unread){.expr = invoke->src, .slot = WF_NONE, .name = agent});
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        if (places[i] && !wf_expr_constant(places[i], &(wf_value){0}))
            add(self, &(wf_unread){.expr = places[i], .slot = WF_NONE});
    if (agent && invoke->input && !wf_typed_may_fail(self->explorer->machine, invoke->input))
        add(self, &(wf_unread){.expr = invoke->input, .slot = WF_NONE, .fits = true});
}

static bool find_all_unread(wf_explorer *explorer)
{
    const wfsm_machine *machine = explorer->machine;
    finder self = {.explorer = explorer, .hiding = explorer->symbolic->hiding};
    self.hiding->unread_count = 0;
    self.hiding->unread = NULL;
    wf_assigned_each(machine, note_assigned, &self);
    for (uint32_t i = 0; i < machine->invoke_count; i++)
        note_invoke(&self, &machine->invokes[i]);
    if (self.hiding->unread_count > 0)
        qsort(self.hiding->unread, self.hiding->unread_count, sizeof *self.hiding->unread,
              by_expression);
    return !self.failed;
}

static const wf_unread *find_unread(const wf_hiding *self, const wf_expr *expr)
{
    const wf_unread key = {.expr = expr};
    if (!self || self->unread_count == 0)
        return NULL;
    return bsearch(&key, self->unread, self->unread_count, sizeof key, by_expression);
}

static wf_value value_of(wf_symbolic *self, const wf_unread *unread)
{
    if (unread->slot != WF_NONE)
        return wf_hiding_value(self, unread->slot, ++self->hiding->made);
    return unread->name ? wf_string_z(unread->name) : wf_null();
}

static int32_t eval_partly(wf_symbolic *self, const wf_expr *expr, const wf_cone *read,
                           wf_run *run, wf_value *value);

/* Of a member that no fact reads, nothing is evaluated: it is any value, or fails. */
static int32_t eval_member(wf_symbolic *self, const wf_expr *expr, const wf_cone *read,
                           wf_run *run, wf_value *value)
{
    bool fails = false;
    if (read || expr->node == WF_NODE_CONSTANT)
        return eval_partly(self, expr, read, run, value);
    if (wf_typed_may_fail(self->explorer->machine, expr)) {
        self->splits = true;
        wf_decide_freely(self, expr, 45, &fails);
    }
    if (fails)
        return wf_symbolic_fails(run);
    *value = wf_symbolic_fresh(self, NULL);
    return value->type == WF_ABSENT ? WFSM_NO_MEMORY : WFSM_OK;
}

static int32_t eval_object(wf_symbolic *self, const wf_expr *expr, const wf_cone *read,
                           wf_run *run, wf_value *value)
{
    wf_member *members = wf_arena_take(run->scope->arena, (expr->count + 1u) * sizeof *members);
    int32_t status = members ? WFSM_OK : WFSM_NO_MEMORY;
    for (uint32_t i = 0; i < expr->count && status == WFSM_OK; i++) {
        members[i] = expr->as.object.keys[i];
        status = eval_member(self, &expr->as.object.list[i],
                             wf_cone_member(read, members[i].key, members[i].length), run,
                             &members[i].value);
    }
    if (status != WFSM_OK)
        return status;
    *value = wf_object(members, expr->count);
    return value->type == WF_ABSENT ? WFSM_LIMIT : WFSM_OK;
}

static int32_t eval_choice(wf_symbolic *self, const wf_expr *rule, const wf_cone *read,
                           wf_run *run, wf_value *value)
{
    uint32_t i = 0;
    for (; i + 1 < rule->count; i += 2) {
        bool yes = false;
        wf_value truth;
        int32_t status = wf_symbolic_eval(self, &rule->as.list[i], run, &truth);
        if (status == WFSM_OK)
            status = wf_decide_truth(self, &rule->as.list[i], 3, &truth, &yes);
        if (status != WFSM_OK)
            return status;
        if (yes)
            return eval_partly(self, &rule->as.list[i + 1], read, run, value);
    }
    *value = wf_null();
    return i < rule->count ? eval_partly(self, &rule->as.list[i], read, run, value) : WFSM_OK;
}

/* An expression whose value has this cone: `read` is NULL if nothing of it is read. */
static int32_t eval_partly(wf_symbolic *self, const wf_expr *expr, const wf_cone *read,
                           wf_run *run, wf_value *value)
{
    if (expr->node == WF_NODE_OBJECT && read && !read->whole)
        return eval_object(self, expr, read, run, value);
    if (is_op(expr, "if"))
        return eval_choice(self, expr, read, run, value);
    return wf_symbolic_eval(self, expr, run, value);
}

/* Who does the work and where matters only if that can be known. */
bool wf_hiding_skips(wf_symbolic *self, const wf_expr *expr, wf_run *run, wf_value *value,
                     int32_t *status)
{
    const wf_unread *unread = find_unread(self->hiding, expr);
    bool fine = true;
    if (!unread)
        return false;
    if (unread->partly) {
        *status = eval_partly(self, expr, self->hiding->read[unread->slot], run, value);
        return true;
    }
    *status = WFSM_OK;
    *value = value_of(self, unread);
    if (!unread->fits) {
        self->splits = true;
        *status = wf_decide_freely(self, NULL, 0, &fine);
    }
    if (!fine && unread->slot != WF_NONE)
        self->hiding->met[unread->slot] = WF_MET_ASSIGNED;
    if (value->type == WF_ABSENT)
        *status = WFSM_NO_MEMORY;
    else if (!fine)
        *status = WFSM_SEMANTIC;
    return true;
}

/* ---- a search ---- */

static bool find_read(wf_explorer *explorer)
{
    static const wf_cone whole = {.whole = true};
    wf_hiding *self = hiding_of(explorer);
    wf_cones all = {.machine = explorer->machine, .arena = &explorer->arena};
    const wf_cone_env env = {.event = &all.any};
    all.slots = wf_arena_zero(&explorer->arena, (self->keys + 1u) * sizeof *all.slots);
    for (uint32_t i = 0; all.slots && i < self->fact_count; i++)
        wf_cone_of_expr(&all, self->facts[i], &whole, &env);
    for (uint32_t i = 0; all.slots && !all.failed && all.everything && i < self->keys; i++)
        wf_cone_whole(&all, wf_cone_slot(&all, i));
    self->read = all.slots;
    return all.slots && !all.failed;
}

bool wf_hiding_begin(wf_explorer *explorer)
{
    wf_hiding *self = hiding_of(explorer);
    wf_arena *arena = &explorer->arena;
    if (!self)
        return true;
    self->schemas = wf_arena_zero(arena, (self->part_count + 1u) * sizeof *self->schemas);
    self->values = wf_arena_zero(arena, (self->keys + 1u) * sizeof *self->values);
    for (uint32_t i = 0; self->schemas && self->values && i < self->keys; i++) {
        self->schemas[i] = wf_key_schema(explorer->machine, i);
        self->values[i] = wf_hiding_value(explorer->symbolic, i, 0);
        if (self->values[i].type == WF_ABSENT)
            return false;
    }
    for (uint32_t i = self->keys; self->schemas && i < self->part_count; i++)
        self->schemas[i] = wf_symbolic_count(explorer->symbolic);
    return self->schemas && self->values && find_read(explorer) && find_all_unread(explorer);
}
