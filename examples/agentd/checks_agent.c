#include "checks_agent.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "checks.h"
#include "hostkit/command_result.h"
#include "hostkit/files.h"

/* The commands of one invocation. */
typedef struct check_run {
    struct check_run *next;
    json_t *commands; /* [{"kind", "argv"}, …] */
    json_t *results;
    size_t index; /* of the command at work */
    hk_child *child;
    int32_t attempt;
    char id[]; /* of the invocation */
} check_run;

static check_run *find_run(const checks_agent *agent, const wfsm_call *call)
{
    check_run *at = agent->runs;

    while (at && strcmp(at->id, wfsm_call_id(call)) != 0)
        at = at->next;
    return at;
}

static void drop_run(checks_agent *agent, check_run *gone)
{
    check_run **at = &agent->runs;

    while (*at != gone)
        at = &(*at)->next;
    *at = gone->next;
    hk_child_forget(gone->child);
    json_decref(gone->commands);
    json_decref(gone->results);
    free(gone);
}

static check_run *add_run(checks_agent *agent, const wfsm_call *call)
{
    const char *id = wfsm_call_id(call);
    check_run *made = calloc(1, sizeof *made + strlen(id) + 1);

    if (!made)
        return NULL;
    memcpy(made->id, id, strlen(id) + 1);
    made->attempt = wfsm_call_attempt(call);
    made->results = json_array();
    made->next = agent->runs;
    agent->runs = made;
    return made;
}

/* RUNS/INVOCATION.ATTEMPT.COMMAND, malloc'ed. */
static char *run_base(const checks_agent *agent, const char *id, int32_t attempt, size_t index)
{
    char name[HK_FILE_NAME_SIZE + 40];

    hk_file_name(id, name);
    (void)snprintf(name + strlen(name), 40, ".%d.%zu", (int)attempt, index + 1);
    return hk_path_join(agent->at->runs, name);
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

static int start_command(const checks_agent *agent, check_run *self)
{
    const json_t *command = json_array_get(self->commands, self->index);
    const char **words = words_of(json_object_get(command, "argv"));
    char *base = run_base(agent, self->id, self->attempt, self->index);
    hk_child_spec spec = {
        .argv = words, .folder = agent->at->in.root, .input = "", .base = base,
        .timeout_ms = agent->at->config.check_timeout, .grace_ms = 2000,
        .max_output = agent->at->config.check_output,
        .max_log = agent->at->config.check_output};
    int done = -1;

    if (words && base)
        done = hk_child_start(agent->children, &spec, &self->child, NULL);
    free(base);
    free(words);
    return done;
}

static int32_t tell_failure(checks_agent *agent, check_run *self, wfsm_call *call,
                            const char *why)
{
    if (self)
        drop_run(agent, self);
    return wfsm_call_failed(call, "other", why);
}

static int32_t tell_results(checks_agent *agent, check_run *self, wfsm_call *call)
{
    json_t *answer = json_pack("{s:b, s:O}", "passed", checks_passed(self->results),
                               "results",
                               self->results);
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

/* Takes over the result. -1: no memory. */
static int keep_result(check_run *self, json_t *result)
{
    const json_t *command = json_array_get(self->commands, self->index);
    int done = -1;

    if (json_object_set(result, "kind", json_object_get(command, "kind")) == 0)
        done = json_array_append(self->results, result);
    json_decref(result);
    self->index++;
    return done;
}

/* The command at work has ended. All are run, also behind one that failed. */
static int finish_command(check_run *self)
{
    json_t *command = json_array_get(self->commands, self->index);
    json_t *result = hk_command_result(self->child, json_object_get(command, "argv"));

    hk_child_forget(self->child);
    self->child = NULL;
    return keep_result(self, result);
}

/* 1: the next command is at work, or has failed to be; 0: it is not to be run. -1: no memory. */
static int next_command(const checks_agent *agent, check_run *self)
{
    const json_t *command = json_array_get(self->commands, self->index);

    if (json_object_get(command, "skip"))
        return keep_result(self, checks_skipped(command));
    return start_command(agent, self) == 0 ? 1 : -1;
}

/* Goes on as far as it goes without waiting. */
static int32_t go_on(checks_agent *agent, check_run *self, wfsm_call *call)
{
    int done;

    while (self->index < json_array_size(self->commands)) {
        done = self->child ? 1 : next_command(agent, self);
        if (done > 0 && hk_child_state_of(self->child) != HK_CHILD_ENDED)
            return WFSM_OK;
        if (done < 0 || (done > 0 && finish_command(self) != 0))
            return tell_failure(agent, self, call, "out of memory");
    }
    return tell_results(agent, self, call);
}

/* A host that was killed can leave a command at work: two at once would disturb each other.
 * 1 when there was such a command; it is at work no more. */
static int end_leftover(const checks_agent *agent, const char *id, int32_t attempt,
                        size_t index)
{
    char *base = run_base(agent, id, attempt, index);
    hk_child_spec spec = {.base = base};
    hk_child *child = NULL;

    if (base && hk_child_adopt(agent->children, &spec, &child, NULL) == 0 && child) {
        hk_child_cancel(child);
        hk_child_forget(child);
    }
    free(base);
    return child != NULL;
}

static void end_leftovers(const checks_agent *agent, const char *id, int32_t attempt)
{
    size_t index = 0;

    while (end_leftover(agent, id, attempt, index))
        index++;
}

static int32_t start(void *user, wfsm_call *call)
{
    checks_agent *agent = user;
    check_run *self = add_run(agent, call);
    hk_error why = {"out of memory"};

    if (self && self->results)
        self->commands = checks_find(&agent->at->in, agent->at->config.test,
                                     agent->at->config.scan, &why);
    if (!self || !self->commands)
        return tell_failure(agent, self, call, why.message);
    if (self->attempt > 1)
        end_leftovers(agent, self->id, self->attempt - 1);
    return go_on(agent, self, call);
}

static int32_t poll(void *user, wfsm_call *call)
{
    checks_agent *agent = user;
    check_run *self = find_run(agent, call);

    if (!self)
        return wfsm_call_failed(call, "other", "the checks are not known any more");
    return go_on(agent, self, call);
}

static int32_t cancel(void *user, wfsm_call *call)
{
    checks_agent *agent = user;
    check_run *self = find_run(agent, call);

    if (!self) {
        end_leftovers(agent, wfsm_call_id(call), wfsm_call_attempt(call));
        return WFSM_OK;
    }
    if (self->child)
        hk_child_cancel(self->child);
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

int32_t checks_agent_add(checks_agent *agent, wfsm_engine *engine, wfsm_error *error)
{
    wfsm_agent callbacks = {.size = sizeof callbacks, .user = agent, .start = start,
                            .poll = poll, .cancel = cancel, .probe = probe};

    return wfsm_engine_add_agent_full(engine, "checks", &callbacks, error);
}

void checks_agent_end(checks_agent *agent)
{
    while (agent->runs)
        drop_run(agent, agent->runs);
}
