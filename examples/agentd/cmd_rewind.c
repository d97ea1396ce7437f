/* agentd restore and fork: a change goes back to a revision, or another change begins there. No agent
 * is asked: `resume`, plan and impl do that. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "durable.h"
#include "folder.h"
#include "rewound.h"
#include "shared/rewind.h"
#include "state_sync.h"
#include "work.h"

static int check_point(const arguments *given)
{
    const char *why;

    if (host_rewind_check(&given->back, &why) == 0)
        return END_DONE;
    print_error("%s; see --help", why);
    return END_USAGE;
}

static int refuse_ended(const char *id)
{
    print_error("%s: the phase is Archived; a new change needs another id", id);
    return END_REFUSED;
}

/* Of an agent whose workflow is over, the journal of the change has nothing. */
static int refuse_point(const work *self)
{
    const char *id = self->run.id;

    print_error("%s", wfsm_error_message(self->run.error));
    print_error(
        "agents are asked by the workflows plan and impl: --before plan and --before "
        "impl go back to where these began; `agentd plan %s --again` asks the challenger "
        "once more, and `agentd impl %s --review` the reviewer",
        id, id);
    return END_REFUSED;
}

static int point_failed(const work *self)
{
    int32_t status = wfsm_error_status(self->run.error);

    if (status == WFSM_NOT_FOUND)
        return refuse_point(self);
    if (status != WFSM_DENIED)
        return library_failed(self->run.id, self->run.error);
    print_error("%s: %s", self->run.id, wfsm_error_message(self->run.error));
    return END_REFUSED;
}

/* What happened in the change itself, else in its workflow at work. *id is borrowed. */
static int find_point(work *self, const arguments *given, wfsm_restore_point *point,
                      const char **id)
{
    int32_t status =
        host_rewind_point(&given->back, self->run.store, self->run.id, point, self->run.error);

    *id = self->run.id;
    if (status == WFSM_NOT_FOUND && given->back.before && *self->now.workflow) {
        *id = self->now.workflow;
        status = host_rewind_point(&given->back, self->run.store, *id, point, self->run.error);
    }
    return status == WFSM_OK ? END_DONE : point_failed(self);
}

static int open_known(work *self, const arguments *given)
{
    int code = check_point(given);

    memset(self, 0, sizeof *self);
    if (code == END_DONE)
        code = work_open(self, given);
    if (code == END_DONE && !self->known) {
        print_error("%s: there is no such change", given->id);
        code = END_REFUSED;
    }
    return code;
}

static void tell(const work *self)
{
    const char *name = self->now.has_phase ? phase_name(self->now.phase) : "none";

    show_result(&self->run.show, SHOW_DONE, "Back: phase=%s", name);
    if (self->now.resting)
        show_line("Next: agentd status %s", self->now.id);
    else
        show_line("Next: agentd resume %s   (a workflow of it begins again)", self->now.id);
}

/* ---- restore ---- */

/* The change is this process's already, and its workflow may be. */
static int32_t restore_one(work *self, const char *id, const wfsm_restore_point *point)
{
    int32_t outcome, status = WFSM_OK;

    if (strcmp(id, self->run.id) != 0 && !wfsm_engine_instance(self->run.engine, id)) {
        (void)wfsm_owner_release(self->run.store, id, NULL);
        status = wfsm_engine_adopt(self->run.engine, id, wfsm_agents_now(), self->run.error);
    }
    if (status == WFSM_OK)
        status = wfsm_engine_restore(self->run.engine, id, point, wfsm_agents_now(), &outcome,
                                     self->run.error);
    return status;
}

static int restore_with_files(work *self, rewound *files, const char *id,
                              const wfsm_restore_point *point)
{
    int code = rewound_begin(files, self, id, point->revision);

    if (code == REWOUND_UNKNOWN ||
        (code == END_DONE && restore_one(self, id, point) != WFSM_OK))
        code = point_failed(self);
    return code == END_DONE ? rewound_end(files, self, id) : code;
}

static int restore(work *self, const arguments *given, rewound *files)
{
    wfsm_restore_point point;
    const char *id;
    int code = find_point(self, given, &point, &id);

    if (code == END_DONE)
        code = restore_with_files(self, files, id, &point);
    if (code == END_DONE)
        code = work_look(self);
    if (code == END_DONE)
        code = state_sync(&self->at, &self->now, 0);
    return code;
}

int cmd_restore(const arguments *given)
{
    work self;
    rewound files = {.known = NULL};
    int code = open_known(&self, given);

    if (code == END_DONE && self.now.stored.ended)
        code = refuse_ended(given->id);
    if (code == END_DONE)
        code = work_own(&self);
    if (code == END_DONE)
        code = restore(&self, given, &files);
    if (code == END_DONE)
        tell(&self);
    if (code == END_DONE && *files.kept)
        show_line("The code is back, too; git keeps the newer code as %s in %s", files.kept,
                  workspace_root(&self.at));
    rewound_clear(&files);
    work_close(&self);
    return code;
}

/* ---- fork ---- */

static int check_new(const work *self, const char *id)
{
    host_error why;
    wfsm_head head = {.size = sizeof head};
    char *folder, *archived;
    int taken;

    if (change_id_check(id, &why) != 0)
        return host_failed(&why, END_USAGE);
    folder = change_path(&self->at.in, id, NULL, NULL);
    archived = archived_path(&self->at.in, id, NULL, NULL);
    taken = !folder || !archived || access(folder, F_OK) == 0 || access(archived, F_OK) == 0 ||
            wfsm_store_head(self->run.store, id, &head, NULL) == WFSM_OK;
    free(archived);
    free(folder);
    if (!taken)
        return END_DONE;
    print_error("%s: there is such a change already", id);
    return END_REFUSED;
}

static int write_file(const work *self, const char *id, const char *name, const char *text)
{
    host_error why;
    char *path = change_path(&self->at.in, id, name, &why);
    int done = path ? durable_write(path, text, strlen(text), &why) : -1;

    free(path);
    return done == 0 ? END_DONE : host_failed(&why, END_STORE);
}

static int make_folder(const work *self, const char *id, const char *name)
{
    host_error why;
    char *path = change_path(&self->at.in, id, name, &why);
    int done = path ? durable_folder(path, &why) : -1;

    free(path);
    return done == 0 ? END_DONE : host_failed(&why, END_STORE);
}

static int copy_documents(work *self, const char *id)
{
    host_error why;
    json_t *texts = rewound_texts(self, id, &why), *text;
    const char *name;
    int code = texts ? make_folder(self, id, "specs") : host_failed(&why, END_STORE);

    json_object_foreach(texts, name, text) if (code == END_DONE) code =
        write_file(self, id, name, json_string_value(text));
    json_decref(texts);
    return code;
}

static int refuse_fork(const work *self, const char *id, const char *why)
{
    if (wfsm_store_remove(self->run.store, id, self->run.error) != WFSM_OK)
        return library_failed(id, self->run.error);
    print_error("%s: %s", self->run.id, why);
    return END_REFUSED;
}

/* Its code would be in the workspace of the other change, and its workflow would write there. */
static int check_fork(const work *self, const char *id)
{
    change made;
    int code = END_DONE;

    if (change_read(&made, self->run.store, id, self->run.error) != WFSM_OK)
        code = library_failed(id, self->run.error);
    else if (!made.resting)
        code = refuse_fork(self, id,
                           "a workflow is at work at that revision; fork before it, "
                           "with --before plan or --before impl");
    else if (made.has_phase && made.phase >= PHASE_IMPLEMENTING)
        code = refuse_fork(self, id,
                           "there is code at that revision, in a workspace of its own; "
                           "fork before it, with --before impl");
    change_clear(&made);
    return code;
}

static int32_t make_instance(const work *self, const char *id, const wfsm_restore_point *point)
{
    wfsm_instance *source = NULL, *made = NULL;
    json_t *patch = json_pack("{s:s}", "change", id);
    char *text = patch ? json_dumps(patch, JSON_COMPACT) : NULL;
    int32_t outcome, status = text ? WFSM_OK : WFSM_NO_MEMORY;

    if (status == WFSM_OK)
        status = wfsm_instance_load(&source, NULL, self->run.store, NULL, self->run.id,
                                    self->run.error);
    if (status == WFSM_OK)
        status =
            wfsm_instance_fork(&made, source, point, id, wfsm_agents_now(), self->run.error);
    if (status == WFSM_OK)
        status = wfsm_instance_patch(made, text, strlen(text), wfsm_agents_now(), &outcome,
                                     self->run.error);
    wfsm_instance_free(made);
    wfsm_instance_free(source);
    free(text);
    json_decref(patch);
    return status;
}

static int fork_change(work *self, const arguments *given)
{
    wfsm_restore_point point;
    int code = check_new(self, given->new_id);

    if (code == END_DONE && host_rewind_point(&given->back, self->run.store, self->run.id,
                                              &point, self->run.error) != WFSM_OK)
        code = point_failed(self);
    if (code == END_DONE && make_instance(self, given->new_id, &point) != WFSM_OK)
        code = point_failed(self);
    if (code == END_DONE)
        code = check_fork(self, given->new_id);
    return code == END_DONE ? copy_documents(self, given->new_id) : code;
}

/* Writes its STATE.yaml, and says what it is. */
static int open_fork(const arguments *given)
{
    const arguments made = {.id = given->new_id};
    work self;
    int code = work_open(&self, &made);

    if (code == END_DONE)
        code = work_own(&self);
    if (code == END_DONE)
        tell(&self);
    work_close(&self);
    return code;
}

int cmd_fork(const arguments *given)
{
    work self;
    int code = open_known(&self, given);

    if (code == END_DONE)
        code = fork_change(&self, given);
    work_close(&self);
    return code == END_DONE ? open_fork(given) : code;
}
