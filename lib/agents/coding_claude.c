/* claude --print: an event on each line while it works, so that others see it; the last one is the result. */
#include <string.h>

#include "coding.h"

static const char *const variables[] = {"ANTHROPIC_API_KEY",  "ANTHROPIC_AUTH_TOKEN",
                                        "ANTHROPIC_BASE_URL", "CLAUDE_CODE_OAUTH_TOKEN",
                                        "CLAUDE_CONFIG_DIR",  NULL};

/* A question is refused, since nobody is there to answer it. */
static const wfa_flag flags[] = {
    {WFA_FLAG_ALWAYS, {"--print", "--verbose", "--output-format", "stream-json"}},
    {WFA_FLAG_READ,
     {"--permission-mode", "dontAsk", "--disallowed-tools", "Edit,Write,NotebookEdit"}},
    {WFA_FLAG_WRITE, {"--permission-mode", "acceptEdits"}},
    {WFA_FLAG_MODEL, {"--model", "{model}"}},
    {WFA_FLAG_SCHEMA, {"--json-schema", "{schema}"}},
    {WFA_FLAG_SESSION, {"--resume", "{session}"}},
    {WFA_FLAG_ALWAYS, {NULL}}};

static void read_usage(wfa_coding_output *output, const json_t *root)
{
    const json_t *usage = json_object_get(root, "usage");
    double dollars = json_number_value(json_object_get(root, "total_cost_usd"));

    output->input_tokens = wfa_coding_count(usage, "input_tokens") +
                           wfa_coding_count(usage, "cache_creation_input_tokens") +
                           wfa_coding_count(usage, "cache_read_input_tokens");
    output->output_tokens = wfa_coding_count(usage, "output_tokens");
    if (dollars > 0 && dollars < 1e6)
        output->micros = (int64_t)(dollars * 1e6 + 0.5);
}

/* A tool that was not allowed; an answer may be there all the same. */
static void read_denials(wfa_coding_output *output, const json_t *root)
{
    const json_t *denial = json_array_get(json_object_get(root, "permission_denials"), 0);
    const char *tool = json_string_value(json_object_get(denial, "tool_name"));
    json_t *words = tool ? json_sprintf("permission denied for the tool %s", tool) : NULL;

    wfa_coding_keep(&output->failure, words);
    json_decref(words);
}

static void read_failure(wfa_coding_output *output, const json_t *root)
{
    wfa_coding_keep(&output->failure, json_object_get(root, "subtype"));
    wfa_coding_keep(&output->failure, json_array_get(json_object_get(root, "errors"), 0));
    wfa_coding_keep(&output->failure, json_object_get(root, "result"));
    output->status = (long)json_integer_value(json_object_get(root, "api_error_status"));
}

static void read_result(wfa_coding_output *output, const json_t *root)
{
    wfa_coding_keep(&output->session, json_object_get(root, "session_id"));
    read_usage(output, root);
    if (json_is_true(json_object_get(root, "is_error"))) {
        read_failure(output, root);
    } else {
        output->complete = 1;
        read_denials(output, root);
        wfa_coding_keep(&output->answer, json_object_get(root, "result"));
        wfa_coding_keep_json(&output->answer, json_object_get(root, "structured_output"));
    }
}

/* A session can be continued, also after a kill, when the model has answered in it. */
static void read_event(void *self, const json_t *event)
{
    wfa_coding_output *output = self;
    const char *type = json_string_value(json_object_get(event, "type"));

    if (json_is_object(event) && (!type || strcmp(type, "result") == 0))
        read_result(output, event);
    else if (type && strcmp(type, "assistant") == 0)
        wfa_coding_keep(&output->session, json_object_get(event, "session_id"));
}

/* A program that stands for it may print the result alone, also over several lines. */
static void read_output(wfa_coding_output *output, const char *text, size_t length)
{
    json_t *whole = json_loadb(text, length, 0, NULL);

    if (whole)
        read_event(output, whole);
    else
        wfa_coding_each_line(output, text, length, read_event);
    json_decref(whole);
}

const wfa_coding_kind wfa_coding_claude = {
    .name = "claude", .pass_env = variables, .flags = flags, .read = read_output};
