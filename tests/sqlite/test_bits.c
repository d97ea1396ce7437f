/*
 * A SQLite file in which one bit is flipped, or whose end is missing. Either opening it, the
 * check of the file or the audit reports the damage, or the store returns what was stored. An
 * argument is the distance between the flipped bits; 1 flips all of them.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unity.h>
#include <wfsm/audit.h>
#include <wfsm/wfsm.h>

#include "sqlite/folder.h"
#include "sqlite/other.h"
#include "store/small.h"
#include "../given.h"

enum { PAGE = 512 };
static size_t distance = 499;
static bool compacted; /* the store is one that was */
static char *fresh;
static size_t length;
static uint64_t expected;
static int64_t owners;
static struct {
    unsigned long refused, checked, audited, same, unnoticed;
} found;

/* The store does not return rows of owners: only SQLite shows them. */
static int64_t owners_of(const char *name)
{
    sqlite3 *file = other_open(name);
    sqlite3_stmt *statement = NULL;
    int64_t sum = -1;
    const char *sql = "SELECT sum(length(name) * 1000 + unicode(name) + until) FROM owner";
    if (sqlite3_prepare_v2(file, sql, -1, &statement, NULL) == SQLITE_OK &&
        sqlite3_step(statement) == SQLITE_ROW)
        sum = sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
    sqlite3_close(file);
    return sum;
}

/* Small pages, so that most bits of the file mean something. */
static void make(const char *name)
{
    other_run(name, "PRAGMA page_size = 512; VACUUM");
    wfsm_store *store = folder_open(name);
    small_fill(store);
    if (compacted)
        small_compact(store);
    wfsm_store_free(store);
}

void setUp(void)
{
    make("fresh.db");
    wfsm_store *store = folder_open("fresh.db");
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, small_sum(store, &expected));
    wfsm_store_free(store);
    owners = owners_of("fresh.db");
    fresh = file_read("fresh.db", &length);
    memset(&found, 0, sizeof found);
}

void tearDown(void)
{
    free(fresh);
    folder_wipe();
}

static int32_t count_diagnostic(void *user, const wfsm_audit_diagnostic *diagnostic)
{
    TEST_ASSERT_GREATER_THAN_size_t(0, strlen(diagnostic->message));
    ++*(int *)user;
    return WFSM_OK;
}

static bool is_refusal(int32_t status)
{
    return status == WFSM_CORRUPT || status == WFSM_VERSION || status == WFSM_IO ||
           status == WFSM_NOT_FOUND || status == WFSM_LIMIT;
}

/* How the damage came to light, or 0: it did not. */
static unsigned long *judge(wfsm_store *store, const char *name, const char *message)
{
    int diagnostics = 0;
    int32_t status =
        wfsm_sqlite_check(folder_file(name), count_diagnostic, &diagnostics, NULL, NULL);
    if (status && !is_refusal(status))
        printf("%s: %s\n", message, wfsm_status_name(status));
    TEST_ASSERT_TRUE_MESSAGE(status == WFSM_OK || is_refusal(status), message);
    if (status || diagnostics)
        return &found.checked;
    status = wfsm_store_audit(store, NULL, count_diagnostic, &diagnostics, NULL, NULL);
    if (status && !is_refusal(status))
        printf("%s: %s\n", message, wfsm_status_name(status));
    TEST_ASSERT_TRUE_MESSAGE(status == WFSM_OK || is_refusal(status), message);
    return status || diagnostics ? &found.audited : NULL;
}

/* Nothing was found: then nothing is another. */
static void expect_same(wfsm_store *store, const char *name, const char *message)
{
    uint64_t sum = 0;
    int32_t status = small_sum(store, &sum);
    if (!status && sum == expected && owners_of(name) == owners) {
        found.same++;
    } else {
        found.unnoticed++;
        printf("unnoticed: %s (%s)\n", message, wfsm_status_name(status));
    }
}

static void look(const char *name, const char *message)
{
    const wfsm_sqlite_options reading = {.size = sizeof reading, .read_only = 1};
    wfsm_store *store = NULL;
    int32_t status = try_open(&store, name, &reading);
    if (status) {
        TEST_ASSERT_TRUE_MESSAGE(is_refusal(status), wfsm_status_name(status));
        TEST_ASSERT_NOT_NULL_MESSAGE(strstr(open_message, name), open_message);
        found.refused++;
        return;
    }
    unsigned long *how = judge(store, name, message);
    if (how)
        ++*how;
    else
        expect_same(store, name, message);
    wfsm_store_free(store);
}

static void write_byte(FILE *file, size_t at, int byte)
{
    TEST_ASSERT_EQUAL_INT(0, fseek(file, (long)at, SEEK_SET));
    TEST_ASSERT_NOT_EQUAL_INT(EOF, fputc(byte, file));
    TEST_ASSERT_EQUAL_INT(0, fflush(file));
}

static void print(const char *what, unsigned long tried)
{
    printf("%lu %s: opening refused %lu, the check of the file named %lu, the audit %lu; "
           "%lu changed nothing; unnoticed: %lu\n",
           tried, what, found.refused, found.checked, found.audited, found.same,
           found.unnoticed);
    TEST_ASSERT_EQUAL_UINT32(0, found.unnoticed);
}

static void any_bit_of_the_file(void)
{
    char message[64];
    unsigned long tried = 0;
    file_write("bent.db", fresh, length);
    FILE *file = fopen(folder_file("bent.db"), "r+b");
    TEST_ASSERT_NOT_NULL(file);
    for (size_t bit = 0; bit < length * 8; bit += distance, tried++) {
        size_t at = bit / 8;
        snprintf(message, sizeof message, "bit %d of byte %d of page %d", (int)(bit % 8),
                 (int)(at % PAGE), (int)(at / PAGE + 1));
        write_byte(file, at, (unsigned char)fresh[at] ^ (1 << bit % 8));
        look("bent.db", message);
        write_byte(file, at, (unsigned char)fresh[at]);
    }
    fclose(file);
    look("bent.db", "restored");
    print("bits flipped", tried);
    TEST_ASSERT_GREATER_THAN_UINT32(0, found.same);
    TEST_ASSERT_GREATER_THAN_UINT32(tried / 3, found.refused + found.checked + found.audited);
}

/* Of what was dropped, bits are left in pages that nothing uses. */
static void any_bit_of_a_file_that_was_compacted(void)
{
    compacted = true;
    tearDown();
    setUp();
    any_bit_of_the_file();
    compacted = false;
}

static void any_length_of_the_file(void)
{
    unsigned long tried = 0;
    for (size_t kept = 1; kept < length; kept += 1 + distance / 8, tried++) {
        file_write("cut.db", fresh, kept);
        look("cut.db", "cut");
        remove(folder_file("cut.db"));
    }
    print("lengths", tried);
    TEST_ASSERT_EQUAL_UINT32(0, found.same);
}

static void look_at(const char *bytes, const char *message)
{
    file_write("bent.db", bytes, length);
    look("bent.db", message);
}

/* As by a write that went to another place. */
static void any_page_in_the_place_of_another(void)
{
    char message[64], *bytes = malloc(length);
    unsigned long tried = 0;
    size_t pages = length / PAGE;
    for (size_t pair = 0; pair < pages * pages; pair += 1 + distance / 32) {
        size_t to = pair / pages, from = pair % pages;
        if (!memcmp(fresh + to * PAGE, fresh + from * PAGE, PAGE))
            continue;
        memcpy(bytes, fresh, length);
        memcpy(bytes + to * PAGE, fresh + from * PAGE, PAGE);
        snprintf(message, sizeof message, "page %d in the place of %d", (int)from + 1,
                 (int)to + 1);
        look_at(bytes, message);
        tried++;
    }
    free(bytes);
    print("pages in another's place", tried);
}

static uint64_t seed;

static size_t below(size_t limit)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (size_t)(seed >> 33) % limit;
}

/* Some bytes that are others, a run that is copied from elsewhere, or zeros, or noise. */
static void damage(char *bytes)
{
    size_t run = 1 + below(64), at = below(length - 64), from = below(length - 64);
    switch (below(4)) {
    case 0:
        for (size_t i = 0, most = 1 + below(8); i < most; i++)
            bytes[below(length)] = (char)below(256);
        break;
    case 1:
        memmove(bytes + at, bytes + from, run);
        break;
    case 2:
        memset(bytes + at, 0, run);
        break;
    default:
        for (size_t i = 0; i < run; i++)
            bytes[at + i] = (char)below(256);
    }
}

static void any_damage(void)
{
    char message[64], *bytes = malloc(length);
    unsigned long tried = 0, rounds = 150000 / distance;
    for (; tried < rounds; tried++) {
        seed = 0x5eed + tried;
        snprintf(message, sizeof message, "seed %lu", tried);
        memcpy(bytes, fresh, length);
        for (size_t i = 0, times = 1 + below(3); i < times; i++)
            damage(bytes);
        look_at(bytes, message);
    }
    free(bytes);
    print("damages", tried);
}

/* Writers get an answer, too; what they are told was stored is there. */
static void writing_to_a_damaged_file(void)
{
    unsigned long taken = 0, tried = 0;
    for (size_t bit = 3; bit < length * 8; bit += distance * 16 + 1, tried++) {
        wfsm_store *store = NULL;
        wfsm_instance *two = NULL;
        int32_t outcome = 0, seen = 0;
        fresh[bit / 8] = (char)(fresh[bit / 8] ^ (1 << bit % 8));
        file_write("bent.db", fresh, length);
        fresh[bit / 8] = (char)(fresh[bit / 8] ^ (1 << bit % 8));
        int32_t status = try_open(&store, "bent.db", NULL);
        if (!status)
            status = wfsm_instance_load(&two, NULL, store, NULL, "two", NULL);
        if (!status)
            status = wfsm_instance_send(two, EVENT("BACK", .id = "e9"), 3000, &outcome, NULL);
        if (!status && outcome == WFSM_TAKEN) {
            taken++;
            TEST_ASSERT_EQUAL_INT32(WFSM_OK, wfsm_store_seen(store, "two", "e9", &seen, NULL));
            TEST_ASSERT_EQUAL_INT32(1, seen);
        }
        wfsm_instance_free(two);
        wfsm_store_free(store);
        remove(folder_file("bent.db-wal"));
        remove(folder_file("bent.db-shm"));
        remove(folder_file("bent.db-seen"));
    }
    printf("%lu damaged files written to, %lu took the event\n", tried, taken);
    TEST_ASSERT_GREATER_THAN_UINT32(tried / 4, taken);
}

int main(int count, char **arguments)
{
    if (count > 1)
        distance = strtoul(arguments[1], NULL, 10);
    UNITY_BEGIN();
    RUN_TEST(any_bit_of_the_file);
    RUN_TEST(any_bit_of_a_file_that_was_compacted);
    RUN_TEST(any_length_of_the_file);
    RUN_TEST(any_page_in_the_place_of_another);
    RUN_TEST(any_damage);
    RUN_TEST(writing_to_a_damaged_file);
    folder_remove();
    return UNITY_END() != 0;
}
