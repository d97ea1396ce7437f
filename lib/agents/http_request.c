#include "http_request.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "invocation.h"
#include "text_buffer.h"

static int add(wfa_text *text, const char *more)
{
    return wfa_text_add(text, more, strlen(more));
}

/* The last failure before this attempt, if telling the model can fix it. */
static int add_last_failure(wfa_text *text, const wfa_invocation *invocation, wfsm_store *store)
{
    char *why;
    int bad;

    if (invocation->number < 2)
        return 0;
    why = wfa_last_failure(store, invocation->instance, invocation->id, "schema");
    if (!why && store)
        return 0; /* it failed for reasons that are not the model's */
    bad = add(text, "\n\nAn earlier answer to this could not be used: ") != 0 ||
          add(text, why ? why : "it was no JSON object that fits") != 0 ||
          add(text, ". Answer again and fix that.") != 0;
    free(why);
    return bad;
}

static int add_form(wfa_text *text, const wfa_invocation *invocation,
                    const wfa_agent_config *config)
{
    if (config->prompt && strstr(config->prompt, "{output_schema}"))
        return 0;
    if (add(text, "\n\nEnd your answer with one JSON object, and nothing behind it.") != 0)
        return -1;
    if (strcmp(invocation->schema, "null") == 0)
        return 0;
    return add(text, " It has to fit this JSON Schema:\n\n") != 0 ||
           add(text, invocation->schema) != 0;
}

static int make_prompt(wfa_text *text, const wfa_invocation *invocation,
                       const wfa_agent_config *config, wfsm_store *store)
{
    const char *prompt = invocation->prompt ? invocation->prompt : invocation->json;

    return add(text, prompt) != 0 || add_form(text, invocation, config) != 0 ||
           add_last_failure(text, invocation, store) != 0;
}

static char *make_body(const wfa_http_config *http, const char *prompt)
{
    const wfa_chat_request asked = {
        .model = http->model,
        .system = http->system,
        .prompt = prompt,
        .max_tokens = http->max_tokens,
        .max_tokens_name = http->max_tokens_name,
        .stream = http->stream,
    };
    json_t *body = http->dialect->body(&asked);
    char *text = body ? json_dumps(body, JSON_COMPACT) : NULL;

    json_decref(body);
    return text;
}

static int make_headers(wfa_http_request *request, const wfa_http_config *http,
                        const wfa_key *key)
{
    const char *const *more = http->dialect->headers;
    size_t count = 0;

    request->headers[count++] = "content-type: application/json";
    request->headers[count++] = http->stream ? "accept: text/event-stream, application/json"
                                             : "accept: application/json";
    request->headers[count++] = "user-agent: wfsm-agents";
    request->headers[count++] = "expect:"; /* do not ask before sending a long body */
    while (*more)
        request->headers[count++] = *more++;
    if (!key->text)
        return 0;
    request->key_header = malloc(strlen(http->dialect->key_header) + strlen(key->text) + 1);
    if (!request->key_header)
        return -1;
    (void)sprintf(request->key_header, "%s%s", http->dialect->key_header, key->text);
    request->headers[count] = request->key_header;
    return 0;
}

static void set_spec(wfa_http_request *request, const wfa_agent_config *config)
{
    const wfa_http_config *http = config->http;

    request->spec = (wfa_http_spec){
        .url = http->url,
        .headers = request->headers,
        .body = request->body,
        .length = strlen(request->body),
        .ca_file = http->ca_file,
        .connect_ms = http->connect_ms,
        .idle_ms = http->idle_ms,
        .timeout_ms = config->timeout_ms,
        .max_bytes = http->max_reply,
    };
}

int wfa_http_request_make(wfa_http_request *request, const wfa_agent_config *config,
                          const wfa_key *key, wfsm_call *call, wfsm_store *store,
                          wfa_error *error)
{
    wfa_invocation invocation;
    wfa_text prompt = {NULL, 0, 0};
    int bad;

    memset(request, 0, sizeof *request);
    bad = wfa_invocation_make(&invocation, call, config, error) != 0 ||
          make_prompt(&prompt, &invocation, config, store) != 0 ||
          make_headers(request, config->http, key) != 0;
    wfa_invocation_clear(&invocation);
    if (!bad)
        request->body = make_body(config->http, prompt.data);
    wfa_text_free(&prompt);
    if (bad || !request->body)
        return wfa_fail(error, "the request cannot be made: no memory, or a prompt that is no "
                               "UTF-8");
    set_spec(request, config);
    return 0;
}

void wfa_http_request_clear(wfa_http_request *request)
{
    wfa_key key = {request->key_header};

    wfa_key_clear(&key);
    free(request->body);
    memset(request, 0, sizeof *request);
}
