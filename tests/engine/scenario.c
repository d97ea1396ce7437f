#include "scenario.h"

#include <stdio.h>
#include <string.h>

outside world;

void world_forget(void)
{
    memset(&world, 0, sizeof world);
}

int world_running(void)
{
    int running = 0;

    for (int i = 0; i < world.starts; i++)
        running += !world.over[i];
    return running;
}

/* Where the attempt of a call is in the list, or -1. */
static int find(wfsm_call *call, char key[KEY_BYTES])
{
    snprintf(key, KEY_BYTES, "%s#%d", wfsm_call_id(call), (int)wfsm_call_attempt(call));
    for (int i = 0; i < world.starts; i++) {
        if (strcmp(world.started[i], key) == 0)
            return i;
    }
    return -1;
}

/* Memory comes back after a while. */
static int32_t answer(wfsm_call *call, const char *json)
{
    int32_t status = WFSM_NO_MEMORY;

    while (status == WFSM_NO_MEMORY)
        status = json ? wfsm_call_done(call, json, strlen(json))
                      : wfsm_call_failed(call, "network", "no route");
    return status;
}

static int32_t answer_quickly(wfsm_call *call)
{
    return answer(call, wfsm_call_attempt(call) == 1 ? NULL : "{\"answer\":[1,2]}");
}

static bool is_slow(wfsm_call *call)
{
    return strcmp(wfsm_call_name(call), "b") == 0;
}

static int32_t begin(void *user, wfsm_call *call)
{
    char key[KEY_BYTES];
    int at = find(call, key);

    (void)user;
    TEST_ASSERT_EQUAL_INT_MESSAGE(-1, at, key);
    TEST_ASSERT_LESS_THAN_INT(STARTS, world.starts);
    strcpy(world.started[world.starts], key);
    world.over[world.starts++] = !is_slow(call);
    return is_slow(call) ? WFSM_OK : answer_quickly(call);
}

static int32_t ask(void *user, wfsm_call *call)
{
    char key[KEY_BYTES];
    int at = find(call, key);

    (void)user;
    TEST_ASSERT_TRUE_MESSAGE(at >= 0, key);
    world.over[at] = true;
    return answer(call, "null");
}

static int32_t look(void *user, wfsm_call *call)
{
    char key[KEY_BYTES];

    (void)user;
    if (find(call, key) < 0)
        return wfsm_call_gone(call);
    return is_slow(call) ? WFSM_OK : answer_quickly(call);
}

static int32_t stop(void *user, wfsm_call *call)
{
    char key[KEY_BYTES];
    int at = find(call, key);

    (void)user;
    if (at >= 0)
        world.over[at] = true;
    return WFSM_OK;
}

static int32_t hear(void *user, wfsm_call *call)
{
    char *slot = world.effects[world.effect_count];

    (void)user;
    snprintf(slot, KEY_BYTES, "%s %s", wfsm_call_id(call), wfsm_call_name(call));
    for (int i = 0; i < world.effect_count; i++) {
        if (strcmp(world.effects[i], slot) == 0)
            return WFSM_OK;
    }
    TEST_ASSERT_LESS_THAN_INT(EFFECTS - 1, ++world.effect_count);
    return WFSM_OK;
}

bool passed(int32_t status)
{
    TEST_ASSERT_TRUE_MESSAGE(status == WFSM_OK || status == WFSM_NO_MEMORY ||
                                 status == WFSM_STORE_FAILED || status == WFSM_STORE_UNKNOWN ||
                                 status == WFSM_EXISTS || status == WFSM_NOT_FOUND ||
                                 status == WFSM_DENIED || status == WFSM_SEALED,
                             wfsm_status_name(status));
    return status == WFSM_OK;
}

static int32_t count_row(void *user, const wfsm_row *row)
{
    (void)row;
    ++*(size_t *)user;
    return WFSM_OK;
}

size_t still_running(void)
{
    wfsm_query query = {.size = sizeof query, .status = WFSM_RUNNING};
    size_t count = 0;

    OK(wfsm_store_list(store, &query, count_row, &count, error));
    return count;
}

static void add_child(wfsm_engine *engine, const char *text)
{
    wfsm_machine *machine = NULL;

    OK(wfsm_machine_load(&machine, text, strlen(text), NULL, NULL, error));
    while (!passed(wfsm_engine_add_machine(engine, machine, NULL)))
        continue;
    wfsm_machine_unref(machine);
}

void add_scenario(wfsm_engine *engine)
{
    wfsm_agent quick = {.size = sizeof quick, .start = begin, .probe = look, .cancel = stop};
    wfsm_agent slow = {sizeof slow, NULL, begin, ask, stop, look};

    add_child(engine, KID);
    add_child(engine, IDLER);
    while (!passed(wfsm_engine_add_agent_full(engine, "a", &quick, NULL)))
        continue;
    while (!passed(wfsm_engine_add_agent_full(engine, "b", &slow, NULL)))
        continue;
    while (!passed(wfsm_engine_on_effect(engine, hear, NULL, NULL)))
        continue;
}
