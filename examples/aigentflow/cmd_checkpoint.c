/* checkpoint: keeps the current state under a name. No other process may drive the task. */
#include "aigentflow.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <wfsm/agents.h>
#include "one_task.h"
#include "show_task.h"
#include "wfsm/shown.h"

static char *artifacts_of(const arguments *given)
{
    json_t *list = json_array();
    const char *const *one;
    char *text;

    for (one = given->artifacts; one && *one; one++)
        json_array_append_new(list, json_string(*one));
    text = json_dumps(list, JSON_COMPACT);
    json_decref(list);
    return text;
}

static int keep(session *self, const arguments *given, const task *found)
{
    char standard[64];
    const char *name = given->checkpoint ? given->checkpoint : standard;
    char *artifacts = artifacts_of(given);
    int32_t outcome = 0, status;

    (void)snprintf(standard, sizeof standard, "checkpoint-%llu",
                   (unsigned long long)found->stored.revision);
    status = wfsm_engine_checkpoint(self->engine, found->id, name, artifacts,
                                    artifacts ? strlen(artifacts) : 0, wfsm_agents_now(),
                                    &outcome, self->error);
    free(artifacts);
    if (status != WFSM_OK)
        return library_failed(name, self->error);
    if (given->json)
        return show_json(json_pack("{s:s, s:s, s:s}", "id", found->id, "checkpoint", name,
                                   "state", found->state));
    shown_printf("Checkpoint created: %s at state %s\n", name, found->state);
    return END_FINE;
}

int cmd_checkpoint(const arguments *given, const settings *with)
{
    task found;
    int code =
        one_task_find(given, with, task_is_unfinished, &found, "there is no task at work");

    if (code == END_FINE)
        code = one_task_take(given, with, &found, keep);
    task_clear(&found);
    return code;
}
