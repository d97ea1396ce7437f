/* What the host is told: effects and commits. */
#include <stdio.h>
#include <string.h>

#include "world.h"

#define EMITS                                                                                  \
    "{\"wfsm\":1,\"id\":\"m\",\"initial\":\"s\",\"states\":{\"s\":{"                           \
    "\"entry\":[{\"type\":\"emit\",\"params\":{\"event\":\"one\",\"data\":{\"n\":1}}}"         \
    ","                                                                                        \
    "{\"type\":\"emit\",\"params\":{\"event\":\"two\"}}],"                                     \
    "\"on\":{\"go\":{\"actions\":[{\"type\":\"emit\",\"params\":{\"event\":\"three\"}"         \
    "},"                                                                                       \
    "{\"type\":\"log\",\"params\":{\"label\":\"l\",\"value\":3}}]}}}}}"

typedef struct listener {
    char heard[1000]; /* "instance:name=data " */
    char ids[10][WF_INVOCATION_ID_BYTES];
    int count, refuse; /* refuse: calls from this one on (from 1), 0: none */
} listener;

static wfsm_engine *engine;
static listener ear;

void setUp(void)
{
    world_open();
    engine = engine_of("one", 0);
    memset(&ear, 0, sizeof ear);
}

void tearDown(void)
{
    wfsm_engine_free(engine);
    world_close();
}

static int32_t hear(void *user, wfsm_call *call)
{
    listener *self = user;
    size_t used = strlen(self->heard);

    STATUS(WFSM_BUSY, wfsm_engine_run(engine, 0, NULL));
    snprintf(self->ids[self->count++ % 10], WF_INVOCATION_ID_BYTES, "%s", wfsm_call_id(call));
    if (self->refuse && self->count >= self->refuse)
        return WFSM_HOST;
    snprintf(self->heard + used, sizeof self->heard - used, "%s:%s=%s ",
             wfsm_call_instance(call), wfsm_call_name(call), wfsm_call_input(call, NULL));
    return WFSM_OK;
}

static void effects_come_in_order(void)
{
    int32_t outcome = 0;

    add_machine(engine, EMITS);
    OK(wfsm_engine_on_effect(engine, hear, &ear, error));
    start(engine, "m", "x", 0);
    TEST_ASSERT_EQUAL_INT(0, ear.count);
    run(engine, 0);
    OK(wfsm_engine_send(engine, "x", "go", NULL, NULL, 0, 1, &outcome, error));
    run(engine, 1);
    TEST_ASSERT_EQUAL_STRING("x:one={\"n\":1} x:two=null x:three=null ", ear.heard);
    run(engine, 2);
    TEST_ASSERT_EQUAL_INT(3, ear.count);
    TEST_ASSERT_TRUE(wfsm_engine_idle(engine));
}

static void they_wait_for_somebody_who_takes_them(void)
{
    add_machine(engine, EMITS);
    start(engine, "m", "x", 0);
    run(engine, 0);
    TEST_ASSERT_TRUE(wfsm_engine_idle(engine));
    OK(wfsm_engine_on_effect(engine, hear, &ear, error));
    TEST_ASSERT_FALSE(wfsm_engine_idle(engine));
    run(engine, 1);
    TEST_ASSERT_EQUAL_STRING("x:one={\"n\":1} x:two=null ", ear.heard);
}

static void a_refused_effect_comes_again_under_its_id(void)
{
    add_machine(engine, EMITS);
    OK(wfsm_engine_on_effect(engine, hear, &ear, error));
    ear.refuse = 2;
    start(engine, "m", "x", 0);
    start(engine, "m", "y", 0);
    run(engine, 0);
    /* x: one, two refused; y: one refused */
    TEST_ASSERT_EQUAL_INT(3, ear.count);
    TEST_ASSERT_FALSE(wfsm_engine_idle(engine));
    TEST_ASSERT_EQUAL_INT64(WF_RETRY_MS, wfsm_engine_deadline(engine));
    ear.refuse = 0;
    run(engine, 1);
    TEST_ASSERT_EQUAL_STRING("x:one={\"n\":1} x:two=null y:one={\"n\":1} y:two=null ",
                             ear.heard);
    TEST_ASSERT_EQUAL_STRING(ear.ids[1], ear.ids[3]);
    TEST_ASSERT_EQUAL_STRING(ear.ids[2], ear.ids[4]);
    TEST_ASSERT_TRUE(strcmp(ear.ids[1], ear.ids[0]) != 0);
    TEST_ASSERT_TRUE(wfsm_engine_idle(engine));
}

static void a_crash_delivers_what_was_not_acknowledged(void)
{
    size_t count;

    add_machine(engine, EMITS);
    OK(wfsm_engine_on_effect(engine, hear, &ear, error));
    ear.refuse = 2; /* delivered, but the host died before it could say so */
    start(engine, "m", "x", 0);
    run(engine, 0);
    wf_engine_abandon(engine);
    ear.refuse = 0;
    engine = engine_of("one", 0);
    OK(wfsm_engine_on_effect(engine, hear, &ear, error));
    OK(wfsm_engine_adopt_all(engine, 1, &count, error));
    run(engine, 1);
    TEST_ASSERT_EQUAL_STRING("x:one={\"n\":1} x:two=null ", ear.heard);
    TEST_ASSERT_EQUAL_STRING(ear.ids[1], ear.ids[2]);
}

/* It has ended, so that nothing but its last word is left to do. */
static void a_crash_delivers_the_last_word_too(void)
{
    static const char bye[] =
        "{\"wfsm\":1,\"id\":\"m\",\"initial\":\"s\",\"states\":{\"s\":{\"type\":\"final\","
        "\"entry\":{\"type\":\"emit\",\"params\":{\"event\":\"bye\"}}}}}";
    char id[20];
    size_t count;

    add_machine(engine, bye);
    for (int i = 0; i < 300; i++) { /* more than a page */
        snprintf(id, sizeof id, "x%03d", i);
        start(engine, "m", id, 0);
    }
    wf_engine_abandon(engine);
    engine = engine_of("one", 0);
    OK(wfsm_engine_adopt_all(engine, 1, &count, error));
    TEST_ASSERT_EQUAL_size_t(0, count); /* nobody listens */
    OK(wfsm_engine_on_effect(engine, hear, &ear, error));
    OK(wfsm_engine_adopt_all(engine, 2, &count, error));
    TEST_ASSERT_EQUAL_size_t(300, count);
    run(engine, 2);
    TEST_ASSERT_EQUAL_INT(300, ear.count);
    wf_engine_abandon(engine);
    engine = engine_of("one", 0);
    OK(wfsm_engine_on_effect(engine, hear, &ear, error));
    OK(wfsm_engine_adopt_all(engine, 3, &count, error));
    TEST_ASSERT_EQUAL_size_t(0, count);
}

typedef struct watcher {
    int commits, logs;
    char last[20000];
} watcher;

static int32_t watch(void *user, wfsm_call *call)
{
    watcher *self = user;
    size_t length = 0;
    const char *record = wfsm_call_record(call, &length);

    self->commits++;
    self->logs += strstr(wfsm_call_log(call, NULL), "\"value\":3") != NULL;
    snprintf(self->last, sizeof self->last, "%.*s", (int)length, record);
    TEST_ASSERT_EQUAL_STRING("x", wfsm_call_instance(call));
    return WFSM_OK;
}

static void every_commit_is_observed(void)
{
    watcher eye = {0};
    size_t count;

    add_machine(engine, EMITS);
    OK(wfsm_engine_observe(engine, watch, &eye, error));
    start(engine, "m", "x", 0);
    TEST_ASSERT_EQUAL_INT(1, eye.commits);
    OK(wfsm_engine_send(engine, "x", "go", NULL, NULL, 0, 1, NULL, error));
    TEST_ASSERT_EQUAL_INT(2, eye.commits);
    TEST_ASSERT_EQUAL_INT(1, eye.logs);
    TEST_ASSERT_NOT_NULL(strstr(eye.last, "\"revision\":2"));
    wf_engine_abandon(engine);
    engine = engine_of("one", 0);
    OK(wfsm_engine_adopt_all(engine, 1, &count, error));
    OK(wfsm_engine_send(engine, "x", "go", NULL, NULL, 0, 1, NULL, error));
    TEST_ASSERT_EQUAL_INT(2, eye.commits);
    OK(wfsm_engine_observe(engine, watch, &eye, error));
    OK(wfsm_engine_send(engine, "x", "go", NULL, NULL, 0, 1, NULL, error));
    TEST_ASSERT_EQUAL_INT(3, eye.commits);
    OK(wfsm_engine_observe(engine, NULL, NULL, error));
    OK(wfsm_engine_send(engine, "x", "go", NULL, NULL, 0, 1, NULL, error));
    TEST_ASSERT_EQUAL_INT(3, eye.commits);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(effects_come_in_order);
    RUN_TEST(they_wait_for_somebody_who_takes_them);
    RUN_TEST(a_refused_effect_comes_again_under_its_id);
    RUN_TEST(a_crash_delivers_what_was_not_acknowledged);
    RUN_TEST(a_crash_delivers_the_last_word_too);
    RUN_TEST(every_commit_is_observed);
    return UNITY_END() != 0;
}
