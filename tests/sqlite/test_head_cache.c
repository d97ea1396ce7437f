/*
 * A connection remembers heads. If something else changes them, another connection or process
 * or the same one by another call, a commit is compared with the contents of the file. The
 * memory store, which has no such cache, is the reference.
 */
#include "database.h"
#include "sqlite/folder.h"
#include "sqlite/other.h"
#include "store/fixture.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <unity.h>

enum { CONNECTIONS = 3, INSTANCES = 4, COMMITS = 20, WRITERS = 8, MANY = 2400 };
static int rounds = 3000; /* the argument */
static const char *const ids[INSTANCES] = {"a", "b", "c", "a/long/id/of/an/instance"};
static wfsm_store *stores[CONNECTIONS], *model;

static void open_all(const char *name)
{
    for (int i = 0; i < CONNECTIONS; i++)
        stores[i] = folder_open(name);
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wfsm_memory_open(&model, NULL, NULL));
}

static void close_all(void)
{
    for (int i = 0; i < CONNECTIONS; i++)
        wfsm_store_free(stores[i]);
    wfsm_store_free(model);
    model = NULL;
    memset(stores, 0, sizeof stores);
}

void setUp(void)
{
}

void tearDown(void)
{
    close_all();
    folder_wipe();
}

/* ---- what can happen to an instance at revision 3, of which both connections know ---- */

typedef int32_t (*operation)(wfsm_store *store);

static int32_t commits(wfsm_store *store)
{
    wfsm_commit commit = commit_of("a", 3);
    return wf_store_commit_one(store, &commit, NULL);
}

static int32_t snaps(wfsm_store *store)
{
    wfsm_commit commit = commit_of("a", 3);
    commit.snapshot = "{\"s\":4}";
    commit.snapshot_length = 7;
    return wf_store_commit_one(store, &commit, NULL);
}

static int32_t owns(wfsm_store *store)
{
    return wfsm_store_own(store, "a", "me", 1, NULL);
}

static int32_t acknowledges(wfsm_store *store)
{
    return wfsm_store_acknowledge(store, "a", 1, NULL);
}

static int32_t posts(wfsm_store *store)
{
    return wfsm_store_post(store, "a", "GO", "p", NULL, 0, 1, NULL);
}

static int32_t cuts(wfsm_store *store)
{
    return wfsm_store_cut(store, "a", 2, "{\"s\":2}", 7, NULL);
}

static int32_t removes(wfsm_store *store)
{
    return wfsm_store_remove(store, "a", NULL);
}

/* Under the keys that the other one had. */
static int32_t begins_again(wfsm_store *store)
{
    int32_t status = wfsm_store_remove(store, "a", NULL);
    for (uint64_t base = 0; !status && base < 3; base++) {
        wfsm_commit commit = commit_of("a", base);
        commit.token = "another";
        status = wf_store_commit_one(store, &commit, NULL);
    }
    return status;
}

static int32_t nothing(wfsm_store *store)
{
    (void)store;
    return WFSM_OK;
}

static const operation operations[] = {commits, snaps,   owns,         acknowledges, posts,
                                       cuts,    removes, begins_again, nothing};
enum { OPERATIONS = sizeof operations / sizeof *operations };

static void begin(wfsm_store *store)
{
    for (uint64_t base = 0; base < 3; base++) {
        wfsm_commit commit = commit_of("a", base);
        commit.effects = base;
        commit.snapshot = base == 2 ? "{\"s\":3}" : NULL;
        commit.snapshot_length = base == 2 ? 7 : 0;
        expect_commit(store, &commit, WFSM_OK);
    }
}

/* A head, records and a snapshot leave a place behind, and a commit does. */
static void read_all(wfsm_store *store)
{
    wfsm_head head = {.size = sizeof head};
    kept_row row = {0};
    wfsm_store_head(store, "a", &head, NULL);
    wfsm_store_records(store, "a", 1, 9, keep_row, &row, NULL);
    wfsm_store_snapshot(store, "a", NULL, keep_row, &row, NULL);
}

/* Before a list reads all of them again. */
static void expect_same_head(wfsm_store *store, const char *id)
{
    wfsm_head right = {.size = sizeof right}, head = {.size = sizeof head};
    int32_t status = wfsm_store_head(model, id, &right, NULL);
    TEST_ASSERT_EQUAL_INT32(status, wfsm_store_head(store, id, &head, NULL));
    if (status)
        return;
    const char *const texts[] = {right.machine, right.fingerprint, right.owner, right.token,
                                 right.tags},
                      *const shown[] = {head.machine, head.fingerprint, head.owner, head.token,
                                        head.tags};
    const int64_t numbers[] = {(int64_t)right.revision,
                               (int64_t)right.snapshot_revision,
                               (int64_t)right.effects,
                               (int64_t)right.acknowledged,
                               right.status,
                               right.deadline,
                               right.created,
                               right.updated,
                               (int64_t)right.first},
                  given[] = {(int64_t)head.revision,
                             (int64_t)head.snapshot_revision,
                             (int64_t)head.effects,
                             (int64_t)head.acknowledged,
                             head.status,
                             head.deadline,
                             head.created,
                             head.updated,
                             (int64_t)head.first};
    TEST_ASSERT_EQUAL_STRING(id, head.instance);
    TEST_ASSERT_EQUAL_STRING_ARRAY(texts, shown, 5);
    TEST_ASSERT_EQUAL_INT64_ARRAY(numbers, given, 9);
}

static void expect_same(void)
{
    for (int i = 0; i < CONNECTIONS; i++)
        for (int k = 0; k < INSTANCES; k++)
            expect_same_head(stores[i], ids[k]);
    char *right = dump(model);
    for (int i = 0; i < CONNECTIONS; i++) {
        char *shown = dump(stores[i]);
        TEST_ASSERT_EQUAL_STRING(right, shown);
        free_dump(shown);
    }
    free_dump(right);
}

/* One operation by one connection, the next by another or the same. */
static void try_pair(int first, int second, int by, int then)
{
    char message[64];
    open_all("pair.db");
    begin(stores[0]);
    begin(model);
    for (int i = 0; i < CONNECTIONS; i++)
        read_all(stores[i]);
    snprintf(message, sizeof message, "operation %d by %d, then %d by %d", first, by, second,
             then);
    TEST_ASSERT_EQUAL_INT32_MESSAGE(operations[first](model), operations[first](stores[by]),
                                    message);
    TEST_ASSERT_EQUAL_INT32_MESSAGE(operations[second](model), operations[second](stores[then]),
                                    message);
    TEST_ASSERT_EQUAL_INT32_MESSAGE(commits(model), commits(stores[by]), message);
    expect_same();
    close_all();
    folder_wipe();
}

static void whatever_another_did_is_seen(void)
{
    for (int first = 0; first < OPERATIONS; first++)
        for (int second = 0; second < OPERATIONS; second++)
            for (int then = 0; then < 2; then++)
                try_pair(first, second, 0, then);
}

/* ---- a commit that did not end ---- */

static int refuse(void *user)
{
    (void)user;
    return 1;
}

static void what_was_undone_is_not_remembered(void)
{
    open_all("undone.db");
    begin(stores[0]);
    sqlite3_commit_hook(inner_connection(stores[0]), refuse, NULL);
    for (int i = 0; i < OPERATIONS - 1; i++)
        TEST_ASSERT_NOT_EQUAL_INT32(WFSM_OK, operations[i](stores[0]));
    wfsm_commit fresh = commit_of("b", 0);
    TEST_ASSERT_NOT_EQUAL_INT32(WFSM_OK, wf_store_commit_one(stores[0], &fresh, NULL));
    sqlite3_commit_hook(inner_connection(stores[0]), NULL, NULL);
    expect_commit(stores[0], &fresh, WFSM_OK);
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, commits(stores[0]));
    TEST_ASSERT_EQUAL_INT32(WFSM_CONFLICT, commits(stores[0]));
}

/* The second row of the batch is refused by SQLite itself, and takes the first with it. */
static void of_a_batch_that_broke_nothing_is_remembered(void)
{
    open_all("broken.db");
    begin(stores[0]);
    other_run("broken.db", "CREATE UNIQUE INDEX unlike ON journal (record) WHERE record = 'x'");
    wfsm_commit list[2] = {commit_of("a", 3), commit_of("a", 4)};
    const wfsm_commit *batch[2] = {&list[0], &list[1]};
    int32_t answers[2];
    list[0].record = list[1].record = "x";
    list[0].record_length = list[1].record_length = 1;
    TEST_ASSERT_NOT_EQUAL_INT32(WFSM_OK, wfsm_store_commit(stores[0], batch, 2, answers, NULL));
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, commits(stores[0]));
    TEST_ASSERT_EQUAL_INT32(WFSM_CONFLICT, commits(stores[0]));
}

/* ---- at random ---- */

static uint64_t seed;

static int any(int limit)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (int)(seed >> 33) % limit;
}

static const char *const owners[] = {"", "me", "you"};

/* One that fits, mostly. */
static wfsm_commit some_commit(const char *id)
{
    static char event[32];
    wfsm_head head = {.size = sizeof head};
    bool there = !wfsm_store_head(model, id, &head, NULL);
    wfsm_commit commit = commit_of(id, there ? head.revision : 0);
    commit.document = "{\"id\":\"machine\"}";
    commit.document_length = 16;
    if (there)
        for (int i = 0; i < 3; i++)
            if (!strcmp(owners[i], head.owner))
                commit.owner = owners[i];
    commit.base += any(8) == 0;
    commit.base -= commit.base && any(8) == 0;
    commit.owner = any(10) ? commit.owner : owners[any(3)];
    snprintf(event, sizeof event, "event %d", any(300));
    commit.event_id = any(3) ? NULL : event;
    commit.snapshot = any(3) ? NULL : "{\"s\":1}";
    commit.snapshot_length = commit.snapshot ? 7 : 0;
    commit.effects = commit.base;
    commit.status = any(9) ? WFSM_RUNNING : WFSM_DONE;
    commit.deadline = any(2) ? WFSM_NEVER : 5000 + any(5);
    commit.tags = any(2) ? "" : "busy";
    commit.token = any(2) ? "one" : "two";
    commit.machine = any(20) ? "machine" : "renamed";
    return commit;
}

static int32_t commit_some(wfsm_store *store, const wfsm_commit list[4], int32_t answers[4])
{
    const wfsm_commit *batch[4] = {&list[0], &list[1], &list[2], &list[3]};
    return wfsm_store_commit(store, batch, 4, answers, NULL);
}

/* Revisions in a row, and others between them. */
static void try_batch(wfsm_store *store, const char *id)
{
    wfsm_commit list[4];
    int32_t right[4], answers[4];
    for (int i = 0; i < 4; i++) {
        list[i] = some_commit(any(3) ? id : ids[any(INSTANCES)]);
        list[i].event_id = NULL;
        for (int k = 0; k < i; k++)
            list[i].base += !strcmp(list[i].instance, list[k].instance);
    }
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, commit_some(model, list, right));
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, commit_some(store, list, answers));
    TEST_ASSERT_EQUAL_INT32_ARRAY(right, answers, 4);
}

static int32_t cut_one(wfsm_store *store, const char *id)
{
    wfsm_head head = {.size = sizeof head};
    int32_t status = wfsm_store_head(model, id, &head, NULL);
    return status ? status
                  : wfsm_store_cut(store, id, head.snapshot_revision, "{\"s\":0}", 7, NULL);
}

static int32_t count_rows(wfsm_store *store, const char *id)
{
    kept_row row = {0}, full = {0};
    int32_t status = wfsm_store_records(store, id, 1, 99, keep_row, &row, NULL);
    wfsm_store_snapshot(store, id, NULL, keep_row, &full, NULL);
    return status ? status : row.count * 1000 + (int32_t)full.revision;
}

static int32_t some_operation(wfsm_store *store, int what, const char *id, int number)
{
    char event[32];
    wfsm_head head = {.size = sizeof head};
    snprintf(event, sizeof event, "event %d", number);
    switch (what) {
    case 0:
        return wfsm_store_own(store, id, owners[1 + number % 2], 5, NULL);
    case 1:
        return wfsm_store_disown(store, id, owners[1 + number % 2], NULL);
    case 2:
        return wfsm_store_acknowledge(store, id, (uint64_t)number % 8, NULL);
    case 3:
        return wfsm_store_post(store, id, "GO", event, NULL, 0, 1, NULL);
    case 4:
        return number % 8 ? WFSM_OK : wfsm_store_remove(store, id, NULL);
    case 5:
        return cut_one(store, id);
    case 6:
        return wfsm_store_owner_alive(store, owners[1 + number % 2], number % 10, NULL);
    case 7:
        return wfsm_store_head(store, id, &head, NULL) + (int32_t)head.revision * 100;
    default:
        return count_rows(store, id);
    }
}

static void connections_at_random_are_as_one(void)
{
    open_all("random.db");
    for (int i = 0; i < rounds; i++) {
        char message[64];
        wfsm_store *store = stores[any(5) ? 0 : any(CONNECTIONS)];
        const char *id = ids[any(INSTANCES)];
        int what = any(20), number = any(300);
        wfsm_commit commit = some_commit(id);
        snprintf(message, sizeof message, "round %d, operation %d on %s", i, what, id);
        if (what == 19)
            try_batch(store, id);
        else if (what < 9) /* the model last: a cut asks it */
            number = some_operation(store, what, id, number) -
                     some_operation(model, what, id, number);
        else
            number = wf_store_commit_one(store, &commit, NULL) -
                     wf_store_commit_one(model, &commit, NULL);
        if (what < 19)
            TEST_ASSERT_EQUAL_INT32_MESSAGE(0, number, message);
        if (i % 50 == 0)
            expect_same();
    }
    expect_same();
}

/* ---- views ---- */

static uint64_t revision_in(wfsm_store *store)
{
    wfsm_head head = {.size = sizeof head};
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wfsm_store_head(store, "a", &head, NULL));
    return head.revision;
}

static int records_in(wfsm_store *store)
{
    kept_row row = {0};
    TEST_ASSERT_EQUAL_INT32(
        WFSM_OK, wfsm_store_records(store, "a", 1, UINT64_MAX, keep_row, &row, NULL));
    return row.count;
}

static void a_view_is_of_one_moment(void)
{
    wfsm_head head = {.size = sizeof head};
    open_all("view.db");
    for (uint64_t base = 0; base < 4; base++) {
        wfsm_commit commit = commit_of("a", base);
        if (base == 3) {
            TEST_ASSERT_EQUAL_INT32(WFSM_OK, wf_store_view(stores[1], true, NULL));
            TEST_ASSERT_EQUAL_UINT64(3, revision_in(stores[1]));
        }
        expect_commit(stores[0], &commit, WFSM_OK);
    }
    TEST_ASSERT_EQUAL_UINT64(4, revision_in(stores[0]));
    TEST_ASSERT_EQUAL_UINT64(3, revision_in(stores[1]));
    TEST_ASSERT_EQUAL_INT(3, records_in(stores[1]));
    TEST_ASSERT_EQUAL_INT32(WFSM_NOT_FOUND, wfsm_store_head(stores[1], "none", &head, NULL));
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wf_store_view(stores[1], false, NULL));
    TEST_ASSERT_EQUAL_UINT64(4, revision_in(stores[1]));
    TEST_ASSERT_EQUAL_INT(4, records_in(stores[1]));
    wfsm_commit next = commit_of("a", 4);
    expect_commit(stores[1], &next, WFSM_OK);
}

/* ---- many, and many processes ---- */

/* More than are remembered: four kilobytes each. */
static void all_of_many_are_found(void)
{
    static char list_ids[MANY][24], tags[4096];
    static wfsm_commit list[MANY];
    static const wfsm_commit *batch[MANY];
    static int32_t answers[MANY];
    memset(tags, 't', sizeof tags - 1);
    open_all("many.db");
    const wf_sqlite_cache *cache = &((wf_sqlite *)stores[0]->self)->cache;
    for (uint64_t base = 0; base < 2; base++) {
        for (int i = 0; i < MANY; i++) {
            snprintf(list_ids[i], sizeof list_ids[i], "task-%d", i);
            list[i] = commit_of(list_ids[i], base);
            list[i].tags = tags;
            batch[i] = &list[i];
        }
        TEST_ASSERT_EQUAL_INT32(WFSM_OK,
                                wfsm_store_commit(stores[0], batch, MANY, answers, NULL));
        TEST_ASSERT_EACH_EQUAL_INT32(WFSM_OK, answers, MANY);
        TEST_ASSERT_LESS_OR_EQUAL_size_t(8 << 20, cache->bytes);
        TEST_ASSERT_LESS_THAN_size_t(MANY, cache->count);
    }
    expect_commit(stores[1], &list[0], WFSM_CONFLICT);
}

/* Nobody asks where the instance is before the commit says that it is elsewhere. */
static int32_t write_blindly(const char *file)
{
    wfsm_store *store = NULL;
    uint64_t base = 0;
    int32_t status = wfsm_sqlite_open(&store, file, NULL, NULL, NULL);
    for (int taken = 0; !status && taken < COMMITS;) {
        wfsm_commit commit = commit_of("all", base);
        wfsm_head head = {.size = sizeof head};
        commit.document = "{}";
        commit.document_length = 2;
        status = wf_store_commit_one(store, &commit, NULL);
        if (status == WFSM_OK) {
            taken++;
            base++;
        } else if (status == WFSM_CONFLICT || status == WFSM_EXISTS) {
            status = wfsm_store_head(store, "all", &head, NULL);
            base = head.revision;
        }
    }
    wfsm_store_free(store);
    return status;
}

static void many_handles_count_right(void)
{
    pid_t children[WRITERS];
    const char *file = folder_file("many.db");
    wfsm_head head = {.size = sizeof head};
    kept_row row = {0};
    fflush(NULL);
    for (int i = 0; i < WRITERS; i++) {
        children[i] = fork();
        if (!children[i])
            _exit(write_blindly(file));
    }
    for (int i = 0; i < WRITERS; i++) {
        int result = 0;
        TEST_ASSERT_EQUAL_INT(children[i], waitpid(children[i], &result, 0));
        TEST_ASSERT_TRUE(WIFEXITED(result));
        TEST_ASSERT_EQUAL_STRING("OK", wfsm_status_name(WEXITSTATUS(result)));
    }
    open_all("many.db");
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wfsm_store_head(stores[0], "all", &head, NULL));
    TEST_ASSERT_EQUAL_UINT64(WRITERS * COMMITS, head.revision);
    TEST_ASSERT_EQUAL_INT32(
        WFSM_OK, wfsm_store_records(stores[1], "all", 1, UINT64_MAX, keep_row, &row, NULL));
    TEST_ASSERT_EQUAL_INT(WRITERS * COMMITS, row.count);
}

int main(int count, char **arguments)
{
    if (count > 1)
        rounds = atoi(arguments[1]);
    UNITY_BEGIN();
    RUN_TEST(whatever_another_did_is_seen);
    RUN_TEST(what_was_undone_is_not_remembered);
    RUN_TEST(of_a_batch_that_broke_nothing_is_remembered);
    RUN_TEST(connections_at_random_are_as_one);
    RUN_TEST(a_view_is_of_one_moment);
    RUN_TEST(all_of_many_are_found);
    RUN_TEST(many_handles_count_right);
    folder_remove();
    return UNITY_END() != 0;
}
