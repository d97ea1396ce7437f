/* gemini --output-format stream-json: an event on each line. It has no option for a schema. */
#include <stdlib.h>
#include <string.h>

#include "coding.h"
#include "text_buffer.h"

enum { NOT_LOGGED_IN = 41 };

static const char *const variables[] = {"GEMINI_API_KEY",
                                        "GOOGLE_API_KEY",
                                        "GOOGLE_APPLICATION_CREDENTIALS",
                                        "GOOGLE_CLOUD_LOCATION",
                                        "GOOGLE_CLOUD_PROJECT",
                                        "GOOGLE_GEMINI_BASE_URL",
                                        "GOOGLE_GENAI_USE_VERTEXAI",
                                        NULL};

static const char *const denied[] = {"Access denied", "denied by policy", NULL};

static const wfa_flag flags[] = {
    {WFA_FLAG_ALWAYS, {"--skip-trust", "--output-format", "stream-json"}},
    {WFA_FLAG_READ, {"--approval-mode", "plan"}},
    {WFA_FLAG_WRITE, {"--approval-mode", "auto_edit"}},
    {WFA_FLAG_MODEL, {"--model", "{model}"}},
    {WFA_FLAG_SESSION, {"--resume", "{session}"}},
    {WFA_FLAG_ALWAYS, {NULL}}};

typedef struct reading {
    wfa_coding_output *output;
    wfa_text said; /* since the last tool: the answer, if nothing comes after it */
    int is_cut; /* a part of it may be lost */
    int has_answered; /* the model has */
} reading;

static int is_word(const json_t *event, const char *key, const char *word)
{
    const char *found = json_string_value(json_object_get(event, key));

    return found && strcmp(found, word) == 0;
}

/* Thoughts are in the total only. */
static void read_usage(wfa_coding_output *output, const json_t *stats)
{
    int64_t total = wfa_coding_count(stats, "total_tokens");

    output->input_tokens = wfa_coding_count(stats, "input_tokens");
    output->output_tokens = total > output->input_tokens
                                ? total - output->input_tokens
                                : wfa_coding_count(stats, "output_tokens");
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
static void read_reply(wfa_coding_output *output)
{
    json_t *reply = output->failure ? json_loads(output->failure, 0, NULL) : NULL;
    const json_t *error = json_object_get(reply, "error");
    const char *delay = delay_of(json_object_get(error, "details"));
    json_t *words;

    wfa_coding_keep(&output->failure, json_object_get(error, "message"));
    words = delay ? json_sprintf("%s; retry in %s", output->failure, delay) : NULL;
    wfa_coding_keep(&output->failure, words);
    json_decref(words);
    json_decref(reply);
}

/* "[API Error: what the service says]", and advice of the program's own behind it. */
static void read_failure(wfa_coding_output *output, const json_t *error)
{
    static const char begin[] = "[API Error: ";
    char *text;

    wfa_coding_keep(&output->failure, json_object_get(error, "message"));
    text = output->failure;
    if (!text || strncmp(text, begin, sizeof begin - 1) != 0)
        return;
    output->exits_with_status = 1;
    memmove(text, text + sizeof begin - 1, strlen(text + sizeof begin - 1) + 1);
    text = strrchr(text, ']');
    if (text)
        *text = '\0';
    read_reply(output);
}

/* ---- the events ---- */

static void read_words(reading *self, const json_t *event)
{
    const char *text = json_string_value(json_object_get(event, "content"));

    if (!text || !is_word(event, "role", "assistant"))
        return;
    self->has_answered = 1;
    if (wfa_text_add(&self->said, text, strlen(text)) != 0)
        self->is_cut = 1;
}

static void forget_words(reading *self)
{
    wfa_text_empty(&self->said);
    self->is_cut = 0;
}

static void read_result(reading *self, const json_t *event)
{
    self->output->complete = is_word(event, "status", "success") && !self->is_cut;
    read_failure(self->output, json_object_get(event, "error"));
    read_usage(self->output, json_object_get(event, "stats"));
}

static void read_event(void *user, const json_t *event)
{
    reading *self = user;

    if (!event)
        self->is_cut = 1;
    else if (is_word(event, "type", "init"))
        wfa_coding_keep(&self->output->session, json_object_get(event, "session_id"));
    else if (is_word(event, "type", "message"))
        read_words(self, event);
    else if (is_word(event, "type", "tool_use"))
        self->has_answered = 1;
    else if (is_word(event, "type", "tool_result"))
        forget_words(self);
    else if (is_word(event, "type", "error") && is_word(event, "severity", "error"))
        wfa_coding_keep(&self->output->failure, json_object_get(event, "message"));
    else if (is_word(event, "type", "result"))
        read_result(self, event);
}

/* It does not know a session again in which the model has not answered. */
static void read_output(wfa_coding_output *output, const char *text, size_t length)
{
    reading self = {.output = output};

    wfa_coding_each_line(&self, text, length, read_event);
    if (!self.has_answered)
        wfa_coding_drop(&output->session);
    if (self.said.length > 0) {
        free(output->answer);
        output->answer = self.said.data;
    } else {
        wfa_text_free(&self.said);
    }
}

const wfa_coding_kind wfa_coding_gemini = {.name = "gemini",
                                           .pass_env = variables,
                                           .flags = flags,
                                           .auth_code = NOT_LOGGED_IN,
                                           .denied = denied,
                                           .read = read_output};
