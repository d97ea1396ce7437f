#include "checks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "shared/files.h"

enum { MOST_BYTES = 4 * 1024 * 1024, MOST_WORDS = 5 };

typedef struct search {
    const project *in;
    json_t *commands; /* NULL when out of memory */
    int tests;        /* number of kinds that were found */
} search;

/* ---- the files that exist ---- */

static int has(const search *at, const char *name)
{
    char *path = host_path_join(at->in->root, name);
    int is = path && access(path, F_OK) == 0;

    free(path);
    return is;
}

static int has_any(const search *at, const char *const *names)
{
    for (; *names; names++)
        if (has(at, *names))
            return 1;
    return 0;
}

/* NULL if the file does not exist or is too large. */
static char *read_text(const search *at, const char *name)
{
    char *path = host_path_join(at->in->root, name), *text = NULL;
    size_t length;

    if (path)
        (void)host_file_read(path, MOST_BYTES, &text, &length, NULL);
    free(path);
    return text;
}

static int says(const search *at, const char *name, const char *words)
{
    char *text = read_text(at, name);
    int is = text && strstr(text, words);

    free(text);
    return is;
}

static int is_in(const char *folder, size_t length, const char *program)
{
    char *part = strndup(folder, length);
    char *path = part ? host_path_join(part, program) : NULL;
    int is = path && access(path, X_OK) == 0;

    free(path);
    free(part);
    return is;
}

static int is_installed(const char *program)
{
    const char *at = getenv("PATH");

    while (at && *at) {
        size_t length = strcspn(at, ":");
        if (is_in(at, length, program))
            return 1;
        at += length + (at[length] == ':');
    }
    return 0;
}

/* ---- the list ---- */

static void add(search *at, const char *kind, const char *const *words, const char *skip)
{
    json_t *argv = json_array();

    for (; argv && *words; words++)
        if (json_array_append_new(argv, json_string(*words)) != 0) {
            json_decref(argv);
            argv = NULL;
        }
    if (at->commands &&
        json_array_append_new(at->commands, json_pack("{s:s, s:o, s:s*}", "kind", kind, "argv",
                                                      argv, "skip", skip)) != 0) {
        json_decref(at->commands);
        at->commands = NULL;
    } else if (!at->commands) {
        json_decref(argv);
    }
}

static void add_test(search *at, const char *const *words)
{
    at->tests++;
    add(at, "test", words, NULL);
}

/* ---- tests ---- */

/* npm's default "no test specified" is not a test. */
static int has_npm_test(const search *at)
{
    char *text = read_text(at, "package.json");
    json_t *package = text ? json_loads(text, 0, NULL) : NULL;
    const char *script =
        json_string_value(json_object_get(json_object_get(package, "scripts"), "test"));
    int is = text && (!package || (script && !strstr(script, "no test specified")));

    json_decref(package);
    free(text);
    return is;
}

static int has_pytest(const search *at)
{
    static const char *const files[] = {"pytest.ini", "conftest.py", "tests/conftest.py", NULL};

    return has_any(at, files) || says(at, "pyproject.toml", "[tool.pytest") ||
           says(at, "setup.cfg", "[tool:pytest]") || says(at, "tox.ini", "[pytest]");
}

static void add_meson(search *at)
{
    static const char *const folders[][2] = {{"build", "build/meson-private"},
                                             {"builddir", "builddir/meson-private"},
                                             {"_build", "_build/meson-private"}};
    const char *words[MOST_WORDS] = {"meson", "setup", "agentd/.state/build", NULL};
    const char *folder = NULL;
    size_t index;

    for (index = 0; !folder && index < sizeof folders / sizeof *folders; index++)
        if (has(at, folders[index][1]))
            folder = folders[index][0];
    if (!folder) {
        add_test(at, words);
        folder = "agentd/.state/build";
    }
    add_test(at, (const char *const[]){"meson", "test", "-C", folder, NULL});
}

/* True if the line begins a rule for this target: "all test: x", but not "test := x". */
static int is_rule(const char *line, size_t length, const char *target)
{
    size_t colon = 0, from = 0, word;

    while (colon < length && line[colon] != ':' && line[colon] != '=')
        colon++;
    if (colon == length || line[colon] != ':' || line[0] == '\t' ||
        (colon + 1 < length && line[colon + 1] == '='))
        return 0;
    while (from < colon) {
        from += strspn(line + from, " ");
        word = strcspn(line + from, " :\t");
        if (word == strlen(target) && memcmp(line + from, target, word) == 0)
            return 1;
        from += word + 1;
    }
    return 0;
}

static int has_target(const char *makefile, const char *target)
{
    while (*makefile) {
        size_t length = strcspn(makefile, "\n");
        if (is_rule(makefile, length, target))
            return 1;
        makefile += length + (makefile[length] == '\n');
    }
    return 0;
}

static void add_make(search *at)
{
    static const char *const names[] = {"GNUmakefile", "makefile", "Makefile"};
    static const char *const targets[] = {"test", "check"};
    char *text = NULL;
    size_t index;

    /* make uses the first of these that exists. */
    for (index = 0; !text && index < 3; index++)
        text = read_text(at, names[index]);
    for (index = 0; text && index < 2; index++)
        if (has_target(text, targets[index])) {
            add_test(at, (const char *const[]){"make", targets[index], NULL});
            break;
        }
    free(text);
}

static void find_tests(search *at)
{
    if (has(at, "Cargo.toml"))
        add_test(at, (const char *const[]){"cargo", "test", NULL});
    if (has_npm_test(at))
        add_test(at, (const char *const[]){"npm", "test", NULL});
    if (has_pytest(at))
        add_test(at, (const char *const[]){"python3", "-m", "pytest", NULL});
    if (has(at, "meson.build"))
        add_meson(at);
    if (at->tests == 0)
        add_make(at);
}

/* ---- scans ---- */

static const struct {
    const char *beside[3]; /* one of these files is there */
    const char *words[MOST_WORDS];
    const char *program; /* must be installed */
} scans[] = {
    {{"Cargo.toml"}, {"cargo", "audit"}, "cargo-audit"},
    {{"package-lock.json", "npm-shrinkwrap.json"}, {"npm", "audit"}, "npm"},
    {{"requirements.txt"}, {"pip-audit", "-r", "requirements.txt"}, "pip-audit"},
    {{"pyproject.toml"}, {"pip-audit", "."}, "pip-audit"},
};

static void find_scans(search *at)
{
    char why[64];
    size_t index;

    for (index = 0; index < sizeof scans / sizeof *scans; index++) {
        if (!has_any(at, scans[index].beside))
            continue;
        (void)snprintf(why, sizeof why, "not run: %s is not installed", scans[index].program);
        add(at, "scan", scans[index].words, is_installed(scans[index].program) ? NULL : why);
    }
    if (has(at, "package.json") && !has_any(at, scans[1].beside))
        add(at, "scan", scans[1].words, "not run: there is no package-lock.json");
}

json_t *checks_find(const project *in, const char *const *test, const char *const *scan,
                    host_error *error)
{
    search at = {.in = in, .commands = json_array()};

    if (test && *test)
        add_test(&at, test);
    else if (!test)
        find_tests(&at);
    if (scan && *scan)
        add(&at, "scan", scan, NULL);
    else if (!scan)
        find_scans(&at);
    if (!at.commands)
        (void)host_fail(error, "out of memory");
    return at.commands;
}

/* ---- results ---- */

int checks_passed(const json_t *results)
{
    const json_t *one, *code;
    size_t index;

    json_array_foreach(results, index, one)
    {
        code = json_object_get(one, "exit_code");
        if (!json_is_true(json_object_get(one, "skipped")) &&
            (!json_is_integer(code) || json_integer_value(code) != 0))
            return 0;
    }
    return 1;
}
