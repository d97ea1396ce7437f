#include "commands_agent.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hostkit/command_result.h"
#include "hostkit/files.h"

/* The commands of one invocation. */
typedef struct batch {
    struct batch *next;
    json_t *input; /* {"workspace", "commands": [{"argv", "timeout_ms"?}]} */
    json_t *results;
    size_t index; /* of the command at work */
    hk_child *child;
    int32_t attempt;
    char id[]; /* of the invocation */
} batch;

static batch *find_batch(const commands_agent *agent, const wfsm_call *call)
{
    batch *at = agent->batches;

    while (at && strcmp(at->id, wfsm_call_id(call)) != 0)
        at = at->next;
    return at;
}

static void drop_batch(commands_agent *agent, batch *gone)
{
    batch **at = &agent->batches;

    while (*at != gone)
        at = &(*at)->next;
    *at = gone->next;
    hk_child_forget(gone->child);
    json_decref(gone->input);
    json_decref(gone->results);
    free(gone);
}

static batch *add_batch(commands_agent *agent, wfsm_call *call)
{
    const char *id = wfsm_call_id(call), *text;
    batch *made = calloc(1, sizeof *made + strlen(id) + 1);
    size_t length;

    if (!made)
        return NULL;
    text = wfsm_call_input(call, &length);
    memcpy(made->id, id, strlen(id) + 1);
    made->attempt = wfsm_call_attempt(call);
    made->input = json_loadb(text, length, 0, NULL);
    made->results = json_array();
    made->next = agent->batches;
    agent->batches = made;
    return made;
}

static json_t *commands_of(const batch *self)
{
    return json_object_get(self->input, "commands");
}

/* LOGS/INVOCATION.ATTEMPT.COMMAND, malloc'ed. */
static char *run_base(const commands_agent *agent, const char *id, int32_t attempt,
                      size_t index)
{
    char name[HK_FILE_NAME_SIZE + 40];

    hk_file_name(id, name);
    (void)snprintf(name + strlen(name), 40, ".%d.%zu", (int)attempt, index + 1);
    return hk_path_join(agent->with->logs, name);
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

static int start_child(const commands_agent *agent, batch *self, const json_t *command,
                       const char *const *words, const char *base)
{
    const json_t *limit = json_object_get(command, "timeout_ms");
    hk_child_spec spec = {
        .argv = words,
        .folder = json_string_value(json_object_get(self->input, "workspace")),
        .input = "",
        .base = base,
        .timeout_ms = limit ? json_integer_value(limit) : agent->with->command_timeout,
        .grace_ms = 2000,
        .max_output = (size_t)agent->with->command_output,
        .max_log = (size_t)agent->with->command_output,
    };

    return hk_child_start(agent->children, &spec, &self->child, NULL);
}

static int start_command(const commands_agent *agent, batch *self)
{
    const json_t *command = json_array_get(commands_of(self), self->index);
    const char **words = words_of(json_object_get(command, "argv"));
    char *base = run_base(agent, self->id, self->attempt, self->index);
    int done = -1;

    if (words && base && words[0])
        done = start_child(agent, self, command, words, base);
    free(base);
    free(words);
    return done;
}

static int32_t tell_failure(commands_agent *agent, batch *self, wfsm_call *call)
{
    if (self)
        drop_batch(agent, self);
    return wfsm_call_failed(call, "other", "out of memory");
}

static int32_t tell_results(commands_agent *agent, batch *self, wfsm_call *call)
{
    json_t *answer = json_pack("{s:O}", "results", self->results);
    char *text = answer ? json_dumps(answer, JSON_COMPACT) : NULL;
    int32_t status;

    json_decref(answer);
    if (!text)
        return tell_failure(agent, self, call);
    status = wfsm_call_done(call, text, strlen(text));
    free(text);
    drop_batch(agent, self);
    return status;
}

/* The command at work has ended: its result, and whether another follows. -1: no memory. */
static int finish_command(batch *self)
{
    json_t *command = json_array_get(commands_of(self), self->index);
    json_t *result = hk_command_result(self->child, json_object_get(command, "argv"));
    int passed = result && hk_command_passed(result);

    hk_child_forget(self->child);
    self->child = NULL;
    if (json_array_append_new(self->results, result) != 0)
        return -1;
    self->index++;
    return passed && self->index < json_array_size(commands_of(self));
}

/* Goes on as far as it goes without waiting. */
static int32_t go_on(commands_agent *agent, batch *self, wfsm_call *call)
{
    int more = 1;

    while (more > 0) {
        if (!self->child && start_command(agent, self) != 0)
            return tell_failure(agent, self, call);
        if (hk_child_state_of(self->child) != HK_CHILD_ENDED)
            return WFSM_OK;
        more = finish_command(self);
    }
    return more < 0 ? tell_failure(agent, self, call) : tell_results(agent, self, call);
}

/* 1 when there was such a command; it is at work no more. */
static int end_leftover(const commands_agent *agent, const char *base)
{
    hk_child_spec spec = {.base = base};
    hk_child *child = NULL;

    if (!base || hk_child_adopt(agent->children, &spec, &child, NULL) != 0 || !child)
        return 0;
    hk_child_cancel(child);
    hk_child_forget(child);
    return 1;
}

/* A host that was killed can leave a command at work: two at once would disturb each
 * other in the workspace. */
static void end_leftovers(const commands_agent *agent, const char *id, int32_t attempt)
{
    size_t index = 0;
    int found = 1;

    while (found) {
        char *base = run_base(agent, id, attempt, index++);
        found = end_leftover(agent, base);
        free(base);
    }
}

static int32_t start(void *user, wfsm_call *call)
{
    commands_agent *agent = user;
    batch *self = add_batch(agent, call);

    if (!self || !self->results || json_array_size(commands_of(self)) == 0)
        return tell_failure(agent, self, call);
    if (self->attempt > 1)
        end_leftovers(agent, self->id, self->attempt - 1);
    return go_on(agent, self, call);
}

static int32_t poll(void *user, wfsm_call *call)
{
    commands_agent *agent = user;
    batch *self = find_batch(agent, call);

    if (!self)
        return wfsm_call_failed(call, "other", "the commands are not known any more");
    return go_on(agent, self, call);
}

static int32_t cancel(void *user, wfsm_call *call)
{
    commands_agent *agent = user;
    batch *self = find_batch(agent, call);

    if (!self) {
        end_leftovers(agent, wfsm_call_id(call), wfsm_call_attempt(call));
        return WFSM_OK;
    }
    if (self->child)
        hk_child_cancel(self->child);
    drop_batch(agent, self);
    return WFSM_OK;
}

/* The results of the host before are not known: they are made again. */
static int32_t probe(void *user, wfsm_call *call)
{
    if (find_batch(user, call))
        return poll(user, call);
    return wfsm_call_gone(call);
}

int32_t commands_agent_add(commands_agent *agent, wfsm_engine *engine, wfsm_error *error)
{
    wfsm_agent callbacks = {.size = sizeof callbacks, .user = agent, .start = start,
                            .poll = poll, .cancel = cancel, .probe = probe};

    return wfsm_engine_add_agent_full(engine, "commands", &callbacks, error);
}

void commands_agent_end(commands_agent *agent)
{
    while (agent->batches)
        drop_batch(agent, agent->batches);
}
