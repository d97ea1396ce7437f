#include "workspace_agent.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "shared/text.h"
#include "shared/worktree.h"

typedef struct request {
    json_t *input;
    const json_t *place, *change;
    const char *task;
} request;

static const char *text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));

    return text ? text : "";
}

static json_t *with_change(json_t *change)
{
    return change ? json_pack("{s:o}", "change", change) : NULL;
}

/* The document has just had it reviewed and tested. A change that is another one is refused here
 * once more, because what is landed cannot be taken back. */
static json_t *land(const request *asked, host_error *why)
{
    const char *commit = text_of(asked->change, "commit");

    if (!host_worktree_is_shared(asked->place) &&
        (strcmp(text_of(asked->input, "reviewed"), commit) != 0 ||
         strcmp(text_of(asked->input, "tested"), commit) != 0)) {
        (void)host_fail(why, "%.20s is not what was reviewed and tested", commit);
        return NULL;
    }
    return host_worktree_land(asked->place, asked->change, asked->task, why);
}

static json_t *act(const request *asked, host_error *why)
{
    const char *action = text_of(asked->input, "action");

    if (strcmp(action, "prepare") == 0)
        return with_change(host_worktree_prepare(asked->place, asked->change, why));
    if (strcmp(action, "record") == 0)
        return with_change(host_worktree_record(asked->place, asked->change, asked->task, why));
    if (strcmp(action, "land") == 0)
        return land(asked, why);
    (void)host_fail(why, "expected an action");
    return NULL;
}

static int32_t answer(wfsm_call *call, const json_t *result)
{
    char *text = json_dumps(result, JSON_COMPACT);
    int32_t status = text ? wfsm_call_done(call, text, strlen(text)) : WFSM_NO_MEMORY;

    free(text);
    return status;
}

static const char *title_of(const json_t *input)
{
    const char *words = text_of(input, "task");

    return words + strspn(words, "# \t\r\n");
}

static int32_t start(void *user, wfsm_call *call)
{
    size_t length = 0;
    const char *text = wfsm_call_input(call, &length);
    host_error why = {"out of memory"};
    request asked = {.input = text ? json_loadb(text, length, 0, NULL) : NULL};
    json_t *result;
    int32_t status;

    asked.place = user;
    asked.change = json_object_get(asked.input, "change");
    asked.task = title_of(asked.input);
    result = act(&asked, &why);
    host_text_make_plain(why.message, strlen(why.message));
    status = result ? answer(call, result) : wfsm_call_failed(call, "other", why.message);
    json_decref(result);
    json_decref(asked.input);
    return status;
}

int32_t workspace_agent_add(wfsm_engine *engine, json_t *place, wfsm_error *error)
{
    return wfsm_engine_add_agent(engine, "workspace", start, place, error);
}
