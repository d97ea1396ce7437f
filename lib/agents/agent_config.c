#include "agent_reader.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "files.h"

enum { MOST_PROMPT = 1024 * 1024, MOST_MS = 1000 * 60 * 60 * 24, MOST_BYTES = 1 << 30 };

static int read_command(const wfa_agent_reader *at)
{
    const char *const *words;
    size_t count, index;

    if (wfa_table_require(at->table, "command", at->error) != 0 ||
        wfa_table_strings(at->table, "command", &words, &count, at->error) != 0)
        return -1;
    if (count == 0 || !words[0][0])
        return wfa_table_fail(at->table, "command", at->error,
                              "expected a program and its arguments, found none");
    at->agent->command = calloc(count + 1, sizeof *at->agent->command);
    if (!at->agent->command)
        return wfa_agent_no_memory(at);
    for (index = 0; index < count; index++) {
        at->agent->command[index] = wfa_agent_text(at, words[index]);
        if (!at->agent->command[index])
            return -1;
    }
    return 0;
}

static int read_optional_text(const wfa_agent_reader *at, const char *key, const char **value)
{
    const char *text;

    if (wfa_table_string(at->table, key, NULL, &text, at->error) != 0)
        return -1;
    *value = text ? wfa_agent_text(at, text) : NULL;
    return text && !*value ? -1 : 0;
}

int wfa_agent_read_choice(const wfa_agent_reader *at, const char *key, const char *const *words,
                          int standard, int *index)
{
    char expected[128] = "";
    const char *text;

    if (wfa_table_string(at->table, key, words[standard], &text, at->error) != 0)
        return -1;
    for (*index = 0; words[*index]; ++*index) {
        size_t used = strlen(expected);
        if (strcmp(text, words[*index]) == 0)
            return 0;
        (void)snprintf(expected + used, sizeof expected - used, "%s\"%s\"",
                       *index > 0 ? " or " : "", words[*index]);
    }
    return wfa_table_fail(at->table, key, at->error, "expected %s, found \"%s\"", expected,
                          text);
}

int wfa_agent_read_answer_mode(const wfa_agent_reader *at, wfa_answer_mode standard)
{
    static const char *const answers[] = {"json", "last-json-block", NULL};
    int answer;

    if (wfa_agent_read_choice(at, "answer", answers, (int)standard, &answer) != 0)
        return -1;
    at->agent->answer = (wfa_answer_mode)answer;
    return 0;
}

int wfa_agent_read_file(const wfa_agent_reader *at, const char *key, const char **text)
{
    const char *path;
    char *found;
    size_t length;
    wfa_error why;

    *text = NULL;
    if (read_optional_text(at, key, &path) != 0)
        return -1;
    if (!path)
        return 0;
    if (wfa_file_read(path, MOST_PROMPT, &found, &length, &why) != 0)
        return wfa_table_fail(at->table, key, at->error, "expected a file: %s", why.message);
    *text = wfa_agent_own(at, found);
    if (!*text)
        return -1;
    if (strlen(found) != length)
        return wfa_table_fail(at->table, key, at->error, "%s: expected text, found a NUL",
                              path);
    return 0;
}

static int names_prompt(const wfa_agent_config *agent)
{
    size_t index;

    for (index = 0; agent->command[index]; index++)
        if (strstr(agent->command[index], "{prompt}"))
            return 1;
    return 0;
}

/* A prompt goes to stdin, unless the command has a place for it. */
static wfa_agent_stdin usual_stdin(const wfa_agent_config *agent)
{
    if (!agent->prompt)
        return WFA_STDIN_JSON;
    return names_prompt(agent) ? WFA_STDIN_NONE : WFA_STDIN_PROMPT;
}

static int read_stdin_mode(const wfa_agent_reader *at)
{
    static const char *const inputs[] = {"json", "prompt", "none", NULL};
    int input;

    if (wfa_agent_read_choice(at, "stdin", inputs, (int)usual_stdin(at->agent), &input) != 0)
        return -1;
    at->agent->input = (wfa_agent_stdin)input;
    if (at->agent->prompt)
        return 0;
    if (input == WFA_STDIN_PROMPT)
        return wfa_table_fail(at->table, "stdin", at->error, "\"prompt\" needs the key prompt");
    if (names_prompt(at->agent))
        return wfa_table_fail(at->table, "command", at->error, "{prompt} needs the key prompt");
    return 0;
}

static int read_limits(const wfa_agent_reader *at)
{
    int64_t output, log;

    if (wfa_table_int(at->table, "timeout_ms", 600000, 0, MOST_MS, &at->agent->timeout_ms,
                      at->error) != 0 ||
        wfa_table_int(at->table, "grace_ms", 5000, 0, MOST_MS, &at->agent->grace_ms,
                      at->error) != 0 ||
        wfa_table_int(at->table, "max_output_bytes", 1024 * 1024, 1, MOST_BYTES, &output,
                      at->error) != 0 ||
        wfa_table_int(at->table, "max_log_bytes", 64 * 1024 * 1024, 1, MOST_BYTES, &log,
                      at->error) != 0)
        return -1;
    at->agent->max_output = (size_t)output;
    at->agent->max_log = (size_t)log;
    return 0;
}

static int read_type(const wfa_agent_reader *at)
{
    static const char *const types[] = {"process", "http", NULL};
    int type;

    if (wfa_agent_read_choice(at, "type", types, WFA_AGENT_PROCESS, &type) != 0)
        return -1;
    at->agent->type = (wfa_agent_type)type;
    return 0;
}

static int read_process(const wfa_agent_reader *at)
{
    if (read_command(at) != 0 || read_optional_text(at, "folder", &at->agent->folder) != 0 ||
        wfa_agent_read_answer_mode(at, WFA_ANSWER_JSON) != 0 ||
        wfa_agent_read_file(at, "prompt", &at->agent->prompt) != 0 ||
        read_stdin_mode(at) != 0 || read_limits(at) != 0 || wfa_agent_read_environment(at) != 0)
        return -1;
    return wfa_agent_read_exit_classes(at);
}

int wfa_agent_config_read(wfa_agent_config *agent, wfa_config *config, wfa_table *table,
                          const char *name, wfa_error *error)
{
    wfa_agent_reader at = {agent, config, table, error};

    memset(agent, 0, sizeof *agent);
    agent->name = name;
    if (read_type(&at) != 0)
        return -1;
    return agent->type == WFA_AGENT_HTTP ? wfa_agent_read_http(&at) : read_process(&at);
}

void wfa_agent_config_clear(wfa_agent_config *agent)
{
    size_t index;

    for (index = 0; index < agent->owned_count; index++)
        free(agent->owned[index]);
    free(agent->owned);
    free(agent->http);
    free(agent->command);
    free(agent->env);
    free(agent->exit_classes);
    memset(agent, 0, sizeof *agent);
}

static int read_each(wfa_config *config, wfa_table *table, wfa_agent_config *agents,
                     size_t count, wfa_error *error)
{
    size_t index;

    for (index = 0; index < count; index++) {
        const char *name = wfa_table_key(table, index);
        wfa_table *inner;
        if (wfa_table_table(table, name, &inner, error) != 0 ||
            wfa_agent_config_read(&agents[index], config, inner, name, error) != 0)
            return -1;
    }
    return 0;
}

int wfa_agents_read(wfa_config *config, wfa_agent_config **agents, size_t *count,
                    wfa_error *error)
{
    wfa_table *table;

    *agents = NULL;
    *count = 0;
    if (wfa_table_table(wfa_config_root(config), "agents", &table, error) != 0)
        return -1;
    *count = wfa_table_count(table);
    *agents = calloc(*count + 1, sizeof **agents);
    if (!*agents)
        return wfa_fail(error, "out of memory");
    if (read_each(config, table, *agents, *count, error) == 0)
        return 0;
    wfa_agents_free(*agents, *count);
    *agents = NULL;
    *count = 0;
    return -1;
}

void wfa_agents_free(wfa_agent_config *agents, size_t count)
{
    size_t index;

    for (index = 0; agents && index < count; index++)
        wfa_agent_config_clear(&agents[index]);
    free(agents);
}

const char *wfa_agent_exit_class(const wfa_agent_config *agent, int code)
{
    size_t index;

    for (index = 0; index < agent->exit_class_count; index++)
        if (agent->exit_classes[index].code == code)
            return agent->exit_classes[index].failure_class;
    return "exit";
}
