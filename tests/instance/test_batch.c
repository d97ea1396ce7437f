/* Commits of many inputs in one transaction: nothing is acknowledged before the flush, and
 * after it memory and store agree, or the instance is sealed. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unity.h>
#include <wfsm/engine.h>
#include "instance/instance.h"
#include "support.h"
#include "../laws/chance.h"
#include "../given.h"

#define OK(call) TEST_ASSERT_EQUAL_STRING("OK", wfsm_status_name(call))

static wfsm_error *error;
static wfsm_machine *machine;
static wfsm_functions *functions;
static wfsm_store *memory, *store;
static flaky gate;
static int told;

void setUp(void)
{
    error = wfsm_error_new(NULL);
    gate = (flaky){0};
    told = 0;
    OK(wfsm_machine_load(&machine, everything, strlen(everything), NULL, NULL, error));
    OK(wfsm_functions_new(&functions, NULL, error));
    OK(add_functions(functions, error));
    OK(wfsm_memory_open(&memory, NULL, error));
    gate.inner = memory;
    OK(flaky_open(&store, &gate, NULL, error));
}

void tearDown(void)
{
    wfsm_store_free(store);
    wfsm_store_free(memory);
    wfsm_functions_free(functions);
    wfsm_machine_unref(machine);
    wfsm_error_free(error);
}

static wfsm_instance *start(const char *id)
{
    wfsm_instance *made = NULL;
    OK(wfsm_instance_start(&made, machine, START(id, .store = store, .functions = functions), 0,
                           error));
    return made;
}

static int32_t send(wfsm_instance *instance, const char *event, const char *id)
{
    int32_t outcome = 0;
    int32_t status = wfsm_instance_send(instance, EVENT(event, .id = id), 1, &outcome, error);
    TEST_ASSERT_EQUAL_STRING("OK", wfsm_status_name(status));
    return outcome;
}

static uint64_t stored(const char *id)
{
    wfsm_head head = {.size = sizeof head};
    return wfsm_store_head(memory, id, &head, NULL) == WFSM_OK ? head.revision : 0;
}

static void expect_as_stored(wfsm_instance *instance)
{
    wfsm_instance *again = NULL;
    OK(wfsm_instance_load(&again, machine, memory, functions, wfsm_instance_id(instance),
                          error));
    char *one = bytes_of(instance), *other = bytes_of(again);
    TEST_ASSERT_EQUAL_STRING(one, other);
    TEST_ASSERT_EQUAL_UINT64(wfsm_instance_revision(instance),
                             wfsm_instance_committed(instance));
    free(one);
    free(other);
    wfsm_instance_free(again);
}

static void expect_sealed(wfsm_instance *instance)
{
    int32_t outcome = 0;
    TEST_ASSERT_EQUAL_STRING("SEALED", wfsm_status_name(wfsm_instance_send(
                                           instance, EVENT("INC"), 1, &outcome, NULL)));
}

static int32_t count_news(void *user, wfsm_call *call)
{
    size_t length;
    const char *record = wfsm_call_record(call, &length);
    (void)user;
    TEST_ASSERT_NOT_NULL(record);
    TEST_ASSERT_EQUAL_size_t(strlen(record), length);
    told++;
    return WFSM_OK;
}

static void nothing_is_acknowledged_before_the_flush(void)
{
    wfsm_instance *one = start("one"), *two = NULL;
    uint64_t before = gate.commits, refused = 9;
    OK(wfsm_instance_observe(one, count_news, NULL));
    OK(wfsm_store_batch(store, error));
    two = start("two");
    for (int i = 0; i < 5; i++) {
        TEST_ASSERT_EQUAL_INT32(WFSM_TAKEN, send(one, "INC", NULL));
        TEST_ASSERT_EQUAL_INT32(WFSM_TAKEN, send(two, "INC", NULL));
    }
    TEST_ASSERT_EQUAL_UINT64(6, wfsm_instance_revision(one));
    TEST_ASSERT_EQUAL_UINT64(1, wfsm_instance_committed(one));
    TEST_ASSERT_EQUAL_UINT64(1, stored("one"));
    TEST_ASSERT_EQUAL_UINT64(0, stored("two"));
    TEST_ASSERT_EQUAL_UINT64(before, gate.commits);
    TEST_ASSERT_EQUAL_INT(0, told);
    OK(wfsm_store_flush(store, &refused, error));
    TEST_ASSERT_EQUAL_UINT64(0, refused);
    TEST_ASSERT_EQUAL_INT(5, told);
    TEST_ASSERT_EQUAL_UINT64(6, stored("two"));
    expect_as_stored(one);
    expect_as_stored(two);
    send(one, "INC", NULL); /* each by itself again */
    TEST_ASSERT_EQUAL_UINT64(7, stored("one"));
    wfsm_instance_free(one);
    wfsm_instance_free(two);
}

static void an_event_id_counts_within_the_batch(void)
{
    wfsm_instance *one = start("one"), *two = start("two");
    OK(wfsm_store_batch(store, error));
    TEST_ASSERT_EQUAL_INT32(WFSM_TAKEN, send(one, "INC", "a"));
    TEST_ASSERT_EQUAL_INT32(WFSM_DUPLICATE, send(one, "INC", "a"));
    TEST_ASSERT_EQUAL_INT32(WFSM_TAKEN, send(two, "INC", "a"));
    OK(wfsm_store_flush(store, NULL, error));
    TEST_ASSERT_EQUAL_INT32(WFSM_DUPLICATE, send(one, "INC", "a"));
    expect_as_stored(one);
    expect_as_stored(two);
    wfsm_instance_free(one);
    wfsm_instance_free(two);
}

/* Another handle was faster with one of them: the other two are stored. */
static void a_conflict_seals_its_instance_only(void)
{
    wfsm_instance *all[] = {start("a"), start("b"), start("c")}, *other = NULL;
    uint64_t refused = 0;
    OK(wfsm_instance_load(&other, machine, memory, functions, "b", error));
    OK(wfsm_store_batch(store, error));
    for (int i = 0; i < 6; i++)
        send(all[i % 3], "INC", NULL);
    TEST_ASSERT_EQUAL_INT32(WFSM_TAKEN, send(other, "INC", NULL));
    TEST_ASSERT_EQUAL_STRING("CONFLICT",
                             wfsm_status_name(wfsm_store_flush(store, &refused, error)));
    TEST_ASSERT_EQUAL_UINT64(2, refused);
    expect_sealed(all[1]);
    TEST_ASSERT_EQUAL_UINT64(1, wfsm_instance_committed(all[1]));
    TEST_ASSERT_EQUAL_UINT64(2, stored("b"));
    expect_as_stored(all[0]);
    expect_as_stored(all[2]);
    wfsm_instance_free(other);
    for (int i = 0; i < 3; i++)
        wfsm_instance_free(all[i]);
}

/* The store fails, or its answer is lost; it may have written all the same. */
static void whatever_the_store_answers_they_agree(void)
{
    static const int32_t answers[] = {WFSM_STORE_FAILED, WFSM_STORE_UNKNOWN, WFSM_NO_MEMORY};
    for (int i = 0; i < 6; i++) {
        wfsm_instance *one = start("one"), *again = NULL;
        uint64_t refused = 0;
        int32_t was = 9;
        bool unknown = answers[i % 3] == WFSM_STORE_UNKNOWN;
        OK(wfsm_store_batch(store, error));
        send(one, "INC", NULL);
        send(one, "INC", NULL);
        gate.fail_at = gate.commits + 1;
        gate.answer = answers[i % 3];
        gate.written = i >= 3 && unknown;
        TEST_ASSERT_EQUAL_STRING(wfsm_status_name(answers[i % 3]),
                                 wfsm_status_name(wfsm_store_flush(store, &refused, error)));
        gate.fail_at = 0;
        TEST_ASSERT_EQUAL_UINT64(2, refused);
        if (unknown) {
            expect_sealed(one);
            OK(wfsm_instance_check_commit(one, &was, error));
            TEST_ASSERT_EQUAL_INT32(gate.written, was);
        } else {
            expect_as_stored(one); /* the steps are taken back */
            TEST_ASSERT_EQUAL_INT32(WFSM_TAKEN, send(one, "INC", NULL));
            TEST_ASSERT_EQUAL_UINT64(2, stored("one"));
            wfsm_instance_free(one);
            OK(wfsm_store_remove(memory, "one", error));
            continue;
        }
        OK(wfsm_instance_load(&again, machine, store, functions, "one", error));
        TEST_ASSERT_EQUAL_UINT64(gate.written ? 3 : 1, wfsm_instance_revision(again));
        send(again, "INC", NULL);
        expect_as_stored(again);
        wfsm_instance_free(one);
        wfsm_instance_free(again);
        OK(wfsm_store_remove(memory, "one", error));
    }
}

/* The first of [{"id":"…" */
static const char *first_invocation(wfsm_instance *instance)
{
    static char id[300];
    const char *list = wfsm_instance_invocations(instance, NULL);

    if (strncmp(list, "[{\"id\":\"", 8) != 0)
        return "";
    snprintf(id, sizeof id, "%.*s", (int)strcspn(list + 8, "\""), list + 8);
    return id;
}

static void any_input(wfsm_instance *one, chance *dice, int64_t now)
{
    static const char *const events[] = {"GO",    "GO",   "INC",  "BREAK", "LIST",
                                         "RESET", "NEXT", "NEXT", "BACK",  "AGAIN"};
    static const char *const patches[] = {"{\"note\":\"x\"}", "{\"extra\":{\"a\":1}}",
                                          "{\"extra\":null}", "{\"list\":[1,2]}"};
    const char *patch = DRAW_FROM(dice, patches);
    int32_t outcome = 0;
    switch (draw(dice, 6)) {
    case 0:
        (void)wfsm_instance_patch(one, patch, strlen(patch), now, &outcome, NULL);
        return;
    case 1:
        (void)wfsm_instance_advance(one, now, NULL, &outcome, NULL);
        return;
    case 2:
        (void)wfsm_instance_claim(one, first_invocation(one), "me", now, &outcome, NULL);
        return;
    case 3:
        (void)wfsm_instance_result(one,
                                   &(wfsm_result){.size = sizeof(wfsm_result),
                                                  .invocation = first_invocation(one),
                                                  .output = "{\"ok\":1}",
                                                  .length = 8},
                                   now, &outcome, NULL);
        return;
    default:
        (void)wfsm_instance_send(one, EVENT(DRAW_FROM(dice, events)), now, &outcome, NULL);
        return;
    }
}

/* While a round is with the store, questions are answered from the state before it. */
static void expect_hidden(wfsm_instance *one, const char *before)
{
    char *ahead = bytes_of(one), *hidden, *shown;
    wf_instance_hide(one);
    hidden = bytes_of(one);
    wf_instance_show(one);
    shown = bytes_of(one);
    TEST_ASSERT_EQUAL_STRING(before, hidden);
    TEST_ASSERT_EQUAL_STRING(ahead, shown);
    free(ahead);
    free(hidden);
    free(shown);
}

/* Random batches of all kinds of inputs: a batch that fails leaves the instance as it was, and the next
 * one is stored as if the first had never been. */
static void what_is_taken_back_leaves_nothing_behind(void)
{
    chance dice = {.state = 7};
    for (int run = 0; run < 40; run++) {
        wfsm_instance *one = start("one");
        for (int batch = 0; batch < 12; batch++) {
            char *before = bytes_of(one), *after;
            bool fails = draw(&dice, 2) == 0;
            OK(wfsm_store_batch(store, error));
            for (uint32_t i = draw(&dice, 5); i > 0; i--)
                any_input(one, &dice, 1 + 500 * batch);
            if (batch % 3 > 0) /* now and then a key was unset, which cannot be hidden */
                expect_hidden(one, before);
            gate.fail_at = fails ? gate.commits + 1 : 0;
            gate.answer = WFSM_STORE_FAILED;
            int32_t status = wfsm_store_flush(store, NULL, error);
            gate.fail_at = 0;
            after = bytes_of(one);
            if (status != WFSM_OK)
                TEST_ASSERT_EQUAL_STRING(before, after);
            expect_as_stored(one);
            free(before);
            free(after);
        }
        wfsm_instance_free(one);
        OK(wfsm_store_remove(memory, "one", error));
    }
}

static void what_must_wait_is_busy(void)
{
    wfsm_instance *one = start("one"), *fork = NULL;
    wfsm_engine *engine = NULL;
    int32_t outcome = 0;
    const char *effect = NULL;
    OK(wfsm_engine_new(
        &engine, store,
        &(wfsm_engine_options){.size = sizeof(wfsm_engine_options), .session = "test"}, error));
    TEST_ASSERT_EQUAL_INT32(WFSM_INVALID, wfsm_store_flush(store, NULL, NULL));
    OK(wfsm_store_batch(store, error));
    TEST_ASSERT_EQUAL_INT32(WFSM_BUSY, wfsm_store_batch(store, NULL));
    TEST_ASSERT_EQUAL_INT32(WFSM_BUSY, wfsm_engine_run(engine, 1, NULL));
    OK(wfsm_instance_checkpoint(one, CHECKPOINT("here"), 1, &outcome, error));
    TEST_ASSERT_EQUAL_INT32(WFSM_BUSY,
                            wfsm_instance_restore(one, FROM("here"), 1, &outcome, NULL));
    TEST_ASSERT_EQUAL_INT32(WFSM_BUSY, wfsm_instance_fork(&fork, one, NULL, "two", 1, NULL));
    TEST_ASSERT_EQUAL_INT32(WFSM_BUSY,
                            wfsm_instance_migrate(&one, machine, functions, 1, &outcome, NULL));
    TEST_ASSERT_EQUAL_INT32(WFSM_TAKEN, send(one, "GO", NULL));
    OK(wfsm_instance_result(one,
                            RESULT(first_invocation(one), .output = "{\"ok\":1}", .length = 8),
                            1, &outcome, error));
    TEST_ASSERT_EQUAL_INT32(WFSM_TAKEN, outcome);
    OK(wfsm_instance_next_effect(one, &effect, NULL, NULL, error));
    TEST_ASSERT_NULL(effect);
    OK(wfsm_store_flush(store, NULL, error));
    OK(wfsm_instance_next_effect(one, &effect, NULL, NULL, error));
    TEST_ASSERT_NOT_NULL(effect);
    OK(wfsm_instance_restore(one, FROM("here"), 1, &outcome, error));
    OK(wfsm_engine_run(engine, 1, error));
    expect_as_stored(one);
    wfsm_instance_free(one);
    wfsm_engine_free(engine);
}

static void what_a_freed_instance_gathered_stays(void)
{
    wfsm_instance *one = start("one"), *again = NULL;
    OK(wfsm_store_batch(store, error));
    send(one, "INC", NULL);
    wfsm_instance_free(one);
    OK(wfsm_store_flush(store, NULL, error));
    TEST_ASSERT_EQUAL_UINT64(2, stored("one"));
    OK(wfsm_instance_load(&again, machine, store, functions, "one", error));
    OK(wfsm_store_batch(store, error));
    send(again, "INC", NULL);
    wfsm_instance_free(again); /* and the store is freed with it */
}

/* The script, one input each by itself or so many in a batch: the same state comes of it. */
static char *run_script(size_t batch)
{
    wfsm_store *own = NULL;
    wfsm_instance *one = NULL;
    int32_t outcome = 0;
    OK(wfsm_memory_open(&own, NULL, error));
    OK(wfsm_instance_start(&one, machine, START("one", .store = own, .functions = functions), 0,
                           error));
    for (int line = 0; line < SCRIPT_LENGTH; line++) {
        if (batch > 0 && (size_t)line % batch == 0)
            OK(wfsm_store_batch(own, error));
        int32_t status = run_line(one, line, &outcome, error);
        if (status == WFSM_BUSY) { /* it reads the store */
            OK(wfsm_store_flush(own, NULL, error));
            status = run_line(one, line, &outcome, error);
            OK(wfsm_store_batch(own, error));
        }
        if (batch > 0 && (size_t)line % batch == batch - 1)
            OK(wfsm_store_flush(own, NULL, error));
    }
    if (batch > 0)
        wfsm_store_flush(own, NULL, NULL);
    TEST_ASSERT_EQUAL_UINT64(wfsm_instance_revision(one), wfsm_instance_committed(one));
    char *bytes = bytes_of(one);
    wfsm_instance_free(one);
    wfsm_store_free(own);
    return bytes;
}

static void a_batch_changes_nothing_else(void)
{
    char *alone = run_script(0);
    for (size_t batch = 1; batch <= SCRIPT_LENGTH; batch++) {
        char *together = run_script(batch);
        TEST_ASSERT_EQUAL_STRING(alone, together);
        free(together);
    }
    free(alone);
}

static scarce shortage;

/* Every allocation fails once: the input is refused, and nothing of it is in the batch. */
static void memory_runs_out(void)
{
    const wfsm_allocator allocator = scarce_allocator(&shortage);
    bool hit = true;
    for (uint64_t n = 1; hit; n++) {
        wfsm_store *inner = NULL;
        wfsm_machine *own = NULL;
        wfsm_instance *one = NULL;
        int32_t outcome = 0;
        OK(wfsm_memory_open(&inner, &allocator, error));
        OK(wfsm_machine_load(&own, everything, strlen(everything), NULL, &allocator, error));
        OK(wfsm_instance_start(&one, own, START("one", .store = inner, .functions = functions),
                               0, error));
        shortage.calls = 0;
        shortage.fail_at = n;
        int32_t status = wfsm_store_batch(inner, NULL);
        for (int i = 0; i < 12 && status == WFSM_OK; i++)
            status = wfsm_instance_send(one, EVENT("INC"), 1, &outcome, NULL);
        hit = shortage.calls >= n;
        shortage.fail_at = 0;
        TEST_ASSERT_EQUAL_STRING(hit ? "NO_MEMORY" : "OK", wfsm_status_name(status));
        uint64_t reached = wfsm_instance_revision(one);
        if (status != WFSM_OK && wfsm_store_batch(inner, NULL) == WFSM_OK)
            status = WFSM_OK;
        OK(wfsm_instance_send(one, EVENT("INC"), 1, &outcome, error));
        OK(wfsm_store_flush(inner, NULL, error));
        TEST_ASSERT_EQUAL_UINT64(reached + 1, wfsm_instance_committed(one));
        wfsm_instance_free(one);
        wfsm_store_free(inner);
        wfsm_machine_unref(own);
        TEST_ASSERT_EQUAL_INT64(0, shortage.living);
    }
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(nothing_is_acknowledged_before_the_flush);
    RUN_TEST(an_event_id_counts_within_the_batch);
    RUN_TEST(a_conflict_seals_its_instance_only);
    RUN_TEST(whatever_the_store_answers_they_agree);
    RUN_TEST(what_is_taken_back_leaves_nothing_behind);
    RUN_TEST(what_must_wait_is_busy);
    RUN_TEST(what_a_freed_instance_gathered_stays);
    RUN_TEST(a_batch_changes_nothing_else);
    RUN_TEST(memory_runs_out);
    return UNITY_END() != 0;
}
