/*
 * The part instance: one running workflow. It joins machine, step and store: an input opens a
 * draft, the step works on the draft, and a commit makes it durable. What a step does is
 * decided in lib/step and nowhere here. Nothing here starts an agent; that is the engine's
 * part.
 *
 * The files, in the order to read them:
 *
 *   An input, from the call to the commit
 *     inputs.c             events, time, patch, stop; event.c checks the caller's event
 *     instance_draft.c     checks that an input is allowed, and opens the draft
 *     host.c               calls guards and actions; functions.c finds them by name; call.c and
 *                          call_beside.c are the wfsm_call that they get (call.h)
 *     commit.c             the record and the store's commit; tell.c tells the observer
 *     commit_batch.c       commits that wait in a batch of the store
 *     check_commit.c       whether a commit whose answer was lost is stored
 *     scratch.c            the memory that an input needs
 *     host_limits.c        the limits of a step that the host sets
 *     send_many.c          one event each for many instances
 *
 *   The life of an instance
 *     instance.c           make, start, free
 *     instance_load.c      head, snapshot and journal become an instance
 *     instance_migrate.c   continues under another document
 *     fork.c               begins in the state of another instance
 *     checkpoints.c        make and delete
 *     instance_restore.c   goes back to a checkpoint or a revision; restore_source.c finds its state
 *     past.c               the state at a revision of the journal (past.h); instance_past.c is
 *                          the handle of one, diff.c and diff_json.c the difference of two
 *
 *     consume.c            posts of others, each as the input that its kind names
 *
 *   Work and effects
 *     work.c               claims, results, failures, answers of probes
 *     approvals.c          votes of people
 *     effects.c            what the host delivers after a commit
 *
 *   Queries
 *     queries.c, queries_limits.c
 *
 *   A journal as a whole
 *     replay.c             runs records again and compares the results (replay.h): replay_inputs.c,
 *                          replay_kept.c, replay_parts.c, replay_store.c; under another document:
 *                          replay_compare.c, replay_moves.c
 *     audit.c              replays all journals and compares them with what is stored (audit.h):
 *                          audit_head.c, audit_states.c, audit_restores.c, audit_inbox.c,
 *                          audit_diagnostic.c
 *     compact.c            drops or archives the beginning of a journal (compact.h):
 *                          compact_run.c, compact_archive.c, compact_move.c
 *     sweep.c              does so to all instances of a store, as their documents say
 *
 * instance/inner.h: the inside of an instance, shared by the files of this folder.
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
/* A commit includes a full snapshot when the records since the last one are larger than it by
 * this many bytes. So loading reads at most about twice a snapshot, and most commits write only
 * their changes. */
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

/* What an instance goes back to if the commits that wait in a batch are refused. */
typedef struct wf_waiting {
    char digest[WF_DIGEST_HEX]; /* as in wf_attachment */
    size_t snapshot_bytes, record_bytes;
    int32_t refusal; /* of one of them; WFSM_OK: none was refused yet */
    bool stored; /* one of them is */
    bool final; /* they cannot be taken back */
} wf_waiting;

/* A commit, for the observer. */
typedef struct wf_news {
    int64_t now;
    const char *record, *log;
    size_t record_length, log_length;
} wf_news;

/* What connects an instance to the outside. An instance without a store, of a machine without
 * host functions, has none until a query needs one. */
typedef struct wf_attachment {
    wfsm_store *store; /* borrowed, may be NULL */
    const wfsm_functions *functions; /* borrowed, may be NULL */
    wf_binding *guards, *actions; /* by the machine's numbers; NULL if there are none */
    char *owner; /* NULL: nobody */
    wf_binding observer;
    wf_grant grant;
    /* it was loaded, and its owner is another handle, perhaps of another process */
    bool by_hand;
    bool left; /* its end is stored, and nobody owns it any more */
    bool limited; /* the host wants other limits from the next step on */
    wf_limits limits; /* 0: as it is */
    char digest[WF_DIGEST_HEX]; /* of the last record */
    size_t snapshot_bytes; /* of the last full snapshot */
    size_t record_bytes; /* of the records since then */
    uint64_t committed; /* the revision that the store has confirmed */
    /* the last effect that the host has taken, if the next commit is to tell the store; 0: it
     * knows */
    uint64_t delivered;
    wf_before *unconfirmed; /* steps whose commits wait in a batch */
    wf_waiting before; /* what was there before them, and their answers */
    uint32_t waiting; /* commits in the batch of the store */
    const wfsm_row *post; /* that the next commit consumes; NULL: none */
    wf_buffer record, log, entered, event, answer;
} wf_attachment;

/* The memory that an input needs while it is processed. The instances of a machine share it. */
typedef struct wf_scratch {
    wf_spare spare; /* must be first: the machine keeps the scratch memory by it */
    wf_step step;
    wfsm_call calls[2]; /* by kind: WF_CALL_GUARD, WF_CALL_ACTION */
    wf_buffer full, tags, attributes;
} wf_scratch;

/* There may be millions of instances, so one that is idle fits in a few cache lines. Behind it,
 * in the same block, are the room of the snapshot and the id. */
struct wfsm_instance {
    wf_snapshot snapshot; /* with a reference to its machine */
    wf_attachment *attached; /* may be NULL */
    wf_scratch *scratch; /* NULL while no input is processed */
    uint32_t blocked; /* the transition whose guard blocked the last event, or WF_NONE */
    bool busy; /* a callback is running */
    bool sealed; /* the store may be ahead of memory */
    bool past; /* a revision of the past, which only answers questions */
};

static inline wfsm_store *wf_instance_store(const wfsm_instance *instance)
{
    return instance->attached ? instance->attached->store : NULL;
}

static inline const char *wf_instance_owner(const wfsm_instance *instance)
{
    return instance->attached && instance->attached->owner ? instance->attached->owner : "";
}

static inline const char *wf_instance_id(const wfsm_instance *instance)
{
    return (const char *)(instance + 1) + wf_snapshot_room(instance->snapshot.machine);
}

/* What a commit records about its input. */
typedef struct wf_note {
    wf_value input; /* {"kind", …} in the step's arena */
    const char *event_id; /* NULL: none */
    uint64_t inbox; /* post that is consumed, 0: none */
    const char *checkpoint; /* NULL: none */
    bool migrates; /* the document is another one than before */
    const char *artifacts; /* of the checkpoint, JSON; NULL: none */
    size_t artifacts_length;
    const char *deleted; /* the checkpoint that it deletes; NULL: none */
    int32_t outcome;
} wf_note;

/* True if a store or an observer needs its records. */
static inline bool wf_instance_writes(const wfsm_instance *instance)
{
    const wf_attachment *attached = instance->attached;
    return attached && (attached->store || attached->observer.call);
}

/* instance_draft.c: the old document, for the record of a migration. */
wf_value wf_migrate_note(wf_arena *arena, const wf_snapshot *old);

/* scratch.c */
/* Takes the machine's scratch memory, or makes some; NO_MEMORY. */
int32_t wf_instance_take_scratch(wfsm_instance *instance, wfsm_error *error);
/* Gives it back. */
void wf_instance_return_scratch(wfsm_instance *instance);
/* Drops the draft and gives the scratch memory back; returns the status. */
int32_t wf_instance_drop(wfsm_instance *instance, int32_t status);
/* Parses an input's JSON into the step's arena, as wf_input_parse(). */
int32_t wf_instance_parse(wfsm_instance *instance, const char *text, size_t length,
                          wf_value *value, wfsm_error *error);
/* Makes the attachment if there is none; NO_MEMORY. */
int32_t wf_instance_attach(wfsm_instance *instance, wfsm_error *error);
void wf_instance_detach(wfsm_instance *instance);
/* Remembers which guard blocked the event of the step, if one did. */
void wf_instance_note_blocked(wfsm_instance *instance, int32_t outcome);

/* instance.c */
/* For the first step, after wf_instance_begin(): what the ids of its work build on. */
void wf_instance_first(wfsm_instance *instance, const char *session, uint64_t start);
/* INVALID if `out` or the id is missing or wrong. */
int32_t wf_instance_check(const void *out, const char *id, wfsm_error *error);
/* Makes an instance without any state, to be freed by wfsm_instance_free(). */
wfsm_instance *wf_instance_bare(wfsm_machine *machine, const char *id);
/* The same with a store and host functions. */
int32_t wf_instance_make(wfsm_instance **out, wfsm_machine *machine, wfsm_store *store,
                         const wfsm_functions *functions, const char *id, wfsm_error *error);

/* restore_source.c */
/* Where an instance is restored or forked from. Both empty: the present state. */
typedef struct wf_restore_source {
    char checkpoint[WF_ID_BYTES];
    uint64_t revision;
    char digest[WF_DIGEST_HEX]; /* of the record of that state, once it is read */
} wf_restore_source;
/* Copies what the caller has set. INVALID if it is not a restore point, but both places may be empty. */
int32_t wf_restore_point(wfsm_restore_point *point, const wfsm_restore_point *given,
                         wfsm_error *error);
/* Finds out what is meant, and the id of the newest checkpoint. NOT_FOUND if there is none, INVALID
 * if it is neither a checkpoint nor a revision. */
int32_t wf_restore_find(wf_restore_source *self, const wfsm_instance *of,
                        const wfsm_restore_point *point, wfsm_error *error);
/* The state, as text and decoded into a snapshot that wf_snapshot_init() made. It must be that of a
 * running instance under the same document. */
int32_t wf_restore_read(wf_restore_source *self, const wfsm_instance *of, wf_buffer *text,
                        wf_snapshot *from, wfsm_error *error);

/* instance_draft.c */
/* BUSY, SEALED or INVALID if no input can be taken now. */
int32_t wf_instance_ready(const wfsm_instance *instance, wfsm_error *error);
/* Opens the draft at `now`. */
int32_t wf_instance_begin(wfsm_instance *instance, int64_t now, wfsm_error *error);
/* The input as a value: {"kind": kind, key: value, …}. NULL values are left out. */
wf_value wf_note_value(wf_arena *arena, const char *kind, const char *const *keys,
                       const wf_value *const *values, size_t count);
/* The same for an event. An id or data that is null is left out. */
wf_value wf_event_note(wf_arena *arena, const wf_value *name, const wf_value *id,
                       const wf_value *data);

/* inputs.c */
/* Consumes a post that is an event. */
int32_t wf_instance_consume_event(wfsm_instance *instance, const wfsm_row *post, int64_t now,
                                  int32_t *outcome, wfsm_error *error);

/* event.c */
/* Checks the size and the id of the caller's event, and that it has a name. Returns the event,
 * or a copy in `room`; NULL: INVALID. */
const wfsm_event *wf_instance_event(wfsm_event *room, const wfsm_event *given,
                                    wfsm_error *error);
/* Whether an event of this id (or NULL) is recorded, or waits in a batch of the store. */
int32_t wf_instance_is_duplicate(wfsm_instance *instance, const char *id, bool *seen,
                                 wfsm_error *error);

/* Prefetches a cache line of the instance. Any pointer is allowed. */
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
/* Commits the open draft: memory and disk change together or not at all. The draft is closed
 * in any case. EXISTS if the event id (at the start: the instance) exists already. */
int32_t wf_instance_commit(wfsm_instance *instance, const wf_note *note, wfsm_error *error);
/* The same for an input that may repeat an event id or fail. Sets *outcome, which may be NULL.
 * If the input is consumed but failed, `error` says why. */
int32_t wf_instance_commit_input(wfsm_instance *instance, const wf_note *note, int32_t *outcome,
                                 wfsm_error *error);
/* The last commit makes no record: there is no record any more, and no log. */
void wf_instance_forget_record(wfsm_instance *instance);
/* Writes record, log, entered states and event of the open draft. */
int32_t wf_instance_write(wfsm_instance *instance, const wf_note *note, wfsm_error *error);

/* tell.c */
void wf_instance_tell(wfsm_instance *instance, const wf_news *what);

/* commit_batch.c */
/* BUSY while commits of the instance wait in a batch. */
int32_t wf_instance_flushed(const wfsm_instance *instance, wfsm_error *error);
/* Adds the commit to the store's batch. If it is WFSM_OK, wf_instance_apply() must follow. */
int32_t wf_instance_gather(wfsm_instance *instance, const wfsm_commit *commit,
                           wfsm_error *error);
/* Closes the draft. Its step stays in memory until the flush has answered. Cannot fail. */
void wf_instance_apply(wfsm_instance *instance, bool migrates);

/* approvals.c */
/* Processes a vote within the open draft. The note must be committed, whatever the outcome. */
int32_t wf_run_approval(wfsm_instance *instance, const char *id, const wf_value *given,
                        wf_note *note, wfsm_error *error);

/* host.c */
void wf_instance_bind_host(wfsm_instance *instance);

/* functions.c */
/* Resolves the machine's host functions. The error of NOT_FOUND names the missing one. */
int32_t wf_instance_bind(wfsm_instance *instance, const wfsm_functions *functions,
                         wfsm_error *error);
/* instance_load.c: *machine is the document with this fingerprint, as the store has it for the instance
 * `id`. On WFSM_OK the caller unrefs it. CORRUPT: the stored document is damaged. */
int32_t wf_stored_machine(wfsm_machine **machine, wfsm_store *store, const char *id,
                          const char *fingerprint, wfsm_error *error);
#endif
