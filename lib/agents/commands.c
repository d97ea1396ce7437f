#include "commands.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command_result.h"
#include "files.h"

/* The commands of one invocation. */
typedef struct wfa_commands_run {
    struct wfa_commands_run *next;
    json_t *asked; /* what find() made */
    json_t *results;
    size_t index; /* of the command at work */
    wfa_child *child;
    int32_t attempt;
    char id[]; /* of the invocation */
} run;

static run *find_run(const wfa_commands *agent, const wfsm_call *call)
{
    run *at = agent->work;

    while (at && strcmp(at->id, wfsm_call_id(call)) != 0)
        at = at->next;
    return at;
}

static void drop_run(wfa_commands *agent, run *gone)
{
    run **at = &agent->work;

    while (*at != gone)
        at = &(*at)->next;
    *at = gone->next;
    wfa_child_forget(gone->child);
    json_decref(gone->asked);
    json_decref(gone->results);
    free(gone);
}

static run *add_run(wfa_commands *agent, const wfsm_call *call)
{
    const char *id = wfsm_call_id(call);
    run *made = calloc(1, sizeof *made + strlen(id) + 1);

    if (!made)
        return NULL;
    memcpy(made->id, id, strlen(id) + 1);
    made->attempt = wfsm_call_attempt(call);
    made->results = json_array();
    made->next = agent->work;
    agent->work = made;
    return made;
}

static json_t *commands_of(const run *self)
{
    return json_object_get(self->asked, "commands");
}

static json_t *command_of(const run *self)
{
    return json_array_get(commands_of(self), self->index);
}

/* RUNS/INVOCATION.ATTEMPT.COMMAND, malloc'ed. */
static char *run_base(const wfa_commands *agent, const char *id, int32_t attempt, size_t index)
{
    char name[WFA_FILE_NAME_SIZE + 40];

    wfa_file_name(id, name);
    (void)snprintf(name + strlen(name), 40, ".%d.%zu", (int)attempt, index + 1);
    return wfa_path_join(agent->runs, name);
}

/* NULL-terminated, borrowed from the JSON. */
static const char **words_of(const json_t *argv)
{
    const char **words = calloc(json_array_size(argv) + 1, sizeof *words);
    size_t index;

    for (index = 0; words && index < json_array_size(argv); index++)
        words[index] = json_string_value(json_array_get(argv, index));
    return words;
}

static int start_child(const wfa_commands *agent, run *self, const char *const *words,
                       const char *base)
{
    const json_t *limit = json_object_get(command_of(self), "timeout_ms");
    wfa_child_spec spec = {
        .argv = words,
        .folder = json_string_value(json_object_get(self->asked, "folder")),
        .input = "",
        .base = base,
        .timeout_ms = limit ? json_integer_value(limit) : agent->timeout_ms,
        .grace_ms = 2000,
        .max_output = agent->max_output,
        .max_log = agent->max_output,
    };

    return wfa_child_start(agent->children, &spec, &self->child, NULL);
}

static int start_command(const wfa_commands *agent, run *self)
{
    const char **words = words_of(json_object_get(command_of(self), "argv"));
    char *base = run_base(agent, self->id, self->attempt, self->index);
    int done = -1;

    if (words && base && words[0])
        done = start_child(agent, self, words, base);
    free(base);
    free(words);
    return done;
}

/* ---- results ---- */

static int32_t tell_failure(wfa_commands *agent, run *self, wfsm_call *call, const char *why)
{
    if (self)
        drop_run(agent, self);
    return wfsm_call_failed(call, "other", why);
}

static int32_t tell_results(wfa_commands *agent, run *self, wfsm_call *call)
{
    json_t *answer = agent->answer(agent->user, self->results);
    char *text = answer ? json_dumps(answer, JSON_COMPACT) : NULL;
    int32_t status;

    json_decref(answer);
    if (!text)
        return tell_failure(agent, self, call, "out of memory");
    status = wfsm_call_done(call, text, strlen(text));
    free(text);
    drop_run(agent, self);
    return status;
}

/* Takes the result over, which may be NULL. -1: out of memory. */
static int keep_result(run *self, json_t *result)
{
    json_t *kind = json_object_get(command_of(self), "kind");
    int done = result && kind ? json_object_set(result, "kind", kind) : 0;

    if (done == 0)
        done = json_array_append(self->results, result);
    json_decref(result);
    self->index++;
    return done;
}

/* 1: another command follows, 0: this was the last; -1: out of memory. */
static int finish_command(const wfa_commands *agent, run *self)
{
    json_t *argv = json_object_get(command_of(self), "argv");
    json_t *result = wfa_command_result(self->child, argv);
    int passed = result && wfa_command_passed(result);

    wfa_child_forget(self->child);
    self->child = NULL;
    if (keep_result(self, result) != 0)
        return -1;
    return passed || agent->all;
}

static json_t *skipped(const json_t *command)
{
    return json_pack("{s:O, s:n, s:O, s:s, s:b}", "argv", json_object_get(command, "argv"),
                     "exit_code", "reason", json_object_get(command, "skip"), "tail", "",
                     "skipped", 1);
}

/* As far as it goes without waiting. 1: another command follows, 0: there is none to run or it
 * works; -1: out of memory. */
static int go_on_command(const wfa_commands *agent, run *self)
{
    if (json_object_get(command_of(self), "skip"))
        return keep_result(self, skipped(command_of(self))) == 0 ? 1 : -1;
    if (!self->child && start_command(agent, self) != 0)
        return -1;
    if (wfa_child_state_of(self->child) != WFA_CHILD_ENDED)
        return 0;
    return finish_command(agent, self);
}

static int32_t go_on(wfa_commands *agent, run *self, wfsm_call *call)
{
    size_t count = json_array_size(commands_of(self));
    int more = 1;

    while (more > 0 && self->index < count)
        more = go_on_command(agent, self);
    if (more < 0)
        return tell_failure(agent, self, call, "out of memory");
    return self->child ? WFSM_OK : tell_results(agent, self, call);
}

/* ---- what a host before has left ---- */

/* 1 when there was such a command; it is at work no more. */
static int end_leftover(const wfa_commands *agent, const char *id, int32_t attempt,
                        size_t index)
{
    char *base = run_base(agent, id, attempt, index);
    wfa_child_spec spec = {.base = base};
    wfa_child *child = NULL;

    if (base && wfa_child_adopt(agent->children, &spec, &child, NULL) == 0 && child) {
        wfa_child_cancel(child);
        wfa_child_forget(child);
    }
    free(base);
    return child != NULL;
}

static void end_leftovers(const wfa_commands *agent, const char *id, int32_t attempt)
{
    size_t index = 0;

    while (end_leftover(agent, id, attempt, index))
        index++;
}

/* ---- the agent ---- */

static void ask(const wfa_commands *agent, run *self, wfsm_call *call, wfa_error *error)
{
    size_t length = 0;
    const char *text = wfsm_call_input(call, &length);
    json_t *input = text ? json_loadb(text, length, 0, NULL) : NULL;

    if (input)
        self->asked = agent->find(agent->user, input, error);
    json_decref(input);
}

static int32_t start(void *user, wfsm_call *call)
{
    wfa_commands *agent = user;
    run *self = add_run(agent, call);
    wfa_error why = {"out of memory"};

    if (self && self->results)
        ask(agent, self, call, &why);
    if (!self || !self->asked)
        return tell_failure(agent, self, call, why.message);
    if (self->attempt > 1)
        end_leftovers(agent, self->id, self->attempt - 1);
    return go_on(agent, self, call);
}

static int32_t poll(void *user, wfsm_call *call)
{
    wfa_commands *agent = user;
    run *self = find_run(agent, call);

    if (!self)
        return wfsm_call_failed(call, "other", "the commands are not known any more");
    return go_on(agent, self, call);
}

static int32_t cancel(void *user, wfsm_call *call)
{
    wfa_commands *agent = user;
    run *self = find_run(agent, call);

    if (!self) {
        end_leftovers(agent, wfsm_call_id(call), wfsm_call_attempt(call));
        return WFSM_OK;
    }
    if (self->child)
        wfa_child_cancel(self->child);
    drop_run(agent, self);
    return WFSM_OK;
}

/* The results of the host before are not known: they are made again. */
static int32_t probe(void *user, wfsm_call *call)
{
    if (find_run(user, call))
        return poll(user, call);
    return wfsm_call_gone(call);
}

int32_t wfa_commands_add(wfa_commands *agent, wfsm_engine *engine, wfsm_error *error)
{
    wfsm_agent callbacks = {.size = sizeof callbacks,
                            .user = agent,
                            .start = start,
                            .poll = poll,
                            .cancel = cancel,
                            .probe = probe};

    return wfsm_engine_add_agent_full(engine, agent->name, &callbacks, error);
}

void wfa_commands_end(wfa_commands *agent)
{
    while (agent->work)
        drop_run(agent, agent->work);
}
