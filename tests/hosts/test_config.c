/* TOML: what is read, and where complaints point to. */
#include "agents/config.h"
#include "workspace.h"

static wfa_config *config;
static wfa_error error;

void setUp(void)
{
    workspace_make();
    config = NULL;
    memset(&error, 0, sizeof error);
}

void tearDown(void)
{
    wfa_config_close(config);
    workspace_remove();
}

static wfa_table *open_text(const char *text)
{
    const char *path = write_text("c.toml", text);

    wfa_config_close(config);
    if (wfa_config_open(&config, path, &error) != 0)
        TEST_FAIL_MESSAGE(error.message);
    return wfa_config_root(config);
}

/* "PATH:…" with the path of the workspace put in front. */
static void assert_error(const char *behind_path)
{
    const char *path = in_workspace("c.toml");

    TEST_ASSERT_EQUAL_STRING_LEN(path, error.message, strlen(path));
    TEST_ASSERT_EQUAL_STRING(behind_path, error.message + strlen(path));
}

static void test_reads_values(void)
{
    wfa_table *root = open_text("name = \"x\"\nn = -3\nyes = true\nl = [\"a\", \"b\"]\n"
                                "[t.inner]\nk = 'v'\n");
    wfa_table *t, *inner;
    const char *text;
    const char *const *list;
    int64_t number;
    int yes;
    size_t count;

    TEST_ASSERT_EQUAL(0, wfa_table_string(root, "name", NULL, &text, &error));
    TEST_ASSERT_EQUAL_STRING("x", text);
    TEST_ASSERT_EQUAL(0, wfa_table_int(root, "n", 0, -3, 3, &number, &error));
    TEST_ASSERT_EQUAL(-3, number);
    TEST_ASSERT_EQUAL(0, wfa_table_bool(root, "yes", 0, &yes, &error));
    TEST_ASSERT_EQUAL(1, yes);
    TEST_ASSERT_EQUAL(0, wfa_table_strings(root, "l", &list, &count, &error));
    TEST_ASSERT_EQUAL(2, count);
    TEST_ASSERT_EQUAL_STRING("b", list[1]);
    TEST_ASSERT_NULL(list[2]);
    TEST_ASSERT_EQUAL(0, wfa_table_table(root, "t", &t, &error));
    TEST_ASSERT_EQUAL(0, wfa_table_table(t, "inner", &inner, &error));
    TEST_ASSERT_EQUAL_STRING("inner", wfa_table_key(t, 0));
    TEST_ASSERT_NULL(wfa_table_key(t, 1));
    TEST_ASSERT_EQUAL(0, wfa_table_string(inner, "k", NULL, &text, &error));
    TEST_ASSERT_EQUAL_STRING("v", text);
    TEST_ASSERT_EQUAL(0, wfa_config_check(config, &error));
}

static void test_missing_ones_have_defaults(void)
{
    wfa_table *root = open_text(""), *table;
    const char *text;
    const char *const *list;
    int64_t number;
    int yes;
    size_t count;

    TEST_ASSERT_EQUAL(0, wfa_table_string(root, "a", "def", &text, &error));
    TEST_ASSERT_EQUAL_STRING("def", text);
    TEST_ASSERT_EQUAL(0, wfa_table_string(root, "a", NULL, &text, &error));
    TEST_ASSERT_NULL(text);
    TEST_ASSERT_EQUAL(0, wfa_table_int(root, "a", 7, 0, 1, &number, &error));
    TEST_ASSERT_EQUAL(7, number);
    TEST_ASSERT_EQUAL(0, wfa_table_bool(root, "a", 1, &yes, &error));
    TEST_ASSERT_EQUAL(1, yes);
    TEST_ASSERT_EQUAL(0, wfa_table_strings(root, "a", &list, &count, &error));
    TEST_ASSERT_EQUAL(0, count);
    TEST_ASSERT_NULL(list[0]);
    TEST_ASSERT_EQUAL(0, wfa_table_table(root, "a", &table, &error));
    TEST_ASSERT_NULL(table);
}

static void test_folder(void)
{
    char *real = realpath(workspace, NULL);

    (void)open_text("");
    TEST_ASSERT_EQUAL_STRING(real, wfa_config_folder(config));
    free(real);
}

static void test_wrong_types(void)
{
    wfa_table *root = open_text("s = 1\ni = \"x\"\nb = 1.5\n  l = [\"a\",\n  3]\nt = []\n"
                                "z = \"a\\u0000b\"\nbig = 11\n");
    const char *text;
    const char *const *list;
    wfa_table *table;
    int64_t number;
    int yes;

    TEST_ASSERT_EQUAL(-1, wfa_table_string(root, "s", NULL, &text, &error));
    assert_error(":1:5: s: expected a string");
    TEST_ASSERT_EQUAL(-1, wfa_table_int(root, "i", 0, 0, 10, &number, &error));
    assert_error(":2:5: i: expected an integer from 0 to 10");
    TEST_ASSERT_EQUAL(-1, wfa_table_int(root, "big", 0, 0, 10, &number, &error));
    assert_error(":8:7: big: expected an integer from 0 to 10");
    TEST_ASSERT_EQUAL(-1, wfa_table_bool(root, "b", 0, &yes, &error));
    assert_error(":3:5: b: expected true or false");
    TEST_ASSERT_EQUAL(-1, wfa_table_strings(root, "l", &list, NULL, &error));
    assert_error(":5:3: l: expected an array of strings");
    TEST_ASSERT_EQUAL(-1, wfa_table_table(root, "t", &table, &error));
    assert_error(":6:5: t: expected a table");
    TEST_ASSERT_EQUAL(-1, wfa_table_string(root, "z", NULL, &text, &error));
    assert_error(":7:5: z: expected a string");
}

static void test_missing_key_names_its_table(void)
{
    wfa_table *root = open_text("\n[t]\nx = 1\n"), *table;

    TEST_ASSERT_EQUAL(0, wfa_table_table(root, "t", &table, &error));
    TEST_ASSERT_EQUAL(-1, wfa_table_require(table, "y", &error));
    assert_error(":2:1: y: missing");
    TEST_ASSERT_EQUAL(0, wfa_table_require(table, "x", &error));
    TEST_ASSERT_EQUAL(-1, wfa_table_fail(table, "x", &error, "not %s", "good"));
    assert_error(":3:5: x: not good");
}

static void test_unknown_keys(void)
{
    wfa_table *root = open_text("[t]\nb = 1\n\n[u]\n"), *table;
    int64_t number;

    TEST_ASSERT_EQUAL(-1, wfa_config_check(config, &error));
    assert_error(":1:2: unknown key 't', expected an empty table");
    TEST_ASSERT_EQUAL(0, wfa_table_table(root, "u", &table, &error));
    TEST_ASSERT_EQUAL(0, wfa_table_table(root, "t", &table, &error));
    TEST_ASSERT_EQUAL(0, wfa_table_int(table, "c", 0, 0, 1, &number, &error));
    TEST_ASSERT_EQUAL(0, wfa_table_int(table, "d", 0, 0, 1, &number, &error));
    TEST_ASSERT_EQUAL(-1, wfa_config_check(config, &error));
    assert_error(":2:1: unknown key 'b', expected c, d");
    TEST_ASSERT_EQUAL(0, wfa_table_int(table, "b", 0, 0, 1, &number, &error));
    TEST_ASSERT_EQUAL(0, wfa_config_check(config, &error));
}

/* Malformed texts: an error with a place, never more. */
static void test_no_toml(void)
{
    static const struct {
        const char *text;
        const char *place;
    } cases[] = {
        {"a = ", ":1:"},
        {"a = 1\na = 2\n", ":2:"},
        {"\n\nkey", ":3:"},
        {"a = \"\xFF\"", ":1:"},
        {"a = \"\xED\xA0\x80\"", ":1:"},
        {"[t\n", ":1:"},
        {"a = [1,", ":1:"},
        {"a = '''", ":1:"},
        {"a = 99999999999999999999", ":1:"},
        {"[a]\n[a]\n", ":2:"},
    };
    size_t index;

    for (index = 0; index < sizeof cases / sizeof cases[0]; index++) {
        const char *path = write_text("c.toml", cases[index].text);
        TEST_ASSERT_EQUAL_MESSAGE(-1, wfa_config_open(&config, path, &error),
                                  cases[index].text);
        TEST_ASSERT_NULL(config);
        TEST_ASSERT_EQUAL_STRING_LEN_MESSAGE(cases[index].place, error.message + strlen(path),
                                             3, error.message);
    }
}

static void test_too_deep(void)
{
    enum { DEPTH = 100000 };
    char *text = malloc(DEPTH + 8);

    strcpy(text, "a = ");
    memset(text + 4, '[', DEPTH);
    text[DEPTH + 4] = '\0';
    TEST_ASSERT_EQUAL(-1, wfa_config_open(&config, write_text("c.toml", text), &error));
    TEST_ASSERT_NOT_NULL(strstr(error.message, "c.toml:1:"));
    free(text);
}

static void test_files_that_are_none(void)
{
    char *big = malloc(1100000);

    TEST_ASSERT_EQUAL(-1, wfa_config_open(&config, in_workspace("none.toml"), &error));
    TEST_ASSERT_NOT_NULL(strstr(error.message, "none.toml: No such file or directory"));
    TEST_ASSERT_EQUAL(-1, wfa_config_open(&config, workspace, &error));
    TEST_ASSERT_NOT_NULL(strstr(error.message, ": not a regular file"));
    memset(big, '#', 1099999);
    big[1099999] = '\0';
    TEST_ASSERT_EQUAL(-1, wfa_config_open(&config, write_text("c.toml", big), &error));
    assert_error(": 1099999 bytes are more than the 1048576 allowed");
    free(big);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_reads_values);
    RUN_TEST(test_missing_ones_have_defaults);
    RUN_TEST(test_folder);
    RUN_TEST(test_wrong_types);
    RUN_TEST(test_missing_key_names_its_table);
    RUN_TEST(test_unknown_keys);
    RUN_TEST(test_no_toml);
    RUN_TEST(test_too_deep);
    RUN_TEST(test_files_that_are_none);
    return UNITY_END() != 0;
}
