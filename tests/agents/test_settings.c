/* TOML: what is read, and where complaints point to. */
#include <wfsm/settings.h>

#include "hosts/workspace.h"

static wfsm_settings *config;
static wfsm_error *error;

void setUp(void)
{
    workspace_make();
    config = NULL;
    error = wfsm_error_new(NULL);
}

void tearDown(void)
{
    wfsm_settings_free(config);
    wfsm_error_free(error);
    workspace_remove();
}

static wfsm_table *open_text(const char *text)
{
    const char *path = write_text("c.toml", text);

    wfsm_settings_free(config);
    if (wfsm_settings_open(&config, path, error) != 0)
        TEST_FAIL_MESSAGE(wfsm_error_message(error));
    return wfsm_settings_root(config);
}

/* "PATH:…" with the path of the workspace put in front. */
static void assert_error(const char *behind_path)
{
    const char *path = in_workspace("c.toml");

    TEST_ASSERT_EQUAL_STRING_LEN(path, wfsm_error_message(error), strlen(path));
    TEST_ASSERT_EQUAL_STRING(behind_path, wfsm_error_message(error) + strlen(path));
}

static void test_reads_values(void)
{
    wfsm_table *root = open_text("name = \"x\"\nn = -3\nyes = true\nl = [\"a\", \"b\"]\n"
                                 "[t.inner]\nk = 'v'\n");
    wfsm_table *t = NULL, *inner = NULL;
    const char *text = NULL;
    const char *const *list = NULL;
    int64_t number = 0;
    int32_t yes = 0;
    size_t count = 0;

    TEST_ASSERT_EQUAL(0, wfsm_table_string(root, "name", &text, error));
    TEST_ASSERT_EQUAL_STRING("x", text);
    TEST_ASSERT_EQUAL(0, wfsm_table_int(root, "n", -3, 3, &number, error));
    TEST_ASSERT_EQUAL(-3, number);
    TEST_ASSERT_EQUAL(0, wfsm_table_bool(root, "yes", &yes, error));
    TEST_ASSERT_EQUAL(1, yes);
    TEST_ASSERT_EQUAL(0, wfsm_table_strings(root, "l", &list, &count, error));
    TEST_ASSERT_EQUAL(2, count);
    TEST_ASSERT_EQUAL_STRING("b", list[1]);
    TEST_ASSERT_NULL(list[2]);
    TEST_ASSERT_EQUAL(0, wfsm_table_table(root, "t", &t, error));
    TEST_ASSERT_EQUAL(0, wfsm_table_table(t, "inner", &inner, error));
    TEST_ASSERT_EQUAL_STRING("inner", wfsm_table_key(t, 0));
    TEST_ASSERT_NULL(wfsm_table_key(t, 1));
    TEST_ASSERT_EQUAL(0, wfsm_table_string(inner, "k", &text, error));
    TEST_ASSERT_EQUAL_STRING("v", text);
    TEST_ASSERT_EQUAL(0, wfsm_settings_check(config, error));
}

static void test_missing_ones_keep_their_defaults(void)
{
    static const char *const none[] = {NULL};
    wfsm_table *root = open_text(""), *table = NULL;
    const char *text = "def", *path = "{dir}/x";
    const char *const *list = none;
    int64_t number = 7;
    int32_t yes = 1;
    size_t count = 9;

    TEST_ASSERT_EQUAL(0, wfsm_table_string(root, "a", &text, error));
    TEST_ASSERT_EQUAL_STRING("def", text);
    TEST_ASSERT_EQUAL(0, wfsm_table_int(root, "a", 0, 1, &number, error));
    TEST_ASSERT_EQUAL(7, number);
    TEST_ASSERT_EQUAL(0, wfsm_table_bool(root, "a", &yes, error));
    TEST_ASSERT_EQUAL(1, yes);
    TEST_ASSERT_EQUAL(0, wfsm_table_strings(root, "a", &list, &count, error));
    TEST_ASSERT_EQUAL_PTR(none, list);
    TEST_ASSERT_EQUAL(9, count);
    TEST_ASSERT_EQUAL(0, wfsm_table_table(root, "a", &table, error));
    TEST_ASSERT_NULL(table);
    TEST_ASSERT_EQUAL(0, wfsm_table_path(root, "a", &path, error));
    TEST_ASSERT_EQUAL_STRING_LEN(wfsm_settings_folder(config), path,
                                 strlen(wfsm_settings_folder(config)));
    TEST_ASSERT_EQUAL_STRING("/x", path + strlen(wfsm_settings_folder(config)));
}

static void test_paths(void)
{
    wfsm_table *root = open_text("p = \"{dir}/{dir}\"\nq = \"a\"\ne = \"\"\n");
    const char *folder = wfsm_settings_folder(config), *path = NULL;
    char expected[600];

    TEST_ASSERT_EQUAL(0, wfsm_table_path(root, "p", &path, error));
    (void)snprintf(expected, sizeof expected, "%s/%s", folder, folder);
    TEST_ASSERT_EQUAL_STRING(expected, path);
    TEST_ASSERT_EQUAL(0, wfsm_table_path(root, "q", &path, error));
    TEST_ASSERT_EQUAL_STRING("a", path);
    TEST_ASSERT_EQUAL(WFSM_SEMANTIC, wfsm_table_path(root, "e", &path, error));
    assert_error(":3:5: e: expected a path, found an empty text");
}

static void test_null(void)
{
    wfsm_table *root = open_text("");
    const char *text = NULL;

    TEST_ASSERT_EQUAL(WFSM_INVALID, wfsm_settings_open(NULL, "x", error));
    TEST_ASSERT_EQUAL(WFSM_INVALID, wfsm_table_string(NULL, "a", &text, error));
    TEST_ASSERT_EQUAL(WFSM_INVALID, wfsm_table_string(root, NULL, &text, error));
    TEST_ASSERT_EQUAL(WFSM_INVALID, wfsm_table_string(root, "a", NULL, error));
    TEST_ASSERT_EQUAL(WFSM_INVALID, wfsm_settings_check(NULL, error));
    TEST_ASSERT_NULL(wfsm_settings_root(NULL));
    TEST_ASSERT_EQUAL_STRING("", wfsm_settings_folder(NULL));
    TEST_ASSERT_NULL(wfsm_table_key(NULL, 0));
    wfsm_settings_free(NULL);
}

static void test_folder(void)
{
    char *real = realpath(workspace, NULL);

    (void)open_text("");
    TEST_ASSERT_EQUAL_STRING(real, wfsm_settings_folder(config));
    free(real);
}

static void test_wrong_types(void)
{
    wfsm_table *root = open_text("s = 1\ni = \"x\"\nb = 1.5\n  l = [\"a\",\n  3]\nt = []\n"
                                 "z = \"a\\u0000b\"\nbig = 11\n");
    const char *text = NULL;
    const char *const *list = NULL;
    wfsm_table *table = NULL;
    int64_t number = 0;
    int32_t yes = 0;

    TEST_ASSERT_EQUAL(WFSM_SEMANTIC, wfsm_table_string(root, "s", &text, error));
    assert_error(":1:5: s: expected a string");
    TEST_ASSERT_EQUAL(WFSM_SEMANTIC, wfsm_table_int(root, "i", 0, 10, &number, error));
    assert_error(":2:5: i: expected an integer from 0 to 10");
    TEST_ASSERT_EQUAL(WFSM_SEMANTIC, wfsm_table_int(root, "big", 0, 10, &number, error));
    assert_error(":8:7: big: expected an integer from 0 to 10");
    TEST_ASSERT_EQUAL(WFSM_SEMANTIC, wfsm_table_bool(root, "b", &yes, error));
    assert_error(":3:5: b: expected true or false");
    TEST_ASSERT_EQUAL(WFSM_SEMANTIC, wfsm_table_strings(root, "l", &list, NULL, error));
    assert_error(":5:3: l: expected an array of strings");
    TEST_ASSERT_EQUAL(WFSM_SEMANTIC, wfsm_table_table(root, "t", &table, error));
    assert_error(":6:5: t: expected a table");
    TEST_ASSERT_EQUAL(WFSM_SEMANTIC, wfsm_table_string(root, "z", &text, error));
    assert_error(":7:5: z: expected a string");
}

static void test_missing_key_names_its_table(void)
{
    wfsm_table *root = open_text("\n[t]\nx = 1\n"), *table = NULL;

    TEST_ASSERT_EQUAL(0, wfsm_table_table(root, "t", &table, error));
    TEST_ASSERT_EQUAL(WFSM_SEMANTIC, wfsm_table_require(table, "y", error));
    assert_error(":2:1: y: missing");
    TEST_ASSERT_EQUAL(0, wfsm_table_require(table, "x", error));
    TEST_ASSERT_EQUAL(WFSM_SEMANTIC, wfsm_table_fail(table, "x", "not good", error));
    assert_error(":3:5: x: not good");
}

static void test_unknown_keys(void)
{
    wfsm_table *root = open_text("[t]\nb = 1\n\n[u]\n"), *table = NULL;
    int64_t number = 0;

    TEST_ASSERT_EQUAL(WFSM_SEMANTIC, wfsm_settings_check(config, error));
    assert_error(":1:2: unknown key 't', expected an empty table");
    TEST_ASSERT_EQUAL(0, wfsm_table_table(root, "u", &table, error));
    TEST_ASSERT_EQUAL(0, wfsm_table_table(root, "t", &table, error));
    TEST_ASSERT_EQUAL(0, wfsm_table_int(table, "c", 0, 1, &number, error));
    TEST_ASSERT_EQUAL(0, wfsm_table_int(table, "d", 0, 1, &number, error));
    TEST_ASSERT_EQUAL(WFSM_SEMANTIC, wfsm_settings_check(config, error));
    assert_error(":2:1: unknown key 'b', expected c, d");
    TEST_ASSERT_EQUAL(0, wfsm_table_int(table, "b", 0, 1, &number, error));
    TEST_ASSERT_EQUAL(0, wfsm_settings_check(config, error));
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
        TEST_ASSERT_EQUAL_MESSAGE(WFSM_SYNTAX, wfsm_settings_open(&config, path, error),
                                  cases[index].text);
        TEST_ASSERT_NULL(config);
        TEST_ASSERT_EQUAL_STRING_LEN_MESSAGE(cases[index].place,
                                             wfsm_error_message(error) + strlen(path), 3,
                                             wfsm_error_message(error));
    }
}

static void test_too_deep(void)
{
    enum { DEPTH = 100000 };
    char *text = malloc(DEPTH + 8);

    strcpy(text, "a = ");
    memset(text + 4, '[', DEPTH);
    text[DEPTH + 4] = '\0';
    TEST_ASSERT_EQUAL(WFSM_LIMIT,
                      wfsm_settings_open(&config, write_text("c.toml", text), error));
    TEST_ASSERT_NOT_NULL(strstr(wfsm_error_message(error), "c.toml:1:"));
    free(text);
}

/* `head`, a key of so many parts, and `tail`; to be freed. */
static char *dotted(const char *head, const char *part, size_t parts, const char *tail)
{
    char *text = malloc(strlen(head) + parts * (strlen(part) + 1) + strlen(tail) + 1);
    char *end = stpcpy(text, head);

    while (parts-- > 0)
        end = stpcpy(stpcpy(end, part), parts > 0 ? "." : "");
    strcpy(end, tail);
    return text;
}

static const struct {
    const char *head, *part, *tail;
} keys[] = {
    {"", "a", " = 1\n"},
    {"[", "a", "]\nb = 1\n"},
    {"[[", "a", "]]\n"},
    {"[ t ]\n", "\"a.b\"", " = 1\n"},
    {"t = {", "'a'", " = 1}\n"},
    {"t = [{", "a", " = 1}]\n"},
    {"t = \"\\\"\"\n", "a", "=1"},
    {"t = \"\"\"\"x\\\"\"\"\"\"\"\n", "a ", "=1"},
    {"t = '''\n'a'''''\n", "a", "=1"},
    {"t = '\\' # \"\n", " a", "=1"},
};

static void test_a_key_of_many_parts(void)
{
    size_t index;

    for (index = 0; index < sizeof keys / sizeof keys[0]; index++) {
        char *text = dotted(keys[index].head, keys[index].part, 50000, keys[index].tail);

        wfsm_settings_free(config);
        TEST_ASSERT_EQUAL_MESSAGE(
            WFSM_LIMIT, wfsm_settings_open(&config, write_text("c.toml", text), error),
            keys[index].head);
        TEST_ASSERT_NOT_NULL(strstr(wfsm_error_message(error), "of at most 32 parts"));
        TEST_ASSERT_NOT_NULL(strstr(wfsm_error_message(error), "c.toml:"));
        free(text);
        text = dotted(keys[index].head, keys[index].part, 32, keys[index].tail);
        open_text(text);
        free(text);
    }
}

/* Dots that are not those of a key. */
static void test_many_dots(void)
{
    char *text =
        dotted("a = '", "x", 100, "' # ...............................................\n");
    char *numbers = dotted(
        "a = [", "1", 1,
        ", 1.5, 1.5, 1.5, 1.5, 1.5, 1.5, 1.5, 1.5, 1.5, 1.5,"
        " 1.5, 1.5, 1.5, 1.5, 1.5, 1.5, 1.5, 1.5, 1.5, 1.5, 1.5, 1.5, 1.5, 1.5, 1.5, 1.5, 1.5, 1.5,"
        " 1.5, 1.5, 1.5, 1.5, 1.5, 1.5, 1.5, 1.5]\n");

    open_text(text);
    open_text(numbers);
    free(text);
    free(numbers);
}

static void test_files_that_are_none(void)
{
    char *big = malloc(1100000);

    TEST_ASSERT_EQUAL(WFSM_IO, wfsm_settings_open(&config, in_workspace("none.toml"), error));
    TEST_ASSERT_NOT_NULL(
        strstr(wfsm_error_message(error), "none.toml: No such file or directory"));
    TEST_ASSERT_EQUAL(WFSM_IO, wfsm_settings_open(&config, workspace, error));
    TEST_ASSERT_NOT_NULL(strstr(wfsm_error_message(error), ": not a regular file"));
    memset(big, '#', 1099999);
    big[1099999] = '\0';
    TEST_ASSERT_EQUAL(WFSM_LIMIT,
                      wfsm_settings_open(&config, write_text("c.toml", big), error));
    assert_error(": 1099999 bytes are more than the 1048576 allowed");
    free(big);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_reads_values);
    RUN_TEST(test_missing_ones_keep_their_defaults);
    RUN_TEST(test_paths);
    RUN_TEST(test_null);
    RUN_TEST(test_folder);
    RUN_TEST(test_wrong_types);
    RUN_TEST(test_missing_key_names_its_table);
    RUN_TEST(test_unknown_keys);
    RUN_TEST(test_no_toml);
    RUN_TEST(test_too_deep);
    RUN_TEST(test_a_key_of_many_parts);
    RUN_TEST(test_many_dots);
    RUN_TEST(test_files_that_are_none);
    return UNITY_END() != 0;
}
