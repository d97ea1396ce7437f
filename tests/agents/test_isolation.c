/* What a program gets of its host, where it is looked for, and who can get at the files of its run. */
#include "agents/children_support.h"
#include "agents/process_spawn.h"

#include <fcntl.h>

void setUp(void)
{
    begin_children();
}

void tearDown(void)
{
    (void)unsetenv("PATH"); /* of whatever a test has set, rm would be looked up in it */
    end_children();
}

/* ---- the environment ---- */

static const char *const passed[] = {"HOME=h", "LANG=l",      "LANGUAGE=g", "LC_ALL=C",
                                     "LC_X=x", "LOGNAME=n",   "SHELL=s",    "TERM=t",
                                     "TZ=z",   "TMPDIR=/tmp", "USER=u",     NULL};
static const char *const kept[] = {
    "OPENAI_API_KEY=sk", "HTTP_PROXY=p", "MALLOC_X=x",  "SSH_AUTH_SOCK=y",    "HOMES=z", "LC=z",
    "PYTHONPATH=.",      "GIT_DIR=x",    "BASH_ENV=.x", "AWS_SECRET_KEY=sk2", "PATHS=.", NULL};

static void set_all(const char *const *entries)
{
    for (; *entries; entries++)
        TEST_ASSERT_EQUAL(0, putenv((char *)(uintptr_t)*entries));
}

static int holds(char *const *list, const char *entry)
{
    for (; *list; list++)
        if (strcmp(*list, entry) == 0)
            return 1;
    return 0;
}

static size_t count(char *const *list)
{
    size_t number = 0;

    while (list[number])
        number++;
    return number;
}

/* Sets the whole environment of this process, and gives that of a program. */
static char **environment_of(const char *path, const char *const *extra,
                             const char *const *pass)
{
    char **list;

    TEST_ASSERT_EQUAL(0, clearenv());
    set_all(passed);
    set_all(kept);
    if (path)
        TEST_ASSERT_EQUAL(0, setenv("PATH", path, 1));
    list = wfa_environment(extra, pass);
    TEST_ASSERT_NOT_NULL(list);
    return list;
}

static void test_the_environment_begins_empty(void)
{
    char **list = environment_of("/bin", NULL, NULL);
    size_t index;

    for (index = 0; passed[index]; index++)
        TEST_ASSERT_TRUE_MESSAGE(holds(list, passed[index]), passed[index]);
    for (index = 0; kept[index]; index++)
        TEST_ASSERT_FALSE_MESSAGE(holds(list, kept[index]), kept[index]);
    TEST_ASSERT_TRUE(holds(list, "PATH=/bin"));
    TEST_ASSERT_EQUAL(sizeof passed / sizeof *passed, count(list));
    free(list);
}

static void test_what_is_asked_for(void)
{
    static const char *const extra[] = {"X=1", "HOME=other", NULL};
    static const char *const pass[] = {"LC", "OPENAI_API_KEY", "NOT_SET", NULL};
    char **list = environment_of(NULL, extra, pass);

    TEST_ASSERT_TRUE(holds(list, "HOME=other"));
    TEST_ASSERT_FALSE(holds(list, "HOME=h"));
    TEST_ASSERT_TRUE(holds(list, "X=1"));
    TEST_ASSERT_TRUE(holds(list, "LC=z"));
    TEST_ASSERT_TRUE(holds(list, "OPENAI_API_KEY=sk"));
    TEST_ASSERT_EQUAL(sizeof passed / sizeof *passed - 1 + 3, count(list));
    free(list);
}

static void test_path_without_what_is_relative(void)
{
    static const struct {
        const char *given, *path; /* NULL: no PATH */
    } cases[] = {{"/a:/b", "PATH=/a:/b"},
                 {".:/a", "PATH=/a"},
                 {"/a:", "PATH=/a"},
                 {":/a", "PATH=/a"},
                 {"/a::/b", "PATH=/a:/b"},
                 {"bin:/a:../x", "PATH=/a"},
                 {"", NULL},
                 {":", NULL},
                 {".", NULL},
                 {"./node_modules:x", NULL}};
    static const char *const pass[] = {"PATH", NULL};
    size_t index, entry;

    for (index = 0; index < sizeof cases / sizeof *cases; index++) {
        char **list = environment_of(cases[index].given, NULL, index % 2 ? pass : NULL);

        if (cases[index].path)
            TEST_ASSERT_TRUE_MESSAGE(holds(list, cases[index].path), cases[index].given);
        for (entry = 0; !cases[index].path && list[entry]; entry++)
            TEST_ASSERT_NOT_EQUAL(0, strncmp(list[entry], "PATH=", 5));
        free(list);
    }
}

/* ---- the program ---- */

/* A program "tool" in the workspace, in which it would work. */
static wfa_child *start_tool(const char *path)
{
    static const char *argv[] = {"tool", NULL};
    static const char *env[] = {NULL, NULL};
    static char base[256];
    wfa_child_spec spec = {.argv = argv, .env = env, .base = base};

    (void)chmod(write_text("tool", "#!/bin/sh\necho 'from the workspace'\n"), 0700);
    spec.folder = workspace;
    env[0] = path;
    (void)snprintf(base, sizeof base, "%s", in_workspace("run"));
    return run(&spec);
}

static void test_no_program_of_the_workspace(void)
{
    static const char *const paths[] = {"PATH=.:/usr/bin:/bin",
                                        "PATH=:/usr/bin:/bin",
                                        "PATH=/usr/bin:/bin:",
                                        "PATH=/usr/bin::/bin",
                                        "PATH=./:../w:/bin",
                                        "PATH=",
                                        "PATH=.",
                                        NULL};
    size_t index;

    TEST_ASSERT_EQUAL(0, chdir(workspace));
    for (index = 0; paths[index]; index++) {
        wfa_child *child = start_tool(paths[index]);

        TEST_ASSERT_EQUAL_MESSAGE(WFA_END_SPAWN_FAILED, wfa_child_reason(child), paths[index]);
        TEST_ASSERT_EQUAL_STRING("tool: cannot be run: No such file or directory",
                                 wfa_child_message(child));
        wfa_child_forget(child);
    }
    TEST_ASSERT_EQUAL(0, chdir("/"));
}

static void test_a_program_that_was_named(void)
{
    char path[300];
    wfa_child *child;

    (void)snprintf(path, sizeof path, "PATH=.:%s:/bin", workspace);
    child = start_tool(path);
    TEST_ASSERT_EQUAL_MESSAGE(WFA_END_EXITED, wfa_child_reason(child),
                              wfa_child_message(child));
    assert_output(child, "from the workspace\n");
}

/* A folder and a file that may not be run do not hide the program behind them. */
static void test_what_is_no_program(void)
{
    char path[300], *found;
    char *environment[] = {path, NULL};

    TEST_ASSERT_EQUAL(0, mkdir(in_workspace("a"), 0700));
    TEST_ASSERT_EQUAL(0, mkdir(in_workspace("a/sh"), 0700));
    TEST_ASSERT_EQUAL(0, mkdir(in_workspace("b"), 0700));
    TEST_ASSERT_EQUAL(0, chmod(write_text("b/sh", "x"), 0600));
    (void)snprintf(path, sizeof path, "PATH=%s/a:%s/b:/bin", workspace, workspace);
    found = wfa_program_path("sh", environment);
    TEST_ASSERT_EQUAL_STRING("/bin/sh", found);
    free(found);
    TEST_ASSERT_NULL(wfa_program_path("no-such-program", environment));
    found = wfa_program_path("./sh", environment);
    TEST_ASSERT_EQUAL_STRING("./sh", found);
    free(found);
}

/* ---- the files of a run ---- */

static mode_t mode_of(const char *name)
{
    struct stat status;

    TEST_ASSERT_EQUAL_MESSAGE(0, lstat(in_workspace(name), &status), name);
    return status.st_mode & 07777;
}

static void test_files_are_their_owners(void)
{
    static const char *const files[] = {"r/x.in", "r/x.out", "r/x.log", "r/x.run", NULL};
    mode_t before = umask(0);
    wfa_child_spec spec;
    size_t index;

    TEST_ASSERT_EQUAL(0, wfa_folder_make_own(in_workspace("r"), NULL));
    spec = script("r/x", "echo out");
    (void)run(&spec);
    (void)umask(before);
    TEST_ASSERT_EQUAL_HEX32(0700, mode_of("r"));
    for (index = 0; files[index]; index++)
        TEST_ASSERT_EQUAL_HEX32_MESSAGE(0600, mode_of(files[index]), files[index]);
}

static void expect_refused(const char *link)
{
    wfa_child_spec spec = script("x", "echo was here");
    wfa_child *child = run(&spec);
    char *text;
    size_t length;

    TEST_ASSERT_EQUAL_MESSAGE(WFA_END_SPAWN_FAILED, wfa_child_reason(child), link);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(wfa_child_message(child), link),
                                 wfa_child_message(child));
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(wfa_child_message(child), "symbolic link"),
                                 wfa_child_message(child));
    TEST_ASSERT_EQUAL(0, wfa_file_read(in_workspace("victim"), 100, &text, &length, NULL));
    TEST_ASSERT_EQUAL_STRING("precious", text);
    free(text);
    wfa_child_forget(child);
}

static void test_a_link_in_the_place_of_a_file(void)
{
    static const char *const links[] = {"x.out", "x.log",     "x.in", "x.in.new",
                                        "x.run", "x.run.new", NULL};
    char victim[256], gone[256];
    size_t index;

    (void)snprintf(victim, sizeof victim, "%s", write_text("victim", "precious"));
    (void)snprintf(gone, sizeof gone, "%s", in_workspace("nowhere"));
    for (index = 0; links[index]; index++) {
        TEST_ASSERT_EQUAL(0, symlink(victim, in_workspace(links[index])));
        expect_refused(links[index]);
        TEST_ASSERT_EQUAL(0, unlink(in_workspace(links[index])));
        TEST_ASSERT_EQUAL(0, symlink(gone, in_workspace(links[index])));
        expect_refused(links[index]);
        TEST_ASSERT_NOT_EQUAL(0, access(gone, F_OK));
        TEST_ASSERT_EQUAL(0, unlink(in_workspace(links[index])));
    }
}

/* A hard link would be emptied and written to, and a pipe would wait for a reader. */
static void test_another_file_in_the_place_of_one(void)
{
    char victim[256], *text;
    wfa_child_spec spec;
    size_t length;

    (void)snprintf(victim, sizeof victim, "%s", write_text("victim", "precious"));
    TEST_ASSERT_EQUAL(0, link(victim, in_workspace("x.out")));
    TEST_ASSERT_EQUAL(0, mkfifo(in_workspace("x.log"), 0600));
    spec = script("x", "echo out");
    assert_output(run(&spec), "out\n");
    TEST_ASSERT_EQUAL(0, wfa_file_read(victim, 100, &text, &length, NULL));
    TEST_ASSERT_EQUAL_STRING("precious", text);
    free(text);
}

/* The next host does not read through a link either. */
static void test_a_link_in_the_place_of_a_found_file(void)
{
    static const char *const links[] = {"x.out", "x.log", "x.run", NULL};
    wfa_child_spec spec = script("x", "echo out");
    char moved[256];
    size_t index;

    (void)run(&spec);
    (void)snprintf(moved, sizeof moved, "%s", in_workspace("moved"));
    for (index = 0; links[index]; index++) {
        wfa_child *found = NULL;
        wfa_error why = {.status = WFSM_OK};

        TEST_ASSERT_EQUAL(0, rename(in_workspace(links[index]), moved));
        TEST_ASSERT_EQUAL(0, symlink(moved, in_workspace(links[index])));
        TEST_ASSERT_EQUAL(-1, wfa_child_adopt(children, &spec, &found, &why));
        TEST_ASSERT_NOT_NULL_MESSAGE(strstr(why.message, "symbolic link"), why.message);
        TEST_ASSERT_EQUAL(0, rename(moved, in_workspace(links[index])));
    }
}

static void expect_no_folder(const char *name, const char *words)
{
    wfa_error why = {.status = WFSM_OK};

    TEST_ASSERT_EQUAL_MESSAGE(-1, wfa_folder_make_own(in_workspace(name), &why), name);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(why.message, words), why.message);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(why.message, workspace), why.message);
}

static void test_the_folder(void)
{
    wfa_child_spec spec;
    wfa_child *child;

    TEST_ASSERT_EQUAL(0, mkdir(in_workspace("real"), 0755));
    TEST_ASSERT_EQUAL(0, wfa_folder_make_own(in_workspace("real"), NULL));
    TEST_ASSERT_EQUAL(0, symlink("real", in_workspace("link")));
    expect_no_folder("link", "symbolic link");
    expect_no_folder("link//", "symbolic link");
    TEST_ASSERT_EQUAL(0, chmod(in_workspace("real"), 0770));
    expect_no_folder("real", "others may write");
    (void)write_text("file", "");
    expect_no_folder("file", "not a folder");
    /* Changed behind the back of a host that is running. */
    spec = script("link/x", "echo");
    child = run(&spec);
    TEST_ASSERT_EQUAL(WFA_END_SPAWN_FAILED, wfa_child_reason(child));
    TEST_ASSERT_NOT_NULL(strstr(wfa_child_message(child), "symbolic link"));
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_no_program_of_the_workspace);
    RUN_TEST(test_a_program_that_was_named);
    RUN_TEST(test_what_is_no_program);
    RUN_TEST(test_files_are_their_owners);
    RUN_TEST(test_a_link_in_the_place_of_a_file);
    RUN_TEST(test_another_file_in_the_place_of_one);
    RUN_TEST(test_a_link_in_the_place_of_a_found_file);
    RUN_TEST(test_the_folder);
    RUN_TEST(test_the_environment_begins_empty);
    RUN_TEST(test_what_is_asked_for);
    RUN_TEST(test_path_without_what_is_relative);
    return UNITY_END() != 0;
}
