/* restore and fork: a task goes back to a revision, or another task begins there. */
#include "coordinator.h"

#include <stdio.h>
#include <string.h>

#include "alone.h"
#include "drive.h"
#include "shared/worktree.h"
#include "wfsm/address.h"
#include "wfsm/shown.h"

enum { ASKED_SIZE = 256 };

typedef struct rewinding {
    const arguments *given;
    const settings *with;
    wfsm_store *store;
    wfsm_error *error;
    wfsm_restore_point point;
} rewinding;

/* What is not there is the caller's mistake, like a task that has another outcome. */
static int point_failed(const rewinding *self)
{
    if (wfsm_error_status(self->error) == WFSM_NOT_FOUND) {
        print_error("%s", wfsm_error_message(self->error));
        return END_OTHER;
    }
    return library_failed(self->given->id, self->error);
}

/* "before reviewer", "revision 12" */
static void say_point(const rewinding *self)
{
    if (self->given->back.before)
        shown_printf("before %s\n", self->given->back.before);
    else
        shown_printf("revision %llu\n", (unsigned long long)self->point.revision);
}

/* What was built by then is in git only. */
static int check_change(const rewinding *self, const task *found)
{
    const char *id = self->given->id;
    uint64_t revision = self->point.revision;
    const json_t *change;
    task then;
    int32_t status = host_stored_read_at(&then, self->store, id, revision, self->error);
    int code = END_FINE;

    change = json_object_get(then.context, "change");
    if (status != WFSM_OK)
        code = point_failed(self);
    else if (!host_worktree_has(json_object_get(found->context, "place"), change)) {
        print_error("%s: the change of revision %llu (commit %.12s) is not there any more: its "
                    "workspace was removed",
                    id, (unsigned long long)revision,
                    json_string_value(json_object_get(change, "commit")));
        code = END_OTHER;
    }
    host_stored_clear(&then);
    return code;
}

static int find_point(rewinding *self, const task *found)
{
    const arguments *given = self->given;

    if (!found->over) {
        print_error("%s: it is not over yet; `coordinator abort %s` would end it", given->id,
                    given->id);
        return END_OTHER;
    }
    if (host_rewind_point(&given->back, self->store, given->id, &self->point, self->error) !=
        WFSM_OK)
        return point_failed(self);
    return check_change(self, found);
}

static int run_with_store(const arguments *given, const settings *with,
                          int (*does)(rewinding *self, const task *found))
{
    rewinding self = {.given = given, .with = with, .error = wfsm_error_new(NULL)};
    task found = {0};
    int code;

    if (address_open(&self.store, with->store, ADDRESS_WRITE, self.error) != WFSM_OK)
        code = library_failed("the store", self.error);
    else if (host_stored_read(&found, self.store, given->id, self.error) != WFSM_OK)
        code = library_failed(given->id, self.error);
    else
        code = find_point(&self, &found);
    if (code == END_FINE)
        code = does(&self, &found);
    host_stored_clear(&found);
    wfsm_store_free(self.store);
    wfsm_error_free(self.error);
    return code;
}

/* ---- restore ---- */

static int restore(rewinding *self, const task *found)
{
    if (!self->with->is_json) {
        shown_printf("%s: back to ", self->given->id);
        say_point(self);
    }
    return drive_restored(self->with, self->store, self->given->id, found, &self->point);
}

static int alone(rewinding *self, const task *found,
                 int (*does)(rewinding *self, const task *found))
{
    const json_t *place = json_object_get(found->context, "place");
    int held, code = alone_hold(place, &held);

    if (code == END_FINE)
        code = alone_check(place, self->given->id, self->store, self->error);
    if (code == END_FINE)
        code = does(self, found);
    alone_release(held);
    return code;
}

static int restore_alone(rewinding *self, const task *found)
{
    return alone(self, found, restore);
}

int cmd_restore(const arguments *given, const settings *with)
{
    return run_with_store(given, with, restore_alone);
}

/* ---- fork ---- */

/* The agent at work in a fork, with the workspace of its source in its input; "" if there is none.
 * What the host does itself it does in the new place. */
static int find_asked(const rewinding *self, char asked[ASKED_SIZE])
{
    task found = {0};
    const json_t *one;
    size_t index;
    int code = END_FINE;

    *asked = '\0';
    if (host_stored_read(&found, self->store, self->given->new_id, self->error) != WFSM_OK)
        code = library_failed(self->given->new_id, self->error);
    json_array_foreach(found.invocations, index, one)
    {
        const char *name = json_string_value(json_object_get(one, "src"));
        if (name && strcmp(name, "workspace") != 0 && strcmp(name, "commands") != 0)
            (void)snprintf(asked, ASKED_SIZE, "%s", name);
    }
    host_stored_clear(&found);
    return code;
}

static int misused_id(const rewinding *self)
{
    print_error("%s: %s", self->given->new_id, wfsm_error_message(self->error));
    return END_USAGE;
}

static int fork_once(rewinding *self)
{
    wfsm_instance *source = NULL, *made = NULL;
    int32_t status =
        wfsm_instance_load(&source, NULL, self->store, NULL, self->given->id, self->error);
    int code = END_FINE;

    if (status == WFSM_OK)
        status = wfsm_instance_fork(&made, source, &self->point, self->given->new_id,
                                    wfsm_agents_now(), self->error);
    if (status == WFSM_EXISTS) {
        print_error("%s: there is such a task already", self->given->new_id);
        code = END_OTHER;
    } else if (status != WFSM_OK)
        code = status == WFSM_INVALID ? misused_id(self) : point_failed(self);
    wfsm_instance_free(made);
    wfsm_instance_free(source);
    return code;
}

/* An agent at work begins again in any case: so the fork begins before it is asked. */
static int fork_before(rewinding *self, const char *asked)
{
    if (wfsm_store_remove(self->store, self->given->new_id, self->error) != WFSM_OK)
        return library_failed(self->given->new_id, self->error);
    if (host_rewind_before(asked, self->point.revision, self->store, self->given->id,
                           &self->point.revision, self->error) != WFSM_OK)
        return point_failed(self);
    return fork_once(self);
}

static int fork_task(rewinding *self, const task *found)
{
    char asked[ASKED_SIZE] = "";
    int is_shared = host_worktree_is_shared(json_object_get(found->context, "place"));
    int code = fork_once(self);

    if (code == END_FINE && !is_shared)
        code = find_asked(self, asked);
    while (code == END_FINE && *asked) {
        code = fork_before(self, asked);
        if (code == END_FINE)
            code = find_asked(self, asked);
    }
    return code;
}

static int drive(const rewinding *self, const char *id)
{
    task found = {0};
    int code;

    if (host_stored_read(&found, self->store, id, self->error) != WFSM_OK)
        code = library_failed(id, self->error);
    else
        code = drive_stored(self->with, self->store, id, &found);
    host_stored_clear(&found);
    return code;
}

static int fork_and_drive(rewinding *self, const task *found)
{
    const arguments *given = self->given;
    int code = fork_task(self, found);

    if (code == END_FINE && !self->with->is_json) {
        shown_printf("%s: forked from %s ", given->new_id, given->id);
        say_point(self);
    }
    return code == END_FINE ? drive(self, given->new_id) : code;
}

static int fork_alone(rewinding *self, const task *found)
{
    return alone(self, found, fork_and_drive);
}

int cmd_fork(const arguments *given, const settings *with)
{
    return run_with_store(given, with, fork_alone);
}
