/* The start of a child workflow was stored, but its answer was lost, and then its parent does not ask
 * for it any more. */
#include <string.h>

#include "store/store.h"
#include "world.h"

static const char child[] =
    "{\"wfsm\":1,\"id\":\"c\",\"initial\":\"idle\",\"states\":{\"idle\":{}}}";
static const char parent[] =
    "{\"wfsm\":1,\"id\":\"p\",\"initial\":\"wait\",\"states\":{\"wait\":{\"invoke\":{"
    "\"src\":\"machine:c\"},\"on\":{\"LEAVE\":\"left\"}},\"left\":{}}}";

static wfsm_store *memory;
static wfsm_engine *engine;
static int lost; /* answers */

static int32_t commit(void *self, const wfsm_commit *const *commits, size_t count,
                      int32_t *answers, wfsm_error *why)
{
    int32_t status = memory->vtable.commit(self, commits, count, answers, why);

    for (size_t i = 0; i < count && status == WFSM_OK; i++)
        if (lost == 0 && strchr(commits[i]->instance, '/')) {
            answers[i] = WFSM_STORE_UNKNOWN;
            lost++;
        }
    return status;
}

void setUp(void)
{
    wfsm_store_vtable vtable;

    error = wfsm_error_new(NULL);
    lost = 0;
    OK(wfsm_memory_open(&memory, NULL, error));
    vtable = memory->vtable;
    vtable.commit = commit;
    vtable.close = NULL;
    OK(wfsm_store_new(&store, &vtable, memory->self, NULL, error));
    engine = engine_of("one", 0);
    add_machine(engine, parent);
    add_machine(engine, child);
    start(engine, "p", "x", 0);
    for (int i = 0; i < 4 && lost == 0; i++)
        (void)wfsm_engine_run(engine, 0, NULL);
    TEST_ASSERT_EQUAL_INT(1, lost);
}

void tearDown(void)
{
    wfsm_engine_free(engine);
    wfsm_store_free(store);
    wfsm_store_free(memory);
    wfsm_error_free(error);
}

static int32_t count_running(void *user, const wfsm_row *row)
{
    *(int *)user += row->head->status != WFSM_DONE;
    return WFSM_OK;
}

/* Only the parent is left. */
static void leave(void)
{
    wfsm_query query = {.size = sizeof query};
    int32_t outcome = 0;
    int running = 0;

    OK(wfsm_engine_send(engine, "x", "LEAVE", NULL, NULL, 0, 0, &outcome, error));
    run(engine, WF_RETRY_MS);
    OK(wfsm_store_list(store, &query, count_running, &running, error));
    TEST_ASSERT_EQUAL_INT(1, running);
    TEST_ASSERT_TRUE(wfsm_engine_idle(engine));
}

static void it_is_stopped(void)
{
    leave();
}

static void it_is_stopped_after_it_was_adopted(void)
{
    size_t count = 0;

    OK(wfsm_engine_adopt_all(engine, 0, &count, error));
    TEST_ASSERT_EQUAL_size_t(1, count);
    leave();
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(it_is_stopped);
    RUN_TEST(it_is_stopped_after_it_was_adopted);
    return UNITY_END() != 0;
}
