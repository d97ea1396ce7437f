/* Rows that are changed when they are read: loading gives what was committed, or fails. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unity.h>
#include "logic/json.h"
#include "mutate.h"
#include "store/decode.h"
#include "support.h"
#include "../given.h"

enum { ROWS = 48 };

/* The rows that a load reads, in order. */
typedef struct kept {
    int kind;
    char *text;
    size_t length;
} kept;

/* What happens to row `at` (counted from 0): it becomes `text`, and comes `times`. */
typedef struct change {
    kept *collect;
    int count, at, times;
    const char *text;
    size_t length;
} change;

static wfsm_error *error;
static wfsm_machine *machine;
static wfsm_functions *functions;
static wfsm_store *memory, *bent;
static flaky between;
static change now;
static unsigned long refused, same;

static int bend(void *user, int kind, wfsm_row *row)
{
    change *self = user;
    int number = self->count;
    if (kind == ROW_HEAD)
        return 1;
    self->count++;
    if (self->collect) {
        char *copy = malloc(row->length + 1);
        TEST_ASSERT_LESS_THAN_INT(ROWS, number);
        memcpy(copy, row->text, row->length);
        copy[row->length] = '\0';
        self->collect[number] = (kept){kind, copy, row->length};
    }
    if (number != self->at)
        return 1;
    row->text = self->text;
    row->length = self->length;
    return self->times;
}

void setUp(void)
{
    error = wfsm_error_new(NULL);
    between = (flaky){.bend = bend, .user = &now};
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wfsm_machine_load(&machine, everything, strlen(everything),
                                                       NULL, NULL, error));
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wfsm_functions_new(&functions, NULL, error));
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, add_functions(functions, error));
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wfsm_memory_open(&memory, NULL, error));
    between.inner = memory;
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, flaky_open(&bent, &between, NULL, error));
    now = (change){.at = -1};
}

void tearDown(void)
{
    wfsm_store_free(bent);
    wfsm_store_free(memory);
    wfsm_functions_free(functions);
    wfsm_machine_unref(machine);
    wfsm_error_free(error);
}

/* The instance after the first lines of the script. */
static wfsm_instance *run(const char *id, int lines)
{
    wfsm_instance *instance = NULL;
    int32_t outcome;
    const char *input = strcmp(id, "one") == 0 ? "{}" : "{\"other\":true}";
    TEST_ASSERT_EQUAL_INT32(
        WFSM_OK, wfsm_instance_start(&instance, machine,
                                     START(id, .store = memory, .functions = functions,
                                           .input = input, .length = strlen(input)),
                                     0, error));
    for (int line = 0; line < lines; line++)
        TEST_ASSERT_EQUAL_INT32(WFSM_OK, run_line(instance, line, &outcome, error));
    return instance;
}

static int collect(const char *id, kept rows[ROWS])
{
    wfsm_instance *instance = NULL;
    now = (change){.at = -1, .collect = rows};
    TEST_ASSERT_EQUAL_INT32_MESSAGE(
        WFSM_OK, wfsm_instance_load(&instance, NULL, bent, functions, id, error),
        wfsm_error_message(error));
    wfsm_instance_free(instance);
    return now.count;
}

static void forget(kept rows[ROWS], int count)
{
    for (int i = 0; i < count; i++)
        free(rows[i].text);
}

/* Loads with one row changed. */
static void try_row(const char *expected, int at, const char *text, size_t length, int times)
{
    wfsm_instance *instance = NULL;
    char *copy =
        malloc(length > 0 ? length : 1); /* of exactly its size: no byte is read beyond */
    memcpy(copy, text, length);
    /* Row 0 is the document, which need not be compiled for the others. */
    now = (change){.count = at > 0, .at = at, .times = times, .text = copy, .length = length};
    int32_t status =
        wfsm_instance_load(&instance, at > 0 ? machine : NULL, bent, functions, "one", error);
    if (status == WFSM_OK) {
        char *bytes = bytes_of(instance);
        TEST_ASSERT_EQUAL_STRING(expected, bytes);
        free(bytes);
        same++;
    } else {
        if (status != WFSM_CORRUPT && status != WFSM_VERSION)
            TEST_ASSERT_EQUAL_INT32_MESSAGE(WFSM_CORRUPT, status, wfsm_error_message(error));
        TEST_ASSERT_EQUAL_INT32(status, wfsm_error_status(error));
        TEST_ASSERT_GREATER_THAN(10, strlen(wfsm_error_message(error)));
        refused++;
    }
    wfsm_instance_free(instance);
    free(copy);
}

static void every_length(const char *expected, int at, const kept *row)
{
    for (size_t length = 0; length < row->length; length++)
        try_row(expected, at, row->text, length, 1);
}

/* One bit of each byte, and from row to row another one. */
static void every_bit(const char *expected, int at, const kept *row)
{
    for (size_t bit = (size_t)at % 7; bit < row->length * 8; bit += 7) {
        row->text[bit / 8] = (char)(row->text[bit / 8] ^ (1 << bit % 8));
        try_row(expected, at, row->text, row->length, 1);
        row->text[bit / 8] = (char)(row->text[bit / 8] ^ (1 << bit % 8));
    }
}

static void every_mutation(const char *expected, int at, const kept *row)
{
    wf_arena arena;
    wf_value value;
    wf_buffer out;
    wfsm_allocator allocator;
    wf_allocator_init(&allocator, NULL);
    wf_arena_init(&arena, &allocator, 0);
    wf_buffer_init(&out, &allocator);
    TEST_ASSERT_EQUAL_INT32(WFSM_OK,
                            wf_json_parse(&arena, row->text, row->length, &value, error));
    for (size_t n = (size_t)at % 3; mutate(&value, n, &out); n += 3)
        if (out.length != row->length || memcmp(out.data, row->text, out.length) != 0)
            try_row(expected, at, out.data, out.length, 1);
    wf_buffer_fini(&out);
    wf_arena_fini(&arena);
}

static const int lines[] = {5, 12, 22, SCRIPT_LENGTH};
enum { LINES = sizeof lines / sizeof *lines };

static void with_every_row(void (*what)(const char *, int, const kept *))
{
    refused = same = 0;
    for (int i = 0; i < LINES; i++) {
        kept rows[ROWS];
        wfsm_instance *instance = run("one", lines[i]);
        char *expected = bytes_of(instance);
        int count = collect("one", rows);
        TEST_ASSERT_GREATER_THAN_INT(1, count);
        for (int at = 0; at < count; at++)
            what(expected, at, &rows[at]);
        forget(rows, count);
        free(expected);
        wfsm_instance_free(instance);
        TEST_ASSERT_EQUAL_INT32(WFSM_OK, wfsm_store_remove(memory, "one", error));
    }
    printf("%lu refused, %lu the same\n", refused, same);
    TEST_ASSERT_GREATER_THAN(1000, refused);
}

static void test_cut_anywhere(void)
{
    with_every_row(every_length);
    TEST_ASSERT_EQUAL_UINT64(0, same);
}

static void test_any_bit_flipped(void)
{
    with_every_row(every_bit);
}

static void test_any_part_changed(void)
{
    with_every_row(every_mutation);
}

/* ---- snapshots that somebody made on purpose: the checksum is right ---- */

/* What is believed is read whole: written again, it is the same JSON. */
static void expect_same(wf_arena *arena, const wf_snapshot *snapshot, const char *digest,
                        const wf_stored *stored)
{
    wf_buffer again;
    wf_value left, right;
    wf_snapshot_note note = {"one", NULL, snapshot->revision, digest};
    wf_buffer_init(&again, snapshot->allocator);
    wf_snapshot_write(&again, snapshot, &note);
    size_t tail = WF_CHECKSUM_BYTES - 1; /* but for the checksum, which sees the order */
    again.data[again.length - tail - 1] = '}';
    TEST_ASSERT_EQUAL_INT32(
        WFSM_OK, wf_json_parse(arena, again.data, again.length - tail, &left, error));
    char *text = malloc(stored->length);
    memcpy(text, stored->text, stored->length);
    text[stored->length - tail - 1] = '}';
    TEST_ASSERT_EQUAL_INT32(WFSM_OK,
                            wf_json_parse(arena, text, stored->length - tail, &right, error));
    TEST_ASSERT_TRUE_MESSAGE(wf_value_equal(&left, &right), stored->text);
    free(text);
    wf_buffer_fini(&again);
}

static void forge(wf_arena *arena, wf_buffer *text)
{
    char tail[WF_CHECKSUM_BYTES + 1], digest[WF_DIGEST_HEX];
    wf_snapshot snapshot;
    text->length--;
    wf_checksum_text(text->data, text->length, tail);
    wf_buffer_text(text, tail);
    wf_stored stored = {"one", NULL, text->data, text->length, NULL};
    TEST_ASSERT_TRUE(wf_snapshot_init(&snapshot, machine, text->allocator));
    int32_t status = wf_snapshot_read(&snapshot, &stored, digest, error);
    if (status == WFSM_OK) {
        expect_same(arena, &snapshot, digest, &stored);
        same++;
    } else {
        TEST_ASSERT_TRUE(status == WFSM_CORRUPT || status == WFSM_VERSION);
        refused++;
    }
    wf_snapshot_fini(&snapshot);
}

static void test_forged_snapshots(void)
{
    wfsm_allocator allocator;
    wf_allocator_init(&allocator, NULL);
    refused = same = 0;
    for (int i = 0; i < LINES; i++) {
        wf_arena arena;
        wf_value value;
        wf_buffer out;
        wf_arena_init(&arena, &allocator, 0);
        wf_buffer_init(&out, &allocator);
        wfsm_instance *instance = run("one", lines[i]);
        char *bytes = bytes_of(instance);
        size_t length = strlen(bytes) - WF_CHECKSUM_BYTES + 1;
        bytes[length - 1] = '}';
        TEST_ASSERT_EQUAL_INT32(WFSM_OK, wf_json_parse(&arena, bytes, length, &value, error));
        for (size_t n = 0; mutate(&value, n, &out); n++)
            forge(&arena, &out);
        free(bytes);
        wf_buffer_fini(&out);
        wf_arena_fini(&arena);
        wfsm_instance_free(instance);
        TEST_ASSERT_EQUAL_INT32(WFSM_OK, wfsm_store_remove(memory, "one", error));
    }
    printf("%lu refused, %lu believed\n", refused, same);
    TEST_ASSERT_GREATER_THAN(1000, refused);
}

/* Rows that are right in themselves, but not there. */
static void test_rows_in_each_others_place(void)
{
    for (int i = 0; i < LINES; i++) {
        kept rows[ROWS], others[ROWS];
        wfsm_instance *instance = run("one", lines[i]), *other = run("two", lines[i]);
        char *expected = bytes_of(instance);
        int count = collect("one", rows), other_count = collect("two", others);
        for (int at = 0; at < count; at++) {
            refused = same = 0;
            /* Without a snapshot the journal goes from its first record. */
            if (rows[at].kind != ROW_SNAPSHOT)
                try_row(expected, at, rows[at].text, rows[at].length, 0);
            try_row(expected, at, rows[at].text, rows[at].length, 2);
            for (int from = 0; from < count; from++)
                if (from != at)
                    try_row(expected, at, rows[from].text, rows[from].length, 1);
            TEST_ASSERT_EQUAL_UINT64(0, same);
            for (int from = 0; from < other_count; from++)
                if (others[from].kind != ROW_DOCUMENT)
                    try_row(expected, at, others[from].text, others[from].length, 1);
            /* Inputs that say nothing of the instance make the same records in both. */
            if (rows[at].kind != ROW_RECORD)
                TEST_ASSERT_EQUAL_UINT64(0, same);
        }
        forget(rows, count);
        forget(others, other_count);
        free(expected);
        wfsm_instance_free(instance);
        wfsm_instance_free(other);
        TEST_ASSERT_EQUAL_INT32(WFSM_OK, wfsm_store_remove(memory, "one", error));
        TEST_ASSERT_EQUAL_INT32(WFSM_OK, wfsm_store_remove(memory, "two", error));
    }
}

/* ---- the head ---- */

static const struct {
    int64_t revision, status, effects, acknowledged;
    const char *token, *fingerprint;
} heads[] = {
    {.revision = 1},
    {.revision = -1},
    {.status = 1},
    {.effects = 1},
    {.effects = -1},
    {.acknowledged = 1000},
    {.token = ""},
    {.token = "0000"},
    {.fingerprint = "0000"},
    {.revision = 1L << 60},
    {.effects = INT64_MAX / 2},
    {.status = 77},
};

static int bend_head(void *user, int kind, wfsm_row *row)
{
    static wfsm_head head;
    size_t i = *(size_t *)user;
    if (kind != ROW_HEAD)
        return 1;
    head = *row->head;
    head.revision += (uint64_t)heads[i].revision;
    head.status += (int32_t)heads[i].status;
    head.effects += (uint64_t)heads[i].effects;
    head.acknowledged += (uint64_t)heads[i].acknowledged;
    head.token = heads[i].token ? heads[i].token : head.token;
    head.fingerprint = heads[i].fingerprint ? heads[i].fingerprint : head.fingerprint;
    row->head = &head;
    return 1;
}

static void test_a_head_that_lies(void)
{
    wfsm_instance *instance = run("one", 24);
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++) {
        wfsm_instance *loaded = NULL;
        char where[32];
        between.bend = bend_head;
        between.user = &i;
        snprintf(where, sizeof where, "head %zu", i);
        int32_t status = wfsm_instance_load(&loaded, NULL, bent, functions, "one", error);
        /* No record of that revision, no document of that fingerprint. */
        if (status != WFSM_NOT_FOUND)
            TEST_ASSERT_EQUAL_INT32_MESSAGE(WFSM_CORRUPT, status, where);
        TEST_ASSERT_NULL(loaded);
    }
    wfsm_instance_free(instance);
}

/* ---- checkpoints ---- */

static void refuse_restore(wfsm_instance *instance, const char *before, const char *text,
                           size_t length)
{
    int32_t outcome;
    now = (change){.at = 0, .times = 1, .text = text, .length = length};
    int32_t status = wfsm_instance_restore(instance, FROM("late"), 780, &outcome, error);
    char *after = bytes_of(instance);
    TEST_ASSERT_EQUAL_INT32_MESSAGE(WFSM_CORRUPT, status, wfsm_error_message(error));
    TEST_ASSERT_EQUAL_STRING(before, after);
    free(after);
}

static int32_t keep_checkpoint(void *user, const wfsm_row *row)
{
    char *copy = malloc(row->length + 1);
    memcpy(copy, row->text, row->length);
    *(kept *)user = (kept){ROW_CHECKPOINT, copy, row->length};
    return WFSM_OK;
}

static void test_a_checkpoint_that_is_another(void)
{
    kept early, late, foreign;
    wfsm_instance *other = run("two", 22), *made = run("one", 22), *instance = NULL;
    wfsm_store_snapshot(memory, "one", "early", keep_checkpoint, &early, error);
    wfsm_store_snapshot(memory, "one", "late", keep_checkpoint, &late, error);
    wfsm_store_snapshot(memory, "two", "late", keep_checkpoint, &foreign, error);
    TEST_ASSERT_EQUAL_INT32(
        WFSM_OK, wfsm_instance_load(&instance, machine, bent, functions, "one", error));
    char *before = bytes_of(instance);
    refuse_restore(instance, before, early.text, early.length);
    refuse_restore(instance, before, foreign.text, foreign.length);
    refuse_restore(instance, before, "", 0);
    for (size_t bit = 0; bit < late.length * 8; bit += 5) {
        late.text[bit / 8] = (char)(late.text[bit / 8] ^ (1 << bit % 8));
        /* A format of another version is called that. */
        if (bit / 8 < 9 || bit / 8 > 10)
            refuse_restore(instance, before, late.text, late.length);
        late.text[bit / 8] = (char)(late.text[bit / 8] ^ (1 << bit % 8));
    }
    free(before);
    free(early.text);
    free(late.text);
    free(foreign.text);
    wfsm_instance_free(instance);
    wfsm_instance_free(made);
    wfsm_instance_free(other);
}

/* ---- out of memory ---- */

static void test_out_of_memory_while_loading(void)
{
    wfsm_instance *made = run("one", 22);
    char *expected = bytes_of(made);
    int32_t status = WFSM_NO_MEMORY;
    for (uint64_t n = 1; status != WFSM_OK; n++) {
        scarce self = {.fail_at = 0};
        wfsm_allocator allocator = scarce_allocator(&self);
        wfsm_machine *own = NULL;
        wfsm_instance *instance = NULL;
        TEST_ASSERT_EQUAL_INT32(WFSM_OK, wfsm_machine_load(&own, everything, strlen(everything),
                                                           NULL, &allocator, error));
        int64_t living = self.living;
        self.fail_at = self.calls + n;
        status = wfsm_instance_load(&instance, own, memory, functions, "one", error);
        if (status != WFSM_OK) {
            TEST_ASSERT_EQUAL_INT32_MESSAGE(WFSM_NO_MEMORY, status, wfsm_error_message(error));
            TEST_ASSERT_NULL(instance);
            TEST_ASSERT_EQUAL_INT64(living, self.living);
        } else {
            char *bytes = bytes_of(instance);
            TEST_ASSERT_EQUAL_STRING(expected, bytes);
            TEST_ASSERT_GREATER_THAN_UINT64(30, n);
            free(bytes);
            wfsm_instance_free(instance);
        }
        wfsm_machine_unref(own);
        TEST_ASSERT_EQUAL_INT64(0, self.living);
    }
    free(expected);
    wfsm_instance_free(made);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_cut_anywhere);
    RUN_TEST(test_any_bit_flipped);
    RUN_TEST(test_any_part_changed);
    RUN_TEST(test_forged_snapshots);
    RUN_TEST(test_rows_in_each_others_place);
    RUN_TEST(test_a_head_that_lies);
    RUN_TEST(test_a_checkpoint_that_is_another);
    RUN_TEST(test_out_of_memory_while_loading);
    return UNITY_END() != 0;
}
