/* logic/json_build.c: values from JSON text that is known to be well-formed. */
#include "logic/json_build.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/memory.h"
#include "base/plain.h"

enum { FIRST_PARTS = 32, FEW_MEMBERS = 16 };

static const uint64_t largest_integer = UINT64_C(1) << 53;

/* A member, or an element without a key, of a container that is not closed yet. */
typedef struct part {
    wf_member member;
    size_t at; /* of its key */
} part;

typedef struct builder {
    wf_json_reader in;
    size_t at;
    part *parts; /* of all open containers, the innermost last */
    size_t count, capacity;
    part first[FIRST_PARTS]; /* small texts need no more */
} builder;

static int32_t build(builder *self, const wf_place *place, wf_value *value);

static char skip_space(builder *self)
{
    while (self->at < self->in.length && wf_json_space(self->in.text[self->at]))
        self->at++;
    return self->at < self->in.length ? self->in.text[self->at] : '\0';
}

static bool make_room(builder *self)
{
    bool inside = self->parts == self->first;
    size_t capacity = inside ? 0 : self->capacity;
    part *parts = wf_grow(self->in.arena->allocator, inside ? NULL : self->parts,
                          &capacity, self->count * 2, sizeof *parts);
    if (!parts)
        return false;
    if (inside)
        memcpy(parts, self->first, self->count * sizeof *parts);
    self->parts = parts;
    self->capacity = capacity;
    return true;
}

static bool push(builder *self, part new)
{
    if (self->count == self->capacity && !make_room(self))
        return false;
    self->parts[self->count++] = new;
    return true;
}

/* From the opening quote to behind the closing one; *plain when nothing is escaped. */
static size_t skip_string(builder *self, bool *plain)
{
    size_t from = ++self->at;

    *plain = true;
    for (;;) {
        self->at = wf_skip_plain(self->in.text, self->at, self->in.length);
        if (self->in.text[self->at] == '"')
            return self->at++ - from;
        if (self->in.text[self->at] == '\\') {
            *plain = false;
            self->at++;
        }
        self->at++;
    }
}

/* What is escaped is never longer than its escape. */
static char *unescape(const builder *self, size_t at, size_t room, size_t *length)
{
    char *out = wf_arena_take(self->in.arena, room + 1);
    int count;

    *length = 0;
    if (!out)
        return NULL;
    while ((count = wf_json_character(self->in.text, self->in.length, &at,
                                      out + *length)) > 0)
        *length += (size_t)count;
    out[*length] = '\0';
    return out;
}

static char *read_text(builder *self, size_t *length)
{
    bool plain;
    size_t from = self->at + 1;

    *length = skip_string(self, &plain);
    if (plain)
        return wf_arena_text(self->in.arena, self->in.text + from, *length);
    return unescape(self, from, *length, length);
}

static int32_t build_string(builder *self, wf_value *value)
{
    size_t length;
    const char *text = read_text(self, &length);

    if (!text)
        return wf_arena_error(self->in.arena, self->in.error);
    *value = wf_string(text, length);
    return WFSM_OK;
}

static int32_t build_array(builder *self, const wf_place *place, wf_value *value)
{
    size_t from = self->count, count;
    wf_value *items;

    self->at++;
    while (skip_space(self) != ']') {
        wf_place at = {place, NULL, 0, self->count - from};
        part element = {.at = self->at};
        int32_t status = build(self, &at, &element.member.value);

        if (!status && !push(self, element))
            status = wf_no_memory(self->in.error);
        if (status)
            return status;
        if (skip_space(self) == ',')
            self->at++;
    }
    self->at++;
    count = self->count - from;
    items = wf_arena_take(self->in.arena, count * sizeof *items);
    if (!items)
        return wf_arena_error(self->in.arena, self->in.error);
    for (size_t i = 0; i < count; i++)
        items[i] = self->parts[from + i].member.value;
    self->count = from;
    *value = wf_array(items, count);
    return WFSM_OK;
}

static bool same_key(const wf_member *a, const wf_member *b)
{
    return a->hash == b->hash && a->length == b->length &&
           memcmp(a->key, b->key, a->length) == 0;
}

/* The first of a few members that repeats an earlier one, or NULL. */
static const part *repeated_of_few(const part *parts, size_t count)
{
    for (size_t i = 1; i < count; i++)
        for (size_t k = 0; k < i; k++)
            if (same_key(&parts[i].member, &parts[k].member))
                return &parts[i];
    return NULL;
}

/* By key, the earlier one first. Hashes are no help: somebody may have chosen them. */
static int by_key(const void *a, const void *b)
{
    const part *left = *(const part *const *)a, *right = *(const part *const *)b;
    size_t length = left->member.length < right->member.length ? left->member.length
                                                               : right->member.length;
    int order = memcmp(left->member.key, right->member.key, length);

    if (!order && left->member.length != right->member.length)
        order = left->member.length < right->member.length ? -1 : 1;
    return order ? order : (left->at > right->at) - (left->at < right->at);
}

static const part *repeated_of_sorted(const part *const *sorted, size_t count)
{
    const part *first = NULL;

    for (size_t i = 1; i < count; i++)
        if (same_key(&sorted[i]->member, &sorted[i - 1]->member) &&
            (!first || sorted[i]->at < first->at))
            first = sorted[i];
    return first;
}

static int32_t find_repeated(const builder *self, size_t from, const part **found)
{
    size_t count = self->count - from, capacity = 0;
    const wfsm_allocator *allocator = self->in.arena->allocator;
    const part **sorted;

    *found = NULL;
    if (count <= FEW_MEMBERS) {
        *found = repeated_of_few(self->parts + from, count);
        return WFSM_OK;
    }
    sorted = wf_grow(allocator, NULL, &capacity, count, sizeof *sorted);
    if (!sorted)
        return wf_no_memory(self->in.error);
    for (size_t i = 0; i < count; i++)
        sorted[i] = &self->parts[from + i];
    qsort(sorted, count, sizeof *sorted, by_key);
    *found = repeated_of_sorted(sorted, count);
    wf_free(allocator, sorted);
    return WFSM_OK;
}

static int32_t check_keys(const builder *self, const wf_place *place, size_t from)
{
    const part *repeated;
    int32_t line, column, status = find_repeated(self, from, &repeated);

    if (status || !repeated)
        return status;
    wf_place at = {place, repeated->member.key, repeated->member.length, 0};
    wf_fail_at(self->in.error, &at, WFSM_SYNTAX,
               "expected every key once, found this one again");
    wf_json_position(self->in.text, self->in.length, repeated->at, &line, &column);
    wf_error_set_position(self->in.error, line, column);
    return WFSM_SYNTAX;
}

static int32_t build_member(builder *self, const wf_place *place)
{
    part member = {.at = self->at};
    wf_value value;
    size_t length;
    const char *key = read_text(self, &length);
    wf_place at = {place, key, length, 0};
    int32_t status;

    if (!key)
        return wf_arena_error(self->in.arena, self->in.error);
    skip_space(self);
    self->at++;
    status = build(self, &at, &value);
    if (status)
        return status;
    wf_member_set(&member.member, key, length, value);
    return push(self, member) ? WFSM_OK : wf_no_memory(self->in.error);
}

static int32_t close_object(builder *self, size_t from, wf_value *value)
{
    size_t count = self->count - from;
    wf_member *members = wf_arena_take(self->in.arena, count * sizeof *members);

    if (!members)
        return wf_arena_error(self->in.arena, self->in.error);
    for (size_t i = 0; i < count; i++)
        members[i] = self->parts[from + i].member;
    self->count = from;
    *value = wf_object(members, count);
    return WFSM_OK;
}

static int32_t build_object(builder *self, const wf_place *place, wf_value *value)
{
    size_t from = self->count;
    int32_t status = WFSM_OK;

    self->at++;
    while (!status && skip_space(self) != '}') {
        status = build_member(self, place);
        if (!status && skip_space(self) == ',')
            self->at++;
    }
    self->at++;
    if (!status)
        status = check_keys(self, place, from);
    return status ? status : close_object(self, from, value);
}

static int32_t fail_number(const builder *self, const wf_place *place,
                           const char *expected)
{
    int32_t line, column;

    wf_fail_at(self->in.error, place, WFSM_SEMANTIC, "expected %s, found a larger one",
               expected);
    if (self->in.error &&
        wf_json_locate(self->in.text, self->in.length,
                       wfsm_error_pointer(self->in.error), false, &line, &column))
        wf_error_set_position(self->in.error, line, column);
    return WFSM_SEMANTIC;
}

/* True for digits alone: then *number is them, or more than the largest integer. */
static bool read_integer(builder *self, uint64_t *number)
{
    size_t at = self->at;

    *number = 0;
    for (; at < self->in.length && self->in.text[at] >= '0' && self->in.text[at] <= '9';
         at++)
        if (*number <= largest_integer)
            *number = *number * 10 + (uint64_t)(self->in.text[at] - '0');
    if (at < self->in.length && strchr(".eE", self->in.text[at]))
        return false;
    self->at = at;
    return true;
}

static int32_t build_number(builder *self, const wf_place *place, wf_value *value)
{
    bool negative = self->in.text[self->at] == '-';
    uint64_t integer;
    double number;

    self->at += negative;
    if (read_integer(self, &integer)) {
        if (integer > largest_integer)
            return fail_number(self, place, "an integer within ±2^53");
        number = (double)integer;
    } else {
        self->at += wf_number_parse(self->in.text + self->at,
                                    self->in.length - self->at, &number);
        if (!isfinite(number))
            return fail_number(self, place,
                               "an integer within ±2^53 or a finite number");
    }
    *value = wf_number(negative ? -number : number);
    return WFSM_OK;
}

static int32_t build_word(builder *self, wf_value *value)
{
    char first = self->in.text[self->at];

    self->at += first == 'f' ? 5 : 4;
    *value = first == 'n' ? wf_null() : wf_boolean(first == 't');
    return WFSM_OK;
}

static int32_t build_any(builder *self, const wf_place *place, wf_value *value)
{
    switch (skip_space(self)) {
    case '{':
        return build_object(self, place, value);
    case '[':
        return build_array(self, place, value);
    case '"':
        return build_string(self, value);
    case 't':
    case 'f':
    case 'n':
        return build_word(self, value);
    default:
        return build_number(self, place, value);
    }
}

static int32_t build(builder *self, const wf_place *place, wf_value *value)
{
    int32_t status = build_any(self, place, value);

    if (!status && value->type == WF_ABSENT)
        return wf_fail_at(self->in.error, place, WFSM_LIMIT, "larger than %d bytes",
                          WF_MAX_WEIGHT);
    return status;
}

int32_t wf_json_build(const wf_json_reader *in, wf_value *value)
{
    builder self = {.in = *in, .parts = self.first, .capacity = FIRST_PARTS};
    wf_place root = {0};
    int32_t status = build(&self, &root, value);

    if (self.parts != self.first)
        wf_free(in->arena->allocator, self.parts);
    return status;
}
