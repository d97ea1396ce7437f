#include "aigentflow.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "prompt.h"
#include "session.h"

enum { ID_SIZE = 32, MOST_TASKS = 1000000 };

/* The folders that agents need besides the task. */
static json_t *metadata(const settings *with)
{
    return json_pack("{s:s, s:s}", "project", with->project, "worktrees", with->worktrees);
}

static json_t *make_input(const arguments *given, const settings *with, const char *prompt,
                          json_t *epic)
{
    json_t *pool = with->pool;
    json_t *input = json_pack(
        "{s:s, s:s, s:O, s:I, s:I, s:O, s:O, s:b, s:o}", "projectId", with->project_id,
        "prompt", prompt, "projectContext", with->project_context, "maxRetries",
        (json_int_t)with->max_retries, "maxAgentRuns", (json_int_t)with->max_agent_runs,
        "maxConcurrentAgents", json_object_get(pool, "maxConcurrent"), "competitiveDesignCount",
        json_object_get(pool, "competitiveDesignCount"), "competition", given->compete,
        "metadata", metadata(with));

    if (epic)
        json_object_set(input, "epicContext", epic);
    return input;
}

/* Each feature has a worktree of its own: WORKTREES/EPIC/FEATURE. */
static void place_features(json_t *epic, const settings *with)
{
    const char *name = json_string_value(json_object_get(epic, "epicId"));
    json_t *feature;
    size_t index;

    json_array_foreach(json_object_get(epic, "features"), index, feature)
    {
        const char *id = json_string_value(json_object_get(feature, "featureId"));
        if (!json_object_get(feature, "worktreePath"))
            json_object_set_new(feature, "worktreePath",
                                json_sprintf("%s/%s/%s", with->worktrees, name, id));
    }
}

/* The input of one task, as text. An epic without an id gets the id of the task. */
static char *input_text(json_t *input, const settings *with, const char *id)
{
    json_t *epic = json_object_get(input, "epicContext");

    json_object_set_new(input, "taskId", json_string(id));
    if (epic && !json_object_get(epic, "epicId"))
        json_object_set_new(epic, "epicId", json_string(id));
    if (epic)
        place_features(epic, with);
    return json_dumps(input, JSON_COMPACT);
}

static int start(session *self, const json_t *input, const char *id, int32_t *status)
{
    json_t *copy = json_deep_copy(input);
    char *text = copy ? input_text(copy, self->with, id) : NULL;
    int code = END_STORE;

    if (text)
        code = session_start(self, id, text, status);
    else
        print_error("--id: expected UTF-8");
    free(text);
    json_decref(copy);
    return code;
}

/* The first free name of task-1, task-2, …. Another process may take it first. */
static int start_numbered(session *self, const json_t *input, char id[ID_SIZE])
{
    int32_t status = WFSM_EXISTS;
    int number, code = END_FINE;

    for (number = 1; status == WFSM_EXISTS && number < MOST_TASKS; number++) {
        (void)snprintf(id, ID_SIZE, "task-%d", number);
        code = start(self, input, id, &status);
        if (code != END_FINE)
            return code;
    }
    return code;
}

static int start_named(session *self, const json_t *input, const char *id)
{
    int32_t status = WFSM_OK;
    int code = start(self, input, id, &status);

    if (code != END_FINE || status == WFSM_OK)
        return code;
    print_error("%s: there is such a task already; `aigentflow resume %s` continues it", id,
                id);
    return END_USAGE;
}

static int run_in(const arguments *given, const settings *with, const json_t *input)
{
    session self;
    char id[ID_SIZE];
    int code = session_open(&self, with, given);

    if (code == END_FINE)
        code =
            given->id ? start_named(&self, input, given->id) : start_numbered(&self, input, id);
    if (code == END_FINE)
        code = session_drive(&self);
    session_close(&self);
    return code;
}

static int run_prompt(const arguments *given, const settings *with, const char *prompt)
{
    json_t *epic = given->epic ? epic_read(given->epic, given->id) : NULL, *input;
    int code = END_USAGE;

    if (given->epic && !epic)
        return code;
    input = make_input(given, with, prompt, epic);
    if (input)
        code = run_in(given, with, input);
    else
        print_error("out of memory");
    json_decref(input);
    json_decref(epic);
    return code;
}

int cmd_run(const arguments *given, const settings *with)
{
    char *prompt = prompt_read(given);
    int code = prompt ? run_prompt(given, with, prompt) : END_USAGE;

    free(prompt);
    return code;
}
