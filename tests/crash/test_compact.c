/*
 * A run with two compactions into an archive, and the move there at its end, on a disk that
 * loses its power or fails at every n-th call: the journal is whole or compacted, what was
 * acknowledged is in the store or in the archive, no audit reports anything, and repeating the
 * call leads to the same end. The argument: every n, so many seeds.
 */
#include "crash/often.h"
#include "crash/power_vfs.h"
#include "../given.h"

#include <wfsm/sqlite.h>
#include <wfsm/wfsm.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unity.h>

enum { EVENTS = 60, MOST = 100 };

static const char document[] =
    "{\"id\":\"line\",\"initial\":\"on\",\"context\":{\"n\":0},\"states\":{\"on\":{\"on\":{"
    "\"stop\":\"off\",\"add\":{\"actions\":[{\"type\":\"assign\",\"params\":{\"n\":{\"+\":["
    "{\"var\":\"context.n\"},1]}}},{\"type\":\"emit\",\"params\":{\"event\":\"added\"}}]}}},"
    "\"off\":{\"type\":\"final\"}}}";

typedef struct journal {
    char *records[MOST + 1]; /* by revision */
    uint64_t last;
} journal;

static wfsm_machine *machine;
static journal whole;      /* of a life that nothing stopped */
static uint64_t told;      /* the last revision of which somebody was told */
static int wanted; /* every so many calls; 0: a few */
static struct {
    long breaks, audits, diagnostics, records;
} counts;

void setUp(void)
{
}

void tearDown(void)
{
}

static wfsm_store *open_store(const char *name)
{
    wfsm_store *store = NULL;
    return wfsm_sqlite_open(&store, name, NULL, NULL, NULL) ? NULL : store;
}

/* ---- the life ---- */

static int32_t send(wfsm_instance *instance, const char *event, int64_t now)
{
    char data[300];
    int32_t outcome = 0;
    memset(data, 'x', sizeof data);
    data[0] = data[sizeof data - 1] = '"';
    int32_t status = wfsm_instance_send(
        instance, EVENT(event, .data = data, .length = sizeof data), now, &outcome, NULL);
    if (!status)
        told = wfsm_instance_revision(instance);
    return status;
}

static int32_t take_effects(wfsm_instance *instance)
{
    const char *effect = "";
    size_t length;
    uint64_t number = 0;
    int32_t status = WFSM_OK;
    while (!status) {
        status = wfsm_instance_next_effect(instance, &effect, &length, &number, NULL);
        if (status || !effect)
            break;
        status = wfsm_instance_ack(instance, number, NULL);
    }
    return status;
}

static int32_t live_until(wfsm_store *store, uint64_t revision)
{
    wfsm_instance *instance = NULL;
    int32_t status = wfsm_instance_load(&instance, machine, store, NULL, "line", NULL);
    if (status == WFSM_NOT_FOUND) {
        status =
            wfsm_instance_start(&instance, machine, START("line", .store = store), 0, NULL);
        if (!status && !told)
            told = 1;
    }
    while (!status && wfsm_instance_revision(instance) < revision) {
        uint64_t at = wfsm_instance_revision(instance);
        status = send(instance, at == EVENTS ? "stop" : "add", (int64_t)at);
    }
    if (!status)
        status = take_effects(instance);
    wfsm_instance_free(instance);
    return status;
}

static int32_t compact(wfsm_store *store, wfsm_store *archive, uint64_t keep)
{
    const wfsm_compaction options = {.size = sizeof options, .keep = keep, .archive = archive};
    return wfsm_store_compact(store, "line", &options, NULL, NULL);
}

static bool has_moved(wfsm_store *store, wfsm_store *archive)
{
    wfsm_head head = {.size = sizeof head};
    return wfsm_store_head(store, "line", &head, NULL) == WFSM_NOT_FOUND &&
           wfsm_store_head(archive, "line", &head, NULL) == WFSM_OK;
}

/* Continues wherever it is. */
static int32_t live(wfsm_store *store, wfsm_store *archive)
{
    int32_t status = WFSM_OK;
    if (has_moved(store, archive))
        return WFSM_OK;
    status = live_until(store, 30);
    if (!status)
        status = compact(store, archive, 15);
    if (!status)
        status = live_until(store, 50);
    if (!status)
        status = compact(store, archive, 12);
    if (!status)
        status = live_until(store, EVENTS + 1);
    return status ? status : wfsm_store_archive(store, "line", archive, 100, NULL, NULL);
}

/* Closing writes the log into the file. */
static int32_t session(int patience)
{
    wfsm_store *store = open_store("line.db"), *archive = open_store("old.db");
    int32_t status = WFSM_IO;
    while (store && archive && status && patience--)
        status = live(store, archive);
    wfsm_store_free(store);
    wfsm_store_free(archive);
    return status;
}

/* ---- what must hold ---- */

static int32_t keep_record(void *user, const wfsm_row *row)
{
    journal *all = user;
    TEST_ASSERT_TRUE(row->revision <= MOST && !all->records[row->revision]);
    all->records[row->revision] = strndup(row->text, row->length);
    all->last = row->revision;
    return WFSM_OK;
}

static void forget(journal *all)
{
    for (size_t i = 0; i <= MOST; i++)
        free(all->records[i]);
    *all = (journal){.last = 0};
}

static int32_t print_diagnostic(void *user, const wfsm_audit_diagnostic *diagnostic)
{
    (void)user;
    printf("%s %" PRIu64 ": %s\n", diagnostic->instance, diagnostic->revision,
           diagnostic->message);
    return WFSM_OK;
}

static void audit(wfsm_store *store)
{
    wfsm_audit_counts found = {.size = sizeof found};
    TEST_ASSERT_EQUAL_INT32(
        WFSM_OK, wfsm_store_audit(store, NULL, print_diagnostic, NULL, &found, NULL));
    counts.audits++;
    counts.diagnostics += (long)found.diagnostics;
    TEST_ASSERT_EQUAL_UINT64(0, found.diagnostics);
}

/* The records that a store has are those of the life that nothing stopped. */
static uint64_t compare(wfsm_store *store, uint64_t *first)
{
    journal found = {.last = 0};
    wfsm_head head = {.size = sizeof head};
    int32_t status = wfsm_store_head(store, "line", &head, NULL);
    *first = status ? 0 : head.first;
    if (status)
        return 0;
    TEST_ASSERT_EQUAL_INT32(
        WFSM_OK, wfsm_store_records(store, "line", 1, UINT64_MAX, keep_record, &found, NULL));
    for (uint64_t i = *first; i <= found.last; i++) {
        TEST_ASSERT_EQUAL_STRING(whole.records[i], found.records[i]);
        counts.records++;
    }
    uint64_t last = found.last;
    forget(&found);
    return last;
}

static void check(void)
{
    wfsm_store *store = open_store("line.db"), *archive = open_store("old.db");
    uint64_t begins, from;
    TEST_ASSERT_NOT_NULL(store);
    TEST_ASSERT_NOT_NULL(archive);
    audit(store);
    audit(archive);
    uint64_t last = compare(store, &begins), archived = compare(archive, &from);
    TEST_ASSERT_TRUE(begins <= archived + 1);
    TEST_ASSERT_TRUE(told <= (last ? last : archived));
    wfsm_store_free(store);
    wfsm_store_free(archive);
}

static void continue_to_the_end(void)
{
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, session(1));
    check();
    wfsm_store *store = open_store("line.db"), *archive = open_store("old.db");
    uint64_t first;
    TEST_ASSERT_TRUE(has_moved(store, archive));
    TEST_ASSERT_EQUAL_UINT64(EVENTS + 1, compare(archive, &first));
    TEST_ASSERT_EQUAL_UINT64(1, first);
    wfsm_store_free(store);
    wfsm_store_free(archive);
}

static bool try_one(power_fault fault, int n, uint32_t seed)
{
    power_format();
    told = 0;
    power_arm(fault, n, fault == POWER_CUT);
    session(fault == POWER_CUT ? 1 : 4);
    if (!power_disarm())
        return false;
    counts.breaks++;
    power_cycle(seed);
    check();
    continue_to_the_end();
    return true;
}

/* ---- the cases ---- */

static void print_counts(const char *what, int calls)
{
    printf("%s: %d calls, %ld breaks, %ld records compared, %ld audits, diagnostics: %ld\n",
           what, calls, counts.breaks, counts.records, counts.audits, counts.diagnostics);
    TEST_ASSERT_GREATER_THAN(0, counts.breaks);
    memset(&counts, 0, sizeof counts);
}

static void a_power_cut_leaves_the_whole_journal_or_the_compacted_one(void)
{
    int calls = 0, step = wanted ? wanted : 19;
    for (int seed = 0; seed < 3; seed++)
        for (int n = 1 + seed % step; try_one(POWER_CUT, n, (uint32_t)seed); n += step)
            calls = n > calls ? n : calls;
    print_counts("power cuts", calls);
}

static void a_failing_disk_leaves_the_whole_journal_or_the_compacted_one(void)
{
    int calls = 0, step = wanted ? wanted : 29;
    for (int fault = POWER_CUT + 1; fault < POWER_FAULTS; fault++)
        for (int n = 1; try_one((power_fault)fault, n, 0); n += step)
            calls = n > calls ? n : calls;
    print_counts("faults", calls);
}

int main(int count, char **arguments)
{
    wanted = count > 1 ? atoi(arguments[1]) : 0;
    UNITY_BEGIN();
    power_install();
    checkpoint_often();
    if (wfsm_machine_load(&machine, document, strlen(document), NULL, NULL, NULL))
        return 1;
    power_format();
    wfsm_store *store = NULL;
    if (wfsm_memory_open(&store, NULL, NULL) || live_until(store, EVENTS + 1) ||
        wfsm_store_records(store, "line", 1, UINT64_MAX, keep_record, &whole, NULL))
        return 1;
    wfsm_store_free(store);
    RUN_TEST(a_power_cut_leaves_the_whole_journal_or_the_compacted_one);
    RUN_TEST(a_failing_disk_leaves_the_whole_journal_or_the_compacted_one);
    forget(&whole);
    wfsm_machine_unref(machine);
    power_remove();
    return UNITY_END() != 0;
}
