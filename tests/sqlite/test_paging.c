/* Reading a page of a long journal does not cost as much as reading all of it. */
#include "sqlite/folder.h"
#include "sqlite/other.h"
#include "store/fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sqlite3.h>
#include <unity.h>

enum { BATCH = 500 };

static wfsm_store *store;
static uint64_t records = 5000; /* the argument */
static uint64_t statements;

void setUp(void)
{
    store = folder_open("a.db");
}

void tearDown(void)
{
    wfsm_store_free(store);
    store = NULL;
    folder_wipe();
}

static int count_statement(unsigned event, void *user, void *statement, void *text)
{
    (void)event;
    (void)user;
    (void)statement;
    (void)text;
    statements++;
    return 0;
}

static void make_journal(const char *instance, uint64_t from, uint64_t to)
{
    static wfsm_commit commits[BATCH];
    static const wfsm_commit *list[BATCH];
    static int32_t answers[BATCH];
    for (uint64_t base = from; base < to; base += BATCH) {
        for (uint64_t i = 0; i < BATCH; i++) {
            commits[i] = commit_of(instance, base + i);
            list[i] = &commits[i];
        }
        TEST_ASSERT_EQUAL_INT32(WFSM_OK, wfsm_store_commit(store, list, BATCH, answers, NULL));
        TEST_ASSERT_EQUAL_INT32(WFSM_OK, answers[BATCH - 1]);
    }
}

typedef struct reading {
    uint64_t next, wrong;
} reading;

static int32_t expect(void *user, const wfsm_row *row)
{
    reading *self = user;
    self->wrong += row->revision != self->next;
    self->next++;
    return WFSM_OK;
}

static void read_pages(const char *instance, uint64_t last, uint64_t page)
{
    reading self = {.next = 1};
    for (uint64_t from = 1; from <= last; from += page)
        TEST_ASSERT_EQUAL_INT32(
            WFSM_OK,
            wfsm_store_records(store, instance, from, from + page - 1, expect, &self, NULL));
    TEST_ASSERT_EQUAL_UINT64(last + 1, self.next);
    TEST_ASSERT_EQUAL_UINT64(0, self.wrong);
}

static void pages_cost_what_they_hold(void)
{
    make_journal("a", 0, records);
    sqlite3_trace_v2(inner_connection(store), SQLITE_TRACE_STMT, count_statement, NULL);
    read_pages("a", records, 100);
    printf("%llu statements for %llu records in pages of 100\n", (unsigned long long)statements,
           (unsigned long long)records);
    TEST_ASSERT_LESS_THAN_UINT64(records * (records > 100000 ? 20 : 5), statements);
}

static void marks_of_others_and_of_what_was_removed_do_not_lead_astray(void)
{
    make_journal("a", 0, 1000);
    make_journal("b", 0, 1000);
    read_pages("a", 1000, 70);
    read_pages("b", 1000, 70);
    make_journal("b", 1000, 1500);
    read_pages("b", 1500, 1000);
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wfsm_store_remove(store, "b", NULL));
    make_journal("c", 0, 500);
    make_journal("b", 0, 500);
    read_pages("c", 500, 70);
    read_pages("b", 500, 70);
    read_pages("a", 1000, 500);
}

/* ---- texts of all sizes, with and without ids, come as they were given ---- */

enum { SIZES = 90, LONGEST = 70000 };

static size_t size_of(uint64_t revision)
{
    return revision % 30 == 7 ? LONGEST : 2 + revision * revision * 37 % 3000;
}

static const char *event_of(uint64_t revision)
{
    static char text[32];
    snprintf(text, sizeof text, "event %d", (int)revision);
    return revision % 3 ? text : NULL;
}

static int32_t expect_text(void *user, const wfsm_row *row)
{
    reading *self = user;
    char digit = (char)('0' + row->revision % 10);
    TEST_ASSERT_EQUAL_UINT64(self->next++, row->revision);
    TEST_ASSERT_EQUAL_INT64(999 + (int64_t)row->revision, row->now);
    TEST_ASSERT_EQUAL_size_t(size_of(row->revision), row->length);
    TEST_ASSERT_EQUAL_CHAR('\0', row->text[row->length]);
    TEST_ASSERT_EACH_EQUAL_CHAR(digit, row->text, row->length);
    if (event_of(row->revision))
        TEST_ASSERT_EQUAL_STRING(event_of(row->revision), row->id);
    else
        TEST_ASSERT_NULL(row->id);
    return WFSM_OK;
}

static void texts_of_all_sizes_are_handed_out(void)
{
    char *text = malloc(LONGEST);
    for (uint64_t base = 0; base < SIZES; base++) {
        wfsm_commit commit = commit_of("a", base);
        memset(text, (int)('0' + (base + 1) % 10), size_of(base + 1));
        commit.record = text;
        commit.record_length = size_of(base + 1);
        commit.event_id = event_of(base + 1);
        expect_commit(store, &commit, WFSM_OK);
    }
    free(text);
    for (uint64_t from = 1; from <= SIZES; from++) {
        uint64_t to = from % 2 ? SIZES + from : from + from % 17;
        reading self = {.next = from};
        TEST_ASSERT_EQUAL_INT32(
            WFSM_OK, wfsm_store_records(store, "a", from, to, expect_text, &self, NULL));
        TEST_ASSERT_EQUAL_UINT64((to < SIZES ? to : SIZES) + 1, self.next);
    }
}

/* Each row once, and what begins the reading. */
static void a_short_journal_is_asked_for_once(void)
{
    wfsm_head head = {.size = sizeof head};
    reading self = {.next = 2};
    start_instance(store, "a", 6);
    wfsm_store_head(store, "a", &head, NULL);
    statements = 0;
    sqlite3_trace_v2(inner_connection(store), SQLITE_TRACE_STMT, count_statement, NULL);
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wfsm_store_records(store, "a", 2, 6, expect, &self, NULL));
    TEST_ASSERT_EQUAL_UINT64(7, self.next);
    TEST_ASSERT_EQUAL_UINT64(6, statements);
}

int main(int argc, char **argv)
{
    if (argc > 1)
        records = strtoull(argv[1], NULL, 10);
    UNITY_BEGIN();
    RUN_TEST(pages_cost_what_they_hold);
    RUN_TEST(marks_of_others_and_of_what_was_removed_do_not_lead_astray);
    RUN_TEST(texts_of_all_sizes_are_handed_out);
    RUN_TEST(a_short_journal_is_asked_for_once);
    folder_remove();
    return UNITY_END() != 0;
}
