/* engine/instances.c: instances are started, forked and released. */
#include "engine/instances.h"

#include <string.h>

#include "base/utf8.h"
#include "engine/engine.h"
#include "engine/enter.h"
#include "engine/entry_start.h"
#include "engine/leaving.h"
#include "engine/machines.h"
#include "engine/round.h"
#include "engine/entry_ownership.h"

int32_t wf_round_start(wfsm_engine *engine, const wfsm_start *what, int32_t *answer,
                       wfsm_error *error)
{
    wfsm_machine *machine = wf_machines_newest(engine, what->machine);

    if (!machine)
        return wf_fail(error, WFSM_NOT_FOUND, "no machine \"%s\" was added", what->machine);
    return wf_entry_start(engine, machine, what, NULL, answer, error);
}

int32_t wf_engine_start(wfsm_engine *engine, const wfsm_start *what, wfsm_error *error)
{
    int32_t status = wf_round_open(engine, error);

    if (status != WFSM_OK)
        return status;
    status = wf_round_start(engine, what, NULL, error);
    return wf_round_of_one(engine, status, NULL, error);
}

static int32_t check_id(const char *id, wfsm_error *error)
{
    if (!id)
        return wf_fail(error, WFSM_INVALID, "the id of the new instance is NULL");
    if (!*id)
        return wf_fail(error, WFSM_INVALID, "the id of the new instance is empty");
    if (strlen(id) > 255)
        return wf_fail(error, WFSM_INVALID,
                       "the id of the new instance has %lu bytes; it may have 255",
                       (unsigned long)strlen(id));
    if (!wf_id_valid(id))
        return wf_fail(error, WFSM_INVALID, "the id of the new instance is not UTF-8");
    return WFSM_OK;
}

int32_t wf_start_check(const wfsm_start *what, wfsm_error *error)
{
    if (!what->machine)
        return wf_fail(error, WFSM_INVALID, "the name of the machine is NULL");
    if (!what->input && what->length > 0)
        return wf_fail(error, WFSM_INVALID, "the input is NULL, but its length is not 0");
    return check_id(what->id, error);
}

int32_t wfsm_engine_start(wfsm_engine *engine, const char *machine, const char *id,
                          const char *input, size_t length, int64_t now, wfsm_error *error)
{
    const wfsm_start what = {sizeof what, machine, id, input, length};
    int32_t status = wf_start_check(&what, error);

    if (status == WFSM_OK && now < 0)
        status = wf_fail(error, WFSM_INVALID, "the time is negative");
    if (status == WFSM_OK)
        status = wf_engine_enter_at(engine, now, error);
    if (status != WFSM_OK)
        return status;
    status = wf_engine_start(engine, &what, error);
    wf_engine_leave(engine);
    return status;
}

/* The first commit of the fork makes this engine its owner, and claims what the pool allows. */
static int32_t fork_into(wfsm_engine *engine, wf_entry *entry, wfsm_instance *source,
                         const wfsm_restore_point *from, wfsm_error *error)
{
    const wf_ownership by = {.owner = engine->session,
                             .number = ++engine->starts,
                             .grant =
                                 wf_grants_begin(engine, wfsm_instance_machine(source), NULL)};

    return wf_instance_fork_owned(&entry->instance, source, from, entry->id, &by, engine->now,
                                  error);
}

static int32_t fork_one(wfsm_engine *engine, const char *source_id,
                        const wfsm_restore_point *from, const char *id, wfsm_error *error)
{
    wfsm_instance *source = NULL;
    wf_entry *entry;
    int32_t status = wf_engine_load(engine, source_id, &source, error);

    if (status != WFSM_OK)
        return status;
    entry = wf_entry_new(engine, id);
    status = entry ? fork_into(engine, entry, source, from, error) : wf_no_memory(error);
    wfsm_instance_free(source);
    if (status == WFSM_OK) {
        wf_start_sent(engine, entry);
    } else if (entry) {
        wf_entry_free(engine, entry);
    }
    return status;
}

int32_t wfsm_engine_fork(wfsm_engine *engine, const char *source,
                         const wfsm_restore_point *from, const char *id, int64_t now,
                         wfsm_error *error)
{
    int32_t status;

    if (!wf_id_valid(source) || !wf_id_valid(id) || now < 0)
        return wf_fail(error, WFSM_INVALID,
                       "a fork needs a source, an id of 1 to 255 bytes and a time");
    status = wf_engine_enter_at(engine, now, error);
    if (status != WFSM_OK)
        return status;
    if (wf_entries_find(engine, id, strlen(id)))
        status = wf_fail(error, WFSM_EXISTS, "there is an instance \"%s\" already", id);
    else
        status = wf_round_open(engine, error);
    if (status == WFSM_OK)
        status =
            wf_round_of_one(engine, fork_one(engine, source, from, id, error), NULL, error);
    wf_engine_leave(engine);
    return status;
}

/* It has ended, and no effect is owed, as the store knows. */
static bool is_over(wfsm_engine *engine, const wf_entry *entry)
{
    const char *effect = NULL;

    return !wf_entry_is_evicted(entry) && wfsm_instance_status(entry->instance) == WFSM_DONE &&
           !entry->jobs && !entry->suspect && !wf_instance_sealed(entry->instance) &&
           wf_link_alone(&entry->acking) &&
           wfsm_instance_next_effect(entry->instance, &effect, NULL, NULL, engine->failed) ==
               WFSM_OK &&
           !effect;
}

/* Its agents stop first. As soon as nobody owns the instance, another engine may start them. */
static int32_t release(wfsm_engine *engine, const char *id, wfsm_error *error)
{
    wf_entry *entry = wf_entries_find(engine, id, strlen(id));
    int32_t status;

    if (!entry)
        return wf_fail(error, WFSM_NOT_FOUND, "this engine has no instance \"%s\"", id);
    if (is_over(engine, entry) && wf_leave(engine, entry))
        return WFSM_OK;
    wf_entry_cancel(engine, entry);
    status = wf_entry_give_up(engine, entry, error);
    if (status == WFSM_OK)
        wf_entry_free(engine, entry);
    else
        wf_act_soon(engine, entry);
    return status;
}

int32_t wfsm_engine_release(wfsm_engine *engine, const char *id, wfsm_error *error)
{
    int32_t status;

    if (!id)
        return wf_fail(error, WFSM_INVALID, "releasing needs an id");
    status = wf_engine_enter(engine, error);
    if (status != WFSM_OK)
        return status;
    status = release(engine, id, error);
    wf_engine_leave(engine);
    return status;
}

wfsm_instance *wfsm_engine_instance(wfsm_engine *engine, const char *id)
{
    wf_entry *entry = engine && id ? wf_entries_find(engine, id, strlen(id)) : NULL;

    if (!entry || !wf_entry_is_evicted(entry))
        return entry ? entry->instance : NULL;
    if (wf_engine_enter(engine, NULL) != WFSM_OK)
        return NULL;
    if (wf_entry_refresh(engine, &entry, NULL) != WFSM_OK)
        entry = NULL;
    wf_engine_leave(engine);
    return entry ? entry->instance : NULL;
}
