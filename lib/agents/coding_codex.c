/* codex exec --json: an event on each line. */
#include <string.h>

#include "coding.h"

static const char *const variables[] = {"CODEX_API_KEY", "CODEX_HOME", "OPENAI_API_KEY", NULL};

static const char *const denied[] = {"patch rejected", "rejected by user approval", NULL};

/* The sandbox is set as a configuration, because `exec resume` knows no --sandbox. */
static const wfa_flag flags[] = {
    {WFA_FLAG_ALWAYS, {"exec"}},
    {WFA_FLAG_SESSION, {"resume"}},
    {WFA_FLAG_ALWAYS, {"--json", "--skip-git-repo-check", "-c", "approval_policy=\"never\""}},
    {WFA_FLAG_READ, {"-c", "sandbox_mode=\"read-only\""}},
    {WFA_FLAG_WRITE, {"-c", "sandbox_mode=\"workspace-write\""}},
    {WFA_FLAG_MODEL, {"--model", "{model}"}},
    {WFA_FLAG_SCHEMA, {"--output-schema", "{schema_file}"}},
    {WFA_FLAG_SESSION, {"{session}"}},
    {WFA_FLAG_ALWAYS, {"-"}},
    {WFA_FLAG_ALWAYS, {NULL}}};

static int is_type(const json_t *object, const char *type)
{
    const char *found = json_string_value(json_object_get(object, "type"));

    return found && strcmp(found, type) == 0;
}

/* Where it works again, what it has complained about before is settled. */
static void read_item(wfa_coding_output *output, const json_t *item)
{
    if (!is_type(item, "error"))
        wfa_coding_drop(&output->failure);
    if (is_type(item, "agent_message"))
        wfa_coding_keep(&output->answer, json_object_get(item, "text"));
}

static void read_end(wfa_coding_output *output, const json_t *usage)
{
    output->complete = 1;
    output->input_tokens += wfa_coding_count(usage, "input_tokens");
    output->output_tokens += wfa_coding_count(usage, "output_tokens");
}

static void read_event(void *self, const json_t *event)
{
    wfa_coding_output *output = self;

    if (is_type(event, "thread.started"))
        wfa_coding_keep(&output->session, json_object_get(event, "thread_id"));
    else if (is_type(event, "item.completed"))
        read_item(output, json_object_get(event, "item"));
    else if (is_type(event, "turn.completed"))
        read_end(output, json_object_get(event, "usage"));
    else if (is_type(event, "turn.failed"))
        wfa_coding_keep(&output->failure,
                        json_object_get(json_object_get(event, "error"), "message"));
    else if (is_type(event, "error"))
        wfa_coding_keep(&output->failure, json_object_get(event, "message"));
}

static void read_output(wfa_coding_output *output, const char *text, size_t length)
{
    wfa_coding_each_line(output, text, length, read_event);
}

const wfa_coding_kind wfa_coding_codex = {.name = "codex",
                                          .pass_env = variables,
                                          .flags = flags,
                                          .strict_schema = 1,
                                          .denied = denied,
                                          .read = read_output};
