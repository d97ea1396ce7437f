#include "documents.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unity.h>

char *read_file(const char *folder, const char *name, const char *suffix, size_t *length)
{
    char path[1024];
    char *text = NULL;
    FILE *file;
    long size;

    snprintf(path, sizeof path, "%s/%s%s", folder, name, suffix);
    file = fopen(path, "rb");
    if (!file)
        return NULL;
    fseek(file, 0, SEEK_END);
    size = ftell(file);
    rewind(file);
    text = calloc(1, (size_t)size + 1);
    TEST_ASSERT_NOT_NULL(text);
    *length = fread(text, 1, (size_t)size, file);
    fclose(file);
    return text;
}

static char *unquoted(const char *text)
{
    char *copy = malloc(strlen(text) + 1);

    TEST_ASSERT_NOT_NULL(copy);
    strcpy(copy, text);
    for (char *at = copy; *at; at++)
        if (*at == '\'')
            *at = '"';
    return copy;
}

wfsm_machine *load_quoted(const char *text)
{
    wfsm_error *error = wfsm_error_new(NULL);
    char *copy = unquoted(text);
    wfsm_machine *machine = NULL;
    int32_t status = wfsm_machine_load(&machine, copy, strlen(copy), NULL, NULL, error);

    TEST_ASSERT_EQUAL_INT32_MESSAGE(WFSM_OK, status, wfsm_error_message(error));
    wfsm_error_free(error);
    free(copy);
    return machine;
}

const char *check_quoted(const char *text)
{
    static char list[8192];
    char *copy = unquoted(text);
    wfsm_diagnostics *diagnostics = NULL;
    size_t used = 0;

    TEST_ASSERT_EQUAL_INT32(WFSM_OK,
                            wfsm_machine_check(&diagnostics, copy, strlen(copy), NULL, NULL));
    list[0] = '\0';
    for (size_t i = 0; i < wfsm_diagnostics_count(diagnostics); i++) {
        wfsm_diagnostic diagnostic = {.size = sizeof diagnostic};

        TEST_ASSERT_EQUAL_INT32(WFSM_OK, wfsm_diagnostics_get(diagnostics, i, &diagnostic));
        used +=
            (size_t)snprintf(list + used, sizeof list - used, "%d:%d %s %s\n", diagnostic.line,
                             diagnostic.column, diagnostic.rule, diagnostic.pointer);
        TEST_ASSERT_LESS_THAN(sizeof list, used);
    }
    wfsm_diagnostics_free(diagnostics);
    free(copy);
    return list;
}

const char *refusal_of(const char *text)
{
    static char message[1024];
    wfsm_error *error = wfsm_error_new(NULL);
    char *copy = unquoted(text);
    wfsm_machine *machine = NULL;

    TEST_ASSERT_NOT_EQUAL_INT32(
        WFSM_OK, wfsm_machine_load(&machine, copy, strlen(copy), NULL, NULL, error));
    TEST_ASSERT_NULL(machine);
    snprintf(message, sizeof message, "%s", wfsm_error_message(error));
    wfsm_error_free(error);
    free(copy);
    return message;
}
