/* Anthropic's Messages API. */
#include <string.h>

#include "chat.h"

static json_t *body(const wfa_chat_request *request)
{
    json_t *made =
        json_pack("{s:s, s:I, s:b, s:[{s:s, s:s}]}", "model", request->model, "max_tokens",
                  (json_int_t)request->max_tokens, "stream", request->stream, "messages",
                  "role", "user", "content", request->prompt);

    if (made && request->system &&
        json_object_set_new(made, "system", json_string(request->system)) != 0) {
        json_decref(made);
        return NULL;
    }
    return made;
}

/* What was read from a cache, or written to one, was read, too. */
static void count(wfa_reply *reply, const json_t *usage)
{
    int64_t fresh = wfa_reply_tokens(usage, "input_tokens", -1);

    if (fresh >= 0)
        reply->input_tokens = fresh +
                              wfa_reply_tokens(usage, "cache_creation_input_tokens", 0) +
                              wfa_reply_tokens(usage, "cache_read_input_tokens", 0);
    reply->output_tokens = wfa_reply_tokens(usage, "output_tokens", reply->output_tokens);
}

static void stop(wfa_reply *reply, const json_t *reason)
{
    const char *text = json_string_value(reason);

    if (!text)
        return;
    if (strcmp(text, "end_turn") == 0 || strcmp(text, "stop_sequence") == 0)
        wfa_reply_end(reply, WFA_REPLY_WHOLE, text);
    else
        wfa_reply_end(reply, WFA_REPLY_CUT, text);
}

static int is_kind(const json_t *object, const char *kind)
{
    const char *type = json_string_value(json_object_get(object, "type"));

    return type && strcmp(type, kind) == 0;
}

static int add_block(wfa_reply *reply, const json_t *block, wfa_error *error)
{
    return is_kind(block, "text") ? wfa_reply_add(reply, json_object_get(block, "text"), error)
                                  : 0;
}

static int add_delta(wfa_reply *reply, const json_t *delta, wfa_error *error)
{
    return is_kind(delta, "text_delta")
               ? wfa_reply_add(reply, json_object_get(delta, "text"), error)
               : 0;
}

/* Kinds that are not known (ping, and what may come yet) are skipped: the service says so. */
static int event(wfa_reply *reply, const json_t *data, wfa_error *error)
{
    const json_t *delta = json_object_get(data, "delta");

    if (is_kind(data, "message_start"))
        count(reply, json_object_get(json_object_get(data, "message"), "usage"));
    if (is_kind(data, "content_block_start"))
        return add_block(reply, json_object_get(data, "content_block"), error);
    if (is_kind(data, "content_block_delta"))
        return add_delta(reply, delta, error);
    if (is_kind(data, "message_delta")) {
        count(reply, json_object_get(data, "usage"));
        stop(reply, json_object_get(delta, "stop_reason"));
    }
    if (is_kind(data, "error"))
        wfa_reply_fail(reply, json_object_get(data, "error"));
    reply->over = reply->over || is_kind(data, "message_stop");
    return 0;
}

static int whole(wfa_reply *reply, const json_t *data, wfa_error *error)
{
    const json_t *block;
    size_t index;

    if (is_kind(data, "error")) {
        wfa_reply_fail(reply, json_object_get(data, "error"));
        return 0;
    }
    if (!is_kind(data, "message"))
        return wfa_fail(error, "the reply is not a message of the Messages API");
    json_array_foreach(json_object_get(data, "content"), index,
                       block) if (add_block(reply, block, error) != 0) return -1;
    count(reply, json_object_get(data, "usage"));
    stop(reply, json_object_get(data, "stop_reason"));
    return 0;
}

static const char *const headers[] = {"anthropic-version: 2023-06-01", NULL};

const wfa_dialect wfa_anthropic = {
    .name = "anthropic",
    .base_url = "https://api.anthropic.com",
    .path = "/v1/messages",
    .key_header = "x-api-key: ",
    .headers = headers,
    .max_tokens = 8192,
    .body = body,
    .event = event,
    .whole = whole,
};
