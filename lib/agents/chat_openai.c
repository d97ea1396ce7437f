/* Chat completions, as OpenAI and the servers that are compatible with it speak them. */
#include <string.h>

#include "chat.h"

static int add_message(json_t *messages, const char *role, const char *text)
{
    if (!text)
        return 0;
    return json_array_append_new(messages,
                                 json_pack("{s:s, s:s}", "role", role, "content", text));
}

static int add_options(json_t *body, const wfa_chat_request *request)
{
    if (request->max_tokens > 0 &&
        json_object_set_new(body, request->max_tokens_name,
                            json_integer((json_int_t)request->max_tokens)) != 0)
        return -1;
    if (!request->stream)
        return 0;
    return json_object_set_new(body, "stream_options", json_pack("{s:b}", "include_usage", 1));
}

static json_t *body(const wfa_chat_request *request)
{
    json_t *made = json_pack("{s:s, s:b, s:[]}", "model", request->model, "stream",
                             request->stream, "messages");
    json_t *messages = json_object_get(made, "messages");

    if (made && add_message(messages, "system", request->system) == 0 &&
        add_message(messages, "user", request->prompt) == 0 && add_options(made, request) == 0)
        return made;
    json_decref(made);
    return NULL;
}

static void count(wfa_reply *reply, const json_t *usage)
{
    reply->input_tokens = wfa_reply_tokens(usage, "prompt_tokens", reply->input_tokens);
    reply->output_tokens = wfa_reply_tokens(usage, "completion_tokens", reply->output_tokens);
}

static void stop(wfa_reply *reply, const json_t *reason)
{
    const char *text = json_string_value(reason);

    if (text)
        wfa_reply_end(reply, strcmp(text, "stop") == 0 ? WFA_REPLY_WHOLE : WFA_REPLY_CUT, text);
}

/* A refusal is not an answer, however it ends. */
static int add_said(wfa_reply *reply, const json_t *said, const json_t *reason,
                    wfa_error *error)
{
    int refused = reply->state == WFA_REPLY_CUT && strcmp(reply->why, "refusal") == 0;
    const char *refusal = json_string_value(json_object_get(said, "refusal"));

    if (wfa_reply_add(reply, json_object_get(said, "content"), error) != 0)
        return -1;
    if (!refused)
        stop(reply, reason);
    if (refusal && *refusal)
        wfa_reply_end(reply, WFA_REPLY_CUT, "refusal");
    return 0;
}

/* The first of several choices counts; only one was asked for. */
static const json_t *first_choice(const json_t *data)
{
    const json_t *choice;
    size_t index;

    json_array_foreach(json_object_get(data, "choices"), index,
                       choice) if (json_integer_value(json_object_get(choice, "index")) ==
                                   0) return choice;
    return NULL;
}

static int take(wfa_reply *reply, const json_t *data, const char *where, wfa_error *error)
{
    const json_t *failure = json_object_get(data, "error");
    const json_t *choice = first_choice(data);

    if (failure && !json_is_null(failure)) {
        wfa_reply_fail(reply, failure);
        return 0;
    }
    count(reply, json_object_get(data, "usage"));
    if (!choice)
        return 0;
    return add_said(reply, json_object_get(choice, where),
                    json_object_get(choice, "finish_reason"), error);
}

static int event(wfa_reply *reply, const json_t *data, wfa_error *error)
{
    return take(reply, data, "delta", error);
}

static int whole(wfa_reply *reply, const json_t *data, wfa_error *error)
{
    if (!json_object_get(data, "error") && !first_choice(data))
        return wfa_fail(error, "the reply is not a chat completion");
    return take(reply, data, "message", error);
}

static const char *const headers[] = {NULL};

const wfa_dialect wfa_openai = {
    .name = "openai",
    .base_url = "https://api.openai.com/v1",
    .path = "/chat/completions",
    .key_header = "authorization: Bearer ",
    .headers = headers,
    .max_tokens = 0,
    .body = body,
    .event = event,
    .whole = whole,
};
