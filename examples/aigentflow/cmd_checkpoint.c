/* checkpoint and restore. No other process may drive the task. */
#include "aigentflow.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <wfsm/agents.h>
#include "session.h"
#include "wfsm/shown.h"
#include "wfsm/address.h"
#include "wfsm/happened.h"

typedef int (*operation)(session *self, const arguments *given, const task *found);

static int find(const arguments *given, const settings *with, task_test test, task *found,
                const char *nothing)
{
    wfsm_error *error = wfsm_error_new(NULL);
    wfsm_store *store = NULL;
    int code;

    memset(found, 0, sizeof *found);
    if (address_open(&store, with->store, ADDRESS_READ, error) != WFSM_OK)
        code = library_failed(with->store, error);
    else
        code = task_find(found, store, with, given, test, nothing);
    wfsm_store_free(store);
    wfsm_error_free(error);
    return code;
}

static int with_session(const arguments *given, const settings *with, const task *found,
                        operation does)
{
    session self;
    int code = session_open(&self, with, given);

    if (code == END_FINE)
        code = session_adopt(&self, found->id);
    if (code == END_FINE)
        code = does(&self, given, found);
    session_close(&self);
    return code;
}

/* ---- checkpoint ---- */

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
    int code = find(given, with, task_is_unfinished, &found, "there is no task at work");

    if (code == END_FINE)
        code = with_session(given, with, &found, keep);
    task_clear(&found);
    return code;
}

/* ---- restore ---- */

typedef struct search {
    const char *name; /* NULL: the newest */
    char id[HOST_STATE_SIZE];
} search;

static int32_t take(void *user, const wfsm_row *row)
{
    search *self = user;

    if (!self->name || strcmp(self->name, row->id) == 0)
        (void)snprintf(self->id, sizeof self->id, "%s", row->id);
    return WFSM_OK;
}

/* search.id is "" if there is none. */
static int look_for(session *self, const char *id, search *wanted)
{
    int32_t status =
        wanted->name ? wfsm_store_checkpoints(self->store, id, take, wanted, self->error)
                     : wfsm_store_latest_checkpoint(self->store, id, take, wanted, self->error);

    if (status == WFSM_OK || status == WFSM_NOT_FOUND)
        return END_FINE;
    return library_failed(id, self->error);
}

static int look_before(session *self, const char *id, const char *name, uint64_t *revision)
{
    wfsm_head head = {.size = sizeof head};
    int32_t status = wfsm_store_head(self->store, id, &head, self->error);

    if (status == WFSM_OK)
        status = happened_at(self->store, id, head.first, head.revision, name, revision,
                             self->error);
    if (status == WFSM_OK)
        return END_FINE;
    if (status != WFSM_NOT_FOUND)
        return library_failed(id, self->error);
    print_error("%s", wfsm_error_message(self->error));
    return END_OTHER;
}

static int look_for_checkpoint(session *self, const task *found, search *wanted)
{
    int code = look_for(self, found->id, wanted);

    if (code != END_FINE || *wanted->id)
        return code;
    print_error("Checkpoint not found: %s", wanted->name ? wanted->name : "(none)");
    return END_OTHER;
}

static int go_back(session *self, const task *found, const wfsm_restore_point *from)
{
    int32_t outcome = 0;
    int code = END_FINE;

    if (strcmp(found->state, "ERROR") == 0)
        code = session_send(self, found->id, "START_RECOVERY", NULL, NULL, &outcome);
    if (code != END_FINE)
        return code;
    if (wfsm_engine_restore(self->engine, found->id, from, wfsm_agents_now(), &outcome,
                            self->error) != WFSM_OK)
        return library_failed(found->id, self->error);
    return END_FINE;
}

static void say_restored(session *self, const char *id, const char *what, const char *name)
{
    task now = {.id = ""};

    if (!self->given->json && task_read(&now, self->store, self->with, id) == END_FINE)
        shown_printf("Restored %s %s to state %s\n", what, name, now.state);
    task_clear(&now);
}

static int restore(session *self, const arguments *given, const task *found)
{
    search wanted = {.name = given->checkpoint};
    wfsm_restore_point from = {.size = sizeof from};
    int code = given->before ? look_before(self, found->id, given->before, &from.revision)
                             : look_for_checkpoint(self, found, &wanted);

    if (!given->before)
        from.checkpoint = wanted.id;
    if (code == END_FINE)
        code = go_back(self, found, &from);
    if (code == END_FINE) {
        say_restored(self, found->id, given->before ? "before" : "checkpoint:",
                     given->before ? given->before : wanted.id);
        code = session_adopt(self, found->root);
    }
    return code == END_FINE ? session_drive(self) : code;
}

static int can_restore(const task *one)
{
    return !one->stored.ended;
}

/* Which one is meant when no id is given. */
static int has_failed(const task *one)
{
    return strcmp(one->state, "ERROR") == 0 || strcmp(one->state, "RECOVERING") == 0;
}

int cmd_restore(const arguments *given, const settings *with)
{
    task found;
    int code;

    if (given->before && given->checkpoint) {
        print_error("restore: a checkpoint or --before, not both; see --help");
        return END_USAGE;
    }
    code =
        given->operand || given->feature
            ? find(given, with, can_restore, &found,
                   "Nothing to restore: what is ABORTED, or a feature that is over, stays so")
            : find(given, with, has_failed, &found,
                   "Nothing to restore: no task is in ERROR or RECOVERING; name the task");

    if (code == END_FINE)
        code = with_session(given, with, &found, restore);
    task_clear(&found);
    return code;
}
