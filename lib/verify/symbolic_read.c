/* verify/symbolic_read.c: reads variables over values that may be terms: parts of what is known, members
 * of terms, and parts whose key is computed. */
#include "verify/symbolic_eval.h"

#include <string.h>
#include "logic/json.h"
#include "verify/cone_find.h"
#include "verify/explorer.h"

/* ---- by a path that is known ---- */

/* The part of a list is an element, also where a path names it. */
static int32_t part_of_term(wf_symbolic *self, const wf_expr *origin, wf_term of,
                            const wf_path_part *part, wf_value *at)
{
    const wf_value whole = *at;
    bool list = false;
    int32_t status = WFSM_OK;
    if (part->index != WF_NONE)
        status = wf_decide_type(self, origin, 47, &whole, 1u << WF_ARRAY, &list);
    if (status != WFSM_OK)
        return status;
    *at = wf_symbolic_value(self,
                            list ? wf_term_element(&self->terms, of, part->index)
                                 : wf_term_member(&self->terms, of, part->key, part->length));
    return at->type == WF_ABSENT ? WFSM_NO_MEMORY : WFSM_OK;
}

static int32_t step_down(wf_symbolic *self, const wf_expr *origin, const wf_path_part *part,
                         bool asks, wf_value *at)
{
    wf_term of;
    bool there = true;
    if (!wf_symbolic_term(at, &of)) {
        const wf_value *found = NULL;
        if (at->type == WF_ARRAY && part->index < at->length)
            found = &at->as.items[part->index];
        else if (at->type == WF_OBJECT)
            found = wf_value_get(at, part->key, part->length);
        *at = found ? *found : wf_absent();
        return WFSM_OK;
    }
    const wf_literal has = {.kind = WF_IS_TRUE,
                            .term = wf_term_has(&self->terms, of, part->key, part->length)};
    int32_t status = asks ? wf_decide(self, origin, 5, &has, &there) : WFSM_OK;
    if (status == WFSM_OK && there)
        return part_of_term(self, origin, of, part, at);
    *at = wf_absent();
    return status;
}

static bool is_built(const wf_var *var)
{
    return var->origin == WF_FROM_ROOT || var->origin == WF_FROM_CONTEXT ||
           var->origin == WF_FROM_PAIR || var->origin == WF_FROM_VISIT ||
           var->origin == WF_FROM_POSITION;
}

int32_t wf_symbolic_read(wf_symbolic *self, const wf_expr *origin, const wf_var *var,
                         wf_run *run, bool asks, wf_value *result)
{
    wf_var base = *var;
    base.count = is_built(var) ? var->count : 0;
    int32_t status = wf_var_read(&base, run, result);
    if (var->origin == WF_FROM_FAILURE && self->explorer->cones.signature)
        wf_symbolic_give_up(self, "an expression that reads the signature of a failure", NULL);
    if (status == WFSM_OK)
        wf_symbolic_see(self, var, result);
    if (is_built(var))
        return status;
    for (uint32_t i = 0; i < var->count && status == WFSM_OK && result->type != WF_ABSENT; i++)
        status = step_down(self, origin, &var->parts[i], asks && i + 1 == var->count, result);
    return status;
}

/* ---- by a key that is a term ---- */

/* ABSENT if it is not there. Any value if it is not followed. */
static int32_t anything_or_absent(wf_symbolic *self, const wf_expr *rule, wf_value *result)
{
    bool there = true;
    wf_symbolic_opaque(self);
    wf_decide_freely(self, rule, 7, &there);
    *result = there ? wf_symbolic_fresh(self, NULL) : wf_absent();
    return there && result->type == WF_ABSENT ? WFSM_NO_MEMORY : WFSM_OK;
}

static bool is_index(const wf_value *key)
{
    return key->type == WF_NUMBER && key->as.number >= 0 && key->as.number < 1e6 &&
           key->as.number == (double)(uint32_t)key->as.number;
}

/* An element of a term. */
static int32_t element_of(wf_symbolic *self, const wf_expr *rule, wf_term list, uint32_t index,
                          wf_run *run, wf_value *result)
{
    const wf_value value = wf_symbolic_value(self, list), at = wf_number(index);
    wf_expr less = {.node = WF_NODE_RULE, .mode = WF_MODE_LISTED, .count = 2};
    wf_expr length = {.node = WF_NODE_RULE, .mode = WF_MODE_LISTED, .count = 1};
    wf_value pair[2] = {at, wf_absent()}, longer;
    bool there = false;
    less.op = wf_operator_find("<", 1);
    length.op = wf_operator_find("length", 6);
    int32_t status = wf_decide_type(self, rule, 4, &value, 1u << WF_ARRAY, &there);
    *result = wf_absent();
    if (status != WFSM_OK || !there)
        return status;
    status = wf_symbolic_apply(self, &length, &value, 1, run, &pair[1]);
    if (status == WFSM_OK)
        status = wf_symbolic_apply(self, &less, pair, 2, run, &longer);
    if (status == WFSM_OK)
        status = wf_decide_truth(self, rule, 5, &longer, &there);
    if (status == WFSM_OK && there)
        *result = wf_symbolic_value(self, wf_term_element(&self->terms, list, index));
    return status;
}

/* As the operator `get`, but ABSENT if there is nothing. Keys that are numbers lead into lists,
 * texts into objects. */
static int32_t part_by(wf_symbolic *self, const wf_expr *rule, const wf_value *container,
                       const wf_value *key, wf_run *run, wf_value *result)
{
    wf_term of, by;
    bool term = wf_symbolic_term(container, &of), named = wf_symbolic_term(key, &by);
    wf_path_part part;
    *result = wf_absent();
    if (named && !term && wf_symbolic_has_places(container))
        return wf_symbolic_part(self, rule, container, key, run, result);
    if (named)
        return container->type < WF_STRING ? WFSM_OK : anything_or_absent(self, rule, result);
    if (term && is_index(key))
        return element_of(self, rule, of, (uint32_t)key->as.number, run, result);
    if (container->type == WF_ARRAY && is_index(key)) {
        if (key->as.number < container->length)
            *result = container->as.items[(uint32_t)key->as.number];
        return WFSM_OK;
    }
    if (key->type != WF_STRING || (container->type != WF_OBJECT && !term))
        return WFSM_OK;
    wf_path_part_fill(&part, key->as.text, key->length);
    if (term && part.index != WF_NONE) /* of a list it would be an element */
        return anything_or_absent(self, rule, result);
    *result = *container;
    return step_down(self, rule, &part, true, result);
}

/* The same key of the same container has the same value, also if neither is seen. */
static bool is_term_of_get(const wf_expr *rule, const wf_value *container, const wf_value *key)
{
    wf_term term;
    bool fixed = rule->count < 3 || rule->as.list[2].node == WF_NODE_CONSTANT;
    return fixed && wf_symbolic_term(container, &term) && wf_symbolic_term(key, &term);
}

static int32_t get_term(wf_symbolic *self, const wf_expr *rule, const wf_value *container,
                        const wf_value *key, wf_run *run, wf_value *result)
{
    const wf_value operands[] = {*container, *key,
                                 rule->count > 2 ? rule->as.list[2].as.constant : wf_null()};
    return wf_symbolic_apply(self, rule, operands, 3, run, result);
}

int32_t wf_symbolic_get(wf_symbolic *self, const wf_expr *rule, wf_run *run, wf_value *result)
{
    wf_value container, key;
    int32_t status = self->recurse(self, &rule->as.list[0], run, &container);
    if (rule->count < 2)
        return wf_symbolic_anything(self, rule, run, result);
    if (status == WFSM_OK)
        status = self->recurse(self, &rule->as.list[1], run, &key);
    if (status == WFSM_OK && is_term_of_get(rule, &container, &key))
        return get_term(self, rule, &container, &key, run, result);
    if (status == WFSM_OK)
        status = part_by(self, rule, &container, &key, run, result);
    if (status != WFSM_OK || result->type != WF_ABSENT)
        return status;
    if (rule->count > 2)
        return self->recurse(self, &rule->as.list[2], run, result);
    *result = wf_null();
    return WFSM_OK;
}

/* ---- by a path that is computed ---- */

/* Where a path of known keys leads; ABSENT: nowhere. */
static int32_t follow(wf_symbolic *self, const wf_expr *rule, const wf_path_part *parts,
                      uint32_t count, wf_run *run, wf_value *result)
{
    wf_var var = {.origin = wf_env_whole((enum wf_env)rule->env)};
    uint32_t used = 0;
    if (count > 0) {
        var.origin = wf_path_origin((enum wf_env)rule->env, parts, count, &used);
        if (var.origin == WF_FROM_SLOT)
            var.slot = wf_names_find(run->scope->keys, parts[1].key, parts[1].length);
    }
    var.parts = used > 0 ? parts + used : parts; /* NULL, if there are none */
    var.count = count - used;
    if (var.origin == WF_FROM_SLOT && var.slot == WF_NONE) {
        *result = wf_absent();
        return WFSM_OK;
    }
    return wf_symbolic_read(self, rule, &var, run, true, result);
}

/* Numbers are written as texts. ABSENT: it leads to nothing. */
static wf_value as_key(const wf_value *key, wf_run *run)
{
    char *text;
    if (key->type != WF_NUMBER)
        return key->type == WF_STRING ? *key : wf_absent();
    text = wf_arena_take(run->scope->arena, WF_NUMBER_BYTES);
    return text ? wf_string(text, wf_number_text(key->as.number, text)) : wf_absent();
}

/* A key of `val`: a number leads into lists, and a text also does if it is one. */
static int32_t by_last_key(wf_symbolic *self, const wf_expr *rule, const wf_value *container,
                           const wf_value *key, wf_run *run, wf_value *result)
{
    bool number = false;
    int32_t status = WFSM_OK;
    if (container->type == WF_OBJECT || container->type == WF_ARRAY)
        status = wf_decide_type(self, rule, 8, key, 1u << WF_NUMBER, &number);
    if (status != WFSM_OK)
        return status;
    return container->type < WF_ARRAY || number == (container->type == WF_ARRAY)
               ? part_by(self, rule, container, key, run, result)
               : anything_or_absent(self, rule, result);
}

/* `val` and `exists`: each operand is a key. The last one may be a term. */
static int32_t by_keys(wf_symbolic *self, const wf_expr *rule, const wf_value *keys,
                       uint32_t count, wf_run *run, wf_value *result)
{
    wf_path_part *parts = wf_arena_take(run->scope->arena, (count + 1u) * sizeof *parts);
    wf_value container;
    wf_term term;
    if (!parts)
        return WFSM_NO_MEMORY;
    for (uint32_t i = 0; i < count; i++) {
        bool last = i + 1 == count;
        *result = wf_absent();
        if (wf_symbolic_term(&keys[i], &term) && !last)
            return anything_or_absent(self, rule, result);
        if (wf_symbolic_term(&keys[i], &term)) {
            int32_t status = follow(self, rule, parts, i, run, &container);
            return status == WFSM_OK && container.type != WF_ABSENT
                       ? by_last_key(self, rule, &container, &keys[i], run, result)
                       : status;
        }
        const wf_value key = as_key(&keys[i], run);
        if (key.type != WF_STRING)
            return WFSM_OK;
        wf_path_part_fill(&parts[i], key.as.text, key.length);
    }
    return follow(self, rule, parts, count, run, result);
}

/* ---- by a path that is put together ---- */

static bool is_known_text(const wf_symbolic *self, wf_term term, wf_value *text)
{
    const wf_value *known = wf_term_text(&self->terms, term);
    if (known)
        *text = *known;
    return known && known->length > 0;
}

static bool is_cat(const wf_symbolic *self, const wf_value *value)
{
    wf_term term;
    if (!wf_symbolic_term(value, &term))
        return false;
    const wf_term_node *node = wf_term_at(&self->terms, term);
    return node->kind == WF_TERM_APPLY && strcmp(node->op->name, "cat") == 0;
}

/* `cat` of where it begins, with a dot at the end; a key; and where it leads on, after a dot, or nothing. */
static bool is_split(const wf_symbolic *self, const wf_value *path, wf_value *from,
                     wf_value *to, wf_value *key)
{
    wf_term term;
    if (!is_cat(self, path) || !wf_symbolic_term(path, &term))
        return false;
    const wf_term_node *node = wf_term_at(&self->terms, term);
    const wf_term *parts = node->operands;
    *to = wf_absent();
    if (node->count < 2 || node->count > 3 || !is_known_text(self, parts[0], from) ||
        wf_term_at(&self->terms, parts[1])->kind == WF_TERM_KNOWN ||
        (node->count == 3 && !is_known_text(self, parts[2], to)))
        return false;
    *key = wf_symbolic_value((wf_symbolic *)self, parts[1]);
    return from->length > 1 && from->as.text[0] != '.' &&
           from->as.text[from->length - 1] == '.' &&
           (to->type == WF_ABSENT ||
            (to->length > 1 && to->as.text[0] == '.' && to->as.text[1] != '.'));
}

/* Whether it is a text without a dot: one key. */
static int32_t is_one_key(wf_symbolic *self, const wf_expr *rule, const wf_value *key,
                          bool *yes)
{
    const wf_value dot = wf_string_z(".");
    int32_t status = wf_decide_type(self, rule, 45, key, 1u << WF_STRING, yes);
    if (status != WFSM_OK || !*yes)
        return status;
    const wf_literal no_dot = {.kind = WF_IS_FALSE,
                               .term = wf_symbolic_compared(self, "in", &dot, key)};
    return wf_decide(self, rule, 46, &no_dot, yes);
}

static int32_t lead_on(wf_symbolic *self, const wf_expr *rule, const wf_value *to, wf_run *run,
                       wf_value *result)
{
    wf_path_part *parts = NULL;
    uint32_t count = 0;
    int32_t status = WFSM_OK;
    if (!wf_path_parse(run->scope->arena, to->as.text + 1, to->length - 1, &parts, &count))
        return WFSM_NO_MEMORY;
    for (uint32_t i = 0; i < count && status == WFSM_OK && result->type != WF_ABSENT; i++)
        status = step_down(self, rule, &parts[i], i + 1 == count, result);
    return status;
}

static int32_t by_cat(wf_symbolic *self, const wf_expr *rule, const wf_value *path, wf_run *run,
                      wf_value *result)
{
    wf_value from, to, key, container;
    wf_path_part *parts = NULL;
    uint32_t count = 0;
    bool one = false;
    if (!is_split(self, path, &from, &to, &key))
        return anything_or_absent(self, rule, result);
    int32_t status = is_one_key(self, rule, &key, &one);
    if (status != WFSM_OK)
        return status;
    if (!one)
        return anything_or_absent(self, rule, result);
    if (!wf_path_parse(run->scope->arena, from.as.text, from.length - 1, &parts, &count))
        return WFSM_NO_MEMORY;
    status = follow(self, rule, parts, count, run, &container);
    *result = container;
    if (status == WFSM_OK && container.type != WF_ABSENT)
        status = part_by(self, rule, &container, &key, run, result);
    return status == WFSM_OK && to.type != WF_ABSENT ? lead_on(self, rule, &to, run, result)
                                                     : status;
}

/* `var`: a path with dots. */
static int32_t by_path(wf_symbolic *self, const wf_expr *rule, const wf_value *path,
                       wf_run *run, wf_value *result)
{
    wf_path_part *parts = NULL;
    uint32_t count = 0;
    wf_term term;
    if (wf_symbolic_term(path, &term))
        return by_cat(self, rule, path, run, result);
    if (path->type == WF_NUMBER || path->type == WF_BOOLEAN || path->type >= WF_ARRAY)
        return anything_or_absent(self, rule, result);
    if (!wf_path_is_whole(path) &&
        !wf_path_parse(run->scope->arena, path->as.text, path->length, &parts, &count))
        return WFSM_NO_MEMORY;
    return follow(self, rule, parts, count, run, result);
}

static int32_t eval_keys(wf_symbolic *self, const wf_expr *rule, uint32_t count, wf_run *run,
                         wf_value **keys)
{
    int32_t status = WFSM_OK;
    *keys = wf_arena_take(run->scope->arena, (count + 1u) * sizeof **keys);
    if (!*keys)
        return WFSM_NO_MEMORY;
    for (uint32_t i = 0; i < count && status == WFSM_OK; i++)
        status = self->recurse(self, &rule->as.list[i], run, &(*keys)[i]);
    return status;
}

/* What the path leads to, or ABSENT. */
static int32_t look_up(wf_symbolic *self, const wf_expr *rule, wf_run *run, wf_value *result)
{
    bool var = strcmp(rule->op->name, "var") == 0;
    uint32_t climb = rule->mode > WF_MODE_SCOPED ? rule->mode - (uint32_t)WF_MODE_SCOPED : 0;
    uint32_t count = var && rule->count > 1 ? 1 : rule->count;
    wf_value *keys;
    wf_term term;
    int32_t status = eval_keys(self, rule, count, run, &keys);
    if (status != WFSM_OK)
        return status;
    bool spreads = rule->mode == WF_MODE_SPREAD && count == 1;
    bool text = var && is_cat(self, keys);
    if (spreads && !text && (wf_symbolic_term(keys, &term) || (var && keys->type == WF_ARRAY)))
        return anything_or_absent(self, rule, result);
    if (var)
        return by_path(self, rule, keys, run, result);
    if (spreads && keys->type == WF_ARRAY)
        return by_keys(self, rule, keys->as.items, keys->length, run, result);
    return by_keys(self, rule, keys, count, wf_run_outer(run, climb), result);
}

int32_t wf_symbolic_lookup(wf_symbolic *self, const wf_expr *rule, wf_run *run,
                           wf_value *result)
{
    static const char *const exists[] = {"exists", NULL}, *const var[] = {"var", NULL};
    int32_t status = look_up(self, rule, run, result);
    if (status != WFSM_OK)
        return status;
    if (wf_expr_is_op(rule, exists))
        *result = wf_boolean(result->type != WF_ABSENT);
    if (result->type != WF_ABSENT)
        return WFSM_OK;
    if (wf_expr_is_op(rule, var) && rule->count > 1)
        return self->recurse(self, &rule->as.list[1], run, result);
    *result = wf_null();
    return WFSM_OK;
}

/* ---- missing ---- */

/* True if it is null, "" or not there. */
static int32_t is_missing(wf_symbolic *self, const wf_expr *rule, const wf_value *value,
                          wf_run *run, bool *yes)
{
    const wf_value empty = wf_string_z("");
    wf_value same;
    int32_t status = WFSM_OK;
    *yes = value->type == WF_ABSENT;
    if (!*yes)
        status = wf_decide_type(self, rule, 1, value, 1u << WF_NULL, yes);
    if (status != WFSM_OK || *yes)
        return status;
    status = wf_symbolic_same(self, rule, value, &empty, run, &same);
    return status == WFSM_OK ? wf_decide_truth(self, rule, 2, &same, yes) : status;
}

/* The keys, which may be computed. Of keys that are known, `values` are what they lead to; else it is NULL. */
static const wf_value *keys_of(const wf_expr *rule, bool some, const wf_value *operands,
                               uint32_t *count, const wf_value **values)
{
    uint32_t first;
    const uint32_t known = wf_known_keys(rule, &first);
    const wf_value *keys = operands + some;
    *values = known > 0 ? keys + known : NULL;
    *count = known > 0 ? known : rule->count - some;
    if (known > 0 || *count == 0 || keys->type != WF_ARRAY)
        return keys;
    *count = keys->length;
    return keys->as.items;
}

int32_t wf_symbolic_missing(wf_symbolic *self, const wf_expr *rule, wf_run *run,
                            wf_value *result)
{
    const bool some = strcmp(rule->op->name, "missing_some") == 0;
    uint32_t count, found = 0;
    const wf_value *values;
    wf_value *operands;
    int32_t status = eval_keys(self, rule, rule->count, run, &operands);
    if (status != WFSM_OK)
        return status;
    const wf_value *keys = keys_of(rule, some, operands, &count, &values);
    wf_value *missing = wf_arena_take(run->scope->arena, (count + 1u) * sizeof *missing);
    if (!missing)
        return WFSM_NO_MEMORY;
    if (some && operands->type != WF_NUMBER)
        return wf_symbolic_anything(self, rule, run, result);
    for (uint32_t i = 0; i < count && status == WFSM_OK; i++) {
        wf_value value = values ? values[i] : wf_absent();
        bool gone = false;
        if (!values)
            status = by_path(self, rule, &keys[i], run, &value);
        if (status == WFSM_OK)
            status = is_missing(self, rule, &value, run, &gone);
        if (gone)
            missing[found++] = keys[i];
    }
    bool enough = some && (double)(count - found) >= operands->as.number;
    *result = wf_array(missing, enough ? 0 : found);
    return status;
}
