/*
 * instance/inner.h: the inside of an instance, shared by the files of this folder. Calls
 * among them go one way: draft.c (before an input), functions.c, host.c (asking guards and
 * actions) and commit.c at the bottom; on them instance.c (making, starting, freeing) and
 * then load.c; inputs.c, checkpoints.c, fork.c, work.c, queries.c, effects.c.
 */
#ifndef WF_INSTANCE_INNER_H
#define WF_INSTANCE_INNER_H

#include "base/digest.h"
#include "base/memory.h"
#include "instance/call.h"
#include "instance/instance.h"
#include "step/step.h"
#include "store/decode.h"
#include "store/store.h"

enum { WF_ID_BYTES = 256 };

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

struct wfsm_instance {
    wfsm_allocator allocator;
    wfsm_machine *machine; /* a reference */
    wfsm_store *store;     /* borrowed */
    const wfsm_functions *functions; /* borrowed, may be NULL */
    char id[WF_ID_BYTES];
    char owner[WF_ID_BYTES];
    wf_snapshot snapshot;
    wf_step step;
    wf_binding *guards, *actions; /* by the machine's numbers */
    wfsm_call calls[2]; /* by kind: WF_CALL_GUARD, WF_CALL_ACTION */
    wf_binding observer;
    bool busy;   /* a callback is at work */
    bool sealed; /* the store may be ahead of memory */
    wf_grant grant;
    char digest[WF_DIGEST_HEX]; /* of the last record */
    size_t snapshot_bytes;      /* of the last full snapshot */
    size_t record_bytes;        /* of the records since then */
    const char *blocked;        /* guard of the last event, borrowed from the machine */
    wf_buffer record, log, full, tags, answer;
};

/* What a commit says of its input. */
typedef struct wf_note {
    wf_value input;         /* {"kind", …} in the step's arena */
    const char *event_id;   /* NULL: none */
    uint64_t inbox;         /* post that is consumed, 0: none */
    const char *checkpoint; /* NULL: none */
    bool migrates;          /* the document is another one than before */
    const char *artifacts;  /* of the checkpoint, JSON; NULL: none */
    size_t artifacts_length;
    const char *deleted;    /* a checkpoint that goes; NULL: none */
    int32_t outcome;
} wf_note;

/* Does anybody want its records? */
static inline bool wf_instance_writes(const wfsm_instance *instance)
{
    return instance->store != NULL || instance->observer.call != NULL;
}

/* draft.c, for a migration: where it comes from. */
wf_value wf_migrate_note(wf_arena *arena, const wf_snapshot *old);

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
int32_t wf_checkpoint_read(wf_snapshot *from, const wf_stored *stored,
                           wfsm_error *error);

/* draft.c */
/* BUSY, SEALED or INVALID if no input can be taken now. */
int32_t wf_instance_ready(const wfsm_instance *instance, wfsm_error *error);
/* An input's JSON (NULL text: null) in the step's arena; LIMIT when it is nested too deeply,
 * or too large, to stand in a record. */
int32_t wf_instance_parse(wfsm_instance *instance, const char *text, size_t length,
                          wf_value *value, wfsm_error *error);
/* Opens the draft at `now`. */
int32_t wf_instance_begin(wfsm_instance *instance, int64_t now, wfsm_error *error);
/* An input value: {"kind": kind, key: value, …}; NULL values are left out. */
wf_value wf_note_value(wf_arena *arena, const char *kind, const char *const *keys,
                       const wf_value *const *values, size_t count);
/* That of an event; null ids and data are left out. */
wf_value wf_event_note(wf_arena *arena, const wf_value *name, const wf_value *id,
                       const wf_value *data);

/* commit.c */
/* Commits the open draft: memory and disk move together or not at all. The draft is closed
 * in any case. EXISTS when the event id (or at the start the instance) is there already. */
int32_t wf_instance_commit(wfsm_instance *instance, const wf_note *note, wfsm_error *error);
/* The same for an input that may repeat an event id, or fail: *outcome (may be NULL) is set,
 * and `error` tells why an input that is consumed failed. */
int32_t wf_instance_commit_input(wfsm_instance *instance, const wf_note *note,
                                 int32_t *outcome, wfsm_error *error);
/* Writes record and log of the open draft. */
int32_t wf_instance_write(wfsm_instance *instance, const wf_note *note, wfsm_error *error);

/* host.c */
void wf_instance_bind_host(wfsm_instance *instance);

/* functions.c */
/* Resolves the machine's host functions; NOT_FOUND names the one that is missing. */
int32_t wf_instance_bind(wfsm_instance *instance, const wfsm_functions *functions,
                         wfsm_error *error);
#endif
