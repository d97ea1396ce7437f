/* engine/entries.h: the instances that an engine owns, by id. */
#ifndef WF_ENGINE_ENTRIES_H
#define WF_ENGINE_ENTRIES_H

#include "engine/job.h"

typedef struct wf_entry {
    wf_link all;           /* engine->entries, in the order of their adding */
    wf_link queue;         /* engine->asking, ->todo, ->later or ->reloads */
    wf_link stepped;       /* engine->stepped: the round has inputs of it */
    wf_link acking;        /* engine->acks: effects that the host has taken */
    wf_link cached;        /* engine->cache: it only waits */
    wf_heap_item timer;    /* in engine->timers while something is due at some time */
    struct wf_entry *next; /* of the same bucket */
    wfsm_instance *instance; /* NULL: evicted (cache.c) */
    const wfsm_machine *machine; /* of an evicted instance */
    uint64_t revision;           /* that an evicted instance had committed */
    wf_job *jobs;          /* in the order of the ledger */
    uint64_t reloaded;     /* the last round in which it was loaded again */
    uint64_t refused;      /* the last round whose inputs were not all stored */
    uint64_t read; /* the last reading of the inbox that had a post of it */
    uint64_t took; /* the last round that took a post of it */
    uint64_t listed; /* the last reading in which the store said that it is this engine's */
    uint64_t held;         /* the last round in which its other posts had to wait */
    uint32_t hash;
    /* the last effect that the host has taken and the store does not know of */
    uint64_t delivered;
    bool starting; /* its first commit is in the round */
    int32_t *answer; /* receives the answer to that; NULL: nobody asks */
    bool fresh; /* just taken over: its running agents were not started by this process */
    bool behind; /* memory ran out while the jobs followed the ledger */
    bool child; /* a child workflow */
    bool shared; /* taken by wfsm_engine_share(), which may give it up */
    /* it is a child that has ended, and its parent's job, if it is here, has the result */
    bool told;
    bool offered; /* it is a child that has ended, and the host was asked to take its effects */
    bool wanted; /* its parent asks for it, as far as this engine knows */
    bool suspect; /* another engine may have taken it over: load it again */
    char id[];
} wf_entry;

static inline bool wf_entry_is_evicted(const wf_entry *entry)
{
    return !entry->instance;
}
/* The entry with this id, or NULL. The id need not end with a NUL. */
wf_entry *wf_entries_find(const wfsm_engine *engine, const char *id, size_t length);
/* An entry without an instance, which is not in the table yet, so that adding it cannot fail.
 * NULL when out of memory. */
wf_entry *wf_entry_new(wfsm_engine *engine, const char *id);
void wf_entries_add(wfsm_engine *engine, wf_entry *entry);
/* Takes it out of the table, if it is in, and frees it with its jobs and instance. Agents and
 * the store are not told. */
void wf_entry_free(wfsm_engine *engine, wf_entry *entry);
#endif
