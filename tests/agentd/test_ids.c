/* Change ids, and paths that stay in the project (003-140, 003-149). */
#include "agentd/ids.h"
#include "agents/each_fault.h"
#include "hosts/workspace.h"
#include "shared/files.h"

static project project_of_test;
static host_error error;
static long refused;

void setUp(void)
{
    workspace_make_fast();
    memset(&project_of_test, 0, sizeof project_of_test);
    TEST_ASSERT_EQUAL(0, host_folder_make(in_workspace("p/agentd/changes"), NULL));
    TEST_ASSERT_EQUAL(0, host_folder_make(in_workspace("p/src/deep"), NULL));
    TEST_ASSERT_EQUAL(0, project_at(&project_of_test, in_workspace("p"), &error));
}

void tearDown(void)
{
    project_clear(&project_of_test);
    workspace_remove();
}

static void test_ids_that_are_names(void)
{
    static const char *const good[] = {"a", "7", "add-login", "Add_Login-2", "x--", "0_"};
    char longest[CHANGE_ID_MOST + 1];
    size_t index;

    for (index = 0; index < sizeof good / sizeof *good; index++)
        TEST_ASSERT_EQUAL_MESSAGE(0, change_id_check(good[index], &error), good[index]);
    memset(longest, 'x', CHANGE_ID_MOST);
    longest[CHANGE_ID_MOST] = '\0';
    TEST_ASSERT_EQUAL(0, change_id_check(longest, &error));
}

static void test_ids_that_are_none(void)
{
    static const struct {
        const char *id, *said;
    } cases[] = {
        {"", "found an empty text"},
        {".", "found '.' at byte 1"},
        {"..", "found '.' at byte 1"},
        {"../x", "found '.' at byte 1"},
        {"a/b", "found '/' at byte 2"},
        {"/etc", "found '/' at byte 1"},
        {"a.b", "found '.' at byte 2"},
        {"a b", "found \\x20 at byte 2"},
        {" a", "found \\x20 at byte 1"},
        {"a\nb", "found \\x0A at byte 2"},
        {"a\033[31m", "found \\x1B at byte 2"},
        {"a\x7f", "found \\x7F at byte 2"},
        {"-rf", "found '-' at byte 1"},
        {"_x", "found '_' at byte 1"},
        {"caf\xc3\xa9", "found \\xC3 at byte 4"},
        {"a\\b", "found '\\' at byte 2"},
    };
    size_t index;

    for (index = 0; index < sizeof cases / sizeof *cases; index++) {
        TEST_ASSERT_EQUAL_MESSAGE(-1, change_id_check(cases[index].id, &error),
                                  cases[index].id);
        TEST_ASSERT_NOT_NULL_MESSAGE(strstr(error.message, cases[index].said), error.message);
        TEST_ASSERT_EQUAL_STRING_LEN("change id: expected", error.message, 19);
    }
}

static void test_an_id_of_300_bytes(void)
{
    char id[301];

    memset(id, 'x', 300);
    id[300] = '\0';
    TEST_ASSERT_EQUAL(-1, change_id_check(id, &error));
    TEST_ASSERT_EQUAL_STRING("change id: 300 bytes are more than the 100 allowed",
                             error.message);
}

static void test_the_project_is_found_from_below(void)
{
    static const char *const from[] = {"p", "p/src", "p/src/deep", "p/agentd/changes"};
    project found;
    size_t index;

    for (index = 0; index < sizeof from / sizeof *from; index++) {
        TEST_ASSERT_EQUAL(0, project_find(&found, in_workspace(from[index]), &error));
        TEST_ASSERT_EQUAL_STRING(project_of_test.root, found.root);
        project_clear(&found);
    }
    TEST_ASSERT_EQUAL(-1, project_find(&found, workspace, &error));
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(error.message, "agentd init"), error.message);
    project_clear(&found);
    TEST_ASSERT_EQUAL(-1, project_find(&found, in_workspace("gone"), &error));
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(error.message, "gone: No such file"), error.message);
    project_clear(&found);
    TEST_ASSERT_EQUAL(-1, project_at(&found, write_text("file", ""), &error));
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(error.message, "file: not a folder"), error.message);
    project_clear(&found);
}

/* The rest of a path behind the project's root. */
static void assert_path(const char *rest, char *path)
{
    size_t root = strlen(project_of_test.root);

    TEST_ASSERT_NOT_NULL_MESSAGE(path, error.message);
    TEST_ASSERT_EQUAL_STRING_LEN(project_of_test.root, path, root);
    TEST_ASSERT_EQUAL_STRING(rest, path + root);
    free(path);
}

static void test_paths_of_a_change(void)
{
    assert_path("/agentd/changes/add-login",
                change_path(&project_of_test, "add-login", NULL, &error));
    assert_path("/agentd/changes/add-login/STATE.yaml",
                change_path(&project_of_test, "add-login", "STATE.yaml", &error));
    assert_path("/agentd/archive/add-login/specs/a.md",
                archived_path(&project_of_test, "add-login", "specs/a.md", &error));
    assert_path("/agentd/config.toml",
                project_path(&project_of_test, "agentd/config.toml", &error));
    TEST_ASSERT_NULL(change_path(&project_of_test, "a/b", NULL, &error));
    TEST_ASSERT_NOT_NULL(strstr(error.message, "change id"));
    TEST_ASSERT_NULL(archived_path(&project_of_test, "..", NULL, &error));
}

static void test_paths_that_are_refused(void)
{
    static const char *const below[] = {"",    "/etc/passwd", "..",        "../x", "a/../../x",
                                        "a/.", "a//b",        "a/b/../..", "a/"};
    size_t index;

    for (index = 0; index < sizeof below / sizeof *below; index++) {
        TEST_ASSERT_NULL_MESSAGE(project_path(&project_of_test, below[index], &error),
                                 below[index]);
        TEST_ASSERT_NOT_NULL_MESSAGE(strstr(error.message, "below the project"), error.message);
    }
}

static void link_to(const char *target, const char *name)
{
    TEST_ASSERT_EQUAL(0, symlink(target, in_workspace(name)));
}

static void test_links(void)
{
    (void)write_text("secret", "x");
    TEST_ASSERT_EQUAL(0, host_folder_make(in_workspace("p2/x"), NULL));
    link_to("../../..", "p/agentd/changes/up");
    link_to("../../../secret", "p/agentd/changes/file");
    link_to("../../src", "p/agentd/changes/inside");
    link_to("nothing", "p/agentd/changes/dangling");
    link_to("loop", "p/agentd/changes/loop");
    link_to("../p2", "p/beside");

    TEST_ASSERT_NULL(change_path(&project_of_test, "up", NULL, &error));
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(error.message, "changes/up: a link leads out"),
                                 error.message);
    TEST_ASSERT_NULL(change_path(&project_of_test, "up", "secret", &error));
    TEST_ASSERT_NULL(change_path(&project_of_test, "up", "not/yet/there", &error));
    TEST_ASSERT_NULL(change_path(&project_of_test, "file", NULL, &error));
    /* A root's name is no prefix of its neighbour's. */
    TEST_ASSERT_NULL(project_path(&project_of_test, "beside/x", &error));
    TEST_ASSERT_NULL(change_path(&project_of_test, "dangling", NULL, &error));
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(error.message, "dangling: No such file"),
                                 error.message);
    TEST_ASSERT_NULL(change_path(&project_of_test, "loop", "x", &error));
    assert_path("/agentd/changes/inside/new",
                change_path(&project_of_test, "inside", "new", &error));
}

static void nothing(void)
{
}

static int find_and_use(void)
{
    project found;
    char *path = NULL;

    if (project_find(&found, in_workspace("p/src"), &error) == 0)
        path = change_path(&found, "x", "specs/y.md", &error);
    project_clear(&found);
    free(path);
    return path ? 0 : -1;
}

/* A failure is said; or the call was one whose failure is an answer, such as whether p/src has
 * a folder agentd in it. */
static void check(int status)
{
    if (status != 0)
        TEST_ASSERT_NOT_EQUAL('\0', error.message[0]);
    refused += status != 0;
    memset(&error, 0, sizeof error);
}

static void test_every_call_can_fail(void)
{
    long tried;

    refused = 0;
    tried = each_fault(FAULT_ERROR, nothing, find_and_use, check);
    TEST_ASSERT_GREATER_OR_EQUAL(tried - 2, refused);
    TEST_ASSERT_GREATER_THAN(5, refused);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_ids_that_are_names);
    RUN_TEST(test_ids_that_are_none);
    RUN_TEST(test_an_id_of_300_bytes);
    RUN_TEST(test_the_project_is_found_from_below);
    RUN_TEST(test_paths_of_a_change);
    RUN_TEST(test_paths_that_are_refused);
    RUN_TEST(test_links);
    RUN_TEST(test_every_call_can_fail);
    return UNITY_END() != 0;
}
