/* The archive: all or nothing, whatever fails and whenever the process dies (003-134, 003-136
 * to 138, 003-144, 003-148, 003-149, 003-173, 003-176, 003-177). */
#include "agentd/archive.h"
#include "agents/each_fault.h"
#include "hosts/workspace.h"
#include "tree.h"

static project in;
static host_error error;
static archive_order order;
static json_t *conflicts;
static char before[TREE_SIZE], after[TREE_SIZE];

static void put(const char *name, const char *text)
{
    char path[256], *slash;

    strcpy(path, in_workspace(name));
    slash = strrchr(path, '/');
    *slash = '\0';
    TEST_ASSERT_EQUAL(0, host_folder_make(path, NULL));
    (void)write_text(name, text);
}

/* In the workspace. */
static void run(const char *command)
{
    char text[512];

    (void)snprintf(text, sizeof text, "cd '%s' && %s", workspace, command);
    TEST_ASSERT_EQUAL_MESSAGE(0, system(text), command);
}

/* A project with a change of two specs; one of them is new, one replaces another. */
static void make_project(void)
{
    memset(&error, 0, sizeof error);
    json_decref(conflicts);
    conflicts = NULL;
    tree_remove(in_workspace("agentd"));
    put("agentd/changes/x/proposal.md", "why");
    put("agentd/changes/x/STATE.yaml", "Complete");
    put("agentd/changes/x/specs/old.md", "new words\n");
    put("agentd/changes/x/specs/new.md", "---\na: b\n---\nnew\n");
    put("agentd/changes/x/specs/notes.txt", "not a spec");
    put("agentd/changes/y/proposal.md", "other");
    put("agentd/specs/old.md", "old words\n");
    put("agentd/specs/other.md", "other\n");
    put("agentd/archive/w/proposal.md", "earlier");
}

void setUp(void)
{
    workspace_make_fast();
    TEST_ASSERT_EQUAL(0, project_at(&in, workspace, &error));
    order = (archive_order){.in = &in, .id = "x", .now = 1768988472345, .overwrite = 1};
    make_project();
}

void tearDown(void)
{
    json_decref(conflicts);
    conflicts = NULL;
    project_clear(&in);
    workspace_remove();
}

static int archive(void)
{
    return archive_change(&order, &conflicts, &error);
}

static const char archived[] =
    "/agentd/\n"
    "/agentd/archive/\n"
    "/agentd/archive/w/\n"
    "/agentd/archive/w/proposal.md: earlier\n"
    "/agentd/archive/x/\n"
    "/agentd/archive/x/STATE.yaml: Complete\n"
    "/agentd/archive/x/proposal.md: why\n"
    "/agentd/archive/x/replaced-specs/\n"
    "/agentd/archive/x/replaced-specs/old.md: old words\n\n"
    "/agentd/archive/x/specs/\n"
    "/agentd/archive/x/specs/new.md: ---\na: b\n---\nnew\n\n"
    "/agentd/archive/x/specs/notes.txt: not a spec\n"
    "/agentd/archive/x/specs/old.md: new words\n\n"
    "/agentd/changes/\n"
    "/agentd/changes/y/\n"
    "/agentd/changes/y/proposal.md: other\n"
    "/agentd/specs/\n"
    "/agentd/specs/new.md: ---\na: b\narchived: 2026-01-21\n---\nnew\n\n"
    "/agentd/specs/old.md: ---\narchived: 2026-01-21\n---\n\nnew words\n\n"
    "/agentd/specs/other.md: other\n\n";

static void assert_archived(void)
{
    tree_read(workspace, after);
    TEST_ASSERT_EQUAL_STRING(archived, after);
}

/* 003-136, 003-137, 003-138, 003-176: copied, dated, moved. */
static void test_archived(void)
{
    TEST_ASSERT_EQUAL_MESSAGE(0, archive(), error.message);
    TEST_ASSERT_NULL(conflicts);
    assert_archived();
    /* Again, and nothing is done again. */
    order.now += 86400000;
    TEST_ASSERT_EQUAL(0, archive());
    assert_archived();
    TEST_ASSERT_FALSE(archive_is_open(&in, "x"));
}

/* 003-177 */
static void test_nothing_is_replaced_unasked(void)
{
    tree_read(workspace, before);
    order.overwrite = 0;
    TEST_ASSERT_EQUAL_MESSAGE(0, archive(), error.message);
    TEST_ASSERT_EQUAL(1, json_array_size(conflicts));
    TEST_ASSERT_EQUAL_STRING("agentd/specs/old.md",
                             json_string_value(json_array_get(conflicts, 0)));
    tree_read(workspace, after);
    TEST_ASSERT_EQUAL_STRING(before, after);
}

/* The same words with an older date are not others. */
static void test_the_same_words_are_no_conflict(void)
{
    put("agentd/specs/old.md", "---\narchived: 2020-02-02\n---\n\nnew words\n");
    order.overwrite = 0;
    TEST_ASSERT_EQUAL_MESSAGE(0, archive(), error.message);
    TEST_ASSERT_NULL(conflicts);
    tree_read(workspace, after);
    TEST_ASSERT_NOT_NULL(strstr(after, "archived: 2026-01-21\n---\n\nnew words"));
}

static void test_a_change_without_specs(void)
{
    order.id = "y";
    TEST_ASSERT_EQUAL_MESSAGE(0, archive(), error.message);
    tree_read(workspace, after);
    TEST_ASSERT_NOT_NULL(strstr(after, "/agentd/archive/y/proposal.md: other"));
    TEST_ASSERT_NULL(strstr(after, "/agentd/changes/y"));
}

static void test_the_first_archive_makes_the_folders(void)
{
    run("rm -rf agentd/specs agentd/archive");
    TEST_ASSERT_EQUAL_MESSAGE(0, archive(), error.message);
    tree_read(workspace, after);
    TEST_ASSERT_NOT_NULL(strstr(after, "/agentd/specs/new.md: "));
    TEST_ASSERT_NOT_NULL(strstr(after, "/agentd/archive/x/specs/new.md: "));
}

static void assert_refused(const char *said)
{
    tree_read(workspace, before);
    TEST_ASSERT_EQUAL(-1, archive());
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(error.message, said), error.message);
    tree_read(workspace, after);
    TEST_ASSERT_EQUAL_STRING(before, after);
}

static void test_what_is_refused(void)
{
    order.id = "gone";
    assert_refused("agentd/changes/gone: no such change");
    order.id = "../x";
    assert_refused("change id: expected letters");
    order.id = "w";
    TEST_ASSERT_EQUAL(0, archive());
    put("agentd/changes/w/proposal.md", "the name is taken");
    assert_refused("agentd/archive/w: exists already");
    order.id = "x";
    put("agentd/changes/x/replaced-specs/f", "");
    assert_refused("replaced-specs: exists already");
}

static void test_specs_that_cannot_be_copied(void)
{
    TEST_ASSERT_EQUAL(0, host_folder_make(in_workspace("agentd/changes/x/specs/dir.md"), NULL));
    assert_refused("dir.md: not a regular file");
    TEST_ASSERT_EQUAL(0, rmdir(in_workspace("agentd/changes/x/specs/dir.md")));
    TEST_ASSERT_EQUAL(0, symlink("/etc/passwd", in_workspace("agentd/changes/x/specs/e.md")));
    TEST_ASSERT_EQUAL(-1, archive());
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(error.message, "a link leads out"), error.message);
    TEST_ASSERT_EQUAL(0, unlink(in_workspace("agentd/changes/x/specs/e.md")));
    put("agentd/changes/x/specs/\xff.md", "no UTF-8");
    TEST_ASSERT_EQUAL(-1, archive());
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(error.message, "not UTF-8"), error.message);
}

static void test_links_do_not_lead_out(void)
{
    run("rm -rf agentd/specs && ln -s ../../.. agentd/specs");
    TEST_ASSERT_EQUAL(-1, archive());
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(error.message, "agentd/specs: a link leads out"),
                                 error.message);
}

/* ---- whatever fails ---- */

static void assert_as_before(void)
{
    tree_read(workspace, after);
    TEST_ASSERT_EQUAL_STRING(before, after);
}

static void prepare(void)
{
    make_project();
    tree_read(workspace, before);
}

/* One call failed: nothing was done, or the same call continues. */
static void check_error(int status)
{
    if (status == 0) {
        assert_archived();
        return;
    }
    TEST_ASSERT_NOT_EQUAL('\0', error.message[0]);
    if (!strstr(error.message, "run the same command again") && !conflicts)
        assert_as_before();
    memset(&error, 0, sizeof error);
    TEST_ASSERT_EQUAL_MESSAGE(0, archive(), error.message);
    assert_archived();
}

static void test_every_call_can_fail(void)
{
    TEST_ASSERT_GREATER_THAN(150, each_fault(FAULT_ERROR, prepare, archive, check_error));
}

/* A full disk moves nothing at all. */
static void check_full(int status)
{
    if (status == 0) {
        assert_archived();
        return;
    }
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(error.message, "No space left"), error.message);
    TEST_ASSERT_NULL_MESSAGE(strstr(error.message, "to continue"), error.message);
    assert_as_before();
    TEST_ASSERT_EQUAL_MESSAGE(0, archive(), error.message);
    assert_archived();
}

static void test_the_disk_is_full(void)
{
    TEST_ASSERT_GREATER_THAN(150, each_fault(FAULT_FULL, prepare, archive, check_full));
}

/* The disk breaks, and is fixed. */
static void check_broken(int status)
{
    if (status != 0)
        TEST_ASSERT_NOT_EQUAL('\0', error.message[0]);
    TEST_ASSERT_EQUAL_MESSAGE(0, archive(), error.message);
    assert_archived();
}

static void test_the_disk_breaks(void)
{
    TEST_ASSERT_GREATER_THAN(150, each_fault(FAULT_BROKEN, prepare, archive, check_broken));
}

/* ---- and whenever it dies ---- */

/* 003-173 */
static void check_death(int survived)
{
    (void)survived;
    TEST_ASSERT_EQUAL_MESSAGE(0, archive(), error.message);
    TEST_ASSERT_NULL(conflicts);
    assert_archived();
}

static void test_a_death_anywhere(void)
{
    TEST_ASSERT_GREATER_THAN(150, each_death(prepare, archive, check_death));
}

/* A death in the second call, too: of what undoes or finishes the first. */
static long first_death;

static void prepare_dead(void)
{
    prepare();
    (void)die_at(first_death, archive);
}

static void test_a_death_in_the_recovery(void)
{
    for (first_death = 110; first_death < 220; first_death += 90)
        TEST_ASSERT_GREATER_THAN(10, each_death(prepare_dead, archive, check_death));
}

/* Dead when the specs stand in their place and the change does not. */
static void die_half_way(void)
{
    first_death = 0;
    do {
        first_death++;
        prepare_dead();
        TEST_ASSERT_LESS_THAN(1000, first_death);
    } while (access(in_workspace("agentd/specs/new.md"), F_OK) != 0);
    TEST_ASSERT_TRUE(archive_is_open(&in, "x"));
}

static void test_what_a_person_edits_between_is_not_lost(void)
{
    die_half_way();
    put("agentd/specs/new.md", "a person's words");
    TEST_ASSERT_EQUAL(-1, archive());
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(error.message, "agentd/specs/new.md: was edited while"),
                                 error.message);
    tree_read(workspace, after);
    TEST_ASSERT_NOT_NULL(strstr(after, "/agentd/specs/new.md: a person's words"));
    TEST_ASSERT_EQUAL(0, rename(in_workspace("agentd/specs/new.md"), in_workspace("mine")));
    TEST_ASSERT_EQUAL_MESSAGE(0, archive(), error.message);
    TEST_ASSERT_EQUAL(0, unlink(in_workspace("mine")));
    assert_archived();
}

static void test_edits_of_the_change_between_are_taken(void)
{
    die_half_way();
    put("agentd/changes/x/specs/new.md", "newer");
    TEST_ASSERT_EQUAL_MESSAGE(0, archive(), error.message);
    tree_read(workspace, after);
    TEST_ASSERT_NOT_NULL(
        strstr(after, "/agentd/specs/new.md: ---\narchived: 2026-01-21\n---\n\nnewer"));
}

static void test_an_intent_of_somebody_else(void)
{
    static const char *const texts[] = {"",
                                        "{}",
                                        "[1]",
                                        "[{\"name\": \"../../x.md\", \"digest\": \"\"}]",
                                        "[{\"name\": \"a.md\"}]",
                                        "[{\"name\": \"a\", \"digest\": \"\"}]"};
    size_t index;

    for (index = 0; index < sizeof texts / sizeof *texts; index++) {
        put("agentd/.archiving/x/intent.json", texts[index]);
        assert_refused("intent.json: expected what agentd wrote");
    }
}

/* With "every" at every single call. */
int main(int argc, char **argv)
{
    fault_stride = argc > 1 && strcmp(argv[1], "every") == 0 ? 1 : 7;
    UNITY_BEGIN();
    RUN_TEST(test_archived);
    RUN_TEST(test_nothing_is_replaced_unasked);
    RUN_TEST(test_the_same_words_are_no_conflict);
    RUN_TEST(test_a_change_without_specs);
    RUN_TEST(test_the_first_archive_makes_the_folders);
    RUN_TEST(test_what_is_refused);
    RUN_TEST(test_specs_that_cannot_be_copied);
    RUN_TEST(test_links_do_not_lead_out);
    RUN_TEST(test_every_call_can_fail);
    RUN_TEST(test_the_disk_is_full);
    RUN_TEST(test_the_disk_breaks);
    RUN_TEST(test_a_death_anywhere);
    RUN_TEST(test_a_death_in_the_recovery);
    RUN_TEST(test_what_a_person_edits_between_is_not_lost);
    RUN_TEST(test_edits_of_the_change_between_are_taken);
    RUN_TEST(test_an_intent_of_somebody_else);
    return UNITY_END() != 0;
}
