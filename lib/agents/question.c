#include "question.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fill.h"

static const char *or_empty(const char *text)
{
    return text ? text : "";
}

static char *copy_json(const char *text, size_t length)
{
    return text ? strndup(text, length) : strdup("null");
}

static char *make_head(const hk_question *question, const char *agent)
{
    json_t *head = json_pack("{s:s, s:i, s:s, s:s, s:s}", "id", question->id, "attempt",
                             (int)question->number, "agent", agent, "instance",
                             question->instance, "state", question->state);
    char *text = head ? json_dumps(head, JSON_COMPACT) : NULL;

    json_decref(head);
    return text;
}

/* The input goes in as it came: numbers keep the way they were written. A new line ends
 * it for programs that read lines. */
static int make_json(hk_question *question, const char *agent)
{
    char *head = make_head(question, agent);
    size_t room;

    if (!head)
        return -1;
    room = strlen(head) + strlen(question->input) + strlen(question->schema) + 40;
    question->json = malloc(room);
    if (question->json)
        (void)snprintf(question->json, room, "%.*s,\"input\":%s,\"output_schema\":%s}\n",
                       (int)strlen(head) - 1, head, question->input, question->schema);
    free(head);
    return question->json ? 0 : -1;
}

/* A prompt that has no place for the input gets the whole invocation behind it. */
static char *extend_prompt(const char *prompt, const char *json)
{
    size_t room = strlen(prompt) + strlen(json) + 3;
    char *whole = malloc(room);

    if (whole)
        (void)snprintf(whole, room, "%s\n%s", prompt, json);
    return whole;
}

static int make_prompt(hk_question *question, const hk_agent_config *config)
{
    const hk_mark marks[] = {{"{input}", question->input},
                             {"{output_schema}", question->schema},
                             {"{id}", question->id},
                             {"{attempt}", question->attempt},
                             {"{instance}", question->instance},
                             {"{state}", question->state},
                             {NULL, NULL}};
    char *filled;

    if (!config->prompt)
        return 0;
    filled = hk_fill(config->prompt, marks);
    question->prompt = filled;
    if (!filled || strstr(config->prompt, "{input}"))
        return filled ? 0 : -1;
    question->prompt = extend_prompt(filled, question->json);
    free(filled);
    return question->prompt ? 0 : -1;
}

static void choose_stdin(hk_question *question, hk_agent_stdin mode)
{
    question->text = "";
    if (mode == HK_STDIN_JSON)
        question->text = question->json;
    if (mode == HK_STDIN_PROMPT)
        question->text = question->prompt;
    question->length = strlen(question->text);
}

int hk_question_make(hk_question *question, wfsm_call *call, const hk_agent_config *config,
                     hk_error *error)
{
    const char *text;
    size_t length = 0;

    memset(question, 0, sizeof *question);
    question->id = or_empty(wfsm_call_id(call));
    question->instance = or_empty(wfsm_call_instance(call));
    question->state = or_empty(wfsm_call_state(call));
    question->number = wfsm_call_attempt(call);
    (void)snprintf(question->attempt, sizeof question->attempt, "%" PRId32, question->number);
    (void)snprintf(question->claimed, sizeof question->claimed, "%" PRId64,
                   wfsm_call_claimed(call));
    text = wfsm_call_input(call, &length);
    question->input = copy_json(text, length);
    text = wfsm_call_schema(call, &length);
    question->schema = copy_json(text, length);
    if (!question->input || !question->schema || make_json(question, config->name) != 0 ||
        make_prompt(question, config) != 0)
        return hk_fail(error, "out of memory");
    choose_stdin(question, config->input);
    return 0;
}

void hk_question_clear(hk_question *question)
{
    free(question->input);
    free(question->schema);
    free(question->prompt);
    free(question->json);
    memset(question, 0, sizeof *question);
}
