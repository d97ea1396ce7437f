/* What became of an attempt of a coding agent. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "coding_job.h"
#include "files.h"
#include "json_answer.h"
#include "text_buffer.h"

enum { MOST_WORDS = 300 };

static void add_usage(wfsm_call *call, const char *name, int64_t amount)
{
    if (amount > 0)
        (void)wfsm_call_usage(call, name, amount);
}

/* What was used is to be paid for, also when nothing came of it. */
static void tell_usage(const wfa_coding_output *output, wfsm_call *call)
{
    add_usage(call, "input_tokens", output->input_tokens);
    add_usage(call, "output_tokens", output->output_tokens);
    add_usage(call, "tokens", output->input_tokens + output->output_tokens);
    add_usage(call, "micros", output->micros);
}

/* ---- the answer ---- */

static int tell_answer(const wfa_agent_config *config, const wfa_coding_output *output,
                       wfsm_call *call, int32_t *status, wfa_error *error)
{
    const char *answer;
    size_t length;

    (void)wfa_fail(error, "the program ended without an answer");
    if (!output->complete || !output->answer)
        return 0;
    if (wfa_answer_find_in("the answer", output->answer, strlen(output->answer), config->answer,
                           &answer, &length, error) != 0)
        return 0;
    *status = wfsm_call_done(call, answer, length);
    return 1;
}

/* All zero when it cannot be read. */
static void read_output(const wfa_agent_config *config, wfa_child *child,
                        wfa_coding_output *output)
{
    size_t length = 0;
    const char *text = wfa_child_output(child, &length, NULL);

    memset(output, 0, sizeof *output);
    if (text)
        config->coding->read(output, text, length);
}

int wfa_coding_tell_answer(const wfa_agent_config *config, wfa_child *child, wfsm_call *call,
                           int32_t *status)
{
    wfa_coding_output output;
    wfa_error why;
    int told;

    read_output(config, child, &output);
    told = tell_answer(config, &output, call, status, &why);
    if (told)
        tell_usage(&output, call);
    wfa_coding_output_clear(&output);
    return told;
}

/* ---- the failure ---- */

/* Without words of its own on stdout, what it wrote to stderr. */
static void read_log(const wfa_agent_config *config, wfa_child *child,
                     wfa_coding_output *output)
{
    char *text = NULL;
    size_t length = 0;

    if (output->failure ||
        wfa_file_read_own(wfa_child_log(child), config->max_log, &text, &length, NULL) != 0)
        return;
    config->coding->read(output, text, length);
    if (!output->failure && length > 0) {
        output->failure = text;
        return;
    }
    free(text);
}

static const char *line_with(char *text, const char *const *words)
{
    char *line, *rest = NULL;
    size_t index;

    for (line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
        for (index = 0; words[index]; index++)
            if (strstr(line, words[index]))
                return line;
    return NULL;
}

/* It has ended well without an answer: was a tool refused on the way? */
static void read_denial(const wfa_agent_config *config, wfa_child *child,
                        wfa_coding_output *output)
{
    const char *const *words = config->coding->denied, *line = NULL;
    char *text = NULL;
    size_t length = 0;
    json_t *failure;

    if (!words ||
        wfa_file_read_own(wfa_child_log(child), config->max_log, &text, &length, NULL) != 0)
        return;
    line = line_with(text, words);
    failure = line ? json_sprintf("permission denied for the tool: %s", line) : NULL;
    wfa_coding_keep(&output->failure, failure);
    json_decref(failure);
    free(text);
}

static long status_of(const wfa_coding_output *output, int code)
{
    enum { BYTE = 256, LEAST_STATUS = 400 };

    return output->exits_with_status && code >= LEAST_STATUS - BYTE ? code + BYTE
                                                                    : output->status;
}

/* `otherwise`: the class if nothing is known. */
static int32_t tell_words(const wfa_agent_config *config, wfa_child *child,
                          const wfa_coding_output *output, const char *otherwise,
                          wfsm_call *call)
{
    int code = wfa_child_code(child);
    int is_auth = config->coding->auth_code != 0 && code == config->coding->auth_code;
    const char *words = output->failure ? output->failure : "";
    wfa_coding_failure found = wfa_coding_failure_of(words, status_of(output, code), is_auth);
    char message[sizeof((wfa_error *)0)->message];

    (void)snprintf(message, sizeof message, "%s%s%.*s%s%s", found.word, *found.word ? ": " : "",
                   MOST_WORDS, words, *found.word || *words ? "; " : "",
                   wfa_child_message(child));
    wfa_text_make_plain(message, strlen(message));
    if (found.retry_after >= 0)
        (void)wfsm_call_retry_after(call, found.retry_after);
    if (!found.failure_class)
        found.failure_class = otherwise;
    return wfsm_call_failed(call, found.failure_class, message);
}

/* It ended as if it had succeeded. */
static int32_t tell_schema(wfa_child *child, const wfa_error *why, wfsm_call *call)
{
    char message[sizeof((wfa_error *)0)->message];

    (void)snprintf(message, sizeof message, "%.500s, see %s", why->message,
                   wfa_child_out(child));
    return wfsm_call_failed(call, "schema", message);
}

static int32_t tell(const wfa_agent_config *config, wfa_child *child, wfa_coding_output *output,
                    wfsm_call *call)
{
    wfa_error why;
    int32_t status;

    if (wfa_child_code(child) == 0) {
        if (tell_answer(config, output, call, &status, &why))
            return status;
        if (!output->failure)
            read_denial(config, child, output);
        if (!output->failure)
            return tell_schema(child, &why, call);
    }
    read_log(config, child, output);
    return tell_words(config, child, output,
                      wfa_agent_exit_class(config, wfa_child_code(child)), call);
}

int wfa_coding_tell_timeout(const wfa_agent_config *config, wfa_child *child, wfsm_call *call,
                            int32_t *status)
{
    wfa_coding_output output;
    int told;

    read_output(config, child, &output);
    tell_usage(&output, call);
    told = output.failure != NULL;
    if (told)
        *status = tell_words(config, child, &output, "timeout", call);
    wfa_coding_output_clear(&output);
    return told;
}

int32_t wfa_coding_tell(const wfa_agent_config *config, wfa_child *child, wfsm_call *call)
{
    wfa_coding_output output;
    int32_t status;

    read_output(config, child, &output);
    tell_usage(&output, call);
    status = tell(config, child, &output, call);
    wfa_coding_output_clear(&output);
    return status;
}
