/*
 * Every document of tests/cases/machine: NAME.json against NAME.txt, the diagnostics that
 * it must have ("LINE:COLUMN severity rule pointer" each); without NAME.txt it has
 * none. Loading fails exactly if there is an error among them, and at the first one.
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unity.h>
#include "documents.h"

enum { MOST = 65536 };

void setUp(void)
{
}

void tearDown(void)
{
}

static void describe(const wfsm_diagnostics *diagnostics, char *out)
{
    static const char *const severities[] = {"?", "error", "warning", "note"};
    size_t used = 0;

    out[0] = '\0';
    for (size_t i = 0; i < wfsm_diagnostics_count(diagnostics); i++) {
        wfsm_diagnostic diagnostic = {.size = sizeof diagnostic};

        wfsm_diagnostics_get(diagnostics, i, &diagnostic);
        TEST_ASSERT_GREATER_THAN(0, strlen(diagnostic.message));
        used += (size_t)snprintf(out + used, MOST - used, "%d:%d %s %s %s\n", diagnostic.line,
                                 diagnostic.column, severities[diagnostic.severity],
                                 diagnostic.rule, diagnostic.pointer);
        TEST_ASSERT_LESS_THAN(MOST, used);
    }
}

static void expect_load(const char *name, const char *text, size_t length,
                        const wfsm_diagnostics *diagnostics)
{
    wfsm_error *error = wfsm_error_new(NULL);
    wfsm_machine *machine = NULL;
    int32_t status = wfsm_machine_load(&machine, text, length, NULL, NULL, error);
    wfsm_diagnostic first = {.size = sizeof first};
    size_t i = 0;

    while (wfsm_diagnostics_get(diagnostics, i, &first) == WFSM_OK && first.severity != 1)
        i++;
    if (i == wfsm_diagnostics_count(diagnostics)) {
        TEST_ASSERT_EQUAL_INT32_MESSAGE(WFSM_OK, status, name);
    } else {
        TEST_ASSERT_NOT_EQUAL_INT32_MESSAGE(WFSM_OK, status, name);
        TEST_ASSERT_EQUAL_STRING(first.message, wfsm_error_message(error));
        TEST_ASSERT_EQUAL_STRING(first.pointer, wfsm_error_pointer(error));
        TEST_ASSERT_EQUAL_INT32(first.line, wfsm_error_line(error));
        TEST_ASSERT_EQUAL_INT32(first.column, wfsm_error_column(error));
    }
    wfsm_machine_unref(machine);
    wfsm_error_free(error);
}

static void run_case(const char *name)
{
    static char found[MOST];
    size_t length = 0, expected_length = 0;
    char *text = read_file(CASES, name, ".json", &length);
    char *expected = read_file(CASES, name, ".txt", &expected_length);
    wfsm_diagnostics *diagnostics = NULL;

    TEST_ASSERT_NOT_NULL(text);
    TEST_ASSERT_EQUAL_INT32(WFSM_OK,
                            wfsm_machine_check(&diagnostics, text, length, NULL, NULL));
    describe(diagnostics, found);
    TEST_ASSERT_EQUAL_STRING_MESSAGE(expected ? expected : "", found, name);
    expect_load(name, text, length, diagnostics);
    wfsm_diagnostics_free(diagnostics);
    free(expected);
    free(text);
}

static void test_all_cases(void)
{
    DIR *folder = opendir(CASES);
    struct dirent *entry;
    size_t count = 0;

    TEST_ASSERT_NOT_NULL(folder);
    while ((entry = readdir(folder))) {
        char name[256];
        char *dot;

        snprintf(name, sizeof name, "%s", entry->d_name);
        dot = strstr(name, ".json");
        if (!dot)
            continue;
        *dot = '\0';
        run_case(name);
        count++;
    }
    closedir(folder);
    TEST_ASSERT_GREATER_THAN(30, count);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_all_cases);
    return UNITY_END() != 0;
}
