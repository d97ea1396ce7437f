/* Instances are given up many at a time: with the engine, and children that have ended with the
 * exchange of a round. */
#include <stdio.h>
#include <string.h>

#include "faults.h"
#include "store/store.h"
#include "world.h"

enum { MANY = 300 };

#define PARENT                                                                                 \
    "{\"wfsm\":1,\"id\":\"p\",\"initial\":\"a\",\"states\":{\"a\":{\"invoke\":{\"src\":"       \
    "\"machine:c\",\"onDone\":\"b\"}},\"b\":{\"type\":\"final\"}}}"
/* Its end leaves an effect. */
#define CHILD                                                                                  \
    "{\"wfsm\":1,\"id\":\"c\",\"initial\":\"end\",\"states\":{\"end\":{\"type\":\"final\","    \
    "\"entry\":{\"type\":\"emit\",\"params\":{\"event\":\"hello\"}}}}}"
/* `go` ends it, and leaves nothing. */
#define DOOR                                                                                   \
    "{\"wfsm\":1,\"id\":\"d\",\"initial\":\"a\",\"states\":{\"a\":{\"on\":{\"go\":\"b\"}},"    \
    "\"b\":{\"type\":\"final\"}}}"

static struct {
    wfsm_store_vtable inner;
    int transactions; /* begun */
    bool open;
    int given_up; /* within a transaction */
    int given_up_alone;
    int32_t answer; /* of disown, if it is not OK */
} gate;

static wfsm_store *memory;
static wfsm_engine *engine;
static shortage heap;

static int32_t transaction(void *self, int32_t step, wfsm_error *why)
{
    (void)self;
    (void)why;
    gate.open = step == WFSM_BEGIN;
    gate.transactions += step == WFSM_BEGIN;
    return WFSM_OK;
}

static int32_t disown(void *self, const char *instance, const char *owner, wfsm_error *why)
{
    gate.given_up += gate.open;
    gate.given_up_alone += !gate.open;
    if (gate.answer != WFSM_OK)
        return wfsm_error_set(why, gate.answer, "not now");
    return gate.inner.disown(self, instance, owner, why);
}

void setUp(void)
{
    wfsm_store_vtable vtable;
    wfsm_allocator allocator = shortage_allocator(&heap);
    wfsm_engine_options options = {
        .size = sizeof options, .session = "one", .lapse_ms = 10000, .allocator = &allocator};

    memset(&gate, 0, sizeof gate);
    heap = (shortage){0};
    error = wfsm_error_new(NULL);
    OK(wfsm_memory_open(&memory, NULL, error));
    gate.inner = vtable = memory->vtable;
    vtable.disown = disown;
    vtable.transaction = transaction;
    vtable.close = NULL;
    OK(wfsm_store_new(&store, &vtable, memory->self, NULL, error));
    OK(wfsm_engine_new(&engine, store, &options, error));
    add_machine(engine, PARENT);
    add_machine(engine, CHILD);
    add_machine(engine, DOOR);
}

void tearDown(void)
{
    wfsm_engine_free(engine);
    wfsm_store_free(store);
    wfsm_store_free(memory);
    wfsm_error_free(error);
}

static int32_t count_owned(void *user, const wfsm_row *row)
{
    *(int *)user += row->head->owner[0] != '\0';
    return WFSM_OK;
}

static int owned(void)
{
    int count = 0;

    OK(wfsm_store_list(memory, NULL, count_owned, &count, error));
    return count;
}

static int32_t deliver(void *user, wfsm_call *call)
{
    (void)user;
    (void)call;
    return WFSM_OK;
}

static void start_many(void)
{
    char id[20];

    for (int i = 0; i < MANY; i++) {
        snprintf(id, sizeof id, "c%d", i);
        start(engine, "c", id, 0);
    }
    TEST_ASSERT_EQUAL_INT(MANY, owned());
}

static void free_engine(void)
{
    wfsm_engine_free(engine);
    engine = NULL;
}

static void an_engine_gives_up_many_at_a_time(void)
{
    start_many();
    gate.transactions = 0;
    free_engine();
    TEST_ASSERT_EQUAL_INT(0, owned());
    TEST_ASSERT_EQUAL_INT(MANY, gate.given_up);
    TEST_ASSERT_EQUAL_INT(0, gate.given_up_alone);
    TEST_ASSERT_EQUAL_INT(2, gate.transactions); /* of 256, and of 44 */
}

static void without_memory_each_is_given_up_by_itself(void)
{
    start_many();
    heap = (shortage){.at = 1, .count = 1000};
    free_engine();
    TEST_ASSERT_EQUAL_INT(0, owned());
    TEST_ASSERT_EQUAL_INT(MANY, gate.given_up_alone);
}

/* The child's end, and its parent's answer to it, are one transaction. */
static void a_child_is_given_up_with_the_answer_of_its_parent(void)
{
    start(engine, "p", "x", 0);
    run(engine, 1);
    TEST_ASSERT_EQUAL_STRING("[\"b\"]", where(engine, "x"));
    TEST_ASSERT_EQUAL_INT(0, owned());
    TEST_ASSERT_EQUAL_INT(1, gate.given_up); /* the parent is, too, by its last commit */
    TEST_ASSERT_EQUAL_INT(0, gate.given_up_alone);
    TEST_ASSERT_EQUAL_INT(4, gate.transactions); /* start, claim, child, answer */
    TEST_ASSERT_EQUAL_size_t(1, engine->entry_count);
}

static void a_child_whose_store_fails_is_given_up_later(void)
{
    int32_t status = WFSM_OK;

    gate.answer = WFSM_CORRUPT; /* which ends no transaction */
    start(engine, "p", "x", 0);
    for (int i = 0; i < 5; i++) {
        int32_t answer = wfsm_engine_run(engine, 1, error);

        status = status != WFSM_OK ? status : answer;
    }
    STATUS(WFSM_CORRUPT, status);
    TEST_ASSERT_EQUAL_STRING("[\"b\"]", where(engine, "x"));
    TEST_ASSERT_EQUAL_INT(1, owned());
    TEST_ASSERT_GREATER_THAN_INT64(1, wfsm_engine_deadline(engine)); /* not at once */
    gate.answer = WFSM_OK;
    run(engine, wfsm_engine_deadline(engine));
    TEST_ASSERT_EQUAL_INT(0, owned());
    TEST_ASSERT_TRUE(wf_link_alone(&engine->leaving));
}

static void a_child_that_others_have_taken_leaves_them_alone(void)
{
    gate.answer = WFSM_DENIED;
    start(engine, "p", "x", 0);
    run(engine, 1);
    TEST_ASSERT_EQUAL_STRING("[\"b\"]", where(engine, "x"));
    TEST_ASSERT_EQUAL_size_t(1, engine->entry_count);
}

/* An input makes this engine its owner again, although it comes too late. */
static void end_and_own_again(const char *id)
{
    int32_t outcome = 0;

    start(engine, "c", id, 0);
    run(engine, 1);
    OK(wfsm_engine_send(engine, id, "go", NULL, NULL, 0, 1, &outcome, error));
    TEST_ASSERT_EQUAL_INT32(WFSM_ENDED, outcome);
}

static void what_is_released_at_its_end_leaves_with_the_next_exchange(void)
{
    OK(wfsm_engine_on_effect(engine, deliver, NULL, error));
    end_and_own_again("x");
    end_and_own_again("y");
    end_and_own_again("z");
    gate.transactions = gate.given_up = 0;
    OK(wfsm_engine_release(engine, "x", error));
    OK(wfsm_engine_release(engine, "y", error));
    TEST_ASSERT_NULL(wfsm_engine_instance(engine, "x"));
    STATUS(WFSM_NOT_FOUND, wfsm_engine_release(engine, "x", error));
    TEST_ASSERT_EQUAL_INT(3, owned());
    start(engine, "c", "new", 2);
    TEST_ASSERT_EQUAL_INT(1, gate.transactions);
    TEST_ASSERT_EQUAL_INT(2, gate.given_up);
    TEST_ASSERT_EQUAL_INT(0, gate.given_up_alone);
    TEST_ASSERT_EQUAL_INT(2, owned()); /* z, and the new one */
}

static void or_with_the_engine(void)
{
    OK(wfsm_engine_on_effect(engine, deliver, NULL, error));
    end_and_own_again("x");
    gate.given_up = 0;
    OK(wfsm_engine_release(engine, "x", error));
    free_engine();
    TEST_ASSERT_EQUAL_INT(0, owned());
    TEST_ASSERT_EQUAL_INT(1, gate.given_up);
}

static void what_is_adopted_again_stays(void)
{
    OK(wfsm_engine_on_effect(engine, deliver, NULL, error));
    end_and_own_again("x");
    OK(wfsm_engine_release(engine, "x", error));
    OK(wfsm_engine_adopt(engine, "x", 2, error));
    run(engine, 9000);
    TEST_ASSERT_EQUAL_INT(1, owned());
    TEST_ASSERT_NOT_NULL(wfsm_engine_instance(engine, "x"));
}

static void what_still_works_is_given_up_at_once(void)
{
    add_machine(engine, "{\"wfsm\":1,\"id\":\"w\",\"initial\":\"a\",\"states\":{\"a\":{}}}");
    start(engine, "w", "x", 0);
    OK(wfsm_engine_release(engine, "x", error));
    TEST_ASSERT_EQUAL_INT(0, owned());
}

static void without_memory_a_release_is_a_transaction(void)
{
    OK(wfsm_engine_on_effect(engine, deliver, NULL, error));
    start(engine, "c", "x", 0);
    heap = (shortage){.at = 1, .count = 1000};
    OK(wfsm_engine_release(engine, "x", error));
    TEST_ASSERT_EQUAL_INT(0, owned());
    TEST_ASSERT_NULL(wfsm_engine_instance(engine, "x"));
}

/* ---- the commit that ends an instance ---- */

static void start_and_end(const char *id)
{
    start(engine, "d", id, 0);
    OK(wfsm_engine_send(engine, id, "go", NULL, NULL, 0, 1, NULL, error));
    TEST_ASSERT_EQUAL_STRING("[\"b\"]", where(engine, id));
}

static void the_last_commit_gives_up(void)
{
    start_and_end("x");
    TEST_ASSERT_EQUAL_INT(0, owned());
    TEST_ASSERT_EQUAL_INT(2, gate.transactions);
    run(engine, 2);
    run(engine, 9000);
    OK(wfsm_engine_release(engine, "x", error));
    free_engine();
    TEST_ASSERT_EQUAL_INT(0, gate.given_up + gate.given_up_alone);
}

static void the_last_acknowledgement_gives_up(void)
{
    OK(wfsm_engine_on_effect(engine, deliver, NULL, error));
    start(engine, "c", "x", 0);
    TEST_ASSERT_EQUAL_INT(1, owned());
    gate.transactions = 0;
    run(engine, 1);
    TEST_ASSERT_EQUAL_INT(0, owned());
    TEST_ASSERT_EQUAL_INT(1, gate.transactions);
    TEST_ASSERT_EQUAL_INT(1, gate.given_up);
    TEST_ASSERT_EQUAL_STRING("[\"end\"]", where(engine, "x"));
    free_engine();
    TEST_ASSERT_EQUAL_INT(1, gate.given_up);
}

static void but_not_if_a_post_waits(void)
{
    OK(wfsm_engine_on_effect(engine, deliver, NULL, error));
    start(engine, "c", "x", 0);
    post("x", "early", "p1");
    run(engine, 1);
    run(engine, 2);
    TEST_ASSERT_EQUAL_size_t(0, posts());
    TEST_ASSERT_EQUAL_size_t(1, records("x", "early"));
    TEST_ASSERT_EQUAL_INT(0, owned());
}

static void a_failed_acknowledgement_gives_nothing_up(void)
{
    OK(wfsm_engine_on_effect(engine, deliver, NULL, error));
    start(engine, "c", "x", 0);
    gate.answer = WFSM_STORE_FAILED; /* which rolls the acknowledgement back */
    OK(wfsm_engine_run(engine, 1, error));
    STATUS(WFSM_STORE_FAILED, wfsm_engine_run(engine, 1, error));
    TEST_ASSERT_EQUAL_INT(1, owned());
    gate.answer = WFSM_OK;
    run(engine, wfsm_engine_deadline(engine));
    TEST_ASSERT_EQUAL_INT(0, owned());
}

/* It is owned again first, also if it then refuses the input. */
static void inputs_after_the_end(void)
{
    const wfsm_restore_point first = {.size = sizeof first, .revision = 1};
    int32_t outcome = 0;

    start_and_end("x");
    STATUS(WFSM_DENIED, wfsm_engine_restore(engine, "x", &first, 2, &outcome, error));
    OK(wfsm_engine_send(engine, "x", "go", NULL, NULL, 0, 3, &outcome, error));
    TEST_ASSERT_EQUAL_INT32(WFSM_ENDED, outcome);
    TEST_ASSERT_EQUAL_INT(1, owned());
    free_engine();
    TEST_ASSERT_EQUAL_INT(0, owned());
}

static void posts_are_taken_after_the_end(void)
{
    start_and_end("x");
    start(engine, "d", "other", 1);
    post("x", "late", "p1");
    run(engine, 2);
    run(engine, 3);
    TEST_ASSERT_EQUAL_size_t(0, posts());
    TEST_ASSERT_EQUAL_size_t(1, records("x", "late"));
    TEST_ASSERT_EQUAL_INT(1, owned());
}

static void posts_that_wait_at_the_end_are_taken(void)
{
    start(engine, "d", "x", 0);
    post("x", "early", "p1");
    OK(wfsm_engine_send(engine, "x", "go", NULL, NULL, 0, 1, NULL, error));
    run(engine, 2);
    TEST_ASSERT_EQUAL_size_t(0, posts());
    TEST_ASSERT_EQUAL_size_t(1, records("x", "early"));
    TEST_ASSERT_EQUAL_INT(0, owned());
}

static void only_the_last_of_a_chain_gives_up(void)
{
    start(engine, "d", "x", 0);
    post("x", "go", "p1");
    post("x", "late", "p2");
    run(engine, 1);
    TEST_ASSERT_EQUAL_size_t(0, posts());
    TEST_ASSERT_EQUAL_INT(0, owned());
    TEST_ASSERT_EQUAL_UINT64(3, wfsm_instance_committed(wfsm_engine_instance(engine, "x")));
}

static int lost;

static int32_t tell_lost(void *user, wfsm_call *call)
{
    (void)user;
    lost = wfsm_call_lost(call);
    return WFSM_OK;
}

static void another_engine_may_take_it(void)
{
    wfsm_engine *other = engine_of("two", 0);

    lost = 0;
    OK(wfsm_engine_on_lost(engine, tell_lost, NULL, error));
    add_machine(other, DOOR);
    start_and_end("x");
    OK(wfsm_engine_adopt(other, "x", 2, error));
    run(engine, 3);
    TEST_ASSERT_EQUAL_INT(0, lost);
    STATUS(WFSM_NOT_FOUND, wfsm_engine_send(engine, "x", "go", NULL, NULL, 0, 4, NULL, error));
    TEST_ASSERT_EQUAL_INT(WFSM_LOST_TAKEN, lost);
    TEST_ASSERT_EQUAL_INT(1, owned());
    wfsm_engine_free(other);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(an_engine_gives_up_many_at_a_time);
    RUN_TEST(without_memory_each_is_given_up_by_itself);
    RUN_TEST(a_child_is_given_up_with_the_answer_of_its_parent);
    RUN_TEST(a_child_whose_store_fails_is_given_up_later);
    RUN_TEST(a_child_that_others_have_taken_leaves_them_alone);
    RUN_TEST(what_is_released_at_its_end_leaves_with_the_next_exchange);
    RUN_TEST(or_with_the_engine);
    RUN_TEST(what_is_adopted_again_stays);
    RUN_TEST(what_still_works_is_given_up_at_once);
    RUN_TEST(without_memory_a_release_is_a_transaction);
    RUN_TEST(the_last_commit_gives_up);
    RUN_TEST(the_last_acknowledgement_gives_up);
    RUN_TEST(but_not_if_a_post_waits);
    RUN_TEST(a_failed_acknowledgement_gives_nothing_up);
    RUN_TEST(inputs_after_the_end);
    RUN_TEST(posts_are_taken_after_the_end);
    RUN_TEST(posts_that_wait_at_the_end_are_taken);
    RUN_TEST(only_the_last_of_a_chain_gives_up);
    RUN_TEST(another_engine_may_take_it);
    return UNITY_END() != 0;
}
