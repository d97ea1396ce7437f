/*
 * Every public struct begins with its size. Each is passed as a caller of this release would,
 * as one of an earlier release with a shorter struct, and as one of a later release with a
 * longer one. tests/abi/sized.py checks that none is missing here.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unity.h>
#include <wfsm/agents.h>
#include <wfsm/loop.h>
#include <wfsm/monitor.h>
#include <wfsm/postgres.h>
#include <wfsm/sqlite.h>
#include <wfsm/testkit.h>
#include <wfsm/verify.h>
#include <wfsm/wfsm.h>
#include "../given.h"

enum { ROOM = 1024, LATER = 24 };

static const char document[] =
    "{\"id\": \"m\", \"initial\": \"a\", \"context\": {\"n\": 0},"
    " \"properties\": {\"p\": {\"never\": {\"in_state\": \"nowhere\"}}},"
    " \"states\": {\"a\": {\"invoke\": {\"id\": \"w\", \"src\": \"worker\", \"onDone\": "
    "\"b\"}},"
    "  \"b\": {\"type\": \"final\"}, \"nowhere\": {\"type\": \"final\"}}}";

static wfsm_machine *machine;
static wfsm_store *store;
static wfsm_instance *instance;

void setUp(void)
{
    TEST_ASSERT_EQUAL(
        WFSM_OK, wfsm_machine_load(&machine, document, sizeof document - 1, NULL, NULL, NULL));
    TEST_ASSERT_EQUAL(WFSM_OK, wfsm_memory_open(&store, NULL, NULL));
    TEST_ASSERT_EQUAL(
        WFSM_OK, wfsm_instance_start(&instance, machine, START("i", .store = store), 1, NULL));
}

void tearDown(void)
{
    wfsm_instance_free(instance);
    wfsm_store_free(store);
    wfsm_machine_unref(machine);
}

/* ---- what is handed in ---- */

typedef int32_t take(const void *given);

static int32_t hand_in(take *taken, const void *full, size_t known, size_t size,
                       unsigned char tail)
{
    union {
        max_align_t aligned;
        unsigned char bytes[ROOM];
    } given;

    memset(given.bytes, tail, sizeof given.bytes);
    memcpy(given.bytes, full, known);
    memcpy(given.bytes, &size, sizeof size);
    return taken(given.bytes);
}

/* `least` is the size of the shortest that may be handed in. */
static void takes(const char *name, take *taken, const void *full, size_t known, size_t least)
{
    TEST_ASSERT_EQUAL_MESSAGE(WFSM_OK, hand_in(taken, full, known, known, 0), name);
    TEST_ASSERT_EQUAL_MESSAGE(WFSM_OK, hand_in(taken, full, known, known + LATER, 0), name);
    TEST_ASSERT_EQUAL_MESSAGE(WFSM_OK, hand_in(taken, full, least, least, 0xff), name);
    TEST_ASSERT_NOT_EQUAL_MESSAGE(WFSM_OK, hand_in(taken, full, known, known + LATER, 1), name);
    TEST_ASSERT_NOT_EQUAL_MESSAGE(WFSM_OK, hand_in(taken, full, known, least - 1, 0), name);
    TEST_ASSERT_NOT_EQUAL_MESSAGE(WFSM_OK, hand_in(taken, full, known, 0, 0), name);
    TEST_ASSERT_NOT_EQUAL_MESSAGE(WFSM_OK, hand_in(taken, full, known, SIZE_MAX, 0), name);
}

#define TAKES(type, taken, least, ...)                                                         \
    do {                                                                                       \
        type full = {.size = sizeof full, __VA_ARGS__};                                        \
        takes(#type, taken, &full, sizeof full, least);                                        \
    } while (0)
#define ALL(type) sizeof(type)
#define UP_TO(type, member) (offsetof(type, member) + sizeof(((type *)0)->member))
#define NO_MORE sizeof(size_t)

static void *allocate(void *user, size_t bytes)
{
    (void)user;
    return malloc(bytes);
}

static void *resize(void *user, void *block, size_t bytes)
{
    (void)user;
    return realloc(block, bytes);
}

static void release(void *user, void *block)
{
    (void)user;
    free(block);
}

static int32_t take_allocator(const void *given)
{
    wfsm_store *made = NULL;
    int32_t status = wfsm_memory_open(&made, given, NULL);
    wfsm_store_free(made);
    return status;
}

static int32_t take_limits(const void *given)
{
    wfsm_machine *made = NULL;
    int32_t status = wfsm_machine_load(&made, document, sizeof document - 1, given, NULL, NULL);
    wfsm_machine_unref(made);
    return status;
}

static int32_t take_engine_options(const void *given)
{
    wfsm_engine *made = NULL;
    int32_t status = wfsm_engine_new(&made, store, given, NULL);
    wfsm_engine_free(made);
    return status;
}

static int32_t work(void *user, wfsm_call *call)
{
    (void)user;
    (void)call;
    return WFSM_OK;
}

static int32_t take_agent(const void *given)
{
    wfsm_engine *engine = NULL;
    TEST_ASSERT_EQUAL(
        WFSM_OK, wfsm_engine_new(&engine, store,
                                 &(wfsm_engine_options){.size = sizeof(wfsm_engine_options),
                                                        .session = "test"},
                                 NULL));
    int32_t status = wfsm_engine_add_agent_full(engine, "worker", given, NULL);
    wfsm_engine_free(engine);
    return status;
}

/* An instance of its own for each call, because some of them end it. */
static wfsm_instance *fresh(void)
{
    wfsm_instance *made = NULL;
    TEST_ASSERT_EQUAL(WFSM_OK, wfsm_instance_start(&made, machine, START("r"), 1, NULL));
    return made;
}

static int32_t take_step_limits(const void *given)
{
    return wfsm_instance_set_limits(instance, given, NULL);
}

static int32_t take_result(const void *given)
{
    wfsm_instance *other = fresh();
    int32_t outcome = WFSM_STALE;
    int32_t status = wfsm_instance_result(other, given, 2, &outcome, NULL);
    wfsm_instance_free(other);
    TEST_ASSERT_TRUE(status != WFSM_OK || outcome == WFSM_ENDED);
    return status;
}

static int32_t take_report(const void *given)
{
    return take_result(RESULT("r/1/1", .report = given));
}

static int32_t take_failure(const void *given)
{
    wfsm_instance *other = fresh();
    int32_t outcome = WFSM_STALE;
    int32_t status = wfsm_instance_failure(other, given, 2, &outcome, NULL);
    wfsm_instance_free(other);
    TEST_ASSERT_TRUE(status != WFSM_OK || outcome != WFSM_STALE);
    return status;
}

static int32_t take_approval(const void *given)
{
    wfsm_instance *other = fresh();
    int32_t status = wfsm_instance_approve(other, given, 2, NULL, NULL);
    wfsm_instance_free(other);
    return status;
}

static int32_t take_post(const void *given)
{
    wfsm_store *made = NULL;
    int32_t status = wfsm_memory_open(&made, NULL, NULL);
    TEST_ASSERT_EQUAL(WFSM_OK, status);
    status = wfsm_store_submit(made, given, NULL);
    wfsm_store_free(made);
    return status == WFSM_NOT_FOUND ? WFSM_OK : status; /* it was read */
}

static int32_t take_start_options(const void *given)
{
    wfsm_instance *made = NULL;
    int32_t status = wfsm_instance_start(&made, machine, given, 1, NULL);
    TEST_ASSERT_EQUAL(status == WFSM_OK, made != NULL);
    wfsm_instance_free(made);
    return status;
}

static int32_t take_start(const void *given)
{
    const wfsm_start *const starts[] = {given};
    wfsm_engine *engine = NULL;
    int32_t answer = -1;
    TEST_ASSERT_EQUAL(
        WFSM_OK, wfsm_engine_new(&engine, store,
                                 &(wfsm_engine_options){.size = sizeof(wfsm_engine_options),
                                                        .session = "starts"},
                                 NULL));
    TEST_ASSERT_EQUAL(WFSM_OK, wfsm_engine_add_machine(engine, machine, NULL));
    TEST_ASSERT_EQUAL(WFSM_OK, wfsm_store_remove(store, "started", NULL));
    int32_t status = wfsm_engine_start_all(engine, starts, 1, 1, &answer, NULL);
    TEST_ASSERT_EQUAL(status, answer);
    wfsm_engine_free(engine);
    return status;
}

static int32_t take_event(const void *given)
{
    int32_t can = wfsm_instance_can(instance, given, 1, NULL, NULL, NULL);
    int32_t sent = wfsm_instance_send(instance, given, 1, NULL, NULL);
    TEST_ASSERT_EQUAL(sent, can);
    return sent;
}

static int32_t take_send_list(const void *given)
{
    size_t done = 9;
    int32_t status = wfsm_instance_send_many(given, 1, &done, NULL);
    TEST_ASSERT_EQUAL(0, done);
    return status;
}

static int32_t take_checkpoint(const void *given)
{
    return wfsm_instance_checkpoint(instance, given, 1, NULL, NULL);
}

static int32_t take_restore_point(const void *given)
{
    return wfsm_instance_restore(instance, given, 1, NULL, NULL);
}

static int32_t drop_row(void *user, const wfsm_row *row)
{
    (void)user;
    (void)row;
    return WFSM_OK;
}

static int32_t take_revision_range(const void *given)
{
    return wfsm_store_diff(store, "i", given, drop_row, NULL, NULL);
}

static int32_t skip_row(void *user, const wfsm_row *row)
{
    (void)user, (void)row;
    return WFSM_OK;
}

static int32_t take_changes(const void *given)
{
    return wfsm_store_changes(store, (wfsm_changes *)(uintptr_t)given, skip_row, NULL, NULL);
}

static int32_t take_pool_wait(const void *given)
{
    wfsm_engine *engine = NULL;
    TEST_ASSERT_EQUAL(
        WFSM_OK, wfsm_engine_new(&engine, store,
                                 &(wfsm_engine_options){.size = sizeof(wfsm_engine_options),
                                                        .session = "test"},
                                 NULL));
    int32_t status = wfsm_engine_await_empty(engine, given, 1, NULL);
    wfsm_engine_free(engine);
    return status;
}

static int32_t take_observation(const void *given)
{
    wfsm_monitor *made = NULL;
    TEST_ASSERT_EQUAL(WFSM_OK, wfsm_monitor_new(&made, machine, NULL));
    int32_t status = wfsm_monitor_observe(made, given, NULL);
    wfsm_monitor_free(made);
    return status;
}

static int32_t take_compaction(const void *given)
{
    return wfsm_store_compact(store, "i", given, NULL, NULL);
}

static int32_t no_row(void *user, const wfsm_row *row)
{
    (void)user;
    (void)row;
    return WFSM_OK;
}

static int32_t take_query(const void *given)
{
    return wfsm_store_list(store, given, no_row, NULL, NULL);
}

static int32_t take_commit(const void *given)
{
    const wfsm_commit *const commits[] = {given};
    int32_t answer = WFSM_OK;
    int32_t status = wfsm_store_commit(store, commits, 1, &answer, NULL);
    TEST_ASSERT_EQUAL(WFSM_OK, wfsm_store_remove(store, "made-up", NULL));
    return status != WFSM_OK ? status : answer;
}

static int32_t take_request(const void *given)
{
    const wfsm_request *const requests[] = {given};
    int32_t answer = WFSM_OK;
    wfsm_exchange exchange = {.size = sizeof exchange,
                              .requests = requests,
                              .request_count = 1,
                              .request_answers = &answer,
                              .session = "s",
                              .sink = no_row};
    return wfsm_store_exchange(store, &exchange, NULL);
}

static int32_t take_exchange(const void *given)
{
    /* It is filled in up to its size. */
    return wfsm_store_exchange(store, (wfsm_exchange *)(uintptr_t)given, NULL);
}

static int32_t take_verify_options(const void *given)
{
    wfsm_verification *made = NULL;
    int32_t status = wfsm_verify(&made, machine, given, NULL);
    wfsm_verification_free(made);
    return status;
}

static int32_t take_sqlite_options(const void *given)
{
    wfsm_store *made = NULL;
    int32_t status = wfsm_sqlite_open(&made, "/nowhere/at/all.db", given, NULL, NULL);
    return status == WFSM_INVALID ? status : WFSM_OK; /* it is not there in any case */
}

static int32_t take_postgres_options(const void *given)
{
    wfsm_store *made = NULL;
    int32_t status = wfsm_postgres_open(&made, "host=/nowhere/at/all", given, NULL, NULL);
    return status == WFSM_INVALID ? status : WFSM_OK; /* it is not there in any case */
}

static int32_t take_process_options(const void *given)
{
    wfsm_agents *agents = NULL;
    TEST_ASSERT_EQUAL(WFSM_OK, wfsm_agents_new(&agents, NULL));
    int32_t status = wfsm_agents_add_process(agents, "a", given, NULL);
    wfsm_agents_free(agents);
    return status;
}

static int32_t take_http_options(const void *given)
{
    wfsm_agents *agents = NULL;
    TEST_ASSERT_EQUAL(WFSM_OK, wfsm_agents_new(&agents, NULL));
    int32_t status = wfsm_agents_add_http(agents, "a", given, NULL);
    wfsm_agents_free(agents);
    return status;
}

static int32_t take_commands_options(const void *given)
{
    wfsm_agents *agents = NULL;
    TEST_ASSERT_EQUAL(WFSM_OK, wfsm_agents_new(&agents, NULL));
    int32_t status = wfsm_agents_add_commands(agents, "a", given, NULL);
    wfsm_agents_free(agents);
    return status;
}

static int32_t take_agents_options(const void *given)
{
    wfsm_engine *engine = NULL;
    wfsm_agents *agents = NULL;
    TEST_ASSERT_EQUAL(
        WFSM_OK, wfsm_engine_new(&engine, store,
                                 &(wfsm_engine_options){.size = sizeof(wfsm_engine_options),
                                                        .session = "test"},
                                 NULL));
    TEST_ASSERT_EQUAL(WFSM_OK, wfsm_agents_new(&agents, NULL));
    int32_t status = wfsm_agents_register(agents, engine, given, NULL);
    wfsm_engine_free(engine);
    wfsm_agents_free(agents);
    return status;
}

static void write_nothing(void *user, const char *bytes, size_t length)
{
    (void)user;
    (void)bytes;
    (void)length;
}

static int32_t take_progress_options(const void *given)
{
    wfsm_progress *progress = NULL;
    int32_t status = wfsm_progress_new(&progress, given, NULL);
    wfsm_progress_free(progress);
    return status;
}

static void count_bytes(void *user, const char *bytes, size_t length)
{
    (void)bytes;
    *(size_t *)user += length;
}

static int32_t take_loop_options(const void *given)
{
    wfsm_loop *loop = NULL;
    int32_t status = wfsm_loop_new(&loop, store, given, NULL);
    wfsm_loop_free(loop);
    return status;
}

/* It shows nothing where it does not take the struct. */
static int32_t take_progress_change(const void *given)
{
    size_t shown = 0;
    wfsm_progress_options options = {
        .size = sizeof options, .descriptor = -1, .write = count_bytes, .user = &shown};
    wfsm_progress *progress = NULL;
    TEST_ASSERT_EQUAL(WFSM_OK, wfsm_progress_new(&progress, &options, NULL));
    wfsm_progress_transition(progress, 0, given);
    wfsm_progress_free(progress);
    return shown > 0 ? WFSM_OK : WFSM_INVALID;
}

static void structs_that_are_handed_in(void)
{
    static const char *const command[] = {"true", NULL};
    TAKES(wfsm_allocator, take_allocator, ALL(wfsm_allocator), .allocate = allocate,
          .resize = resize, .release = release);
    TAKES(wfsm_machine_limits, take_limits, NO_MORE, .max_bytes = 0);
    TAKES(wfsm_engine_options, take_engine_options, UP_TO(wfsm_engine_options, allocator),
          .session = "test", .slots = 3);
    TAKES(wfsm_agent, take_agent, ALL(wfsm_agent), .start = work, .poll = work);
    TAKES(wfsm_start_options, take_start_options, UP_TO(wfsm_start_options, length), .id = "s");
    TAKES(wfsm_step_limits, take_step_limits, UP_TO(wfsm_step_limits, step_bytes),
          .selections = 5);
    TAKES(wfsm_start, take_start, ALL(wfsm_start), .machine = "m", .id = "started");
    TAKES(wfsm_event, take_event, UP_TO(wfsm_event, length), .name = "E");
    TAKES(wfsm_send_list, take_send_list, ALL(wfsm_send_list), .count = 0);
    TAKES(wfsm_checkpoint, take_checkpoint, ALL(wfsm_checkpoint), .id = "c");
    TAKES(wfsm_restore_point, take_restore_point, ALL(wfsm_restore_point), .checkpoint = "c");
    TAKES(wfsm_result, take_result, ALL(wfsm_result), .invocation = "r/1/1");
    TAKES(wfsm_failure, take_failure, ALL(wfsm_failure), .invocation = "r/1/1",
          .failure_class = "exit");
    TAKES(wfsm_approval, take_approval, UP_TO(wfsm_approval, id), .invocation = "r/1/1",
          .by = "a", .digest = "", .decision = WFSM_REJECT);
    TAKES(wfsm_post, take_post, UP_TO(wfsm_post, now), .instance = "i", .name = "e");
    TAKES(wfsm_pool_wait, take_pool_wait, ALL(wfsm_pool_wait), .kind = WFSM_POOL_PHASE,
          .name = "p", .instance = "i", .event = "e", .event_id = "1");
    TAKES(wfsm_observation, take_observation, ALL(wfsm_observation), .configuration = "[\"a\"]",
          .configuration_length = 5, .context = "{}", .context_length = 2);
    TAKES(wfsm_report, take_report, UP_TO(wfsm_report, retry_after), .signature = "s");
    TAKES(wfsm_compaction, take_compaction, UP_TO(wfsm_compaction, dry_run), .keep = 1);
    TAKES(wfsm_revision_range, take_revision_range, ALL(wfsm_revision_range), .first = 1,
          .last = 1);
    TAKES(wfsm_query, take_query, UP_TO(wfsm_query, limit), .limit = 1);
    TAKES(wfsm_commit, take_commit, UP_TO(wfsm_commit, gives_up), .instance = "made-up",
          .owner = "", .token = "t", .record = "{}", .record_length = 2, .snapshot = "{}",
          .snapshot_length = 2, .machine = "m",
          .fingerprint = wfsm_machine_fingerprint(machine), .tags = "", .status = WFSM_RUNNING,
          .deadline = WFSM_NEVER, .now = 1);
    TAKES(wfsm_request, take_request, UP_TO(wfsm_request, gives_up), .instance = "made-up",
          .number = 1, .kind = WFSM_REQUEST_GIVE_UP);
    TAKES(wfsm_changes, take_changes, ALL(wfsm_changes), .session = "s");
    TAKES(wfsm_exchange, take_exchange, UP_TO(wfsm_exchange, inbox_answer), .now = 1);
    TAKES(wfsm_verify_options, take_verify_options, NO_MORE, .max_states = 100);
    TAKES(wfsm_process_options, take_process_options, UP_TO(wfsm_process_options, command),
          .command = command, .max_log_bytes = 1);
    TAKES(wfsm_http_options, take_http_options, UP_TO(wfsm_http_options, model),
          .api = "openai", .model = "m", .max_reply_bytes = 1);
    TAKES(wfsm_commands_options, take_commands_options, NO_MORE, .all = 1);
    TAKES(wfsm_agents_options, take_agents_options, NO_MORE, .folder = "f");
    TAKES(wfsm_loop_options, take_loop_options, NO_MORE, .no_signals = 1);
    TAKES(wfsm_progress_options, take_progress_options, NO_MORE, .write = write_nothing);
    TAKES(wfsm_progress_change, take_progress_change, UP_TO(wfsm_progress_change, to),
          .to = "there", .tone = WFSM_TONE_GOOD);
    TAKES(wfsm_postgres_options, take_postgres_options, NO_MORE, .create = 1);
    TAKES(wfsm_sqlite_options, take_sqlite_options, NO_MORE, .mode = 0600);
}

/* ---- what an author's store hands in ---- */

static int32_t author_commit(void *self, const wfsm_commit *const *commits, size_t count,
                             int32_t *answers, wfsm_error *error)
{
    (void)self, (void)commits, (void)count, (void)error;
    *answers = WFSM_OK;
    return WFSM_OK;
}

static int32_t author_head(void *self, const char *id, wfsm_head *head, wfsm_error *error)
{
    (void)self, (void)id, (void)head;
    return wfsm_error_set(error, WFSM_NOT_FOUND, "none"), WFSM_NOT_FOUND;
}

static int32_t author_rows(void *self, const char *id, wfsm_row_sink sink, void *user,
                           wfsm_error *error)
{
    (void)id, (void)error;
    return sink(user, self);
}

static int32_t author_records(void *self, const char *id, uint64_t from, uint64_t to,
                              wfsm_row_sink sink, void *user, wfsm_error *error)
{
    (void)from, (void)to;
    return author_rows(self, id, sink, user, error);
}

static int32_t author_snapshot(void *self, const char *id, const char *checkpoint,
                               wfsm_row_sink sink, void *user, wfsm_error *error)
{
    (void)checkpoint;
    return author_rows(self, id, sink, user, error);
}

static int32_t author_list(void *self, const wfsm_query *query, wfsm_row_sink sink, void *user,
                           wfsm_error *error)
{
    (void)query, (void)error;
    wfsm_row row = {.size = sizeof row, .head = self};
    return sink(user, &row);
}

static int32_t author_seen(void *self, const char *id, const char *event, int32_t *seen,
                           wfsm_error *error)
{
    (void)self, (void)id, (void)event, (void)error;
    *seen = 0;
    return WFSM_OK;
}

static int32_t author_post(void *self, const wfsm_post *post, wfsm_error *error)
{
    (void)self, (void)error;
    TEST_ASSERT_EQUAL(sizeof(wfsm_post), post->size);
    return WFSM_OK;
}

static int32_t author_inbox(void *self, const char *id, uint64_t limit, wfsm_row_sink sink,
                            void *user, wfsm_error *error)
{
    (void)limit;
    return author_rows(self, id, sink, user, error);
}

static int32_t author_acknowledge(void *self, const char *id, uint64_t effect,
                                  wfsm_error *error)
{
    (void)self, (void)id, (void)effect, (void)error;
    return WFSM_OK;
}

static int32_t author_owner_alive(void *self, const char *owner, int64_t until,
                                  wfsm_error *error)
{
    (void)self, (void)owner, (void)until, (void)error;
    return WFSM_OK;
}

static int32_t author_claim(void *self, const char *session, int64_t mine, int64_t now,
                            int64_t until, wfsm_error *error)
{
    (void)self, (void)session, (void)mine, (void)now, (void)until, (void)error;
    return WFSM_OK;
}

static int32_t author_own(void *self, const char *id, const char *owner, int64_t now,
                          wfsm_error *error)
{
    (void)self, (void)id, (void)owner, (void)now, (void)error;
    return WFSM_OK;
}

static int32_t author_disown(void *self, const char *id, const char *owner, wfsm_error *error)
{
    (void)self, (void)id, (void)owner, (void)error;
    return WFSM_OK;
}

static int32_t author_remove(void *self, const char *id, wfsm_error *error)
{
    (void)self, (void)id, (void)error;
    return WFSM_OK;
}

static const wfsm_store_vtable author = {
    .size = sizeof author,
    .commit = author_commit,
    .head = author_head,
    .records = author_records,
    .snapshot = author_snapshot,
    .checkpoints = author_rows,
    .list = author_list,
    .document = author_rows,
    .seen = author_seen,
    .post = author_post,
    .inbox = author_inbox,
    .acknowledge = author_acknowledge,
    .owner_alive = author_owner_alive,
    .claim = author_claim,
    .own = author_own,
    .disown = author_disown,
    .remove = author_remove,
};

static int32_t take_vtable(const void *given)
{
    wfsm_store *made = NULL;
    int32_t status = wfsm_store_new(&made, given, NULL, NULL, NULL);
    wfsm_store_free(made);
    return status;
}

static int32_t read_through(const void *self, bool heads)
{
    wfsm_store *made = NULL;
    void *mine = (void *)(uintptr_t)self;
    TEST_ASSERT_EQUAL(WFSM_OK, wfsm_store_new(&made, &author, mine, NULL, NULL));
    wfsm_query all = {.size = sizeof all};
    int32_t status = heads ? wfsm_store_list(made, &all, no_row, NULL, NULL)
                           : wfsm_store_records(made, "i", 1, 1, no_row, NULL, NULL);
    wfsm_store_free(made);
    return status;
}

static int32_t take_row(const void *given)
{
    return read_through(given, false);
}

static int32_t take_head(const void *given)
{
    return read_through(given, true);
}

static void structs_of_an_authors_store(void)
{
    takes("wfsm_store_vtable", take_vtable, &author, sizeof author,
          UP_TO(wfsm_store_vtable, remove));
    TAKES(wfsm_row, take_row, UP_TO(wfsm_row, length), .revision = 1, .now = 1, .text = "{}",
          .length = 2);
    TAKES(wfsm_head, take_head, UP_TO(wfsm_head, updated), .instance = "i", .machine = "m",
          .fingerprint = "f", .owner = "", .token = "t", .tags = "", .revision = 1,
          .snapshot_revision = 1, .status = WFSM_RUNNING, .deadline = WFSM_NEVER);
}

static void a_post_comes_with_its_whole_size(void)
{
    wfsm_store *made = NULL;
    TEST_ASSERT_EQUAL(WFSM_OK, wfsm_store_new(&made, &author, NULL, NULL, NULL));
    TEST_ASSERT_EQUAL(WFSM_OK, wfsm_store_post(made, "i", "E", NULL, NULL, 0, 1, NULL));
    wfsm_store_free(made);
}

/* ---- what is asked for ---- */

typedef int32_t give(void *to);

/* `least` is the size of the shortest that may be asked for; at `hole` are four bytes that
 * belong to no member. */
static void gives_but(const char *name, give *given, size_t known, size_t least, size_t hole)
{
    union {
        max_align_t aligned;
        unsigned char bytes[ROOM];
    } full, other;
    const size_t sizes[] = {known, least, known + LATER};

    memset(full.bytes, 0, sizeof full.bytes);
    memcpy(full.bytes, &known, sizeof known);
    TEST_ASSERT_EQUAL_MESSAGE(WFSM_OK, given(full.bytes), name);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        memset(other.bytes, 0xaa, sizeof other.bytes);
        memcpy(other.bytes, &sizes[i], sizeof sizes[i]);
        TEST_ASSERT_EQUAL_MESSAGE(WFSM_OK, given(other.bytes), name);
        TEST_ASSERT_EQUAL_MEMORY_MESSAGE(&sizes[i], other.bytes, sizeof sizes[i], name);
        for (size_t at = sizeof(size_t); at < ROOM; at++) {
            if (hole && at >= hole && at < hole + 4)
                continue;
            int wanted = at >= sizes[i] ? 0xaa : at < known ? full.bytes[at] : 0;
            TEST_ASSERT_EQUAL_HEX8_MESSAGE(wanted, other.bytes[at], name);
        }
    }
    memset(other.bytes, 0, sizeof other.bytes);
    TEST_ASSERT_EQUAL_MESSAGE(WFSM_INVALID, given(other.bytes), name);
    memset(other.bytes, 0xff, sizeof other.bytes);
    TEST_ASSERT_EQUAL_MESSAGE(WFSM_INVALID, given(other.bytes), name);
}

static void gives(const char *name, give *given, size_t known, size_t least)
{
    gives_but(name, given, known, least, 0);
}

static int32_t give_head(void *to)
{
    return wfsm_store_head(store, "i", to, NULL);
}

static int32_t give_past_head(void *to)
{
    return wfsm_instance_head(instance, to);
}

static int32_t no_diagnostic(void *user, const wfsm_audit_diagnostic *diagnostic)
{
    (void)user;
    TEST_ASSERT_EQUAL(sizeof *diagnostic, diagnostic->size);
    return WFSM_OK;
}

static int32_t give_audit_counts(void *to)
{
    return wfsm_store_audit(store, "i", no_diagnostic, NULL, to, NULL);
}

static int32_t give_compacted(void *to)
{
    return wfsm_store_compact(store, "i", NULL, to, NULL);
}

static int32_t give_preview(void *to)
{
    return wfsm_instance_can(instance, EVENT("E"), 1, NULL, to, NULL);
}

static int32_t give_step_limits(void *to)
{
    return wfsm_instance_limits(instance, to);
}

static wfsm_diagnostics *diagnostics;

static int32_t give_diagnostic(void *to)
{
    return wfsm_diagnostics_get(diagnostics, 0, to);
}

static wfsm_monitor *monitor;

static int32_t give_watched(void *to)
{
    return wfsm_monitor_property(monitor, 0, to);
}

static wfsm_verification *verification;

static int32_t give_verify_counts(void *to)
{
    return wfsm_verification_counts(verification, to);
}

static int32_t give_verify_diagnostic(void *to)
{
    return wfsm_verification_get(verification, 0, to);
}

static int32_t give_verify_property(void *to)
{
    return wfsm_verification_property(verification, 0, to);
}

static void structs_that_are_asked_for(void)
{
    gives_but("wfsm_head", give_head, sizeof(wfsm_head), UP_TO(wfsm_head, updated),
              UP_TO(wfsm_head, status));
    gives_but("wfsm_head", give_past_head, sizeof(wfsm_head), UP_TO(wfsm_head, updated),
              UP_TO(wfsm_head, status));
    gives("wfsm_audit_counts", give_audit_counts, sizeof(wfsm_audit_counts), NO_MORE);
    gives("wfsm_preview", give_preview, sizeof(wfsm_preview), NO_MORE);
    gives_but("wfsm_step_limits", give_step_limits, sizeof(wfsm_step_limits),
              UP_TO(wfsm_step_limits, step_bytes), UP_TO(wfsm_step_limits, descendants_in_all));
    gives("wfsm_compacted", give_compacted, sizeof(wfsm_compacted), NO_MORE);
    TEST_ASSERT_EQUAL(WFSM_OK, wfsm_machine_check(&diagnostics, "{", 1, NULL, NULL));
    gives_but("wfsm_diagnostic", give_diagnostic, sizeof(wfsm_diagnostic), NO_MORE,
              UP_TO(wfsm_diagnostic, column));
    wfsm_diagnostics_free(diagnostics);
    TEST_ASSERT_EQUAL(WFSM_OK, wfsm_monitor_new(&monitor, machine, NULL));
    gives_but("wfsm_watched_property", give_watched, sizeof(wfsm_watched_property), NO_MORE,
              UP_TO(wfsm_watched_property, watched));
    wfsm_monitor_free(monitor);
    TEST_ASSERT_EQUAL(WFSM_OK, wfsm_verify(&verification, machine, NULL, NULL));
    gives("wfsm_verify_counts", give_verify_counts, sizeof(wfsm_verify_counts), NO_MORE);
    gives_but("wfsm_verify_diagnostic", give_verify_diagnostic, sizeof(wfsm_verify_diagnostic),
              NO_MORE, UP_TO(wfsm_verify_diagnostic, severity));
    gives_but("wfsm_verify_property", give_verify_property, sizeof(wfsm_verify_property),
              NO_MORE, UP_TO(wfsm_verify_property, verdict));
    wfsm_verification_free(verification);
}

/* ---- the testkit ---- */

static int32_t open_memory(void *user, int32_t which, wfsm_store **made, wfsm_error *error)
{
    (void)user, (void)which;
    return wfsm_memory_open(made, NULL, error);
}

static int32_t no_result(void *user, const wfsm_testkit_result *result)
{
    (void)user;
    TEST_ASSERT_EQUAL(sizeof *result, result->size);
    return WFSM_OK;
}

static const wfsm_testkit_store_options one_case = {.size = sizeof one_case,
                                                    .open = open_memory,
                                                    .only =
                                                        "a_batch_of_refusals_changes_nothing"};

static int32_t take_store_options(const void *given)
{
    return wfsm_testkit_store(given, no_result, NULL, NULL, NULL);
}

static int32_t give_counts(void *to)
{
    return wfsm_testkit_store(&one_case, NULL, NULL, to, NULL);
}

static int32_t take_plan(const void *given)
{
    wfsm_store *made = NULL;
    wfsm_testkit_plan *plan = (void *)(uintptr_t)given;
    int32_t status = wfsm_testkit_wrap(&made, store, plan, NULL);
    if (status == WFSM_OK)
        wfsm_store_free(made);
    return status;
}

static const wfsm_testkit_input line = {
    .size = sizeof line, .kind = WFSM_TESTKIT_EVENT, .name = "E"};
static const wfsm_testkit_input *lines[] = {&line};

/* A store in memory loses everything with its handle, which the testkit has to report. */
static int32_t open_new(void *user, wfsm_store **made, wfsm_error *error)
{
    (void)user;
    return wfsm_memory_open(made, NULL, error);
}

static bool violated;

static int32_t see_violation(void *user, const wfsm_testkit_violation *violation)
{
    (void)user;
    TEST_ASSERT_EQUAL(sizeof *violation, violation->size);
    violated = true;
    return WFSM_OK;
}

static wfsm_testkit_crash_options play(void)
{
    return (wfsm_testkit_crash_options){.size = sizeof(wfsm_testkit_crash_options),
                                        .machine = machine,
                                        .inputs = lines,
                                        .count = 1,
                                        .open = open_new,
                                        .violated = see_violation};
}

static int32_t take_crash_options(const void *given)
{
    return wfsm_testkit_crash(given, NULL, NULL);
}

static int32_t give_crash_counts(void *to)
{
    wfsm_testkit_crash_options options = play();
    return wfsm_testkit_crash(&options, to, NULL);
}

static int32_t take_input(const void *given)
{
    lines[0] = given;
    wfsm_testkit_crash_options options = play();
    int32_t status = wfsm_testkit_crash(&options, NULL, NULL);
    lines[0] = &line;
    return status;
}

static int32_t no_note(void *user, uint64_t revision, uint64_t effect)
{
    (void)user, (void)revision, (void)effect;
    return WFSM_OK;
}

static int32_t take_witness(const void *given)
{
    wfsm_testkit_crash_options options = play();
    return wfsm_testkit_resume(&options, (void *)(uintptr_t)given, NULL, NULL);
}

static void structs_of_the_testkit(void)
{
    wfsm_testkit_crash_options options = play();
    takes("wfsm_testkit_store_options", take_store_options, &one_case, sizeof one_case,
          sizeof one_case);
    gives("wfsm_testkit_counts", give_counts, sizeof(wfsm_testkit_counts), NO_MORE);
    TAKES(wfsm_testkit_plan, take_plan, ALL(wfsm_testkit_plan), .fault = 0);
    takes("wfsm_testkit_crash_options", take_crash_options, &options, sizeof options,
          sizeof options);
    gives("wfsm_testkit_crash_counts", give_crash_counts, sizeof(wfsm_testkit_crash_counts),
          NO_MORE);
    TEST_ASSERT_TRUE(violated);
    takes("wfsm_testkit_input", take_input, &line, sizeof line, sizeof line);
    TAKES(wfsm_testkit_witness, take_witness, ALL(wfsm_testkit_witness), .note = no_note);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(structs_that_are_handed_in);
    RUN_TEST(structs_of_an_authors_store);
    RUN_TEST(a_post_comes_with_its_whole_size);
    RUN_TEST(structs_that_are_asked_for);
    RUN_TEST(structs_of_the_testkit);
    return UNITY_END() != 0;
}
