/*
 * Every fault at every call of the store, and of the archive, while a journal is compacted
 * into it twice and moves there. Afterwards the journal is whole or compacted and passes its
 * audit, and the same call made again completes the work.
 * With an argument every call, else every fifth.
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unity.h>
#include <wfsm/testkit.h>
#include <wfsm/wfsm.h>
#include "../given.h"

static const char document[] =
    "{\"id\":\"line\",\"initial\":\"on\",\"context\":{\"n\":0},\"states\":{\"on\":{\"on\":{"
    "\"stop\":\"off\",\"add\":{\"actions\":[{\"type\":\"assign\",\"params\":{\"n\":{\"+\":["
    "{\"var\":\"context.n\"},1]}}},{\"type\":\"emit\",\"params\":{\"event\":\"added\"}}]}}},"
    "\"off\":{\"type\":\"final\"}}}";

static wfsm_machine *machine;
static wfsm_store *store, *archive; /* the store below the faults */
static uint64_t faults, audits, step = 5; /* with an argument 1 */

void setUp(void)
{
    TEST_ASSERT_EQUAL_INT32(
        WFSM_OK, wfsm_machine_load(&machine, document, strlen(document), NULL, NULL, NULL));
}

void tearDown(void)
{
    wfsm_machine_unref(machine);
}

static void good(int32_t status)
{
    TEST_ASSERT_EQUAL_STRING("OK", wfsm_status_name(status));
}

static void send(wfsm_instance *instance, const char *event, int64_t now)
{
    char data[800];
    int32_t outcome;
    memset(data, 'x', sizeof data);
    data[0] = data[sizeof data - 1] = '"';
    good(wfsm_instance_send(instance, EVENT(event, .data = data, .length = sizeof data), now,
                            &outcome, NULL));
}

static void live(bool ends)
{
    wfsm_instance *instance = NULL;
    const char *effect = NULL;
    size_t length;
    uint64_t number = 0;
    good(wfsm_memory_open(&store, NULL, NULL));
    good(wfsm_memory_open(&archive, NULL, NULL));
    good(wfsm_instance_start(&instance, machine, START("line", .store = store), 0, NULL));
    for (int i = 0; i < 20; i++)
        send(instance, "add", i);
    if (ends)
        send(instance, "stop", 20);
    do {
        good(wfsm_instance_next_effect(instance, &effect, &length, &number, NULL));
        if (effect)
            good(wfsm_instance_ack(instance, number, NULL));
    } while (effect);
    wfsm_instance_free(instance);
}

static int32_t print_diagnostic(void *user, const wfsm_audit_diagnostic *diagnostic)
{
    (void)user;
    printf("%s %" PRIu64 ": %s\n", diagnostic->instance, diagnostic->revision,
           diagnostic->message);
    return WFSM_OK;
}

static void audit(wfsm_store *which)
{
    wfsm_audit_counts counts = {.size = sizeof counts};
    good(wfsm_store_audit(which, NULL, print_diagnostic, NULL, &counts, NULL));
    TEST_ASSERT_EQUAL_UINT64(0, counts.diagnostics);
    audits++;
}

static int32_t do_it(wfsm_store *from, wfsm_store *to, bool ends)
{
    wfsm_compaction options = {.size = sizeof options, .keep = 12, .archive = to};
    int32_t status = WFSM_OK;
    if (ends)
        return wfsm_store_archive(from, "line", to, 100, NULL, NULL);
    for (int i = 0; i < 2 && status == WFSM_OK; i++, options.keep -= 8)
        status = wfsm_store_compact(from, "line", &options, NULL, NULL);
    return status;
}

static uint64_t revision_of(wfsm_store *which)
{
    wfsm_head head = {.size = sizeof head};
    return wfsm_store_head(which, "line", &head, NULL) == WFSM_OK ? head.revision : 0;
}

static void expect_done(bool ends)
{
    wfsm_head head = {.size = sizeof head};
    audit(store);
    audit(archive);
    if (ends) {
        TEST_ASSERT_EQUAL_UINT64(0, revision_of(store));
        TEST_ASSERT_EQUAL_UINT64(22, revision_of(archive));
    } else {
        good(wfsm_store_head(store, "line", &head, NULL));
        TEST_ASSERT_GREATER_THAN_UINT64(10, head.first);
        TEST_ASSERT_EQUAL_UINT64(head.first - 1, revision_of(archive));
    }
}

/* False when there are fewer calls. */
static bool try_one(bool ends, bool of_archive, int32_t fault, uint64_t at)
{
    wfsm_testkit_plan plan = {.size = sizeof plan, .fault = fault, .at = at, .delay = 2};
    wfsm_store *wrapped = NULL;
    live(ends);
    good(wfsm_testkit_wrap(&wrapped, of_archive ? archive : store, &plan, NULL));
    int32_t status = do_it(of_archive ? store : wrapped, of_archive ? wrapped : archive, ends);
    bool hit = plan.happened > 0;
    wfsm_store_free(wrapped);
    if (!hit)
        good(status);
    faults += hit;
    audit(store);
    audit(archive);
    TEST_ASSERT_TRUE(revision_of(store) > 0 || (ends && revision_of(archive) == 22));
    if (revision_of(store) > 0)
        good(do_it(store, archive, ends));
    expect_done(ends);
    wfsm_store_free(store);
    wfsm_store_free(archive);
    return hit;
}

static void every_fault_at_every_call(void)
{
    for (int32_t fault = WFSM_TESTKIT_FAIL; fault <= WFSM_TESTKIT_CUT_AFTER; fault++)
        for (int which = 0; which < 4; which++)
            for (uint64_t at = 1 + (uint64_t)fault % step;
                 try_one(which & 1, which & 2, fault, at);)
                at += step;
    printf("%" PRIu64 " faults, %" PRIu64 " audits\n", faults, audits);
    TEST_ASSERT_GREATER_THAN_UINT64(20, faults);
}

int main(int count, char **arguments)
{
    (void)arguments;
    if (count > 1)
        step = 1;
    UNITY_BEGIN();
    RUN_TEST(every_fault_at_every_call);
    return UNITY_END() != 0;
}
