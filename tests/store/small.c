#include "store/small.h"
#include "../given.h"
#include "../ids/ids.h"

#include <stdio.h>
#include <string.h>
#include <unity.h>
#include <wfsm/wfsm.h>

static const char document[] =
    "{\"wfsm\":1,\"id\":\"m\",\"version\":\"1\",\"description\":\"small\",\"initial\":\"a\","
    "\"context\":{\"n\":0},\"states\":{\"a\":{\"tags\":[\"awaiting_input\"],\"on\":{\"GO\":{"
    "\"target\":\"b\",\"actions\":[{\"type\":\"assign\",\"params\":{\"n\":{\"+\":["
    "{\"var\":\"context.n\"},1]}}},{\"type\":\"emit\",\"params\":{\"event\":\"told\","
    "\"data\":{\"var\":\"context.n\"}}}]}}},\"b\":{\"tags\":[\"busy\"],\"invoke\":{"
    "\"src\":\"worker\",\"onDone\":\"a\"},\"after\":{\"5000\":\"c\"},\"on\":{\"BACK\":\"a\"}},"
    "\"c\":{\"type\":\"final\"}}}";

#define OK(call) TEST_ASSERT_EQUAL_STRING("OK", wfsm_status_name(call))

static wfsm_instance *begin(wfsm_store *store, const char *id)
{
    wfsm_machine *machine = NULL;
    wfsm_instance *instance = NULL;

    OK(wfsm_machine_load(&machine, document, strlen(document), NULL, NULL, NULL));
    OK(wfsm_instance_start(&instance, machine, START(id, .store = store), 1000, NULL));
    wfsm_machine_unref(machine);
    return instance;
}

static void send(wfsm_instance *instance, const char *event, const char *id, int64_t now)
{
    int32_t outcome;
    OK(wfsm_instance_send(instance,
                          EVENT(event, .id = id, .data = "{\"by\":\"me\"}", .length = 11), now,
                          &outcome, NULL));
    TEST_ASSERT_EQUAL_INT32(WFSM_TAKEN, outcome);
}

void small_fill(wfsm_store *store)
{
    int32_t outcome;
    wfsm_instance *one = begin(store, "one"), *two = begin(store, "two");

    send(one, "GO", "e1", 1100);
    OK(wfsm_instance_checkpoint(
        one, CHECKPOINT("early", .artifacts = "[\"file1.ts\"]", .length = 12), 1200, &outcome,
        NULL));
    OK(wfsm_instance_claim(one, ids_in(store, "one/2/2"), "me", 1300, &outcome, NULL));
    OK(wfsm_instance_result(one, RESULT(ids_in(store, "one/2/2"), .output = "7", .length = 1),
                            1400, &outcome, NULL));
    send(one, "GO", NULL, 1500);
    send(one, "BACK", "e2", 1600);
    send(one, "GO", NULL, 1700);
    OK(wfsm_instance_ack(one, 1, NULL));
    send(two, "GO", "e1", 1100);
    wfsm_instance_free(one);
    wfsm_instance_free(two);
    OK(wfsm_store_post(store, "one", "BACK", "p1", "{\"x\":1}", 7, 1800, NULL));
    OK(wfsm_store_post(store, "two", "BACK", NULL, NULL, 0, 1900, NULL));
    OK(wfsm_store_owner_alive(store, "engine-1", 5000000, NULL));
    OK(wfsm_store_owner_alive(store, "engine-2", 6000000, NULL));
    OK(wfsm_store_own(store, "one", "engine-1", 2000, NULL));
}

void small_compact(wfsm_store *store)
{
    const wfsm_compaction wanted = {.size = sizeof wanted, .keep = 3};
    wfsm_compacted done = {.size = sizeof done};
    wfsm_instance *two = NULL;
    char data[700];
    int32_t outcome;

    memset(data, 'x', sizeof data);
    data[0] = data[sizeof data - 1] = '"';
    OK(wfsm_instance_load(&two, NULL, store, NULL, "two", NULL));
    for (int64_t i = 0; i < 9; i++)
        OK(wfsm_instance_send(two,
                              EVENT(i % 2 ? "GO" : "BACK", .id = i == 7 ? "e2" : NULL,
                                    .data = data, .length = sizeof data),
                              1200 + i, &outcome, NULL));
    wfsm_instance_free(two);
    OK(wfsm_store_compact(store, "two", &wanted, &done, NULL));
    TEST_ASSERT_GREATER_THAN_UINT64(4, done.dropped);
}

/* ---- what it holds, as a number ---- */

static void add(uint64_t *sum, const void *bytes, size_t length)
{
    const unsigned char *at = bytes;
    for (size_t i = 0; i < length; i++)
        *sum = (*sum ^ at[i]) * 0x100000001b3u;
}

static void add_number(uint64_t *sum, uint64_t number)
{
    add(sum, &number, sizeof number);
}

static void add_text(uint64_t *sum, const char *text, size_t length)
{
    add_number(sum, text ? length : UINT64_MAX);
    add(sum, text, text ? length : 0);
}

static void add_name(uint64_t *sum, const char *text)
{
    add_text(sum, text, text ? strlen(text) : 0);
}

static int32_t add_row(void *user, const wfsm_row *row)
{
    add_name(user, row->id);
    add_name(user, row->instance);
    add_name(user, row->name);
    add_number(user, row->revision);
    add_number(user, row->number);
    add_number(user, (uint64_t)row->now);
    add_text(user, row->text, row->length);
    return WFSM_OK;
}

static void add_head(uint64_t *sum, const wfsm_head *head)
{
    const char *const texts[] = {head->instance, head->machine, head->fingerprint,
                                 head->owner,    head->token,   head->tags};
    const uint64_t numbers[] = {
        head->revision,          head->snapshot_revision, head->effects,
        head->acknowledged,      (uint64_t)head->status,  (uint64_t)head->deadline,
        (uint64_t)head->created, (uint64_t)head->updated, head->first};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        add_name(sum, texts[i]);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        add_number(sum, numbers[i]);
}

static int32_t add_listed(void *user, const wfsm_row *row)
{
    add_head(user, row->head);
    return WFSM_OK;
}

static int32_t add_events(wfsm_store *store, uint64_t *sum, const char *id)
{
    static const char *const events[] = {"e1", "e2", "p1", "p2"};
    int32_t status = WFSM_OK;
    for (size_t i = 0; i < 4 && !status; i++) {
        int32_t seen = 0;
        status = wfsm_store_seen(store, id, events[i], &seen, NULL);
        add_number(sum, (uint64_t)seen);
    }
    return status;
}

static int32_t add_instance(wfsm_store *store, uint64_t *sum, const char *id)
{
    wfsm_head head = {.size = sizeof head};
    char fingerprint[256];
    int32_t status = wfsm_store_head(store, id, &head, NULL);
    if (status)
        return status;
    add_head(sum, &head);
    snprintf(fingerprint, sizeof fingerprint, "%s", head.fingerprint);
    uint64_t first = head.first;
    status = wfsm_store_records(store, id, 1, UINT64_MAX, add_row, sum, NULL);
    if (!status && first > 1)
        status = wfsm_store_anchor(store, id, add_row, sum, NULL);
    if (!status)
        status = wfsm_store_snapshot(store, id, NULL, add_row, sum, NULL);
    if (!status)
        status = wfsm_store_checkpoints(store, id, add_row, sum, NULL);
    if (!status && strcmp(id, "one") == 0)
        status = wfsm_store_snapshot(store, id, "early", add_row, sum, NULL);
    if (!status)
        status = wfsm_store_document(store, fingerprint, add_row, sum, NULL);
    if (!status)
        status = wfsm_store_inbox(store, id, 0, add_row, sum, NULL);
    return status ? status : add_events(store, sum, id);
}

int32_t small_sum(wfsm_store *store, uint64_t *sum)
{
    *sum = 0xcbf29ce484222325u;
    int32_t status = wfsm_store_list(store, NULL, add_listed, sum, NULL);
    if (!status)
        status = wfsm_store_inbox(store, NULL, 0, add_row, sum, NULL);
    if (!status)
        status = add_instance(store, sum, "one");
    return status ? status : add_instance(store, sum, "two");
}
