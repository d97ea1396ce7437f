/* logic/json_build.c: values from JSON text, in one pass. */
#include "logic/json_build.h"

#include <math.h>
#include <string.h>
#include "base/invariant.h"
#include "base/memory.h"
#include "base/plain.h"

enum { FIRST_PARTS = 32 };
/* NULs behind the text: no JSON goes beyond the first, and eight bytes can be looked at. */
enum { BEHIND = 8 };

static const uint64_t largest_integer = UINT64_C(1) << 53;

typedef struct builder {
    wf_json_reader in;
    char *room; /* a copy of the text: what strings are unescaped and ended in */
    size_t size, at;
    unsigned depth;
    wf_member *parts; /* of all open containers, the innermost last; elements have no key */
    size_t count, capacity;
    wf_member first[FIRST_PARTS]; /* small texts need no more */
} builder;

static int32_t build(builder *self, wf_value *value);

/* What is wrong, and where, is found by another look at the text (json_scan.c). */
static int32_t malformed(const builder *self)
{
    return wf_fail(self->in.error, WFSM_SYNTAX, "expected JSON");
}

static inline char skip_space(builder *self)
{
    while ((unsigned char)self->room[self->at] <= ' ' && wf_json_space(self->room[self->at]))
        self->at++;
    return self->room[self->at];
}

static bool make_room(builder *self)
{
    bool inside = self->parts == self->first;
    size_t capacity = inside ? 0 : self->capacity;
    wf_member *parts = wf_grow(self->in.arena->allocator, inside ? NULL : self->parts,
                               &capacity, self->count * 2, sizeof *parts);
    if (!parts)
        return false;
    if (inside)
        memcpy(parts, self->first, self->count * sizeof *parts);
    self->parts = parts;
    self->capacity = capacity;
    return true;
}

static inline int32_t push(builder *self, const wf_member *part)
{
    if (self->count == self->capacity && !make_room(self))
        return wf_no_memory(self->in.error);
    WF_INVARIANT(self->count < self->capacity);
    self->parts[self->count++] = *part;
    return WFSM_OK;
}

/* From the opening quote to behind the closing one; NULL at a fault. */
static char *read_text(builder *self, size_t *length)
{
    size_t from = self->at + 1;
    char *text = self->room + from;

    self->at = wf_skip_plain(self->room, from, self->size);
    if (self->room[self->at] != '"')
        return wf_json_unescape(self->room, self->size, from, &self->at, length);
    self->room[self->at++] = '\0';
    *length = self->at - from - 1;
    return text;
}

/* The pointer and the position of the value or key at `from`, which another look at the text finds. A
 * container is left as soon as it is open. */
static int32_t set_place(const builder *self, size_t from, bool container, int32_t status)
{
    wf_json_scan scan;
    char pointer[512];
    int32_t line, column;

    if (!self->in.error)
        return status;
    wf_json_scan_text(&scan, self->in.text, self->in.length, from + 1);
    scan.depth -= container;
    wf_json_scan_pointer(&scan, pointer, sizeof pointer);
    wf_error_set_pointer(self->in.error, pointer);
    wf_json_position(self->in.text, self->in.length, from, &line, &column);
    wf_error_set_position(self->in.error, line, column);
    return status;
}

/* ABSENT is what cannot be built. */
static int32_t check_weight(const builder *self, size_t from, const wf_value *value)
{
    if (value->type != WF_ABSENT)
        return WFSM_OK;
    wf_fail(self->in.error, WFSM_LIMIT, "larger than %d bytes", WF_MAX_WEIGHT);
    return set_place(self, from, self->in.text[from] != '"', WFSM_LIMIT);
}

static int32_t build_string(builder *self, wf_value *value)
{
    size_t length, from = self->at;
    const char *text = read_text(self, &length);

    if (!text)
        return malformed(self);
    *value = wf_string(text, length);
    return check_weight(self, from, value);
}

/* Beyond an opening bracket: false if its container is empty, and over. */
static bool is_filled(builder *self, char close)
{
    self->at++;
    if (skip_space(self) != close)
        return true;
    self->at++;
    return false;
}

/* Behind a part: *more when another one follows. */
static int32_t read_separator(builder *self, char close, bool *more)
{
    char byte = skip_space(self);

    *more = byte == ',';
    if (!*more && byte != close)
        return malformed(self);
    self->at++;
    return WFSM_OK;
}

static int32_t build_element(builder *self)
{
    wf_member element = {.key = NULL};
    int32_t status = build(self, &element.value);

    return status ? status : push(self, &element);
}

static int32_t close_array(builder *self, size_t from, wf_value *value)
{
    size_t count = self->count - from;
    wf_value *items = wf_arena_take(self->in.arena, count * sizeof *items);

    if (!items)
        return wf_arena_error(self->in.arena, self->in.error);
    for (size_t i = 0; i < count; i++)
        items[i] = self->parts[from + i].value;
    self->count = from;
    *value = wf_array(items, count);
    return WFSM_OK;
}

static int32_t build_array(builder *self, wf_value *value)
{
    size_t from = self->count;
    bool more = is_filled(self, ']');
    int32_t status = WFSM_OK;

    while (!status && more) {
        status = build_element(self);
        if (!status)
            status = read_separator(self, ']', &more);
    }
    return status ? status : close_array(self, from, value);
}

static int32_t check_keys(const builder *self, size_t from)
{
    const wf_member *repeated;
    int32_t status =
        wf_json_repeated(&self->in, self->parts + from, self->count - from, &repeated);

    if (status || !repeated)
        return status;
    wf_fail(self->in.error, WFSM_SYNTAX, "expected every key once, found this one again");
    return set_place(self, (size_t)(repeated->key - self->room) - 1, false, WFSM_SYNTAX);
}

static int32_t build_member(builder *self)
{
    size_t length;
    const char *key = skip_space(self) == '"' ? read_text(self, &length) : NULL;
    wf_member member;
    wf_value value;
    int32_t status;

    if (!key || skip_space(self) != ':')
        return malformed(self);
    self->at++;
    status = build(self, &value);
    if (status)
        return status;
    wf_member_set(&member, key, length, value);
    return push(self, &member);
}

static int32_t close_object(builder *self, size_t from, wf_value *value)
{
    size_t count = self->count - from;
    wf_member *members = wf_arena_take(self->in.arena, count * sizeof *members);

    if (!members)
        return wf_arena_error(self->in.arena, self->in.error);
    memcpy(members, self->parts + from, count * sizeof *members);
    self->count = from;
    *value = wf_object(members, count);
    return WFSM_OK;
}

static int32_t build_object(builder *self, wf_value *value)
{
    size_t from = self->count;
    bool more = is_filled(self, '}');
    int32_t status = WFSM_OK;

    while (!status && more) {
        status = build_member(self);
        if (!status)
            status = read_separator(self, '}', &more);
    }
    if (!status)
        status = check_keys(self, from);
    return status ? status : close_object(self, from, value);
}

static int32_t build_container(builder *self, wf_value *value)
{
    size_t from = self->at;
    int32_t status;

    if (self->depth == WF_MAX_DEPTH)
        return malformed(self);
    self->depth++;
    status = self->room[from] == '{' ? build_object(self, value) : build_array(self, value);
    self->depth--;
    return status ? status : check_weight(self, from, value);
}

static int32_t fail_number(const builder *self, size_t from, const char *expected)
{
    wf_fail(self->in.error, WFSM_SEMANTIC, "expected %s, found a larger one", expected);
    return set_place(self, from, false, WFSM_SEMANTIC);
}

/* Returns how many there are; *number is them, or more than the largest integer. */
static size_t read_digits(builder *self, uint64_t *number)
{
    size_t from = self->at;

    *number = 0;
    for (; self->room[self->at] >= '0' && self->room[self->at] <= '9'; self->at++)
        if (*number <= largest_integer)
            *number = *number * 10 + (uint64_t)(self->room[self->at] - '0');
    return self->at - from;
}

static bool is_whole(char byte)
{
    return byte != '.' && byte != 'e' && byte != 'E';
}

/* Fraction and exponent, as far as they are there. */
static bool skip_rest(builder *self)
{
    uint64_t number;

    if (self->room[self->at] == '.') {
        self->at++;
        if (!read_digits(self, &number))
            return false;
    }
    if (self->room[self->at] != 'e' && self->room[self->at] != 'E')
        return true;
    self->at++;
    self->at += self->room[self->at] == '+' || self->room[self->at] == '-';
    return read_digits(self, &number) > 0;
}

static int32_t build_number(builder *self, wf_value *value)
{
    bool negative = self->room[self->at] == '-';
    size_t from = self->at += negative, digits;
    uint64_t integer;
    double number;

    digits = read_digits(self, &integer);
    if (!digits || (digits > 1 && self->room[from] == '0'))
        return malformed(self);
    number = (double)integer;
    if (is_whole(self->room[self->at])) {
        if (integer > largest_integer)
            return fail_number(self, from - negative, "an integer within ±2^53");
    } else {
        if (!skip_rest(self))
            return malformed(self);
        wf_number_parse(self->room + from, self->at - from, &number);
        if (!isfinite(number))
            return fail_number(self, from - negative,
                               "an integer within ±2^53 or a finite number");
    }
    *value = wf_number(negative ? -number : number);
    return WFSM_OK;
}

static int32_t build_word(builder *self, wf_value *value)
{
    const char *word = self->room + self->at;

    WF_INVARIANT(self->at + strlen("false") <= self->size); /* NULs follow the text */
    if (memcmp(word, "true", 4) == 0 || memcmp(word, "null", 4) == 0)
        self->at += 4;
    else if (memcmp(word, "false", 5) == 0)
        self->at += 5;
    else
        return malformed(self);
    *value = *word == 'n' ? wf_null() : wf_boolean(*word == 't');
    return WFSM_OK;
}

static int32_t build(builder *self, wf_value *value)
{
    char first = skip_space(self);

    if (first == '"')
        return build_string(self, value);
    if (first == '{' || first == '[')
        return build_container(self, value);
    if (first == '-' || (first >= '0' && first <= '9'))
        return build_number(self, value);
    return build_word(self, value);
}

static int32_t build_all(builder *self, wf_value *value)
{
    int32_t status = build(self, value);

    if (status)
        return status;
    /* Every container took its parts when it was closed. */
    WF_INVARIANT(self->count == 0 && self->depth == 0);
    skip_space(self);
    return self->at == self->in.length ? WFSM_OK : malformed(self);
}

int32_t wf_json_build(const wf_json_reader *in, wf_value *value)
{
    builder self; /* most of it is written before it is read */
    int32_t status;

    self.in = *in;
    self.size = in->length + BEHIND;
    self.room = wf_arena_take(in->arena, self.size);
    if (!self.room)
        return wf_arena_error(in->arena, in->error);
    if (in->length) /* of nothing, the text may be NULL */
        memcpy(self.room, in->text, in->length);
    memset(self.room + in->length, 0, BEHIND);
    self.at = self.count = self.depth = 0;
    self.parts = self.first;
    self.capacity = FIRST_PARTS;
    status = build_all(&self, value);
    if (self.parts != self.first)
        wf_free(in->arena->allocator, self.parts);
    return status;
}
