/* Stored bytes are checked: a damaged file gives CORRUPT, and does no other harm. */
#include "sqlite/folder.h"
#include "sqlite/other.h"
#include "store/fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unity.h>

void setUp(void)
{
}

void tearDown(void)
{
    folder_wipe();
}

/* Two instances with all that one can have. */
static void fill(const char *name)
{
    wfsm_store *store = folder_open(name);
    start_instance(store, "b", 3);
    for (uint64_t base = 0; base < 4; base++) {
        wfsm_commit commit = commit_of("a", base);
        commit.snapshot = commit.checkpoint_snapshot = "{\"s\":1}";
        commit.snapshot_length = commit.checkpoint_length = 7;
        commit.checkpoint = "c";
        expect_commit(store, &commit, WFSM_OK);
    }
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wfsm_store_post(store, "a", "GO", "p", NULL, 0, 1, NULL));
    wfsm_store_free(store);
}

typedef enum reading {
    HEAD,
    RECORDS,
    SNAPSHOT,
    CHECKPOINT,
    CHECKPOINTS,
    DOCUMENT,
    INBOX,
    LIST
} reading;

static int32_t read_a(wfsm_store *store, const char *instance, reading what, wfsm_error *error)
{
    kept_row row = {0};
    wfsm_head head = {.size = sizeof head};
    switch (what) {
    case HEAD:
        return wfsm_store_head(store, instance, &head, error);
    case RECORDS:
        return wfsm_store_records(store, instance, 1, 99, keep_row, &row, error);
    case SNAPSHOT:
        return wfsm_store_snapshot(store, instance, NULL, keep_row, &row, error);
    case CHECKPOINT:
        return wfsm_store_snapshot(store, instance, "c", keep_row, &row, error);
    case CHECKPOINTS:
        return wfsm_store_checkpoints(store, instance, keep_row, &row, error);
    case DOCUMENT:
        return wfsm_store_document(store, "f1", keep_row, &row, error);
    case INBOX:
        return wfsm_store_inbox(store, NULL, 0, keep_row, &row, error);
    default:
        return wfsm_store_list(store, NULL, keep_row, &row, error);
    }
}

static const struct {
    const char *sql;
    reading what;
    const char *words;
} damages[] = {
    {"UPDATE journal SET tags = CAST(x'ff' AS TEXT) WHERE key = 7", HEAD, "column tags"},
    {"UPDATE journal SET token = CAST(x'6100' AS TEXT) WHERE key = 7", HEAD, "token"},
    {"UPDATE instance SET owner = CAST(x'eda080' AS TEXT) WHERE id = 'a'", HEAD, "owner"},
    {"UPDATE head SET revision = -4 WHERE key = 2", HEAD, "column revision"},
    {"UPDATE instance SET status = 3 WHERE id = 'a'", HEAD, "column status"},
    {"UPDATE instance SET status = 3 WHERE id = 'a'", LIST, "table instance"},
    {"UPDATE instance SET document = 99 WHERE id = 'a'", HEAD, "fingerprint"},
    {"UPDATE head SET revision = 3 WHERE key = 2", RECORDS, "revision 3"},
    {"UPDATE head SET revision = 9000000000 WHERE key = 2", RECORDS, "9000000000"},
    {"UPDATE head SET last = 1 WHERE key = 2", RECORDS, "table journal"},
    {"UPDATE head SET last = 6 WHERE key = 2", RECORDS, "revision 4"},
    {"UPDATE head SET last = 6 WHERE key = 2", HEAD, "revision 4"},
    {"UPDATE head SET last = 99 WHERE key = 2", LIST, "revision 4"},
    {"DELETE FROM head WHERE key = 2", HEAD, "column revision"},
    {"DELETE FROM head WHERE key = 2", RECORDS, "column revision"},
    {"UPDATE journal SET snapshot_revision = 5 WHERE key = 7", RECORDS, "column snapshot_key"},
    {"UPDATE journal SET snapshot_key = 5, snapshot_revision = 3 WHERE key = 7", SNAPSHOT,
     "revision 3"},
    {"UPDATE journal SET snapshot_key = 99, snapshot_revision = 3 WHERE key = 7", SNAPSHOT,
     "revision 3"},
    {"UPDATE journal SET effects = -1 WHERE key = 7", HEAD, "column effects"},
    {"DELETE FROM journal WHERE key = 5", RECORDS, "revision 2"},
    {"UPDATE journal SET instance = 1 WHERE key = 5", RECORDS, "revision 2"},
    {"UPDATE journal SET previous = 7 WHERE key = 7", RECORDS, "revision 3"},
    {"UPDATE journal SET previous = NULL WHERE key = 7", RECORDS, "revision 4"},
    {"UPDATE journal SET previous = 0 WHERE key = 7", RECORDS, "column previous"},
    {"UPDATE instance SET first = 3 WHERE id = 'a'", RECORDS, "revision 3"},
    {"UPDATE instance SET first = 0 WHERE id = 'a'", RECORDS, "column first"},
    {"UPDATE instance SET first = 5 WHERE id = 'a'", RECORDS, "column first"},
    {"UPDATE journal SET record = CAST(x'c3' AS TEXT) WHERE key = 6", RECORDS, "record"},
    {"UPDATE journal SET snapshot = CAST(x'c0af' AS TEXT) WHERE key = 7", SNAPSHOT, "snapshot"},
    {"UPDATE journal SET snapshot = NULL WHERE key = 7", SNAPSHOT, "column snapshot"},
    {"UPDATE checkpoint SET snapshot = CAST(x'f5' AS TEXT)", CHECKPOINT, "checkpoint"},
    {"UPDATE checkpoint SET revision = -1", CHECKPOINTS, "column revision"},
    {"UPDATE document SET text = CAST(x'f08080' AS TEXT)", DOCUMENT, "column text"},
    {"UPDATE inbox SET name = CAST(x'80' AS TEXT)", INBOX, "column name"},
    {"UPDATE inbox SET instance = 77", INBOX, "column id"},
};

static void a_row_that_cannot_be_is_named(void)
{
    for (size_t i = 0; i < sizeof damages / sizeof *damages; i++) {
        fill("rows.db");
        other_run("rows.db", damages[i].sql);
        wfsm_store *store = folder_open("rows.db");
        wfsm_error *error = wfsm_error_new(NULL);
        TEST_ASSERT_EQUAL_INT32_MESSAGE(
            WFSM_CORRUPT, read_a(store, "a", damages[i].what, error), damages[i].sql);
        const char *message = wfsm_error_message(error);
        TEST_ASSERT_NOT_NULL_MESSAGE(strstr(message, damages[i].words), message);
        TEST_ASSERT_NOT_NULL_MESSAGE(strstr(message, "rows.db"), message);
        TEST_ASSERT_EQUAL_INT32(WFSM_OK, read_a(store, "b", HEAD, error));
        TEST_ASSERT_EQUAL_INT32(WFSM_OK, read_a(store, "b", RECORDS, error));
        wfsm_commit commit = commit_of("b", 3);
        TEST_ASSERT_EQUAL_INT32(WFSM_OK, wf_store_commit_one(store, &commit, error));
        wfsm_error_free(error);
        wfsm_store_free(store);
        folder_wipe();
    }
}

/* A damaged head refuses its own commit only. */
static void a_commit_on_a_damaged_head_is_refused_alone(void)
{
    fill("head.db");
    other_run("head.db", "UPDATE instance SET owner = CAST(x'ff' AS TEXT) WHERE id = 'a'");
    wfsm_store *store = folder_open("head.db");
    wfsm_commit list[2] = {commit_of("a", 4), commit_of("b", 3)};
    const wfsm_commit *batch[2] = {&list[0], &list[1]};
    int32_t answers[2];
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wfsm_store_commit(store, batch, 2, answers, NULL));
    TEST_ASSERT_EQUAL_INT32(WFSM_CORRUPT, answers[0]);
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, answers[1]);
    wfsm_store_free(store);
}

/* Opens and reads all that can be read; whatever it answers, it must not crash or hang.
 */
static int read_everything(const char *name)
{
    wfsm_store *store;
    wfsm_sqlite_options options = {.size = sizeof options, .busy_ms = 10};
    int failures = try_open(&store, name, &options) != WFSM_OK;
    for (int what = HEAD; !failures && what <= LIST; what++) {
        failures += read_a(store, "a", (reading)what, NULL) != WFSM_OK;
        failures += read_a(store, "b", (reading)what, NULL) != WFSM_OK;
    }
    wfsm_store_free(store);
    return failures;
}

static void a_truncated_file_is_refused_or_read(void)
{
    size_t length;
    fill("whole.db");
    char *bytes = file_read("whole.db", &length);
    size_t refused = 0, tried = 0;
    for (size_t kept = 1; kept < length; kept += kept < 200 ? 7 : 1021) {
        file_write("cut.db", bytes, kept);
        refused += read_everything("cut.db") > 0;
        tried++;
        remove(folder_file("cut.db-wal"));
        remove(folder_file("cut.db-shm"));
    }
    TEST_ASSERT_EQUAL_size_t(tried, refused);
    free(bytes);
}

static void flipped_bits_never_crash(void)
{
    size_t length;
    uint32_t random = 1;
    int refused = 0;
    fill("whole.db");
    char *bytes = file_read("whole.db", &length);
    for (int round = 0; round < 300; round++) {
        random = random * 1664525u + 1013904223u;
        size_t at = (random >> 4) % (length - 100);
        at = round % 3 ? at : at % 300;
        bytes[at] = (char)(bytes[at] ^ (1 << (random & 7)));
        file_write("flip.db", bytes, length);
        refused += read_everything("flip.db") > 0;
        bytes[at] = (char)(bytes[at] ^ (1 << (random & 7)));
        remove(folder_file("flip.db-wal"));
        remove(folder_file("flip.db-shm"));
    }
    TEST_ASSERT_GREATER_THAN_INT(30, refused);
    free(bytes);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(a_row_that_cannot_be_is_named);
    RUN_TEST(a_commit_on_a_damaged_head_is_refused_alone);
    RUN_TEST(a_truncated_file_is_refused_or_read);
    RUN_TEST(flipped_bits_never_crash);
    folder_remove();
    return UNITY_END() != 0;
}
