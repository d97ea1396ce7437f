#include "commands.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command_result.h"
#include "files.h"

enum { TIMEOUT_MS = 600000, OUTPUT = 1 << 20 };

/* The commands of one invocation. */
typedef struct wfa_commands_run {
    struct wfa_commands_run *next;
    json_t *plan;
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
    json_decref(gone->plan);
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
    return json_object_get(self->plan, "commands");
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
        .folder = json_string_value(json_object_get(self->plan, "folder")),
        .pass_env = agent->pass_env,
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

/* Did every command that was run end with 0? */
static int all_passed(const json_t *results)
{
    const json_t *one;
    size_t index;

    json_array_foreach(results, index, one)
    {
        if (!json_is_true(json_object_get(one, "skipped")) && !wfa_command_passed(one))
            return 0;
    }
    return 1;
}

static int32_t answer(const wfa_commands *agent, wfsm_call *call, const char *results,
                      json_t *list)
{
    json_t *made;
    char *text;
    int32_t status;

    if (agent->answer)
        return agent->answer(agent->user, call, results, strlen(results));
    made = json_pack("{s:b, s:O}", "passed", all_passed(list), "results", list);
    text = made ? json_dumps(made, JSON_COMPACT) : NULL;
    status = text ? wfsm_call_done(call, text, strlen(text))
                  : wfsm_call_failed(call, "other", "out of memory");
    free(text);
    json_decref(made);
    return status;
}

static int32_t tell_results(wfa_commands *agent, run *self, wfsm_call *call)
{
    char *results = json_dumps(self->results, JSON_COMPACT);
    int32_t status;

    if (!results)
        return tell_failure(agent, self, call, "out of memory");
    status = answer(agent, call, results, self->results);
    free(results);
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

/* As far as possible without waiting. 1: another command follows, 0: there is none to run or it
 * works; -1: out of memory. */
static int continue_command(const wfa_commands *agent, run *self)
{
    if (json_object_get(command_of(self), "skip"))
        return keep_result(self, skipped(command_of(self))) == 0 ? 1 : -1;
    if (!self->child && start_command(agent, self) != 0)
        return -1;
    if (wfa_child_state_of(self->child) != WFA_CHILD_ENDED)
        return 0;
    return finish_command(agent, self);
}

static int32_t continue_run(wfa_commands *agent, run *self, wfsm_call *call)
{
    size_t count = json_array_size(commands_of(self));
    int more = 1;

    while (more > 0 && self->index < count)
        more = continue_command(agent, self);
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

/* ---- the plan ---- */

static int is_command(const json_t *command)
{
    const json_t *argv = json_object_get(command, "argv"), *limit, *word;
    size_t index;

    json_array_foreach(argv, index, word)
    {
        if (!json_is_string(word))
            return 0;
    }
    limit = json_object_get(command, "timeout_ms");
    return json_array_size(argv) > 0 && *json_string_value(json_array_get(argv, 0)) &&
           (!limit || (json_is_integer(limit) && json_integer_value(limit) >= 0));
}

static int check_plan(const json_t *plan, wfa_error *error)
{
    const json_t *commands = json_object_get(plan, "commands"), *one;
    size_t index;

    if (!json_is_array(commands))
        return wfa_fail(error, "expected {\"folder\": FOLDER, \"commands\": [COMMAND, …]}");
    json_array_foreach(commands, index, one)
    {
        if (!is_command(one))
            return wfa_fail(error,
                            "command %zu: expected {\"argv\": [PROGRAM, ARGUMENT, …], "
                            "\"timeout_ms\"?, \"kind\"?, \"skip\"?}",
                            index + 1);
    }
    return 0;
}

/* The text of the plan; NULL and an error. */
static const char *plan_text(const wfa_commands *agent, wfsm_call *call, size_t *length,
                             wfa_error *error)
{
    const char *text = NULL;
    wfsm_error *why;

    *length = 0;
    if (!agent->plan)
        return wfsm_call_input(call, length);
    why = wfsm_error_new(NULL);
    if (!why || agent->plan(agent->user, call, &text, length, why) != WFSM_OK)
        text = NULL;
    if (!text)
        (void)wfa_fail(error, "%s", why ? wfsm_error_message(why) : "out of memory");
    wfsm_error_free(why);
    return text;
}

static int make_plan(const wfa_commands *agent, run *self, wfsm_call *call, wfa_error *error)
{
    json_error_t where;
    size_t length;
    const char *text = plan_text(agent, call, &length, error);

    if (!text)
        return -1;
    self->plan = json_loadb(text, length, JSON_REJECT_DUPLICATES, &where);
    if (!self->plan)
        return wfa_fail(error, "the plan of the commands: %s", where.text);
    return check_plan(self->plan, error);
}

/* ---- the agent ---- */

static int32_t start(void *user, wfsm_call *call)
{
    wfa_commands *agent = user;
    run *self = add_run(agent, call);
    wfa_error why;

    (void)wfa_no_memory(&why);
    if (!self || !self->results || make_plan(agent, self, call, &why) != 0)
        return tell_failure(agent, self, call, why.message);
    if (self->attempt > 1)
        end_leftovers(agent, self->id, self->attempt - 1);
    return continue_run(agent, self, call);
}

static int32_t poll(void *user, wfsm_call *call)
{
    wfa_commands *agent = user;
    run *self = find_run(agent, call);

    if (!self)
        return wfsm_call_failed(call, "other", "the commands are not known any more");
    return continue_run(agent, self, call);
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

void wfa_commands_callbacks(wfa_commands *agent, wfsm_agent *callbacks)
{
    *callbacks = (wfsm_agent){.size = sizeof *callbacks,
                              .user = agent,
                              .start = start,
                              .poll = poll,
                              .cancel = cancel,
                              .probe = probe};
}

int wfa_commands_make(wfa_commands *agent, wfa_agent_config *config,
                      const wfsm_commands_options *options, wfa_option_error *wrong)
{
    if (wfa_option_names("pass_env", options->pass_env, &config->pass_env, wrong) != 0)
        return -1;
    agent->pass_env = (const char *const *)config->pass_env;
    agent->all = options->all;
    agent->plan = options->plan;
    agent->answer = options->answer;
    agent->user = options->user;
    if (wfa_option_ms("timeout_ms", options->timeout_ms, TIMEOUT_MS, &agent->timeout_ms,
                      wrong) != 0)
        return -1;
    return wfa_option_bytes("max_output_bytes", options->max_output_bytes, OUTPUT,
                            WFA_MOST_BYTES, &agent->max_output, wrong);
}

void wfa_commands_end(wfa_commands *agent)
{
    while (agent->work)
        drop_run(agent, agent->work);
}
