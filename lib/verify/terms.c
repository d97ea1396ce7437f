/* verify/terms.c: makes terms, each of them once. */
#include "verify/terms.h"

#include <string.h>
#include "base/invariant.h"
#include "base/memory.h"
#include "logic/expr_tree.h"
#include "verify/expr_alike.h"
#include "verify/intern.h"

enum { FIRST_SLOTS = 256 };

bool wf_terms_init(wf_terms *terms, const wfsm_allocator *allocator)
{
    memset(terms, 0, sizeof *terms);
    wf_arena_init(&terms->arena, allocator, 0);
    wf_arena_init(&terms->scratch, allocator, 0);
    terms->table = wf_new(allocator, FIRST_SLOTS * sizeof *terms->table);
    terms->mask = FIRST_SLOTS - 1;
    return terms->table != NULL;
}

void wf_terms_fini(wf_terms *terms)
{
    const wfsm_allocator *allocator = terms->arena.allocator;
    if (!allocator)
        return;
    wf_free(allocator, terms->list);
    wf_free(allocator, terms->table);
    wf_arena_fini(&terms->arena);
    wf_arena_fini(&terms->scratch);
    memset(terms, 0, sizeof *terms);
}

const wf_term_node *wf_term_at(const wf_terms *terms, wf_term term)
{
    WF_INVARIANT(term < terms->count);
    return &terms->list[term];
}

/* ---- equal terms ---- */

static uint32_t mix(uint32_t hash, uint64_t more)
{
    uint64_t x = (hash ^ more) * 0x9E3779B97F4A7C15u;
    return (uint32_t)(x >> 32) ^ (uint32_t)x;
}

static uint32_t hash_of(const wf_term_node *node)
{
    uint32_t hash = mix(node->kind, node->count);
    for (uint32_t i = 0; i < node->count; i++)
        hash = mix(hash, node->operands[i]);
    for (uint32_t i = 0; i < node->schema_count; i++)
        hash = mix(hash, (uintptr_t)node->schemas[i]);
    for (uint32_t i = 0; node->keys && i < node->count; i++)
        hash = mix(hash, node->keys[i].hash);
    hash = mix(mix(hash, wf_hash(node->key ? node->key : "", node->key_length)), node->index);
    hash = mix(hash, (uintptr_t)node->op);
    return node->kind == WF_TERM_KNOWN ? mix(hash, wf_intern_hash(&node->value)) : hash;
}

static bool same_keys(const wf_member *a, const wf_member *b, uint32_t count)
{
    for (uint32_t i = 0; a && i < count; i++)
        if (a[i].length != b[i].length || memcmp(a[i].key, b[i].key, a[i].length) != 0)
            return false;
    return true;
}

static bool same_list(const void *a, const void *b, size_t bytes)
{
    return bytes == 0 || memcmp(a, b, bytes) == 0;
}

static bool same_node(const wf_term_node *a, const wf_term_node *b)
{
    return a->hash == b->hash && a->kind == b->kind && a->count == b->count &&
           a->schema_count == b->schema_count && a->key_length == b->key_length &&
           a->index == b->index && a->op == b->op &&
           same_list(a->operands, b->operands, a->count * sizeof *a->operands) &&
           same_list(a->schemas, b->schemas, a->schema_count * sizeof *a->schemas) &&
           same_list(a->key, b->key, a->key_length) && same_keys(a->keys, b->keys, a->count) &&
           (a->kind != WF_TERM_OVER || wf_expr_alike(a->body, b->body)) &&
           (a->kind != WF_TERM_KNOWN || wf_same_value(&a->value, &b->value));
}

/* ---- new terms ---- */

static void put(uint32_t *table, uint32_t mask, uint32_t hash, uint32_t number)
{
    uint32_t at = hash & mask;
    while (table[at] != 0)
        at = (at + 1) & mask;
    table[at] = number + 1;
}

static bool make_room(wf_terms *terms)
{
    const wfsm_allocator *allocator = terms->arena.allocator;
    wf_term_node *list = wf_grow(allocator, terms->list, &terms->capacity,
                                 (size_t)terms->count + 1, sizeof *list);
    if (!list)
        return false;
    terms->list = list;
    if (terms->count < terms->mask / 2)
        return true;
    uint32_t mask = terms->mask * 2 + 1;
    uint32_t *table = wf_new(allocator, ((size_t)mask + 1) * sizeof *table);
    if (!table)
        return false;
    for (uint32_t i = 0; i < terms->count; i++)
        put(table, mask, list[i].hash, i);
    wf_free(allocator, terms->table);
    terms->table = table;
    terms->mask = mask;
    return true;
}

static const void *copy_list(wf_terms *terms, const void *list, size_t bytes)
{
    void *copy = bytes == 0 || !list ? NULL : wf_arena_take(&terms->arena, bytes);
    if (copy)
        memcpy(copy, list, bytes);
    return copy;
}

static const wf_member *copy_keys(wf_terms *terms, const wf_member *keys, uint32_t count)
{
    wf_member *copy =
        keys && count > 0 ? wf_arena_take(&terms->arena, count * sizeof *copy) : NULL;
    for (uint32_t i = 0; copy && i < count; i++) {
        copy[i] = keys[i];
        copy[i].key = wf_arena_text(&terms->arena, keys[i].key, keys[i].length);
        copy[i].value = wf_absent();
    }
    return copy;
}

/* The node is not kept if the arena fails. */
static bool copy_parts(wf_terms *terms, wf_term_node *node)
{
    node->operands = copy_list(terms, node->operands, node->count * sizeof *node->operands);
    node->schemas = copy_list(terms, node->schemas, node->schema_count * sizeof *node->schemas);
    node->keys = copy_keys(terms, node->keys, node->count);
    if (node->key)
        node->key = wf_arena_text(&terms->arena, node->key, node->key_length);
    if (node->kind == WF_TERM_KNOWN)
        node->value = wf_value_clone(&terms->arena, &node->value);
    return !terms->arena.failed;
}

bool wf_terms_are_fine(const wf_terms *terms, const wf_term *operands, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (operands[i] >= terms->count)
            return false;
    return true;
}

/* Joining many operands is as deep as joining one after the other: such a term may grow in each step. */
static uint32_t depth_of(const wf_terms *terms, const wf_term_node *node)
{
    bool joins = node->kind == WF_TERM_APPLY && node->count > 2;
    uint32_t depth = 0;
    for (uint32_t i = 0; i < node->count; i++)
        if (terms->list[node->operands[i]].depth >= depth)
            depth = terms->list[node->operands[i]].depth + 1;
    return depth + (joins ? node->count - 2 : 0);
}

static uint32_t size_of(const wf_terms *terms, const wf_term_node *node)
{
    uint64_t size = 1;
    for (uint32_t i = 0; i < node->count; i++)
        size += terms->list[node->operands[i]].size;
    return size < UINT32_MAX ? (uint32_t)size : UINT32_MAX;
}

/* Not of its hash: that depends on where schemas are in memory, and each run shall find the same. */
static uint64_t symbol_bit(const wf_term_node *node)
{
    return (uint64_t)1 << (mix(0, node->index) & 63);
}

static uint64_t symbols_of(const wf_terms *terms, const wf_term_node *node)
{
    uint64_t symbols = node->kind == WF_TERM_SYMBOL ? symbol_bit(node) : 0;
    for (uint32_t i = 0; i < node->count; i++)
        symbols |= terms->list[node->operands[i]].symbols;
    return symbols;
}

/* The number of the term that is like the node. */
static wf_term find_or_add(wf_terms *terms, wf_term_node *node)
{
    if (!wf_terms_are_fine(terms, node->operands, node->count))
        return WF_NONE;
    node->hash = hash_of(node);
    for (uint32_t at = node->hash & terms->mask; terms->table[at] != 0;
         at = (at + 1) & terms->mask)
        if (same_node(&terms->list[terms->table[at] - 1], node))
            return terms->table[at] - 1;
    node->depth = depth_of(terms, node);
    node->size = size_of(terms, node);
    node->symbols = symbols_of(terms, node);
    if (!make_room(terms) || !copy_parts(terms, node))
        return WF_NONE;
    terms->list[terms->count] = *node;
    put(terms->table, terms->mask, node->hash, terms->count);
    return terms->count++;
}

wf_term wf_term_known(wf_terms *terms, const wf_value *value)
{
    wf_term_node node = {.kind = WF_TERM_KNOWN, .value = *value};
    return find_or_add(terms, &node);
}

wf_term wf_term_symbol(wf_terms *terms, const wf_schema *const *schemas, uint32_t count,
                       uint32_t number)
{
    wf_term_node node = {
        .kind = WF_TERM_SYMBOL, .schemas = schemas, .schema_count = count, .index = number};
    return find_or_add(terms, &node);
}

/* ---- parts ---- */

/* As `var` reads it; NULL: it is not there. */
static const wf_value *part_of_known(const wf_value *value, const char *key, uint32_t length)
{
    wf_path_part part;
    wf_path_part_fill(&part, key, length);
    if (value->type == WF_ARRAY)
        return part.index < value->length ? &value->as.items[part.index] : NULL;
    return wf_value_get(value, key, length);
}

/* True if the term is a container whose parts are seen: then *part is the part, or WF_NONE. */
static bool find_part(const wf_terms *terms, wf_term of, const char *key, uint32_t length,
                      wf_term *part)
{
    const wf_term_node *node = &terms->list[of];
    wf_path_part path;
    *part = WF_NONE;
    wf_path_part_fill(&path, key, length);
    if (node->kind == WF_TERM_ARRAY && path.index < node->count)
        *part = node->operands[path.index];
    for (uint32_t i = 0; node->kind == WF_TERM_OBJECT && i < node->count; i++)
        if (node->keys[i].length == length && memcmp(node->keys[i].key, key, length) == 0)
            *part = node->operands[i];
    return node->kind == WF_TERM_ARRAY || node->kind == WF_TERM_OBJECT;
}

static wf_term known_part(wf_terms *terms, const wf_value *part)
{
    const wf_value copy = part ? *part : wf_null();
    return wf_term_known(terms, &copy);
}

/* The operator `with` on an object, by a key that is known: *key. */
static bool is_with(const wf_terms *terms, wf_term of, const wf_value **key)
{
    const wf_term_node *node = &terms->list[of];
    if (node->kind != WF_TERM_APPLY || node->count != 3 || strcmp(node->op->name, "with") != 0)
        return false;
    *key = wf_term_text(terms, node->operands[1]);
    return *key != NULL;
}

/* What it has given this key, or what it was given. */
static wf_term part_of_with(wf_terms *terms, wf_term of, const wf_value *by, const char *key,
                            size_t length)
{
    const wf_term *operands = terms->list[of].operands;
    bool given = by->length == length && memcmp(by->as.text, key, length) == 0;
    return given ? operands[2] : wf_term_member(terms, operands[0], key, length);
}

wf_term wf_term_member(wf_terms *terms, wf_term of, const char *key, size_t length)
{
    wf_term part;
    const wf_value *by;
    wf_term_node node = {.kind = WF_TERM_MEMBER,
                         .count = 1,
                         .operands = &of,
                         .key = key,
                         .key_length = (uint32_t)length};
    if (of >= terms->count)
        return WF_NONE;
    if (terms->list[of].kind == WF_TERM_KNOWN)
        return known_part(terms, part_of_known(&terms->list[of].value, key, (uint32_t)length));
    if (find_part(terms, of, key, (uint32_t)length, &part))
        return part == WF_NONE ? known_part(terms, NULL) : part;
    if (is_with(terms, of, &by))
        return part_of_with(terms, of, by, key, length);
    return find_or_add(terms, &node);
}

wf_term wf_term_has(wf_terms *terms, wf_term of, const char *key, size_t length)
{
    wf_term part;
    wf_value there;
    wf_term_node node = {.kind = WF_TERM_HAS,
                         .count = 1,
                         .operands = &of,
                         .key = key,
                         .key_length = (uint32_t)length};
    if (of >= terms->count)
        return WF_NONE;
    if (terms->list[of].kind == WF_TERM_KNOWN)
        there = wf_boolean(part_of_known(&terms->list[of].value, key, (uint32_t)length));
    else if (find_part(terms, of, key, (uint32_t)length, &part))
        there = wf_boolean(part != WF_NONE);
    else
        return find_or_add(terms, &node);
    return wf_term_known(terms, &there);
}

wf_term wf_term_element(wf_terms *terms, wf_term of, uint32_t index)
{
    wf_term_node node = {.kind = WF_TERM_ELEMENT, .count = 1, .operands = &of, .index = index};
    if (of >= terms->count)
        return WF_NONE;
    const wf_term_node *self = &terms->list[of];
    if (self->kind == WF_TERM_KNOWN)
        return known_part(terms, self->value.type == WF_ARRAY && index < self->value.length
                                     ? &self->value.as.items[index]
                                     : NULL);
    if (self->kind == WF_TERM_ARRAY && index < self->count)
        return self->operands[index];
    if (self->kind == WF_TERM_ARRAY || self->kind == WF_TERM_OBJECT)
        return known_part(terms, NULL);
    return find_or_add(terms, &node);
}

/* ---- rules and containers ---- */

/* Memory until the next term is made. */
static void *scratch(wf_terms *terms, size_t bytes)
{
    wf_arena_reset(&terms->scratch);
    return wf_arena_take(&terms->scratch, bytes);
}

bool wf_term_has_symbol(const wf_terms *terms, wf_term term, bool (*is)(uint32_t number))
{
    const wf_term_node *node = wf_term_at(terms, term);
    if (node->kind == WF_TERM_SYMBOL)
        return is(node->index);
    for (uint32_t i = 0; i < node->count; i++)
        if (wf_term_has_symbol(terms, node->operands[i], is))
            return true;
    return false;
}

wf_term wf_term_plain(wf_terms *terms, const char *name, const wf_term *operands,
                      uint32_t count)
{
    wf_term_node node = {.kind = WF_TERM_APPLY,
                         .op = wf_operator_find(name, strlen(name)),
                         .operands = operands,
                         .count = count};
    return find_or_add(terms, &node);
}

wf_term wf_term_over(wf_terms *terms, const struct wf_operator *op, const wf_expr *body,
                     const wf_term *operands, uint32_t count)
{
    wf_term_node node = {
        .kind = WF_TERM_OVER, .op = op, .body = body, .operands = operands, .count = count};
    return find_or_add(terms, &node);
}

static bool all_known(const wf_terms *terms, const wf_term *list, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (list[i] >= terms->count || terms->list[list[i]].kind != WF_TERM_KNOWN)
            return false;
    return true;
}

wf_term wf_term_object(wf_terms *terms, const wf_member *keys, const wf_term *values,
                       uint32_t count)
{
    wf_term_node node = {
        .kind = WF_TERM_OBJECT, .keys = keys, .operands = values, .count = count};
    if (!all_known(terms, values, count))
        return find_or_add(terms, &node);
    wf_member *members = scratch(terms, (count + 1u) * sizeof *members);
    if (!members)
        return WF_NONE;
    for (uint32_t i = 0; i < count; i++) {
        members[i] = keys[i];
        members[i].value = terms->list[values[i]].value;
    }
    const wf_value object = wf_object(members, count);
    return object.type == WF_ABSENT ? find_or_add(terms, &node) : wf_term_known(terms, &object);
}

wf_term wf_term_array(wf_terms *terms, const wf_term *items, uint32_t count)
{
    wf_term_node node = {.kind = WF_TERM_ARRAY, .operands = items, .count = count};
    if (!all_known(terms, items, count))
        return find_or_add(terms, &node);
    wf_value *values = scratch(terms, (count + 1u) * sizeof *values);
    if (!values)
        return WF_NONE;
    for (uint32_t i = 0; i < count; i++)
        values[i] = terms->list[items[i]].value;
    const wf_value array = wf_array(values, count);
    return array.type == WF_ABSENT ? find_or_add(terms, &node) : wf_term_known(terms, &array);
}
