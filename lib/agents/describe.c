/* wfsm_agents_describe(): the settings in force of an agent, as JSON. */
#include "collection.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "http_config.h"

static const char *const answers[] = {
    [WFA_ANSWER_JSON] = "json", [WFA_ANSWER_LAST_BLOCK] = "last-json-block"};
static const char *const inputs[] = {
    [WFA_STDIN_JSON] = "json", [WFA_STDIN_PROMPT] = "prompt", [WFA_STDIN_NONE] = "none"};

static json_t *list_of(char *const *texts)
{
    json_t *list = json_array();

    for (; list && texts && *texts; texts++)
        if (json_array_append_new(list, json_string(*texts)) != 0) {
            json_decref(list);
            return NULL;
        }
    return list;
}

static json_t *exit_classes_of(const wfa_agent_config *config)
{
    json_t *classes = json_object();
    char code[16];
    size_t index;

    for (index = 0; classes && index < config->exit_class_count; index++) {
        (void)snprintf(code, sizeof code, "%d", config->exit_classes[index].code);
        if (json_object_set_new(classes, code,
                                json_string(config->exit_classes[index].failure_class)) != 0) {
            json_decref(classes);
            return NULL;
        }
    }
    return classes;
}

static int add_coding(json_t *made, const wfa_agent_config *config)
{
    if (json_object_set_new(made, "kind", json_string(config->coding->name)) != 0 ||
        json_object_set_new(made, "access",
                            json_string(config->may_write ? "write" : "read")) != 0)
        return -1;
    return config->model ? json_object_set_new(made, "model", json_string(config->model)) : 0;
}

static json_t *describe_process(const wfa_agent_config *config)
{
    json_t *made = json_pack(
        "{s:s, s:o, s:s?, s:s, s:s, s:s?, s:o, s:o, s:o, s:I, s:I, s:I, s:I}", "type",
        "process", "command", list_of(config->command), "prompt", config->prompt, "stdin",
        inputs[config->input], "answer", answers[config->answer], "folder", config->folder,
        "env", list_of(config->env), "pass_env", list_of(config->pass_env), "exit_classes",
        exit_classes_of(config), "timeout_ms", (json_int_t)config->timeout_ms, "grace_ms",
        (json_int_t)config->grace_ms, "max_output_bytes", (json_int_t)config->max_output,
        "max_log_bytes", (json_int_t)config->max_log);

    if (!made || !config->coding || add_coding(made, config) == 0)
        return made;
    json_decref(made);
    return NULL;
}

static json_t *describe_http(const wfa_agent_config *config)
{
    const wfa_http_config *http = config->http;

    return json_pack("{s:s, s:s, s:s, s:s, s:s?, s:s?, s:s?, s:s?, s:s, s:b, s:I, s:I, s:I, "
                     "s:I, s:I, s:I, s:I, s:I}",
                     "type", "http", "api", http->dialect->name, "model", http->model,
                     "base_url", http->base_url, "key_env", http->key_env, "key_file",
                     http->key_file, "prompt", config->prompt, "system", http->system, "answer",
                     answers[config->answer], "stream", http->stream, "max_tokens",
                     (json_int_t)http->max_tokens, "price_input", (json_int_t)http->price_input,
                     "price_output", (json_int_t)http->price_output, "connect_timeout_ms",
                     (json_int_t)http->connect_ms, "idle_timeout_ms", (json_int_t)http->idle_ms,
                     "timeout_ms", (json_int_t)config->timeout_ms, "max_output_bytes",
                     (json_int_t)config->max_output, "max_reply_bytes",
                     (json_int_t)http->max_reply);
}

static json_t *describe_commands(const wfa_commands *commands)
{
    return json_pack("{s:s, s:I, s:I, s:b}", "type", "commands", "timeout_ms",
                     (json_int_t)commands->timeout_ms, "max_output_bytes",
                     (json_int_t)commands->max_output, "all", commands->all);
}

static json_t *describe_kind(const wfa_member *member)
{
    switch (member->config.type) {
    case WFA_AGENT_HTTP:
        return describe_http(&member->config);
    case WFA_AGENT_COMMANDS:
        return describe_commands(&member->commands);
    case WFA_AGENT_PROCESS:
        break;
    }
    return describe_process(&member->config);
}

static json_t *describe(const wfa_member *member)
{
    const wfa_agent_config *config = &member->config;
    json_t *made = describe_kind(member);

    if (!made || config->rate == 0 ||
        (json_object_set_new(made, "rate", json_integer(config->rate)) == 0 &&
         json_object_set_new(made, "rate_ms", json_integer(config->rate_ms)) == 0))
        return made;
    json_decref(made);
    return NULL;
}

const char *wfsm_agents_describe(wfsm_agents *agents, const char *name, size_t *length)
{
    const wfa_member *member = agents && name ? wfa_collection_find(agents, name) : NULL;
    json_t *made = member ? describe(member) : NULL;

    if (length)
        *length = 0;
    if (!member)
        return NULL;
    free(agents->described);
    agents->described = made ? json_dumps(made, JSON_COMPACT) : NULL;
    json_decref(made);
    if (length && agents->described)
        *length = strlen(agents->described);
    return agents->described;
}
