/* The store of examples/embed passes what every store must, and recognises a call that was cut
 * off at any byte. */
#include "../examples/embed/own_store.h"
#include "failing_allocator.h"
#include "store/conformance.h"
#include "testkit/plays.h"

#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <unity.h>

static char folders[2][64];

static const char *log_of(int which)
{
    static char path[80];
    snprintf(path, sizeof path, "%s/log", folders[which]);
    return path;
}

static void wipe(void *user)
{
    (void)user;
    unlink(log_of(0));
    unlink(log_of(1));
}

static void make_folders(void)
{
    for (int i = 0; i < 2; i++) {
        snprintf(folders[i], sizeof folders[i], "%s/wfsm-own-XXXXXX",
                 access("/dev/shm", W_OK) ? "/tmp" : "/dev/shm");
        TEST_ASSERT_NOT_NULL(mkdtemp(folders[i]));
    }
}

void setUp(void)
{
}

void tearDown(void)
{
    wipe(NULL);
}

static int32_t open_store(void *user, int32_t which, wfsm_store **store, wfsm_error *error)
{
    (void)user;
    return own_store_open(store, folders[which], NULL, error);
}

static int32_t open_first(void *user, wfsm_store **store, wfsm_error *error)
{
    return open_store(user, 0, store, error);
}

static wfsm_store *opened(void)
{
    wfsm_store *store = NULL;
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, open_first(NULL, &store, NULL));
    return store;
}

static void it_passes_every_case(void)
{
    const wfsm_testkit_store_options options = {
        .size = sizeof options, .open = open_store, .wipe = wipe, .durable = 1};
    TEST_ASSERT_EQUAL_INT(0, conformance_run(&options, 55));
}

static void a_workflow_on_it_survives_every_fault(void)
{
    play_store none = {.kept = NULL};
    wfsm_machine *machine = play_machine();
    wfsm_testkit_crash_options options = play_options(&none, machine);
    wfsm_testkit_crash_counts counts = {.size = sizeof counts};
    options.open = open_first;
    options.wipe = wipe;
    options.cut = NULL;
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wfsm_testkit_crash(&options, &counts, NULL));
    wfsm_machine_unref(machine);
    TEST_ASSERT_EQUAL_STRING("", none.message);
    TEST_ASSERT_EQUAL_UINT64(0, counts.violations);
    TEST_ASSERT_GREATER_THAN_UINT64(100, counts.runs);
}

static wfsm_commit commit_of(uint64_t base)
{
    static char record[] = "{\"a\":\"record that is long enough to be cut\"}";
    wfsm_commit made = {.size = sizeof made,
                        .instance = "a",
                        .base = base,
                        .owner = "",
                        .token = "t",
                        .record = record,
                        .record_length = sizeof record - 1,
                        .machine = "m",
                        .fingerprint = "f",
                        .tags = "",
                        .status = WFSM_RUNNING,
                        .deadline = WFSM_NEVER,
                        .now = 1};
    if (!base) {
        made.snapshot = made.document = "{}";
        made.snapshot_length = made.document_length = 2;
    }
    return made;
}

static int32_t commit(wfsm_store *store, uint64_t base)
{
    const wfsm_commit made = commit_of(base), *list = &made;
    int32_t answer = -1;
    wfsm_store_commit(store, &list, 1, &answer, NULL);
    return answer;
}

static uint64_t revision(wfsm_store *store)
{
    wfsm_head head = {.size = sizeof head};
    return wfsm_store_head(store, "a", &head, NULL) ? 0 : head.revision;
}

static off_t log_size(void)
{
    struct stat log;
    TEST_ASSERT_EQUAL_INT(0, stat(log_of(0), &log));
    return log.st_size;
}

/* Two commits; *first is where the second one begins in the log. */
static off_t two_commits(off_t *first)
{
    wfsm_store *store = opened();
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, commit(store, 0));
    *first = log_size();
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, commit(store, 1));
    wfsm_store_free(store);
    return log_size();
}

static void expect_only_the_first(off_t first, off_t size)
{
    wfsm_store *store = opened();
    TEST_ASSERT_EQUAL_UINT64(1, revision(store));
    TEST_ASSERT_EQUAL_INT64(first, log_size());
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, commit(store, 1));
    TEST_ASSERT_EQUAL_UINT64(2, revision(store));
    wfsm_store_free(store);
    TEST_ASSERT_EQUAL_INT64(size, log_size());
}

static void a_call_that_was_cut_off_is_absent(void)
{
    off_t first, size = two_commits(&first);
    for (off_t cut = first; cut < size; cut++) {
        TEST_ASSERT_EQUAL_INT(0, truncate(log_of(0), cut));
        expect_only_the_first(first, size);
    }
}

static void flip(off_t place, int bit)
{
    int file = open(log_of(0), O_RDWR);
    unsigned char byte;
    TEST_ASSERT_EQUAL(1, pread(file, &byte, 1, place));
    byte ^= (unsigned char)(1 << bit);
    TEST_ASSERT_EQUAL(1, pwrite(file, &byte, 1, place));
    close(file);
}

static void a_call_with_a_wrong_bit_is_absent(void)
{
    off_t first, size = two_commits(&first);
    for (off_t place = first; place < size; place++) {
        flip(place, (int)(place % 8));
        expect_only_the_first(first, size);
    }
}

static void another_file_is_left_alone(void)
{
    wfsm_store *store = NULL;
    FILE *file = fopen(log_of(0), "w");
    TEST_ASSERT_NOT_NULL(file);
    fputs("another program's log\n", file);
    fclose(file);
    TEST_ASSERT_EQUAL_INT32(WFSM_CORRUPT, open_first(NULL, &store, NULL));
    TEST_ASSERT_EQUAL_INT64(22, log_size());
    TEST_ASSERT_EQUAL_INT32(WFSM_STORE_FAILED,
                            own_store_open(&store, "/no such folder", NULL, NULL));
    TEST_ASSERT_NULL(store);
}

static void limit_files(rlim_t bytes)
{
    struct rlimit limit;
    getrlimit(RLIMIT_FSIZE, &limit);
    limit.rlim_cur = bytes;
    TEST_ASSERT_EQUAL_INT(0, setrlimit(RLIMIT_FSIZE, &limit));
}

/* Whatever part of the call fits: the handle, and others, see the store as it was. */
static void a_full_disk_changes_nothing(void)
{
    off_t first, size = two_commits(&first);
    signal(SIGXFSZ, SIG_IGN);
    for (off_t room = 0; room < size - first; room++) {
        wfsm_store *store = opened();
        limit_files((rlim_t)(size + room));
        TEST_ASSERT_EQUAL_INT32(WFSM_STORE_UNKNOWN, commit(store, 2));
        limit_files(RLIM_INFINITY);
        TEST_ASSERT_EQUAL_UINT64(2, revision(store));
        TEST_ASSERT_EQUAL_INT64(size, log_size());
        wfsm_store_free(store);
    }
}

/* The first commit of a batch is whole on the disk, but was not synced. */
static void a_batch_that_does_not_fit_is_absent(void)
{
    const wfsm_commit made[] = {commit_of(2), commit_of(3)}, *list[] = {&made[0], &made[1]};
    int32_t answers[2] = {-1, -1};
    off_t first, size = two_commits(&first);
    wfsm_store *store = opened(), *other = opened();
    signal(SIGXFSZ, SIG_IGN);
    limit_files((rlim_t)(size + (size - first) + 10));
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wfsm_store_commit(store, list, 2, answers, NULL));
    limit_files(RLIM_INFINITY);
    TEST_ASSERT_EQUAL_INT32(WFSM_STORE_UNKNOWN, answers[0]);
    TEST_ASSERT_EQUAL_INT32(WFSM_STORE_UNKNOWN, answers[1]);
    TEST_ASSERT_EQUAL_UINT64(2, revision(other));
    TEST_ASSERT_EQUAL_UINT64(2, revision(store));
    wfsm_store_free(other);
    wfsm_store_free(store);
}

/* Fails the allocations after the first `left`; true: everything worked. */
static bool try_with(long left)
{
    wfsm_store *store = NULL;
    failing memory;
    bool worked;
    failing_init(&memory, left);
    int32_t status = own_store_open(&store, folders[0], &memory.allocator, NULL);
    worked = !status;
    if (store && (status = commit(store, 2)))
        worked = false;
    TEST_ASSERT_TRUE(!status || status == WFSM_NO_MEMORY);
    memory.left = -1;
    if (store && !worked) {
        TEST_ASSERT_EQUAL_UINT64(2, revision(store));
        TEST_ASSERT_EQUAL_INT32(WFSM_OK, commit(store, 2));
    }
    wfsm_store_free(store);
    TEST_ASSERT_EQUAL(0, memory.alive);
    return worked;
}

static void no_memory_changes_nothing(void)
{
    off_t first, size = two_commits(&first);
    long left = 0;
    while (!try_with(left++))
        TEST_ASSERT_EQUAL_INT(0, truncate(log_of(0), size));
    TEST_ASSERT_GREATER_THAN(10, left);
}

int main(void)
{
    int failures;
    UNITY_BEGIN();
    make_folders();
    RUN_TEST(it_passes_every_case);
    RUN_TEST(a_workflow_on_it_survives_every_fault);
    RUN_TEST(a_call_that_was_cut_off_is_absent);
    RUN_TEST(a_call_with_a_wrong_bit_is_absent);
    RUN_TEST(another_file_is_left_alone);
    RUN_TEST(a_full_disk_changes_nothing);
    RUN_TEST(a_batch_that_does_not_fit_is_absent);
    RUN_TEST(no_memory_changes_nothing);
    failures = UNITY_END();
    rmdir(folders[0]);
    rmdir(folders[1]);
    return failures != 0;
}
