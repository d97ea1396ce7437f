/* engine/batches.c: a batch of requests that belongs to no workflow is an instance of a
 * small machine that invokes them as the items of its only state. */
#include <string.h>

#include "base/utf8.h"
#include "engine/engine.h"
#include "engine/enter.h"
#include "engine/instances.h"
#include "engine/machines.h"
#include "step/step.h"

#define BATCH_MACHINE "wfsm.batch"

static const char before[] =
    "{\"wfsm\":1,\"id\":\"" BATCH_MACHINE
    "\",\"initial\":\"work\",\"context\":{\"requests\":[],"
    "\"results\":[]},\"states\":{\"work\":{\"invoke\":{\"id\":\"batch\",\"src\":{\"var\":"
    "\"item.agent\"},\"srcs\":[";
static const char after[] =
    "],\"items\":{\"var\":\"context.requests\"},\"input\":{\"var\":\"item.input\"},"
    "\"pool\":{\"priority\":{\"var\":\"item.priority\"},\"phase\":{\"var\":\"item.phase\"},"
    "\"group\":{\"var\":\"item.group\"}},\"complete\":\"settled\",\"onDone\":{\"target\":"
    "\"done\",\"actions\":{\"type\":\"assign\",\"params\":{\"results\":{\"var\":"
    "\"event.data\"}}}}}},\"done\":{\"type\":\"final\",\"output\":{\"var\":"
    "\"context.results\"}}}}";

/* A batch may name every agent of the engine. */
static int32_t load(wfsm_engine *engine, wfsm_machine **machine, wfsm_error *error)
{
    wf_buffer *text = &engine->answer;

    wf_buffer_clear(text);
    wf_buffer_text(text, before);
    for (uint32_t i = 0; i < engine->agent_names.count; i++) {
        const wf_name *name = &engine->agent_names.list[i];

        if (i > 0)
            wf_buffer_byte(text, ',');
        wf_json_write_text(text, name->text, name->length);
    }
    wf_buffer_text(text, after);
    if (text->failed)
        return wf_no_memory(error);
    return wfsm_machine_load(machine, text->data, text->length, NULL, &engine->allocator,
                             error);
}

static const char *error_of(const wfsm_engine *engine, const wf_value *request)
{
    static const char *const keys[] = {"agent", "input", "priority", "phase", "group"};
    const wf_value *agent;
    wf_member members[3];
    uint32_t parts = 0;
    wf_value pool;
    int8_t priority;

    if (request->type != WF_OBJECT)
        return "is not an object";
    agent = wf_value_get_z(request, "agent");
    if (!agent || agent->type != WF_STRING ||
        wf_names_find(&engine->agent_names, agent->as.text, agent->length) == WF_NONE)
        return "names no agent of this engine";
    for (uint32_t i = 0; i < request->length; i++) {
        const wf_member *part = &request->as.members[i];
        size_t key = 0;

        while (key < 5 && strcmp(keys[key], part->key) != 0)
            key++;
        if (key == 5)
            return "has a key beside agent, input, priority, phase and group";
        if (key > 1 && part->value.type != WF_NULL)
            members[parts++] = *part;
    }
    pool = wf_object(members, parts);
    return parts == 0 || wf_placement_read(&pool, &priority)
               ? NULL
               : "has an invalid priority, phase or group";
}

static int32_t check(wfsm_engine *engine, const char *requests, size_t length,
                     wfsm_error *error)
{
    wf_value list;
    int32_t status;

    wf_arena_reset(&engine->arena);
    status = wf_json_parse(&engine->arena, requests, length, &list, error);
    if (status != WFSM_OK)
        return status;
    if (list.type != WF_ARRAY || list.length == 0 || list.length > WF_ITEMS)
        return wf_fail(error, WFSM_INVALID, "a batch is an array of 1 to %d requests",
                       WF_ITEMS);
    for (uint32_t i = 0; i < list.length; i++) {
        const char *wrong = error_of(engine, &list.as.items[i]);

        if (wrong)
            return wf_fail(error, WFSM_INVALID, "request %u %s", i, wrong);
    }
    return WFSM_OK;
}

static int32_t start(wfsm_engine *engine, const char *id, const char *requests, size_t length,
                     wfsm_error *error)
{
    wf_buffer *input = &engine->answer;
    wfsm_start what = {.size = sizeof what, .machine = BATCH_MACHINE, .id = id};

    wf_buffer_clear(input);
    wf_buffer_text(input, "{\"requests\":");
    wf_buffer_add(input, requests, length);
    wf_buffer_byte(input, '}');
    if (input->failed)
        return wf_no_memory(error);
    what.input = input->data;
    what.length = input->length;
    return wf_engine_start(engine, &what, error);
}

static int32_t spawn(wfsm_engine *engine, const char *id, const char *requests, size_t length,
                     wfsm_error *error)
{
    wfsm_machine *machine = NULL;
    int32_t status = check(engine, requests, length, error);

    if (status == WFSM_OK)
        status = load(engine, &machine, error);
    if (status == WFSM_OK)
        status = wf_machines_keep(engine, machine, true, error);
    wfsm_machine_unref(machine);
    return status == WFSM_OK ? start(engine, id, requests, length, error) : status;
}

int32_t wfsm_engine_spawn(wfsm_engine *engine, const char *id, const char *requests,
                          size_t length, int64_t now, wfsm_error *error)
{
    int32_t status;

    if (!wf_id_valid(id) || !requests || now < 0)
        return wf_fail(error, WFSM_INVALID,
                       "a batch needs an id of 1 to 255 bytes, requests and a time");
    status = wf_engine_enter_at(engine, now, error);
    if (status != WFSM_OK)
        return status;
    status = spawn(engine, id, requests, length, error);
    wf_engine_leave(engine);
    return status;
}
