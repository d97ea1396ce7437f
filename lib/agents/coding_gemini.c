/* gemini --output-format json: one JSON object. It has no option for a schema. */
#include <string.h>

#include "coding.h"

enum { NOT_LOGGED_IN = 41 };

static const char *const variables[] = {"GEMINI_API_KEY",
                                        "GOOGLE_API_KEY",
                                        "GOOGLE_APPLICATION_CREDENTIALS",
                                        "GOOGLE_CLOUD_LOCATION",
                                        "GOOGLE_CLOUD_PROJECT",
                                        "GOOGLE_GEMINI_BASE_URL",
                                        "GOOGLE_GENAI_USE_VERTEXAI",
                                        NULL};

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

static void read_output(wfa_coding_output *output, const char *text, size_t length)
{
    const char *from = memchr(text, '{', length); /* warnings may stand before it */
    size_t left = from ? length - (size_t)(from - text) : 0;
    json_t *root = from ? json_loadb(from, left, JSON_DISABLE_EOF_CHECK, NULL) : NULL;

    output->complete = json_object_get(root, "response") != NULL;
    wfa_coding_keep(&output->session, json_object_get(root, "session_id"));
    wfa_coding_keep(&output->answer, json_object_get(root, "response"));
    wfa_coding_keep(&output->failure,
                    json_object_get(json_object_get(root, "error"), "message"));
    read_usage(output, root);
    json_decref(root);
}

const wfa_coding_kind wfa_coding_gemini = {.name = "gemini",
                                           .pass_env = variables,
                                           .flags = flags,
                                           .auth_code = NOT_LOGGED_IN,
                                           .read = read_output};
