/* verify/cone_keys.c: how many members an object of the context can have: those of the initial context, and those that
 * actions add. The keys of these are constants, or named by an `enum`; otherwise the number is not known. */
#include "verify/cone_expr.h"

#include <math.h>
#include "base/names.h"
#include "verify/assigned.h"

enum { KEYS_MOST = 64 };

typedef struct grown {
    const wf_cones *all;
    uint32_t slot;
    uint32_t count;
    bool unknown; /* other members are possible */
    wf_value keys[KEYS_MOST];
} grown;

/* With anything else than a text, `with` fails. */
static void note_key(grown *self, const wf_value *key)
{
    for (uint32_t i = 0; i < self->count; i++)
        if (wf_value_equal(&self->keys[i], key))
            return;
    self->unknown |= self->count == KEYS_MOST;
    if (self->count < KEYS_MOST && key->type == WF_STRING)
        self->keys[self->count++] = *key;
}

static void note_text(grown *self, const char *text, uint32_t length)
{
    const wf_value key = wf_string(text, length);
    note_key(self, &key);
}

static void note_members(grown *self, const wf_value *object)
{
    self->unknown |= object->type != WF_OBJECT;
    for (uint32_t i = 0; object->type == WF_OBJECT && i < object->length; i++)
        note_text(self, object->as.members[i].key, object->as.members[i].length);
}

/* What the schema of the context says of a value that is read there. */
static wf_schema_group said_of(const wf_cones *all, const wf_expr *expr)
{
    const wf_var *var = expr->node == WF_NODE_VAR ? expr->as.var : NULL;
    wf_schema_group group = {.count = 0};
    bool present = true;
    if (expr->node == WF_NODE_SLOT)
        wf_schema_group_add(&group, wf_schema_of_slot(all, expr->count));
    if (var && var->origin == WF_FROM_SLOT && var->climb == 0 && !var->fallback)
        group = wf_schema_of_part(wf_schema_of_slot(all, var->slot), var->parts, var->count,
                                  &present);
    return group;
}

/* Constants, or those that an `enum` names. */
static void note_keys(grown *self, const wf_expr *expr)
{
    wf_value constant = wf_absent();
    const wf_schema_group group = said_of(self->all, expr);
    const wf_value *options = NULL;
    for (uint32_t i = 0; i < group.count && !options; i++)
        options = group.list[i]->options;
    if (wf_expr_constant(expr, &constant))
        note_key(self, &constant);
    else
        self->unknown |= !options;
    for (uint32_t i = 0; options && i < options->length; i++)
        note_key(self, &options->as.items[i]);
}

static void note_value(grown *self, const wf_expr *value)
{
    static const char *const with[] = {"with", NULL};
    if (value && value->node == WF_NODE_SLOT && value->count == self->slot)
        return;
    if (value && value->node == WF_NODE_CONSTANT) {
        note_members(self, &value->as.constant);
        return;
    }
    if (!value || !wf_expr_is_op(value, with) || value->mode == WF_MODE_SPREAD ||
        value->count != 3) {
        self->unknown = true;
        return;
    }
    note_keys(self, &value->as.list[1]);
    note_value(self, &value->as.list[0]);
}

static void note_assigned(void *user, const wf_target *target, const wf_expr *value,
                          wf_span before)
{
    grown *self = user;
    (void)before;
    if (target->slot != self->slot)
        return;
    if (target->depth == 0)
        note_value(self, value);
    else
        note_text(self, target->keys[0].text, target->keys[0].length);
}

/* The initial context, and what the start puts in its place. */
static void note_first(grown *self, const wf_cones *all)
{
    const wf_name *key = &all->machine->keys.list[self->slot];
    note_members(self, &all->machine->initial[self->slot]);
    self->unknown |= !all->inputs;
    for (uint32_t i = 0; all->inputs && i < all->input_count; i++) {
        const wf_value *given = wf_value_get(&all->inputs[i], key->text, key->length);
        if (given)
            note_members(self, given);
    }
}

/* The functions of the host may put anything there. */
double wf_members_most(const wf_cones *all, uint32_t slot, const wf_expr *key)
{
    grown self = {.all = all, .slot = slot, .unknown = all->machine->functions.count > 0};
    note_keys(&self, key);
    note_first(&self, all);
    wf_assigned_each(all->machine, note_assigned, &self);
    return self.unknown ? (double)INFINITY : (double)self.count;
}
