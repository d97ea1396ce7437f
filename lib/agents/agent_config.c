#include "agent_reader.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "files.h"

enum { MOST_PROMPT = 1024 * 1024, MOST_MS = 1000 * 60 * 60 * 24, MOST_BYTES = 1 << 30 };

static int read_command(const hk_agent_reader *at)
{
    const char *const *words;
    size_t count, index;

    if (hk_table_require(at->table, "command", at->error) != 0 ||
        hk_table_strings(at->table, "command", &words, &count, at->error) != 0)
        return -1;
    if (count == 0 || !words[0][0])
        return hk_table_fail(at->table, "command", at->error,
                             "expected a program and its arguments, found none");
    at->agent->command = calloc(count + 1, sizeof *at->agent->command);
    if (!at->agent->command)
        return hk_agent_no_memory(at);
    for (index = 0; index < count; index++) {
        at->agent->command[index] = hk_agent_text(at, words[index]);
        if (!at->agent->command[index])
            return -1;
    }
    return 0;
}

static int read_optional_text(const hk_agent_reader *at, const char *key, const char **value)
{
    const char *text;

    if (hk_table_string(at->table, key, NULL, &text, at->error) != 0)
        return -1;
    *value = text ? hk_agent_text(at, text) : NULL;
    return text && !*value ? -1 : 0;
}

int hk_agent_read_choice(const hk_agent_reader *at, const char *key, const char *const *words,
                         int standard, int *index)
{
    char expected[128] = "";
    const char *text;

    if (hk_table_string(at->table, key, words[standard], &text, at->error) != 0)
        return -1;
    for (*index = 0; words[*index]; ++*index) {
        size_t used = strlen(expected);
        if (strcmp(text, words[*index]) == 0)
            return 0;
        (void)snprintf(expected + used, sizeof expected - used, "%s\"%s\"",
                       *index > 0 ? " or " : "", words[*index]);
    }
    return hk_table_fail(at->table, key, at->error, "expected %s, found \"%s\"", expected,
                         text);
}

int hk_agent_read_answer_mode(const hk_agent_reader *at, hk_answer_mode standard)
{
    static const char *const answers[] = {"json", "last-json-block", NULL};
    int answer;

    if (hk_agent_read_choice(at, "answer", answers, (int)standard, &answer) != 0)
        return -1;
    at->agent->answer = (hk_answer_mode)answer;
    return 0;
}

int hk_agent_read_file(const hk_agent_reader *at, const char *key, const char **text)
{
    const char *path;
    char *found;
    size_t length;
    hk_error why;

    *text = NULL;
    if (read_optional_text(at, key, &path) != 0)
        return -1;
    if (!path)
        return 0;
    if (hk_file_read(path, MOST_PROMPT, &found, &length, &why) != 0)
        return hk_table_fail(at->table, key, at->error, "expected a file: %s", why.message);
    *text = hk_agent_own(at, found);
    if (!*text)
        return -1;
    if (strlen(found) != length)
        return hk_table_fail(at->table, key, at->error, "%s: expected text, found a NUL", path);
    return 0;
}

static int names_prompt(const hk_agent_config *agent)
{
    size_t index;

    for (index = 0; agent->command[index]; index++)
        if (strstr(agent->command[index], "{prompt}"))
            return 1;
    return 0;
}

/* A prompt goes to stdin, unless the command has a place for it. */
static hk_agent_stdin usual_stdin(const hk_agent_config *agent)
{
    if (!agent->prompt)
        return HK_STDIN_JSON;
    return names_prompt(agent) ? HK_STDIN_NONE : HK_STDIN_PROMPT;
}

static int read_stdin_mode(const hk_agent_reader *at)
{
    static const char *const inputs[] = {"json", "prompt", "none", NULL};
    int input;

    if (hk_agent_read_choice(at, "stdin", inputs, (int)usual_stdin(at->agent), &input) != 0)
        return -1;
    at->agent->input = (hk_agent_stdin)input;
    if (at->agent->prompt)
        return 0;
    if (input == HK_STDIN_PROMPT)
        return hk_table_fail(at->table, "stdin", at->error, "\"prompt\" needs the key prompt");
    if (names_prompt(at->agent))
        return hk_table_fail(at->table, "command", at->error, "{prompt} needs the key prompt");
    return 0;
}

static int read_limits(const hk_agent_reader *at)
{
    int64_t output, log;

    if (hk_table_int(at->table, "timeout_ms", 600000, 0, MOST_MS, &at->agent->timeout_ms,
                     at->error) != 0 ||
        hk_table_int(at->table, "grace_ms", 5000, 0, MOST_MS, &at->agent->grace_ms,
                     at->error) != 0 ||
        hk_table_int(at->table, "max_output_bytes", 1024 * 1024, 1, MOST_BYTES, &output,
                     at->error) != 0 ||
        hk_table_int(at->table, "max_log_bytes", 64 * 1024 * 1024, 1, MOST_BYTES, &log,
                     at->error) != 0)
        return -1;
    at->agent->max_output = (size_t)output;
    at->agent->max_log = (size_t)log;
    return 0;
}

static int read_type(const hk_agent_reader *at)
{
    static const char *const types[] = {"process", "http", NULL};
    int type;

    if (hk_agent_read_choice(at, "type", types, HK_AGENT_PROCESS, &type) != 0)
        return -1;
    at->agent->type = (hk_agent_type)type;
    return 0;
}

static int read_process(const hk_agent_reader *at)
{
    if (read_command(at) != 0 || read_optional_text(at, "folder", &at->agent->folder) != 0 ||
        hk_agent_read_answer_mode(at, HK_ANSWER_JSON) != 0 ||
        hk_agent_read_file(at, "prompt", &at->agent->prompt) != 0 || read_stdin_mode(at) != 0 ||
        read_limits(at) != 0 || hk_agent_read_environment(at) != 0)
        return -1;
    return hk_agent_read_exit_classes(at);
}

int hk_agent_config_read(hk_agent_config *agent, hk_config *config, hk_table *table,
                         const char *name, hk_error *error)
{
    hk_agent_reader at = {agent, config, table, error};

    memset(agent, 0, sizeof *agent);
    agent->name = name;
    if (read_type(&at) != 0)
        return -1;
    return agent->type == HK_AGENT_HTTP ? hk_agent_read_http(&at) : read_process(&at);
}

void hk_agent_config_clear(hk_agent_config *agent)
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

static int read_each(hk_config *config, hk_table *table, hk_agent_config *agents, size_t count,
                     hk_error *error)
{
    size_t index;

    for (index = 0; index < count; index++) {
        const char *name = hk_table_key(table, index);
        hk_table *inner;
        if (hk_table_table(table, name, &inner, error) != 0 ||
            hk_agent_config_read(&agents[index], config, inner, name, error) != 0)
            return -1;
    }
    return 0;
}

int hk_agents_read(hk_config *config, hk_agent_config **agents, size_t *count, hk_error *error)
{
    hk_table *table;

    *agents = NULL;
    *count = 0;
    if (hk_table_table(hk_config_root(config), "agents", &table, error) != 0)
        return -1;
    *count = hk_table_count(table);
    *agents = calloc(*count + 1, sizeof **agents);
    if (!*agents)
        return hk_fail(error, "out of memory");
    if (read_each(config, table, *agents, *count, error) == 0)
        return 0;
    hk_agents_free(*agents, *count);
    *agents = NULL;
    *count = 0;
    return -1;
}

void hk_agents_free(hk_agent_config *agents, size_t count)
{
    size_t index;

    for (index = 0; agents && index < count; index++)
        hk_agent_config_clear(&agents[index]);
    free(agents);
}

const char *hk_agent_exit_class(const hk_agent_config *agent, int code)
{
    size_t index;

    for (index = 0; index < agent->exit_class_count; index++)
        if (agent->exit_classes[index].code == code)
            return agent->exit_classes[index].failure_class;
    return "exit";
}
