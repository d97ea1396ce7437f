/* verify/hiding_unread.c: expressions whose values nobody needs as they are. They are not evaluated, or only
 * the members that facts read. */
#include <stdlib.h>
#include <string.h>
#include "base/memory.h"
#include "verify/assigned.h"
#include "verify/cone_find.h"
#include "verify/exactness.h"
#include "verify/explorer.h"
#include "verify/hiding.h"
#include "verify/symbolic_eval.h"

/* Its value always fits. */
static bool always_fits(const wf_expr *expr, const wf_schema *schema)
{
    enum wf_type type = wf_expr_type(expr);
    if (!schema)
        return true;
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

/* An assignment before it in the same action is to a key that is not hidden. That one remains if the value does
 * not fit. */
static bool follows_others(const finder *self, wf_span before)
{
    const wf_assignment *list = self->explorer->machine->assignments;
    for (uint32_t i = before.first; i < before.first + before.count; i++)
        if (self->hiding->hidden[list[i].target.slot] != WF_NOT_READ)
            return true;
    return false;
}

/* Constants are known. */
static void note_assigned(void *user, const wf_target *target, const wf_expr *value,
                          wf_span before)
{
    finder *self = user;
    if (!value || target->depth > 0 || !self->hiding->hidden[target->slot] ||
        wf_expr_constant(value, &(wf_value){0}))
        return;
    const bool fails = wf_typed_may_fail(self->explorer->machine, value);
    const bool fits = always_fits(value, self->hiding->schemas[target->slot]);
    const bool alone = !follows_others(self, before);
    add(self, &(wf_unread){.expr = value,
                           .slot = target->slot,
                           .fails = fails || (!fits && alone),
                           .mismatches = !fits && !alone,
                           .partly = self->hiding->evaluated[target->slot]});
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
    if (agent && wf_is_computed(invoke->src))
        add(self,
            &(wf_unread){.expr = invoke->src, .slot = WF_NONE, .fails = true, .name = agent});
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        if (wf_is_computed(places[i]))
            add(self, &(wf_unread){.expr = places[i], .slot = WF_NONE, .fails = true});
    if (agent && invoke->input && !wf_typed_may_fail(self->explorer->machine, invoke->input))
        add(self, &(wf_unread){.expr = invoke->input, .slot = WF_NONE});
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
    if (wf_typed_may_fail(self->explorer->machine, expr))
        wf_decide_freely(self, expr, 45, &fails);
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
    if (expr->node == WF_NODE_RULE && expr->mode == WF_MODE_LISTED &&
        strcmp(expr->op->name, "if") == 0 && expr->count > 0)
        return eval_choice(self, expr, read, run, value);
    return wf_symbolic_eval(self, expr, run, value);
}

/* A choice of the run: false if the assignment fails. */
static bool goes_well(wf_symbolic *self, const wf_unread *unread, bool may_go_wrong)
{
    bool fine = true;
    if (may_go_wrong)
        wf_decide_freely(self, NULL, 0, &fine);
    if (!fine && unread->slot != WF_NONE)
        self->hiding->met[unread->slot] = WF_MET_ASSIGNED;
    return fine;
}

static int32_t eval_unread(wf_symbolic *self, const wf_unread *unread, wf_value *value)
{
    const bool evaluated = goes_well(self, unread, unread->fails);
    const bool fits = !evaluated || goes_well(self, unread, unread->mismatches);
    *value = fits ? value_of(self, unread) : wf_hiding_mismatch(self, unread->slot);
    if (value->type == WF_ABSENT)
        return WFSM_NO_MEMORY;
    return evaluated ? WFSM_OK : WFSM_SEMANTIC;
}

/* Who does the work and where matters only if that can be known. */
bool wf_hiding_skips(wf_symbolic *self, const wf_expr *expr, wf_run *run, wf_value *value,
                     int32_t *status)
{
    const wf_unread *unread = find_unread(self->hiding, expr);
    if (!unread)
        return false;
    *status = unread->partly
                  ? eval_partly(self, expr, self->hiding->read[unread->slot], run, value)
                  : eval_unread(self, unread, value);
    return true;
}

/* ---- a search ---- */

static bool find_read(wf_explorer *explorer)
{
    static const wf_cone whole = {.whole = true};
    wf_hiding *self = explorer->symbolic->hiding;
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
    wf_hiding *self = explorer->symbolic ? explorer->symbolic->hiding : NULL;
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
    return self->schemas && self->values && find_read(explorer) && find_all_unread(explorer) &&
           wf_hiding_find_live(explorer);
}
