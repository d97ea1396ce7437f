/* verify/cone_growth.c: keys that are multiplied each time they are assigned, also by way of other keys: in the end they
 * are too large for a number, and the evaluation fails. */
#include <math.h>
#include <string.h>
#include "logic/expr_tree.h"
#include "logic/schema_tree.h"
#include "verify/assigned.h"
#include "verify/cone_expr.h"

/* One key, and the keys that are computed of it. */
typedef struct growth {
    wf_cones *all;
    uint32_t slot;
    bool *seen; /* by slot: it is computed of the key */
    bool changed;
} growth;

static const wf_expr *parts_of(const wf_expr *expr)
{
    return expr->node == WF_NODE_OBJECT                                ? expr->as.object.list
           : expr->node == WF_NODE_RULE || expr->node == WF_NODE_ARRAY ? expr->as.list
                                                                       : NULL;
}

/* The slot that it reads; WF_NONE: none. */
static uint32_t read_by(const wf_expr *expr)
{
    if (expr->node == WF_NODE_SLOT)
        return expr->count;
    return expr->node == WF_NODE_VAR && expr->as.var->origin == WF_FROM_SLOT
               ? expr->as.var->slot
               : WF_NONE;
}

static bool is_computed_of(const growth *self, const wf_expr *expr)
{
    const wf_expr *parts = parts_of(expr);
    const uint32_t slot = read_by(expr);
    bool found = slot != WF_NONE && self->seen[slot];
    for (uint32_t i = 0; parts && i < expr->count && !found; i++)
        found = is_computed_of(self, &parts[i]);
    return found;
}

static void look_at(void *user, const wf_target *target, const wf_expr *value, wf_span before)
{
    growth *self = user;
    (void)before;
    if (!value || self->seen[target->slot] || !is_computed_of(self, value))
        return;
    self->seen[target->slot] = self->changed = true;
}

/* A key is also computed of it by way of other keys. */
static void find_computed(growth *self)
{
    self->seen[self->slot] = true;
    do {
        self->changed = false;
        wf_assigned_each(self->all->machine, look_at, self);
    } while (self->changed);
}

/* A factor that makes nothing larger. */
static bool is_fraction(const wf_expr *factor)
{
    return wf_expr_is_number(factor) && fabs(factor->as.constant.as.number) <= 1;
}

/* A quotient that may be larger than what is divided. */
static bool divides(const growth *self, const wf_expr *value)
{
    static const char *const over[] = {"/", NULL};
    const wf_expr *divisor = &value->as.list[1];
    return wf_expr_is_op(value, over) && value->count == 2 &&
           is_computed_of(self, &value->as.list[0]) &&
           (!wf_expr_is_number(divisor) || fabs(divisor->as.constant.as.number) < 1);
}

/* True if the expression multiplies or divides a value that is computed of the key, or adds two of them. */
static bool multiplies(const growth *self, const wf_expr *value)
{
    static const char *const times[] = {"*", NULL}, *const sums[] = {"+", "-", NULL};
    const wf_expr *parts = parts_of(value);
    uint32_t factors = 0, own = 0;
    bool found = false;
    for (uint32_t i = 0; parts && i < value->count; i++) {
        found |= multiplies(self, &parts[i]);
        factors += !is_fraction(&parts[i]);
        own += is_computed_of(self, &parts[i]);
    }
    return found || divides(self, value) ||
           (own > 0 && factors > 1 && wf_expr_is_op(value, times)) ||
           (own > 1 && wf_expr_is_op(value, sums));
}

void wf_cone_of_growth(wf_cones *all, const wf_target *target, const wf_expr *value,
                       const wf_cone_env *env)
{
    const uint32_t count = all->machine->keys.count;
    growth self = {.all = all, .slot = target->slot};
    /* Where the schema bounds the key, it is followed already if what is computed may be beyond. */
    if (target->depth == 0 && wf_schema_bounds_number(wf_schema_of_slot(all, target->slot)))
        return;
    self.seen = wf_arena_take(all->arena, (count + 1u) * sizeof *self.seen);
    all->failed |= !self.seen;
    if (!self.seen)
        return;
    memset(self.seen, true, count);
    if (!multiplies(&self, value))
        return;
    memset(self.seen, false, count);
    find_computed(&self);
    if (is_computed_of(&self, value) && multiplies(&self, value))
        wf_cone_of_expr(all, value, wf_want_vague(all), env);
}
