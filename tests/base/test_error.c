#include <string.h>
#include <unity.h>
#include "base/error.h"
#include "failing_allocator.h"

static failing memory;
static wfsm_error *error;

void setUp(void)
{
    failing_init(&memory, -1);
    error = wfsm_error_new(&memory.allocator);
}

void tearDown(void)
{
    wfsm_error_free(error);
    TEST_ASSERT_EQUAL(0, memory.alive);
}

static void a_new_error_says_ok(void)
{
    TEST_ASSERT_EQUAL(WFSM_OK, wfsm_error_status(error));
    TEST_ASSERT_EQUAL_STRING("", wfsm_error_message(error));
    TEST_ASSERT_EQUAL_STRING("", wfsm_error_pointer(error));
    TEST_ASSERT_EQUAL(0, wfsm_error_line(error));
    TEST_ASSERT_EQUAL(0, wfsm_error_column(error));
}

static void no_error_is_fine_everywhere(void)
{
    TEST_ASSERT_EQUAL(WFSM_LIMIT, wf_fail(NULL, WFSM_LIMIT, "%d", 1));
    TEST_ASSERT_EQUAL(WFSM_LIMIT, wf_fail_at(NULL, NULL, WFSM_LIMIT, "%d", 1));
    TEST_ASSERT_EQUAL(WFSM_NO_MEMORY, wf_no_memory(NULL));
    TEST_ASSERT_EQUAL(WFSM_HOST, wfsm_error_set(NULL, WFSM_HOST, "x"));
    wf_error_set_pointer(NULL, "/a");
    wf_error_set_position(NULL, 1, 1);
    wfsm_error_free(NULL);
    TEST_ASSERT_EQUAL(WFSM_OK, wfsm_error_status(NULL));
    TEST_ASSERT_EQUAL_STRING("", wfsm_error_message(NULL));
}

static void out_of_memory_gives_no_error(void)
{
    memory.left = 0;
    TEST_ASSERT_NULL(wfsm_error_new(&memory.allocator));
    memory.left = -1;
}

static void a_failure_replaces_all_of_the_one_before(void)
{
    wf_place root = {0}, at = {&root, "a", 1, 0};

    wf_fail_at(error, &at, WFSM_SEMANTIC, "first");
    wf_error_set_position(error, 3, 4);
    TEST_ASSERT_EQUAL_STRING("/a", wfsm_error_pointer(error));
    TEST_ASSERT_EQUAL(3, wfsm_error_line(error));
    wf_fail(error, WFSM_LIMIT, "second %s", "one");
    TEST_ASSERT_EQUAL_STRING("second one", wfsm_error_message(error));
    TEST_ASSERT_EQUAL_STRING("", wfsm_error_pointer(error));
    TEST_ASSERT_EQUAL(0, wfsm_error_line(error));
    TEST_ASSERT_EQUAL(WFSM_LIMIT, wfsm_error_status(error));
}

static void a_message_may_quote_itself(void)
{
    wf_fail(error, WFSM_HOST, "inner");
    wf_fail(error, WFSM_HOST, "outer: %s", wfsm_error_message(error));
    TEST_ASSERT_EQUAL_STRING("outer: inner", wfsm_error_message(error));
}

static void long_messages_are_cut_between_characters(void)
{
    char text[1000];

    /* 510 bytes of ASCII and then two-byte characters: one of them would be halved. */
    memset(text, 'a', sizeof text);
    for (size_t i = 510; i + 1 < sizeof text; i += 2)
        memcpy(text + i, "\xC3\xA9", 2);
    text[998] = '\0';
    wfsm_error_set(error, WFSM_HOST, text);
    TEST_ASSERT_EQUAL(510, strlen(wfsm_error_message(error)));
    wf_fail(error, WFSM_HOST, "x%s", text);
    TEST_ASSERT_EQUAL(511, strlen(wfsm_error_message(error)));
}

static void places_are_json_pointers(void)
{
    wf_place root = {0}, a = {&root, "a/b~c", 5, 0}, b = {&a, NULL, 0, 12}, c = {&b, "", 0, 0};
    char out[64];

    TEST_ASSERT_EQUAL(0, wf_place_pointer(&root, out, sizeof out));
    TEST_ASSERT_EQUAL_STRING("", out);
    TEST_ASSERT_EQUAL(12, wf_place_pointer(&c, out, sizeof out));
    TEST_ASSERT_EQUAL_STRING("/a~1b~0c/12/", out);
    TEST_ASSERT_EQUAL(12, wf_place_pointer(&c, out, 5));
    TEST_ASSERT_EQUAL_STRING("/a~1", out);
    TEST_ASSERT_EQUAL(0, wf_place_pointer(NULL, out, sizeof out));
}

static void every_status_has_a_word(void)
{
    TEST_ASSERT_EQUAL_STRING("OK", wfsm_status_name(WFSM_OK));
    TEST_ASSERT_EQUAL_STRING("HOST", wfsm_status_name(WFSM_HOST));
    for (int32_t i = 0; i <= WFSM_HOST; i++)
        TEST_ASSERT_NOT_EQUAL('?', wfsm_status_name(i)[0]);
    TEST_ASSERT_EQUAL_STRING("?", wfsm_status_name(WFSM_HOST + 1));
    TEST_ASSERT_EQUAL_STRING("?", wfsm_status_name(-1));
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(a_new_error_says_ok);
    RUN_TEST(no_error_is_fine_everywhere);
    RUN_TEST(out_of_memory_gives_no_error);
    RUN_TEST(a_failure_replaces_all_of_the_one_before);
    RUN_TEST(a_message_may_quote_itself);
    RUN_TEST(long_messages_are_cut_between_characters);
    RUN_TEST(places_are_json_pointers);
    RUN_TEST(every_status_has_a_word);
    return UNITY_END() != 0;
}
