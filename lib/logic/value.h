/*
 * The part logic: JSON, JsonLogic and JSON Schema. It is pure: the same value and the same
 * event always give the same result, and nothing but the arena and the fuel of an evaluation
 * changes. It does not know machines or instances. What an expression's names mean comes from
 * the caller.
 *
 * The files, in the order to read them:
 *
 *   Values and JSON text
 *     value.c                  builds and reads values; value_equal.c, value_copy.c
 *     number.c, number_parse.c numbers and decimal text, independent of the locale
 *     json_parse.c             JSON text to values (json.h): json_build.c reads in one pass,
 *                              json_scan.c finds the error of a bad text, json_keys.c duplicate
 *                              keys, json_text.c strings, lines and columns
 *     json_write.c             values to JSON text; json_length.c tells how long it is
 *     json_locate.c            from a JSON pointer to a line and column
 *
 *   JsonLogic (expr.h)
 *     expr_compile.c           a value becomes an expression; expr_operands.c counts operands,
 *                              expr_names.c resolves names, expr_val.c keys and scopes
 *     operators.c              the operators by name; op_*.c implement them
 *     expr_eval.c              evaluates; expr_var.c reads variables by paths (expr_path.c),
 *                              expr_fuel.c counts the cost
 *     expr_reads.c             what an expression reads
 *     expr_suspects.c          what means something else in other implementations; expr_differs.c
 *                              what they answer differently
 *     coerce.c, coerce_text.c  JavaScript's conversions and comparisons
 *
 *   JSON Schema (schema.h)
 *     schema_compile.c         a document becomes a schema; schema_values.c, schema_ref.c,
 *                              schema_place.c read keywords
 *     schema_check.c           checks a value; schema_rules.c, schema_mismatch.c, schema_text.c
 *
 * logic/value.h: JSON values in memory. A value is 16 bytes, passed by value, and never changes
 * once it is built. Its parts are in an arena (the values of one step), in the machine, or in a
 * block of its own (a context slot). There are no reference counts, and no value is freed
 * alone.
 */
#ifndef WF_LOGIC_VALUE_H
#define WF_LOGIC_VALUE_H

#include <stdbool.h>
#include <stdint.h>
#include "base/arena.h"
#include "base/private.h"

enum wf_type {
    WF_ABSENT = 0, /* no value at all: a missing key */
    WF_NULL,
    WF_BOOLEAN,
    WF_NUMBER,
    WF_STRING,
    WF_ARRAY,
    WF_OBJECT
};

/*
 * Containers nest no deeper and weigh no more; others cannot be built. The weight is the
 * bytes of a copy: as parts may be shared, a few rules could otherwise build a value whose
 * copy fills the memory of the world.
 */
enum { WF_MAX_DEPTH = 255, WF_MAX_WEIGHT = 1 << 26 };

struct wf_member;
typedef struct wf_value {
    uint8_t type;
    uint8_t depth;   /* 0 for scalars, 1 + the deepest part for containers */
    uint16_t weight; /* of a container, coded: see wf_value_weight */
    uint32_t length; /* bytes of a string, elements, members */
    union {
        bool boolean;
        double number;
        const char *text; /* valid UTF-8, NUL-terminated, no NUL inside */
        const struct wf_value *items;
        const struct wf_member *members; /* in insertion order, keys unique */
    } as;
} wf_value;

typedef struct wf_member {
    const char *key; /* NUL-terminated */
    uint32_t length;
    uint32_t hash;   /* wf_hash(key, length) */
    wf_value value;
} wf_member;

static inline wf_value wf_absent(void)
{
    return (wf_value){.type = WF_ABSENT};
}

static inline wf_value wf_null(void)
{
    return (wf_value){.type = WF_NULL};
}

static inline wf_value wf_boolean(bool boolean)
{
    return (wf_value){.type = WF_BOOLEAN, .as.boolean = boolean};
}

/* Not finite becomes null. -0 becomes 0. */
WF_PRIVATE_API wf_value wf_number(double number);
/* Borrows text for the life of the value. */
WF_PRIVATE_API wf_value wf_string(const char *text, size_t length);
WF_PRIVATE_API wf_value wf_string_z(const char *text);
/* Borrow items / members, which the caller took from the arena; ABSENT when deeper than
 * WF_MAX_DEPTH or heavier than WF_MAX_WEIGHT (the only failures, a LIMIT both). */
WF_PRIVATE_API wf_value wf_array(const wf_value *items, size_t count);
WF_PRIVATE_API wf_value wf_object(const wf_member *members, size_t count);
/* Copies text into the arena; ABSENT when the arena failed. */
WF_PRIVATE_API wf_value wf_string_copy(wf_arena *arena, const char *text, size_t length);
/* Fills in a member with a borrowed key. */
WF_PRIVATE_API void wf_member_set(wf_member *member, const char *key, size_t length,
                                  wf_value value);

/* The member's value, or NULL. */
WF_PRIVATE_API const wf_value *wf_value_get(const wf_value *object, const char *key,
                                            size_t length);
WF_PRIVATE_API const wf_value *wf_value_get_z(const wf_value *object, const char *key);
/* With the key's hash known. */
const wf_value *wf_value_find(const wf_value *object, const char *key, size_t length,
                              uint32_t hash);

/* Bytes of its parts in a copy, rounded up by at most an eighth; 0 for scalars that are no
 * strings. Known without walking. */
size_t wf_value_weight(const wf_value *value);

/* Same JSON: numbers by value, objects without regard to the order of members. */
WF_PRIVATE_API bool wf_value_equal(const wf_value *a, const wf_value *b);
/* Whether both have the same text: the order of members counts, too. */
WF_PRIVATE_API bool wf_same_value(const wf_value *a, const wf_value *b);
/* The same, spending a step for each part and 16 members looked at; false with *steps 0 when
 * they do not suffice. */
bool wf_value_equal_within(const wf_value *a, const wf_value *b, uint32_t *steps);
/* JsonLogic's truth. */
static inline bool wf_value_truth(const wf_value *value)
{
    switch (value->type) {
    case WF_BOOLEAN:
        return value->as.boolean;
    case WF_NUMBER:
        return value->as.number != 0.0;
    case WF_STRING:
    case WF_ARRAY:
    case WF_OBJECT:
        return value->length != 0;
    default:
        return false;
    }
}

/*
 * A copy in one block of its own. *block is NULL for scalars. False when out of memory.
 * The copy is freed with wf_free(allocator, block).
 */
bool wf_value_copy(const wfsm_allocator *allocator, const wf_value *value, wf_value *copy,
                   void **block);
void wf_value_free(const wfsm_allocator *allocator, const wf_value *copy);
/* Where the parts of copies go in one block: containers from the front, so that they stay aligned,
 * text from the back. */
typedef struct wf_copier {
    unsigned char *front;
    char *back;
} wf_copier;
/* Bytes of the parts of a copy. */
size_t wf_value_bytes(const wf_value *value);
/* A copy whose parts go where the copier says. */
wf_value wf_value_place(wf_copier *to, const wf_value *value);
/* A copy in an arena; ABSENT when it failed. */
WF_PRIVATE_API wf_value wf_value_clone(wf_arena *arena, const wf_value *value);
#endif
