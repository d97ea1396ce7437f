/*
 * engine/engine.h: the inside of an engine.
 *
 * An entry is an instance that this engine owns; a job is what the engine knows of one of
 * its outstanding invocations. The ledger of the instance is the truth: after every input
 * the jobs follow it (jobs.c), and whatever they then call for, a start, a probe, a cancel,
 * an answer to commit, is done when the entry is settled (run.c). So an engine that was
 * killed knows everything again when it has loaded its instances.
 *
 * The files: engine.c (life, registration), machines.c, table.c (entries by id), instances.c
 * (start, release), adopt.c, reload.c (after conflicts), inputs.c (sends, answers), jobs.c,
 * ready.c, quotas.c, slots.c, heartbeat.c, pool.c, pool_json.c, awaits.c, spawn.c, agents.c (callbacks),
 * children.c (child workflows), inbox.c, effects.c, run.c (the round).
 */
#ifndef WF_ENGINE_ENGINE_H
#define WF_ENGINE_ENGINE_H

#include <wfsm/engine.h>
#include <wfsm/pool.h>
#include "engine/heap.h"
#include "engine/list.h"
#include "instance/call.h"
#include "instance/instance.h"
#include "store/store.h"

/* Inputs of one wfsm_engine_run at most, so that it comes back. */
enum { WF_RUN_INPUTS = 10000 };
/* After a failure that may pass, try again so much later, ms. */
enum { WF_RETRY_MS = 1000 };

enum wf_job_state {
    WF_JOB_OVER,     /* nothing is in the agent's hands; the ledger decides what is next */
    WF_JOB_WAITING,  /* pending in the ledger */
    WF_JOB_UNKNOWN,  /* running, but not begun by this process: to be probed */
    WF_JOB_CLAIMED,  /* claimed by this engine: to be started */
    WF_JOB_WORKING,  /* the agent is at it */
    WF_JOB_ANSWERED, /* the agent has answered: to be committed */
    WF_JOB_WITHDRAWN /* the ledger has ended this attempt: the agent is to be told */
};

/* Invocations that share a limit and a count: those of an agent, a phase or a group. */
typedef struct wf_quota {
    struct wf_quota *next; /* of the same bucket */
    uint32_t hash;
    int32_t kind;  /* enum wfsm_pool_kind, or WF_POOL_ITEMS */
    uint32_t most; /* its own limit; 0: that of its kind */
    size_t jobs;   /* that name it */
    size_t working, waiting;
    wf_heap parked;   /* jobs that may be claimed as soon as it has room */
    uint32_t granted; /* to the step at work, if that is engine->grants */
    uint64_t grants;
    char name[];
} wf_quota;
/* Kinds beyond enum wfsm_pool_kind: the items of one invocation, with `maxConcurrency`. */
enum { WF_POOL_ITEMS = WFSM_POOL_GROUP + 1 };
enum { WF_QUOTAS = WF_POOL_ITEMS }; /* of a job; by kind, from WFSM_POOL_AGENT */

/* Quotas that a step may make, and claim of, at once; the rest waits for the next run. */
enum { WF_GRANTED = 16 };

struct wf_entry;
typedef struct wf_job {
    wf_heap_item ready; /* in engine->ready, or parked in a quota, while it may be claimed */
    wf_quota *parked;   /* where, if it is */
    wf_quota *quotas[WF_QUOTAS]; /* NULL: none of this kind */
    int64_t due;        /* WAITING: not before */
    wf_link polled;     /* in engine->polled while it is to be polled; of a child that may be
                           claimed, in engine->births */
    struct wf_job *next; /* of the entry, in the order of the ledger */
    struct wf_entry *entry;
    const wfsm_machine *machine; /* whose numbers these are; the engine keeps it */
    uint64_t revision; /* these two: its invocation */
    uint32_t ordinal;
    int8_t priority;
    bool child;        /* its agent is this engine: a child workflow */
    uint32_t invoke;   /* machine->invokes */
    uint32_t agent;    /* machine->agents */
    uint32_t handler;  /* engine->agents, WF_NONE: not registered here */
    uint32_t attempt;  /* that is in the agent's hands */
    uint64_t round;    /* of the last poll */
    int64_t beat;      /* its last sign of life */
    uint8_t state;     /* enum wf_job_state */
    int answer;        /* ANSWERED: enum wf_answer; NONE: the probe found it running */
    uint32_t failure_class;
    int64_t retry_after; /* ANSWERED: these are said beside the answer */
    wf_buffer usage;     /* as in a call */
    wf_buffer signature; /* with its NUL, or empty */
    wf_buffer text; /* result or message */
} wf_job;

typedef struct wf_entry {
    wf_link all;        /* engine->entries, in order of their adding */
    wf_link queue;      /* engine->todo or engine->later */
    wf_heap_item timer; /* in engine->timers while something is due some time */
    struct wf_entry *next; /* of the same bucket */
    wfsm_instance *instance;
    wf_job *jobs;
    uint64_t reloaded; /* round in which it was loaded again */
    uint32_t hash;
    bool fresh;   /* just taken over: nothing that runs was begun by this process */
    bool behind;  /* memory ran out while the jobs followed the ledger */
    bool child;   /* a child workflow */
    bool wanted;  /* its parent asks for it, as far as this engine knows */
    bool suspect; /* somebody else may have taken it over: load it again */
    char id[];
} wf_entry;

typedef struct wf_known {
    wfsm_machine *machine;
    bool named;    /* added by the host: may be started by its id */
    bool complete; /* all its agents are registered */
} wf_known;

/* To be told when nothing of a quota is left. */
typedef struct wf_await {
    struct wf_await *next;
    int32_t kind;
    const char *name, *instance, *event, *event_id;
    char text[];
} wf_await;

struct wfsm_engine {
    wfsm_allocator allocator;
    wfsm_store *store;
    char *owner;
    int64_t lapse;
    int64_t alive; /* the owner's row says so until then; 0: no row yet */
    bool looked;   /* since the last sign of life, for what others have committed */
    int64_t now;   /* of the call at work */
    uint32_t slots;
    int64_t promote; /* waiting so long is worth one priority; WFSM_NEVER: never */
    uint32_t limits[WF_QUOTAS + 1]; /* of each, by kind; 0: none */
    wf_quota **quotas; /* buckets */
    size_t quota_buckets, quota_count;
    uint64_t grants;         /* number of the step that may claim */
    wf_await *awaits;        /* in the order of their asking */
    bool posted;             /* something for the next run to consume */
    struct {                 /* to those of quotas that are not there yet */
        int32_t kind;
        uint32_t count;
        const char *name; /* the ledger's */
    } granted[WF_GRANTED];
    size_t granted_count;
    bool granted_all;        /* no more for this step */
    const wf_job *freeing;   /* that the step ends, if it is known */
    bool busy;
    wfsm_functions *functions;
    wfsm_callback observer, deliver;
    void *observer_user, *deliver_user;
    wf_names agent_names;
    wfsm_agent *agents; /* by number of their names */
    size_t agent_capacity;
    wf_known *machines;
    size_t machine_count, machine_capacity;

    wf_entry **buckets;
    size_t bucket_count; /* a power of two */
    size_t entry_count;
    wf_link entries;
    wf_link todo;  /* entries to settle */
    wf_link later; /* entries to settle in the next run, after a failure */
    wf_heap timers;
    size_t job_count;
    size_t behind;  /* entries whose jobs are behind the ledger */
    size_t working; /* jobs that hold a slot */
    size_t waiting; /* jobs that have none yet */
    wf_heap ready;  /* jobs that may be claimed now */
    wf_link polled; /* jobs at work whose agents are polled */
    wf_link births; /* children that may be claimed */
    size_t children; /* jobs and entries that are children */
    uint64_t age;   /* of the job made last */
    uint64_t round; /* number of the run */

    wf_buffer usage; /* of the answer at work, as JSON */
    wfsm_call call; /* for agents and effects */
    char call_id[WF_INVOCATION_ID_BYTES];
    wf_value null;
    wf_arena arena;
    wf_buffer answer; /* to a question of the host */
    uint32_t inputs;    /* that this run may still make */
    wfsm_error *failed; /* of the input at work; run reports the first */
    wfsm_error *error;  /* of run's caller */
    int32_t status;     /* of run */
};

/* engine.c */
/* Every public call that changes something begins with enter (INVALID, BUSY) and, if that
 * was OK, ends with leave. */
int32_t wf_engine_enter(wfsm_engine *engine, wfsm_error *error);
void wf_engine_leave(wfsm_engine *engine);
/* The owner's row is good for a while, or made so. Before anything that owns. */
int32_t wf_engine_alive(wfsm_engine *engine, int64_t now, wfsm_error *error);
/* Frees without a word to agents or store, as a crash would. For tests. */
void wf_engine_abandon(wfsm_engine *engine);

/* table.c */
wf_entry *wf_table_find(const wfsm_engine *engine, const char *id, size_t length);
/* A new entry without an instance; not in the table yet. Room for it is made. */
wf_entry *wf_entry_new(wfsm_engine *engine, const char *id);
/* Cannot fail. */
void wf_table_add(wfsm_engine *engine, wf_entry *entry);
/* Takes it out, if it is in, and frees it with its jobs and instance. Nobody is told. */
void wf_entry_free(wfsm_engine *engine, wf_entry *entry);

/* machines.c */
/* The machine of this fingerprint, or NULL. */
wfsm_machine *wf_engine_machine(const wfsm_engine *engine, const char *fingerprint);
/* Keeps a machine that is not known yet. */
int32_t wf_engine_keep_machine(wfsm_engine *engine, wfsm_machine *machine, bool named,
                               wfsm_error *error);
/* Are all agents of this machine registered here? */
bool wf_machine_is_complete(const wfsm_engine *engine, const wfsm_machine *machine);
/* Of the machines of this id that the host added, the last; or NULL. */
wfsm_machine *wf_engine_newest(const wfsm_engine *engine, const char *id);

/* children.c */
/* The id of the machine that an agent's name stands for; NULL: it is an agent. */
const char *wf_child_machine(const char *agent);
/* What the engine does as the agent of a job. A failure of the store or of memory is returned,
 * and the same is done again later. */
int32_t wf_child_start(wfsm_engine *engine, wf_job *job, wfsm_error *error);
int32_t wf_child_probe(wfsm_engine *engine, wf_job *job, wfsm_error *error);
int32_t wf_child_cancel(wfsm_engine *engine, wf_job *job, wfsm_error *error);
/* A child that nobody asks for any more is stopped. */
int32_t wf_child_check(wfsm_engine *engine, wf_entry *entry, wfsm_error *error);
/* A child that has ended: its parent hears of it, and the entry is freed. False, with the status
 * in *status, if that has to wait. */
bool wf_child_leave(wfsm_engine *engine, wf_entry *entry, int32_t *status);
/* What became of children and parents that other engines have? From time to time. */
void wf_children_watch(wfsm_engine *engine);

/* adopt.c */
/* OK too when it is here already. */
int32_t wf_entry_adopt(wfsm_engine *engine, const char *id, wfsm_error *error);
/* Loads an instance that this engine owns already; *instance is new. */
int32_t wf_engine_load(wfsm_engine *engine, const char *id, wfsm_instance **instance,
                       wfsm_error *error);

/* instances.c */
/* A new instance of this engine; parent NULL: no child. */
int32_t wf_entry_start(wfsm_engine *engine, wfsm_machine *machine, const char *id,
                       const char *input, size_t length, const wf_parent *parent,
                       wfsm_error *error);
/* An entry with its instance joins the table. Cannot fail. */
void wf_entry_add(wfsm_engine *engine, wf_entry *entry);
/* Tells the agents at work for an entry to stop. */
void wf_entry_cancel(wfsm_engine *engine, wf_entry *entry);
/* Its head names nobody as the owner from now on, if it named this engine. */
int32_t wf_entry_give_up(wfsm_engine *engine, wf_entry *entry, wfsm_error *error);

/* reload.c */
/* Is the entry fit for an input? If it is sealed or suspect, it is loaded again. When that
 * shows that it belongs to somebody else, it is dropped: *entry is NULL then. */
int32_t wf_entry_usable(wfsm_engine *engine, wf_entry **entry, int64_t now, wfsm_error *error);

/* inputs.c: after every input, OK or not. Cannot fail: what could not be done is done when
 * the entry is settled. */
void wf_input_begin(wfsm_engine *engine, wf_entry *entry, const wf_job *freeing);
void wf_input_end(wfsm_engine *engine, wf_entry *entry);
/* The length of the instance's id in that of an invocation. */
size_t wf_instance_part(const char *invocation);
/* Commits the answer of a job. */
int32_t wf_job_deliver(wfsm_engine *engine, wf_job *job, wfsm_error *error);

/* As wfsm_engine_start(), inside a call that has entered. */
int32_t wf_engine_start(wfsm_engine *engine, const char *machine, const char *id,
                        const char *input, size_t length, wfsm_error *error);

/* awaits.c */
/* Tells those whose wait is over; true if there were any. */
bool wf_awaits_serve(wfsm_engine *engine);
void wf_awaits_free(wfsm_engine *engine);

/* jobs.c */
/* NO_MEMORY leaves the rest for another time (entry->behind). */
int32_t wf_jobs_follow(wfsm_engine *engine, wf_entry *entry);
void wf_job_set(wfsm_engine *engine, wf_job *job, int state);
/* The invocation, or NULL once it has left the ledger. */
const wf_invocation *wf_job_invocation(const wf_job *job);
wf_job *wf_entry_job(const wf_entry *entry, uint64_t revision, uint32_t ordinal);
void wf_job_free(wfsm_engine *engine, wf_job *job);
/* "instance/revision/ordinal" */
void wf_job_id(const wf_job *job, char out[WF_INVOCATION_ID_BYTES]);

/* heartbeat.c */
/* When the silence of its agent counts as a failure; WFSM_NEVER without a heartbeat. */
int64_t wf_job_silent(const wf_job *job);
/* Agents of this entry that gave no sign of life in time have failed, and are told. */
void wf_entry_listen(wfsm_engine *engine, wf_entry *entry);

/* slots.c */
/* What the next step of an instance of this machine may claim at once; it ends the job
 * `freeing`, if any. Good until the next call. */
wf_grant wf_slots_grant(wfsm_engine *engine, const wfsm_machine *machine,
                        const wf_job *freeing);
/* Claims the next one that waits; false when there is none, or no slot. */
bool wf_slots_claim(wfsm_engine *engine);

/* quotas.c */
/* Finds or makes those of a job, with room to park it. */
bool wf_quotas_join(wfsm_engine *engine, wf_job *job, const wf_invocation *invocation);
void wf_quotas_leave(wfsm_engine *engine, wf_job *job);
/* Its state was, or is, that of one that works, or waits. */
void wf_quotas_count(wfsm_engine *engine, wf_job *job, int working, int waiting);
bool wf_quota_has_room(const wfsm_engine *engine, const wf_quota *quota);
/* Does anybody wait for what this job holds, beside its slot? */
bool wf_quotas_wanted(const wf_job *job);
/* The first one that has no room for it, or NULL. */
wf_quota *wf_quotas_full(const wfsm_engine *engine, const wf_job *job);
/* May a step claim what it makes, after what it was granted already? Yes counts. */
bool wf_quotas_grant(wfsm_engine *engine, const wfsm_machine *machine,
                     const wf_invocation *made);
wf_quota *wf_quota_find(const wfsm_engine *engine, int32_t kind, const char *name);
/* Made if there is none; NULL when out of memory. */
wf_quota *wf_quota_get(wfsm_engine *engine, int32_t kind, const char *name);
/* Nobody names it, and it has no limit of its own: it goes. */
void wf_quota_drop(wfsm_engine *engine, wf_quota *quota);
void wf_quotas_free(wfsm_engine *engine);

/* ready.c: which job is claimed next. */
/* May be claimed as soon as there are slots and room. */
void wf_ready_put(wfsm_engine *engine, wf_job *job);
/* Not any more; nothing if it could not. */
void wf_ready_take(wfsm_engine *engine, wf_job *job);
bool wf_ready_has(const wf_job *job);
/* The most urgent one that there is room for, or NULL. */
wf_job *wf_ready_next(wfsm_engine *engine);
/* A parked one may try again, when there is room. */
void wf_ready_wake(wfsm_engine *engine, wf_quota *quota);

/* agents.c */
/* After an agent or a machine was added: who waited for it may go on. */
void wf_engine_look_again(wfsm_engine *engine);
/* The callbacks. Each leaves the job in its next state. */
void wf_agent_start(wfsm_engine *engine, wf_job *job);
void wf_agent_poll(wfsm_engine *engine, wf_job *job);
void wf_agent_probe(wfsm_engine *engine, wf_job *job);
void wf_agent_cancel(wfsm_engine *engine, wf_job *job);
/* From now on it is polled, if its agent wants to be. */
void wf_agent_watch(wfsm_engine *engine, wf_job *job);

/* effects.c: delivers what waits. False when some are left for another time; a failure of
 * the store is reported. */
bool wf_effects_deliver(wfsm_engine *engine, wf_entry *entry);

/* inbox.c: consumes the posts of this engine's instances. */
void wf_inbox_consume(wfsm_engine *engine);

/* run.c */
/* A failure within a run, described by engine->failed: reported unless it is a conflict. */
void wf_run_report(wfsm_engine *engine, int32_t status);
/* The same, and the entry is put off; entry may be NULL. */
void wf_run_note(wfsm_engine *engine, wf_entry *entry, int32_t status);
static inline void wf_run_soon(wfsm_engine *engine, wf_entry *entry)
{
    wf_link_append(&engine->todo, &entry->queue);
}
#endif
