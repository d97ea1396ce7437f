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

static uint32_t granted_of(const wfsm_engine *engine, const wf_quota *quota)
{
    return quota->grant == engine->grants.number ? quota->granted : 0;
}

/* Counts what the step was granted already, and not the job that it ends. Nothing overtakes the
 * jobs that are parked. */
static bool has_room_for_step(const wfsm_engine *engine, const wf_quota *quota)
{
    const wf_job *freeing = engine->grants.freeing;
    size_t taken = quota->working + granted_of(engine, quota);

    if (freeing && freeing->quotas[quota->kind - WFSM_POOL_AGENT] == quota && taken > 0)
        taken--;
    return taken < wf_quota_limit(engine, quota) && quota->parked.count == 0;
}

/* The place of a name that has no quota yet; WF_GRANT_NAMES if there is no place left. */
static size_t place_of(wf_grants *grants, int32_t kind, const char *name)
{
    size_t i = 0;

    while (i < grants->count &&
           (grants->names[i].kind != kind || strcmp(grants->names[i].name, name) != 0))
        i++;
    if (i == grants->count && i < WF_GRANT_NAMES) {
        grants->names[i].kind = kind;
        grants->names[i].name = name;
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

    if (quota) {
        quota->granted = granted_of(engine, quota) + 1;
        quota->grant = grants->number;
    } else if (place->name < WF_GRANT_NAMES) {
        WF_INVARIANT(place->name < grants->count);
        grants->names[place->name].count++;
    }
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

/* Nothing is granted while a job is ready, nor to a machine with agents that only other engines
 * have, because the step cannot tell which of its invocations has to wait. */
wf_grant wf_grants_begin(wfsm_engine *engine, const wfsm_machine *machine,
                         const wf_job *freeing)
{
    size_t taken = engine->working - (freeing && wf_job_holds_slot(freeing));
    wf_grant grant = {.user = engine, .allows = allows};

    engine->grants.number++;
    engine->grants.most = engine->working > engine->slots ? engine->working : engine->slots;
    engine->grants.count = 0;
    engine->grants.refused = freeing && wf_quotas_wanted(freeing);
    engine->grants.freeing = freeing;
    if (engine->behind == 0 && engine->ready.count == 0 && taken < engine->slots &&
        all_agents_known(engine, machine))
        grant.slots = engine->slots - (uint32_t)taken;
    WF_INVARIANT(grant.slots <= engine->slots);
    return grant;
}
