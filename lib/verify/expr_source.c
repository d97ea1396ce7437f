/* verify/expr_source.c: an expression as JSON again, for people. */
#include <string.h>
#include "base/buffer.h"
#include "logic/expr_tree.h"
#include "verify/cone_find.h"

static wf_value list_of(const wf_cones *all, const wf_expr *list, uint32_t count,
                        wf_arena *arena)
{
    wf_value *items = wf_arena_take(arena, (count + 1u) * sizeof *items);
    if (!items)
        return wf_absent();
    for (uint32_t i = 0; i < count; i++)
        items[i] = wf_expr_source(all, &list[i], arena);
    return wf_array(items, count);
}

static wf_value object_of(const wf_cones *all, const wf_expr *expr, wf_arena *arena)
{
    wf_member *members = wf_arena_take(arena, (expr->count + 1u) * sizeof *members);
    if (!members)
        return wf_absent();
    for (uint32_t i = 0; i < expr->count; i++)
        wf_member_set(&members[i], expr->as.object.keys[i].key, expr->as.object.keys[i].length,
                      wf_expr_source(all, &expr->as.object.list[i], arena));
    return wf_object(members, expr->count);
}

/* {NAME: VALUE} */
static wf_value rule_of(wf_arena *arena, const char *name, wf_value value)
{
    wf_member *member = wf_arena_take(arena, sizeof *member);
    if (!member)
        return wf_absent();
    wf_member_set(member, name, strlen(name), value);
    return wf_object(member, 1);
}

static wf_value path_of(wf_arena *arena, const char *first, const wf_path_part *parts,
                        uint32_t count)
{
    wf_buffer text;
    wf_buffer_init(&text, arena->allocator);
    wf_buffer_text(&text, first);
    for (uint32_t i = 0; i < count; i++) {
        if (text.length > 0)
            wf_buffer_byte(&text, '.');
        wf_buffer_add(&text, parts[i].key, parts[i].length);
    }
    wf_value copy = text.failed
                        ? wf_absent()
                        : wf_string_copy(arena, text.data ? text.data : "", text.length);
    wf_buffer_fini(&text);
    return copy;
}

static const char *start_of(const wf_var *var)
{
    static const char *const words[] = {[WF_FROM_CONTEXT] = "context",
                                        [WF_FROM_EVENT] = "event",
                                        [WF_FROM_INSTANCE] = "instance",
                                        [WF_FROM_BUDGETS] = "budgets",
                                        [WF_FROM_FAILURE] = "failure",
                                        [WF_FROM_ITEM] = "item",
                                        [WF_FROM_INDEX] = "index",
                                        [WF_FROM_CURRENT] = "current",
                                        [WF_FROM_ACCUMULATOR] = "accumulator",
                                        [WF_FROM_VISIT] = ""};
    return words[var->origin] ? words[var->origin] : "";
}

static wf_value var_of(const wf_cones *all, const wf_var *var, wf_arena *arena)
{
    wf_path_part key = {0};
    wf_value path;
    if (var->origin == WF_FROM_SLOT) {
        const wf_name *name = &all->machine->keys.list[var->slot];
        key = (wf_path_part){.key = name->text, .length = name->length};
        wf_value top = path_of(arena, "context", &key, 1);
        path =
            top.type == WF_STRING ? path_of(arena, top.as.text, var->parts, var->count) : top;
    } else {
        path = path_of(arena, start_of(var), var->parts, var->count);
    }
    return rule_of(arena, "var", path);
}

static wf_value question_of(const wf_cones *all, uint32_t number, wf_arena *arena)
{
    const wf_child_question *self = &all->machine->child_questions[number];
    wf_value *names = wf_arena_take(arena, 2 * sizeof *names);
    if (!names)
        return wf_null();
    names[0] = wf_string_z(all->machine->invokes[self->invoke].id.text);
    names[1] = wf_string_z(self->state.text);
    return wf_array(names, 2);
}

/* Of keys that are known, the `var` of each is left out. */
static wf_value operands_of(const wf_cones *all, const wf_expr *rule, wf_arena *arena)
{
    uint32_t first, keys = wf_known_keys(rule, &first);
    return list_of(all, rule->as.list, keys > 0 ? first + keys : rule->count, arena);
}

wf_value wf_expr_source(const wf_cones *all, const wf_expr *expr, wf_arena *arena)
{
    const wf_var slot = {.origin = WF_FROM_SLOT, .slot = expr->count};
    switch (expr->node) {
    case WF_NODE_CONSTANT:
        return expr->as.constant;
    case WF_NODE_SLOT:
        return var_of(all, &slot, arena);
    case WF_NODE_VAR:
        return var_of(all, expr->as.var, arena);
    case WF_NODE_STATE:
        return rule_of(arena, "in_state",
                       wf_string_z(all->machine->states[expr->count].path.text));
    case WF_NODE_CHILDREN:
        return rule_of(arena, "children_in", question_of(all, expr->count, arena));
    case WF_NODE_RULE:
        return rule_of(arena, expr->op->name, operands_of(all, expr, arena));
    case WF_NODE_ARRAY:
        return list_of(all, expr->as.list, expr->count, arena);
    default:
        return object_of(all, expr, arena);
    }
}
