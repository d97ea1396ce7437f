/*
 * engine/grants.c: what a step may claim at once, of the invocations that it makes. A claim in
 * the entering step saves a commit. The step asks for each invocation (allows), and the answer
 * must not overtake jobs that wait already, nor exceed a limit.
 */
#include "engine/grants.h"

#include <string.h>

#include "engine/engine.h"
#include "engine/ids.h"

/* Quotas with a name; the items of an invocation are limited by the step itself. */
enum { NAMED = WF_QUOTAS - 1 };

static unsigned bit_of(int32_t kind)
{
    return 1U << (unsigned)kind;
}

/* The job that the step ends holds one of this quota, and the step has not passed it on yet. */
static bool passes_on(const wfsm_engine *engine, const wf_quota *quota)
{
    const wf_job *freeing = engine->grants.freeing;

    return freeing && wf_job_holds_slot(freeing) &&
           freeing->quotas[quota->kind - WFSM_POOL_AGENT] == quota &&
           !(engine->grants.passed_on & bit_of(quota->kind));
}

/* Nothing overtakes the jobs that are parked, here or in other engines. What a rate holds up is claimed when
 * its time has come, not by a step. */
static bool has_room_for_step(const wfsm_engine *engine, const wf_quota *quota)
{
    size_t taken = quota->working + wf_quota_granted(engine, quota);

    if (passes_on(engine, quota))
        taken--;
    return taken < wf_quota_limit(engine, quota) && quota->parked.count == 0 &&
           !quota->contended && quota->rate.count == 0;
}

/* The place of a name that has no quota yet; WF_GRANT_NAMES if there is no place left. */
static size_t place_of(wf_grants *grants, int32_t kind, const char *name)
{
    size_t i = 0;

    while (i < grants->count &&
           (grants->names[i].kind != kind || strcmp(grants->names[i].name, name) != 0))
        i++;
    if (i == grants->count && i < WF_GRANT_NAMES) {
        const char *copy = wf_arena_text(&grants->arena, name, strlen(name));

        if (!copy)
            return WF_GRANT_NAMES;
        grants->names[i].kind = kind;
        grants->names[i].name = copy;
        grants->names[i].count = 0;
        grants->count++;
    }
    return i;
}

/* With no place left, nothing more is granted to this step: the engine cannot tell whose
 * turn it is before the jobs exist. */
static bool has_room_without_quota(wfsm_engine *engine, int32_t kind, size_t place)
{
    uint32_t most = engine->limits[kind];

    if (most == 0)
        return true;
    if (place == WF_GRANT_NAMES)
        engine->grants.refused = true;
    return place < WF_GRANT_NAMES && engine->grants.names[place].count < most;
}

/* Where a claim counts once it is granted. */
typedef struct wf_counting_place {
    wf_quota *quota; /* NULL: it has none yet, or no name of this kind */
    size_t name; /* in grants->names; WF_GRANT_NAMES: it does not count there */
} wf_counting_place;

static bool find_room(wfsm_engine *engine, int32_t kind, const char *name,
                      wf_counting_place *place)
{
    *place =
        (wf_counting_place){name ? wf_quota_find(engine, kind, name) : NULL, WF_GRANT_NAMES};
    if (!name)
        return true;
    if (place->quota)
        return has_room_for_step(engine, place->quota);
    if (engine->limits[kind] > 0)
        place->name = place_of(&engine->grants, kind, name);
    return has_room_without_quota(engine, kind, place->name);
}

static void count(wfsm_engine *engine, const wf_counting_place *place)
{
    wf_grants *grants = &engine->grants;
    wf_quota *quota = place->quota;

    if (quota && passes_on(engine, quota)) {
        grants->passed_on |= bit_of(quota->kind);
    } else if (quota) {
        quota->granted = (uint32_t)wf_quota_granted(engine, quota) + 1;
        quota->grant = grants->number;
    } else if (place->name < WF_GRANT_NAMES) {
        WF_INVARIANT(place->name < grants->count);
        grants->names[place->name].count++;
    }
}

/* The slot of the job that the step ends, or a free one. */
static void count_slot(wfsm_engine *engine)
{
    wf_grants *grants = &engine->grants;
    bool own = grants->freeing && wf_job_holds_slot(grants->freeing) &&
               !(grants->passed_on & bit_of(WFSM_POOL_ALL));

    grants->passed_on |= bit_of(WFSM_POOL_ALL);
    grants->taken += !own;
    WF_INVARIANT(own || engine->working + grants->taken <= engine->slots);
}

/* True if the present step may claim the invocation that it makes. Then the claim is counted. */
static bool allows(void *user, const wfsm_machine *machine, const wf_invocation *made)
{
    wfsm_engine *engine = user;
    wf_counting_place places[NAMED];
    bool room = !engine->grants.refused;

    /* Child workflows take no slot, because they wait for what does. job_claims.c claims them. */
    if (wf_child_machine(machine->agents.list[made->agent].text))
        return false;
    for (int i = 0; i < NAMED && room; i++)
        room = find_room(engine, WFSM_POOL_AGENT + i,
                         wf_quota_name(machine, made, WFSM_POOL_AGENT + i), &places[i]);
    for (int i = 0; i < NAMED && room; i++)
        count(engine, &places[i]);
    if (room)
        count_slot(engine);
    return room;
}

static bool all_agents_known(const wfsm_engine *engine, const wfsm_machine *machine)
{
    for (size_t i = 0; i < engine->machine_count; i++) {
        if (engine->machines[i].machine == machine)
            return engine->machines[i].complete;
    }
    return false;
}

void wf_grants_open(wfsm_engine *engine)
{
    engine->grants.number++;
    engine->grants.taken = 0;
    wf_arena_reset(&engine->grants.arena);
    engine->grants.count = 0;
}

/* Nothing is granted while a job is ready, nor to a machine with agents that only other engines
 * have, because the step cannot tell which of its invocations has to wait. */
wf_grant wf_grants_begin(wfsm_engine *engine, const wfsm_machine *machine,
                         const wf_job *freeing)
{
    size_t taken =
        engine->working + engine->grants.taken - (freeing && wf_job_holds_slot(freeing));
    wf_grant grant = {.user = engine, .allows = allows};

    engine->grants.refused = freeing && wf_quotas_wanted(freeing);
    engine->grants.freeing = freeing;
    engine->grants.passed_on = 0;
    if (engine->behind == 0 && engine->ready.count == 0 && taken < engine->slots &&
        all_agents_known(engine, machine))
        grant.slots = engine->slots - (uint32_t)taken;
    WF_INVARIANT(grant.slots <= engine->slots);
    return grant;
}
