/* store/context_change.c and store/decode_change.c: a record says of the context what changed,
 * where it changed. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unity.h>
#include "../given.h"
#include "instance/support.h"
#include "logic/json.h"
#include "store/context_change.h"
#include "store/decode_parts.h"

static wfsm_allocator libc;
static wf_arena arena;
static wfsm_error *error;

void setUp(void)
{
    wf_allocator_init(&libc, NULL);
    wf_arena_init(&arena, &libc, 0);
    error = wfsm_error_new(NULL);
}

void tearDown(void)
{
    wf_arena_fini(&arena);
    wfsm_error_free(error);
}

/* ---- values as text ---- */

static wf_value parse(const char *text)
{
    wf_value value;
    TEST_ASSERT_EQUAL_INT32_MESSAGE(
        WFSM_OK, wf_json_parse(&arena, text, strlen(text), &value, error), text);
    return value;
}

static char *text_of(const wf_value *value)
{
    size_t work = 0;
    wf_buffer buffer;
    wf_buffer_init(&buffer, &libc);
    wf_json_write(&buffer, value);
    TEST_ASSERT_EQUAL_size_t(buffer.length, wf_json_length(value, SIZE_MAX));
    TEST_ASSERT_TRUE(buffer.length <= wf_json_bound(value, &work));
    return buffer.data;
}

static int32_t apply(const wf_value *old, const char *change, wf_reader *reader,
                     wf_value *result)
{
    const wf_stored stored = {"one", NULL, change, strlen(change), reader};
    wf_decoder decoder = {.stored = &stored, .record = 7, .arena = &arena, .error = error};
    wf_value parsed = parse(change);
    return wf_decode_change(&decoder, old, &parsed, result);
}

/* ---- examples ---- */

static void expect(const char *old, const char *now, const char *change)
{
    wf_value a = parse(old), b = parse(now), made = wf_absent(), result;
    enum wf_difference difference = wf_change_of(&arena, &a, &b, 2, &made);
    if (!change) {
        TEST_ASSERT_EQUAL_INT_MESSAGE(WF_OTHER_VALUE, difference, now);
        return;
    }
    TEST_ASSERT_EQUAL_INT_MESSAGE(change[0] ? WF_OTHER_PARTS : WF_NO_DIFFERENCE, difference,
                                  now);
    if (change[0] == '\0')
        return;
    char *text = text_of(&made);
    TEST_ASSERT_EQUAL_STRING(change, text);
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, apply(&a, text, NULL, &result));
    char *again = text_of(&result);
    TEST_ASSERT_EQUAL_STRING(now, again);
    free(text);
    free(again);
}

#define LONG "\"a text that is longer than what a change needs, by far\""

static void test_examples(void)
{
    expect("[1,2]", "[1,2]", "");
    expect("{\"a\":{\"b\":[1]}}", "{\"a\":{\"b\":[1]}}", "");
    expect("1", "2", NULL);
    expect("[1,2]", "{\"a\":1}", NULL);
    expect("[1,2,3]", "[1,2,3,4]", NULL); /* the whole is shorter */
    expect("[" LONG "," LONG "]", "[" LONG "," LONG ",1]",
           "{\"at\":2,\"removed\":0,\"inserted\":[1]}");
    expect("[" LONG ",1," LONG ",2," LONG "]", "[" LONG "," LONG ",1,2," LONG "]",
           "{\"at\":1,\"removed\":2,\"inserted\":[" LONG ",1]}");
    expect("[" LONG ",1," LONG "]", "[" LONG ",2," LONG "]",
           "{\"at\":1,\"removed\":1,\"inserted\":[2]}");
    expect("[1,{\"s\":" LONG ",\"n\":1}]", "[1,{\"s\":" LONG ",\"n\":2}]",
           "{\"at\":1,\"changed\":{\"set\":{\"n\":2}}}");
    expect("{\"s\":" LONG ",\"n\":1,\"m\":2}", "{\"s\":" LONG ",\"n\":3}",
           "{\"set\":{\"n\":3},\"unset\":{\"m\":null}}");
    expect("{\"l\":[" LONG "," LONG "],\"n\":1}", "{\"l\":[" LONG "," LONG ",0],\"n\":1}",
           "{\"changed\":{\"l\":{\"at\":2,\"removed\":0,\"inserted\":[0]}}}");
    /* a member that moves to the end */
    expect("{\"a\":1,\"s\":" LONG ",\"t\":" LONG "}", "{\"s\":" LONG ",\"t\":" LONG ",\"a\":1}",
           "{\"set\":{\"a\":1},\"unset\":{\"a\":null}}");
    expect("{\"s\":" LONG "}", "{\"x\":1,\"s\":" LONG "}", NULL);
}

/* ---- random values ---- */

static uint64_t state;

static uint32_t below(uint32_t most)
{
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(state >> 33) % most;
}

static wf_value scalar(void)
{
    static const char *const words[] = {"", "a\"b\\\n\x01", "größe", "a longer text of words"};
    switch (below(4)) {
    case 0:
        return wf_null();
    case 1:
        return wf_boolean(below(2));
    case 2:
        return wf_number(below(3) ? below(1000) : below(1000) / 7.0 - 50);
    default:
        return wf_string_z(words[below(4)]);
    }
}

static wf_value random_value(int depth);

static wf_value array_of(wf_value *items, size_t count)
{
    wf_value array = wf_array(items, count);
    TEST_ASSERT_EQUAL_INT(WF_ARRAY, array.type);
    return array;
}

static void random_member(wf_member *member, int depth)
{
    char *key = wf_arena_text(&arena, "key?", 4);
    key[3] = (char)('a' + below(12));
    wf_member_set(member, key, 4, random_value(depth));
}

static bool has(const wf_member *members, size_t count, const wf_member *key)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(members[i].key, key->key) == 0)
            return true;
    return false;
}

static wf_value random_value(int depth)
{
    uint32_t count = below(depth > 2 ? 40 : 7), used = 0;
    if (depth == 0 || below(4) == 0)
        return scalar();
    if (below(2)) {
        wf_value *items = wf_arena_take(&arena, (count + 1) * sizeof *items);
        for (uint32_t i = 0; i < count; i++)
            items[i] = random_value(depth - 1);
        return array_of(items, count);
    }
    wf_member *members = wf_arena_take(&arena, (count + 1) * sizeof *members);
    for (uint32_t i = 0; i < count; i++) {
        random_member(&members[used], depth - 1);
        used += !has(members, used, &members[used]);
    }
    return wf_object(members, used);
}

static wf_value mutated(const wf_value *value, int depth);

static wf_value mutated_array(const wf_value *value, int depth)
{
    uint32_t count = value->length, at = below(count + 1);
    wf_value *items = wf_arena_take(&arena, (count + 1) * sizeof *items);
    memcpy(items, value->as.items, count * sizeof *items);
    uint32_t what = below(4);
    if (what == 0 || at == count) {
        memmove(items + at + 1, items + at, (count - at) * sizeof *items);
        items[at] = random_value(depth);
        count++;
    } else if (what == 1) {
        memmove(items + at, items + at + 1, (count - at - 1) * sizeof *items);
        count--;
    } else if (what == 2) {
        wf_value moved = items[at];
        items[at] = items[0];
        items[0] = moved;
    } else {
        items[at] = mutated(&items[at], depth);
    }
    return array_of(items, count);
}

static wf_value mutated_object(const wf_value *value, int depth)
{
    uint32_t count = value->length, at = below(count + 1);
    wf_member *members = wf_arena_take(&arena, (count + 1) * sizeof *members);
    memcpy(members, value->as.members, count * sizeof *members);
    uint32_t what = below(4);
    if (what == 0 || at == count) {
        random_member(&members[count], depth);
        count += !has(members, count, &members[count]);
    } else if (what == 1) {
        memmove(members + at, members + at + 1, (count - at - 1) * sizeof *members);
        count--;
    } else if (what == 2) {
        wf_member moved = members[at];
        members[at] = members[count - 1];
        members[count - 1] = moved;
    } else {
        members[at].value = mutated(&members[at].value, depth);
    }
    return wf_object(members, count);
}

static wf_value mutated(const wf_value *value, int depth)
{
    if (below(8) == 0)
        return random_value(depth);
    if (value->type == WF_ARRAY)
        return mutated_array(value, depth);
    return value->type == WF_OBJECT ? mutated_object(value, depth) : scalar();
}

static enum wf_difference check_pair(const wf_value *old, const wf_value *now,
                                     wf_reader *reader)
{
    wf_value change = wf_absent(), result;
    enum wf_difference difference = wf_change_of(&arena, old, now, 2, &change);
    char *before = text_of(old), *wanted = text_of(now);
    TEST_ASSERT_EQUAL_INT(difference == WF_NO_DIFFERENCE, strcmp(before, wanted) == 0);
    if (difference == WF_OTHER_PARTS) {
        char *text = text_of(&change);
        TEST_ASSERT_TRUE(strlen(text) < strlen(wanted));
        TEST_ASSERT_EQUAL_INT32_MESSAGE(WFSM_OK, apply(old, text, reader, &result), text);
        char *got = text_of(&result);
        TEST_ASSERT_EQUAL_STRING(wanted, got);
        free(got);
        free(text);
    }
    free(before);
    free(wanted);
    return difference;
}

static void test_a_change_makes_the_new_value_of_the_old_one(void)
{
    uint32_t seen[3] = {0};
    for (state = 1; state % 2000 != 0; state++) {
        uint64_t seed = state;
        wf_reader reader;
        wf_arena_init(&reader.values, &libc, 0);
        wf_value old = random_value(4), now = old;
        for (uint32_t i = below(4); i > 0; i--)
            now = mutated(&now, 3);
        if (below(2))
            now = wf_value_clone(&arena, &now);
        seen[check_pair(&old, &now, below(2) ? &reader : NULL)]++;
        wf_arena_fini(&reader.values);
        wf_arena_reset(&arena);
        state = seed;
    }
    for (int i = 0; i < 3; i++)
        TEST_ASSERT_GREATER_THAN_UINT32(100, seen[i]);
}

/* So many that they are found in a table. */
static void test_many_members(void)
{
    enum { COUNT = 500 };
    wf_member *old = wf_arena_take(&arena, COUNT * sizeof *old);
    wf_member *now = wf_arena_take(&arena, COUNT * sizeof *now);
    size_t kept = 0;
    for (size_t i = 0; i < COUNT; i++) {
        char key[8];
        int length = snprintf(key, sizeof key, "k%zu", i);
        const char *copy = wf_arena_text(&arena, key, (size_t)length);
        wf_value value = wf_string_z("a value that is long enough to be left out");
        wf_member_set(&old[i], copy, (size_t)length, value);
        if (i % 9 == 5)
            continue;
        if (i % 7 == 3)
            value = wf_number((double)i);
        wf_member_set(&now[kept++], copy, (size_t)length, value);
    }
    for (size_t i = 5; i < 100; i += 18) /* some that were removed come back at the end */
        now[kept++] = old[i];
    wf_value before = wf_object(old, COUNT), after = wf_object(now, kept);
    TEST_ASSERT_EQUAL_INT(WF_OTHER_PARTS, check_pair(&before, &after, NULL));
    TEST_ASSERT_EQUAL_INT(WF_NO_DIFFERENCE, check_pair(&after, &after, NULL));
}

/* ---- depth ---- */

static wf_value nested(uint32_t depth, double leaf)
{
    wf_value value = wf_number(leaf);
    for (uint32_t i = 0; i < depth; i++) {
        wf_value *items = wf_arena_take(&arena, 2 * sizeof *items);
        items[0] = wf_string_z("something that is long enough to be left out");
        items[1] = value;
        value = array_of(items, 2);
    }
    return value;
}

/* A change nests deeper than the value. The record that has it can still be read. */
static void test_deep_values(void)
{
    for (uint32_t depth = 1; depth <= WF_KEPT_DEPTH; depth++) {
        wf_value old = nested(depth, 1), now = nested(depth, 2), change = wf_absent();
        enum wf_difference difference = wf_change_of(&arena, &old, &now, 2, &change);
        TEST_ASSERT_EQUAL_INT(WF_OTHER_PARTS, difference);
        TEST_ASSERT_TRUE(change.depth + 2 <= WF_MAX_DEPTH);
        check_pair(&old, &now, NULL);
    }
}

/* ---- what is not a change ---- */

typedef struct refused {
    const char *change, *words;
} refused;

static const refused of_objects[] = {
    {"1", "expected an object"},
    {"[]", "expected an object"},
    {"{\"at\":1}", "unknown key"},
    {"{\"set\":1}", "\"set\""},
    {"{\"unset\":[\"a\"]}", "\"unset\""},
    {"{\"unset\":{\"a\":1}}", "expected null"},
    {"{\"unset\":{\"x\":null}}", "\"x\", which is missing"},
    {"{\"changed\":{\"x\":{}}}", "\"x\", which is missing"},
    {"{\"unset\":{\"l\":null},\"changed\":{\"l\":{}}}", "\"l\", which is missing"},
    {"{\"changed\":{\"a\":{}}}", "no object and no array"},
    {"{\"changed\":7}", "\"changed\""},
};

static const refused of_arrays[] = {
    {"null", "expected an object"},
    {"{}", "\"at\""},
    {"{\"set\":{}}", "unknown key"},
    {"{\"at\":-1,\"removed\":0,\"inserted\":[]}", "\"at\""},
    {"{\"at\":1.5,\"removed\":0,\"inserted\":[]}", "\"at\""},
    {"{\"at\":4,\"removed\":0,\"inserted\":[]}", "begins behind the end"},
    {"{\"at\":9007199254740992,\"removed\":0,\"inserted\":[]}", "begins behind the end"},
    {"{\"at\":2,\"removed\":2,\"inserted\":[]}", "behind the end"},
    {"{\"at\":2,\"removed\":9007199254740992,\"inserted\":[]}", "behind the end"},
    {"{\"at\":2,\"removed\":1}", "\"inserted\""},
    {"{\"at\":2,\"removed\":1,\"inserted\":{}}", "\"inserted\""},
    {"{\"at\":2,\"inserted\":[]}", "\"removed\""},
    {"{\"at\":3,\"changed\":{}}", "only an element"},
    {"{\"at\":2,\"changed\":{},\"removed\":1}", "only an element"},
    {"{\"at\":0,\"changed\":{}}", "no object and no array"},
    {"{\"at\":2,\"changed\":{\"unset\":{\"a\":null}}}", "which is missing"},
};

static void expect_refused(const char *value, const refused *list, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        wf_value old = parse(value), result;
        TEST_ASSERT_EQUAL_INT32_MESSAGE(
            WFSM_CORRUPT, apply(&old, list[i].change, NULL, &result), list[i].change);
        const char *message = wfsm_error_message(error);
        TEST_ASSERT_NOT_NULL_MESSAGE(strstr(message, list[i].words), message);
        TEST_ASSERT_NOT_NULL_MESSAGE(strstr(message, "record 7"), message);
    }
}

static void test_what_is_not_a_change_is_refused(void)
{
    expect_refused("{\"a\":1,\"l\":[1]}", of_objects, sizeof of_objects / sizeof *of_objects);
    expect_refused("[1,2,{\"b\":1}]", of_arrays, sizeof of_arrays / sizeof *of_arrays);
}

static void test_what_is_too_deep_is_refused(void)
{
    wf_value old = nested(WF_KEPT_DEPTH, 1), result;
    wf_buffer change;
    wf_buffer_init(&change, &libc);
    wf_buffer_text(&change, "{\"at\":0,\"removed\":0,\"inserted\":[");
    for (int i = 0; i < WF_KEPT_DEPTH; i++)
        wf_buffer_byte(&change, '[');
    for (int i = 0; i < WF_KEPT_DEPTH; i++)
        wf_buffer_byte(&change, ']');
    wf_buffer_text(&change, "]}");
    TEST_ASSERT_EQUAL_INT32(WFSM_CORRUPT, apply(&old, change.data, NULL, &result));
    wf_buffer_fini(&change);
}

/* ---- records ---- */

static const char *const list_document =
    "{\"id\":\"m\",\"context\":{\"list\":[],\"n\":0},\"initial\":\"a\",\"states\":{\"a\":{"
    "\"on\":{\"add\":{\"actions\":[{\"type\":\"assign\",\"params\":{\"n\":{\"+\":[{\"var\":"
    "\"context.n\"},1]},\"list\":{\"merge\":[{\"var\":\"context.list\"},[{\"var\":\"event.data\""
    "}]]}}}]}}}}}";

typedef struct world {
    wfsm_machine *machine;
    wfsm_store *store;
    wfsm_instance *instance;
} world;

static void open_world(world *w, const wfsm_allocator *allocator)
{
    TEST_ASSERT_EQUAL_INT32(WFSM_OK,
                            wfsm_machine_load(&w->machine, list_document, strlen(list_document),
                                              NULL, allocator, error));
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wfsm_memory_open(&w->store, allocator, error));
    TEST_ASSERT_EQUAL_INT32(
        WFSM_OK,
        wfsm_instance_start(&w->instance, w->machine, START("i", .store = w->store), 0, error));
}

static void close_world(world *w)
{
    wfsm_instance_free(w->instance);
    wfsm_store_free(w->store);
    wfsm_machine_unref(w->machine);
}

static void add(world *w, char letter, size_t length)
{
    char data[600] = "\"";
    int32_t outcome;
    memset(data + 1, letter, length);
    strcpy(data + 1 + length, "\"");
    const wfsm_event event = {
        .size = sizeof event, .name = "add", .data = data, .length = length + 2};
    TEST_ASSERT_EQUAL_INT32(WFSM_OK,
                            wfsm_instance_send(w->instance, &event, 0, &outcome, error));
    TEST_ASSERT_EQUAL_INT32(WFSM_TAKEN, outcome);
}

static void expect_loaded(const world *w)
{
    wfsm_instance *loaded;
    TEST_ASSERT_EQUAL_INT32(
        WFSM_OK, wfsm_instance_load(&loaded, w->machine, w->store, NULL, "i", error));
    char *one = bytes_of(w->instance), *two = bytes_of(loaded);
    TEST_ASSERT_EQUAL_STRING(one, two);
    free(one);
    free(two);
    wfsm_instance_free(loaded);
}

/* 1,000 times the whole list would be 250 MB. */
static void test_appending_writes_what_is_appended(void)
{
    world w;
    size_t bytes = 0, length;
    open_world(&w, NULL);
    for (int i = 0; i < 1000; i++) {
        add(&w, (char)('a' + i % 26), 500);
        wfsm_instance_record(w.instance, &length);
        bytes += length;
    }
    expect_loaded(&w);
    TEST_ASSERT_LESS_THAN_size_t(1500000, bytes);
    close_world(&w);
}

/* Counts the bytes that are asked for. */
static uint64_t asked;

static void *counting_allocate(void *user, size_t bytes)
{
    (void)user;
    asked += bytes;
    return malloc(bytes);
}

static void *counting_resize(void *user, void *block, size_t bytes)
{
    (void)user;
    asked += bytes;
    return realloc(block, bytes);
}

static void counting_release(void *user, void *block)
{
    (void)user;
    free(block);
}

/* 300 records after the snapshot: a copy of the list for each would be 20 MB. */
static void test_loading_does_not_copy_what_stays(void)
{
    const wfsm_allocator counting = {sizeof counting, NULL, counting_allocate, counting_resize,
                                     counting_release};
    world w;
    open_world(&w, &counting);
    for (int i = 0; i < 300; i++)
        add(&w, 'x', 200);
    asked = 0;
    expect_loaded(&w);
    TEST_ASSERT_LESS_THAN_UINT64(5000000, asked);
    close_world(&w);
}

static void test_every_allocation_of_a_load_can_fail(void)
{
    scarce memory = {0};
    const wfsm_allocator allocator = scarce_allocator(&memory);
    world w;
    int32_t status = WFSM_NO_MEMORY;
    open_world(&w, &allocator);
    for (int i = 0; i < 30; i++)
        add(&w, 'x', 200);
    for (uint64_t at = 1; status == WFSM_NO_MEMORY; at++) {
        wfsm_instance *loaded = NULL;
        int64_t living = memory.living;
        memory.fail_at = memory.calls + at;
        status = wfsm_instance_load(&loaded, w.machine, w.store, NULL, "i", NULL);
        memory.fail_at = 0;
        TEST_ASSERT_TRUE(status == WFSM_OK || status == WFSM_NO_MEMORY);
        wfsm_instance_free(loaded);
        TEST_ASSERT_EQUAL_INT64(living, memory.living);
    }
    close_world(&w);
}

/* A failed commit leaves the list as it was, and the next one says the same. */
static void test_every_allocation_of_a_step_can_fail(void)
{
    scarce memory = {0};
    const wfsm_allocator allocator = scarce_allocator(&memory);
    world w;
    int32_t status = WFSM_NO_MEMORY, outcome;
    open_world(&w, &allocator);
    add(&w, 'x', 200);
    const wfsm_event event = {.size = sizeof event, .name = "add", .data = "1", .length = 1};
    for (uint64_t at = 1; status == WFSM_NO_MEMORY; at++) {
        char *before = bytes_of(w.instance);
        memory.fail_at = memory.calls + at;
        status = wfsm_instance_send(w.instance, &event, 0, &outcome, NULL);
        memory.fail_at = 0;
        char *after = bytes_of(w.instance);
        if (status == WFSM_NO_MEMORY)
            TEST_ASSERT_EQUAL_STRING(before, after);
        free(before);
        free(after);
    }
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, status);
    expect_loaded(&w);
    close_world(&w);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_examples);
    RUN_TEST(test_a_change_makes_the_new_value_of_the_old_one);
    RUN_TEST(test_many_members);
    RUN_TEST(test_deep_values);
    RUN_TEST(test_what_is_not_a_change_is_refused);
    RUN_TEST(test_what_is_too_deep_is_refused);
    RUN_TEST(test_appending_writes_what_is_appended);
    RUN_TEST(test_loading_does_not_copy_what_stays);
    RUN_TEST(test_every_allocation_of_a_load_can_fail);
    RUN_TEST(test_every_allocation_of_a_step_can_fail);
    return UNITY_END() != 0;
}
