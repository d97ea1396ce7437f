/* Which commands are the project's tests and its scan (003-111, 003-112). */
#include "agentd/checks.h"
#include "agents/each_fault.h"
#include "hosts/workspace.h"
#include "tree.h"

static project in;
static host_error error;
static char found[2048];
static const char *path = "/usr/bin:/bin";

void setUp(void)
{
    workspace_make_fast();
    TEST_ASSERT_EQUAL(0, project_at(&in, workspace, &error));
    TEST_ASSERT_EQUAL(0, setenv("PATH", in_workspace("bin"), 1));
}

void tearDown(void)
{
    TEST_ASSERT_EQUAL(0, setenv("PATH", path, 1));
    project_clear(&in);
    workspace_remove();
}

static void put(const char *name, const char *text)
{
    char folder[256], *slash;

    strcpy(folder, in_workspace(name));
    slash = strrchr(folder, '/');
    *slash = '\0';
    TEST_ASSERT_EQUAL(0, host_folder_make(folder, NULL));
    (void)write_text(name, text);
}

static void add_words(const json_t *argv)
{
    const json_t *word;
    size_t index;

    json_array_foreach(argv, index, word)(void) snprintf(
        found + strlen(found), sizeof found - strlen(found), " %s", json_string_value(word));
}

/* "test: make test; scan: cargo audit (why not)" */
static void describe(const json_t *commands)
{
    const json_t *command;
    size_t index;

    found[0] = '\0';
    json_array_foreach(commands, index, command)
    {
        const char *skip = json_string_value(json_object_get(command, "skip"));
        (void)snprintf(found + strlen(found), sizeof found - strlen(found),
                       "%s%s:", index > 0 ? "; " : "",
                       json_string_value(json_object_get(command, "kind")));
        add_words(json_object_get(command, "argv"));
        if (skip)
            (void)snprintf(found + strlen(found), sizeof found - strlen(found), " (%s)", skip);
    }
}

static void look(const char *const *test, const char *const *scan)
{
    json_t *commands = checks_find(&in, test, scan, &error);

    TEST_ASSERT_NOT_NULL_MESSAGE(commands, error.message);
    describe(commands);
    json_decref(commands);
}

static void install(const char *name)
{
    char program[64];

    (void)snprintf(program, sizeof program, "bin/%s", name);
    put(program, "");
    TEST_ASSERT_EQUAL(0, chmod(in_workspace(program), 0755));
}

/* Files that are there, and what is run; all programs are installed. */
static const struct {
    const char *files[6]; /* name, text, … */
    const char *expected;
} projects[] = {
    {{NULL}, ""},
    {{"README.md", "make test"}, ""},
    {{"Cargo.toml", ""}, "test: cargo test; scan: cargo audit"},
    {{"package.json", "{\"scripts\": {\"test\": \"jest\"}}", "package-lock.json", "{}"},
     "test: npm test; scan: npm audit"},
    {{"package.json", "{\"scripts\": {\"test\": \"jest\"}}"},
     "test: npm test; scan: npm audit (not run: there is no package-lock.json)"},
    {{"package.json",
      "{\"scripts\": {\"test\": \"echo \\\"Error: no test specified\\\" && exit 1\"}}",
      "npm-shrinkwrap.json", "{}"},
     "scan: npm audit"},
    {{"package.json", "{}", "package-lock.json", "{}"}, "scan: npm audit"},
    /* npm will say what is wrong with it. */
    {{"package.json", "{", "package-lock.json", "{}"}, "test: npm test; scan: npm audit"},
    {{"pytest.ini", ""}, "test: python3 -m pytest"},
    {{"tests/conftest.py", ""}, "test: python3 -m pytest"},
    {{"pyproject.toml", "[project]\n[tool.pytest.ini_options]\n"},
     "test: python3 -m pytest; scan: pip-audit ."},
    {{"pyproject.toml", "[project]\n"}, "scan: pip-audit ."},
    {{"setup.cfg", "[tool:pytest]\n", "requirements.txt", ""},
     "test: python3 -m pytest; scan: pip-audit -r requirements.txt"},
    {{"tox.ini", "[pytest]\n"}, "test: python3 -m pytest"},
    {{"meson.build", "", "build/meson-private/x", ""}, "test: meson test -C build"},
    {{"meson.build", "", "builddir/meson-private/x", ""}, "test: meson test -C builddir"},
    {{"meson.build", "", "build/README", ""},
     "test: meson setup agentd/.state/build; test: meson test -C agentd/.state/build"},
    {{"Makefile", "all:\n\ttrue\ntest: all\n\ttrue\n"}, "test: make test"},
    {{"makefile", "check::\n\ttrue\n"}, "test: make check"},
    {{"GNUmakefile", ".PHONY: test\nall test:\n\ttrue\n", "Makefile", "check:\n"},
     "test: make test"},
    {{"Makefile", "\ttest: x\ntest := y\ntest=z\nlatest: a\ntests: b\nall: test\n#test:\n"},
     ""},
    {{"Makefile", "test:\n", "Cargo.toml", ""}, "test: cargo test; scan: cargo audit"},
    {{"Makefile", "test:\n", "requirements.txt", ""},
     "test: make test; scan: pip-audit -r requirements.txt"},
    {{"Cargo.toml", "", "package.json", "{\"scripts\": {\"test\": \"x\"}}", "package-lock.json",
      "{}"},
     "test: cargo test; test: npm test; scan: cargo audit; scan: npm audit"},
};

static void test_what_is_found(void)
{
    size_t index, file;

    for (index = 0; index < sizeof projects / sizeof *projects; index++) {
        tree_remove(workspace);
        TEST_ASSERT_EQUAL(0, mkdir(workspace, 0700));
        install("cargo-audit");
        install("npm");
        install("pip-audit");
        for (file = 0; file < 6 && projects[index].files[file]; file += 2)
            put(projects[index].files[file], projects[index].files[file + 1]);
        look(NULL, NULL);
        TEST_ASSERT_EQUAL_STRING(projects[index].expected, found);
    }
}

/* A scan that cannot be run is told, and does not pass for one that was. */
static void test_scans_that_are_not_installed(void)
{
    put("Cargo.toml", "");
    put("package-lock.json", "");
    put("bin/cargo-audit", "not executable");
    look(NULL, NULL);
    TEST_ASSERT_EQUAL_STRING("test: cargo test; scan: cargo audit (not run: cargo-audit is not "
                             "installed); scan: npm audit (not run: npm is not installed)",
                             found);
    TEST_ASSERT_EQUAL(0, unsetenv("PATH"));
    look(NULL, NULL);
    TEST_ASSERT_NOT_NULL(strstr(found, "cargo-audit is not installed"));
}

static void test_what_the_configuration_says(void)
{
    static const char *const none[] = {NULL}, *const test[] = {"sh", "t.sh", NULL},
                             *const scan[] = {"trivy", "fs", ".", NULL};

    put("Cargo.toml", "");
    look(test, scan);
    TEST_ASSERT_EQUAL_STRING("test: sh t.sh; scan: trivy fs .", found);
    look(none, none);
    TEST_ASSERT_EQUAL_STRING("", found);
    look(test, none);
    TEST_ASSERT_EQUAL_STRING("test: sh t.sh", found);
    look(none, NULL);
    TEST_ASSERT_EQUAL_STRING("scan: cargo audit (not run: cargo-audit is not installed)",
                             found);
}

static int passed(const char *results)
{
    json_t *list = json_loads(results, 0, NULL);
    int is = checks_passed(list);

    TEST_ASSERT_NOT_NULL(list);
    json_decref(list);
    return is;
}

static void test_results(void)
{
    TEST_ASSERT_TRUE(passed("[]"));
    TEST_ASSERT_TRUE(passed("[{\"exit_code\": 0}, {\"exit_code\": null, \"skipped\": true}]"));
    TEST_ASSERT_FALSE(passed("[{\"exit_code\": 0}, {\"exit_code\": 1}]"));
    TEST_ASSERT_FALSE(passed("[{\"exit_code\": null}]"));
    TEST_ASSERT_FALSE(passed("[{\"exit_code\": 0.0}]"));
}

static int left;

static void *scarce(size_t bytes)
{
    return left-- > 0 ? malloc(bytes) : NULL;
}

static void test_out_of_memory(void)
{
    json_t *commands = NULL;
    int count;

    put("Cargo.toml", "");
    put("requirements.txt", "");
    json_set_alloc_funcs(scarce, free);
    for (count = 0; !commands; count++) {
        left = count;
        commands = checks_find(&in, NULL, NULL, &error);
        if (!commands)
            TEST_ASSERT_EQUAL_STRING("out of memory", error.message);
    }
    TEST_ASSERT_GREATER_THAN(10, count);
    TEST_ASSERT_EQUAL(3, json_array_size(commands));
    json_decref(commands);
    json_set_alloc_funcs(malloc, free);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_what_is_found);
    RUN_TEST(test_scans_that_are_not_installed);
    RUN_TEST(test_what_the_configuration_says);
    RUN_TEST(test_results);
    RUN_TEST(test_out_of_memory);
    return UNITY_END() != 0;
}
