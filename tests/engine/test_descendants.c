/* How many instances may descend from one: at once, in all, and at work in one engine. */
#include <stdio.h>
#include <string.h>

#include <wfsm/audit.h>
#include "world.h"

static wfsm_engine *engine;
static actor who;

#define TEN(one)                                                                               \
    one(0) "," one(1) "," one(2) "," one(3) "," one(4) "," one(5) "," one(6) "," one(          \
        7) "," one(8) "," one(9)
#define SELF(n) "{\"id\":\"k" #n "\",\"src\":\"machine:m\"}"

/* Invokes itself ten times, as often as it can. */
#define BOMB(limits)                                                                           \
    "{\"wfsm\":1,\"id\":\"m\"" limits                                                          \
    ",\"initial\":\"s\",\"states\":{\"s\":{\"invoke\":[" TEN(SELF) "]}}}"

/* Invokes `c` again and again, until an invocation fails. */
#define LOOP(limits)                                                                           \
    "{\"wfsm\":1,\"id\":\"m\"" limits                                                          \
    ",\"initial\":\"s\",\"context\":{\"got\":null},\"states\":{"                               \
    "\"s\":{\"invoke\":{\"id\":\"k\",\"src\":\"machine:c\",\"onDone\":{\"target\":\"s\","      \
    "\"reenter\":true},\"onError\":{\"target\":\"end\",\"actions\":{\"type\":\"assign\","      \
    "\"params\":{\"got\":{\"var\":\"event.data\"}}}}}},\"end\":{}}}"

/* Invokes `c` for each of 20 items. */
#define FIVE "{},{},{},{},{},"
#define MANY(limits)                                                                               \
    "{\"wfsm\":1,\"id\":\"m\"" limits ",\"initial\":\"s\",\"context\":{\"got\":null},"             \
    "\"states\":{\"s\":{\"invoke\":{\"id\":\"k\",\"src\":\"machine:c\",\"items\":[" FIVE           \
        FIVE FIVE                                                                                  \
    "{},{},{},{},{}],\"onDone\":{\"target\":\"end\",\"actions\":{\"type\":\"assign\",\"params\":{" \
    "\"got\":{\"var\":\"event.data\"}}}},\"onError\":\"bad\"}},\"end\":{},\"bad\":{}}}"

#define LEAF(extra)                                                                            \
    "{\"wfsm\":1,\"id\":\"c\",\"initial\":\"s\",\"states\":{\"s\":" extra                      \
    ",\"end\":{\"type\":\"final\"}}}"

static const char ends[] = LEAF("{\"always\":\"end\"}");
static const char works[] = LEAF("{\"invoke\":{\"src\":\"a\",\"onDone\":\"end\"}}");

void setUp(void)
{
    world_open();
    memset(&who, 0, sizeof who);
}

void tearDown(void)
{
    wfsm_audit_counts counts = {.size = sizeof counts};

    wfsm_engine_free(engine);
    OK(wfsm_store_audit(store, NULL, NULL, NULL, &counts, error));
    TEST_ASSERT_EQUAL_UINT64(0, counts.diagnostics);
    world_close();
}

static int32_t count_one(void *user, const wfsm_row *row)
{
    (void)row;
    ++*(size_t *)user;
    return WFSM_OK;
}

static size_t instances(void)
{
    size_t count = 0;

    OK(wfsm_store_list(store, NULL, count_one, &count, error));
    return count;
}

static const char *context(void)
{
    return wfsm_instance_context(wfsm_engine_instance(engine, "x"), NULL);
}

static void rounds(int count)
{
    for (int i = 0; i < count; i++)
        run(engine, i);
}

static void self_invocation_is_bounded(void)
{
    engine = engine_of("one", 0);
    add_machine(engine, BOMB(""));
    start(engine, "m", "x", 0);
    rounds(40);
    TEST_ASSERT_EQUAL_size_t(1001, instances());
}

static void the_document_bounds_its_descendants(void)
{
    engine = engine_of("one", 0);
    add_machine(engine, BOMB(",\"limits\":{\"descendants\":37}"));
    start(engine, "m", "x", 0);
    rounds(40);
    TEST_ASSERT_EQUAL_size_t(38, instances());
}

static void an_invocation_beyond_fails_with_limit(void)
{
    engine = engine_of("one", 0);
    add_machine(engine, LOOP(",\"limits\":{\"descendantsInAll\":25}"));
    add_machine(engine, ends);
    start(engine, "m", "x", 0);
    rounds(100);
    TEST_ASSERT_EQUAL_STRING("[\"end\"]", where(engine, "x"));
    TEST_ASSERT_EQUAL_size_t(26, instances());
    TEST_ASSERT_NOT_NULL(strstr(context(), "\"class\":\"limit\""));
    TEST_ASSERT_NOT_NULL(strstr(context(), "LIMIT"));
}

static void the_host_bounds_descendants(void)
{
    wfsm_step_limits limits = {.size = sizeof limits, .descendants = 12};
    wfsm_engine_options options = {.size = sizeof options, .session = "one", .limits = &limits};

    OK(wfsm_engine_new(&engine, store, &options, error));
    add_machine(engine, BOMB(",\"limits\":{\"descendants\":37}"));
    start(engine, "m", "x", 0);
    rounds(40);
    TEST_ASSERT_EQUAL_size_t(13, instances());
}

static void what_ended_may_be_followed_by_others(void)
{
    engine = engine_of("one", 0);
    add_machine(engine, LOOP(",\"limits\":{\"descendants\":1,\"descendantsInAll\":50}"));
    add_machine(engine, ends);
    start(engine, "m", "x", 0);
    rounds(200);
    TEST_ASSERT_EQUAL_size_t(51, instances());
}

static void items_share_what_there_is(void)
{
    engine = engine_of("one", 0);
    add_machine(engine, MANY(",\"limits\":{\"descendants\":20}"));
    add_machine(engine, works);
    add_actor(engine, "a", &who);
    who.on_start = "1";
    start(engine, "m", "x", 0);
    rounds(20);
    TEST_ASSERT_EQUAL_STRING("[\"end\"]", where(engine, "x"));
    TEST_ASSERT_NULL(strstr(context(), "limit"));
}

/* Each level of a chain leaves one less for the next. */
static void a_chain_may_be_as_long_as_the_allowance(void)
{
    engine = engine_of("one", 0);
    add_machine(engine, "{\"wfsm\":1,\"id\":\"m\",\"limits\":{\"descendants\":9},\"initial\":"
                        "\"s\",\"states\":{\"s\":{\"invoke\":" SELF(0) "}}}");
    start(engine, "m", "x", 0);
    rounds(40);
    TEST_ASSERT_EQUAL_size_t(10, instances());
}

/* The allowance is in the start record, so that it holds in an engine that has never heard of
 * the ancestors. */
static void the_allowance_survives_a_takeover(void)
{
    engine = engine_of("one", 0);
    add_machine(engine, BOMB(",\"limits\":{\"descendants\":50}"));
    start(engine, "m", "x", 0);
    run(engine, 0);
    wf_engine_abandon(engine);
    engine = engine_of("two", 0);
    add_machine(engine, BOMB(",\"limits\":{\"descendants\":50}"));
    OK(wfsm_engine_adopt_all(engine, 20000, NULL, error));
    for (int i = 0; i < 40; i++)
        run(engine, 20000 + i);
    TEST_ASSERT_EQUAL_size_t(51, instances());
    TEST_ASSERT_TRUE(records("x", "\"descendants\"") > 0);
}

static size_t working(void)
{
    size_t count = 0;

    for (wf_link *at = engine->entries.next; at != &engine->entries; at = at->next)
        count += WF_OWNER_OF(at, wf_entry, all)->child;
    return count;
}

static wfsm_engine *engine_of_children(uint32_t children, uint32_t slots)
{
    wfsm_engine_options options = {
        .size = sizeof options, .session = "one", .slots = slots, .children = children};
    wfsm_engine *made = NULL;

    OK(wfsm_engine_new(&made, store, &options, error));
    return made;
}

static void an_engine_bounds_the_children_at_work(void)
{
    engine = engine_of_children(3, 15);
    add_machine(engine, MANY(""));
    add_machine(engine, works);
    add_actor(engine, "a", &who);
    who.on_poll = NULL;
    start(engine, "m", "x", 0);
    run(engine, 0);
    TEST_ASSERT_EQUAL_size_t(3, working());
    who.on_poll = "1";
    for (int i = 1; i < 30; i++) {
        run(engine, i);
        TEST_ASSERT_TRUE(working() <= 3);
    }
    TEST_ASSERT_EQUAL_STRING("[\"end\"]", where(engine, "x"));
    TEST_ASSERT_EQUAL_INT(20, who.starts);
}

/* Children that wait for children of their own do not keep these from their turn. */
static void waiting_parents_do_not_block_their_children(void)
{
    engine = engine_of_children(1, 1);
    add_machine(engine, "{\"wfsm\":1,\"id\":\"m\",\"initial\":\"s\",\"states\":{\"s\":{"
                        "\"invoke\":{\"src\":\"machine:b\",\"onDone\":\"end\"}},\"end\":{}}}");
    add_machine(engine, "{\"wfsm\":1,\"id\":\"b\",\"initial\":\"s\",\"states\":{\"s\":{"
                        "\"invoke\":{\"src\":\"machine:c\",\"onDone\":\"end\"}},"
                        "\"end\":{\"type\":\"final\"}}}");
    add_machine(engine, works);
    add_actor(engine, "a", &who);
    who.on_start = "1";
    start(engine, "m", "x", 0);
    start(engine, "m", "y", 0);
    rounds(20);
    TEST_ASSERT_EQUAL_STRING("[\"end\"]", where(engine, "x"));
    TEST_ASSERT_EQUAL_STRING("[\"end\"]", where(engine, "y"));
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(self_invocation_is_bounded);
    RUN_TEST(the_document_bounds_its_descendants);
    RUN_TEST(an_invocation_beyond_fails_with_limit);
    RUN_TEST(the_host_bounds_descendants);
    RUN_TEST(what_ended_may_be_followed_by_others);
    RUN_TEST(items_share_what_there_is);
    RUN_TEST(a_chain_may_be_as_long_as_the_allowance);
    RUN_TEST(the_allowance_survives_a_takeover);
    RUN_TEST(an_engine_bounds_the_children_at_work);
    RUN_TEST(waiting_parents_do_not_block_their_children);
    return UNITY_END() != 0;
}
