/* Tasks of the protocol (revision 2025-11-25) are instances: a task's id is the instance's. So tasks are
 * there after the server has begun again. */
#include "wfsm/mcp.h"

#include <stdio.h>
#include <string.h>
#include "wfsm/asked.h"
#include "wfsm/print.h"

enum { POLL_MS = 1000 };
#define STOPPED_TEXT "2000" /* how long a cancelled task may take to end, in ms */

static const char related[] = "io.modelcontextprotocol/related-task";

/* ---- the object ---- */

static bool has_tag(const json_t *shown, const char *tag)
{
    const json_t *one;
    size_t index;
    json_array_foreach(json_object_get(shown, "tags"), index, one)
    {
        if (strcmp(json_string_value(one), tag) == 0)
            return true;
    }
    return false;
}

static bool asks(const json_t *shown)
{
    const json_t *one;
    size_t index;
    json_array_foreach(json_object_get(shown, "invocations"), index, one)
    {
        if (json_object_get(one, "digest"))
            return true;
    }
    return false;
}

static const char *status_of(const json_t *shown)
{
    const char *status = asked_text(shown, "status");
    if (strcmp(status, "stopped") == 0)
        return "cancelled";
    if (strcmp(status, "done") == 0)
        return has_tag(shown, "error") ? "failed" : "completed";
    return asks(shown) ? "input_required" : "working";
}

static bool is_terminal(const json_t *shown)
{
    return strcmp(asked_text(shown, "status"), "running") != 0;
}

static json_t *time_of(const json_t *shown, const char *key)
{
    char text[PRINT_TIME_BYTES];
    return json_string(print_time(json_integer_value(json_object_get(shown, key)), text));
}

static json_t *task_of(const json_t *shown)
{
    const json_t *states = json_object_get(shown, "configuration");
    char *text = cli_need(json_dumps(states, JSON_COMPACT | JSON_ENCODE_ANY));
    char *joined = print_joined(text, strlen(text), " ");
    json_t *task = cli_need(json_pack(
        "{s:s, s:s, s:o, s:o, s:o, s:n, s:i}", "taskId", asked_text(shown, "id"), "status",
        status_of(shown), "statusMessage", json_sprintf("at %s", joined ? joined : "?"),
        "createdAt", time_of(shown, "created"), "lastUpdatedAt", time_of(shown, "updated"),
        "ttl", "pollInterval", POLL_MS));
    free(joined);
    free(text);
    return task;
}

/* ---- one task ---- */

static void fail(mcp *self, const mcp_run *run)
{
    size_t length = run->failed.length;
    while (length > 0 && run->failed.data[length - 1] == '\n')
        length--;
    if (length == 0)
        mcp_fail(self, run->request, MCP_INTERNAL, "what the command printed cannot be read");
    else
        mcp_fail(self, run->request, MCP_PARAMS, "%.*s", (int)(length < 400 ? length : 400),
                 run->failed.data);
}

/* What `wfsm show --json` has printed; NULL after a failure was answered. */
static json_t *shown_of(mcp *self, const mcp_run *run, int code)
{
    json_t *shown = code == 0 ? json_loadb(run->said.data, run->said.length, 0, NULL) : NULL;
    if (!shown)
        fail(self, run);
    return shown;
}

static mcp_run *show(mcp *self, const json_t *request, const char *id,
                     void (*done)(mcp *, mcp_run *, int))
{
    mcp_run *run =
        mcp_start(self, request,
                  (const char *const[]){"show", "--json", "--", self->store, id, NULL}, NULL);
    if (run) {
        run->about = json_string(id);
        run->done = done;
    }
    return run;
}

static void tell_created(mcp *self, mcp_run *run, int code)
{
    json_t *shown = shown_of(self, run, code);
    if (shown)
        mcp_answer(self, run->request, json_pack("{s:o}", "task", task_of(shown)));
    json_decref(shown);
}

void mcp_task_started(mcp *self, mcp_run *run, int code)
{
    if (code != 0)
        fail(self, run);
    else
        show(self, run->request, json_string_value(run->about), tell_created);
}

static void tell_task(mcp *self, mcp_run *run, int code)
{
    json_t *shown = shown_of(self, run, code);
    if (shown)
        mcp_answer(self, run->request, task_of(shown));
    json_decref(shown);
}

static void show_ended(mcp *self, mcp_run *run, int code)
{
    (void)code; /* if nobody has ended it yet, the status says so */
    show(self, run->request, json_string_value(run->about), tell_task);
}

/* The owner ends it, in its next round. */
static void tell_stopped(mcp *self, mcp_run *run, int code)
{
    const char *id = json_string_value(run->about);
    mcp_run *next = NULL;
    if (code != 0)
        fail(self, run);
    else
        next = mcp_start(self, run->request,
                         (const char *const[]){"wait", "--timeout", STOPPED_TEXT, "--",
                                               self->store, id, NULL},
                         NULL);
    if (next) {
        next->about = json_string(id);
        next->done = show_ended;
    }
}

static void cancel_shown(mcp *self, mcp_run *run, int code)
{
    const char *id = json_string_value(run->about);
    json_t *shown = shown_of(self, run, code);
    mcp_run *next = NULL;
    if (shown && is_terminal(shown))
        mcp_fail(self, run->request, MCP_PARAMS, "the task %s has ended: %s", id,
                 status_of(shown));
    else if (shown)
        next = mcp_start(
            self, run->request,
            (const char *const[]){"stop", "--by", self->person, "--", self->store, id, NULL},
            NULL);
    if (next) {
        next->about = json_string(id);
        next->done = tell_stopped;
    }
    json_decref(shown);
}

/* ---- the result, when there is one ---- */

static void tell_result(mcp *self, mcp_run *run, int code)
{
    json_t *shown = shown_of(self, run, code), *result;
    if (!shown)
        return;
    result = mcp_result(run->said.data, strcmp(status_of(shown), "completed") != 0);
    json_object_set_new(result, "_meta", json_pack("{s:{s:O}}", related, "taskId", run->about));
    mcp_answer(self, run->request, result);
    json_decref(shown);
}

static void show_result(mcp *self, mcp_run *run, int code)
{
    if (code != 0)
        fail(self, run);
    else
        show(self, run->request, json_string_value(run->about), tell_result);
}

void mcp_task_wait(mcp *self, const json_t *request, const char *id)
{
    mcp_run *run = mcp_start(self, request,
                             (const char *const[]){"wait", "--", self->store, id, NULL}, NULL);
    if (!run)
        return;
    run->about = json_string(id);
    run->waits = true;
    run->done = show_result;
}

/* A person at the client is asked what the task waits for; once for each request. */
static void ask_or_wait(mcp *self, mcp_run *run, int code)
{
    const char *id = json_string_value(run->about);
    json_t *shown = shown_of(self, run, code);
    if (shown && !is_terminal(shown) && asks(shown))
        mcp_ask_for_task(self, run->request, id);
    else if (shown)
        mcp_task_wait(self, run->request, id);
    json_decref(shown);
}

static void show_or_ask(mcp *self, const json_t *request, const char *id)
{
    if (self->can_ask && !self->read_only)
        show(self, request, id, ask_or_wait);
    else
        mcp_task_wait(self, request, id);
}

/* ---- the list ---- */

/* The task that an invocation "INSTANCE/REVISION/ORDINAL-…" belongs to. */
static bool belongs_to(const json_t *asked, const char *task)
{
    const char *id = asked_text(asked, "id");
    size_t length = strlen(task);
    return strncmp(id, task, length) == 0 && id[length] == '/' &&
           strcspn(id + length + 1, "/") + length + 1 < strlen(id) &&
           !strchr(strchr(id + length + 1, '/') + 1, '/');
}

static void note_asking(json_t *tasks, const json_t *asked)
{
    json_t *task;
    size_t index;
    json_array_foreach(tasks, index, task)
    {
        if (belongs_to(asked, asked_text(task, "taskId")))
            json_object_set_new(task, "status", json_string("input_required"));
    }
}

/* If they cannot be read, what is known is told. */
static void tell_asking(mcp *self, mcp_run *run, int code)
{
    json_t *all = json_loadb(run->said.data ? run->said.data : "", run->said.length, 0, NULL);
    json_t *tasks = json_object_get(run->about, "tasks"), *asked;
    size_t index;
    (void)code;
    json_array_foreach(all, index, asked) note_asking(tasks, asked);
    mcp_answer(self, run->request, json_incref(run->about));
    json_decref(all);
}

/* The list of instances does not say which of them ask people. */
static void find_asking(mcp *self, const json_t *request, json_t *result)
{
    const char *words[MCP_PAGE + 5] = {"approvals", "--json", "--", self->store};
    size_t count = 4, index;
    json_t *task;
    mcp_run *run;
    json_array_foreach(json_object_get(result, "tasks"), index, task)
    {
        if (strcmp(asked_text(task, "status"), "working") == 0)
            words[count++] = asked_text(task, "taskId");
    }
    if (count == 4) {
        mcp_answer(self, request, result);
        return;
    }
    run = mcp_start(self, request, words, NULL);
    if (run) {
        run->about = result;
        run->done = tell_asking;
    } else
        json_decref(result);
}

static void tell_list(mcp *self, mcp_run *run, int code)
{
    json_t *all = shown_of(self, run, code), *one, *tasks, *result;
    size_t index;
    if (!all)
        return;
    tasks = cli_need(json_array());
    json_array_foreach(all, index, one)
    {
        if (index < MCP_PAGE)
            json_array_append_new(tasks, task_of(one));
    }
    result = json_pack("{s:o}", "tasks", tasks);
    mcp_add_cursor(result, all);
    find_asking(self, run->request, result);
    json_decref(all);
}

static void list(mcp *self, const json_t *request, const json_t *params)
{
    mcp_run *run = mcp_list(self, request, params);
    if (run)
        run->done = tell_list;
}

void mcp_tasks(mcp *self, const json_t *request, const char *method, const json_t *params)
{
    const char *id;
    if (strcmp(method, "tasks/list") == 0) {
        list(self, request, params);
        return;
    }
    if (strcmp(method, "tasks/get") != 0 && strcmp(method, "tasks/result") != 0 &&
        strcmp(method, "tasks/cancel") != 0) {
        mcp_fail(self, request, MCP_METHOD, "there is no method %s", method);
        return;
    }
    id = mcp_text(self, request, params, "taskId");
    if (!id)
        return;
    if (strcmp(method, "tasks/get") == 0)
        show(self, request, id, tell_task);
    else if (strcmp(method, "tasks/result") == 0)
        show_or_ask(self, request, id);
    else if (self->read_only)
        mcp_fail(self, request, MCP_REQUEST, "this server only reads");
    else
        show(self, request, id, cancel_shown);
}
