#include "invocation.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../base/invariant.h"
#include "fill.h"

static const char *or_empty(const char *text)
{
    return text ? text : "";
}

static char *copy_json(const char *text, size_t length)
{
    return text ? strndup(text, length) : strdup("null");
}

static char *make_head(const wfa_invocation *invocation, const char *agent)
{
    json_t *head = json_pack("{s:s, s:i, s:s, s:s, s:s}", "id", invocation->id, "attempt",
                             (int)invocation->number, "agent", agent, "instance",
                             invocation->instance, "state", invocation->state);
    char *text = head ? json_dumps(head, JSON_COMPACT) : NULL;

    json_decref(head);
    return text;
}

/* The input goes in as it came: numbers keep the way they were written. A new line ends
 * it for programs that read lines. */
static int make_json(wfa_invocation *invocation, const char *agent)
{
    char *head = make_head(invocation, agent);
    size_t room;

    if (!head)
        return -1;
    WF_INVARIANT(head[strlen(head) - 1] == '}'); /* it goes behind the rest */
    room = strlen(head) + strlen(invocation->input) + strlen(invocation->schema) + 40;
    invocation->json = malloc(room);
    if (invocation->json)
        (void)snprintf(invocation->json, room, "%.*s,\"input\":%s,\"output_schema\":%s}\n",
                       (int)strlen(head) - 1, head, invocation->input, invocation->schema);
    free(head);
    return invocation->json ? 0 : -1;
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

static int make_prompt(wfa_invocation *invocation, const wfa_agent_config *config)
{
    const wfa_mark marks[] = {{"{input}", invocation->input},
                              {"{output_schema}", invocation->schema},
                              {"{id}", invocation->id},
                              {"{attempt}", invocation->attempt},
                              {"{instance}", invocation->instance},
                              {"{state}", invocation->state},
                              {NULL, NULL}};
    char *filled;

    if (!config->prompt)
        return 0;
    filled = wfa_fill(config->prompt, marks);
    invocation->prompt = filled;
    if (!filled || strstr(config->prompt, "{input}"))
        return filled ? 0 : -1;
    invocation->prompt = extend_prompt(filled, invocation->json);
    free(filled);
    return invocation->prompt ? 0 : -1;
}

static void choose_stdin(wfa_invocation *invocation, wfa_agent_stdin mode)
{
    invocation->text = "";
    if (mode == WFA_STDIN_JSON)
        invocation->text = invocation->json;
    if (mode == WFA_STDIN_PROMPT)
        invocation->text = invocation->prompt;
    WF_INVARIANT(invocation->text); /* set_stdin() of process_config.c: a prompt is there */
    invocation->length = strlen(invocation->text);
}

int wfa_invocation_make(wfa_invocation *invocation, wfsm_call *call,
                        const wfa_agent_config *config, wfa_error *error)
{
    const char *text;
    size_t length = 0;

    memset(invocation, 0, sizeof *invocation);
    invocation->id = or_empty(wfsm_call_id(call));
    invocation->instance = or_empty(wfsm_call_instance(call));
    invocation->state = or_empty(wfsm_call_state(call));
    invocation->number = wfsm_call_attempt(call);
    (void)snprintf(invocation->attempt, sizeof invocation->attempt, "%" PRId32,
                   invocation->number);
    (void)snprintf(invocation->claimed, sizeof invocation->claimed, "%" PRId64,
                   wfsm_call_claimed(call));
    text = wfsm_call_input(call, &length);
    invocation->input = copy_json(text, length);
    text = wfsm_call_schema(call, &length);
    invocation->schema = copy_json(text, length);
    if (!invocation->input || !invocation->schema || make_json(invocation, config->name) != 0 ||
        make_prompt(invocation, config) != 0)
        return wfa_no_memory(error);
    choose_stdin(invocation, config->input);
    return 0;
}

void wfa_invocation_clear(wfa_invocation *invocation)
{
    free(invocation->input);
    free(invocation->schema);
    free(invocation->prompt);
    free(invocation->json);
    memset(invocation, 0, sizeof *invocation);
}
