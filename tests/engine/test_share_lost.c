/* The answer to an exchange that takes instances is lost. The store has given them to the session, so nobody
 * else takes them: the engine has to find them. */
#include <string.h>

#include "store/wrapper.h"
#include "world.h"

static wrapper lossy;
static bool loses;
static wfsm_store *inner;
static wfsm_engine *one, *two;
static actor who;

static int32_t exchange(void *self, wfsm_exchange *all, wfsm_error *given)
{
    int32_t status = wfsm_store_exchange(((wrapper *)self)->inner, all, given);
    bool lost = loses && (all->request_count > 0 || all->commit_count > 0);

    if (!lost)
        return status;
    for (size_t i = 0; i < all->commit_count; i++)
        all->commit_answers[i] = WFSM_STORE_UNKNOWN;
    return all->commit_count > 0 ? WFSM_OK : WFSM_STORE_FAILED;
}

void setUp(void)
{
    wfsm_store_vtable vtable = wrapper_vtable();

    world_open();
    vtable.exchange = exchange;
    vtable.share = NULL; /* the memory store has none */
    vtable.close = NULL;
    inner = store;
    lossy.inner = inner;
    loses = false;
    who = (actor){0};
    OK(wfsm_store_new(&store, &vtable, &lossy, NULL, error));
    one = engine_of("one", 0);
    add_machine(one, WORK("m", "a", ""));
    two = engine_of("two", 0);
    add_machine(two, WORK("m", "a", ""));
    add_actor(two, "a", &who);
}

void tearDown(void)
{
    wfsm_engine_free(one);
    wfsm_engine_free(two);
    wfsm_store_free(store);
    store = inner;
    one = two = NULL;
    world_close();
}

static size_t share(int64_t now, int32_t status)
{
    wfsm_share made = {.size = sizeof made};

    STATUS(status, wfsm_engine_share(two, now, &made, error));
    return made.taken;
}

static void what_was_given_without_an_answer_is_found(void)
{
    start(one, "m", "i", 0);
    OK(wfsm_engine_free(one));
    one = NULL;
    loses = true;
    TEST_ASSERT_EQUAL_size_t(0, share(1, WFSM_STORE_FAILED));
    loses = false;
    TEST_ASSERT_EQUAL_size_t(1, share(2, WFSM_OK));
    TEST_ASSERT_NOT_NULL(wfsm_engine_instance(two, "i"));
    TEST_ASSERT_EQUAL_size_t(0, share(3, WFSM_OK));
}

static void a_start_without_an_answer_is_found(void)
{
    loses = true;
    wfsm_engine_start(two, "m", "i", NULL, 0, 1, NULL);
    wfsm_engine_run(two, 1, NULL);
    loses = false;
    TEST_ASSERT_NULL(wfsm_engine_instance(two, "i"));
    TEST_ASSERT_EQUAL_size_t(1, share(2, WFSM_OK));
    run(two, 3);
    TEST_ASSERT_EQUAL_INT(1, who.starts + who.probes); /* the claim was part of the start */
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(what_was_given_without_an_answer_is_found);
    RUN_TEST(a_start_without_an_answer_is_found);
    return UNITY_END();
}
