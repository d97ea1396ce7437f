/* Keys of services: where they come from, and that nobody sees them. */
#include "agents/key.h"
#include "agents/text_buffer.h"
#include "hosts/workspace.h"

static wfa_key key;
static wfa_error error;

void setUp(void)
{
    workspace_make();
    key.text = NULL;
    (void)unsetenv("A_KEY");
}

void tearDown(void)
{
    wfa_key_clear(&key);
    workspace_remove();
}

static void test_sources(void)
{
    TEST_ASSERT_EQUAL(0, wfa_key_read(&key, NULL, NULL, &error));
    TEST_ASSERT_NULL(key.text);
    (void)setenv("A_KEY", "secret-1", 1);
    TEST_ASSERT_EQUAL(0, wfa_key_read(&key, "A_KEY", NULL, &error));
    TEST_ASSERT_EQUAL_STRING("secret-1", key.text);
    wfa_key_clear(&key);
    TEST_ASSERT_EQUAL(0, wfa_key_read(&key, NULL, write_text("k", "\n secret-2 \r\n"), &error));
    TEST_ASSERT_EQUAL_STRING("secret-2", key.text);
}

static void assert_refused(const char *variable, const char *file, const char *message)
{
    TEST_ASSERT_EQUAL(-1, wfa_key_read(&key, variable, file, &error));
    TEST_ASSERT_NULL(key.text);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(error.message, message), error.message);
    TEST_ASSERT_NULL(strstr(error.message, "secret"));
}

static void test_what_is_no_key(void)
{
    assert_refused("A_KEY", NULL, "the environment variable A_KEY, which holds the key");
    (void)setenv("A_KEY", "", 1);
    assert_refused("A_KEY", NULL, "is not set");
    (void)setenv("A_KEY", "secret\r\nx-other: header", 1);
    assert_refused("A_KEY", NULL, "A_KEY: expected a key of printable characters");
    (void)setenv("A_KEY", "secret\xC3\xB6", 1);
    assert_refused("A_KEY", NULL, "A_KEY: expected a key of printable characters");
    assert_refused(NULL, write_text("k", " \n"), "/k: expected a key");
    assert_refused(NULL, in_workspace("none"), "No such file");
}

static void test_hiding(void)
{
    static const struct {
        const char *text, *hidden;
    } cases[] = {
        {"", ""},
        {"nothing here", "nothing here"},
        {"sk-0123456789", "*************"},
        {"is sk-0123456789!", "is *************!"},
        {"sk-01234 sk-0123 89", "******** sk-0123 89"},
        {"ends in 23456789, 3456789", "ends in ********, 3456789"},
        {"sk-0123456789sk-0123456789", "**************************"},
    };
    char text[64];
    size_t index;

    key.text = strdup("sk-0123456789");
    for (index = 0; index < sizeof cases / sizeof *cases; index++) {
        strcpy(text, cases[index].text);
        wfa_key_hide(&key, text);
        TEST_ASSERT_EQUAL_STRING(cases[index].hidden, text);
    }
    TEST_ASSERT_EQUAL(1, wfa_key_is_in(&key, "x sk-0123456789", 15));
    TEST_ASSERT_EQUAL(0, wfa_key_is_in(&key, "x sk-0123456789", 14));
    TEST_ASSERT_EQUAL(0, wfa_key_is_in(&key, "", 0));
}

static void test_a_short_key_is_no_secret(void)
{
    char text[] = "none of it";

    key.text = strdup("none");
    wfa_key_hide(&key, text);
    TEST_ASSERT_EQUAL_STRING("none of it", text);
    TEST_ASSERT_EQUAL(0, wfa_key_is_in(&key, text, strlen(text)));
}

static void test_plain_text(void)
{
    static const struct {
        const char *text, *plain;
    } cases[] = {
        {"\xC3\xB6 \xE2\x9C\x93 \xF0\x9F\x98\x80", "\xC3\xB6 \xE2\x9C\x93 \xF0\x9F\x98\x80"},
        {"\xFF"
         "a\xC3",
         "?a?"},
        {"\xC0\xAF \xED\xA0\x80 \xF4\x90\x80\x80", "?? ??? ????"},
        {"\xE2\x9C", "??"},
    };
    char text[64];
    size_t index;

    for (index = 0; index < sizeof cases / sizeof *cases; index++) {
        strcpy(text, cases[index].text);
        wfa_text_make_plain(text, strlen(text));
        TEST_ASSERT_EQUAL_STRING(cases[index].plain, text);
    }
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_sources);
    RUN_TEST(test_what_is_no_key);
    RUN_TEST(test_hiding);
    RUN_TEST(test_a_short_key_is_no_secret);
    RUN_TEST(test_plain_text);
    return UNITY_END() != 0;
}
