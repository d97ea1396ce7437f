/* agentd mcp: the Model Context Protocol on standard input and output. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agentd.h"
#include "mcp_tools.h"

static const char instructions[] =
    "Spec-driven changes to the project in the current folder. read_document shows what a "
    "change's agents and people have written. A proposer writes its files by write_document, "
    "which checks their format at once.";

static void initialize(mcp_tools *self, const json_t *request, const json_t *params)
{
    const char *asked = json_string_value(json_object_get(params, "protocolVersion"));

    if (!asked) {
        rpc_fail(&self->rpc, request, RPC_PARAMS, "protocolVersion: expected a text");
        return;
    }
    rpc_answer(&self->rpc, request,
               json_pack("{s:s, s:{s:{}}, s:{s:s, s:s}, s:s}", "protocolVersion",
                         rpc_revision(asked), "capabilities", "tools", "serverInfo", "name",
                         "agentd", "version", wfsm_version(), "instructions", instructions));
}

static void take_request(void *user, const json_t *request, const char *method,
                         const json_t *params)
{
    mcp_tools *self = user;

    if (strcmp(method, "initialize") == 0)
        initialize(self, request, params);
    else if (strcmp(method, "ping") == 0)
        rpc_answer(&self->rpc, request, json_object());
    else if (strcmp(method, "tools/list") == 0)
        mcp_tools_list(self, request);
    else if (strcmp(method, "tools/call") == 0)
        mcp_tools_call(self, request, params);
    else
        rpc_fail(&self->rpc, request, RPC_METHOD, "there is no method %s", method);
}

static void ignore_notice(void *user, const char *method, const json_t *params)
{
    (void)user, (void)method, (void)params;
}

static void ignore_answer(void *user, const json_t *message)
{
    (void)user, (void)message;
}

/* An agent of a change has nothing to do with other changes: its invocation's id, "CHANGE/…", says which. */
static char *only_change(const arguments *given)
{
    const char *invocation = getenv("WFSM_INVOCATION_ID");

    if (given->id)
        return strdup(given->id);
    return invocation ? strndup(invocation, strcspn(invocation, "/")) : NULL;
}

/* Nothing but answers may come to standard output. */
static FILE *take_output(void)
{
    int out = dup(STDOUT_FILENO);

    if (out < 0 || dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
        return NULL;
    return fdopen(out, "w");
}

static void serve(mcp_tools *self)
{
    char bytes[1 << 16];
    ssize_t got;

    while ((got = read(STDIN_FILENO, bytes, sizeof bytes)) > 0)
        rpc_take(&self->rpc, bytes, (size_t)got);
}

int cmd_mcp(const arguments *given)
{
    place at;
    int code = place_find(&at);
    mcp_tools self = {.at = &at};

    if (code == END_DONE)
        code = place_configure(&at);
    if (code == END_DONE) {
        self.change = only_change(given);
        self.rpc = (rpc){.out = take_output(),
                         .user = &self,
                         .request = take_request,
                         .notice = ignore_notice,
                         .answered = ignore_answer};
        if (self.rpc.out)
            serve(&self);
        else
            code = END_STORE;
    }
    if (self.rpc.out)
        (void)fclose(self.rpc.out);
    rpc_free(&self.rpc);
    free(self.change);
    place_clear(&at);
    return code;
}
