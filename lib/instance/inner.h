/*
 * instance/inner.h: the inside of an instance, shared by the files of this folder.
 * Calls among them go one way: scratch.c (room for an input), draft.c (before an input),
 * functions.c, host.c (asking guards and actions) and commit.c at the bottom; on them
 * instance.c (making, starting, freeing) and then load.c; inputs.c, checkpoints.c,
 * fork.c, work.c, queries.c, effects.c.
 */
#ifndef WF_INSTANCE_INNER_H
#define WF_INSTANCE_INNER_H

#include "base/digest.h"
#include "base/memory.h"
#include "instance/call.h"
#include "instance/instance.h"
#include "machine/machine.h"
#include "step/step.h"
#include "store/decode.h"
#include "store/store.h"

enum { WF_ID_BYTES = 256 };
/* A full snapshot goes with a record when the records since the last one have outgrown it by
 * this, so that loading costs at most twice a snapshot and a commit's bytes stay those of its
 * changes. */
enum { WF_SNAPSHOT_SLACK = 4096 };

typedef struct wf_binding {
    wfsm_callback call;
    void *user;
} wf_binding;

struct wfsm_functions {
    wfsm_allocator allocator;
    wf_names guard_names, action_names;
    wf_binding *guards, *actions;
    size_t guard_capacity, action_capacity;
};

/* What connects an instance to the outside. An instance in memory only, of a machine without host
 * functions, has none until somebody asks it something. */
typedef struct wf_attachment {
    wfsm_store *store; /* borrowed, may be NULL */
    const wfsm_functions *functions; /* borrowed, may be NULL */
    wf_binding *guards, *actions; /* by the machine's numbers; NULL without any */
    char *owner; /* NULL: nobody */
    wf_binding observer;
    wf_grant grant;
    char digest[WF_DIGEST_HEX]; /* of the last record */
    size_t snapshot_bytes; /* of the last full snapshot */
    size_t record_bytes; /* of the records since then */
    uint64_t committed; /* the revision that the store has confirmed */
    uint32_t waiting; /* commits in the batch of the store */
    wf_buffer record, log, answer;
} wf_attachment;

/* The memory that an input works with. The instances of a machine share it. */
typedef struct wf_scratch {
    wf_spare spare; /* the first: it rests with the machine */
    wf_step step;
    wfsm_call calls[2]; /* by kind: WF_CALL_GUARD, WF_CALL_ACTION */
    wf_buffer full, tags;
} wf_scratch;

/* At rest it fits in a few cache lines: there may be millions. Behind it, in the same
 * block, lie the room of the snapshot and the id. */
struct wfsm_instance {
    wf_snapshot snapshot; /* with a reference to its machine */
    wf_attachment *attached; /* may be NULL */
    wf_scratch *scratch; /* NULL at rest */
    uint32_t blocked; /* transition whose guard said no to the last event, or WF_NONE */
    bool busy; /* a callback is at work */
    bool sealed; /* the store may be ahead of memory */
};

static inline wfsm_store *wf_instance_store(const wfsm_instance *instance)
{
    return instance->attached ? instance->attached->store : NULL;
}

static inline const char *wf_instance_owner(const wfsm_instance *instance)
{
    return instance->attached && instance->attached->owner ? instance->attached->owner : "";
}

/* Its id. */
static inline const char *wf_instance_name(const wfsm_instance *instance)
{
    return (const char *)(instance + 1) + wf_snapshot_room(instance->snapshot.machine);
}

/* What a commit says of its input. */
typedef struct wf_note {
    wf_value input; /* {"kind", …} in the step's arena */
    const char *event_id; /* NULL: none */
    uint64_t inbox; /* post that is consumed, 0: none */
    const char *checkpoint; /* NULL: none */
    bool migrates; /* the document is another one than before */
    const char *artifacts; /* of the checkpoint, JSON; NULL: none */
    size_t artifacts_length;
    const char *deleted; /* a checkpoint that goes; NULL: none */
    int32_t outcome;
} wf_note;

/* Does anybody want its records? */
static inline bool wf_instance_writes(const wfsm_instance *instance)
{
    const wf_attachment *attached = instance->attached;
    return attached && (attached->store || attached->observer.call);
}

/* draft.c, for a migration: where it comes from. */
wf_value wf_migrate_note(wf_arena *arena, const wf_snapshot *old);

/* scratch.c */
/* Takes the machine's scratch memory, or makes some; NO_MEMORY. */
int32_t wf_instance_take_scratch(wfsm_instance *instance, wfsm_error *error);
/* Gives it back. */
void wf_instance_return_scratch(wfsm_instance *instance);
/* Drops the draft and gives the scratch memory back; returns the status. */
int32_t wf_instance_drop(wfsm_instance *instance, int32_t status);
/* An input's JSON (NULL text: null) in the step's arena; LIMIT when it is nested too
 * deeply, or too large, to stand in a record. */
int32_t wf_instance_parse(wfsm_instance *instance, const char *text, size_t length,
                          wf_value *value, wfsm_error *error);
/* Makes the attachment if there is none; NO_MEMORY. */
int32_t wf_instance_attach(wfsm_instance *instance, wfsm_error *error);
void wf_instance_detach(wfsm_instance *instance);
/* Remembers which guard blocked the event of the step, if one did. */
void wf_instance_note_blocked(wfsm_instance *instance, int32_t outcome);

/* instance.c */
/* INVALID if what every start and load needs is not there. */
int32_t wf_instance_check(const void *out, const char *id, wfsm_error *error);
/* An instance without any state yet, good for wfsm_instance_free(). */
int32_t wf_instance_make(wfsm_instance **out, wfsm_machine *machine, wfsm_store *store,
                         const wfsm_functions *functions, const char *id, wfsm_error *error);

/* checkpoints.c */
/* The id of a checkpoint: `id` itself, or with "" that of the newest. NOT_FOUND without any,
 * INVALID for what is no id. */
int32_t wf_checkpoint_find(wfsm_store *store, const char *instance, const char *id,
                           char found[WF_ID_BYTES], wfsm_error *error);
/* Fills in a snapshot that wf_snapshot_init() made: one of a running instance. */
int32_t wf_checkpoint_read(wf_snapshot *from, const wf_stored *stored, wfsm_error *error);

/* draft.c */
/* BUSY, SEALED or INVALID if no input can be taken now. */
int32_t wf_instance_ready(const wfsm_instance *instance, wfsm_error *error);
/* Opens the draft at `now`. */
int32_t wf_instance_begin(wfsm_instance *instance, int64_t now, wfsm_error *error);
/* An input value: {"kind": kind, key: value, …}; NULL values are left out. */
wf_value wf_note_value(wf_arena *arena, const char *kind, const char *const *keys,
                       const wf_value *const *values, size_t count);
/* That of an event; null ids and data are left out. */
wf_value wf_event_note(wf_arena *arena, const wf_value *name, const wf_value *id,
                       const wf_value *data);

/* event.c */
/* What a caller hands in, its size and id checked; room may be used for a copy. The name is not
 * NULL, but is not checked any further. NULL: INVALID. */
const wfsm_event *wf_instance_event(wfsm_event *room, const wfsm_event *given,
                                    wfsm_error *error);
/* Whether an event of this id (or NULL) is recorded, or waits in a batch of the store. */
int32_t wf_instance_is_duplicate(wfsm_instance *instance, const char *id, bool *seen,
                                 wfsm_error *error);

/* Asks for a line of its memory, which the processor then fetches while it continues: a hint,
 * also for what is no instance. */
static inline void wf_instance_fetch(const wfsm_instance *instance, unsigned line)
{
#if defined(__GNUC__)
    __builtin_prefetch((const void *)((uintptr_t)instance + (uintptr_t)line * 64));
#else
    (void)instance;
    (void)line;
#endif
}

/* commit.c */
/* BUSY while commits of the instance wait in a batch. */
int32_t wf_instance_flushed(const wfsm_instance *instance, wfsm_error *error);
/* Commits the open draft: memory and disk move together or not at all. The draft is closed
 * in any case. EXISTS when the event id (or at the start the instance) is there already. */
int32_t wf_instance_commit(wfsm_instance *instance, const wf_note *note, wfsm_error *error);
/* The same for an input that may repeat an event id, or fail: *outcome (may be NULL) is set,
 * and `error` tells why an input that is consumed failed. */
int32_t wf_instance_commit_input(wfsm_instance *instance, const wf_note *note, int32_t *outcome,
                                 wfsm_error *error);
/* Writes record and log of the open draft. */
int32_t wf_instance_write(wfsm_instance *instance, const wf_note *note, wfsm_error *error);

/* approvals.c */
/* Is this the event that is a vote? */
bool wf_is_approval(const char *event);
/* Takes one in, within the open draft; what is noted is to be committed, whatever the
 * outcome. */
int32_t wf_run_approval(wfsm_instance *instance, const char *id, const wf_value *given,
                        wf_note *note, wfsm_error *error);

/* host.c */
void wf_instance_bind_host(wfsm_instance *instance);

/* functions.c */
/* Resolves the machine's host functions; NOT_FOUND names the one that is missing. */
int32_t wf_instance_bind(wfsm_instance *instance, const wfsm_functions *functions,
                         wfsm_error *error);
#endif
