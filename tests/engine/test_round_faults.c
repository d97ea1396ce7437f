/*
 * Rounds over a store that answers some chains of a round (the commits of one instance) with FAILED,
 * EXISTS, CONFLICT or UNKNOWN, stored or not, and the others with OK. The same random inputs come
 * as posts, as sends while a round is out, and as rounds of one. Nothing is lost or done twice,
 * nobody is told anything that is not stored, the audit is clean, and in the end everything is as
 * without faults. The same checks find violations on stores that answer OK and write later, or not
 * at all.
 *
 * The arguments are the first seed and a count.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <wfsm/testkit.h>
#include "../laws/chance.h"
#include "store/store.h"
#include "world.h"

enum { INSTANCES = 5, STEPS = 60, COMMITS = 1000, LINE = 120, LINES = 2000, ENTRIES = 40 };
enum answer { NO_FAULT, NOT_STORED, KNOWN, OVERTAKEN, LOST_BEFORE, LOST_AFTER, ANSWERS, LIE };

/* Counts `add` all the while. Works with agent a, whose first attempt fails, then has a child that
 * works with agent b, and ends when it is told. The order of what happens at the same time makes no
 * difference in the end. */
static const char machine[] =
    "{\"wfsm\":1,\"id\":\"m\",\"initial\":\"wait\",\"context\":{\"n\":0,\"got\":null},"
    "\"on\":{\"add\":{\"actions\":[{\"type\":\"assign\",\"params\":{\"n\":{\"+\":["
    "{\"var\":\"context.n\"},1]}}},{\"type\":\"emit\",\"params\":{\"event\":\"added\"}}]}},"
    "\"states\":{\"wait\":{\"after\":{\"100\":\"work\"}},"
    "\"work\":{\"invoke\":{\"src\":\"a\",\"retry\":[{\"errors\":[\"network\"],"
    "\"maxAttempts\":3,\"intervalMs\":500}],\"onDone\":{\"target\":\"slow\",\"actions\":{"
    "\"type\":\"assign\",\"params\":{\"got\":{\"var\":\"event.data\"}}}}}},"
    "\"slow\":{\"invoke\":{\"src\":\"machine:kid\",\"onDone\":\"ready\"}},"
    "\"ready\":{\"entry\":{\"type\":\"emit\",\"params\":{\"event\":\"hello\"}},"
    "\"on\":{\"finish\":\"end\"}},"
    "\"end\":{\"type\":\"final\",\"entry\":{\"type\":\"emit\",\"params\":{\"event\":\"bye\"}}}}}";
static const char kid[] =
    "{\"wfsm\":1,\"id\":\"kid\",\"initial\":\"ask\",\"states\":{"
    "\"ask\":{\"invoke\":{\"src\":\"b\",\"onDone\":\"told\"}},"
    "\"told\":{\"type\":\"final\",\"entry\":{\"type\":\"emit\",\"params\":{"
    "\"event\":\"told\"}}}}}";

static wfsm_store *memory, *wrapped;
static wfsm_testkit_plan plan;
static wfsm_engine *engine;
static int64_t now;
static int inputs; /* ids so far */
static bool answering; /* agent b */

/* How the store answers. The faults have random numbers of their own, so that the inputs are the
 * same with and without them. */
static struct {
    chance dice;
    uint32_t percent; /* of the chains with a fault */
    bool lies; /* such a chain is answered with OK, but not written */
    bool one; /* a round of one: EXISTS would say that the input is known, as it would say of a
                 start that the instance is there */
    long counts[LIE + 1], mixed, acks;
} gate;

static struct {
    int count;
    char first[400];
} violations;

static char lines[LINES][LINE]; /* the calls and answers of a run, without their times */
static int line_count;

static struct {
    char id[LINE];
    uint64_t revision; /* that the observer was told of last */
} observed[ENTRIES];

static void violated(const char *what, const char *id)
{
    if (violations.count++ == 0)
        snprintf(violations.first, sizeof violations.first, "%s: %.200s", what, id);
}

static void happened(const char *what, const char *id, const char *name, int number)
{
    if (line_count == LINES) {
        violated("there is no end of it", id);
        return;
    }
    snprintf(lines[line_count++], LINE, "%.2s%s %s %.40s %d", id, strchr(id, '/') ? "+" : "",
             what, name, number);
}

/* ---- the store ---- */

static int choose_answer(const wfsm_commit *first)
{
    int answer = NO_FAULT;

    if (draw_percent(&gate.dice, gate.percent))
        answer = gate.lies ? LIE : 1 + (int)draw(&gate.dice, ANSWERS - 1);
    if (answer == KNOWN && (gate.one || first->base == 0))
        answer = NOT_STORED;
    gate.counts[answer]++;
    return answer;
}

/* All commits of an instance have one answer. */
static void choose_answers(const wfsm_commit *const *commits, size_t count, int *chosen)
{
    bool good = false, bad = false;

    for (size_t i = 0; i < count; i++) {
        size_t k = 0;

        while (strcmp(commits[k]->instance, commits[i]->instance) != 0)
            k++;
        chosen[i] = k < i ? chosen[k] : choose_answer(commits[i]);
        good |= chosen[i] == NO_FAULT;
        bad |= chosen[i] != NO_FAULT;
    }
    gate.mixed += good && bad;
}

static bool is_written(int answer)
{
    return answer == NO_FAULT || answer == LOST_AFTER;
}

static int32_t commit(void *self, const wfsm_commit *const *commits, size_t count,
                      int32_t *answers, wfsm_error *why)
{
    static const int32_t statuses[] = {
        [NOT_STORED] = WFSM_STORE_FAILED,  [KNOWN] = WFSM_EXISTS,
        [OVERTAKEN] = WFSM_CONFLICT,       [LOST_BEFORE] = WFSM_STORE_UNKNOWN,
        [LOST_AFTER] = WFSM_STORE_UNKNOWN, [LIE] = WFSM_OK};
    const wfsm_commit *kept[COMMITS];
    int32_t given[COMMITS];
    int chosen[COMMITS];
    size_t n = 0, k = 0;
    int32_t status = WFSM_OK;

    TEST_ASSERT_LESS_OR_EQUAL_size_t(COMMITS, count);
    choose_answers(commits, count, chosen);
    for (size_t i = 0; i < count; i++)
        if (is_written(chosen[i]))
            kept[n++] = commits[i];
    if (n > 0)
        status = wrapped->vtable.commit(self, kept, n, given, why);
    for (size_t i = 0; i < count; i++) {
        answers[i] = chosen[i] == NO_FAULT ? given[k] : statuses[chosen[i]];
        k += is_written(chosen[i]);
    }
    return status;
}

/* Effects are acknowledged before the commits of an exchange. If that fails, so do all of them. */
static int32_t acknowledge(void *self, const char *instance, uint64_t effect, wfsm_error *why)
{
    bool fails = !gate.lies && draw_percent(&gate.dice, gate.percent / 10);
    bool done = !fails || draw_percent(&gate.dice, 50);
    int32_t status =
        done ? wrapped->vtable.acknowledge(self, instance, effect, why) : WFSM_STORE_FAILED;

    gate.acks += fails;
    return fails ? WFSM_STORE_FAILED : status;
}

/* An exchange reads it after its commits. A store that is early must not write them only for this. */
static int32_t read_inbox(void *self, const char *instance, uint64_t limit, wfsm_row_sink sink,
                          void *user, wfsm_error *why)
{
    (void)self;
    return memory->vtable.inbox(memory->self, instance, limit, sink, user, why);
}

/* ---- who is told, and whether it is stored ---- */

static void check_intent(wfsm_call *call, bool wanted)
{
    wfsm_instance *stored = NULL;
    const wf_invocation *found = NULL;

    if (wfsm_instance_load(&stored, NULL, memory, NULL, wfsm_call_instance(call), NULL) ==
        WFSM_OK)
        found = wf_instance_find_invocation(stored, wfsm_call_id(call));
    if (wanted != (found && found->status == WF_RUNNING &&
                   (int32_t)found->attempt == wfsm_call_attempt(call)))
        violated(wanted ? "started without a claim" : "canceled while it is wanted",
                 wfsm_call_id(call));
    wfsm_instance_free(stored);
}

typedef struct search {
    const char *text;
    bool whole; /* it is all of the record */
    int found;
} search;

static int32_t look(void *user, const wfsm_row *row)
{
    search *self = user;

    self->found += self->whole ? strcmp(row->text, self->text) == 0
                               : strstr(row->text, self->text) != NULL;
    return WFSM_OK;
}

static bool is_stored(const char *instance, uint64_t from, uint64_t to, const char *text,
                      bool whole)
{
    search self = {text, whole, 0};

    return wfsm_store_records(memory, instance, from, to, look, &self, NULL) == WFSM_OK &&
           self.found == 1;
}

static int32_t on_effect(void *user, wfsm_call *call)
{
    const char *id = wfsm_call_id(call), *work = id + strlen(wfsm_call_instance(call));
    uint64_t revision = 0, incarnation = 0;
    uint32_t ordinal = 0;
    char text[LINE];

    (void)user;
    TEST_ASSERT_EQUAL_INT(3, sscanf(work, "/%" SCNu64 "/%" SCNu32 "-%" SCNu64, &revision,
                                    &ordinal, &incarnation));
    snprintf(text, sizeof text,
             "\"revision\":%" PRIu64 ",\"ordinal\":%" PRIu32 ",\"incarnation\":%" PRIu64
             ",\"emit\"",
             revision, ordinal, incarnation);
    if (!is_stored(wfsm_call_instance(call), revision, revision, text, false))
        violated("delivered without its commit", id);
    happened("effect", id, wfsm_call_name(call), 0);
    return WFSM_OK;
}

static uint64_t *last_of(const char *id)
{
    int i = 0;

    while (observed[i].id[0] && strcmp(observed[i].id, id) != 0)
        i++;
    TEST_ASSERT_LESS_THAN_INT(ENTRIES, i);
    strcpy(observed[i].id, id);
    return &observed[i].revision;
}

static int32_t on_commit(void *user, wfsm_call *call)
{
    const char *record = wfsm_call_record(call, NULL), *id = wfsm_call_instance(call);
    uint64_t revision = 0, *last = last_of(id);

    (void)user;
    sscanf(strstr(record, "\"revision\":"), "\"revision\":%" SCNu64, &revision);
    if (!is_stored(id, revision, revision, record, true))
        violated("observed without its commit", id);
    if (revision <= *last)
        violated("observed twice", id);
    *last = revision;
    return WFSM_OK;
}

static int32_t on_start(void *user, wfsm_call *call)
{
    (void)user;
    check_intent(call, true);
    happened("start", wfsm_call_instance(call), wfsm_call_name(call), wfsm_call_attempt(call));
    if (wfsm_call_name(call)[0] == 'b')
        return WFSM_OK;
    return wfsm_call_attempt(call) == 1 ? wfsm_call_failed(call, "network", "no route")
                                        : wfsm_call_done(call, "7", 1);
}

static int32_t on_poll(void *user, wfsm_call *call)
{
    (void)user;
    return answering ? wfsm_call_done(call, "8", 1) : WFSM_OK;
}

static int32_t on_cancel(void *user, wfsm_call *call)
{
    (void)user;
    check_intent(call, false);
    happened("cancel", wfsm_call_instance(call), wfsm_call_name(call), wfsm_call_attempt(call));
    return WFSM_OK;
}

/* The engine has claimed it itself, and knows whether it was begun. */
static int32_t on_probe(void *user, wfsm_call *call)
{
    (void)user;
    violated("probed", wfsm_call_id(call));
    return wfsm_call_gone(call);
}

static int32_t on_lost(void *user, wfsm_call *call)
{
    (void)user;
    violated("lost", wfsm_call_instance(call));
    return WFSM_OK;
}

/* ---- what the host does ---- */

static void open_world(uint64_t seed)
{
    wfsm_agent agent = {sizeof agent, NULL, on_start, on_poll, on_cancel, on_probe};
    wfsm_store_vtable vtable;

    error = wfsm_error_new(NULL);
    gate.dice = (chance){seed * 77};
    line_count = inputs = 0;
    now = 0;
    memset(observed, 0, sizeof observed);
    OK(wfsm_memory_open(&memory, NULL, error));
    OK(wfsm_testkit_wrap(&wrapped, memory, &plan, error));
    vtable = wrapped->vtable;
    vtable.commit = commit;
    vtable.acknowledge = acknowledge;
    vtable.inbox = read_inbox;
    vtable.close = NULL;
    OK(wfsm_store_new(&store, &vtable, wrapped->self, NULL, error));
    engine = engine_of("one", 0);
    add_machine(engine, machine);
    add_machine(engine, kid);
    OK(wfsm_engine_add_agent_full(engine, "a", &agent, error));
    OK(wfsm_engine_add_agent_full(engine, "b", &agent, error));
    OK(wfsm_engine_on_effect(engine, on_effect, NULL, error));
    OK(wfsm_engine_observe(engine, on_commit, NULL, error));
    OK(wfsm_engine_on_lost(engine, on_lost, NULL, error));
}

static void close_world(void)
{
    wfsm_engine_free(engine);
    wfsm_store_free(store);
    wfsm_store_free(wrapped);
    wfsm_store_free(memory);
    wfsm_error_free(error);
}

static const char *instance_at(uint32_t n)
{
    static const char *const ids[INSTANCES] = {"i0", "i1", "i2", "i3", "i4"};

    return ids[n];
}

static void expect_status(int32_t status, const char *what)
{
    if (status != WFSM_OK && status != WFSM_STORE_FAILED && status != WFSM_STORE_UNKNOWN &&
        status != WFSM_EXISTS && status != WFSM_CONFLICT && status != WFSM_SEALED)
        violated(what, wfsm_status_name(status));
}

static void post_one(const char *to, const char *event)
{
    char id[20];

    snprintf(id, sizeof id, "p%d", ++inputs);
    if (wfsm_store_post(memory, to, event, id, NULL, 0, now, error) != WFSM_OK)
        violated("a start was lost", to);
}

/* It is sent again under the same id until the answer is that it is stored. */
static void send_one(const char *to)
{
    int32_t status = WFSM_STORE_FAILED, outcome = 0;
    char id[20], text[LINE];

    snprintf(id, sizeof id, "s%d", ++inputs);
    gate.one = true;
    for (int i = 0; i < 50 && status != WFSM_OK; i++) {
        status = wfsm_engine_send(engine, to, "add", id, NULL, 0, now, &outcome, error);
        expect_status(status, "a send");
    }
    gate.one = false;
    snprintf(text, sizeof text, "\"id\":\"%s\"", id);
    if (status != WFSM_OK || !is_stored(to, 1, UINT64_MAX, text, false))
        violated("acknowledged, but not stored", id);
}

static void queue_one(const char *to)
{
    int32_t outcome = 0;
    char id[20];

    snprintf(id, sizeof id, "q%d", ++inputs);
    if (wfsm_engine_send(engine, to, "add", id, NULL, 0, now, &outcome, error) != WFSM_OK ||
        outcome != WFSM_QUEUED)
        violated("not queued", id);
}

static void make_round(chance *dice, bool queues)
{
    wfsm_round *round = NULL;

    OK(wfsm_engine_prepare(engine, now, &round, error));
    for (uint32_t n = queues ? draw(dice, 8) : 0; n > 0; n--)
        queue_one(instance_at(draw(dice, INSTANCES)));
    expect_status(wfsm_round_exchange(round), "an exchange");
    expect_status(wfsm_engine_finish(engine, round, now, error), "a round");
}

static void one_step(chance *dice)
{
    now += draw(dice, 60);
    answering = draw_percent(dice, 30);
    for (uint32_t n = draw(dice, 6); n > 0; n--)
        post_one(instance_at(draw(dice, INSTANCES)), "add");
    if (draw_percent(dice, 20))
        send_one(instance_at(draw(dice, INSTANCES)));
    make_round(dice, draw_percent(dice, 60));
    make_round(dice, false);
}

/* Until nothing is left to do. A faulty store may never come to this. */
static void calm_down(void)
{
    gate.percent = 0;
    answering = true;
    for (int i = 0; i < 200; i++) {
        now += i < 20 ? 300 : 50;
        expect_status(wfsm_engine_run(engine, now, error), "a calm round");
    }
}

/* ---- what came of it ---- */

static const char *value_of(const char *record, const char *key, char out[40])
{
    const char *at = strstr(record, key);

    snprintf(out, 40, "%.*s", at ? (int)strcspn(at + strlen(key), "\"") : 1,
             at ? at + strlen(key) : "-");
    return out;
}

/* Claims are not compared: they are commits of their own only now and then. */
static int32_t read_record(void *user, const wfsm_row *row)
{
    const char *input = strstr(row->text, "\"input\":{\"kind\":");
    char kind[40], event[40], id[40], name[LINE];

    value_of(input, "\"kind\":\"", kind);
    if (strcmp(kind, "claim") == 0)
        return WFSM_OK;
    snprintf(name, sizeof name, "%s:%s", value_of(input, "\"event\":\"", event),
             strcmp(kind, "event") == 0 ? value_of(input, "\"id\":\"", id) : "");
    happened(kind, user, name, 0);
    return WFSM_OK;
}

typedef struct listing {
    char ids[ENTRIES][LINE];
    int count;
} listing;

static int32_t read_head(void *user, const wfsm_row *row)
{
    listing *self = user;

    TEST_ASSERT_LESS_THAN_INT(ENTRIES, self->count);
    strcpy(self->ids[self->count++], row->head->instance);
    if (row->head->status != WFSM_DONE)
        violated("not ended", row->head->instance);
    return WFSM_OK;
}

static int by_text(const void *a, const void *b)
{
    return strcmp(a, b);
}

static void take_stock(void)
{
    listing found = {.count = 0};
    wfsm_query query = {.size = sizeof query};
    wfsm_audit_counts counts = {.size = sizeof counts};

    OK(wfsm_store_list(memory, &query, read_head, &found, error));
    for (int i = 0; i < found.count; i++) {
        wfsm_instance *stored = NULL;

        OK(wfsm_store_records(memory, found.ids[i], 1, UINT64_MAX, read_record, found.ids[i],
                              error));
        OK(wfsm_instance_load(&stored, NULL, memory, NULL, found.ids[i], error));
        happened("state", found.ids[i], wfsm_instance_configuration(stored, NULL), 0);
        happened("context", found.ids[i], wfsm_instance_context(stored, NULL), 0);
        wfsm_instance_free(stored);
    }
    OK(wfsm_store_audit(memory, NULL, NULL, NULL, &counts, error));
    if (counts.diagnostics > 0)
        violated("the audit has diagnostics", "");
    qsort(lines, (size_t)line_count, LINE, by_text);
}

static void play(uint64_t seed, uint32_t percent)
{
    chance dice = {seed};

    gate.percent = 0;
    plan = (wfsm_testkit_plan){.size = sizeof plan, .early = plan.early};
    open_world(seed);
    for (uint32_t i = 0; i < INSTANCES; i++)
        start(engine, "m", instance_at(i), 0);
    gate.percent = percent;
    for (int step = 0; step < STEPS; step++)
        one_step(&dice);
    calm_down();
    for (uint32_t i = 0; i < INSTANCES; i++)
        post_one(instance_at(i), "finish");
    calm_down();
    if (!wfsm_engine_idle(engine))
        violated("not idle", "");
    take_stock();
    close_world();
}

static void compare_with(char other[LINES][LINE], int count)
{
    int i = 0;

    while (i < count && i < line_count && strcmp(other[i], lines[i]) == 0)
        i++;
    if (i < count)
        violated("is missing, or another line is there", other[i]);
    else if (i < line_count)
        violated("is too much", lines[i]);
}

/* The runs of one seed, without faults and with them. */
static void play_both(uint64_t seed, uint32_t percent)
{
    static char clean[LINES][LINE];
    int32_t early = plan.early;
    int count;

    plan.early = 0;
    play(seed, 0);
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, violations.count, violations.first);
    memcpy(clean, lines, sizeof clean);
    count = line_count;
    plan.early = early;
    play(seed, percent);
    compare_with(clean, count);
}

static uint64_t first_seed = 1;
static int seeds = 60;

void setUp(void)
{
    memset(&gate, 0, sizeof gate);
    memset(&violations, 0, sizeof violations);
    plan = (wfsm_testkit_plan){.size = sizeof plan};
}

void tearDown(void)
{
}

static void some_chains_have_faults(void)
{
    char message[500];

    for (int i = 0; i < seeds; i++) {
        uint64_t seed = first_seed + (uint64_t)i;

        play_both(seed, 10 + 10 * (uint32_t)(seed % 5));
        snprintf(message, sizeof message, "seed %" PRIu64 ": %s", seed, violations.first);
        TEST_ASSERT_EQUAL_INT_MESSAGE(0, violations.count, message);
    }
    snprintf(message, sizeof message,
             "%d seeds: %ld chains OK, %ld FAILED, %ld EXISTS, %ld CONFLICT, %ld UNKNOWN, %ld "
             "UNKNOWN but stored; %ld exchanges with both; %ld acknowledgements failed",
             seeds, gate.counts[NO_FAULT], gate.counts[NOT_STORED], gate.counts[KNOWN],
             gate.counts[OVERTAKEN], gate.counts[LOST_BEFORE], gate.counts[LOST_AFTER],
             gate.mixed, gate.acks);
    TEST_MESSAGE(message);
    for (int i = 0; i < ANSWERS; i++)
        TEST_ASSERT_GREATER_THAN_INT(seeds * 10, (int)gate.counts[i]);
    TEST_ASSERT_GREATER_THAN_INT(seeds * 10, (int)gate.mixed);
}

/* ---- stores that are wrong ---- */

static void a_store_that_answers_before_it_writes_is_found_out(void)
{
    for (uint64_t seed = 1; seed <= 5; seed++) {
        violations.count = 0;
        plan.early = 1;
        play_both(seed, 0);
        TEST_ASSERT_GREATER_THAN_INT(0, violations.count);
    }
    TEST_MESSAGE(violations.first);
}

static void a_store_that_does_not_write_is_found_out(void)
{
    gate.lies = true;
    for (uint64_t seed = 1; seed <= 5; seed++) {
        violations.count = 0;
        play_both(seed, 2);
        TEST_ASSERT_GREATER_THAN_INT(0, violations.count);
    }
    TEST_MESSAGE(violations.first);
}

int main(int argc, char **argv)
{
    if (argc > 2) {
        first_seed = strtoull(argv[1], NULL, 10);
        seeds = atoi(argv[2]);
    }
    UNITY_BEGIN();
    RUN_TEST(some_chains_have_faults);
    RUN_TEST(a_store_that_answers_before_it_writes_is_found_out);
    RUN_TEST(a_store_that_does_not_write_is_found_out);
    return UNITY_END() != 0;
}
