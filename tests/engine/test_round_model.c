/*
 * A round gives the same answers as single steps. The same random inputs go
 *   - into one engine in full rounds: several inputs for several instances are in each, as posts, as
 *     answers to polls, as due timers, and as what the host sends while a round is out;
 *   - into one engine for each family (a root instance and its children), on a store of its own. Each
 *     input of the host is a call, and so a round of one. The rest of a round (timers, claims,
 *     children) has one family in it.
 * Then the journals, and with them all states, contexts, ids, times and tokens, are equal to the byte,
 * as are the calls of agents, the effects, and what observers were told of each instance.
 *
 * Nothing in a record is normalised. What depends on the shape of a round is kept out of the inputs:
 *   - An id depends on the number of instances that its session has started. The engines of single
 *     families count as the other one does, and one family only has children.
 *   - There are slots for all invocations. With fewer, a freed slot is taken one round later.
 *   - No step claims while another instance's retry is due, and a child starts one round after the
 *     step that asks for it. So retries, parents and children have times of their own.
 *   - An event that is posted and one that is sent never have the same id: the post would win, because
 *     the inbox has it already.
 * Two things are not compared. The record of a post that comes after the end of its instance: a send
 * makes none. And whether an agent is told to stop that has just answered a poll: it is not told, but
 * it is if the host has answered for it.
 *
 * The arguments are the first seed and a count.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../laws/chance.h"
#include "base/buffer.h"
#include "world.h"

enum { SOLOS = 4, PARENTS = 1, FAMILIES = SOLOS + PARENTS, TRACES = 2 * FAMILIES, TICKS = 14 };
enum { ROUNDS, SINGLE, MODES };
enum { ACTIONS = 60, ANSWERS = ACTIONS, STARTED = 100, TEXT = WF_INVOCATION_ID_BYTES };

#define ADD(name)                                                                              \
    "{\"type\":\"assign\",\"params\":{\"" name "\":{\"+\":[{\"var\":\"context." name "\"},1]}}}"
#define EMIT(name)                                                                             \
    "{\"type\":\"emit\",\"params\":{\"event\":\"" name "\",\"data\":{\"var\":\"context\"}}}"
#define KEEP "{\"type\":\"assign\",\"params\":{\"got\":{\"var\":\"event.data\"}}}"

/* A post that changes nothing has a record, a send has none. So every event that is posted does
 * something in every state. */
#define ALWAYS                                                                                 \
    "\"on\":{\"add\":{\"actions\":[" ADD("n") "," EMIT(                                        \
        "added") "]},\"quit\":\"end\","                                                        \
                 "\"go\":{\"actions\":" ADD("missed") "},\"ask\":{\"actions\":" ADD(           \
                     "missed") "},"                                                            \
                               "\"both\":{\"actions\":" ADD(                                   \
                                   "missed") "},\"leave\":{\"actions\":" ADD("missed") "}}"
#define CONTEXT "\"context\":{\"n\":0,\"missed\":0,\"got\":null}"

static const char solo[] =
    "{\"wfsm\":1,\"id\":\"solo\",\"initial\":\"rest\"," CONTEXT "," ALWAYS ","
    "\"states\":{"
    "\"rest\":{\"on\":{\"go\":\"work\",\"both\":\"pair\",\"ask\":\"ask\"},"
    "\"after\":{\"30\":\"work\"}},"
    "\"work\":{\"invoke\":{\"src\":\"slow\",\"input\":{\"var\":\"context.n\"},\"retry\":["
    "{\"errors\":[\"network\"],\"maxAttempts\":3,\"intervalMs\":23},"
    "{\"errors\":[\"exit\"],\"maxAttempts\":2,\"intervalMs\":0}],"
    "\"onDone\":{\"target\":\"rest\",\"actions\":" KEEP "},\"onError\":\"hurt\"},"
    "\"on\":{\"leave\":\"rest\"},\"after\":{\"70\":\"hurt\"}},"
    "\"ask\":{\"invoke\":{\"src\":\"quick\",\"input\":{\"var\":\"context.n\"},"
    "\"onDone\":{\"target\":\"work\",\"actions\":" KEEP "}},\"on\":{\"leave\":\"rest\"}},"
    "\"hurt\":{\"entry\":" EMIT(
        "hurt") ",\"on\":{\"go\":\"rest\"},"
                "\"after\":{\"50\":\"rest\"}},"
                "\"pair\":{\"type\":\"parallel\",\"onDone\":\"rest\",\"on\":{\"leave\":\"rest\"},"
                "\"states\":{"
                "\"left\":{\"initial\":\"a\",\"states\":{\"a\":{\"invoke\":{\"src\":\"slow\","
                "\"onDone\":\"b\",\"onError\":\"b\"},\"after\":{\"40\":\"b\"}},\"b\":{\"type\":\"final\"}}},"
                "\"right\":{\"initial\":\"a\",\"states\":{\"a\":{\"invoke\":{\"src\":\"slow\","
                "\"onDone\":\"b\",\"onError\":\"b\"}},\"b\":{\"type\":\"final\"}}}}},"
                "\"end\":{\"type\":\"final\",\"output\":{\"var\":\"context\"}}}}";

/* Its events come at multiples of 10, its timers are due 5 later, and those of its child 7 later. */
static const char parent[] =
    "{\"wfsm\":1,\"id\":\"parent\",\"initial\":\"rest\"," CONTEXT "," ALWAYS ","
    "\"states\":{"
    "\"rest\":{\"on\":{\"go\":\"work\",\"ask\":\"work\"}},"
    "\"work\":{\"invoke\":{\"src\":\"machine:child\",\"input\":{\"n\":{\"var\":\"context.n\"}},"
    "\"onDone\":{\"target\":\"rest\",\"actions\":" KEEP "},\"onError\":\"hurt\"},"
    "\"on\":{\"leave\":\"rest\"},\"after\":{\"35\":\"hurt\"}},"
    "\"hurt\":{\"entry\":" EMIT(
        "hurt") ",\"on\":{\"go\":\"rest\"}},"
                "\"end\":{\"type\":\"final\",\"output\":{\"var\":\"context\"}}}}";

static const char child[] =
    "{\"wfsm\":1,\"id\":\"child\",\"initial\":\"work\"," CONTEXT "," ALWAYS ","
    "\"states\":{\"work\":{\"invoke\":{\"src\":\"slow\",\"input\":{\"var\":\"context.n\"},"
    "\"onDone\":{\"target\":\"end\",\"actions\":[" KEEP
    "," EMIT("told") "]}},"
                     "\"after\":{\"27\":\"end\"}},"
                     "\"end\":{\"type\":\"final\",\"output\":{\"var\":\"context\"}}}}";

/* How an input reaches the engine that works in rounds. Each round takes them in this order. */
enum path { QUEUED, POSTED, POLLED, PATHS };
enum kind { EVENT, RESULT, FAILURE, CANCEL, RETRY, STOP };

typedef struct action {
    int phase, path, kind, family;
    uint32_t at; /* of the invocation, in its ledger */
    char instance[TEXT], invocation[TEXT];
    char name[20], id[20], data[20]; /* id "": none. Of a failure, the name is its class */
} action;

/* An engine, and what it does. */
typedef struct side {
    int mode;
    wfsm_store *store;
    wfsm_engine *engine;
} side;

static side full, single[FAMILIES];
static wfsm_allocator allocator; /* of the buffers */
static wf_buffer calls[MODES][TRACES]; /* of agents, and effects */
static wf_buffer told[MODES][TRACES]; /* the records, in order */
static wf_buffer journals[MODES][TRACES];
static action actions[ACTIONS];
static int action_count;
static const action *answers[ANSWERS]; /* that the next polls give */
static int answer_count;
static chance dice;
static uint64_t seed;
static int64_t now;
static struct {
    long inputs[PATHS], records, children, retries, timers;
} sum;

void setUp(void)
{
}

void tearDown(void)
{
}

static int family_of(const char *id)
{
    return id[0] - 'a';
}

/* Each root has one, and the children of one root have one. */
static int trace_of(const char *id)
{
    return family_of(id) + (strchr(id, '/') ? FAMILIES : 0);
}

/* The one of this tick that answers the invocation, or NULL. */
static const action *action_of(const char *invocation)
{
    for (int i = 0; i < action_count; i++)
        if (strcmp(actions[i].invocation, invocation) == 0)
            return &actions[i];
    return NULL;
}

/* ---- what both kinds of engines have ---- */

static void note(const side *self, const char *what, wfsm_call *call)
{
    wf_buffer *trace = &calls[self->mode][trace_of(wfsm_call_instance(call))];

    wf_buffer_format(trace, "%d %s %s %s #%d %s\n", (int)wfsm_call_now(call), what,
                     wfsm_call_id(call), wfsm_call_name(call), (int)wfsm_call_attempt(call),
                     wfsm_call_input(call, NULL));
}

static int32_t on_start(void *user, wfsm_call *call)
{
    note(user, "start", call);
    return WFSM_OK;
}

static int32_t on_quick(void *user, wfsm_call *call)
{
    note(user, "quick", call);
    return wfsm_call_done(call, "[1]", 3);
}

/* An agent that has just answered a poll is not told to stop. One whose answer the host gave is. */
static int32_t on_cancel(void *user, wfsm_call *call)
{
    const action *found = action_of(wfsm_call_id(call));

    if (!found || found->path != POLLED)
        note(user, "cancel", call);
    return WFSM_OK;
}

static int32_t on_effect(void *user, wfsm_call *call)
{
    note(user, "effect", call);
    return WFSM_OK;
}

static int32_t on_poll(void *user, wfsm_call *call)
{
    (void)user;
    for (int i = 0; i < answer_count; i++) {
        const action *self = answers[i];

        if (!self || strcmp(self->invocation, wfsm_call_id(call)) != 0)
            continue;
        answers[i] = NULL;
        return self->kind == RESULT ? wfsm_call_done(call, self->data, strlen(self->data))
                                    : wfsm_call_failed(call, self->name, "as told");
    }
    return WFSM_OK;
}

/* A post for an instance that has ended, in the same round. */
static bool came_too_late(const char *record)
{
    return strstr(record, "\"outcome\":\"ended\"") && !strstr(record, "\"transitions\"");
}

static int32_t on_commit(void *user, wfsm_call *call)
{
    const side *self = user;
    const char *id = wfsm_call_instance(call);

    if (came_too_late(wfsm_call_record(call, NULL)))
        return WFSM_OK;
    wf_buffer_format(&told[self->mode][trace_of(id)], "%s %s\n", id,
                     wfsm_call_record(call, NULL));
    return WFSM_OK;
}

static void open_side(side *self, int mode)
{
    wfsm_engine_options options = {
        .size = sizeof options, .session = "one", .lapse_ms = 1000000, .slots = 1000};
    wfsm_agent slow = {
        .size = sizeof slow, .user = self, .start = on_start, .cancel = on_cancel};
    wfsm_agent quick = {
        .size = sizeof quick, .user = self, .start = on_quick, .cancel = on_cancel};

    self->mode = mode;
    slow.poll = mode == ROUNDS ? on_poll : NULL;
    OK(wfsm_memory_open(&self->store, NULL, error));
    OK(wfsm_engine_new(&self->engine, self->store, &options, error));
    add_machine(self->engine, solo);
    add_machine(self->engine, child);
    add_machine(self->engine, parent);
    OK(wfsm_engine_add_agent_full(self->engine, "slow", &slow, error));
    OK(wfsm_engine_add_agent_full(self->engine, "quick", &quick, error));
    OK(wfsm_engine_on_effect(self->engine, on_effect, self, error));
    OK(wfsm_engine_observe(self->engine, on_commit, self, error));
}

static void close_side(side *self)
{
    OK(wfsm_engine_free(self->engine));
    wfsm_store_free(self->store);
}

static void start_family(side *self, int family)
{
    char id[2] = {(char)('a' + family), '\0'};

    self->engine->starts = (uint64_t)family;
    start(self->engine, family < SOLOS ? "solo" : "parent", id, 0);
    self->engine->starts = FAMILIES;
}

static void open_all(void)
{
    error = wfsm_error_new(NULL);
    now = 0;
    open_side(&full, ROUNDS);
    allocator = full.engine->allocator;
    for (int i = 0; i < FAMILIES; i++)
        open_side(&single[i], SINGLE);
    for (int i = 0; i < TRACES; i++)
        for (int mode = 0; mode < MODES; mode++) {
            wf_buffer_init(&calls[mode][i], &allocator);
            wf_buffer_init(&told[mode][i], &allocator);
            wf_buffer_init(&journals[mode][i], &allocator);
        }
    for (int i = 0; i < FAMILIES; i++) {
        start_family(&full, i);
        start_family(&single[i], i);
    }
}

/* The agents at work are told to stop, so the traces go last. */
static void close_all(void)
{
    for (int i = 0; i < FAMILIES; i++)
        close_side(&single[i]);
    close_side(&full);
    for (int i = 0; i < TRACES; i++)
        for (int mode = 0; mode < MODES; mode++) {
            wf_buffer_fini(&calls[mode][i]);
            wf_buffer_fini(&told[mode][i]);
            wf_buffer_fini(&journals[mode][i]);
        }
    wfsm_error_free(error);
}

/* Rounds until nothing is due up to this time, each at the time when it is due. */
static void advance_to(const side *self, int64_t until)
{
    for (int64_t at = now; at <= until;) {
        int64_t due;

        once(self->engine, at);
        due = wfsm_engine_deadline(self->engine);
        at = due > at ? due : at;
    }
}

/* ---- inputs ---- */

static void choose_event(action *self)
{
    static const char *const names[] = {"add", "add",  "add",   "go",    "go",
                                        "ask", "both", "leave", "other", "quit"};
    uint32_t n = draw(&dice, sizeof names / sizeof *names);

    if (n == 8 && self->path == POSTED)
        n = 0;
    if (n == 9 && !draw_percent(&dice, 30))
        n = 0; /* most continue */
    strcpy(self->name, names[n]);
    snprintf(self->data, sizeof self->data, "%u", draw(&dice, 100));
    if (draw_percent(&dice, 40)) /* now and then one that is known */
        snprintf(self->id, sizeof self->id, "%c%u", self->path == POSTED ? 'p' : 's',
                 draw(&dice, 30));
}

/* Before the next attempt of a retry begins, the agent at work is told, at the end of a round. So a
 * retry comes where nothing but the end of the tick follows. */
static void choose_answer(action *self)
{
    static const char *const classes[] = {"network", "network", "exit", "auth"};
    uint32_t n = draw(&dice, self->path == POLLED ? 6 : self->phase == 0 ? 7 : 8);

    self->kind = n < 3 ? RESULT : n < 6 ? FAILURE : n < 7 ? CANCEL : RETRY;
    strcpy(self->name, DRAW_FROM(&dice, classes));
    snprintf(self->data, sizeof self->data, "%u", draw(&dice, 100));
}

/* A round takes the answers of an instance in the order of its ledger. */
static uint32_t first_choice(const action *self)
{
    const action *last = action_count > 0 ? self - 1 : NULL;

    return last && self->path == POLLED && last->path == POLLED && last->phase == self->phase &&
                   strcmp(last->instance, self->instance) == 0
               ? last->at + 1
               : 0;
}

/* Child workflows are not polled. */
static bool is_child(const wfsm_instance *of, const wf_invocation *one)
{
    return wfsm_instance_machine(of)->agents.list[one->agent].text[0] == 'm';
}

/* An invocation that works, of the instance; each has one answer at a time. */
static bool choose_invocation(action *self)
{
    const wfsm_instance *of = wfsm_engine_instance(full.engine, self->instance);
    uint32_t count = (uint32_t)wf_instance_invocation_count(of), first = first_choice(self);
    const wf_invocation *one;
    char id[WF_INVOCATION_ID_BYTES];

    if (count <= first)
        return false;
    self->at = first + draw(&dice, count - first);
    one = wf_instance_invocation(of, self->at);
    if (one->status != WF_RUNNING || (self->path == POLLED && is_child(of, one)))
        return false;
    wf_instance_invocation_id(of, one, id);
    if (action_of(id))
        return false;
    strcpy(self->invocation, id);
    return true;
}

static bool is_running(const char *id)
{
    const wfsm_instance *of = wfsm_engine_instance(full.engine, id);

    return of && wfsm_instance_status(of) == WFSM_RUNNING;
}

static void choose_action(int phase, int path, const char *instance)
{
    action *self = &actions[action_count];

    *self = (action){.phase = phase, .path = path, .family = family_of(instance)};
    strcpy(self->instance, instance);
    if (!is_running(instance) || action_count == ACTIONS)
        return;
    if (path == POLLED || (path == QUEUED && draw_percent(&dice, 40))) {
        if (!choose_invocation(self))
            return;
        choose_answer(self);
    } else if (path == QUEUED && draw_percent(&dice, 2)) {
        self->kind = STOP;
    } else {
        choose_event(self);
    }
    sum.inputs[path]++;
    action_count++;
}

/* The child that is at work for an instance, if there is one. */
static const char *child_of(const char *root)
{
    const wf_link *all = &full.engine->entries;

    for (const wf_link *at = all->next; at != all; at = at->next) {
        const char *id = WF_OWNER_OF(at, wf_entry, all)->id;

        if (id[0] == root[0] && strchr(id, '/') && is_running(id))
            return id;
    }
    return NULL;
}

static void choose_for(int phase, int path, const char *instance)
{
    for (uint32_t n = draw(&dice, 4); n > 1; n--)
        choose_action(phase, path, instance);
}

/* In the order in which a round takes them. */
static void choose_actions(void)
{
    action_count = 0;
    for (int phase = 0; phase < 2; phase++)
        for (int path = 0; path < PATHS; path++)
            for (int i = 0; i < FAMILIES; i++) {
                char id[2] = {(char)('a' + i), '\0'};
                const char *kid = i < SOLOS ? NULL : child_of(id);

                if (phase > 0 && i >= SOLOS)
                    continue;
                choose_for(phase, path, id);
                if (kid)
                    choose_for(phase, path, kid);
            }
}

static const char *id_of(const action *self)
{
    return self->id[0] ? self->id : NULL;
}

static void call(const side *to, const action *self, int32_t *outcome)
{
    wfsm_engine *engine = to->engine;
    size_t length = strlen(self->data);
    const wfsm_event event = {.size = sizeof event,
                              .name = self->name,
                              .id = id_of(self),
                              .data = self->data,
                              .length = length,
                              .interface = self->path == POSTED ? WFSM_INTERFACE_POST : 0};

    switch (self->kind) {
    case EVENT:
        OK(wfsm_engine_send_event(engine, self->instance, &event, now, outcome, error));
        break;
    case RESULT:
        OK(wfsm_engine_result(engine, self->invocation, self->data, length, now, outcome,
                              error));
        break;
    case FAILURE:
        OK(wfsm_engine_failure(engine, self->invocation, self->name, "as told", now, outcome,
                               error));
        break;
    case CANCEL:
        OK(wfsm_engine_cancel(engine, self->invocation, "enough", now, outcome, error));
        break;
    case RETRY:
        OK(wfsm_engine_retry(engine, self->invocation, now, outcome, error));
        break;
    default:
        OK(wfsm_engine_stop(engine, self->instance, now, outcome, error));
    }
}

/* ---- in rounds ---- */

static void queue_while_out(int phase, int64_t at)
{
    wfsm_round *round = NULL;
    bool before = draw_percent(&dice, 50);

    OK(wfsm_engine_prepare(full.engine, at, &round, error));
    if (before)
        OK(wfsm_round_exchange(round));
    for (int i = 0; i < action_count; i++) {
        int32_t outcome = 0;

        if (actions[i].phase != phase || actions[i].path != QUEUED)
            continue;
        call(&full, &actions[i], &outcome);
        TEST_ASSERT_EQUAL_INT32(WFSM_QUEUED, outcome);
    }
    if (!before)
        OK(wfsm_round_exchange(round));
    OK(wfsm_engine_finish(full.engine, round, at, error));
}

static void post_all(int phase)
{
    for (int i = 0; i < action_count; i++) {
        const action *self = &actions[i];

        if (self->phase != phase || self->path != POSTED)
            continue;
        int32_t status = wfsm_store_post(full.store, self->instance, self->name, id_of(self),
                                         self->data, strlen(self->data), now, error);
        if (status != WFSM_EXISTS)
            OK(status);
    }
}

static void answer_all(int phase)
{
    answer_count = 0;
    for (int i = 0; i < action_count; i++)
        if (actions[i].phase == phase && actions[i].path == POLLED)
            answers[answer_count++] = &actions[i];
}

/* The exchange of a round returns the posts for the next one. */
static void tick_in_rounds(void)
{
    post_all(0);
    queue_while_out(0, now - 1);
    answer_all(0);
    post_all(1);
    queue_while_out(1, now); /* the round that takes phase 0 */
    answer_all(1);
    advance_to(&full, now);
    answer_count = 0;
}

/* ---- in single steps ---- */

static void call_each(int family, int phase)
{
    for (int i = 0; i < action_count; i++) {
        int32_t outcome = 0;

        if (actions[i].family != family || actions[i].phase != phase)
            continue;
        call(&single[family], &actions[i], &outcome);
        TEST_ASSERT_NOT_EQUAL_INT32(WFSM_QUEUED, outcome);
    }
}

static void tick_in_single_steps(int family)
{
    call_each(family, 0);
    once(single[family].engine, now);
    call_each(family, 1);
    advance_to(&single[family], now);
}

/* ---- what came of it ---- */

static int32_t read_record(void *user, const wfsm_row *row)
{
    wf_buffer *journal = user;

    if (came_too_late(row->text))
        return WFSM_OK;
    wf_buffer_add(journal, row->text, row->length);
    wf_buffer_byte(journal, '\n');
    sum.records++;
    sum.retries += strstr(row->text, "\"outcome\":\"retry\"") != NULL;
    sum.timers += strstr(row->text, "\"kind\":\"timer\"") != NULL;
    return WFSM_OK;
}

typedef struct listing {
    char ids[STARTED][TEXT];
    int count;
} listing;

static int32_t read_id(void *user, const wfsm_row *row)
{
    listing *self = user;

    TEST_ASSERT_LESS_THAN_INT(STARTED, self->count);
    strcpy(self->ids[self->count++], row->head->instance);
    return WFSM_OK;
}

static int by_text(const void *a, const void *b)
{
    return strcmp(a, b);
}

static void read_journals(const side *self)
{
    static listing found;
    wfsm_query query = {.size = sizeof query};
    wfsm_audit_counts counts = {.size = sizeof counts};

    found.count = 0;
    OK(wfsm_store_list(self->store, &query, read_id, &found, error));
    qsort(found.ids, (size_t)found.count, TEXT, by_text);
    for (int i = 0; i < found.count; i++) {
        wf_buffer *journal = &journals[self->mode][trace_of(found.ids[i])];

        wf_buffer_format(journal, "= %s\n", found.ids[i]);
        OK(wfsm_store_records(self->store, found.ids[i], 1, UINT64_MAX, read_record, journal,
                              error));
        sum.children += strchr(found.ids[i], '/') != NULL;
    }
    OK(wfsm_store_audit(self->store, NULL, NULL, NULL, &counts, error));
    TEST_ASSERT_EQUAL_UINT64(0, counts.diagnostics);
}

static const char *line_at(const wf_buffer *of, size_t at)
{
    static char line[2][3000];
    static int turn;
    char *out = line[turn = !turn];
    const char *from = of->data ? of->data : "";

    at = at < of->length ? at : of->length;
    while (at > 0 && from[at - 1] != '\n')
        at--;
    snprintf(out, sizeof line[0], "%.*s", (int)strcspn(from + at, "\n"), from + at);
    return out;
}

static void compare(const char *what, wf_buffer of[MODES][TRACES])
{
    for (int i = 0; i < TRACES; i++) {
        const wf_buffer *a = &of[SINGLE][i], *b = &of[ROUNDS][i];
        char message[6500];
        size_t at = 0;

        TEST_ASSERT_FALSE(a->failed || b->failed);
        while (at < a->length && at < b->length && a->data[at] == b->data[at])
            at++;
        snprintf(message, sizeof message,
                 "%s, seed %d, at %d, family %c%s\nsingle: %s\nrounds: %s", what, (int)seed,
                 (int)now, 'a' + i % FAMILIES, i < FAMILIES ? "" : ", children", line_at(a, at),
                 line_at(b, at));
        TEST_ASSERT_TRUE_MESSAGE(at == a->length && at == b->length, message);
    }
}

static void run_seed(void)
{
    dice = (chance){seed};
    open_all();
    for (int tick = 0; tick < TICKS; tick++) {
        int64_t next = (now / 10 + 1 + draw(&dice, 4)) * 10;

        advance_to(&full, next - 1);
        for (int i = 0; i < FAMILIES; i++)
            advance_to(&single[i], next - 1);
        now = next;
        choose_actions();
        tick_in_rounds();
        for (int i = 0; i < FAMILIES; i++)
            tick_in_single_steps(i);
        compare("told", told);
        compare("calls", calls);
    }
    read_journals(&full);
    for (int i = 0; i < FAMILIES; i++)
        read_journals(&single[i]);
    compare("journals", journals);
    close_all();
}

static uint64_t first_seed = 1;
static int seeds = 200;

static void rounds_are_as_single_steps(void)
{
    char message[200];

    for (int i = 0; i < seeds; i++) {
        seed = first_seed + (uint64_t)i;
        run_seed();
    }
    snprintf(message, sizeof message,
             "%d seeds: %ld queued, %ld posted, %ld polled; %ld records, %ld of timers, "
             "%ld of retries; %ld children",
             seeds, sum.inputs[QUEUED], sum.inputs[POSTED], sum.inputs[POLLED], sum.records,
             sum.timers, sum.retries, sum.children);
    TEST_MESSAGE(message);
    for (int path = 0; path < PATHS; path++)
        TEST_ASSERT_GREATER_THAN_INT(seeds * 10, (int)sum.inputs[path]);
    TEST_ASSERT_GREATER_THAN_INT(seeds * 10, (int)sum.timers);
    TEST_ASSERT_GREATER_THAN_INT(seeds * 4, (int)sum.children);
    TEST_ASSERT_GREATER_THAN_INT(seeds * 4, (int)sum.retries);
}

int main(int argc, char **argv)
{
    if (argc > 2) {
        first_seed = strtoull(argv[1], NULL, 10);
        seeds = atoi(argv[2]);
    }
    UNITY_BEGIN();
    RUN_TEST(rounds_are_as_single_steps);
    return UNITY_END() != 0;
}
