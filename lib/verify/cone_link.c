/* verify/cone_link.c: comparisons with values of the context. What such a value is, only a state
 * says. Data refers to it by a text that no document can contain (verify/input_data.c puts the
 * value there). */
#include <string.h>
#include "logic/expr_tree.h"
#include "logic/schema_tree.h"
#include "verify/assigned.h"
#include "verify/cone_expr.h"

bool wf_expr_is_op(const wf_expr *rule, const char *const *names)
{
    for (; *names; names++)
        if (wf_operator_is(rule->op, *names))
            return true;
    return false;
}

/* In the body of `some`, `filter` and others, `val` may read the context from around the body. Such an expression
 * has no value by itself. */
bool wf_cone_is_of_context(const wf_expr *expr)
{
    static const char *const values[] = {"+",   "-",   "*",      "/",   "%", "max",
                                         "min", "cat", "length", "get", NULL};
    if (expr->node == WF_NODE_VAR)
        return expr->as.var->origin == WF_FROM_SLOT && expr->as.var->climb == 0 &&
               (!expr->as.var->fallback || wf_cone_is_of_context(expr->as.var->fallback));
    if (expr->node != WF_NODE_RULE || !wf_expr_is_op(expr, values))
        return expr->node == WF_NODE_SLOT;
    for (uint32_t i = 0; i < expr->count; i++)
        if (expr->as.list[i].node != WF_NODE_CONSTANT &&
            !wf_cone_is_of_context(&expr->as.list[i]))
            return false;
    return true;
}

/* Texts that no document can contain. */
static bool name_link(wf_cones *all, wf_context_link *link, uint32_t number)
{
    for (uint32_t i = 0; i < WF_LINK_ELEMENTS; i++) {
        char *text = wf_arena_take(all->arena, 4);
        if (!text)
            return false;
        text[0] = '\1';
        text[1] = (char)('0' + number);
        text[2] = (char)('0' + i);
        text[3] = '\0';
        link->stands[i] = wf_string(text, 3);
    }
    return true;
}

/* ---- what the context can have there ---- */

static uint32_t slot_of(const wf_expr *expr)
{
    const bool path = expr->node == WF_NODE_VAR && expr->as.var->origin == WF_FROM_SLOT;
    return path ? expr->as.var->slot : expr->node == WF_NODE_SLOT ? expr->count : WF_NONE;
}

typedef struct assigned_to {
    uint32_t slot;
    bool computed;
} assigned_to;

static void look_at_assigned(void *user, const wf_target *target, const wf_expr *value,
                             wf_span before)
{
    assigned_to *self = user;
    (void)before;
    self->computed |= target->slot == self->slot && (!value || value->node != WF_NODE_CONSTANT);
}

/* The texts that are tried beside the constants begin so, or are shorter: wf_data_add_strings(). */
static bool is_as_tried(const wf_value *value)
{
    return value->type == WF_STRING &&
           (value->length < 5 || memcmp(value->as.text, "othe", 4) == 0);
}

/* `first` is the value of the whole slot. */
static bool has_as_tried(const wf_value *first, const wf_expr *expr)
{
    const wf_var *path = expr->node == WF_NODE_VAR ? expr->as.var : NULL;
    for (uint32_t i = 0; path && first && i < path->count; i++)
        first = wf_value_get(first, path->parts[i].key, path->parts[i].length);
    for (uint32_t i = 0; first && first->type == WF_ARRAY && i < first->length; i++)
        if (is_as_tried(&first->as.items[i]))
            return true;
    return false;
}

/* Something is put into the list when it runs, or it has such texts from the start. */
static bool has_many_texts(const wf_cones *all, const wf_expr *expr)
{
    assigned_to place = {.slot = slot_of(expr), .computed = all->machine->functions.count > 0};
    if (place.slot == WF_NONE || !all->inputs)
        return true;
    wf_assigned_each(all->machine, look_at_assigned, &place);
    const wf_name *key = &all->machine->keys.list[place.slot];
    bool many = place.computed || has_as_tried(&all->machine->initial[place.slot], expr);
    for (uint32_t i = 0; i < all->input_count && !many; i++)
        many = has_as_tried(wf_value_get(&all->inputs[i], key->text, key->length), expr);
    return many;
}

static bool is_text(const wf_schema *schema)
{
    const uint32_t texts = 1u << WF_NULL | 1u << WF_BOOLEAN | 1u << WF_STRING;
    bool text = schema->options || (schema->types != 0 && !(schema->types & ~texts));
    for (uint32_t i = 0; schema->options && i < schema->options->length; i++)
        text = text && schema->options->as.items[i].type <= WF_STRING &&
               schema->options->as.items[i].type != WF_NUMBER;
    return text;
}

static bool is_any_type(const wf_cones *all, const wf_expr *expr)
{
    const wf_schema *said =
        expr->node == WF_NODE_SLOT ? wf_schema_of_slot(all, expr->count) : NULL;
    return !said || !is_text(said);
}

void wf_cone_link_to(wf_cones *all, wf_cone *wanted, const wf_expr *expr, bool element)
{
    uint32_t i = 0;
    while (i < all->link_count &&
           (all->links[i].expr != expr || all->links[i].element != element))
        i++;
    if (i == WF_LINKS) {
        wanted->many = true;
        return;
    }
    if (i == all->link_count) {
        all->links[i] = (wf_context_link){.expr = expr,
                                          .element = element,
                                          .many_texts = element && has_many_texts(all, expr),
                                          .any_types = element || is_any_type(all, expr),
                                          .reading = all->reading};
        if (!name_link(all, &all->links[i], i)) {
            all->failed = true;
            return;
        }
        all->link_count++;
    }
    wf_cone_link(all, wanted, i);
}
