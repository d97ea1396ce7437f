/* Digests of files, for what people vote on. */
#include "shared/digest_files.h"
#include "workspace.h"

static host_error error;

void setUp(void)
{
    workspace_make();
}

void tearDown(void)
{
    workspace_remove();
}

static json_t *digest(const char *paths)
{
    json_t *list = json_loads(paths, 0, NULL);
    json_t *made = host_digest_files(workspace, list, &error);

    json_decref(list);
    return made;
}

static void test_digests(void)
{
    char expected[WFSM_DIGEST_SIZE];
    json_t *made;

    (void)write_text("b.txt", "second\n");
    (void)write_text("a..b", "");
    made = digest("[\"b.txt\", \"gone\", \"gone/too\", \"a..b\"]");
    TEST_ASSERT_NOT_NULL_MESSAGE(made, error.message);
    TEST_ASSERT_EQUAL(4, json_object_size(made));
    TEST_ASSERT_EQUAL(WFSM_OK, wfsm_digest("second\n", 7, expected));
    TEST_ASSERT_EQUAL_STRING(expected, json_string_value(json_object_get(made, "b.txt")));
    TEST_ASSERT_EQUAL(WFSM_OK, wfsm_digest("", 0, expected));
    TEST_ASSERT_EQUAL_STRING(expected, json_string_value(json_object_get(made, "a..b")));
    TEST_ASSERT_TRUE(json_is_null(json_object_get(made, "gone")));
    TEST_ASSERT_TRUE(json_is_null(json_object_get(made, "gone/too")));
    json_decref(made);
    made = digest("[]");
    TEST_ASSERT_EQUAL(0, json_object_size(made));
    json_decref(made);
}

static void test_what_is_refused(void)
{
    static const struct {
        const char *paths, *message;
    } cases[] = {
        {"[\"/etc/passwd\"]", "expected paths below the folder, found /etc/passwd"},
        {"[\"../x\"]", "found ../x"},
        {"[\"a/../../x\"]", "found a/../../x"},
        {"[\"a/..\"]", "found a/.."},
        {"[\"\"]", "expected paths below the folder"},
        {"[7]", "expected paths below the folder"},
        {"[\".\"]", "not a regular file"},
    };
    size_t index;

    for (index = 0; index < sizeof cases / sizeof *cases; index++) {
        TEST_ASSERT_NULL_MESSAGE(digest(cases[index].paths), cases[index].paths);
        TEST_ASSERT_NOT_NULL_MESSAGE(strstr(error.message, cases[index].message),
                                     error.message);
    }
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_digests);
    RUN_TEST(test_what_is_refused);
    return UNITY_END() != 0;
}
