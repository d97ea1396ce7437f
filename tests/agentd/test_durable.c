/* Whatever fails, a file is written completely or not at all. */
#include "agents/each_fault.h"
#include "agentd/durable.h"
#include "hosts/workspace.h"
#include "shared/files.h"

static host_error error;
static char path[256];
static long refused;

void setUp(void)
{
    workspace_make_fast();
    refused = 0;
    strcpy(path, in_workspace("f"));
}

void tearDown(void)
{
    workspace_remove();
}

static void assert_text(const char *expected)
{
    char *text;
    size_t length;

    TEST_ASSERT_EQUAL_MESSAGE(0, host_file_read(path, 1000, &text, &length, &error),
                              error.message);
    TEST_ASSERT_EQUAL_STRING(expected, text);
    free(text);
}

static int is_there(const char *name)
{
    return access(in_workspace(name), F_OK) == 0;
}

static void put_old(void)
{
    memset(&error, 0, sizeof error);
    (void)write_text("f", "old");
}

static int write_new(void)
{
    return durable_write(path, "brand new", 9, &error);
}

static void test_rewritten(void)
{
    TEST_ASSERT_EQUAL(0, write_new());
    assert_text("brand new");
    TEST_ASSERT_EQUAL(0, durable_write(path, "", 0, &error));
    assert_text("");
    TEST_ASSERT_FALSE(is_there(".f.new"));
}

static void test_a_link_is_replaced(void)
{
    (void)write_text("else", "kept");
    TEST_ASSERT_EQUAL(0, symlink("else", path));
    TEST_ASSERT_EQUAL(0, symlink("else", in_workspace(".f.new")));
    TEST_ASSERT_EQUAL(0, write_new());
    assert_text("brand new");
    strcpy(path, in_workspace("else"));
    assert_text("kept");
}

static void check_failed(int status)
{
    char *text;
    size_t length;

    TEST_ASSERT_EQUAL(-1, status);
    TEST_ASSERT_NOT_EQUAL('\0', error.message[0]);
    TEST_ASSERT_EQUAL(0, host_file_read(path, 1000, &text, &length, NULL));
    TEST_ASSERT_TRUE(strcmp(text, "old") == 0 || strcmp(text, "brand new") == 0);
    free(text);
    TEST_ASSERT_FALSE(is_there(".f.new"));
}

/* A folder that cannot be closed after it was synced is nobody's loss. */
static void check(int status)
{
    if (status == 0)
        assert_text("brand new");
    else
        check_failed(status);
    refused += status != 0;
}

static void test_every_call_can_fail(void)
{
    long tried = each_fault(FAULT_ERROR, put_old, write_new, check);

    TEST_ASSERT_EQUAL(tried - 1, refused);
    TEST_ASSERT_GREATER_THAN(7, refused);
}

static void test_the_disk_is_full(void)
{
    TEST_ASSERT_GREATER_THAN(5, each_fault(FAULT_FULL, put_old, write_new, check));
    TEST_ASSERT_GREATER_THAN(2, refused);
}

static void check_dead(int survived)
{
    char *text;
    size_t length;

    TEST_ASSERT_EQUAL(0, host_file_read(path, 1000, &text, &length, NULL));
    TEST_ASSERT_TRUE(strcmp(text, "brand new") == 0 || (!survived && strcmp(text, "old") == 0));
    free(text);
    TEST_ASSERT_EQUAL(0, write_new());
    assert_text("brand new");
}

static void test_a_death_anywhere(void)
{
    TEST_ASSERT_GREATER_THAN(8, each_death(put_old, write_new, check_dead));
}

static void test_moved_and_removed(void)
{
    char to[256];

    strcpy(to, in_workspace("sub/g"));
    TEST_ASSERT_EQUAL(0, durable_folder(in_workspace("sub"), &error));
    TEST_ASSERT_EQUAL(0, durable_folder(in_workspace("sub"), &error));
    put_old();
    TEST_ASSERT_EQUAL(0, durable_rename(path, to, &error));
    TEST_ASSERT_FALSE(is_there("f"));
    put_old();
    TEST_ASSERT_EQUAL(-1, durable_rename(path, to, &error));
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(error.message, "sub/g: exists already"), error.message);
    TEST_ASSERT_EQUAL(0, durable_remove(to, &error));
    TEST_ASSERT_EQUAL(0, durable_remove(to, &error));
    TEST_ASSERT_EQUAL(-1, durable_rename(in_workspace("gone"), to, &error));
    TEST_ASSERT_EQUAL(-1, durable_folder(path, &error));
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(error.message, "f: not a folder"), error.message);
    TEST_ASSERT_EQUAL(-1, durable_folder(in_workspace("f/below"), &error));
    TEST_ASSERT_EQUAL(0, durable_folder(in_workspace("a/b/c"), &error));
    TEST_ASSERT_TRUE(is_there("a/b/c"));
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_rewritten);
    RUN_TEST(test_a_link_is_replaced);
    RUN_TEST(test_every_call_can_fail);
    RUN_TEST(test_the_disk_is_full);
    RUN_TEST(test_a_death_anywhere);
    RUN_TEST(test_moved_and_removed);
    return UNITY_END() != 0;
}
