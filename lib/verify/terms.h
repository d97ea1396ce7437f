/*
 * verify/terms.h: values that are not known, as terms over symbols. A symbol stands for any JSON
 * value that fits its schemas. Terms are kept once: equal terms have the same number, and a
 * term's operands have smaller numbers than the term.
 */
#ifndef WF_VERIFY_TERMS_H
#define WF_VERIFY_TERMS_H

#include "logic/expr.h"
#include "logic/schema.h"

typedef uint32_t wf_term;

enum wf_term_kind {
    WF_TERM_KNOWN,   /* value */
    WF_TERM_SYMBOL, /* any value that fits `schemas`. Two symbols may have the same schemas */
    WF_TERM_MEMBER, /* the member `key` of operand 0, as `var` reads it: null if it is not there.
                        Of a list it is the element with that index */
    WF_TERM_HAS, /* whether operand 0 has the member `key`: a boolean */
    WF_TERM_ELEMENT, /* the element `index` of operand 0; null if it is not there */
    WF_TERM_APPLY, /* a strict operator of JsonLogic (lib/logic) on its operands: "+", "<", "==",
                        "in", "cat", "substr", "length", "!", "merge", … */
    WF_TERM_OVER, /* map, filter, reduce, all, some or none: `body` of each element of operand 0.
                        Operand 1 is the first accumulator, if `reduce` has one */
    WF_TERM_OBJECT, /* a built object: members `keys`, operands are their values */
    WF_TERM_ARRAY /* a built list of the operands */
};

typedef struct wf_term_node {
    uint8_t kind;
    uint32_t hash;
    uint32_t
        depth; /* 0 of what is known and of symbols; 1 + that of the deepest operand, and more of many */
    uint32_t
        size; /* how many terms it is written with; an operand that stands twice counts twice */
    uint32_t count; /* operands */
    uint64_t symbols; /* a bit for each symbol in it; several symbols may have the same one */
    const wf_term *operands;
    wf_value value; /* KNOWN */
    const wf_schema *const *schemas; /* SYMBOL: it fits all of them */
    uint32_t schema_count;
    const char *key; /* MEMBER, HAS */
    uint32_t key_length;
    uint32_t index; /* ELEMENT; SYMBOL: its number among the symbols */
    const struct wf_operator *op; /* APPLY, OVER */
    const wf_expr *body; /* OVER */
    const wf_member *keys; /* OBJECT: without values */
} wf_term_node;

typedef struct wf_terms {
    wf_arena arena;
    wf_arena scratch; /* while a term is made */
    wf_term_node *list; /* by number */
    uint32_t *table; /* open addressing, numbers + 1; 0: free */
    uint32_t count, mask;
    size_t capacity;
} wf_terms;

bool wf_terms_init(wf_terms *terms, const wfsm_allocator *allocator);
void wf_terms_fini(wf_terms *terms);
/* Lives until the next term is made. */
const wf_term_node *wf_term_at(const wf_terms *terms, wf_term term);
/* True if there is a symbol in it whose number is such a one. */
bool wf_term_has_symbol(const wf_terms *terms, wf_term term, bool (*is)(uint32_t number));
/* Its value; NULL: it is not known. */
static inline const wf_value *wf_term_value(const wf_terms *terms, wf_term term)
{
    const wf_term_node *node = wf_term_at(terms, term);
    return node->kind == WF_TERM_KNOWN ? &node->value : NULL;
}
/* The text that it is; NULL: it is no text, or not known. */
static inline const wf_value *wf_term_text(const wf_terms *terms, wf_term term)
{
    const wf_term_node *node = wf_term_at(terms, term);
    return node->kind == WF_TERM_KNOWN && node->value.type == WF_STRING ? &node->value : NULL;
}

/* The constructors copy what they are given, except schemas, operators and bodies, which must live
 * as long as the terms. They return WF_NONE when out of memory, and if an operand is WF_NONE. */
wf_term wf_term_known(wf_terms *terms, const wf_value *value);
/* Symbols with the same number and the same schemas are the same symbol. */
wf_term wf_term_symbol(wf_terms *terms, const wf_schema *const *schemas, uint32_t count,
                       uint32_t number);
/* Members and elements of what is known, or built, are found at once. */
wf_term wf_term_member(wf_terms *terms, wf_term of, const char *key, size_t length);
wf_term wf_term_has(wf_terms *terms, wf_term of, const char *key, size_t length);
wf_term wf_term_element(wf_terms *terms, wf_term of, uint32_t index);
/* Operators on terms are made by wf_term_apply(). This is the term as it stands. */
wf_term wf_term_plain(wf_terms *terms, const char *name, const wf_term *operands,
                      uint32_t count);
/* False: one of them is WF_NONE, as memory has run out. */
bool wf_terms_are_fine(const wf_terms *terms, const wf_term *operands, uint32_t count);
/* term_apply.c. The same comparison is the same term, however it is written: of two operands there are only <, ==,
 * === and their negations by !; and <= of what may have no order. */
wf_term wf_term_apply(wf_terms *terms, const struct wf_operator *op, const wf_term *operands,
                      uint32_t count);
/* The body must read nothing but its element. Bodies that are written alike are the same. */
wf_term wf_term_over(wf_terms *terms, const struct wf_operator *op, const wf_expr *body,
                     const wf_term *operands, uint32_t count);
/* What is built of known parts is known. */
wf_term wf_term_object(wf_terms *terms, const wf_member *keys, const wf_term *values,
                       uint32_t count);
wf_term wf_term_array(wf_terms *terms, const wf_term *items, uint32_t count);
/* The same over other operands, of a term that has some. `node` is a copy. */
wf_term wf_term_rebuilt(wf_terms *terms, const wf_term_node *node, const wf_term *operands);
#endif
