/* An instance is loaded while others commit to it, and while its store fails. */
#include <string.h>
#include <unity.h>
#include "store/store.h"
#include "support.h"
#include "../given.h"
#include <wfsm/revisions.h>
#include <wfsm/audit.h>

static const char document[] =
    "{\"wfsm\":1,\"id\":\"m\",\"initial\":\"a\",\"context\":{\"n\":0},"
    "\"states\":{\"a\":{\"on\":{\"GO\":{\"actions\":{\"type\":\"assign\",\"params\":"
    "{\"n\":{\"+\":[{\"var\":\"context.n\"},1]}}}}}}}}";

static wfsm_error *error;
static wfsm_machine *machine;
static wfsm_store *memory, *outer;
static int commits_between, heads;
static bool fails_then; /* the next head after the commits in between */

static void commit_more(int times)
{
    wfsm_instance *other = NULL;
    int32_t outcome;
    TEST_ASSERT_EQUAL_INT32(WFSM_OK,
                            wfsm_instance_load(&other, machine, memory, NULL, "one", error));
    for (int i = 0; i < times; i++)
        TEST_ASSERT_EQUAL_INT32(WFSM_OK,
                                wfsm_instance_send(other, EVENT("GO"), 1, &outcome, error));
    wfsm_instance_free(other);
}

static int32_t read_head(void *self, const char *id, wfsm_head *head, wfsm_error *failure)
{
    (void)self;
    heads++;
    if (!fails_then || commits_between > 0)
        return wfsm_store_head(memory, id, head, failure);
    fails_then = false;
    wfsm_error_set(failure, WFSM_IO, "the server is gone");
    return WFSM_IO;
}

/* Enough for another full snapshot, so that the head that was read before is not that of the snapshot. */
static int32_t read_snapshot(void *self, const char *id, const char *checkpoint,
                             wfsm_row_sink sink, void *user, wfsm_error *failure)
{
    int times = commits_between;
    (void)self;
    commits_between = 0;
    if (times > 0)
        commit_more(times);
    return wfsm_store_snapshot(memory, id, checkpoint, sink, user, failure);
}

static int32_t read_records(void *self, const char *id, uint64_t from, uint64_t to,
                            wfsm_row_sink sink, void *user, wfsm_error *failure)
{
    (void)self;
    return wfsm_store_records(memory, id, from, to, sink, user, failure);
}

static void keep_open(void *self)
{
    (void)self;
}

void setUp(void)
{
    wfsm_instance *instance = NULL;
    wfsm_store_vtable vtable;
    error = wfsm_error_new(NULL);
    commits_between = heads = 0;
    fails_then = false;
    TEST_ASSERT_EQUAL_INT32(
        WFSM_OK, wfsm_machine_load(&machine, document, strlen(document), NULL, NULL, error));
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wfsm_memory_open(&memory, NULL, error));
    vtable = memory->vtable;
    vtable.head = read_head;
    vtable.snapshot = read_snapshot;
    vtable.records = read_records;
    vtable.view = NULL;
    vtable.close = keep_open;
    TEST_ASSERT_EQUAL_INT32(WFSM_OK,
                            wfsm_store_new(&outer, &vtable, memory->self, NULL, error));
    TEST_ASSERT_EQUAL_INT32(
        WFSM_OK,
        wfsm_instance_start(&instance, machine, START("one", .store = memory), 0, error));
    wfsm_instance_free(instance);
}

void tearDown(void)
{
    wfsm_store_free(outer);
    wfsm_store_free(memory);
    wfsm_machine_unref(machine);
    wfsm_error_free(error);
}

static int32_t load(wfsm_instance **instance)
{
    return wfsm_instance_load(instance, machine, outer, NULL, "one", error);
}

static void test_commits_in_between_are_no_damage(void)
{
    wfsm_instance *instance = NULL;
    commits_between = 1000;
    TEST_ASSERT_EQUAL_INT32_MESSAGE(WFSM_OK, load(&instance), wfsm_error_message(error));
    TEST_ASSERT_EQUAL_UINT64(1001, wfsm_instance_revision(instance));
    TEST_ASSERT_GREATER_THAN_INT(2, heads);
    wfsm_instance_free(instance);
}

/* Then nobody knows whether it is damage. */
static void test_nor_if_the_store_fails_then(void)
{
    wfsm_instance *instance = NULL;
    commits_between = 1000;
    fails_then = true;
    TEST_ASSERT_EQUAL_INT32_MESSAGE(WFSM_IO, load(&instance), wfsm_error_message(error));
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(wfsm_error_message(error), "the server is gone"),
                                 wfsm_error_message(error));
    TEST_ASSERT_NULL(instance);
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, load(&instance));
    wfsm_instance_free(instance);
}

static int32_t count(void *user, const wfsm_audit_diagnostic *diagnostic)
{
    (void)diagnostic;
    ++*(int *)user;
    return WFSM_OK;
}

/* A diagnostic would be wrong. */
static void test_an_audit_fails_in_the_same_way(void)
{
    wfsm_audit_counts counts = {.size = sizeof counts};
    int diagnostics = 0;
    commits_between = 1000;
    fails_then = true;
    TEST_ASSERT_EQUAL_INT32_MESSAGE(
        WFSM_IO, wfsm_store_audit(outer, "one", count, &diagnostics, &counts, error),
        wfsm_error_message(error));
    TEST_ASSERT_EQUAL_INT(0, commits_between);
    TEST_ASSERT_EQUAL_INT(0, diagnostics);
}

static void test_so_does_a_look_at_the_past(void)
{
    wfsm_instance *instance = NULL;
    commit_more(1000);
    commits_between = 1000;
    fails_then = true;
    TEST_ASSERT_EQUAL_INT32_MESSAGE(WFSM_IO,
                                    wfsm_instance_load_at(&instance, outer, "one", 1001, error),
                                    wfsm_error_message(error));
    TEST_ASSERT_NULL(instance);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_commits_in_between_are_no_damage);
    RUN_TEST(test_nor_if_the_store_fails_then);
    RUN_TEST(test_an_audit_fails_in_the_same_way);
    RUN_TEST(test_so_does_a_look_at_the_past);
    return UNITY_END() != 0;
}
