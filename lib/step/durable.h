/*
 * step/durable.h: what an instance keeps, described once. Whatever writes, reads, copies, frees,
 * compares or undoes it goes by these descriptions: the encoder (store/write_state.c), the decoder
 * (store/decode_state.c), the draft (step/draft_entries.c, step/draft.c), the audit and the state key of
 * verification. doc/internals.md shows how to add a field.
 *
 * Configuration, histories and context have forms of their own. Everything else is a field of
 * wf_singles, or of the entries of a list.
 */
#ifndef WF_STEP_DURABLE_H
#define WF_STEP_DURABLE_H

#include "step/snapshot.h"

/* How a member is stored. "None" is not written, and is what a missing member means. */
enum wf_field_type {
    WF_FIELD_COUNTER, /* uint64_t; none: 0 */
    WF_FIELD_NUMBER,  /* uint32_t; none: 0 */
    WF_FIELD_AMOUNT,  /* int64_t; none: 0 */
    WF_FIELD_DUE,     /* int64_t; none: WFSM_NEVER */
    WF_FIELD_FLAG,    /* bool; none: false */
    WF_FIELD_WORD,    /* uint8_t, the number of a word; none: the one after the last */
    WF_FIELD_STATE,   /* uint32_t, a state by its path; none: WF_NONE */
    WF_FIELD_INVOKE,  /* uint32_t, an invoke by its id; none: WF_NONE */
    WF_FIELD_AGENT,   /* uint32_t, an agent by its name; none: WF_NONE */
    WF_FIELD_BUDGET,  /* uint32_t, a budget by its name; none: WF_NONE */
    WF_FIELD_VALUE    /* wf_value; none: null */
};

enum wf_field_flag {
    WF_ID = 1,     /* with the other ids it identifies the entry in its list */
    WF_FIXED = 2,  /* never changes */
    WF_NEEDED = 4, /* written even if it is none; never missing */
    WF_KEY = 8,    /* part of a state of verification (verify/state_key.c) */
    WF_TOLD = 16 /* each change of the entry repeats it, so that a record says what changed */
};

typedef struct wf_field {
    const char *name; /* in the stored text */
    uint16_t offset;
    uint8_t type, flags;
    uint8_t since; /* the format that introduced it */
    uint8_t value; /* of WF_FIELD_VALUE: its type; WF_ABSENT: any */
    int64_t least, most; /* of numbers and times */
    const char *(*word)(uint32_t number); /* of WF_FIELD_WORD; NULL after the last */
} wf_field;

typedef struct wf_kind {
    const char *name; /* the entries; in a record, those that are new or changed */
    const char *cleared; /* in a record: ids of those that are gone; NULL: none ever goes */
    const wf_field *fields;
    uint8_t field_count;
    uint8_t since;
    bool ordered;  /* the order of the entries has a meaning */
    bool by_name; /* written as an object whose keys are the first field */
    bool in_place; /* as many as the machine says, changed in place */
    bool appends; /* a step only appends */
    uint16_t size; /* of an entry */
    uint16_t list; /* offset in wf_extras */
} wf_kind;

enum { WF_TIMERS, WF_LEDGER, WF_OUTBOX, WF_REPEATS, WF_BUDGETS, WF_KINDS };

/* Room for an entry of any kind. */
typedef union wf_any_entry {
    wf_stamp stamp;
    wf_timer timer;
    wf_invocation invocation;
    wf_effect effect;
    wf_repeat repeat;
    wf_spent spent;
} wf_any_entry;

/* One of the above; or, with WF_KINDS, the fields of wf_singles. */
WF_PRIVATE_API const wf_kind *wf_kind_of(int kind);
static inline wf_list *wf_list_of(const wf_extras *extras, const wf_kind *kind)
{
    return (wf_list *)((uintptr_t)extras + kind->list);
}
static inline void *wf_field_at(const wf_field *field, const void *entry)
{
    return (void *)((uintptr_t)entry + field->offset);
}
/* Numbers, times, flags, words and names as a number. */
WF_PRIVATE_API int64_t wf_field_get(const wf_field *field, const void *entry);
WF_PRIVATE_API void wf_field_set(const wf_field *field, void *entry, int64_t number);
bool wf_field_is_none(const wf_field *field, const void *entry);
void wf_field_clear(const wf_field *field, void *entry);
bool wf_field_same(const wf_field *field, const void *a, const void *b);
/* Whether two entries have the same id. */
bool wf_same_id(const wf_kind *kind, const void *a, const void *b);

/* Whether all fields are the same. */
bool wf_entry_same(const wf_kind *kind, const void *a, const void *b);
/* An entry in which every field is none. */
WF_PRIVATE_API void wf_entry_clear(const wf_kind *kind, void *entry);
/* A copy with all its values, in one block. NULL when out of memory. */
void *wf_entry_copy(const wfsm_allocator *allocator, const wf_kind *kind, const void *entry);
/* Bytes of the values of an entry, as wf_value_weight(). */
size_t wf_entry_weight(const wf_kind *kind, const void *entry);

/* Appends a copy of the entry. False when out of memory. */
WF_PRIVATE_API bool wf_list_add(const wfsm_allocator *allocator, const wf_kind *kind,
                                wf_list *list, const void *entry);
WF_PRIVATE_API void wf_list_free(const wfsm_allocator *allocator, const wf_kind *kind,
                                 wf_list *list);
/* The list of a machine's budgets, in one block. False when out of memory. */
bool wf_budgets_make(const wfsm_allocator *allocator, const wfsm_machine *machine,
                     wf_list *list);
/* The entries of a list that is changed in place change places with those of another, or are
 * copied. */
void wf_budgets_swap(const wf_list *a, const wf_list *b);
void wf_budgets_copy(const wf_list *to, const wf_list *from);
#endif
