/* Values of the keys of an agent's table. */
#include "agents_toml.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../base/invariant.h"
#include "files.h"
#include "fill.h"

enum { MOST_PROMPT = 1024 * 1024 };

int wfa_toml_fail(const wfa_toml_agent *at, const char *key, const char *format, ...)
{
    char message[400];
    va_list arguments;

    va_start(arguments, format);
    (void)vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    (void)wfsm_table_fail(at->table, key, message, at->error);
    return -1;
}

int wfa_toml_no_memory(const wfa_toml_agent *at)
{
    (void)wfsm_error_set(at->error, WFSM_NO_MEMORY, "out of memory");
    return -1;
}

int wfa_toml_option(const wfa_toml_agent *at, const wfa_option_error *wrong)
{
    if (!wrong->key)
        return wfa_toml_no_memory(at);
    return wfa_toml_fail(at, wrong->key, "%s", wrong->why.message);
}

const char *wfa_toml_own(wfa_toml_agent *at, char *text)
{
    size_t room = (at->owned_count + 1) * sizeof *at->owned;
    char **grown = text ? realloc(at->owned, room) : NULL;

    if (!grown) {
        free(text);
        (void)wfa_toml_no_memory(at);
        return NULL;
    }
    at->owned = grown;
    at->owned[at->owned_count++] = text;
    return text;
}

const char *wfa_toml_with_folder(wfa_toml_agent *at, const char *text)
{
    const wfa_mark marks[] = {{"{dir}", wfsm_settings_folder(at->settings)}, {NULL, NULL}};

    return wfa_toml_own(at, wfa_fill(text, marks));
}

int wfa_toml_text(wfa_toml_agent *at, const char *key, const char **value)
{
    const char *text = NULL;

    if (wfsm_table_string(at->table, key, &text, at->error) != WFSM_OK)
        return -1;
    if (!text)
        return 0;
    *value = wfa_toml_with_folder(at, text);
    return *value ? 0 : -1;
}

int wfa_toml_file(wfa_toml_agent *at, const char *key, const char **value)
{
    const char *path = NULL;
    char *found;
    size_t length;
    wfa_error why;

    if (wfa_toml_text(at, key, &path) != 0)
        return -1;
    if (!path)
        return 0;
    if (wfa_file_read(path, MOST_PROMPT, &found, &length, &why) != 0)
        return wfa_toml_fail(at, key, "expected a file: %s", why.message);
    *value = wfa_toml_own(at, found);
    if (!*value)
        return -1;
    if (strlen(found) != length)
        return wfa_toml_fail(at, key, "%s: expected text, found a NUL", path);
    return 0;
}

int wfa_toml_choice(wfa_toml_agent *at, const char *key, const char *const *words,
                    int32_t *index)
{
    char expected[128] = "";
    const char *text = NULL;
    int32_t word;

    if (wfsm_table_string(at->table, key, &text, at->error) != WFSM_OK)
        return -1;
    if (!text)
        return 0;
    for (word = 0; words[word]; word++) {
        size_t used = strlen(expected);
        if (strcmp(text, words[word]) == 0) {
            *index = word;
            return 0;
        }
        WF_INVARIANT(used + strlen(words[word]) + sizeof " or \"\"" <= sizeof expected);
        (void)snprintf(expected + used, sizeof expected - used, "%s\"%s\"",
                       word > 0 ? " or " : "", words[word]);
    }
    return wfa_toml_fail(at, key, "expected %s, found \"%.100s\"", expected, text);
}

int wfa_toml_ms(wfa_toml_agent *at, const char *key, int64_t least, int64_t *value)
{
    int64_t given = -1;

    if (wfsm_table_int(at->table, key, least, WFA_MOST_MS, &given, at->error) != WFSM_OK)
        return -1;
    *value = given > 0 ? given : 0;
    if (given == 0)
        *value = WFSM_NEVER;
    return 0;
}

int wfa_toml_bytes(wfa_toml_agent *at, const char *key, uint64_t most, uint64_t *value)
{
    int64_t given = 0;

    if (wfsm_table_int(at->table, key, 1, (int64_t)most, &given, at->error) != WFSM_OK)
        return -1;
    *value = (uint64_t)given;
    return 0;
}

int wfa_toml_answer(wfa_toml_agent *at, int32_t *answer)
{
    static const char *const answers[] = {"json", "last-json-block", NULL};
    int32_t word = -1;

    if (wfa_toml_choice(at, "answer", answers, &word) != 0)
        return -1;
    *answer = word + 1; /* in the order of enum wfsm_agent_answer */
    WF_INVARIANT(*answer <= WFSM_ANSWER_LAST_BLOCK);
    return 0;
}
