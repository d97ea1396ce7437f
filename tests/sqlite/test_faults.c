/*
 * The disk fails at every write and every sync of a commit. After each answer the
 * machine loses its power, as far as a test can show that: the files are copied as they are,
 * and the copies are opened. What was acknowledged is there, and what has certainly failed is
 * not.
 */
#include "sqlite/faults.h"
#include "sqlite/folder.h"
#include "sqlite/other.h"
#include "store/fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <unity.h>

static struct {
    int faults, failed, unknown, accepted;
} counts;

void setUp(void)
{
}

void tearDown(void)
{
    faults_disarm();
    folder_wipe();
}

static void copy_file(const char *from, const char *to)
{
    size_t length;
    char *bytes = file_read(from, &length);
    file_write(to, bytes, length);
    free(bytes);
}

static uint64_t revision_of(wfsm_store *store)
{
    wfsm_head head = {.size = sizeof head};
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wfsm_store_head(store, "a", &head, NULL));
    return head.revision;
}

/* The revision that a host would find after a crash now. */
static uint64_t revision_after_crash(void)
{
    copy_file("disk.db", "copy.db");
    copy_file("disk.db-wal", "copy.db-wal");
    remove(folder_file("copy.db-shm"));
    wfsm_store *store = folder_open("copy.db");
    uint64_t revision = revision_of(store);
    wfsm_store_free(store);
    return revision;
}

static wfsm_commit long_commit(uint64_t base)
{
    static char text[9000];
    memset(text, ' ', sizeof text);
    text[0] = '1';
    wfsm_commit commit = commit_of("a", base);
    commit.record = text;
    commit.record_length = sizeof text;
    return commit;
}

static void check_answer(int32_t answer, uint64_t crashed)
{
    if (answer == WFSM_OK) {
        counts.accepted++;
        TEST_ASSERT_EQUAL_UINT64(4, crashed);
    } else if (answer == WFSM_STORE_UNKNOWN) {
        counts.unknown++;
    } else {
        counts.failed++;
        TEST_ASSERT_EQUAL_STRING("STORE_FAILED", wfsm_status_name(answer));
        TEST_ASSERT_EQUAL_UINT64(3, crashed);
    }
}

/* While the fate of a commit is open, nothing is told that a crash could make untrue.
 */
static bool check_reading(wfsm_store *store, int32_t answer)
{
    wfsm_head head = {.size = sizeof head};
    int32_t status = wfsm_store_head(store, "a", &head, NULL);
    bool faulty = faults_disarm();
    if (answer == WFSM_STORE_UNKNOWN && status)
        TEST_ASSERT_EQUAL_STRING("IO", wfsm_status_name(status));
    else
        TEST_ASSERT_EQUAL_UINT64(head.revision, revision_after_crash());
    return faulty;
}

static bool try_fault(fault_kind kind, int n, bool for_good)
{
    wfsm_store *store = folder_open("disk.db");
    start_instance(store, "a", 3);
    wfsm_commit commit = long_commit(3);
    faults_arm(kind, n, for_good);
    int32_t answer = wf_store_commit_one(store, &commit, NULL);
    bool faulty = check_reading(store, answer);
    check_answer(answer, revision_after_crash());
    uint64_t revision = revision_of(store);
    TEST_ASSERT_EQUAL_UINT64(revision, revision_after_crash());
    commit = commit_of("a", revision);
    expect_commit(store, &commit, WFSM_OK);
    TEST_ASSERT_EQUAL_UINT64(revision + 1, revision_after_crash());
    wfsm_store_free(store);
    folder_wipe();
    counts.faults += faulty;
    return faulty;
}

static void every_fault_is_answered_truly(void)
{
    for (int kind = 0; kind < FAULT_KINDS; kind++)
        for (int for_good = 0; for_good < 2; for_good++)
            for (int n = 1; try_fault((fault_kind)kind, n, for_good); n++)
                TEST_ASSERT_LESS_THAN_INT(100, n);
    printf("faults: %d, failed: %d, unknown: %d, accepted: %d, violations: 0\n", counts.faults,
           counts.failed, counts.unknown, counts.accepted);
    TEST_ASSERT_GREATER_THAN_INT(0, counts.unknown);
    TEST_ASSERT_GREATER_THAN_INT(0, counts.failed);
}

/* Opening, and creating, on a failing disk: an error, never a crash, and it works
 * after. */
static void a_store_can_be_made_after_every_fault(void)
{
    for (int kind = 0; kind < FAULT_KINDS; kind++) {
        bool faulty = true;
        for (int n = 1; faulty; n++) {
            wfsm_store *store;
            faults_arm((fault_kind)kind, n, true);
            int32_t status = try_open(&store, "disk.db", NULL);
            faulty = faults_disarm();
            if (status)
                TEST_ASSERT_TRUE_MESSAGE(faulty, open_message);
            wfsm_store_free(store);
            store = folder_open("disk.db");
            start_instance(store, "a", 1);
            wfsm_store_free(store);
            folder_wipe();
        }
    }
}

/* Writes of a hundred commits of one instance among many; a page is two writes. */
static int writes_of_commits(wfsm_store *store, uint64_t base)
{
    faults_count();
    for (uint64_t i = 0; i < 100; i++) {
        wfsm_commit commit = commit_of("a", base + i);
        expect_commit(store, &commit, WFSM_OK);
    }
    TEST_ASSERT_EQUAL_INT(100, faults_syncs());
    return faults_writes();
}

/* A hundred commits of an instance, with event ids or without, as one batch. */
static int writes_of_batch(wfsm_store *store, uint64_t base, const char *const *ids)
{
    static wfsm_commit list[100];
    const wfsm_commit *batch[100];
    int32_t answers[100];
    for (uint64_t i = 0; i < 100; i++) {
        list[i] = commit_of("a", base + i);
        list[i].event_id = ids ? ids[i] : NULL;
        batch[i] = &list[i];
    }
    faults_count();
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wfsm_store_commit(store, batch, 100, answers, NULL));
    for (int i = 0; i < 100; i++)
        TEST_ASSERT_EQUAL_INT32(WFSM_OK, answers[i]);
    return faults_writes();
}

static void a_batch_costs_one_sync(void)
{
    wfsm_store *store = folder_open("batch.db");
    sqlite3_wal_autocheckpoint(inner_connection(store), 0);
    start_instance(store, "a", 1);
    int writes = writes_of_batch(store, 1, NULL);
    printf("writes of a batch of 100: %d; syncs: %d\n", writes, faults_syncs());
    TEST_ASSERT_EQUAL_INT(1, faults_syncs());
    TEST_ASSERT_LESS_THAN_INT(60, writes);
    wfsm_store_free(store);
}

/* Their index has no entry for them, and no page of it is written. */
static void records_without_an_event_id_pay_nothing_for_it(void)
{
    char text[100][24];
    const char *ids[100];
    wfsm_store *store = folder_open("ids.db");
    sqlite3_wal_autocheckpoint(inner_connection(store), 0);
    start_instance(store, "a", 1);
    for (int i = 0; i < 100; i++)
        ids[i] = (snprintf(text[i], sizeof text[i], "event-%d", i), text[i]);
    int without = 0, with = 0;
    for (uint64_t base = 1; base <= 1000; base += 100)
        without = writes_of_batch(store, base, NULL);
    with = writes_of_batch(store, 1001, ids);
    wfsm_store_free(store);
    sqlite3_int64 entries =
        other_number("ids.db", "SELECT count(*) FROM journal INDEXED BY journal_event"
                               " WHERE event_id IS NOT NULL");
    printf("writes of 100 records: %d without event ids, %d with them; entries: %d\n", without,
           with, (int)entries);
    TEST_ASSERT_EQUAL_INT64(100, entries);
    TEST_ASSERT_LESS_THAN_INT(with, without);
}

/* One sync, the page of the journal and the page of the head, however old it is. */
static void a_commit_costs_the_same_at_any_age(void)
{
    wfsm_store *store = folder_open("old.db");
    sqlite3_wal_autocheckpoint(inner_connection(store), 0);
    start_instance(store, "b", 50);
    start_instance(store, "a", 100);
    int young = writes_of_commits(store, 100);
    for (uint64_t base = 200; base < 5000; base += 100)
        writes_of_commits(store, base);
    int old = writes_of_commits(store, 5000);
    printf("writes of 100 commits: %d at age 100, %d at age 5,000; syncs: 100\n", young, old);
    TEST_ASSERT_LESS_OR_EQUAL_INT(420, young);
    TEST_ASSERT_LESS_OR_EQUAL_INT(young + 8, old);
    wfsm_store_free(store);
}

int main(void)
{
    UNITY_BEGIN();
    faults_install();
    RUN_TEST(every_fault_is_answered_truly);
    RUN_TEST(a_store_can_be_made_after_every_fault);
    RUN_TEST(a_commit_costs_the_same_at_any_age);
    RUN_TEST(a_batch_costs_one_sync);
    RUN_TEST(records_without_an_event_id_pay_nothing_for_it);
    folder_remove();
    return UNITY_END() != 0;
}
