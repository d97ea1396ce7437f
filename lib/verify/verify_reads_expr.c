/* What an expression wants of what it reads. The compiled form is walked, so nothing can be
 * overlooked that an evaluation would find. */
#include "verify/verify_reads.h"

#include <string.h>
#include "logic/expr_tree.h"

typedef const wf_reads_env *env_of;

static bool is_op(const wf_expr *rule, const char *const *names)
{
    for (; *names; names++)
        if (strcmp(rule->op->name, *names) == 0)
            return true;
    return false;
}

/* ---- what `var` leads to ---- */

/* A rule may look at anything: nothing may be left out. */
static void everything(wf_demands *all, env_of env)
{
    if (!all->everything)
        all->changed = true;
    all->everything = true;
    for (uint32_t slot = 0; slot < all->machine->keys.count; slot++)
        wf_demand_whole(all, wf_demand_slot(all, slot));
    wf_demand_whole(all, env->event);
}

static wf_demand *down(wf_demands *all, wf_demand *demand, const wf_path_part *parts,
                       uint32_t count)
{
    for (uint32_t i = 0; i < count && demand; i++) {
        bool element = parts[i].index != WF_NONE;
        if (element)
            wf_demand_order(all, demand);
        demand = element ? wf_demand_items(all, demand)
                         : wf_demand_part_of(all, demand, parts[i].key, parts[i].length);
    }
    return demand;
}

static bool is_part(const wf_path_part *part, const char *key)
{
    return part->length == strlen(key) && memcmp(part->key, key, part->length) == 0;
}

static void read_event(wf_demands *all, const wf_var *var, const wf_demand *wanted, env_of env)
{
    if (var->count == 0)
        wf_demand_whole(all, env->event);
    else if (is_part(&var->parts[0], "data"))
        wf_demand_add(all, down(all, env->event, var->parts + 1, var->count - 1), wanted);
}

/* What stands in the context under a schema of its own is taken to fit where it goes. */
static void read_slot(wf_demands *all, uint32_t slot, const wf_path_part *parts, uint32_t count,
                      const wf_demand *wanted)
{
    const wf_schema *context = all->machine->context_schema;
    const wf_name *key = &all->machine->keys.list[slot];
    wf_demand bare = *wanted;
    bool forbidden = false;
    if (context && wf_schema_key(context, key->text, key->length, &forbidden))
        bare.fits = NULL;
    if (bare.fits || wf_demand_looks(&bare))
        wf_demand_add(all, down(all, wf_demand_slot(all, slot), parts, count), &bare);
}

static void read_var(wf_demands *all, const wf_var *var, const wf_demand *wanted, env_of env)
{
    switch (var->origin) {
    case WF_FROM_SLOT:
        read_slot(all, var->slot, var->parts, var->count, wanted);
        break;
    case WF_FROM_EVENT:
        read_event(all, var, wanted, env);
        break;
    case WF_FROM_INSTANCE:
        all->clock = true;
        break;
    case WF_FROM_FAILURE:
        all->failure = true;
        break;
    case WF_FROM_DATA:
    case WF_FROM_CURRENT:
        wf_demand_add(all, down(all, env->element, var->parts, var->count), wanted);
        break;
    case WF_FROM_ROOT:
    case WF_FROM_CONTEXT:
        everything(all, env);
        break;
    case WF_FROM_PAIR:
        wf_demand_whole(all, env->element);
        break;
    default:
        break;
    }
    if (var->fallback)
        wf_reads_of_expr(all, var->fallback, wanted, env);
}

/* ---- rules ---- */

/* A demand that is only handed on. */
static wf_demand *want(wf_demands *all, bool whole, bool truth)
{
    wf_demand *made = wf_demand_new(all, 0);
    if (made) {
        made->passing = true;
        made->whole = whole;
        made->truth = truth;
    }
    return made;
}

static void read_operands(wf_demands *all, const wf_expr *rule, const wf_demand *wanted,
                          env_of env)
{
    for (uint32_t i = 0; wanted && i < rule->count; i++)
        wf_reads_of_expr(all, &rule->as.list[i], wanted, env);
}

/* A value that the context alone says. What is true or false is no value to compare with. */
static bool is_of_context(const wf_expr *expr)
{
    static const char *const values[] = {"+",   "-",   "*",      "/",   "%", "max",
                                         "min", "cat", "length", "get", NULL};
    if (expr->node == WF_NODE_VAR)
        return expr->as.var->origin == WF_FROM_SLOT &&
               (!expr->as.var->fallback || is_of_context(expr->as.var->fallback));
    if (expr->node != WF_NODE_RULE || !is_op(expr, values))
        return expr->node == WF_NODE_SLOT;
    for (uint32_t i = 0; i < expr->count; i++)
        if (expr->as.list[i].node != WF_NODE_CONSTANT && !is_of_context(&expr->as.list[i]))
            return false;
    return true;
}

/* Three texts that no document holds. */
static bool name_link(wf_demands *all, wf_tie *link, uint32_t number)
{
    for (uint32_t i = 0; i < 3; i++) {
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

static void link_to(wf_demands *all, wf_demand *wanted, const wf_expr *expr, bool element)
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
        all->links[i] = (wf_tie){.expr = expr, .element = element};
        if (!name_link(all, &all->links[i], i)) {
            all->failed = true;
            return;
        }
        all->link_count++;
    }
    wf_demand_link(all, wanted, i);
}

/* Values that are compared: each wants to know about the others. */
static void read_compared(wf_demands *all, const wf_expr *rule, uint32_t self, env_of env)
{
    wf_demand *wanted = want(all, true, false);
    for (uint32_t i = 0; wanted && i < rule->count; i++) {
        const wf_expr *other = &rule->as.list[i];
        if (i != self && other->node == WF_NODE_CONSTANT)
            wf_demand_constant(all, wanted, &other->as.constant);
        else if (i != self && is_of_context(other))
            link_to(all, wanted, other, false);
    }
    wf_reads_of_expr(all, &rule->as.list[self], wanted, env);
}

static void read_comparison(wf_demands *all, const wf_expr *rule, env_of env)
{
    for (uint32_t i = 0; i < rule->count; i++)
        read_compared(all, rule, i, env);
}

static void read_in(wf_demands *all, const wf_expr *rule, env_of env)
{
    if (rule->count < 2)
        return;
    const wf_expr *needle = &rule->as.list[0], *list = &rule->as.list[1];
    wf_demand *wanted = want(all, true, false), *of_list = want(all, true, true);
    if (!wanted || !of_list)
        return;
    of_list->items = want(all, true, false);
    if (list->node == WF_NODE_CONSTANT && list->as.constant.type == WF_ARRAY)
        for (uint32_t i = 0; i < list->as.constant.length; i++)
            wf_demand_constant(all, wanted, &list->as.constant.as.items[i]);
    else if (list->node == WF_NODE_CONSTANT)
        wf_demand_constant(all, wanted, &list->as.constant);
    if (list->node != WF_NODE_CONSTANT && is_of_context(list))
        link_to(all, wanted, list, true);
    if (needle->node != WF_NODE_CONSTANT && is_of_context(needle) && of_list->items)
        link_to(all, of_list->items, needle, false);
    if (needle->node == WF_NODE_CONSTANT && of_list->items)
        wf_demand_constant(all, of_list->items, &needle->as.constant);
    wf_reads_of_expr(all, needle, wanted, env);
    wf_reads_of_expr(all, list, of_list, env);
}

/* The last operand, and every second one before it, is the value of an `if`. */
static void read_if(wf_demands *all, const wf_expr *rule, const wf_demand *wanted, env_of env)
{
    wf_demand *truth = want(all, false, true);
    for (uint32_t i = 0; truth && i < rule->count; i++) {
        bool condition = i % 2 == 0 && i + 1 < rule->count;
        if (!condition || !wanted->fits || wf_demand_looks(wanted))
            wf_reads_of_expr(all, &rule->as.list[i], condition ? truth : wanted, env);
    }
}

static bool is_event_type(const wf_expr *expr)
{
    return expr->node == WF_NODE_VAR && expr->as.var->origin == WF_FROM_EVENT &&
           expr->as.var->count == 1 && is_part(&expr->as.var->parts[0], "type");
}

/* The name, or the list of names, that an operand asks the event for; NULL: none. */
static const wf_value *names_asked(const wf_expr *operand)
{
    static const char *const same[] = {"===", "==", NULL}, *const in[] = {"in", NULL};
    if (operand->node != WF_NODE_RULE || operand->count != 2)
        return NULL;
    const wf_expr *a = &operand->as.list[0], *b = &operand->as.list[1];
    if (is_op(operand, same) && is_event_type(b)) {
        const wf_expr *swap = a;
        a = b;
        b = swap;
    }
    if (!is_event_type(a) || b->node != WF_NODE_CONSTANT)
        return NULL;
    bool fits = is_op(operand, same) ? b->as.constant.type == WF_STRING
                                     : is_op(operand, in) && b->as.constant.type == WF_ARRAY;
    return fits ? &b->as.constant : NULL;
}

static void read_logic(wf_demands *all, const wf_expr *rule, const wf_demand *wanted,
                       env_of env);

/* `and` with a name of the event: the rest sees the data of that event only. */
static bool read_of_named(wf_demands *all, const wf_expr *rule, const wf_demand *wanted,
                          env_of env)
{
    const wf_value *names = NULL;
    if (strcmp(rule->op->name, "and") != 0 || env->named)
        return false;
    for (uint32_t i = 0; i < rule->count && !names; i++)
        names = names_asked(&rule->as.list[i]);
    if (!names)
        return false;
    uint32_t count = names->type == WF_STRING ? 1 : names->length;
    for (uint32_t i = 0; i < count; i++) {
        const wf_value *name = names->type == WF_STRING ? names : &names->as.items[i];
        wf_reads_env inner = *env;
        if (name->type != WF_STRING)
            continue;
        inner.event = wf_demand_named(all, name->as.text, name->length);
        inner.named = true;
        read_logic(all, rule, wanted, &inner);
    }
    return true;
}

static void read_logic(wf_demands *all, const wf_expr *rule, const wf_demand *wanted,
                       env_of env)
{
    if (read_of_named(all, rule, wanted, env))
        return;
    wf_demand *truth = want(all, false, true);
    read_operands(all, rule, truth, env);
    if (wanted->whole || wanted->constant_count > 0 || wanted->parts)
        read_operands(all, rule, wanted, env);
}

static void read_length(wf_demands *all, const wf_expr *rule, const wf_demand *wanted,
                        env_of env)
{
    wf_demand *length = want(all, false, false);
    if (!length || rule->count == 0)
        return;
    length->length = true;
    for (uint32_t i = 0; i < wanted->constant_count; i++)
        wf_demand_constant(all, length, &wanted->constants[i]);
    wf_reads_of_expr(all, &rule->as.list[0], length, env);
}

/* map, filter, all, some, none, reduce: a body that sees one element after the other. */
static void read_body(wf_demands *all, const wf_expr *rule, const wf_demand *wanted, env_of env)
{
    static const char *const maps[] = {"map", NULL}, *const filters[] = {"filter", NULL},
                             *const reduces[] = {"reduce", NULL};
    bool map = is_op(rule, maps), filter = is_op(rule, filters);
    wf_demand *list = want(all, false, false), *element = want(all, false, false),
              *body = want(all, false, false);
    if (rule->count < 2 || !list || !element || !body)
        return;
    wf_reads_env inner = {env->event, element, env->named};
    list->length = true;
    list->order = is_op(rule, reduces) || map;
    list->items = element;
    if (map && wanted->items)
        wf_demand_add(all, body, wanted->items);
    body->whole |= map ? wanted->whole : is_op(rule, reduces);
    body->truth |= !map;
    if (filter)
        wf_demand_add(all, list, wanted);
    if (body->whole || body->truth || body->constant_count > 0 || body->parts)
        wf_reads_of_expr(all, &rule->as.list[1], body, &inner);
    wf_reads_of_expr(all, &rule->as.list[0], list, env);
    for (uint32_t i = 2; i < rule->count; i++)
        wf_reads_of_expr(all, &rule->as.list[i], body, env);
}

/* `missing` and `missing_some` name what they look at by paths. */
static void read_paths(wf_demands *all, const wf_expr *rule, env_of env)
{
    if (rule->env == WF_ENV_ROOT)
        everything(all, env);
    else
        wf_demand_whole(all, env->element);
}

/* get and with: a member by a key that may be computed. */
static void read_member(wf_demands *all, const wf_expr *rule, const wf_demand *wanted,
                        env_of env)
{
    const wf_expr *key = rule->count > 1 ? &rule->as.list[1] : NULL;
    bool known = key && key->node == WF_NODE_CONSTANT && key->as.constant.type == WF_STRING &&
                 strcmp(rule->op->name, "get") == 0;
    wf_demand *container = want(all, !known, false);
    if (!container)
        return;
    if (known) {
        wf_demand_add(all,
                      wf_demand_part_of(all, container, key->as.constant.as.text,
                                        key->as.constant.length),
                      wanted);
    } else if (rule->as.list[0].node == WF_NODE_CONSTANT &&
               rule->as.list[0].as.constant.type == WF_OBJECT && key) {
        wf_demand *of_key = want(all, true, false);
        const wf_value *table = &rule->as.list[0].as.constant;
        for (uint32_t i = 0; of_key && i < table->length; i++) {
            wf_value name = wf_string(table->as.members[i].key, table->as.members[i].length);
            wf_demand_constant(all, of_key, &name);
        }
        if (of_key)
            wf_reads_of_expr(all, key, of_key, env);
    }
    read_operands(all, rule, container, env);
    if (rule->count > 2)
        wf_reads_of_expr(all, &rule->as.list[2], wanted, env);
}

/* merge, slice: the elements are those of the operands. */
static void read_lists(wf_demands *all, const wf_expr *rule, const wf_demand *wanted,
                       env_of env)
{
    wf_demand *list = want(all, wanted->whole, wanted->truth);
    if (!list)
        return;
    list->order = true;
    list->length = true;
    wf_demand_add(all, list, wanted);
    read_operands(all, rule, list, env);
}

/* The constants that a sum is compared with are those of its operand, but for the others. */
static void read_sum(wf_demands *all, const wf_expr *rule, const wf_demand *wanted, env_of env)
{
    wf_demand *shifted = want(all, true, false);
    bool minus = strcmp(rule->op->name, "-") == 0;
    double others = 0;
    if (!shifted)
        return;
    for (uint32_t i = 0; i < rule->count; i++)
        if (rule->as.list[i].node == WF_NODE_CONSTANT &&
            rule->as.list[i].as.constant.type == WF_NUMBER)
            others += rule->as.list[i].as.constant.as.number;
    for (uint32_t i = 0; i < wanted->constant_count; i++) {
        wf_value value = wanted->constants[i];
        if (value.type == WF_NUMBER)
            value = wf_number(value.as.number + (minus ? others : -others));
        wf_demand_constant(all, shifted, &value);
    }
    for (uint32_t i = 0; i < rule->count; i++) {
        const wf_expr *operand = &rule->as.list[i];
        bool event = operand->node == WF_NODE_VAR && operand->as.var->origin == WF_FROM_EVENT;
        wf_demand *plain = want(all, true, false);
        if (plain)
            wf_reads_of_expr(all, operand, event ? shifted : plain, env);
    }
}

static void read_rule(wf_demands *all, const wf_expr *rule, const wf_demand *wanted, env_of env)
{
    static const char *const comparisons[] = {"==", "===", "!=", "!==", ">",
                                              ">=", "<",   "<=", NULL};
    static const char *const conditions[] = {"if", "?:", NULL};
    static const char *const logic[] = {"and", "or", NULL};
    static const char *const truths[] = {"!", "!!", NULL};
    static const char *const sums[] = {"+", "-", NULL};
    static const char *const lists[] = {"merge", "slice", NULL};
    static const char *const members[] = {"get", "with", NULL};
    static const char *const in[] = {"in", NULL}, *const length[] = {"length", NULL};

    if (wanted->fits && !wf_demand_looks(wanted) && !is_op(rule, conditions))
        return; /* what is computed is taken to fit */
    if (rule->op->shape == WF_SHAPE_VAR) /* by a path that is computed */
        read_paths(all, rule, env);
    else if (rule->op->shape == WF_SHAPE_KEYS)
        read_paths(all, rule, env);
    else if (rule->op->shape == WF_SHAPE_BODY || rule->op->shape == WF_SHAPE_REDUCE)
        read_body(all, rule, wanted, env);
    else if (is_op(rule, comparisons))
        read_comparison(all, rule, env);
    else if (is_op(rule, conditions))
        read_if(all, rule, wanted, env);
    else if (is_op(rule, logic))
        read_logic(all, rule, wanted, env);
    else if (is_op(rule, truths))
        read_operands(all, rule, want(all, false, true), env);
    else if (is_op(rule, in))
        read_in(all, rule, env);
    else if (is_op(rule, length))
        read_length(all, rule, wanted, env);
    else if (is_op(rule, members))
        read_member(all, rule, wanted, env);
    else if (is_op(rule, lists))
        read_lists(all, rule, wanted, env);
    else if (is_op(rule, sums))
        read_sum(all, rule, wanted, env);
    else
        read_operands(all, rule, want(all, true, false), env);
}

/* ---- templates ---- */

static void read_object(wf_demands *all, const wf_expr *expr, const wf_demand *wanted,
                        env_of env)
{
    wf_demand *whole = wanted->whole ? want(all, true, false) : NULL;
    for (uint32_t i = 0; i < expr->count; i++) {
        const wf_member *key = &expr->as.object.keys[i];
        const wf_demand *part = wf_demand_member(wanted, key->key, key->length);
        if (part)
            wf_reads_of_expr(all, &expr->as.object.list[i], part, env);
        if (whole)
            wf_reads_of_expr(all, &expr->as.object.list[i], whole, env);
    }
}

static void read_array(wf_demands *all, const wf_expr *expr, const wf_demand *wanted,
                       env_of env)
{
    wf_demand *whole = wanted->whole ? want(all, true, false) : NULL;
    for (uint32_t i = 0; i < expr->count; i++) {
        if (wanted->items)
            wf_reads_of_expr(all, &expr->as.list[i], wanted->items, env);
        if (whole)
            wf_reads_of_expr(all, &expr->as.list[i], whole, env);
    }
}

void wf_reads_of_expr(wf_demands *all, const wf_expr *expr, const wf_demand *wanted,
                      const wf_reads_env *env)
{
    if (!expr || !wanted || all->failed)
        return;
    switch (expr->node) {
    case WF_NODE_SLOT:
        read_slot(all, expr->count, NULL, 0, wanted);
        break;
    case WF_NODE_VAR:
        read_var(all, expr->as.var, wanted, env);
        break;
    case WF_NODE_RULE:
        read_rule(all, expr, wanted, env);
        break;
    case WF_NODE_ARRAY:
        read_array(all, expr, wanted, env);
        break;
    case WF_NODE_OBJECT:
        read_object(all, expr, wanted, env);
        break;
    default:
        break;
    }
}

/* ---- names ---- */

static bool any_mentions(const wf_expr *list, uint32_t count, const char *text, size_t length)
{
    for (uint32_t i = 0; i < count; i++)
        if (wf_reads_mention(&list[i], text, length))
            return true;
    return false;
}

bool wf_reads_mention(const wf_expr *expr, const char *text, size_t length)
{
    switch (expr->node) {
    case WF_NODE_CONSTANT:
        return expr->as.constant.type == WF_STRING && expr->as.constant.length == length &&
               memcmp(expr->as.constant.as.text, text, length) == 0;
    case WF_NODE_RULE:
    case WF_NODE_ARRAY:
        return any_mentions(expr->as.list, expr->count, text, length);
    case WF_NODE_OBJECT:
        return any_mentions(expr->as.object.list, expr->count, text, length);
    case WF_NODE_VAR:
        return expr->as.var->fallback && wf_reads_mention(expr->as.var->fallback, text, length);
    default:
        return false;
    }
}
