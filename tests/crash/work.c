#include "crash/work.h"
#include "crash/batch.h"

#include <stdlib.h>
#include <string.h>
#include <unity.h>

enum { ROUNDS = 4, MOST_RUNS = 400 };

static const char *const ids[WORK_INSTANCES] = {"batch", "left", "right"};
static const char input[] = "{\"events\":4,\"posts\":4,\"ticks\":3}";

static char *read_whole(const char *path)
{
    FILE *file = fopen(path, "rb");
    TEST_ASSERT_NOT_NULL_MESSAGE(file, path);
    char *text = calloc(1, 100000);
    TEST_ASSERT_NOT_NULL(text);
    TEST_ASSERT_LESS_THAN_size_t(99999, fread(text, 1, 99999, file));
    fclose(file);
    return text;
}

void work_new(work *self, const char *path)
{
    char *text = read_whole(path);
    *self = (work){.patience = 1};
    TEST_ASSERT_EQUAL_INT32(
        WFSM_OK, wfsm_machine_load(&self->machine, text, strlen(text), NULL, NULL, NULL));
    free(text);
}

void work_reset(work *self)
{
    told_clear(&self->told);
    self->now = self->real = 1000;
    self->in_flight = 1;
    self->failures = 0;
    self->status = WFSM_OK;
    self->ended = false;
}

void work_free(work *self)
{
    told_clear(&self->told);
    wfsm_machine_unref(self->machine);
}

static int32_t note_commit(void *user, wfsm_call *call)
{
    char line[TOLD_LINE];
    work *self = user;
    told_commit_line(line, call);
    told_add(&self->told, line);
    return WFSM_OK;
}

static int32_t deliver(void *user, wfsm_call *call)
{
    char line[TOLD_LINE];
    work *self = user;
    told_effect_line(line, call);
    told_add(&self->told, line);
    return WFSM_OK;
}

/* An answer for which there was no memory is none; returning that would be a failure of
 * the agent, and the machine does not try those again. */
static int32_t flaky(void *user, wfsm_call *call)
{
    int32_t status = WFSM_NO_MEMORY;
    (void)user;
    while (status == WFSM_NO_MEMORY)
        status = wfsm_call_attempt(call) < 3 ? wfsm_call_failed(call, "network", "no route")
                                             : wfsm_call_done(call, "{\"n\":7}", 7);
    return status;
}

static int32_t steady(void *user, wfsm_call *call)
{
    int32_t status = WFSM_NO_MEMORY;
    (void)user;
    while (status == WFSM_NO_MEMORY)
        status = wfsm_call_done(call, "{\"n\":5}", 7);
    return status;
}

/* True while the host may continue. */
static bool may_continue(work *self, int32_t status)
{
    if (!status)
        return true;
    self->failures++;
    self->status = status;
    if (self->failed)
        self->failed(status);
    return --self->patience > 0;
}

static bool known(int32_t *status, int32_t as_good)
{
    if (*status == as_good)
        *status = WFSM_OK;
    return !*status;
}

/* Asks again until the answer is a good one. */
#define UNTIL_GOOD(self, status, call)                                                         \
    do {                                                                                       \
        status = (call);                                                                       \
        if (!may_continue(self, status))                                                       \
            return status;                                                                     \
    } while (status)

static void tell(work *self, const char *word, const char *instance, const char *id)
{
    char line[TOLD_LINE];
    told_id_line(line, word, instance, id);
    told_add(&self->told, line);
}

enum { DAY = 86400000, HOUR = DAY / 24 };

/* A clock that jumps, too, gets ahead in the end. */
static void pass_time(work *self, int64_t ms)
{
    self->real += self->jumps ? HOUR : ms;
    self->now = self->real;
    if (!self->jumps)
        return;
    self->jumps = self->jumps * 1664525u + 1013904223u;
    self->now += (int64_t)(self->jumps >> 8) % (2 * DAY) - DAY;
    if (self->now < 0)
        self->now = 0;
}

static int32_t start_or_adopt(wfsm_engine *engine, const char *id, int64_t now)
{
    int32_t status = wfsm_engine_start(engine, "work", id, input, strlen(input), now, NULL);
    return status == WFSM_EXISTS ? wfsm_engine_adopt(engine, id, now, NULL) : status;
}

static int32_t start_all(work *self, wfsm_engine *engine)
{
    int32_t status;
    for (size_t i = 0; i < WORK_INSTANCES; i++)
        UNTIL_GOOD(self, status, start_or_adopt(engine, ids[i], self->now));
    return WFSM_OK;
}

static int32_t send_one(work *self, wfsm_engine *engine, const char *instance, int n)
{
    char id[16], data[32];
    int32_t outcome = 0, status;
    snprintf(id, sizeof id, "e%d", n);
    snprintf(data, sizeof data, "{\"n\":%d}", n + 1);
    UNTIL_GOOD(self, status,
               wfsm_engine_send(engine, instance, "add", id, data, strlen(data), self->now,
                                &outcome, NULL));
    /* It was taken now or before: none ends without all its events. */
    TEST_ASSERT_TRUE(outcome == WFSM_TAKEN || outcome == WFSM_DUPLICATE ||
                     outcome == WFSM_ENDED);
    tell(self, "event", instance, id);
    return WFSM_OK;
}

static int32_t post_again(wfsm_store *store, const char *instance, const char *id,
                          const char *data, int64_t now)
{
    int32_t status =
        wfsm_store_post(store, instance, "letter", id, data, strlen(data), now, NULL);
    known(&status, WFSM_EXISTS);
    return status;
}

static int32_t post_one(work *self, wfsm_store *store, const char *instance, int n)
{
    char id[16], data[32];
    int32_t status;
    snprintf(id, sizeof id, "p%d", n);
    snprintf(data, sizeof data, "{\"n\":%d}", (n + 1) * 100);
    UNTIL_GOOD(self, status, post_again(store, instance, id, data, self->now));
    tell(self, "post", instance, id);
    return WFSM_OK;
}

static int32_t have_checkpoint(void *user, const wfsm_row *row)
{
    *(bool *)user |= !strcmp(row->id, "middle");
    return WFSM_OK;
}

static int32_t checkpoint_once(work *self, wfsm_store *store, wfsm_engine *engine,
                               const char *instance)
{
    bool there = false;
    int32_t outcome;
    int32_t status = wfsm_store_checkpoints(store, instance, have_checkpoint, &there, NULL);
    if (!status && !there)
        status = wfsm_engine_checkpoint(engine, instance, "middle", NULL, 0, self->now,
                                        &outcome, NULL);
    return status;
}

/* The batch has its events already. */
static int32_t one_round(work *self, wfsm_store *store, wfsm_engine *engine, int n)
{
    int32_t status = WFSM_OK;
    for (size_t i = 0; !status && i < WORK_INSTANCES; i++) {
        if (i)
            status = send_one(self, engine, ids[i], n);
        if (!status)
            status = post_one(self, store, ids[i], n);
        if (!status && n == 1)
            UNTIL_GOOD(self, status, checkpoint_once(self, store, engine, ids[i]));
    }
    if (!status)
        UNTIL_GOOD(self, status, wfsm_engine_run(engine, self->now, NULL));
    pass_time(self, 2);
    return status;
}

static bool all_ended(wfsm_engine *engine)
{
    for (size_t i = 0; i < WORK_INSTANCES; i++) {
        const wfsm_instance *instance = wfsm_engine_instance(engine, ids[i]);
        if (!instance || wfsm_instance_status(instance) == WFSM_RUNNING)
            return false;
    }
    return true;
}

static int32_t adopt_again(wfsm_engine *engine, int64_t now)
{
    int32_t status = wfsm_engine_adopt_all(engine, now, NULL, NULL);
    return status ? status : wfsm_engine_run(engine, now, NULL);
}

/* Once more at the end: effects that failed to be acknowledged. */
static int32_t to_the_end(work *self, wfsm_engine *engine)
{
    int32_t status;
    for (int i = 0; i < MOST_RUNS && !self->ended; i++) {
        UNTIL_GOOD(self, status, adopt_again(engine, self->now));
        self->ended = all_ended(engine);
        pass_time(self, 1);
    }
    do
        UNTIL_GOOD(self, status, wfsm_engine_run(engine, self->now, NULL));
    while (wfsm_engine_deadline(engine) <= self->now);
    TEST_ASSERT_TRUE_MESSAGE(self->ended, "the work does not end");
    return WFSM_OK;
}

static int32_t drive(work *self, wfsm_store *store, wfsm_engine *engine, int rounds)
{
    int32_t status;
    self->in_flight = WORK_BATCH;
    UNTIL_GOOD(self, status, batch_write(self, store, ids[0], input));
    self->in_flight = 1;
    status = start_all(self, engine);
    for (int n = 0; !status && n < (rounds ? rounds : ROUNDS); n++)
        status = one_round(self, store, engine, n);
    return status || rounds ? status : to_the_end(self, engine);
}

static int32_t furnish(work *self, wfsm_engine *engine)
{
    int32_t status;
    UNTIL_GOOD(self, status, wfsm_engine_add_machine(engine, self->machine, NULL));
    UNTIL_GOOD(self, status, wfsm_engine_add_agent(engine, "flaky", flaky, NULL, NULL));
    UNTIL_GOOD(self, status, wfsm_engine_add_agent(engine, "steady", steady, NULL, NULL));
    UNTIL_GOOD(self, status, wfsm_engine_observe(engine, note_commit, self, NULL));
    UNTIL_GOOD(self, status, wfsm_engine_on_effect(engine, deliver, self, NULL));
    return WFSM_OK;
}

int32_t work_run(work *self, wfsm_store *store, int rounds)
{
    wfsm_engine *engine;
    const wfsm_engine_options options = {
        .size = sizeof options, .session = "host", .allocator = self->allocator};
    int32_t status;
    UNTIL_GOOD(self, status, wfsm_store_remove_owner(store, "host", NULL)); /* it has crashed */
    UNTIL_GOOD(self, status, wfsm_engine_new(&engine, store, &options, NULL));
    status = furnish(self, engine);
    if (!status)
        status = drive(self, store, engine, rounds);
    wfsm_engine_free(engine);
    return status;
}

static int32_t add_context(wfsm_store *store, const char *id, char *out, size_t room)
{
    wfsm_instance *instance;
    size_t length = strlen(out), size;
    int32_t status = wfsm_instance_load(&instance, NULL, store, NULL, id, NULL);
    if (status)
        return status;
    const char *context = wfsm_instance_context(instance, &size);
    snprintf(out + length, room - length, "%s: %.*s, %s\n", id, (int)size, context,
             wfsm_status_name(wfsm_instance_status(instance)));
    wfsm_instance_free(instance);
    return WFSM_OK;
}

char *work_answer(wfsm_store *store)
{
    char *out = calloc(1, 4000);
    TEST_ASSERT_NOT_NULL(out);
    for (size_t i = 0; i < WORK_INSTANCES; i++)
        if (add_context(store, ids[i], out, 4000))
            *out = '\0';
    return out;
}
