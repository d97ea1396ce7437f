#include "world.h"

#include <stdio.h>
#include <string.h>

wfsm_store *store;
wfsm_error *error;

void world_open(void)
{
    error = wfsm_error_new(NULL);
    OK(wfsm_memory_open(&store, NULL, error));
}

void world_close(void)
{
    wfsm_store_free(store);
    wfsm_error_free(error);
    store = NULL;
    error = NULL;
}

wfsm_engine *engine_of(const char *owner, uint32_t slots)
{
    wfsm_engine_options options = {.size = sizeof options,
                                   .session = owner,
                                   .lapse_ms = 10000,
                                   .slots = slots,
                                   .look_ms = WFSM_NEVER};
    wfsm_engine *engine = NULL;

    /* An engine of this name has crashed (wf_engine_abandon), and the host knows it. */
    OK(wfsm_store_remove_owner(store, owner, error));
    OK(wfsm_engine_new(&engine, store, &options, error));
    return engine;
}

void add_machine(wfsm_engine *engine, const char *text)
{
    wfsm_machine *machine = NULL;

    OK(wfsm_machine_load(&machine, text, strlen(text), NULL, NULL, error));
    OK(wfsm_engine_add_machine(engine, machine, error));
    wfsm_machine_unref(machine);
}

static void copy(char *out, size_t size, const char *text)
{
    snprintf(out, size, "%s", text ? text : "NULL");
}

static void remember(actor *who, wfsm_call *call)
{
    copy(who->id, sizeof who->id, wfsm_call_id(call));
    copy(who->input, sizeof who->input, wfsm_call_input(call, NULL));
    copy(who->schema, sizeof who->schema, wfsm_call_schema(call, NULL));
    copy(who->state, sizeof who->state, wfsm_call_state(call));
    who->attempt = wfsm_call_attempt(call);
    who->claimed = wfsm_call_claimed(call);
    who->timeout = wfsm_call_timeout(call);
}

static int32_t answer(actor *who, wfsm_call *call, const char *line)
{
    remember(who, call);
    if (!line)
        return WFSM_OK;
    if (strcmp(line, "status") == 0)
        return WFSM_HOST;
    if (strcmp(line, "gone") == 0)
        return wfsm_call_gone(call);
    if (strcmp(line, "unsure") == 0)
        return wfsm_call_unsure(call);
    who->working--;
    return line[0] == '!' ? wfsm_call_failed(call, line + 1, "as told")
                          : wfsm_call_done(call, line, strlen(line));
}

static int32_t on_start(void *user, wfsm_call *call)
{
    actor *who = user;
    size_t used = strlen(who->order);

    who->starts++;
    who->working++;
    if (who->working > who->most)
        who->most = who->working;
    snprintf(who->order + used, sizeof who->order - used, "%s ", wfsm_call_instance(call));
    return answer(who, call, who->on_start);
}

static int32_t on_poll(void *user, wfsm_call *call)
{
    actor *who = user;

    who->polls++;
    return answer(who, call, who->on_poll);
}

static int32_t on_cancel(void *user, wfsm_call *call)
{
    actor *who = user;

    who->cancels++;
    who->working--;
    remember(who, call);
    TEST_ASSERT_EQUAL_INT32(WFSM_INVALID, wfsm_call_done(call, "1", 1));
    return WFSM_OK;
}

static int32_t on_probe(void *user, wfsm_call *call)
{
    actor *who = user;

    who->probes++;
    return answer(who, call, who->on_probe);
}

void add_actor(wfsm_engine *engine, const char *name, actor *who)
{
    wfsm_agent agent = {sizeof agent, who, on_start, on_poll, on_cancel, on_probe};

    OK(wfsm_engine_add_agent_full(engine, name, &agent, error));
}

void add_plain(wfsm_engine *engine, const char *name, actor *who)
{
    OK(wfsm_engine_add_agent(engine, name, on_start, who, error));
}

void start(wfsm_engine *engine, const char *machine, const char *id, int64_t now)
{
    OK(wfsm_engine_start(engine, machine, id, NULL, 0, now, error));
}

void start_several(wfsm_engine *engine, const char *prefix, int count)
{
    char id[32];

    for (int i = 0; i < count; i++) {
        snprintf(id, sizeof id, "%s-%d", prefix, i);
        start(engine, "m", id, 0);
    }
}

void close_engines(wfsm_engine **engines, int count)
{
    for (int i = 0; i < count; i++) {
        wfsm_engine_free(engines[i]);
        engines[i] = NULL;
    }
}

void once(wfsm_engine *engine, int64_t now)
{
    OK(wfsm_engine_run(engine, now, error));
}

void run(wfsm_engine *engine, int64_t now)
{
    do
        OK(wfsm_engine_run(engine, now, error));
    while (wfsm_engine_deadline(engine) <= now);
}

const char *where(wfsm_engine *engine, const char *id)
{
    wfsm_instance *instance = wfsm_engine_instance(engine, id);

    return instance ? wfsm_instance_configuration(instance, NULL) : "";
}

typedef struct search {
    const char *text;
    size_t count;
} search;

static int32_t look(void *user, const wfsm_row *row)
{
    search *for_it = user;
    char record[20000];

    snprintf(record, sizeof record, "%.*s", (int)row->length, row->text);
    for_it->count += strstr(record, for_it->text) != NULL;
    return WFSM_OK;
}

size_t records(const char *id, const char *text)
{
    search for_it = {text, 0};

    OK(wfsm_store_records(store, id, 1, UINT64_MAX, look, &for_it, error));
    return for_it.count;
}

static int32_t count_post(void *user, const wfsm_row *row)
{
    (void)row;
    ++*(size_t *)user;
    return WFSM_OK;
}

size_t posts(void)
{
    size_t count = 0;

    OK(wfsm_store_inbox(store, NULL, 0, count_post, &count, error));
    return count;
}

void post(const char *instance, const char *name, const char *id)
{
    OK(wfsm_store_post(store, instance, name, id, NULL, 0, 0, error));
}
