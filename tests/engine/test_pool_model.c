/*
 * Random requests, ends, cancels and crashes, compared with a small model: a list of requests
 * and a loop that starts the most urgent one for which there is room. After every round both
 * have the same requests at work. The arguments are the first seed and a count.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../laws/chance.h"
#include "world.h"

enum { SLOTS = 5, GROUP_MOST = 2, AGENT_MOST = 3, PROMOTE = 100, STEPS = 120, MOST = 1000 };
enum state { WAITING, WORKING, OVER };

typedef struct request {
    char id[60];
    int agent, group, priority; /* group 0: none */
    int64_t since;
    enum state state;
    bool in_hands; /* what the agent thinks */
    int batch, answer; /* answer -1: an error */
} request;

static request list[MOST];
static int count, batches, ended, starts, restarts;
static int64_t now;
static wfsm_engine *engine;
static chance dice;
static char events[200];

void setUp(void)
{
}

void tearDown(void)
{
}

/* ---- the agents ---- */

static request *find(const char *id)
{
    for (int i = 0; i < count; i++)
        if (strcmp(list[i].id, id) == 0)
            return &list[i];
    TEST_FAIL_MESSAGE(id);
    return NULL;
}

static int32_t on_start(void *user, wfsm_call *call)
{
    request *self = find(wfsm_call_id(call));

    (void)user;
    TEST_ASSERT_FALSE_MESSAGE(self->in_hands, "started twice");
    TEST_ASSERT_NOT_EQUAL_INT_MESSAGE(OVER, self->state, "started after its end");
    self->in_hands = true;
    starts++;
    return WFSM_OK;
}

static int32_t on_cancel(void *user, wfsm_call *call)
{
    (void)user;
    find(wfsm_call_id(call))->in_hands = false;
    return WFSM_OK;
}

/* What was claimed but never begun waits again, from now on. */
static int32_t on_probe(void *user, wfsm_call *call)
{
    request *self = find(wfsm_call_id(call));

    (void)user;
    if (self->in_hands)
        return WFSM_OK;
    self->since = now;
    self->state = WAITING;
    return wfsm_call_gone(call);
}

/* ---- the model ---- */

static int64_t urgency(const request *self)
{
    return self->since + (1 - self->priority) * PROMOTE;
}

static bool before(const request *a, const request *b)
{
    if (urgency(a) != urgency(b))
        return urgency(a) < urgency(b);
    return a->priority != b->priority ? a->priority > b->priority : a < b;
}

static bool has_room(const request *self)
{
    int group = 0, agent = 0, all = 0;

    for (int i = 0; i < count; i++) {
        if (list[i].state != WORKING)
            continue;
        all++;
        group += self->group > 0 && list[i].group == self->group;
        agent += self->agent == 0 && list[i].agent == 0;
    }
    return all < SLOTS && group < GROUP_MOST && agent < AGENT_MOST;
}

static void model_run(void)
{
    for (;;) {
        request *best = NULL;

        for (int i = 0; i < count; i++) {
            request *self = &list[i];

            if (self->state == WAITING && has_room(self) && (!best || before(self, best)))
                best = self;
        }
        if (!best)
            return;
        best->state = WORKING;
    }
}

static void compare(void)
{
    size_t working = 0, waiting = 0;
    char what[300];

    for (int i = 0; i < count; i++) {
        snprintf(what, sizeof what, "%.29s after %.200s", list[i].id, events);
        TEST_ASSERT_EQUAL_INT_MESSAGE(list[i].state == WORKING, list[i].in_hands, what);
        working += list[i].state == WORKING;
        waiting += list[i].state == WAITING;
    }
    TEST_ASSERT_EQUAL_size_t_MESSAGE(working, wfsm_engine_working(engine), events);
    TEST_ASSERT_EQUAL_size_t_MESSAGE(waiting, wfsm_engine_waiting(engine), events);
}

/* ---- what happens ---- */

static void open_engine(void)
{
    wfsm_engine_options options = {.size = sizeof options,
                                   .session = "one",
                                   .lapse_ms = 1000000,
                                   .slots = SLOTS,
                                   .promote_ms = PROMOTE};
    wfsm_agent agent = {
        .size = sizeof agent, .start = on_start, .cancel = on_cancel, .probe = on_probe};

    OK(wfsm_store_remove_owner(store, "one",
                               error)); /* it has crashed, and the host knows it */
    OK(wfsm_engine_new(&engine, store, &options, error));
    OK(wfsm_engine_add_agent_full(engine, "a", &agent, error));
    OK(wfsm_engine_add_agent_full(engine, "b", &agent, error));
    OK(wfsm_engine_limit(engine, WFSM_POOL_GROUP, NULL, GROUP_MOST, error));
    OK(wfsm_engine_limit(engine, WFSM_POOL_AGENT, "a", AGENT_MOST, error));
}

static int write_request(char *out, size_t size, const request *self, const char *comma)
{
    static const char *const priorities[] = {"\"low\"", "\"normal\"", "\"high\""};
    char group[20] = "null";

    if (self->group > 0)
        snprintf(group, sizeof group, "\"g%d\"", self->group);
    return snprintf(out, size, "%s{\"agent\":\"%c\",\"priority\":%s,\"group\":%s}", comma,
                    'a' + self->agent, priorities[self->priority + 1], group);
}

static void spawn(void)
{
    char requests[1000] = "[", id[20];
    size_t used = 1;
    int first = count;

    snprintf(id, sizeof id, "b%d", batches);
    for (int n = 1 + (int)draw(&dice, 4); n > 0; n--) {
        request *self = &list[count++];

        *self = (request){.agent = (int)draw(&dice, 2),
                          .group = (int)draw(&dice, 4),
                          .priority = (int)draw(&dice, 3) - 1,
                          .since = now,
                          .batch = batches};
        snprintf(self->id, sizeof self->id, "%s/1/%d", id, count - first);
        used += (size_t)write_request(requests + used, sizeof requests - used, self,
                                      count - first > 1 ? "," : "");
    }
    requests[used++] = ']';
    OK(wfsm_engine_spawn(engine, id, requests, used, now, error));
    for (int i = first; i < count; i++)
        snprintf(list[i].id, sizeof list[i].id, "%s", IDS(list[i].id));
    batches++;
}

static request *any(bool waiting_too)
{
    for (int tries = 0; count > 0 && tries < 50; tries++) {
        request *self = &list[draw(&dice, (uint32_t)count)];

        if (self->state == WORKING || (waiting_too && self->state == WAITING))
            return self;
    }
    return NULL;
}

/* The results of a batch are those of its requests, in their order. */
static void check_batch(int batch)
{
    char id[20], expected[600] = "[";
    size_t used = 1;

    for (int i = 0; i < count; i++) {
        if (list[i].batch == batch && list[i].state != OVER)
            return;
    }
    for (int i = 0; i < count; i++) {
        if (list[i].batch == batch && list[i].answer >= 0)
            used += (size_t)snprintf(expected + used, sizeof expected - used,
                                     "%s{\"output\":%d}", used > 1 ? "," : "", list[i].answer);
        else if (list[i].batch == batch)
            used += (size_t)snprintf(expected + used, sizeof expected - used,
                                     "%s{\"error\":{\"class\":\"%s\"", used > 1 ? "," : "",
                                     list[i].answer == -1 ? "exit" : "canceled");
        /* what follows in an error is not compared: cut there */
        if (list[i].batch == batch && list[i].answer < 0)
            break;
    }
    snprintf(id, sizeof id, "b%d", batch);
    TEST_ASSERT_EQUAL_STRING_LEN(
        expected, wfsm_instance_output(wfsm_engine_instance(engine, id), NULL), used);
    ended++;
}

static void end(request *self, int how)
{
    char text[20];
    int32_t outcome = 0;

    if (!self)
        return;
    self->answer = how < 0 ? how : (int)(self - list);
    snprintf(text, sizeof text, "%d", self->answer);
    if (how == -2)
        OK(wfsm_engine_cancel(engine, self->id, NULL, now, &outcome, error));
    else if (how == -1)
        OK(wfsm_engine_failure(engine, self->id, "exit", "", now, &outcome, error));
    else
        OK(wfsm_engine_result(engine, self->id, text, strlen(text), now, &outcome, error));
    self->state = OVER;
    if (how != -2)
        self->in_hands = false;
    check_batch(self->batch);
}

static void crash(void)
{
    size_t adopted = 0;

    wf_engine_abandon(engine);
    open_engine();
    OK(wfsm_engine_adopt_all(engine, now, &adopted, error));
    for (int i = 0; i < count; i++) /* the next one does not know that it was canceled */
        list[i].in_hands = list[i].in_hands && list[i].state != OVER;
    restarts++;
}

static void one_step(int step)
{
    uint32_t what = draw(&dice, 100);

    now += 1 + draw(&dice, 40);
    snprintf(events, sizeof events, "step %d (%u) at %d", step, what, (int)now);
    if (what < 35)
        spawn();
    else if (what < 70)
        end(any(false), 0);
    else if (what < 78)
        end(any(false), -1);
    else if (what < 88)
        end(any(true), -2);
    else
        crash();
    if (draw_percent(&dice, 15)) /* it dies before it can begin what it has claimed */
        crash();
    run(engine, now);
    model_run();
    compare();
}

static void run_seed(uint64_t seed)
{
    world_open();
    dice = (chance){seed};
    count = batches = 0;
    now = 0;
    memset(list, 0, sizeof list);
    open_engine();
    for (int step = 0; step < STEPS && count < MOST - 4; step++)
        one_step(step);
    for (int i = 0; i < count; i++) { /* the rest comes through as well */
        request *self = any(false);

        end(self, 0);
        run(engine, ++now);
        model_run();
        compare();
    }
    TEST_ASSERT_EQUAL_size_t(0, wfsm_engine_working(engine) + wfsm_engine_waiting(engine));
    TEST_ASSERT_TRUE(wfsm_engine_idle(engine));
    wf_engine_abandon(engine);
    world_close();
}

static uint64_t first_seed = 1;
static int seeds = 30;

static void the_pool_is_as_the_model_says(void)
{
    for (int i = 0; i < seeds; i++)
        run_seed(first_seed + (uint64_t)i);
    TEST_ASSERT_GREATER_THAN_INT(seeds * 20, starts);
    TEST_ASSERT_GREATER_THAN_INT(seeds * 5, restarts);
    TEST_ASSERT_GREATER_THAN_INT(seeds * 5, ended);
}

int main(int argc, char **argv)
{
    if (argc > 2) {
        first_seed = strtoull(argv[1], NULL, 10);
        seeds = atoi(argv[2]);
    }
    UNITY_BEGIN();
    RUN_TEST(the_pool_is_as_the_model_says);
    return UNITY_END() != 0;
}
