/* verify/data_reads.c: classes of data that differ only in what a step does not read. */
#include "verify/data_reads.h"

#include <string.h>
#include "logic/expr_tree.h"
#include "verify/cone_find.h"

/* If none of the first TRIED_MOST classes can be skipped in a state, all others are tried, too. */
enum { TRIED_MOST = 16 };
enum { CLASSES_LEAST = 256, MEMBERS_MOST = 16, VALUES_MOST = 255, BITS_MOST = 63 };

/* ---- the marks ---- */

/* The values of one member. 0 is the number of none, 1 of the first. */
typedef struct column {
    const char *key;
    uint32_t length;
    const wf_value *values[VALUES_MOST];
    uint32_t count;
    uint32_t shift;
} column;

typedef struct table {
    column columns[MEMBERS_MOST];
    uint32_t count;
} table;

/* NULL: there are too many. */
static column *column_of(table *self, const wf_member *member)
{
    for (uint32_t i = 0; i < self->count; i++)
        if (self->columns[i].length == member->length &&
            memcmp(self->columns[i].key, member->key, member->length) == 0)
            return &self->columns[i];
    if (self->count == MEMBERS_MOST)
        return NULL;
    column *made = &self->columns[self->count++];
    made->key = member->key;
    made->length = member->length;
    return made;
}

/* The number of the value; 0: there are too many. */
static uint32_t number_of(column *self, const wf_value *value)
{
    for (uint32_t i = 0; i < self->count; i++)
        if (wf_value_equal(self->values[i], value))
            return i + 1;
    if (self->count == VALUES_MOST)
        return 0;
    self->values[self->count++] = value;
    return self->count;
}

static bool fill_in(table *self, const wf_data_classes *data)
{
    for (uint32_t i = 0; i < data->count; i++)
        for (uint32_t k = 0; data->list[i].type == WF_OBJECT && k < data->list[i].length; k++) {
            const wf_member *member = &data->list[i].as.members[k];
            column *own = column_of(self, member);
            if (!own || number_of(own, &member->value) == 0)
                return false;
        }
    return true;
}

/* False if the numbers need more than one word. */
static bool place(table *self, wf_data_member *members)
{
    uint32_t used = 0;
    for (uint32_t i = 0; i < self->count; i++) {
        column *one = &self->columns[i];
        uint32_t width = 32 - (uint32_t)__builtin_clz(one->count);
        if (used + width > BITS_MOST)
            return false;
        one->shift = used;
        members[i] = (wf_data_member){.key = one->key,
                                      .length = one->length,
                                      .bits = (((uint64_t)1 << width) - 1) << used};
        used += width;
    }
    return true;
}

static uint64_t mark_of(table *self, const wf_value *value)
{
    uint64_t mark = 0;
    if (value->type != WF_OBJECT)
        return WF_NO_MARK;
    for (uint32_t k = 0; k < value->length; k++) {
        column *own = column_of(self, &value->as.members[k]); /* fill_in() has made it */
        mark |= (uint64_t)number_of(own, &value->as.members[k].value) << own->shift;
    }
    return mark;
}

static uint64_t read_by_condition(const wf_data_marks *marks, const wf_condition *condition)
{
    return condition->rule ? wf_data_read_by(marks, condition->rule) : 0;
}

static uint64_t read_by_property(const wf_data_marks *marks, const wf_property *self)
{
    uint64_t bits =
        read_by_condition(marks, &self->of) | read_by_condition(marks, &self->before) |
        read_by_condition(marks, &self->since) | read_by_condition(marks, &self->to);
    for (uint32_t i = 0; i < self->trigger_count; i++)
        bits |= wf_data_read_by(marks, self->triggers[i]);
    return self->times ? bits | wf_data_read_by(marks, self->times) : bits;
}

void wf_data_mark(wf_data_classes *data, const wfsm_machine *machine, wf_arena *arena)
{
    table *values = data->count < CLASSES_LEAST ? NULL : wf_arena_zero(arena, sizeof *values);
    wf_data_marks *marks = values ? wf_arena_zero(arena, sizeof *marks) : NULL;
    if (!marks || !fill_in(values, data))
        return;
    wf_data_member *members = wf_arena_zero(arena, MEMBERS_MOST * sizeof *members);
    marks->list = wf_arena_take(arena, data->count * sizeof *marks->list);
    if (!members || !marks->list || !place(values, members))
        return;
    marks->members = members;
    marks->member_count = values->count;
    for (uint32_t i = 0; i < data->count; i++)
        marks->list[i] = mark_of(values, &data->list[i]);
    for (uint32_t i = 0; i < machine->property_count; i++)
        marks->by_properties |= read_by_property(marks, &machine->properties[i]);
    data->marks = marks;
}

/* ---- what is read ---- */

static uint64_t all_bits(const wf_data_marks *marks)
{
    uint64_t bits = 0;
    for (uint32_t i = 0; i < marks->member_count; i++)
        bits |= marks->members[i].bits;
    return bits;
}

/* A member that no class has is nowhere. */
static uint64_t bits_of_member(const wf_data_marks *marks, const wf_path_part *part)
{
    for (uint32_t i = 0; i < marks->member_count; i++)
        if (marks->members[i].length == part->length &&
            memcmp(marks->members[i].key, part->key, part->length) == 0)
            return marks->members[i].bits;
    return 0;
}

static bool is_data(const wf_path_part *part)
{
    return part->length == 4 && memcmp(part->key, "data", 4) == 0;
}

static uint64_t read_by_var(const wf_data_marks *marks, const wf_var *var)
{
    uint64_t bits = var->fallback ? wf_data_read_by(marks, var->fallback) : 0;
    if (var->origin == WF_FROM_ROOT || (var->origin == WF_FROM_EVENT && var->count == 0))
        return all_bits(marks);
    if (var->origin != WF_FROM_EVENT || !is_data(&var->parts[0]))
        return bits;
    return bits | (var->count == 1 ? all_bits(marks) : bits_of_member(marks, &var->parts[1]));
}

static uint64_t read_by_list(const wf_data_marks *marks, const wf_expr *list, uint32_t count)
{
    uint64_t bits = 0;
    for (uint32_t i = 0; i < count; i++)
        bits |= wf_data_read_by(marks, &list[i]);
    return bits;
}

uint64_t wf_data_read_by(const wf_data_marks *marks, const wf_expr *expr)
{
    switch (expr->node) {
    case WF_NODE_VAR:
        return read_by_var(marks, expr->as.var);
    case WF_NODE_RULE:
        return wf_op_is_by_path(expr) ? all_bits(marks)
                                      : read_by_list(marks, expr->as.list, expr->count);
    case WF_NODE_ARRAY:
        return read_by_list(marks, expr->as.list, expr->count);
    case WF_NODE_OBJECT:
        return read_by_list(marks, expr->as.object.list, expr->count);
    default:
        return 0;
    }
}

/* ---- what was tried ---- */

/* The latest ones first: neighbours have most in common. */
bool wf_data_is_seen(wf_data_seen *seen, uint32_t number)
{
    uint64_t mark = seen->marks ? seen->marks->list[number] : WF_NO_MARK;
    uint32_t first = seen->count < WF_SEEN_MOST ? 0 : seen->count - WF_SEEN_MOST;
    for (uint32_t i = seen->count; mark != WF_NO_MARK && i > first; i--)
        if ((mark & seen->list[(i - 1) % WF_SEEN_MOST].bits) ==
            seen->list[(i - 1) % WF_SEEN_MOST].mark)
            return seen->helps = true;
    return false;
}

void wf_data_see(wf_data_seen *seen, uint32_t number, uint64_t bits)
{
    uint64_t mark = seen->marks ? seen->marks->list[number] : WF_NO_MARK;
    if (mark == WF_NO_MARK)
        return;
    if (seen->count >= TRIED_MOST && !seen->helps) {
        seen->marks = NULL;
        return;
    }
    bits |= seen->marks->by_properties;
    seen->list[seen->count % WF_SEEN_MOST].bits = bits;
    seen->list[seen->count % WF_SEEN_MOST].mark = mark & bits;
    seen->count++;
}
