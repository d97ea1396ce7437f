/* engine/sends.c: inputs that the host sends to one instance. */
#include <string.h>

#include "engine/engine.h"
#include "engine/enter.h"
#include "engine/entry_input.h"
#include "engine/machines.h"
#include "engine/entry_ownership.h"
#include "engine/queue.h"
#include "engine/round.h"

/* Each input is three calls: open, the call of the instance, close. */
static int32_t open_input(wfsm_engine *engine, const char *id, int64_t now, wf_entry **entry,
                          wfsm_error *error)
{
    int32_t status;

    if (!id || now < 0)
        return wf_fail(error, WFSM_INVALID, "an input needs an id and a time");
    status = wf_engine_enter_at(engine, now, error);
    if (status != WFSM_OK)
        return status;
    status = wf_entry_get(engine, id, strlen(id), entry, error);
    if (status == WFSM_OK)
        status = wf_round_open(engine, error);
    if (status == WFSM_OK)
        wf_input_begin(engine, *entry, NULL);
    else
        wf_engine_leave(engine);
    return status;
}

static int32_t close_input(wfsm_engine *engine, wf_entry *entry, int32_t status,
                           int32_t *outcome, wfsm_error *error)
{
    wf_input_end(engine, entry);
    status = wf_round_of_one(engine, status, outcome, error);
    wf_engine_leave(engine);
    return status;
}

int32_t wfsm_engine_send_event(wfsm_engine *engine, const char *id, const wfsm_event *event,
                               int64_t now, int32_t *outcome, wfsm_error *error)
{
    wf_entry *entry;
    int32_t status;

    if (wf_queue_is_open(engine) && id && event && now >= 0)
        return wf_queue_event(engine, id, event, outcome, error);
    status = open_input(engine, id, now, &entry, error);
    if (status != WFSM_OK)
        return status;
    status = wfsm_instance_send(entry->instance, event, now, outcome, error);
    return close_input(engine, entry, status, outcome, error);
}

int32_t wfsm_engine_send(wfsm_engine *engine, const char *id, const char *event,
                         const char *event_id, const char *data, size_t length, int64_t now,
                         int32_t *outcome, wfsm_error *error)
{
    const wfsm_event sent = {
        .size = sizeof sent, .name = event, .id = event_id, .data = data, .length = length};

    return wfsm_engine_send_event(engine, id, &sent, now, outcome, error);
}

int32_t wfsm_engine_stop(wfsm_engine *engine, const char *id, int64_t now, int32_t *outcome,
                         wfsm_error *error)
{
    wf_entry *entry;
    int32_t status;

    if (wf_queue_is_open(engine) && id && now >= 0)
        return wf_queue_event(engine, id, NULL, outcome, error);
    status = open_input(engine, id, now, &entry, error);
    if (status != WFSM_OK)
        return status;
    status = wfsm_instance_stop(entry->instance, now, outcome, error);
    return close_input(engine, entry, status, outcome, error);
}

int32_t wfsm_engine_patch(wfsm_engine *engine, const char *id, const char *json, size_t length,
                          int64_t now, int32_t *outcome, wfsm_error *error)
{
    wf_entry *entry;
    int32_t status = open_input(engine, id, now, &entry, error);

    if (status != WFSM_OK)
        return status;
    status = wfsm_instance_patch(entry->instance, json, length, now, outcome, error);
    return close_input(engine, entry, status, outcome, error);
}

int32_t wfsm_engine_checkpoint(wfsm_engine *engine, const char *id, const char *checkpoint,
                               const char *artifacts, size_t artifacts_length, int64_t now,
                               int32_t *outcome, wfsm_error *error)
{
    const wfsm_checkpoint kept = {.size = sizeof kept,
                                  .id = checkpoint,
                                  .artifacts = artifacts,
                                  .length = artifacts_length};
    wf_entry *entry;
    int32_t status = open_input(engine, id, now, &entry, error);

    if (status != WFSM_OK)
        return status;
    status = wfsm_instance_checkpoint(entry->instance, &kept, now, outcome, error);
    return close_input(engine, entry, status, outcome, error);
}

int32_t wfsm_engine_delete_checkpoint(wfsm_engine *engine, const char *id,
                                      const char *checkpoint, int64_t now, int32_t *outcome,
                                      wfsm_error *error)
{
    wf_entry *entry;
    int32_t status = open_input(engine, id, now, &entry, error);

    if (status != WFSM_OK)
        return status;
    status = wfsm_instance_delete_checkpoint(entry->instance, checkpoint, now, outcome, error);
    return close_input(engine, entry, status, outcome, error);
}

int32_t wfsm_engine_restore(wfsm_engine *engine, const char *id, const wfsm_restore_point *from,
                            int64_t now, int32_t *outcome, wfsm_error *error)
{
    wf_entry *entry;
    int32_t status = open_input(engine, id, now, &entry, error);

    if (status != WFSM_OK)
        return status;
    status = wfsm_instance_restore(entry->instance, from, now, outcome, error);
    return close_input(engine, entry, status, outcome, error);
}

static int32_t migrate(wfsm_engine *engine, wf_entry *entry, wfsm_machine *machine,
                       int32_t *outcome, wfsm_error *error)
{
    int32_t status = wf_input_migrates(engine, entry, &machine, error);

    return status == WFSM_OK
               ? wfsm_instance_migrate(&entry->instance, machine, engine->functions,
                                       engine->now, outcome, error)
               : status;
}

int32_t wfsm_engine_migrate(wfsm_engine *engine, const char *id, wfsm_machine *machine,
                            int64_t now, int32_t *outcome, wfsm_error *error)
{
    wf_entry *entry;
    int32_t status;

    if (!machine)
        return wf_fail(error, WFSM_INVALID, "no machine");
    status = open_input(engine, id, now, &entry, error);
    if (status != WFSM_OK)
        return status;
    status = migrate(engine, entry, machine, outcome, error);
    return close_input(engine, entry, status, outcome, error);
}
