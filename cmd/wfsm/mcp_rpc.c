#include "wfsm/mcp.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "wfsm/shown.h"

/* ---- out ---- */

void mcp_write(mcp *self, json_t *message)
{
    rpc_write(&self->rpc, message);
}

void mcp_answer(mcp *self, const json_t *request, json_t *result)
{
    rpc_answer(&self->rpc, request, result);
}

void mcp_fail(mcp *self, const json_t *request, int code, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    rpc_vfail(&self->rpc, request, code, format, list);
    va_end(list);
}

void mcp_refuse(mcp *self, const json_t *request, const char *format, ...)
{
    va_list list;
    char said[512];
    va_start(list, format);
    if (!self->in_tool || !self->has_tasks) {
        rpc_vfail(&self->rpc, request, MCP_PARAMS, format, list);
    } else {
        vsnprintf(said, sizeof said, format, list);
        mcp_answer(self, request, mcp_result(said, true));
    }
    va_end(list);
}

/* ---- params ---- */

const char *mcp_optional(mcp *self, const json_t *request, const json_t *params,
                         const char *key, bool *fine)
{
    const json_t *value = json_object_get(params, key);
    const char *text = json_string_value(value);
    *fine = !value || (text && *text && strlen(text) == json_string_length(value));
    if (!*fine)
        mcp_refuse(self, request, "%s: expected a text that is not empty", key);
    return *fine ? text : NULL;
}

const char *mcp_text(mcp *self, const json_t *request, const json_t *params, const char *key)
{
    bool fine;
    const char *text = mcp_optional(self, request, params, key, &fine);
    if (fine && !text)
        mcp_refuse(self, request, "%s is missing", key);
    return text;
}

/* ---- the beginning ---- */

static void initialize(mcp *self, const json_t *request, const json_t *params)
{
    const char *asked = mcp_text(self, request, params, "protocolVersion");
    const json_t *client = json_object_get(params, "capabilities");
    if (!asked)
        return;
    const char *revision = rpc_revision(asked);
    self->greeted = true;
    self->has_tasks = rpc_is_newest(revision);
    self->can_ask = json_is_object(json_object_get(client, "elicitation"));
    json_t *capabilities = cli_need(json_pack("{s:{}, s:{}}", "tools", "resources"));
    if (self->has_tasks)
        json_object_set_new(capabilities, "tasks",
                            json_pack("{s:{}, s:{}, s:{s:{s:{}}}}", "list", "cancel",
                                      "requests", "tools", "call"));
    mcp_answer(
        self, request,
        json_pack("{s:s, s:o, s:{s:s, s:s}, s:s}", "protocolVersion", revision, "capabilities",
                  capabilities, "serverInfo", "name", "wfsm", "version", wfsm_version(),
                  "instructions",
                  "Durable workflows. A start_ tool starts one; state and wait say where "
                  "it is; send gives it an event; ask has the person at this client "
                  "decide what it asks. check, verify and simulate examine a machine "
                  "document before it is used."));
}

/* ---- in ---- */

static bool begins_with(const char *text, const char *word)
{
    return strncmp(text, word, strlen(word)) == 0;
}

static void dispatch(void *user, const json_t *request, const char *method,
                     const json_t *params)
{
    mcp *self = user;
    if (strcmp(method, "ping") == 0)
        mcp_answer(self, request, json_object());
    else if (strcmp(method, "initialize") == 0 && !self->greeted)
        initialize(self, request, params);
    else if (strcmp(method, "initialize") == 0 || !self->greeted)
        mcp_fail(self, request, MCP_REQUEST, "%s: expected %s", method,
                 self->greeted ? "one initialize" : "initialize first");
    else if (strcmp(method, "tools/list") == 0)
        mcp_tools_list(self, request, params);
    else if (strcmp(method, "tools/call") == 0)
        mcp_tools_call(self, request, params);
    else if (begins_with(method, "resources/"))
        mcp_resources(self, request, method, params);
    else if (begins_with(method, "tasks/") && self->has_tasks)
        mcp_tasks(self, request, method, params);
    else
        mcp_fail(self, request, MCP_METHOD, "there is no method %s", method);
}

static void notice(void *user, const char *method, const json_t *params)
{
    mcp *self = user;
    if (strcmp(method, "notifications/initialized") == 0)
        self->ready = true;
    else if (strcmp(method, "notifications/cancelled") == 0) {
        mcp_cancel(self, json_object_get(params, "requestId"));
        mcp_withdraw(self, json_object_get(params, "requestId"));
    }
}

static void answered(void *user, const json_t *message)
{
    mcp_answered(user, message);
}

void mcp_begin(mcp *self, FILE *out)
{
    self->rpc = (rpc){
        .out = out, .user = self, .request = dispatch, .notice = notice, .answered = answered};
}
