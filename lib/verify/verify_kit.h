/*
 * verify/verify_kit.h: one machine under exploration: what of its state counts, and how that is
 * written as a key and put back. The snapshot is never committed: each move is a draft that is
 * read and rolled back, so that one restoring serves all moves of a state.
 */
#ifndef WF_TOOLS_VERIFY_KIT_H
#define WF_TOOLS_VERIFY_KIT_H

#include <wfsm/verify.h>
#include "step/step.h"
#include "verify/property.h"
#include "verify/verify_data.h"
#include "verify/verify_pool.h"
#include "verify/verify_time.h"

enum { WF_KEY_BYTES = 1 << 16, WF_CHOICES_MOST = 32, WF_REMARKS_MOST = 32 };

/* A slot of the context that counts. */
typedef struct wf_tracked {
    uint32_t slot;
    const wf_demand *wanted;
    uint32_t number;  /* in the pool, of the state that was put back */
    wf_value value;   /* likewise */
} wf_tracked;

/* What stands for a part of a value of which nothing is wanted: the first that was there. */
typedef struct wf_stand_in {
    uint32_t place; /* hash of slot and path */
    uint8_t type;
    wf_value value;
} wf_stand_in;

/* An event from outside, with each class of its data. */
typedef struct wf_outside {
    wf_value name;
    uint32_t number; /* machine->events, or WF_NONE */
    uint64_t *handlers; /* the states that name it */
    wf_data data;
} wf_outside;

/* The answers of the host in one step: each question is answered in every way, one step
 * after the other. */
typedef struct wf_choices {
    uint32_t count; /* questions asked */
    uint32_t fixed; /* answers that are given already */
    uint16_t answer[WF_CHOICES_MOST], most[WF_CHOICES_MOST];
    /* The question, so that it gets the same answer while nothing has changed. */
    uint32_t guard[WF_CHOICES_MOST]; /* WF_NONE: an action */
    size_t changes[WF_CHOICES_MOST];
    wf_value params[WF_CHOICES_MOST];
} wf_choices;

/* What was seen in the course of a step: a rule of verify_explore.h, and its subject. */
typedef struct wf_remark {
    uint8_t rule;
    uint32_t subject;
} wf_remark;

typedef struct wf_kit {
    wfsm_machine *machine;
    const wfsm_allocator *allocator;
    wf_arena arena; /* what is found out about the machine */
    wf_arena scratch; /* data of the state at hand */
    wf_demands demands;
    wf_pool pool;
    wf_snapshot snapshot;
    wf_step step;
    wf_tracked *tracked;
    uint32_t tracked_count;
    uint32_t state_bytes; /* of a set of states in a key */
    wf_stand_in *stand_ins;
    size_t stand_in_count, stand_in_capacity;
    double number_most, length_most; /* of tracked values */

    bool restores;    /* checkpoints are kept and gone back to */
    uint32_t kept;      /* the checkpoint: a number of the pool, 0: none */
    uint32_t kept_next; /* after the move */
    bool resets_time; /* some action begins a budget of time anew */
    bool open;         /* what the document raises itself may come from outside, too */
    bool inner_events; /* there are such events, and they do not */
    wf_outside *outside;
    size_t outside_count, outside_capacity;
    wf_data *results;       /* of each invocation of the machine */
    const wf_demand **of_items; /* likewise, of one of its items; NULL: nothing */
    bool *alike; /* likewise: which item has which result makes no difference */
    wf_data decisions; /* of people */
    uint32_t *attempts_most; /* likewise: more are the same */
    wf_value *patches; /* of host functions; the first is ABSENT */
    uint32_t patch_count;

    /* The state that was put back. */
    wf_times times;
    size_t memory_size; /* of the monitor */
    uint8_t *memory;
    uint8_t *memory_next; /* after the move */
    uint8_t *verdicts;
    wf_choices choices;
    const wf_step *asking; /* whose host is asked */
    wf_step_observer observer;
    uint32_t *rivals; /* by transition: the next one of its list, WF_NONE behind the last */
    wf_remark remarks[WF_REMARKS_MOST]; /* of the last move */
    uint32_t remark_count;
    uint8_t *key; /* of the last move; WF_KEY_BYTES */
    size_t key_length;
    size_t timeless; /* how much of it does not depend on time */

    /* What was left out. */
    const wf_name *beyond; /* a key of the context that grew too far */
    bool many_timers, many_choices;
    const char *cut_data; /* the event of which not all classes are tried, or NULL */
    const char *no_data; /* no value fits the output of this invocation */
    wfsm_error *error;
} wf_kit;

/* verify_kit.c. NO_MEMORY is the only failure. */
int32_t wf_kit_init(wf_kit *kit, wfsm_machine *machine, const wfsm_verify_options *options,
                    wfsm_error *error);
void wf_kit_fini(wf_kit *kit);

/* verify_key.c. Writes the key of a state to kit->key: of what stands in the snapshot, with
 * the monitor's memory and what is known of the timers. *beyond is set to the key of the
 * context that grew too far. NO_MEMORY, or LIMIT when the key gets too long. */
int32_t wf_kit_write(wf_kit *kit, const wf_snapshot *snapshot, const uint8_t *memory,
                     const wf_times *times);
/* The key of the state as a checkpoint keeps it, as a number of the pool; WF_NONE when out of
 * memory. */
uint32_t wf_kit_keep(wf_kit *kit);
/* Goes back to the checkpoint: what it does not hold stays as it is. */
int32_t wf_kit_go_back(wf_kit *kit);
/* Puts the state of a key back into kit->snapshot, memory and times. */
int32_t wf_kit_restore(wf_kit *kit, const uint8_t *key, size_t length);
/* May attempts be claimed, as far as their number goes? */
bool wf_kit_claims(const wf_snapshot *snapshot);
/* Budgets of time that may still run out: they stand before the timers in kit->times. None
 * where something begins them anew; then they run out at any time. */
uint32_t wf_kit_ahead(const wf_kit *kit, const wf_spent *budgets);
/* Due when a timer is not to fire. */
#define WF_FAR WF_NUMBER_MOST
#endif
