/* restore and fork: a task goes back to a checkpoint or a revision, or another task begins there. */
#include "aigentflow.h"

#include <stdio.h>
#include <string.h>

#include <wfsm/agents.h>
#include "one_task.h"
#include "rewound.h"
#include "shared/person.h"
#include "wfsm/shown.h"

typedef struct search {
    const char *name; /* NULL: the newest */
    char id[HOST_STATE_SIZE];
    uint64_t revision;
} search;

static int32_t take(void *user, const wfsm_row *row)
{
    search *self = user;

    if (self->name && strcmp(self->name, row->id) != 0)
        return WFSM_OK;
    (void)snprintf(self->id, sizeof self->id, "%s", row->id);
    self->revision = row->revision;
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

static int point_failed(session *self, const char *id)
{
    if (wfsm_error_status(self->error) != WFSM_NOT_FOUND)
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

static int go_back(session *self, const task *found, const wfsm_restore_point *from,
                   uint64_t revision)
{
    int32_t outcome = 0;
    int code = END_FINE;

    if (!task_is_feature(found))
        code = rewound_begin(self, revision);
    if (code == END_FINE && strcmp(found->state, "ERROR") == 0)
        code = session_send(self, found->id, "START_RECOVERY", NULL, NULL, &outcome);
    if (code != END_FINE)
        return code;
    if (wfsm_engine_restore(self->engine, found->id, from, wfsm_agents_now(), &outcome,
                            self->error) != WFSM_OK)
        return point_failed(self, found->id);
    return END_FINE;
}

static void say_restored(session *self, const char *id, const wfsm_restore_point *from)
{
    task now = {.id = ""};
    const arguments *given = self->given;

    if (given->json || task_read(&now, self->store, self->with, id) != END_FINE) {
        task_clear(&now);
        return;
    }
    if (given->back.before)
        shown_printf("Restored before %s to state %s\n", given->back.before, now.state);
    else if (given->back.at)
        shown_printf("Restored revision %s to state %s\n", given->back.at, now.state);
    else
        shown_printf("Restored checkpoint: %s to state %s\n", from->checkpoint, now.state);
    task_clear(&now);
}

static int is_back(const arguments *given)
{
    return given->back.before || given->back.at;
}

/* The point is in `from`, and the name of a checkpoint in `wanted`. */
static int find_point(session *self, const task *found, search *wanted,
                      wfsm_restore_point *from)
{
    const arguments *given = self->given;

    if (is_back(given))
        return host_rewind_point(&given->back, self->store, found->id, from, self->error) ==
                       WFSM_OK
                   ? END_FINE
                   : point_failed(self, found->id);
    *from = (wfsm_restore_point){.size = sizeof *from,
                                 .checkpoint = wanted->id,
                                 .interface = WFSM_INTERFACE_COMMAND,
                                 .sender = host_person()};
    return look_for_checkpoint(self, found, wanted);
}

static uint64_t revision_of(const session *self, const wfsm_restore_point *from,
                            const search *wanted)
{
    return is_back(self->given) ? from->revision : wanted->revision;
}

static int restore(session *self, const arguments *given, const task *found)
{
    search wanted = {.name = given->checkpoint};
    wfsm_restore_point from;
    int code = find_point(self, found, &wanted, &from);

    if (code == END_FINE)
        code = go_back(self, found, &from, revision_of(self, &from, &wanted));
    if (code == END_FINE) {
        say_restored(self, found->id, &from);
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

/* A checkpoint's name, or a revision. */
static int check_back(const arguments *given, const char *command)
{
    const char *why;

    if (!is_back(given))
        return END_FINE;
    if (given->checkpoint) {
        print_error("%s: a checkpoint or a revision, not both; see --help", command);
        return END_USAGE;
    }
    if (host_rewind_check(&given->back, &why) == 0)
        return END_FINE;
    print_error("%s; see --help", why);
    return END_USAGE;
}

int cmd_restore(const arguments *given, const settings *with)
{
    task found = {.id = ""};
    int code = check_back(given, "restore");

    if (code == END_FINE)
        code = given->operand || given->feature
                   ? one_task_find(given, with, can_restore, &found,
                                   "Nothing to restore: what is ABORTED, or a feature that is "
                                   "over, stays so")
                   : one_task_find(given, with, has_failed, &found,
                                   "Nothing to restore: no task is in ERROR or RECOVERING; "
                                   "name the task");
    if (code == END_FINE)
        code = one_task_take(given, with, &found, restore);
    task_clear(&found);
    return code;
}

/* ---- fork ---- */

static int is_at_features(const host_stored *made)
{
    const json_t *one;
    size_t index;

    json_array_foreach(made->invocations, index, one)
    {
        const char *name = json_string_value(json_object_get(one, "src"));
        if (name && strcmp(name, "machine:feature") == 0)
            return 1;
    }
    return 0;
}

/* Their worktrees are those of the source. */
static int check_features(session *self)
{
    const char *id = self->given->new_id;
    host_stored made;
    int32_t status = host_stored_read(&made, self->store, id, self->error);
    int at_features = status == WFSM_OK && is_at_features(&made);

    host_stored_clear(&made);
    if (at_features)
        status = wfsm_store_remove(self->store, id, self->error);
    if (status != WFSM_OK)
        return library_failed(id, self->error);
    if (!at_features)
        return END_FINE;
    print_error("%s: features are at work at that revision; fork before or after them, for "
                "example with --before machine:feature",
                self->given->operand);
    return END_OTHER;
}

static int fork_failed(session *self, int32_t status, const char *id)
{
    const char *made = self->given->new_id;

    if (status == WFSM_EXISTS)
        print_error("%s: there is such a task already", made);
    else if (status == WFSM_DENIED)
        print_error("%s: %s", id, wfsm_error_message(self->error));
    else if (status == WFSM_INVALID) {
        print_error("%s: %s", made, wfsm_error_message(self->error));
        return END_USAGE;
    } else
        return point_failed(self, id);
    return END_OTHER;
}

static int make_fork(session *self, const task *found)
{
    search wanted = {.name = self->given->checkpoint};
    wfsm_restore_point from;
    wfsm_instance *source = NULL, *made = NULL;
    int32_t status;
    int code = find_point(self, found, &wanted, &from);

    if (code != END_FINE)
        return code;
    status = wfsm_instance_load(&source, NULL, self->store, NULL, found->id, self->error);
    if (status == WFSM_OK)
        status = wfsm_instance_fork(&made, source, &from, self->given->new_id,
                                    wfsm_agents_now(), self->error);
    code = status == WFSM_OK
               ? rewound_fork(self, found, revision_of(self, &from, &wanted), made)
               : fork_failed(self, status, found->id);
    wfsm_instance_free(made);
    wfsm_instance_free(source);
    return code == END_FINE ? check_features(self) : code;
}

static int fork_and_drive(const arguments *given, const settings *with, const task *found)
{
    session self;
    int code = session_open(&self, with, given);

    if (code == END_FINE)
        code = make_fork(&self, found);
    if (code == END_FINE && !given->json)
        shown_printf("%s: forked from %s\n", given->new_id, found->id);
    if (code == END_FINE)
        code = session_adopt(&self, given->new_id);
    if (code == END_FINE)
        code = session_drive(&self);
    session_close(&self);
    return code;
}

static int is_task(const task *one)
{
    return !task_is_feature(one);
}

int cmd_fork(const arguments *given, const settings *with)
{
    task found = {.id = ""};
    int code = check_back(given, "fork");

    if (code == END_FINE && (!given->operand || !given->new_id)) {
        print_error("fork: expected the id of a task and the id of the new one; see --help");
        code = END_USAGE;
    }
    if (code == END_FINE)
        code = one_task_find(given, with, is_task, &found, "A feature is forked with its task");
    if (code == END_FINE)
        code = fork_and_drive(given, with, &found);
    task_clear(&found);
    return code;
}
