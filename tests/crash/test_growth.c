/*
 * The cost of a commit (writes, syncs and bytes) does not grow with the age of an instance,
 * with the number of other instances, or with the number of compactions of its journal. It is
 * compared with a bare SQLite loop on a file of the same age. The argument is the number of
 * commits; the default is 10,000.
 */
#include "crash/bare.h"
#include "crash/power_vfs.h"
#include "../given.h"

#include <wfsm/sqlite.h>
#include <wfsm/wfsm.h>
#include <inttypes.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unity.h>

enum { WINDOW = 1000, MANY = 10000 };

static int commits = 10000;

/* An order that is packed: counters that change, a text and a list that do not. */
static const char document[] =
    "{\"wfsm\":1,\"id\":\"line\",\"initial\":\"packing\",\"context\":{"
    "\"packed\":0,\"last\":0,\"customer\":\"Ada Lovelace, 12 St James's Square\","
    "\"items\":[{\"id\":1,\"name\":\"gear\"},{\"id\":2,\"name\":\"shaft\"}]},"
    "\"states\":{\"packing\":{\"on\":{\"pack\":{\"target\":\"packing\",\"reenter\":"
    "true,"
    "\"actions\":{\"type\":\"assign\",\"params\":{"
    "\"packed\":{\"+\":[{\"var\":\"context.packed\"},1]},"
    "\"last\":{\"var\":\"event.data.n\"}}}}}}}}";

typedef struct line {
    int instances;
    wfsm_store *store;
    wfsm_machine *machine;
    wfsm_instance **handles;
} line;

void setUp(void)
{
    power_format();
}

void tearDown(void)
{
}

static void good(int32_t status)
{
    TEST_ASSERT_EQUAL_STRING("OK", wfsm_status_name(status));
}

static void start_line(line *self, int instances)
{
    char id[20];
    *self = (line){.instances = instances};
    self->handles = calloc((size_t)instances, sizeof *self->handles);
    TEST_ASSERT_NOT_NULL(self->handles);
    good(wfsm_machine_load(&self->machine, document, strlen(document), NULL, NULL, NULL));
    good(wfsm_sqlite_open(&self->store, "line.db", NULL, NULL, NULL));
    for (int i = 0; i < instances; i++) {
        snprintf(id, sizeof id, "order-%05d", i);
        good(wfsm_instance_start(&self->handles[i], self->machine,
                                 START(id, .store = self->store), 1000, NULL));
    }
}

static void reload_line(line *self)
{
    self->handles = calloc(1, sizeof *self->handles);
    TEST_ASSERT_NOT_NULL(self->handles);
    good(wfsm_machine_load(&self->machine, document, strlen(document), NULL, NULL, NULL));
    good(wfsm_sqlite_open(&self->store, "line.db", NULL, NULL, NULL));
    good(wfsm_instance_load(&self->handles[0], self->machine, self->store, NULL, "order-00000",
                            NULL));
}

static void step_line(line *self, int n)
{
    char data[40];
    snprintf(data, sizeof data, "{\"n\":%d}", 100000 + n % 1000);
    good(wfsm_instance_send(self->handles[n % self->instances],
                            EVENT("pack", .data = data, .length = strlen(data)), 1000 + n, NULL,
                            NULL));
}

static void end_line(line *self)
{
    for (int i = 0; i < self->instances; i++)
        wfsm_instance_free(self->handles[i]);
    free(self->handles);
    wfsm_store_free(self->store);
    wfsm_machine_unref(self->machine);
}

static power_counts since(power_counts before)
{
    power_counts now = power_count();
    return (power_counts){now.writes - before.writes, now.syncs - before.syncs,
                          now.bytes - before.bytes, now.reads - before.reads};
}

/* What the commits of two windows cost: at age 1,000, and the last ones. */
typedef struct ages {
    power_counts young, old;
} ages;

static void note_age(ages *costs, int n, power_counts *before)
{
    if (n == WINDOW || n == commits - WINDOW)
        *before = power_count();
    if (n == 2 * WINDOW)
        costs->young = since(*before);
    if (n == commits)
        costs->old = since(*before);
}

static ages costs_of_line(int instances)
{
    line self;
    ages costs = {0};
    power_counts before = {0};
    start_line(&self, instances);
    for (int n = 0; n < commits; n++) {
        note_age(&costs, n, &before);
        step_line(&self, n);
    }
    note_age(&costs, commits, &before);
    end_line(&self);
    return costs;
}

static int number(sqlite3 *connection, const char *sql)
{
    sqlite3_stmt *statement;
    TEST_ASSERT_EQUAL_INT(SQLITE_OK, sqlite3_prepare_v2(connection, sql, -1, &statement, NULL));
    TEST_ASSERT_EQUAL_INT(SQLITE_ROW, sqlite3_step(statement));
    int value = sqlite3_column_int(statement, 0);
    sqlite3_finalize(statement);
    return value;
}

/* The bytes of all records, and of a head, as the store has just written them. */
static size_t *read_sizes(int instances, size_t *head_bytes)
{
    size_t count = (size_t)(instances + commits), i = 0;
    size_t *sizes = calloc(count, sizeof *sizes);
    sqlite3 *connection;
    sqlite3_stmt *statement;
    TEST_ASSERT_NOT_NULL(sizes);
    TEST_ASSERT_EQUAL_INT(SQLITE_OK, sqlite3_open("line.db", &connection));
    *head_bytes =
        (size_t)number(connection, "SELECT max(length(revision) + length(last)) FROM head");
    TEST_ASSERT_EQUAL_INT(
        SQLITE_OK,
        sqlite3_prepare_v2(connection,
                           "SELECT length(record) + ifnull(length(snapshot), 0) +"
                           " length(token) + length(tags) + 20 FROM journal ORDER BY key",
                           -1, &statement, NULL));
    for (; sqlite3_step(statement) == SQLITE_ROW && i < count; i++)
        sizes[i] = (size_t)sqlite3_column_int(statement, 0);
    TEST_ASSERT_EQUAL_size_t(count, i);
    sqlite3_finalize(statement);
    sqlite3_close(connection);
    return sizes;
}

static ages costs_of_bare(int instances)
{
    size_t head_bytes, *sizes = read_sizes(instances, &head_bytes);
    bare *loop = bare_new("bare.db", head_bytes);
    ages costs = {0};
    power_counts before = {0};
    for (int i = 0; i < instances; i++)
        bare_step(loop, i, sizes[i]);
    for (int n = 0; n < commits; n++) {
        note_age(&costs, n, &before);
        bare_step(loop, n % instances, sizes[instances + n]);
    }
    note_age(&costs, commits, &before);
    bare_free(loop);
    free(sizes);
    return costs;
}

static void print(const char *who, int age, const power_counts *cost)
{
    printf("  %-5s at commit %6d: %.2f writes, %.3f syncs, %.0f bytes, %.2f reads\n", who, age,
           (double)cost->writes / WINDOW, (double)cost->syncs / WINDOW,
           (double)cost->bytes / WINDOW, (double)cost->reads / WINDOW);
}

/* Old is to young, relative to the bare loop, as 1 to 1: a twentieth is left to chance.
 */
static void check_growth(const char *what, int64_t young, int64_t old, int64_t bare_young,
                         int64_t bare_old)
{
    double growth = (double)old / (double)young * (double)bare_young / (double)bare_old;
    printf("  %s, relative to the bare loop: %.2f at first, %.2f at last\n", what,
           (double)young / (double)bare_young, (double)old / (double)bare_old);
    TEST_ASSERT_TRUE_MESSAGE(growth < 1.05, what);
}

static void compare(int instances)
{
    ages ours = costs_of_line(instances), loop = costs_of_bare(instances);
    printf("%d instance(s), costs of a commit:\n", instances);
    print("wfsm", 2 * WINDOW, &ours.young);
    print("wfsm", commits, &ours.old);
    print("bare", 2 * WINDOW, &loop.young);
    print("bare", commits, &loop.old);
    check_growth("writes", ours.young.writes, ours.old.writes, loop.young.writes,
                 loop.old.writes);
    check_growth("syncs", ours.young.syncs, ours.old.syncs, loop.young.syncs, loop.old.syncs);
    check_growth("bytes", ours.young.bytes, ours.old.bytes, loop.young.bytes, loop.old.bytes);
}

static int64_t reads_of_a_load(void)
{
    wfsm_instance *instance;
    wfsm_store *store;
    good(wfsm_sqlite_open(&store, "line.db", NULL, NULL, NULL));
    power_counts before = power_count();
    good(wfsm_instance_load(&instance, NULL, store, NULL, "order-00000", NULL));
    int64_t reads = since(before).reads;
    wfsm_instance_free(instance);
    wfsm_store_free(store);
    return reads;
}

/* Loading starts at the last full snapshot, wherever the journal began. */
static void loading_at_any_age(void)
{
    line self;
    int64_t young = 0, old;
    start_line(&self, 1);
    for (int n = 0; n < commits; n++) {
        step_line(&self, n);
        if (n == WINDOW) {
            end_line(&self);
            young = reads_of_a_load();
            reload_line(&self);
        }
    }
    end_line(&self);
    old = reads_of_a_load();
    printf("reads of a load: %" PRId64 " at commit %d, %" PRId64 " at commit %d\n", young,
           (int)WINDOW, old, commits);
    TEST_ASSERT_LESS_OR_EQUAL_INT64(young + 8, old);
}

static int64_t pages_of_line(void)
{
    sqlite3 *connection;
    TEST_ASSERT_EQUAL_INT(SQLITE_OK, sqlite3_open("line.db", &connection));
    int64_t pages = number(connection, "PRAGMA page_count");
    sqlite3_close(connection);
    return pages;
}

/* A line that is compacted again and again: its commits cost the same, and the room of what
 * went is used by what comes. */
static void one_that_is_compacted(void)
{
    line self;
    power_counts young = {0}, old = {0};
    int64_t pages = 0;
    const wfsm_compaction keep = {.size = sizeof keep, .keep = 100};
    start_line(&self, 1);
    for (int n = 0, age = 0; n < commits; n += WINDOW, age++) {
        power_counts before = power_count();
        for (int i = 0; i < WINDOW; i++)
            step_line(&self, n + i);
        old = since(before);
        young = age == 1 ? old : young;
        good(wfsm_store_compact(self.store, "order-00000", &keep, NULL, NULL));
        if (age == 1) {
            end_line(&self);
            pages = pages_of_line();
            reload_line(&self);
        }
    }
    end_line(&self);
    printf("compacted every %d commits:\n", (int)WINDOW);
    print("wfsm", 2 * WINDOW, &young);
    print("wfsm", commits, &old);
    printf("  the file: %" PRId64 " pages at commit %d, %" PRId64 " at commit %d\n", pages,
           2 * WINDOW, pages_of_line(), commits);
    TEST_ASSERT_LESS_THAN_INT64(young.bytes + young.bytes / 20, old.bytes);
    TEST_ASSERT_LESS_THAN_INT64(young.writes + young.writes / 20, old.writes);
    TEST_ASSERT_LESS_THAN_INT64(pages + pages / 10, pages_of_line());
}

static void one_instance_that_grows_old(void)
{
    compare(1);
}

static void many_instances(void)
{
    compare(MANY);
}

int main(int count, char **arguments)
{
    if (count > 1)
        commits = atoi(arguments[1]);
    UNITY_BEGIN();
    power_install();
    RUN_TEST(one_instance_that_grows_old);
    RUN_TEST(many_instances);
    RUN_TEST(one_that_is_compacted);
    RUN_TEST(loading_at_any_age);
    power_remove();
    return UNITY_END() != 0;
}
