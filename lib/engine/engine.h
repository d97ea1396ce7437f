/*
 * engine/engine.h: drives many instances over one store.
 *
 * An engine owns instances. Each is an entry (entries.h), and each outstanding invocation of
 * an entry is a job (job.h). The ledger of the instance says what is outstanding. After every
 * round the jobs follow the ledger (follow.c), and the state of each job says what has to be
 * done next: a start, a probe, a cancel, or the commit of an answer. An engine keeps nothing that
 * cannot be derived from its instances again, so after a crash the next engine loads them and
 * continues.
 *
 * A round (run.c, wfsm_engine_run) has three parts:
 *   1. Inputs. Jobs that wait are claimed, the posts of the last exchange are consumed, agents are
 *      polled, answers are committed, child workflows are started, and due timers fire, until
 *      nothing is left or the round is at one of its bounds (bounds.c). Each input is a step whose
 *      commit waits in the store's batch. Several of one instance follow each other.
 *   2. The exchange (round.c, outgoing.c). The store gets all commits at once, with the heartbeat
 *      and the acknowledgements, and returns the posts for the next round.
 *   3. What follows. Each instance takes the answers: its steps stay, are taken back, or it is
 *      loaded again (instance/commit_batch.c), and its jobs follow. Then agents are started, probed
 *      and told to stop, and effects are delivered (entry_acts.c). What they answer is an input of
 *      the next round.
 * So nothing is built on a commit of another instance before the store has confirmed it: a slot that
 * a step frees, the end of a child workflow and the start of one count from the next round on.
 * An input by the host between rounds (sends.c, results.c) is a round of its own.
 *
 * The files, from the bottom. A file calls only files above it in this list.
 *   list.h, heap.c      rings and heaps of items that live inside their owners
 *   bounds.c            how much one round does
 *   tally.c             what the engine has done, in numbers
 *   report.c            failures within a round
 *   ids.c               what an agent's name and an invocation's id say
 *   quotas.c            how many jobs of an agent, phase or group work and wait
 *   rate.c              how often work of one quota may begin
 *   rates.c             the same of all, which engines may share
 *   ready.c             which waiting job is claimed next
 *   job.c               a job and its state; counts, queues and lists follow the state
 *   shards.c            which shards are an engine's
 *   machines.c          the machines that the engine knows
 *   serving.c           the documents that the engine serves
 *   cache.c             instances that only wait may leave memory
 *   entries.c           entries by id
 *   grants.c            what the steps of a round may claim at once
 *   enter.c             how every public call begins and ends
 *   permits.c           limits that all engines of a store share
 *   looks.c             when it looks for what others have done
 *   lease.c             the right to the instances, until a given time
 *   requests.c          room for what is asked about instances
 *   leaving.c           instances that the engine gives up
 *   changes.c           what others have done to instances
 *   outgoing.c          what a round asks of the store beside its commits
 *   agent_calls.c       the four callbacks of an agent
 *   heartbeat.c         agents that have been silent for too long
 *   follow.c            the jobs of an entry follow its ledger
 *   entry_ownership.c   instances are loaded, loaded again, and given up
 *   entry_input.c       what comes before and after every input
 *   reload.c            instances that the next exchange loads
 *   taking.c            many stored instances are taken over with one exchange
 *   adoption.c          stored instances are taken over
 *   parting.c           instances are given up to the engines whose shards they are in
 *   share.c             what several engines share
 *   answer_commits.c    answers of agents are committed
 *   child_outcome.c, child_search.c, child_starts.c, entry_start.c, child_workflows.c,
 *   child_parents.c     instances are started, and invocations whose agent is the engine itself
 *   effect_delivery.c, post_intake.c, job_claims.c, awaits.c
 *                       the other parts of a round
 *   round.c             the exchange, and its answers
 *   given.c             what the host says about an invocation becomes an input
 *   queue.c             inputs of the host while a round is out
 *   instances.c         start, fork, release
 *   start_all.c         many starts
 *   entry_inputs.c      the inputs that the jobs of an entry call for
 *   entry_acts.c        what follows from the committed state of an entry
 *   unknown_agents.c    tells of agents that nobody has
 *   run.c               the round
 *   engine.c, registration.c, sends.c, results.c, pool_limits.c, pool_json.c, metrics.c, batches.c
 *                       the other public calls
 */
#ifndef WF_ENGINE_ENGINE_H
#define WF_ENGINE_ENGINE_H

#include <wfsm/engine.h>
#include "engine/unknown_agents.h"
#include "engine/awaits.h"
#include "engine/bounds.h"
#include "engine/entries.h"
#include "engine/grants.h"
#include "engine/heap.h"
#include "engine/job.h"
#include "engine/list.h"
#include "engine/outgoing.h"
#include "engine/machines.h"
#include "engine/quotas.h"
#include "engine/tally.h"
#include "instance/call.h"
#include "instance/instance.h"
#include "store/store.h"

/* The inputs that one wfsm_engine_run() makes at most, unless an option says otherwise. */
enum { WF_RUN_INPUTS = 10000, WF_RUN_FEW_INPUTS = 128 };
/* The calls of agents, and the effects, that follow from one round at most. */
enum { WF_RUN_ACTS = 10000 };
/* The posts that one round takes at most. */
enum { WF_RUN_POSTS = 1024 };
/* The posts that one exchange reads at most, to find those of instances that have few. */
enum { WF_READ_POSTS = 8 * WF_RUN_POSTS };
/* Milliseconds until an entry that was put off is due again. */
enum { WF_RETRY_MS = 1000 };

/* When the engine looks for what others have done: looks.c. Times in ms. */
typedef struct wf_looks {
    int64_t least, most; /* of the options */
    int64_t base; /* between two looks, without the random part */
    int64_t wait; /* from the last look to the next */
    int64_t last; /* when it was */
    uint64_t random; /* the state of a generator, for pauses only */
    bool asked; /* the host wants one */
    bool due; /* it is time for one, in the round that is being made */
} wf_looks;

struct wfsm_round {
    wfsm_engine *engine; /* NULL: no round is out */
};

struct wfsm_engine {
    /* Options. */
    wfsm_allocator allocator;
    wfsm_store *store;
    char *session;
    uint64_t starts; /* instances that this session has started, or tried to */
    int64_t lapse;                 /* of the lease, ms */
    uint32_t slots;
    int64_t promote;               /* so many ms of waiting count as one priority */
    wf_looks looks;
    wfsm_step_limits step_limits;  /* of all instances */
    uint32_t limits[WF_QUOTAS + 1]; /* of each quota, by kind; 0: none */

    /* What the host registered. */
    wfsm_functions *functions;
    wfsm_callback observer, deliver, lost;
    void *observer_user, *deliver_user, *lost_user;
    wf_names agent_names;
    wfsm_agent *agents; /* by number of their names */
    size_t agent_capacity;
    wf_known *machines; /* in the order of their adding */
    size_t machine_count, machine_capacity;

    /* The call at work. */
    bool busy;
    int64_t now;
    wf_bounds bounds;   /* of every round */
    bool one;           /* the round is one input, which a call of the host has made */
    wfsm_round *
        *next;  /* such a round goes there, for the host to exchange; NULL: it does not */
    uint32_t inputs;    /* that it may still make */
    uint32_t acts;      /* calls of agents that it may still make */
    uint64_t round;     /* number of the last wfsm_engine_run() */
    /* instances of which no post was taken since this round come first */
    uint64_t post_cycle;
    uint32_t turn;      /* which kind of input comes first in the next round */
    wfsm_error *failed; /* describes the last failure */
    wfsm_error *first;  /* describes the first failure of the round */
    int32_t status;     /* of the round: its first failure */

    /* Between wfsm_engine_prepare() and wfsm_engine_finish(). */
    wfsm_round out;
    wf_link queue; /* inputs of the host for the next round */
    bool queue_failed; /* one of them could not be taken in the last round */
    int32_t exchange; /* what the store said of the round as a whole */
    bool asked; /* the round had something for the store, which has said `answered` */
    int32_t answered;
    bool exchanged;
    int32_t closed; /* NO_MEMORY: the store is not asked, and the round is refused */
    wf_outgoing outgoing; /* what the round asks of the store */

    /* The lease. */
    int64_t alive; /* until then; 0: none yet */
    int64_t claimed; /* until then, if a claim whose answer was lost is stored; 0: none */
    uint64_t changes; /* the last number that the store has said */
    bool watched; /* children and parents, since the lease was renewed */
    int32_t lost_all; /* enum wfsm_lost: why all instances are lost; 0: they are not */

    /* Entries. */
    wf_entry **buckets;
    size_t bucket_count; /* a power of two */
    size_t entry_count;
    /* entries whose first commit is in the round; they are not in the table */
    size_t start_count;
    wf_link entries; /* all, in the order of their adding */
    wf_link asking; /* their jobs have inputs for the next round */
    wf_link stepped; /* the round has inputs of them */
    wf_link todo; /* agents are to be called, or effects delivered */
    wf_link cache; /* they only wait, the one first that was used least recently */
    size_t cache_count, cache_limit;
    wf_link acks; /* the store is to know which effects the host has taken */
    /* instances that the next exchange gives up; they are no entries any more */
    wf_link leaving;
    bool stalled; /* the last round could not be opened */
    bool ack_failed; /* the store could not take that in the last round */
    wf_link reloads; /* the next exchange loads their instances */
    size_t reloading; /* so many of them */
    wf_link later; /* again in a round at another time, after a failure */
    int64_t put_off; /* when the last of them has failed */
    wf_heap timers; /* entries for which something is due at some time */
    size_t behind; /* entries whose jobs are behind the ledger */

    /* Jobs. */
    size_t job_count;
    size_t working; /* jobs that hold a slot */
    size_t waiting; /* jobs that wait for one */
    wf_heap ready; /* jobs that may be claimed now */
    wf_link polled; /* jobs at work whose agents are polled, the one first that waits longest */
    uint64_t polling; /* the round in which all of them began to be polled */
    bool unpolled; /* some of them were not yet */
    /* Child workflows by depth. They take no slots. A limit of all depths together could be used
     * up by children that wait for their own. */
    wf_link child_claims[WF_CHILD_DEPTHS]; /* that may be claimed */
    uint32_t child_working[WF_CHILD_DEPTHS]; /* that were claimed */
    uint32_t child_limit;
    size_t children; /* jobs and entries that are child workflows */
    uint64_t age; /* of the job made last: a serial number */

    /* The pool. */
    wf_quota **quotas; /* buckets */
    size_t quota_buckets; /* a power of two, or 0 */
    size_t quota_count;
    wf_quota *shared; /* quotas with a limit that all engines share */
    bool permits_failed; /* the last exchange about them */
    wf_quota *rated; /* quotas with a rate */
    wf_grants grants;
    wf_await *awaits; /* in the order of their asking */
    bool posted; /* there are posts, or may be: the next round is due */
    bool uncertain; /* the session may own instances that are not here: an answer was lost */

    /* Agents that it does not have. */
    wf_names unknown_names;
    wf_unknown_agent *unknown; /* one for each name */
    size_t unknown_capacity;
    wfsm_callback diagnose;
    void *diagnose_user;
    wf_names bad_documents; /* fingerprints of documents in the store that cannot be used */

    wf_engine_tally tally; /* what it has done */

    /* Scratch memory. */
    wf_buffer usage; /* of the answer at work, as JSON */
    wfsm_call call; /* for agents and effects */
    char call_id[WF_INVOCATION_ID_BYTES];
    wf_value null;
    wf_arena arena;
    wf_buffer answer; /* to a question of the host */
};

/* Frees the engine and tells neither agents nor the store, as a crash would. For tests. */
void wf_engine_abandon(wfsm_engine *engine);

/* Agents of the entry are to be called, or its effects delivered, or it may be so. */
static inline void wf_act_soon(wfsm_engine *engine, wf_entry *entry)
{
    wf_link_append(&engine->todo, &entry->queue);
}

/* The entry is looked at again at another time. */
static inline void wf_put_off(wfsm_engine *engine, wf_entry *entry)
{
    engine->put_off = engine->now;
    wf_link_append(&engine->later, &entry->queue);
}

/* Jobs of the entry have inputs. */
static inline void wf_ask_soon(wfsm_engine *engine, wf_entry *entry)
{
    wf_link_append(&engine->asking, &entry->queue);
}
#endif
