#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "store/record.h"
#include "../given.h"

const char *const everything =
    "{\"wfsm\":1,\"id\":\"everything\",\"initial\":\"idle\","
    "\"context\":{\"n\":0,\"list\":[],\"deep\":{\"a\":{\"b\":1}},\"note\":\"\"},"
    "\"budgets\":{\"rounds\":{\"limit\":{\"+\":[{\"var\":\"context.n\"},50]},"
    "\"counts\":{\"states\":\"work\",\"events\":[\"INC\"]}},\"attempts\":{\"limit\":50,"
    "\"counts\":\"claims\"},\"tokens\":{\"limit\":100,\"refuse\":true},"
    "\"wall_clock\":{\"limit\":{\"+\":[{\"var\":\"context.n\"},9007199254740991,1]},"
    "\"counts\":\"time\"}},"
    "\"states\":{"
    "\"idle\":{\"entry\":[{\"type\":\"log\",\"params\":{\"label\":\"idle\"}}],"
    "\"on\":{\"GO\":{\"target\":\"work\",\"guard\":{\"type\":\"allowed\",\"params\":{\"x\":1}}}"
    ","
    "\"INC\":{\"actions\":[{\"type\":\"assign\",\"params\":{\"n\":{\"+\":[{\"var\":\"context."
    "n\"},1]},"
    "\"deep.a.b\":{\"var\":\"event.data\"}}},\"note\"]},"
    "\"BREAK\":{\"actions\":[{\"type\":\"assign\",\"params\":{\"n\":99}},\"broken\"]},"
    "\"LOOP\":{\"actions\":{\"type\":\"raise\",\"params\":{\"event\":\"LOOP\"}}},"
    "\"RESET\":{\"actions\":{\"type\":\"reset\",\"params\":{\"budgets\":[\"tokens\",\"wall_"
    "clock\"],"
    "\"failures\":true}}},"
    "\"error.execution\":{\"actions\":{\"type\":\"assign\",\"params\":{\"note\":\"caught\"}}},"
    "\"LIST\":{\"actions\":{\"type\":\"each\",\"params\":{\"in\":[1,2,3],\"as\":\"item\","
    "\"index\":\"at\","
    "\"actions\":[{\"type\":\"assign\",\"params\":{\"list\":{\"merge\":[{\"var\":\"context."
    "list\"},"
    "[{\"var\":\"context.item\"}]]}}}]}}}},"
    "\"after\":{\"5000\":\"over\"}},"
    "\"work\":{\"type\":\"parallel\",\"states\":{"
    "\"left\":{\"initial\":\"a\",\"states\":{\"a\":{\"on\":{\"NEXT\":\"b\"}},"
    "\"b\":{\"on\":{\"NEXT\":\"c\"},\"entry\":{\"type\":\"raise\",\"params\":"
    "{\"event\":\"tick\",\"delay\":100,\"id\":\"t\",\"data\":{\"big\":[1,2,3]}}}},"
    "\"c\":{\"type\":\"final\"},\"h\":{\"type\":\"history\",\"target\":\"a\"}}},"
    "\"right\":{\"initial\":\"run\",\"states\":{"
    "\"run\":{\"invoke\":{\"id\":\"job\",\"src\":\"agent\",\"input\":{\"n\":{\"var\":\"context."
    "n\"}},"
    "\"timeoutMs\":1000,\"output\":{\"type\":\"object\",\"required\":[\"ok\"]},"
    "\"retry\":[{\"errors\":[\"network\",\"timeout\"],\"maxAttempts\":2,\"intervalMs\":50}],"
    "\"onDone\":{\"target\":\"ran\",\"actions\":[{\"type\":\"assign\",\"params\":"
    "{\"result\":{\"var\":\"event.data\"}}},{\"type\":\"emit\",\"params\":"
    "{\"event\":\"ran\",\"data\":{\"n\":{\"var\":\"context.n\"}}}}]},"
    "\"onError\":{\"target\":\"ran\",\"actions\":{\"type\":\"assign\",\"params\":"
    "{\"result\":{\"var\":\"event.data\"}}}}}},"
    "\"ran\":{\"type\":\"final\"}}}},"
    "\"on\":{\"BACK\":\"idle\",\"AGAIN\":\"work.left.h\"},\"onDone\":\"idle\"},"
    "\"over\":{\"type\":\"final\",\"output\":{\"list\":{\"var\":\"context.list\"}}}}}";

static int32_t allowed(void *user, wfsm_call *call)
{
    (void)user;
    return wfsm_call_allow(call, 1);
}

static int32_t note(void *user, wfsm_call *call)
{
    (void)user;
    static const char patch[] = "{\"note\":\"noted\",\"extra\":[true]}";
    return wfsm_call_patch(call, patch, strlen(patch));
}

static int32_t broken(void *user, wfsm_call *call)
{
    (void)user;
    return wfsm_call_failed(call, NULL, "out of paint");
}

int32_t add_functions(wfsm_functions *functions, wfsm_error *error)
{
    int32_t status = wfsm_functions_add_guard(functions, "allowed", allowed, NULL, error);
    if (status == WFSM_OK)
        status = wfsm_functions_add_action(functions, "note", note, NULL, error);
    if (status == WFSM_OK)
        status = wfsm_functions_add_action(functions, "broken", broken, NULL, error);
    return status;
}

int32_t add_engine_functions(wfsm_engine *engine, wfsm_error *error)
{
    int32_t status = wfsm_engine_add_guard(engine, "allowed", allowed, NULL, error);
    if (status == WFSM_OK)
        status = wfsm_engine_add_action(engine, "note", note, NULL, error);
    if (status == WFSM_OK)
        status = wfsm_engine_add_action(engine, "broken", broken, NULL, error);
    return status;
}

/* ---- the failing store: every other call goes through ---- */

static int32_t flaky_commit(void *user, const wfsm_commit *const *commits, size_t count,
                            int32_t *answers, wfsm_error *error)
{
    flaky *self = user;
    wfsm_store *inner = self->inner;
    bool fails = ++self->commits == self->fail_at;
    if (!fails || self->written)
        inner->vtable.commit(inner->self, commits, count, answers, error);
    for (size_t i = 0; fails && i < count; i++)
        answers[i] = self->answer;
    return WFSM_OK;
}

#define INNER(user) (((flaky *)(user))->inner)

typedef struct bending {
    flaky *self;
    int kind;
    wfsm_row_sink sink;
    void *user;
} bending;

static int32_t bend(void *user, const wfsm_row *given)
{
    bending *through = user;
    wfsm_row row = *given;
    int32_t status = WFSM_OK;
    int times = !through->self->bend
                    ? 1
                    : through->self->bend(through->self->user, through->kind, &row);
    for (int i = 0; i < times && status == WFSM_OK; i++)
        status = through->sink(through->user, &row);
    return status;
}

static int32_t flaky_head(void *user, const char *id, wfsm_head *head, wfsm_error *error)
{
    flaky *self = user;
    wfsm_row row = {.size = sizeof row, .head = head};
    int32_t status = wfsm_store_head(self->inner, id, head, error);
    if (status == WFSM_OK && self->bend)
        self->bend(self->user, ROW_HEAD, &row);
    if (status == WFSM_OK)
        *head = *row.head;
    return status;
}
static int32_t flaky_records(void *user, const char *id, uint64_t from, uint64_t to,
                             wfsm_row_sink sink, void *to_user, wfsm_error *error)
{
    bending through = {user, ROW_RECORD, sink, to_user};
    return wfsm_store_records(INNER(user), id, from, to, bend, &through, error);
}
static int32_t flaky_snapshot(void *user, const char *id, const char *checkpoint,
                              wfsm_row_sink sink, void *to_user, wfsm_error *error)
{
    bending through = {user, checkpoint ? ROW_CHECKPOINT : ROW_SNAPSHOT, sink, to_user};
    return wfsm_store_snapshot(INNER(user), id, checkpoint, bend, &through, error);
}
static int32_t flaky_checkpoints(void *user, const char *id, wfsm_row_sink sink, void *to_user,
                                 wfsm_error *error)
{
    bending through = {user, ROW_LISTED, sink, to_user};
    return wfsm_store_checkpoints(INNER(user), id, bend, &through, error);
}
static int32_t flaky_list(void *user, const wfsm_query *query, wfsm_row_sink sink,
                          void *to_user, wfsm_error *error)
{
    return wfsm_store_list(INNER(user), query, sink, to_user, error);
}
static int32_t flaky_document(void *user, const char *fingerprint, wfsm_row_sink sink,
                              void *to_user, wfsm_error *error)
{
    bending through = {user, ROW_DOCUMENT, sink, to_user};
    return wfsm_store_document(INNER(user), fingerprint, bend, &through, error);
}
static int32_t flaky_seen(void *user, const char *id, const char *event, int32_t *seen,
                          wfsm_error *error)
{
    return wfsm_store_seen(INNER(user), id, event, seen, error);
}
static int32_t flaky_post(void *user, const wfsm_post *post, wfsm_error *error)
{
    return wfsm_store_submit(INNER(user), post, error);
}
static int32_t flaky_inbox(void *user, const char *id, uint64_t limit, wfsm_row_sink sink,
                           void *to_user, wfsm_error *error)
{
    return wfsm_store_inbox(INNER(user), id, limit, sink, to_user, error);
}
static int32_t flaky_acknowledge(void *user, const char *id, uint64_t effect, wfsm_error *error)
{
    return wfsm_store_acknowledge(INNER(user), id, effect, error);
}
static int32_t flaky_alive(void *user, const char *owner, int64_t until, wfsm_error *error)
{
    return wfsm_store_owner_alive(INNER(user), owner, until, error);
}
static int32_t flaky_claim(void *user, const char *session, int64_t mine, int64_t now,
                           int64_t until, wfsm_error *error)
{
    return wfsm_store_claim(INNER(user), session, mine, now, until, error);
}
static int32_t flaky_own(void *user, const char *id, const char *owner, int64_t now,
                         wfsm_error *error)
{
    return wfsm_store_own(INNER(user), id, owner, now, error);
}
static int32_t flaky_disown(void *user, const char *id, const char *owner, wfsm_error *error)
{
    return wfsm_store_disown(INNER(user), id, owner, error);
}
static int32_t flaky_remove(void *user, const char *id, wfsm_error *error)
{
    return wfsm_store_remove(INNER(user), id, error);
}

int32_t flaky_open(wfsm_store **store, flaky *self, const wfsm_allocator *allocator,
                   wfsm_error *error)
{
    wfsm_store_vtable vtable = {.size = sizeof vtable,
                                .commit = flaky_commit,
                                .head = flaky_head,
                                .records = flaky_records,
                                .snapshot = flaky_snapshot,
                                .checkpoints = flaky_checkpoints,
                                .list = flaky_list,
                                .document = flaky_document,
                                .seen = flaky_seen,
                                .post = flaky_post,
                                .inbox = flaky_inbox,
                                .acknowledge = flaky_acknowledge,
                                .owner_alive = flaky_alive,
                                .claim = flaky_claim,
                                .own = flaky_own,
                                .disown = flaky_disown,
                                .remove = flaky_remove};
    return wfsm_store_new(store, &vtable, self, allocator, error);
}

/* ---- the scarce allocator ---- */

static bool refuses(scarce *self)
{
    return ++self->calls == self->fail_at;
}

static void *scarce_allocate(void *user, size_t bytes)
{
    scarce *self = user;
    void *block = refuses(self) ? NULL : malloc(bytes);
    self->living += block != NULL;
    return block;
}

static void *scarce_resize(void *user, void *block, size_t bytes)
{
    scarce *self = user;
    void *moved = refuses(self) ? NULL : realloc(block, bytes);
    self->living += moved && !block;
    return moved;
}

static void scarce_release(void *user, void *block)
{
    scarce *self = user;
    self->living -= block != NULL;
    free(block);
}

wfsm_allocator scarce_allocator(scarce *self)
{
    return (wfsm_allocator){sizeof(wfsm_allocator), self, scarce_allocate, scarce_resize,
                            scarce_release};
}

/* ---- the script ---- */

typedef enum line_kind {
    SEND,
    ADVANCE,
    PATCH,
    CHECKPOINT,
    RESTORE,
    DELETE,
    CLAIM,
    RESULT,
    FAIL
} line_kind;

typedef struct script_line {
    line_kind kind;
    const char *name, *text;
    int64_t now;
} script_line;

/* Invocations are named by their place in the ledger: always the first. */
static const script_line script[SCRIPT_LENGTH] = {
    {SEND, "INC", "7", 1},
    {SEND, "NOPE", NULL, 1},
    {SEND, "LIST", NULL, 2},
    {CHECKPOINT, "early", "[\"file1.ts\"]", 2},
    {SEND, "BREAK", NULL, 3},
    {SEND, "LOOP", NULL, 3},
    {SEND, "GO", NULL, 4},
    {SEND, "NEXT", NULL, 5},
    {CLAIM, NULL, "me", 6},
    {ADVANCE, NULL, NULL, 50},
    {ADVANCE, NULL, NULL, 200},
    {FAIL, NULL, "network", 300},
    {CLAIM, NULL, "me", 360},
    {RESULT, NULL, "{\"no\":1}", 400},
    {SEND, "NEXT", NULL, 500},
    {SEND, "GO", NULL, 600},
    {SEND, "NEXT", NULL, 650},
    {SEND, "BACK", NULL, 700},
    {SEND, "GO", NULL, 750},
    {SEND, "AGAIN", NULL, 760},
    {CHECKPOINT, "late", NULL, 770},
    {PATCH, NULL, "{\"n\":5,\"new\":{\"k\":\"v\"}}", 780},
    {RESULT, NULL, "{\"ok\":1}", 800},
    {RESTORE, "late", NULL, 900},
    {CLAIM, NULL, "you", 910},
    {ADVANCE, NULL, NULL, 1950},
    {RESULT, NULL, "{\"ok\":2}", 2000},
    {SEND, "NEXT", NULL, 2010},
    {RESTORE, "", NULL, 2012},
    {DELETE, "late", NULL, 2015},
    {RESTORE, "early", NULL, 2020},
    {SEND, "INC", "{\"long\":\"text\"}", 2030},
    {ADVANCE, NULL, NULL, 7019},
    {ADVANCE, NULL, NULL, 7020},
    {SEND, "INC", NULL, 8000},
    {ADVANCE, NULL, NULL, 9000},
    {DELETE, "early", NULL, 9001},
};

static size_t length_of(const char *text)
{
    return !text ? 0 : strlen(text);
}

static int32_t run_work(wfsm_instance *instance, const script_line *line, int32_t *outcome,
                        wfsm_error *error)
{
    char id[WF_INVOCATION_ID_BYTES] = "none";
    const wf_invocation *first = wf_instance_invocation(instance, 0);
    if (first)
        wf_instance_invocation_id(instance, first, id);
    if (line->kind == CLAIM)
        return wfsm_instance_claim(instance, id, line->text, line->now, outcome, error);
    wfsm_report report = {.size = sizeof report,
                          .usage = "{\"tokens\":7,\"heat\":1}",
                          .usage_length = 21,
                          .signature = NULL,
                          .retry_after = 60};
    if (line->kind == FAIL)
        return wfsm_instance_failure(
            instance,
            FAILURE(id, .failure_class = line->text, .message = "it broke", .report = &report),
            line->now, outcome, error);
    return wfsm_instance_result(
        instance,
        RESULT(id, .output = line->text, .length = length_of(line->text), .report = &report),
        line->now, outcome, error);
}

int32_t run_line(wfsm_instance *instance, int number, int32_t *outcome, wfsm_error *error)
{
    const script_line *line = &script[number];
    int32_t fired;
    *outcome = 0;
    switch (line->kind) {
    case SEND:
        return wfsm_instance_send(
            instance, EVENT(line->name, .data = line->text, .length = length_of(line->text)),
            line->now, outcome, error);
    case ADVANCE:
        return wfsm_instance_advance(instance, line->now, &fired, outcome, error);
    case PATCH:
        return wfsm_instance_patch(instance, line->text, length_of(line->text), line->now,
                                   outcome, error);
    case CHECKPOINT:
        return wfsm_instance_checkpoint(
            instance,
            CHECKPOINT(line->name, .artifacts = line->text, .length = length_of(line->text)),
            line->now, outcome, error);
    case RESTORE:
        return wfsm_instance_restore(instance, FROM(line->name), line->now, outcome, error);
    case DELETE:
        return wfsm_instance_delete_checkpoint(instance, line->name, line->now, outcome, error);
    default:
        return run_work(instance, line, outcome, error);
    }
}

static char *write_bytes(const wfsm_instance *instance, const wf_snapshot *snapshot)
{
    wf_buffer out;
    wfsm_allocator allocator;
    wf_allocator_init(&allocator, NULL);
    wf_buffer_init(&out, &allocator);
    wf_snapshot_note note = {wf_instance_id(instance), NULL, snapshot->revision,
                             instance->attached ? instance->attached->digest : ""};
    wf_snapshot_write(&out, snapshot, &note);
    return out.data;
}

char *bytes_of(const wfsm_instance *instance)
{
    return write_bytes(instance, &instance->snapshot);
}

char *bare_bytes_of(const wfsm_instance *instance)
{
    wf_extras extras = *instance->snapshot.extras;
    wf_snapshot bare = instance->snapshot;
    extras.outbox.count = 0;
    bare.extras = &extras;
    return write_bytes(instance, &bare);
}
