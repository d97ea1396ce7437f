#include "wfsm/mcp.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "wfsm/forked.h"

/* ---- results ---- */

json_t *mcp_result(const char *text, bool is_error)
{
    json_t *object = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
    json_t *string = json_string(text);
    json_t *result =
        cli_need(json_pack("{s:[{s:s, s:o}], s:b}", "content", "type", "text", "text",
                           string ? string : json_string("?"), "isError", is_error));
    if (json_is_object(object))
        json_object_set(result, "structuredContent", object);
    json_decref(object);
    return result;
}

/* What a command says about a failure names it. */
void mcp_tell(mcp *self, mcp_run *run, int code)
{
    cli_text both = {0};
    cli_text_add(&both, "", 0);
    if (run->said.length > 0)
        cli_text_add(&both, run->said.data, run->said.length);
    if (run->failed.length > 0 && (code != 0 || run->said.length == 0))
        cli_text_add(&both, run->failed.data, run->failed.length);
    mcp_answer(self, run->request, mcp_result(both.data ? both.data : "", code != 0));
    cli_text_free(&both);
}

/* After something was done, the state shows what came of it. */
static void show_after(mcp *self, mcp_run *run, int code)
{
    const char *id = json_string_value(run->about);
    mcp_run *next = NULL;
    if (code != 0 || !id) {
        mcp_tell(self, run, code);
        return;
    }
    next =
        mcp_start(self, run->request,
                  (const char *const[]){"show", "--json", "--", self->store, id, NULL}, NULL);
    if (next)
        next->done = mcp_tell;
}

/* ---- the tools that are about instances ---- */

static char *text_of(const json_t *value)
{
    return value ? cli_need(json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY)) : NULL;
}

static void then_show(mcp_run *run, const char *id)
{
    if (!run)
        return;
    run->about = json_string(id);
    run->done = show_after;
}

static void start(mcp *self, const json_t *request, const mcp_machine *machine,
                  const json_t *given, const json_t *task)
{
    const char *id = mcp_text(self, request, given, "id");
    const json_t *input = json_object_get(given, "input");
    if (!id)
        return;
    if (input && !json_is_object(input)) {
        mcp_refuse(self, request, "input: expected an object");
        return;
    }
    char *text = input ? text_of(input) : cli_need(strdup("{}"));
    const char *const words[] = {"start",     "--input",     text, "--",
                                 self->store, machine->path, id,   NULL};
    mcp_run *run = mcp_start(self, request, words, NULL);
    then_show(run, id);
    if (run && task)
        run->done = mcp_task_started;
    free(text);
}

static void send(mcp *self, const json_t *request, const json_t *given)
{
    bool fine;
    const char *id = mcp_text(self, request, given, "id");
    const char *event = id ? mcp_text(self, request, given, "event") : NULL;
    const char *once = event ? mcp_optional(self, request, given, "eventId", &fine) : NULL;
    if (!event || !fine)
        return;
    char *data = text_of(json_object_get(given, "data"));
    const char *const words[] = {"send",
                                 "--by",
                                 self->person,
                                 once ? "--id" : "--",
                                 once ? once : self->store,
                                 once ? "--" : id,
                                 once ? self->store : event,
                                 once ? id : data,
                                 once ? event : NULL,
                                 once ? data : NULL,
                                 NULL};
    then_show(mcp_start(self, request, words, NULL), id);
    free(data);
}

static void simple(mcp *self, const json_t *request, const char *const *words)
{
    mcp_run *run = mcp_start(self, request, words, NULL);
    if (run)
        run->done = mcp_tell;
}

static void state(mcp *self, const json_t *request, const json_t *given)
{
    const char *id = mcp_text(self, request, given, "id");
    if (id)
        simple(self, request,
               (const char *const[]){"show", "--json", "--", self->store, id, NULL});
}

/* An end that was not reached is no failure: the state says where it is. */
static void show_in_any_case(mcp *self, mcp_run *run, int code)
{
    show_after(self, run, run->failed.length > 0 ? code : 0);
}

enum { WAIT_MS = 60000, MOST_WAIT_MS = 3600000 };

static void wait_for(mcp *self, const json_t *request, const json_t *given)
{
    bool fine;
    char time[32];
    const json_t *most = json_object_get(given, "timeoutMs");
    const char *id = mcp_text(self, request, given, "id");
    const char *at = id ? mcp_optional(self, request, given, "state", &fine) : NULL;
    if (!id || !fine)
        return;
    if (most && (!json_is_integer(most) || json_integer_value(most) < 1 ||
                 json_integer_value(most) > MOST_WAIT_MS)) {
        mcp_refuse(self, request, "timeoutMs: expected 1 to %d", MOST_WAIT_MS);
        return;
    }
    snprintf(time, sizeof time, "%lld",
             most ? (long long)json_integer_value(most) : (long long)WAIT_MS);
    const char *const words[] = {"wait",
                                 "--asked",
                                 "--timeout",
                                 time,
                                 at ? "--state" : "--",
                                 at ? at : self->store,
                                 at ? "--" : id,
                                 at ? self->store : NULL,
                                 id,
                                 NULL};
    mcp_run *run = mcp_start(self, request, words, NULL);
    then_show(run, id);
    if (run) {
        run->done = show_in_any_case;
        run->waits = true;
    }
}

static void stop(mcp *self, const json_t *request, const json_t *given)
{
    const char *id = mcp_text(self, request, given, "id");
    if (id)
        simple(
            self, request,
            (const char *const[]){"stop", "--by", self->person, "--", self->store, id, NULL});
}

enum { MOST_LISTED = 1000 };

static void list(mcp *self, const json_t *request, const json_t *given)
{
    static const char *const keys[] = {"machine", "tag", "status", "project", "where", "after"};
    static const char *const options[] = {"--machine", "--tag",   "--status",
                                          "--project", "--where", "--after"};
    const char *words[20] = {"list", "--json", "--limit"};
    char limit[32];
    const json_t *most = json_object_get(given, "limit");
    size_t count = 3;
    if (most && (!json_is_integer(most) || json_integer_value(most) < 1 ||
                 json_integer_value(most) > MOST_LISTED)) {
        mcp_refuse(self, request, "limit: expected 1 to %d", MOST_LISTED);
        return;
    }
    snprintf(limit, sizeof limit, "%lld",
             most ? (long long)json_integer_value(most) : (long long)MCP_PAGE);
    words[count++] = limit;
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        bool fine;
        const char *text = mcp_optional(self, request, given, keys[i], &fine);
        if (!fine)
            return;
        if (text) {
            words[count++] = options[i];
            words[count++] = text;
        }
    }
    words[count++] = "--";
    words[count++] = self->store;
    simple(self, request, words);
}

/* ---- the tools that examine a document ---- */

/* A document is given as an object or as a text. */
static char *document_file(mcp *self, const json_t *request, const json_t *given)
{
    const json_t *document = json_object_get(given, "document");
    char *made = json_is_object(document) ? text_of(document) : NULL, *path = NULL;
    const char *text = made ? made : json_string_value(document);
    if (!text)
        mcp_refuse(self, request, "document: expected a machine document, an object or a text");
    else if (!(path = forked_file(text, strlen(text))))
        mcp_fail(self, request, MCP_INTERNAL, "no temporary file can be made");
    free(made);
    return path;
}

static void examine(mcp *self, const json_t *request, char *path, const char *const *words,
                    const char *input)
{
    mcp_run *run = mcp_start(self, request, words, input);
    if (!run) {
        remove(path);
        free(path);
        return;
    }
    run->file = path;
    run->done = mcp_tell;
    run->waits = true;
}

static void check(mcp *self, const json_t *request, const json_t *given)
{
    char *path = document_file(self, request, given);
    if (path)
        examine(self, request, path, (const char *const[]){"check", "--", path, NULL}, NULL);
}

static void verify(mcp *self, const json_t *request, const json_t *given)
{
    char *path = document_file(self, request, given);
    if (path)
        examine(self, request, path,
                (const char *const[]){"verify", "--time", "20", "--", path, NULL}, NULL);
}

/* The script of `wfsm simulate`, a line for each step. */
static void simulate(mcp *self, const json_t *request, const json_t *given)
{
    const json_t *lines = json_object_get(given, "script"), *line;
    cli_text script = {0};
    size_t index;
    char *path;
    if (!json_is_array(lines)) {
        mcp_refuse(self, request, "script: expected a list of objects");
        return;
    }
    cli_text_add(&script, "", 0);
    json_array_foreach(lines, index, line)
    {
        char *text = text_of(line);
        cli_text_add(&script, text, strlen(text));
        cli_text_add(&script, "\n", 1);
        free(text);
    }
    path = document_file(self, request, given);
    if (path)
        examine(self, request, path, (const char *const[]){"simulate", "--", path, NULL},
                script.data);
    cli_text_free(&script);
}

/* ---- the list ---- */

/* A tool that writes is not there in read-only mode. The schema is that of its arguments. */
static const struct {
    const char *name, *told, *properties, *required;
    void (*call)(mcp *self, const json_t *request, const json_t *given);
    bool writes;
} tools[] = {
    {"state", "Shows an instance: states, context, invocations, timers and more.",
     "{\"id\": {\"type\": \"string\"}}", "[\"id\"]", state, false},
    {"list",
     "Lists instances of the store in the order of their ids, 100 unless `limit` says another "
     "number. What follows comes with the last id as `after`.",
     "{\"machine\": {\"type\": \"string\"}, \"tag\": {\"type\": \"string\"}, \"status\": {\"enum\": "
     "[\"running\", \"done\"]}, \"project\": {\"type\": \"string\"}, \"where\": {\"type\": "
     "\"string\", \"description\": \"a condition on an attribute, such as amount>1000\"}, \"after\": "
     "{\"type\": \"string\"}, \"limit\": {\"type\": \"integer\", \"minimum\": 1, \"maximum\": 1000, "
     "\"default\": 100}}",
     "[]", list, false},
    {"wait",
     "Waits until an instance has ended, asks a person, or is in a state, and shows it. After "
     "the timeout it is shown as it is.",
     "{\"id\": {\"type\": \"string\"}, \"state\": {\"type\": \"string\"}, \"timeoutMs\": {\"type\": "
     "\"integer\", \"minimum\": 1, \"maximum\": 3600000, \"default\": 60000}}",
     "[\"id\"]", wait_for, false},
    {"check", "Checks a machine document: its errors and warnings, with their places.",
     "{\"document\": {\"type\": [\"object\", \"string\"]}}", "[\"document\"]", check, false},
    {"verify",
     "Verifies a machine document: its properties, deadlocks, and what never happens, with "
     "counterexamples.",
     "{\"document\": {\"type\": [\"object\", \"string\"]}}", "[\"document\"]", verify, false},
    {"simulate",
     "Plays a script against a machine document, a line of output for each line: {\"event\": "
     "NAME, \"data\": …}, {\"advance\": MS}, {\"done\": INVOCATION, \"output\": …}, {\"failed\": INVOCATION}.",
     "{\"document\": {\"type\": [\"object\", \"string\"]}, \"script\": {\"type\": \"array\", "
     "\"items\": {\"type\": \"object\"}}}",
     "[\"document\", \"script\"]", simulate, false},
    {"send", "Sends an event to an instance, and shows it afterwards.",
     "{\"id\": {\"type\": \"string\"}, \"event\": {\"type\": \"string\"}, \"data\": {}, "
     "\"eventId\": {\"type\": \"string\", \"description\": \"an event with a known id is not "
     "taken again\"}}",
     "[\"id\", \"event\"]", send, true},
    {"ask",
     "Has the person at this client decide what an instance asks people. The person sees what "
     "the decision is about.",
     "{\"id\": {\"type\": \"string\"}, \"invocation\": {\"type\": \"string\", \"description\": \"if "
     "it asks more than one thing\"}}",
     "[\"id\"]", mcp_ask, true},
    {"stop", "Ends an instance.", "{\"id\": {\"type\": \"string\"}}", "[\"id\"]", stop, true},
};
enum { TOOLS = sizeof tools / sizeof *tools };

static bool is_there(const mcp *self, size_t index)
{
    return !tools[index].writes || !self->read_only;
}

static json_t *tool_object(size_t index)
{
    return json_pack("{s:s, s:s, s:{s:s, s:o, s:o, s:b}, s:{s:b}}", "name", tools[index].name,
                     "description", tools[index].told, "inputSchema", "type", "object",
                     "properties", cli_need(json_loads(tools[index].properties, 0, NULL)),
                     "required", cli_need(json_loads(tools[index].required, 0, NULL)),
                     "additionalProperties", 0, "annotations", "readOnlyHint",
                     !tools[index].writes);
}

void mcp_tools_list(mcp *self, const json_t *request, const json_t *params)
{
    json_t *all = cli_need(json_array());
    (void)params; /* a cursor: there is one page */
    for (size_t i = 0; i < TOOLS; i++)
        if (is_there(self, i))
            json_array_append_new(all, tool_object(i));
    for (size_t i = 0; i < self->machine_count && !self->read_only; i++)
        if (mcp_machine_of(self, self->machines[i].tool) == &self->machines[i])
            json_array_append_new(all, mcp_machine_tool(self, &self->machines[i]));
    mcp_answer(self, request, json_pack("{s:o}", "tools", all));
}

/* ---- a call ---- */

/* An argument that the schema does not have would be lost. */
static const char *unknown_argument(const json_t *given, const char *properties)
{
    json_t *known = cli_need(json_loads(properties, 0, NULL)), *value;
    const char *key, *unknown = NULL;
    json_object_foreach((json_t *)(uintptr_t)given, key, value)
    {
        if (!json_object_get(known, key))
            unknown = key;
    }
    json_decref(known);
    return unknown;
}

static void call(mcp *self, const json_t *request, const mcp_machine *machine, size_t index,
                 const json_t *given, const json_t *task)
{
    const char *unknown = unknown_argument(given, machine ? "{\"id\": {}, \"input\": {}}"
                                                          : tools[index].properties);
    self->in_tool = true;
    if (unknown)
        mcp_refuse(self, request, "there is no argument %s", unknown);
    else if (machine)
        start(self, request, machine, given, task);
    else
        tools[index].call(self, request, given);
    self->in_tool = false;
}

void mcp_tools_call(mcp *self, const json_t *request, const json_t *params)
{
    const char *name = mcp_text(self, request, params, "name");
    const json_t *given = json_object_get(params, "arguments");
    const json_t *task = self->has_tasks ? json_object_get(params, "task") : NULL;
    const mcp_machine *machine = name && !self->read_only ? mcp_machine_of(self, name) : NULL;
    size_t index = 0;
    if (!name)
        return;
    while (index < TOOLS && (strcmp(tools[index].name, name) != 0 || !is_there(self, index)))
        index++;
    if (given && !json_is_object(given))
        mcp_fail(self, request, MCP_PARAMS, "arguments: expected an object");
    else if (task && (!machine || !json_is_object(task)))
        mcp_fail(self, request, machine ? MCP_PARAMS : MCP_METHOD,
                 "%s: only a tool that starts a workflow can be a task, an object", name);
    else if (machine || index < TOOLS)
        call(self, request, machine, index, given, task);
    else
        mcp_fail(self, request, MCP_PARAMS, "there is no tool %s", name);
}
