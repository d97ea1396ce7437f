#include "chat.h"

#include <stdio.h>
#include <string.h>

#include "../base/invariant.h"

void wfa_reply_begin(wfa_reply *reply, const wfa_dialect *dialect, size_t limit)
{
    memset(reply, 0, sizeof *reply);
    reply->dialect = dialect;
    reply->limit = limit;
    reply->input_tokens = -1;
    reply->output_tokens = -1;
}

void wfa_reply_free(wfa_reply *reply)
{
    wfa_text_free(&reply->text);
}

/* Not in the middle of a character. */
static void copy_cut(char *to, size_t room, const char *from)
{
    size_t length = strlen(from);

    if (length >= room) {
        length = room - 1;
        while (length > 0 && ((unsigned char)from[length] & 0xC0) == 0x80)
            length--;
    }
    WF_INVARIANT(length < room);
    memcpy(to, from, length);
    to[length] = '\0';
}

/* ---- pieces that the dialects share ---- */

int wfa_reply_add(wfa_reply *reply, const json_t *text, wfa_error *error)
{
    size_t length = json_string_length(text);

    if (!json_is_string(text))
        return 0;
    if (length > reply->limit || reply->text.length > reply->limit - length)
        return wfa_fail(error, "the answer is longer than %zu bytes", reply->limit);
    if (wfa_text_add(&reply->text, json_string_value(text), length) != 0)
        return wfa_no_memory(error);
    WF_INVARIANT(reply->text.length <= reply->limit);
    return 0;
}

void wfa_reply_end(wfa_reply *reply, wfa_reply_state state, const char *why)
{
    WF_INVARIANT(state == WFA_REPLY_WHOLE || state == WFA_REPLY_CUT); /* no failure_class */
    reply->state = state;
    copy_cut(reply->why, sizeof reply->why, why ? why : "");
}

int64_t wfa_reply_tokens(const json_t *usage, const char *key, int64_t fallback)
{
    const json_t *count = json_object_get(usage, key);

    if (!json_is_integer(count) || json_integer_value(count) < 0)
        return fallback;
    return (int64_t)json_integer_value(count);
}

/* ---- errors in the service's words ---- */

static const char *class_of(const char *type)
{
    static const struct {
        const char *type, *failure_class;
    } known[] = {
        {"overloaded_error", "network"},  {"rate_limit_error", "network"},
        {"api_error", "network"},         {"timeout_error", "network"},
        {"server_error", "network"},      {"rate_limit_exceeded", "network"},
        {"requests", "network"},          {"tokens", "network"},
        {"authentication_error", "auth"}, {"permission_error", "auth"},
        {"invalid_api_key", "auth"},
    };
    size_t index;

    for (index = 0; index < sizeof known / sizeof *known; index++)
        if (strcmp(known[index].type, type) == 0)
            return known[index].failure_class;
    return "other";
}

static const char *string_at(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));

    return text ? text : "";
}

static void describe(const json_t *error_object, char *text, size_t room)
{
    const char *type = string_at(error_object, "type");
    const char *message = json_is_string(error_object) ? json_string_value(error_object)
                                                       : string_at(error_object, "message");
    char whole[512];

    if (*type && *message)
        (void)snprintf(whole, sizeof whole, "%.60s: %.400s", type, message);
    else
        (void)snprintf(whole, sizeof whole, "%.400s", *message ? message : type);
    wfa_text_make_plain(whole, strlen(whole));
    copy_cut(text, room, whole);
}

void wfa_reply_fail(wfa_reply *reply, const json_t *error_object)
{
    const char *class = class_of(string_at(error_object, "type"));

    if (strcmp(class, "other") == 0)
        class = class_of(string_at(error_object, "code"));
    reply->state = WFA_REPLY_FAILED;
    reply->failure_class = class;
    describe(error_object, reply->why, sizeof reply->why);
    if (!reply->why[0])
        (void)snprintf(reply->why, sizeof reply->why, "an error without words");
    reply->over = 1;
}

void wfa_reply_error_text(const char *data, size_t length, char *text, size_t room)
{
    json_t *read = json_loadb(data, length, JSON_DECODE_ANY, NULL);
    const json_t *error_object = json_object_get(read, "error");

    text[0] = '\0';
    if (error_object)
        describe(error_object, text, room);
    json_decref(read);
}

/* ---- reading ---- */

/* What is quoted of a stranger's bytes: the parser's words, never theirs. */
static int fail_json(const char *what, const json_error_t *why, wfa_error *error)
{
    return wfa_fail(error, "%s is not JSON: %s at byte %d", what,
                    json_error_code(why) == json_error_invalid_utf8 ? "invalid UTF-8"
                    : json_error_code(why) == json_error_premature_end_of_input
                        ? "it ends too early"
                        : "a syntax error",
                    why->position);
}

static int read_object(wfa_reply *reply, const char *what, const char *data, size_t length,
                       int (*take)(wfa_reply *, const json_t *, wfa_error *), wfa_error *error)
{
    json_error_t why = {.position = 0};
    json_t *read = json_loadb(data, length, JSON_DECODE_ANY, &why);
    int answer;

    if (!read)
        return fail_json(what, &why, error);
    answer = json_is_object(read) ? take(reply, read, error)
                                  : wfa_fail(error, "%s is not a JSON object", what);
    json_decref(read);
    return answer;
}

int wfa_reply_event(wfa_reply *reply, const char *data, size_t length, wfa_error *error)
{
    if (length == 6 && memcmp(data, "[DONE]", 6) == 0) {
        reply->over = 1;
        return 0;
    }
    return read_object(reply, "an event of the stream", data, length, reply->dialect->event,
                       error);
}

int wfa_reply_whole(wfa_reply *reply, const char *data, size_t length, wfa_error *error)
{
    reply->over = 1;
    return read_object(reply, "the reply", data, length, reply->dialect->whole, error);
}
