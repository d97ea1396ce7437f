/*
 * step/snapshot.h: the state of an instance in memory, as it is after a commit. A step changes
 * it in place, as a draft that can be taken back (step/draft.c).
 */
#ifndef WF_STEP_SNAPSHOT_H
#define WF_STEP_SNAPSHOT_H

#include <string.h>
#include "base/memory.h"
#include "base/private.h"
#include "machine/model.h"

/* The greatest number, time or count that is stored. JSON holds it exactly. */
#define WF_NUMBER_MOST ((int64_t)1 << 53)
/* A deadline, at most WF_NUMBER_MOST. Both arguments are from 0 to WF_NUMBER_MOST. */
static inline int64_t wf_time_after(int64_t now, int64_t delay)
{
    return delay < WF_NUMBER_MOST - now ? now + delay : WF_NUMBER_MOST;
}

/* Limits of what a snapshot keeps. They are lower than those of JSON texts, because values are
 * stored inside larger texts. They bound the depth of a value, and the weight (wf_value_weight)
 * of the whole state and of an input. */
enum {
    WF_KEPT_DEPTH = WF_MAX_DEPTH - 8,
    WF_KEPT_WEIGHT = WF_MAX_WEIGHT / 2,
    WF_INPUT_WEIGHT = WF_MAX_WEIGHT / 4
};

/*
 * The lists of what an instance keeps hold entries. Each entry is one block with all its values,
 * and is never changed once its step is committed: a step puts a changed copy in its place
 * (step/draft_entries.c). step/durable.c describes the members of the entries, for whatever writes,
 * reads, copies or compares them.
 */
typedef struct wf_stamp {
    uint64_t changed; /* the revision of the step that made this copy; 0: it was read */
} wf_stamp;

/* Pointers to entries of one kind. */
typedef struct wf_list {
    void **entries;
    size_t count, capacity;
} wf_list;

/* An event that is due later: a delayed raise, or `after` of a state. */
typedef struct wf_timer {
    wf_stamp stamp;
    uint64_t number; /* unique in the instance, rising with age */
    int64_t due;
    uint32_t state;  /* the state of an `after`; WF_NONE: a delayed raise */
    wf_value raised; /* {"event","data","id"} */
} wf_timer;

enum wf_invocation_status {
    WF_PENDING = 1, /* to be claimed, not before `due` */
    WF_RUNNING = 2, /* attempt `attempt` under `owner`, not after `due` */
    WF_ITEM_DONE = 3,  /* an item that waits for the others, with its `result` */
    WF_ITEM_FAILED = 4 /* the same; `result` is its error */
};

/* An outstanding invocation. Finished ones are in the journal. */
typedef struct wf_invocation {
    wf_stamp stamp;
    uint64_t revision; /* with ordinal and incarnation: its id */
    uint64_t incarnation; /* incarnation.c; 0: none */
    uint32_t ordinal;
    uint32_t invoke; /* machine->invokes */
    uint32_t state;  /* machine->states; that of the invoke */
    uint32_t agent;  /* machine->agents */
    uint32_t attempt; /* claims so far */
    uint32_t retry_count; /* attempts that failed, 0 before the first retry */
    uint8_t reason;  /* enum wf_class of the last failure, WF_CLASSES: none */
    uint8_t status;
    int64_t due;     /* PENDING: not before; RUNNING: the time limit or WFSM_NEVER */
    int64_t claimed; /* time of the last claim, 0: none */
    wf_value input;
    wf_value owner;  /* string; of the last claim */
    wf_value pool; /* {"priority","phase","group"}, those that are given; or null */
    wf_value votes; /* on a person's: [{"by","decision","at","reason"?}, …], or null */
    int8_t priority; /* of pool: 1 high, 0, -1 low */
    /* For one item of several. The items of a set are side by side in the ledger until the set
     * ends. */
    uint32_t set; /* ordinal of the first; 0: it is no item */
    uint32_t of; /* number of items */
    uint32_t need; /* results that complete the set; 0: every item must end, well or not */
    uint32_t most; /* items that may run at once; 0: any number */
    wf_value result; /* or null */
    /* Of a child workflow that was claimed: its share of the descendants, itself included. */
    uint32_t descendants; /* at once; 0: there were none left */
    uint32_t descendants_in_all;
} wf_invocation;

/* How much of a budget is used. A restore, a fork or a retry does not rewind it. Budgets are
 * changed in place; there are as many as the machine has. */
typedef struct wf_spent {
    wf_stamp stamp;
    uint32_t budget; /* machine->budgets */
    int64_t used; /* 0 for a budget of time */
    int64_t since; /* when a budget of time began; 0 for others */
    int64_t limit;
    bool raised; /* its event was raised since the last reset */
} wf_spent;

/* Failures of one invocation of the machine in a row, with one signature. */
enum { WF_SIGNATURE_BYTES = 128 };
typedef struct wf_repeat {
    wf_stamp stamp;
    uint32_t invoke; /* machine->invokes */
    uint32_t count;
    wf_value signature; /* string, shorter than WF_SIGNATURE_BYTES */
} wf_repeat;

/* An effect that is not acknowledged yet. */
typedef struct wf_effect {
    wf_stamp stamp;
    uint64_t number; /* from 1, rising over the life of the instance */
    uint64_t revision; /* with ordinal and incarnation: its id */
    uint64_t incarnation;
    uint32_t ordinal;
    wf_value emit; /* {"event","data"} */
} wf_effect;

/* What the id of an invocation or effect says: "INSTANCE/REVISION/ORDINAL-INCARNATION", without
 * the last part if there is no incarnation. */
enum { WF_INCARNATION_BITS = 48, WF_WORK_ID_BYTES = 320 };
#define WF_MOST_INCARNATION (((uint64_t)1 << WF_INCARNATION_BITS) - 1)
typedef struct wf_work {
    uint64_t revision, incarnation;
    uint32_t ordinal;
} wf_work;
static inline wf_work wf_invocation_work(const wf_invocation *self)
{
    return (wf_work){self->revision, self->incarnation, self->ordinal};
}
static inline wf_work wf_effect_work(const wf_effect *self)
{
    return (wf_work){self->revision, self->incarnation, self->ordinal};
}
static inline bool wf_same_work(const wf_work *a, const wf_work *b)
{
    return a->revision == b->revision && a->ordinal == b->ordinal &&
           a->incarnation == b->incarnation;
}
void wf_work_id(char out[WF_WORK_ID_BYTES], const char *instance, const wf_work *work);
/* False: this is no id of work of the instance. */
bool wf_work_read(const char *id, const char *instance, wf_work *work);

static inline bool wf_invocation_ended(const wf_invocation *self)
{
    return self->status > WF_RUNNING;
}
/* "pending", …; static. NULL: there is no such status. */
const char *wf_invocation_status_name(uint32_t status);

/* ---- entries by place ---- */

static inline wf_timer *wf_timer_at(const wf_list *timers, size_t index)
{
    return timers->entries[index];
}
static inline wf_invocation *wf_invocation_at(const wf_list *ledger, size_t index)
{
    return ledger->entries[index];
}
static inline wf_effect *wf_effect_at(const wf_list *outbox, size_t index)
{
    return outbox->entries[index];
}
static inline wf_repeat *wf_repeat_at(const wf_list *repeats, size_t index)
{
    return repeats->entries[index];
}
static inline wf_spent *wf_spent_at(const wf_list *budgets, size_t index)
{
    return budgets->entries[index];
}

/* The place of an invocation, or the count. Ids increase in the list. */
size_t wf_ledger_find(const wf_list *ledger, uint64_t revision, uint32_t ordinal);
/* The same, by all that its id says. */
size_t wf_ledger_find_work(const wf_list *ledger, const wf_work *work);
size_t wf_ledger_find_id(const wf_list *ledger, const char *instance, const char *id);
/* The place of the first item of the set that the one at this place belongs to. */
size_t wf_ledger_set(const wf_list *ledger, size_t index);
/* How many items of a set, given by its first, have this status. */
uint32_t wf_ledger_set_count(const wf_list *ledger, size_t first, uint8_t status);
/* Whether as many items of the set of the one at this place are running as may run at once. */
bool wf_ledger_set_full(const wf_list *ledger, size_t index);

enum wf_progress { WF_GOES_ON, WF_IS_DONE, WF_IS_STOPPED };

/* What an instance keeps once. Each value has a block of its own. */
typedef struct wf_singles {
    uint8_t progress; /* enum wf_progress */
    wf_value parent; /* of a child workflow: {"invocation","attempt","depth","descendants",
                        "descendants_in_all"}; else null */
    uint64_t timer_number; /* of the last timer made */
    uint64_t effect_number; /* of the last effect made */
    uint64_t descendants; /* in all: those that ended, and the shares of those at work */
    wf_value output;
} wf_singles;

/* The parts of the state that most instances do not have most of the time. */
typedef struct wf_extras {
    wf_singles singles;
    wf_list timers; /* by number */
    wf_list ledger; /* invocations, by id */
    wf_list outbox; /* effects, by number */
    wf_list repeats; /* in the order of their last failure */
    wf_list budgets; /* machine->budget_count of them, in the block of the list */
    uint64_t *histories; /* machine->history_count sets */
    wf_names own_keys; /* all keys, once there are more than the machine's; else empty */
    wf_value *slots; /* the snapshot's, once there are more than the machine's */
    size_t slot_capacity;
    bool limited; /* one of `limits` is set */
    wf_limits limits; /* what the host has set; 0: as the machine has it */
} wf_extras;

/*
 * Active states and slots are in one block, the room. A caller with many snapshots may provide
 * it. The value of a slot points to a block of its own, or to the machine's initial value of
 * that slot.
 */
typedef struct wf_snapshot {
    wfsm_machine *machine;
    const wfsm_allocator *allocator;
    uint64_t *active; /* bit set of states, machine->words long */
    wf_value *slots; /* ABSENT: not set */
    const wf_extras *extras; /* never NULL; shared and read-only while it is empty */
    uint64_t revision;
    int64_t now;
    uint32_t slot_count;
    int32_t status; /* enum wfsm_instance_status, 0 before the start */
} wf_snapshot;

/* Bytes of the room, a multiple of 8. */
size_t wf_snapshot_room(const wfsm_machine *machine);
/* Makes a fresh snapshot in a room that is zeroed and stays the caller's. False when out of
 * memory. */
bool wf_snapshot_place(wf_snapshot *snapshot, wfsm_machine *machine,
                       const wfsm_allocator *allocator, void *room);
/* Frees everything but the room. */
void wf_snapshot_drop(wf_snapshot *snapshot);
/* The same with a room of its own. */
WF_PRIVATE_API bool wf_snapshot_init(wf_snapshot *snapshot, wfsm_machine *machine,
                                     const wfsm_allocator *allocator);
WF_PRIVATE_API void wf_snapshot_fini(wf_snapshot *snapshot);
/* Moves the contents of `from` to `to`; `from` is all zero afterwards. Both have rooms of their
 * own. */
void wf_snapshot_move(wf_snapshot *to, wf_snapshot *from);
/* The snapshot's own `extras`, made if there is none yet. NULL when out of memory. */
WF_PRIVATE_API wf_extras *wf_snapshot_extras(wf_snapshot *snapshot);
/* The same where it is known to exist. */
static inline wf_extras *wf_own_extras(const wf_snapshot *snapshot)
{
    return (wf_extras *)(uintptr_t)snapshot->extras;
}
/* Makes the instance a child, before its first step. False when out of memory. */
bool wf_snapshot_set_parent(wf_snapshot *snapshot, const wf_value *parent);
/* Whether the value is a valid `parent`, not too deep. */
enum { WF_CHILD_DEPTH = 16 };
bool wf_is_parent(const wf_value *value);
/* Frees `extras` if it is empty. */
void wf_snapshot_trim(wf_snapshot *snapshot);
/* Whether the snapshot has its own `extras`. */
bool wf_snapshot_has_extras(const wf_snapshot *snapshot);

/* The limits in force, for steps and records. */
wf_limits wf_snapshot_limits(const wf_snapshot *snapshot);
/* Those of `given` that are not 0 are in force from now on. False when out of memory. */
bool wf_snapshot_set_limits(wf_snapshot *snapshot, const wf_limits *given);

/* The names of the slots of the context. */
static inline const wf_names *wf_snapshot_keys(const wf_snapshot *snapshot)
{
    return snapshot->extras->own_keys.count > 0 ? &snapshot->extras->own_keys
                                                : &snapshot->machine->keys;
}
/* ---- the context: context.c ---- */

/* The slot of a key, made if there is none yet. WF_NONE when out of memory. */
WF_PRIVATE_API uint32_t wf_snapshot_slot(wf_snapshot *snapshot, const char *key, size_t length);
/* Whether the value of a slot belongs to the machine, which outlives the snapshot. */
static inline bool wf_slot_is_initial(const wf_snapshot *snapshot, uint32_t slot,
                                      const wf_value *value)
{
    const wfsm_machine *machine = snapshot->machine;
    return slot < machine->keys.count && machine->initial[slot].type == value->type &&
           machine->initial[slot].as.text == value->as.text;
}
/* Frees what the value of a slot, present or former, points to. */
static inline void wf_snapshot_free_value(const wf_snapshot *snapshot, uint32_t slot,
                                          const wf_value *value)
{
    if (value->type >= WF_STRING && !wf_slot_is_initial(snapshot, slot, value))
        wf_free(snapshot->allocator, (void *)(uintptr_t)value->as.text);
}
/* Makes a copy that a slot may hold. A value of the machine is not copied. False when out of
 * memory. */
WF_PRIVATE_API bool wf_snapshot_copy_value(const wf_snapshot *snapshot, uint32_t slot,
                                           const wf_value *value, wf_value *copy);
/* Removes the slots from `count` on, whose values are freed already. The instance's own keys
 * are in the order in which they were first set, as in what is stored. */
void wf_snapshot_cut(wf_snapshot *snapshot, size_t count);
/* Called after a commit: removes the instance's own keys that are no longer set, as they are
 * not stored either. */
void wf_snapshot_settle(wf_snapshot *snapshot);
/* ABSENT if it is not set. */
wf_value wf_snapshot_get(const wf_snapshot *snapshot, uint32_t slot);
/* The context as one object of the arena; parts are borrowed from the slots. */
wf_value wf_snapshot_context(const wf_snapshot *snapshot, wf_arena *arena);

/* Removes the effects up to this number, which were delivered. */
void wf_snapshot_acknowledge(wf_snapshot *snapshot, uint64_t number);
/* Whether an active state has this tag, a number of machine->tags. */
WF_PRIVATE_API bool wf_snapshot_has_tag(const wf_snapshot *snapshot, uint32_t tag);

static inline bool wf_set_has(const uint64_t *set, uint32_t state)
{
    return (set[state / 64] >> (state % 64)) & 1;
}
static inline void wf_set_add(uint64_t *set, uint32_t state)
{
    set[state / 64] |= (uint64_t)1 << (state % 64);
}
static inline void wf_set_remove(uint64_t *set, uint32_t state)
{
    set[state / 64] &= ~((uint64_t)1 << (state % 64));
}
/* The first member >= from, or WF_NONE. */
static inline uint32_t wf_set_next(const uint64_t *set, uint32_t words, uint32_t from)
{
    uint32_t word = from / 64;
    if (word >= words)
        return WF_NONE;
    uint64_t bits = set[word] & (~(uint64_t)0 << (from % 64));
    while (bits == 0) {
        if (++word == words)
            return WF_NONE;
        bits = set[word];
    }
    return word * 64 + (uint32_t)__builtin_ctzll(bits);
}
/* The last member of a set that is not empty. */
static inline uint32_t wf_set_last(const uint64_t *set, uint32_t words)
{
    while (set[--words] == 0)
        ;
    return words * 64 + 63 - (uint32_t)__builtin_clzll(set[words]);
}
/* Most machines need one word: no call of memcpy() then. */
static inline void wf_set_copy(uint64_t *to, const uint64_t *from, size_t words)
{
    if (words == 1)
        *to = *from;
    else if (words) /* memcpy() takes no NULL, even for nothing */
        memcpy(to, from, words * sizeof *to);
}
static inline void wf_set_clear(uint64_t *set, size_t words)
{
    if (words == 1)
        *set = 0;
    else
        memset(set, 0, words * sizeof *set);
}

/* The weight of all values of the state together. */
size_t wf_snapshot_weight(const wf_snapshot *snapshot);

/* Whether the set has as many children of `top` as a state of its type has active: one of a
 * compound state, all of a parallel one. */
bool wf_children_fit(const wfsm_machine *machine, const uint64_t *set, uint32_t top);
/* Whether these states can be active together: `top`, and descendants of it. */
bool wf_is_legal(const wfsm_machine *machine, const uint64_t *active, uint32_t top);

/* Whether the state is active and complete: a final state, or one with a final child or
 * complete regions. */
bool wf_snapshot_complete(const wf_snapshot *snapshot, uint32_t state);

/* What is used of a budget at `now`, and what is left of it. */
int64_t wf_budget_used(const wf_snapshot *snapshot, uint32_t budget, int64_t now);
int64_t wf_budget_left(const wf_snapshot *snapshot, uint32_t budget, int64_t now);
/* A budget that refuses a claim. WF_NONE: none does. */
WF_PRIVATE_API uint32_t wf_budget_refusing(const wf_snapshot *snapshot, int64_t now);

/* The earliest time at which a timer, a time limit or a budget of time is due, and with
 * `retries` also an attempt that waits for its retry. WFSM_NEVER if there is none. */
WF_PRIVATE_API int64_t wf_snapshot_deadline(const wf_snapshot *snapshot, bool retries);
#endif
