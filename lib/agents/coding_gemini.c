/* gemini --output-format json: one JSON object. It has no option for a schema. */
#include "coding.h"

enum { NOT_LOGGED_IN = 41, LEAST_STATUS = 400 };

static const char *const variables[] = {"GEMINI_API_KEY",
                                        "GOOGLE_API_KEY",
                                        "GOOGLE_APPLICATION_CREDENTIALS",
                                        "GOOGLE_CLOUD_LOCATION",
                                        "GOOGLE_CLOUD_PROJECT",
                                        "GOOGLE_GEMINI_BASE_URL",
                                        "GOOGLE_GENAI_USE_VERTEXAI",
                                        NULL};

static const char *const denied[] = {"Access denied", "denied by policy", NULL};

static const wfa_flag flags[] = {{WFA_FLAG_ALWAYS, {"--skip-trust", "--output-format", "json"}},
                                 {WFA_FLAG_READ, {"--approval-mode", "plan"}},
                                 {WFA_FLAG_WRITE, {"--approval-mode", "auto_edit"}},
                                 {WFA_FLAG_MODEL, {"--model", "{model}"}},
                                 {WFA_FLAG_SESSION, {"--resume", "{session}"}},
                                 {WFA_FLAG_ALWAYS, {NULL}}};

static void read_usage(wfa_coding_output *output, json_t *root)
{
    json_t *models = json_object_get(json_object_get(root, "stats"), "models"), *model;
    const char *name;

    json_object_foreach(models, name, model)
    {
        const json_t *tokens = json_object_get(model, "tokens");
        output->input_tokens += wfa_coding_count(tokens, "prompt");
        output->output_tokens +=
            wfa_coding_count(tokens, "candidates") + wfa_coding_count(tokens, "thoughts");
    }
}

/* ---- the failure ---- */

static const char *delay_of(const json_t *details)
{
    const json_t *one;
    size_t index;

    json_array_foreach(details, index, one)
    {
        const char *delay = json_string_value(json_object_get(one, "retryDelay"));
        if (delay)
            return delay;
    }
    return NULL;
}

/* The service's own reply, which stands as a text within the program's message. */
static void read_reply(wfa_coding_output *output, const char *message)
{
    json_t *reply = message ? json_loads(message, 0, NULL) : NULL;
    const json_t *error = json_object_get(reply, "error");
    const char *delay = delay_of(json_object_get(error, "details"));
    json_t *words;

    wfa_coding_keep(&output->failure, json_object_get(error, "message"));
    words = delay ? json_sprintf("%s; retry in %s", output->failure, delay) : NULL;
    wfa_coding_keep(&output->failure, words);
    json_decref(words);
    json_decref(reply);
}

static void read_failure(wfa_coding_output *output, const json_t *error)
{
    const json_t *message = json_object_get(error, "message");
    json_int_t code = json_integer_value(json_object_get(error, "code"));

    wfa_coding_keep(&output->failure, message);
    read_reply(output, json_string_value(message));
    if (code >= LEAST_STATUS && code < 600) /* others are its exit codes */
        output->status = (long)code;
}

/* ---- the output ---- */

static int is_result(const json_t *root)
{
    return json_object_get(root, "response") || json_object_get(root, "error");
}

/* The last object that is a result and begins a line: warnings and traces stand before it. */
static json_t *find_result(const char *text, size_t length)
{
    size_t at = length;

    while (at-- > 0) {
        json_t *root;
        if (text[at] != '{' || (at > 0 && text[at - 1] != '\n'))
            continue;
        root = json_loadb(text + at, length - at, JSON_DISABLE_EOF_CHECK, NULL);
        if (is_result(root))
            return root;
        json_decref(root);
    }
    return NULL;
}

static void read_output(wfa_coding_output *output, const char *text, size_t length)
{
    json_t *root = find_result(text, length);

    output->complete = json_object_get(root, "response") != NULL;
    wfa_coding_keep(&output->session, json_object_get(root, "session_id"));
    wfa_coding_keep(&output->answer, json_object_get(root, "response"));
    read_failure(output, json_object_get(root, "error"));
    read_usage(output, root);
    json_decref(root);
}

const wfa_coding_kind wfa_coding_gemini = {.name = "gemini",
                                           .pass_env = variables,
                                           .flags = flags,
                                           .auth_code = NOT_LOGGED_IN,
                                           .denied = denied,
                                           .read = read_output};
