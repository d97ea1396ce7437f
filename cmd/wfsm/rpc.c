#include "wfsm/rpc.h"

#include <stdarg.h>
#include <string.h>
#include "wfsm/shown.h"

/* The newest first. */
static const char *const revisions[] = {"2025-11-25", "2025-06-18"};
enum { REVISIONS = sizeof revisions / sizeof *revisions };

const char *rpc_revision(const char *asked)
{
    for (size_t i = 0; i < REVISIONS; i++)
        if (strcmp(asked, revisions[i]) == 0)
            return revisions[i];
    return revisions[0];
}

bool rpc_is_newest(const char *revision)
{
    return strcmp(revision, revisions[0]) == 0;
}

/* ---- out ---- */

void rpc_write(rpc *self, json_t *message)
{
    shown_json(cli_need(message), self->out, JSON_COMPACT);
    shown_fputs("\n", self->out);
    fflush(self->out);
    json_decref(message);
}

void rpc_answer(rpc *self, const json_t *id, json_t *result)
{
    if (id)
        rpc_write(self, json_pack("{s:s, s:O, s:O}", "jsonrpc", "2.0", "id", id, "result",
                                  cli_need(result)));
    json_decref(result);
}

void rpc_vfail(rpc *self, const json_t *id, int code, const char *format, va_list list)
{
    char text[512];
    vsnprintf(text, sizeof text, format, list);
    json_t *message = json_string(text);
    /* A text that was cut may end within a character. */
    for (size_t length = strlen(text); !message && length > 0; message = json_string(text))
        text[--length] = '\0';
    rpc_write(self, json_pack("{s:s, s:o, s:{s:i, s:o}}", "jsonrpc", "2.0", "id",
                              id ? json_deep_copy(id) : json_null(), "error", "code", code,
                              "message", cli_need(message)));
}

void rpc_fail(rpc *self, const json_t *id, int code, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    rpc_vfail(self, id, code, format, list);
    va_end(list);
}

void rpc_free(rpc *self)
{
    cli_text_free(&self->line);
}

/* ---- in ---- */

static bool is_id(const json_t *id)
{
    return json_is_string(id) || json_is_integer(id);
}

static void take_message(rpc *self, const json_t *message)
{
    const json_t *id = json_object_get(message, "id"),
                 *named = json_object_get(message, "method");
    const json_t *params = json_object_get(message, "params");
    const char *version = json_string_value(json_object_get(message, "jsonrpc"));
    const char *method = json_string_value(named);
    bool is_answer = is_id(id) && !named &&
                     (json_object_get(message, "result") || json_object_get(message, "error"));
    if (!json_is_object(message) || !version || strcmp(version, "2.0") != 0 ||
        (id && !is_id(id)) || (params && !json_is_object(params)) || (!method && !is_answer))
        rpc_fail(
            self, is_id(id) ? id : NULL, RPC_REQUEST,
            "expected one message of JSON-RPC 2.0, a request, a notification or an answer");
    else if (is_answer)
        self->answered(self->user, message);
    else if (id)
        self->request(self->user, id, method, params);
    else
        self->notice(self->user, method, params);
}

static void take_line(rpc *self)
{
    json_error_t error;
    json_t *message;
    if (self->line_is_long) {
        rpc_fail(self, NULL, RPC_REQUEST, "a message has more than %d bytes", RPC_MESSAGE);
    } else if (self->line.length > strspn(self->line.data ? self->line.data : "", " \t\r")) {
        message = json_loadb(self->line.data, self->line.length,
                             JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, &error);
        if (message)
            take_message(self, message);
        else
            rpc_fail(self, NULL, RPC_PARSE, "%s", error.text);
        json_decref(message);
    }
    self->line_is_long = false;
    self->line.length = 0;
}

void rpc_take(rpc *self, const char *bytes, size_t length)
{
    while (length > 0) {
        const char *end = memchr(bytes, '\n', length);
        size_t part = end ? (size_t)(end - bytes) : length;
        if (self->line.length + part > RPC_MESSAGE)
            self->line_is_long = true;
        if (self->line_is_long)
            self->line.length = 0;
        else
            cli_text_add(&self->line, bytes, part);
        if (end)
            take_line(self);
        part += end != NULL;
        bytes += part;
        length -= part;
    }
}
