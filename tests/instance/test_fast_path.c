/*
 * The fast path and the full step give the same state. The charts are random ones of the kind
 * that the fast path takes, with everything that it must leave alone mixed in. One instance
 * takes the fast path where it can. The other has an observer, which needs records, so each of
 * its steps is made in full.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unity.h>
#include "laws/chance.h"
#include "support.h"
#include "../given.h"

enum { CHARTS = 400, EVENTS = 6, INPUTS = 60, TEXT = 1 << 16 };

typedef struct draft {
    char text[TEXT];
    size_t length;
    chance random;
    int states; /* made so far */
} draft;

static unsigned long fast, full, starts;

void setUp(void)
{
}
void tearDown(void)
{
}

static void put(draft *self, const char *text)
{
    size_t length = strlen(text);
    TEST_ASSERT_LESS_THAN(TEXT, self->length + length);
    memcpy(self->text + self->length, text, length + 1);
    self->length += length;
}

static const char *pick(draft *self, const char *const *list, size_t count)
{
    return list[draw(&self->random, (uint32_t)count)];
}
#define PICK(self, list) pick(self, list, sizeof(list) / sizeof *(list))

static const char *const rules[] = {
    "{\"<\":[{\"var\":\"context.n\"},9]}",
    "{\">=\":[{\"var\":\"context.n\"},{\"var\":\"context.m\"}]}",
    "{\"<\":[1,{\"var\":\"context.n\"},7]}",
    "{\"===\":[{\"var\":\"context.s\"},\"tester\"]}",
    "{\"==\":[{\"var\":\"context.on\"},1]}",
    "{\"!\":[{\"var\":\"context.gone\"}]}",
    "{\"or\":[{\"var\":\"context.on\"},{\">\":[{\"var\":\"context.n\"},3]}]}",
    "{\"and\":[{\"in_state\":\"S1\"},{\"<\":[{\"var\":\"context.n\"},5]}]}",
    "{\"in\":[{\"var\":\"context.n\"},[1,2,3,5,8]]}",
    "{\"some\":[[1,2],{\"==\":[{\"var\":\"\"},{\"var\":\"context.n\"}]}]}",
    "{\"var\":\"event.data.x\"}",
    "{\"throw\":\"no\"}",
    "{\"==\":[{\"cat\":[{\"var\":\"context.n\"},\"\"]},\"3\"]}",
};

static const char *const values[] = {
    "{\"+\":[{\"var\":\"context.n\"},1]}",
    "0",
    "{\"%\":[{\"var\":\"context.n\"},7]}",
    "{\"-\":[{\"var\":\"context.m\"},1]}",
    "{\"/\":[1,{\"var\":\"context.n\"}]}",
    "{\"!\":[{\"var\":\"context.on\"}]}",
    "{\"in_state\":\"S0\"}",
    "{\"in_state\":\"S1\"}",
    "null",
    "\"text\"",
    "{\"cat\":[{\"var\":\"context.s\"},1]}",
    "{\"throw\":\"no\"}",
    "{\"var\":\"context.s\"}",
    "[1,2]",
    "{\"if\":[{\"<\":[{\"var\":\"context.n\"},4]},{\"var\":\"context.m\"},{\"throw\":\"x\"}]}",
};
static const char *const keys[] = {"n", "n", "n", "m", "on", "s", "gone"};

static void put_assign(draft *self)
{
    uint32_t count = 1 + draw(&self->random, draw_percent(&self->random, 10) ? 6 : 2);
    char used[8] = "";
    put(self, "{\"type\":\"assign\",\"params\":{");
    for (uint32_t i = 0; i < count; i++) {
        const char *key = PICK(self, keys);
        if (strchr(used, key[0]))
            continue;
        put(self, used[0] != '\0' ? ",\"" : "\"");
        strncat(used, key, 1);
        put(self, key);
        put(self, "\":");
        put(self, PICK(self, values));
    }
    put(self, "}}");
}

static void put_actions(draft *self, const char *key)
{
    put(self, ",\"");
    put(self, key);
    put(self, "\":");
    if (draw_percent(&self->random, 80)) {
        put_assign(self);
    } else {
        put(self, "[");
        put_assign(self);
        put(self, ",{\"type\":\"raise\",\"params\":{\"event\":\"E1\"}}]");
    }
}

static void put_transition(draft *self)
{
    char target[32];
    put(self, "{\"description\":\"\"");
    if (draw_percent(&self->random, 85)) {
        uint32_t end = draw_percent(&self->random, 3);
        snprintf(target, sizeof target, ",\"target\":\"#S%u\"",
                 end ? 6 : draw(&self->random, 6));
        put(self, target);
        if (draw_percent(&self->random, 10))
            put(self, ",\"reenter\":true");
    }
    if (draw_percent(&self->random, 50)) {
        put(self, ",\"guard\":");
        put(self, PICK(self, rules));
    }
    if (draw_percent(&self->random, 45))
        put_actions(self, "actions");
    put(self, "}");
}

static void put_events(draft *self)
{
    char name[32];
    put(self, "\"on\":{\"unused\":{}");
    for (int i = 0; i < EVENTS; i++) {
        if (draw_percent(&self->random, 40))
            continue;
        bool prefix = draw_percent(&self->random, 4);
        snprintf(name, sizeof name, ",\"%s%d%s\":[", prefix ? "P" : "E", i, prefix ? ".*" : "");
        put(self, name);
        put_transition(self);
        for (uint32_t more = draw(&self->random, 3); more > 0; more--) {
            put(self, ",");
            put_transition(self);
        }
        put(self, "]");
    }
    put(self, "}");
}

/* S0 to S5, and S6, which ends it: the first three are children of the root, each with one child more or none. */
static void put_state(draft *self, int number, int inner)
{
    char name[64];
    snprintf(name, sizeof name, "\"S%d\":{\"id\":\"S%d\",", number, number);
    put(self, name);
    put_events(self);
    if (draw_percent(&self->random, 8))
        put_actions(self, draw_percent(&self->random, 50) ? "entry" : "exit");
    if (draw_percent(&self->random, 4))
        put(self, ",\"after\":{\"5\":\"#S0\"}");
    if (inner >= 0) {
        snprintf(name, sizeof name, ",\"initial\":\"S%d\",\"states\":{", inner);
        put(self, name);
        put_state(self, inner, -1);
        put(self, ",\"end\":{\"type\":\"final\"},\"more\":{}}");
    }
    put(self, "}");
}

static void make(draft *self, uint64_t seed)
{
    memset(self, 0, sizeof *self);
    self->random = (chance){seed};
    put(self, "{\"id\":\"q\",\"context\":{\"n\":0,\"m\":4,\"on\":true,\"s\":\"tester\"},"
              "\"initial\":\"S0\",");
    put_events(self);
    put(self, ",\"states\":{");
    for (int i = 0; i < 3; i++) {
        put_state(self, i, draw_percent(&self->random, 60) ? i + 3 : -1);
        put(self, ",");
        if (!strstr(self->text, i == 0 ? "\"S3\":" : i == 1 ? "\"S4\":" : "\"S5\":")) {
            put_state(self, i + 3, -1);
            put(self, ",");
        }
    }
    put(self, "\"done\":{\"id\":\"S6\",\"type\":\"final\"}}}");
}

/* ---- both ways ---- */

static int32_t listen(void *user, wfsm_call *call)
{
    (void)user;
    (void)call;
    return WFSM_OK;
}

static void expect_same(const wfsm_instance *one, const wfsm_instance *two,
                        const char *document)
{
    char *left = bytes_of(one), *right = bytes_of(two);
    TEST_ASSERT_EQUAL_STRING_MESSAGE(right, left, document);
    free(left);
    free(right);
}

static void send_both(wfsm_instance *one, wfsm_instance *two, const char *name, int64_t now,
                      const char *document)
{
    int32_t left = WFSM_TAKEN, right = 0;
    int32_t number = wfsm_machine_event(wfsm_instance_machine(one), name);
    bool done = wfsm_instance_status(one) == WFSM_RUNNING && number >= 0 &&
                wf_fast_event(&one->snapshot, (uint32_t)number, now);
    if (!done)
        TEST_ASSERT_EQUAL_INT32(WFSM_OK,
                                wfsm_instance_send(one, EVENT(name), now, &left, NULL));
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wfsm_instance_send(two, EVENT(name), now, &right, NULL));
    fast += done;
    full += !done && right == WFSM_TAKEN;
    TEST_ASSERT_EQUAL_INT32_MESSAGE(right, left, document);
    TEST_ASSERT_EQUAL_UINT64_MESSAGE(wfsm_instance_revision(two), wfsm_instance_revision(one),
                                     document);
    expect_same(one, two, document);
}

/* A start with an empty input is made in full. */
static void expect_start(const wfsm_instance *started, const char *document)
{
    wfsm_instance *other = NULL;
    wfsm_machine *machine = started->snapshot.machine;
    TEST_ASSERT_EQUAL_INT32(
        WFSM_OK, wfsm_instance_start(&other, machine, START("one", .input = "{}", .length = 2),
                                     0, NULL));
    expect_same(other, started, document);
    starts += machine->fast_start != 0;
    wfsm_instance_free(other);
}

static void run_chart(uint64_t seed)
{
    static draft made;
    wfsm_machine *machine = NULL;
    wfsm_instance *one = NULL, *two = NULL;
    wfsm_error *error = wfsm_error_new(NULL);
    make(&made, seed);
    if (wfsm_machine_load(&machine, made.text, made.length, NULL, NULL, error))
        TEST_FAIL_MESSAGE(wfsm_error_message(error));
    wfsm_instance_start(&one, machine, START("one"), 0, error);
    if (wfsm_instance_start(&two, machine, START("one"), 0, error) == WFSM_OK)
        wfsm_instance_observe(two, listen, NULL);
    if (two)
        expect_start(two, made.text);
    for (int i = 0; i < INPUTS && two; i++) { /* some do not start */
        char name[8];
        bool prefixed = draw_percent(&made.random, 5);
        snprintf(name, sizeof name, prefixed ? "P%u.x" : "E%u", draw(&made.random, EVENTS));
        send_both(one, two, name, draw(&made.random, 100), made.text);
    }
    wfsm_instance_free(one);
    wfsm_instance_free(two);
    wfsm_machine_unref(machine);
    wfsm_error_free(error);
}

static void both_give_the_same_state(void)
{
    for (uint64_t seed = 1; seed <= CHARTS; seed++)
        run_chart(seed);
    printf("%lu transitions by the fast path, %lu in full\n", fast, full);
    TEST_ASSERT_GREATER_THAN(100, starts);
    TEST_ASSERT_GREATER_THAN(2000, fast);
    TEST_ASSERT_GREATER_THAN(2000, full);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(both_give_the_same_state);
    return UNITY_END() != 0;
}
