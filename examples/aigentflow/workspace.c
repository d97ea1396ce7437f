#include "workspace.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "commits.h"
#include "rewound.h"
#include "shared/files.h"
#include "shared/worktree.h"
#include "shared/worktree_git.h"
#include "tasks.h"

void workspace_begin(workspace *self)
{
    memset(self, 0, sizeof *self);
    self->held = -1;
}

void workspace_end(workspace *self)
{
    if (self->held >= 0)
        (void)close(self->held);
    json_decref(self->place);
    json_decref(self->notes);
    json_decref(self->refused);
    workspace_begin(self);
}

static int failed(const char *id, const host_error *why)
{
    print_error("%s: its workspace: %s", id, why->message);
    return END_STORE;
}

void workspace_note(workspace *self, const char *key, json_t *value)
{
    if (!self->notes)
        self->notes = json_object();
    json_object_set_new(self->notes, key, value);
}

/* ---- the project itself ---- */

static int is_there(const task *one)
{
    const json_t *place = task_place(one);

    return task_is_unfinished(one) && json_is_object(place) && host_worktree_is_shared(place);
}

static int check_alone(const settings *with, wfsm_store *store, const char *id)
{
    task_list others;
    size_t index;
    int code = tasks_read(&others, store, with, 0, is_there);

    for (index = 0; index < others.count && code == END_FINE; index++) {
        const char *other = others.all[index].id;
        if (strcmp(other, id) == 0)
            continue;
        print_error("%s: %s is not over yet, and workspace = \"shared\" allows one task: "
                    "`aigentflow resume %s` or `aigentflow abort %s`",
                    with->project, other, other, other);
        code = END_STORE;
    }
    tasks_clear(&others);
    return code;
}

static int hold(workspace *self, const settings *with)
{
    self->held = open(with->project, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (self->held < 0 || flock(self->held, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK)
        return END_FINE;
    print_error("%s: another task is at work there, and workspace = \"shared\" allows one",
                with->project);
    return END_STORE;
}

/* ---- planning ---- */

static int share(workspace *self, const settings *with)
{
    self->place = host_worktree_shared(with->project);
    self->is_shared = 1;
    return hold(self, with);
}

static int plan_own(workspace *self, const settings *with, const char *id)
{
    const char *const hidden[] = {with->store, with->logs, with->worktrees, NULL};
    host_error why = {"out of memory"};
    char *into;

    self->place = host_worktree_plan(with->project, with->worktrees, id, hidden, &why);
    if (!self->place)
        return failed(id, &why);
    into = git_find_branch(self->place);
    json_object_set_new(self->place, "into", json_string(into ? into : "HEAD"));
    free(into);
    return END_FINE;
}

int workspace_plan(workspace *self, const settings *with, wfsm_store *store, const char *id)
{
    int code = with->is_shared ? check_alone(with, store, id) : END_FINE;

    if (code == END_FINE)
        code = with->is_shared ? share(self, with) : plan_own(self, with, id);
    if (code != END_FINE)
        return code;
    workspace_note(self, "commit", json_string("")); /* nothing yet */
    return code;
}

int workspace_make(workspace *self, const char *id)
{
    host_error why = {"out of memory"};

    return host_worktree_make(self->place, &why) == 0 ? END_FINE : failed(id, &why);
}

/* ---- of a task that is stored ---- */

static int is_fork(const task *read)
{
    const char *name = host_stored_text(&read->stored, "taskId");

    return *name && strcmp(name, read->id) != 0;
}

static int make_fork(workspace *self, const settings *with, wfsm_store *store, const task *read)
{
    const json_t *source = task_place(read);
    const char *commit = git_text_of(task_metadata(read), "commit");
    host_error why = {"out of memory"};
    int code = workspace_plan(self, with, store, read->id);

    workspace_note(self, "landing", json_null());
    if (code != END_FINE || self->is_shared)
        return code;
    if (workspace_make(self, read->id) != END_FINE)
        return END_STORE;
    if (*commit && commits_take(self->place, source, commit, &why) != 0)
        return failed(read->id, &why);
    return END_FINE;
}

/* A process may have been killed while the task went back. */
static int end_rewind(workspace *self, wfsm_store *store, const char *id)
{
    wfsm_error *error = wfsm_error_new(NULL);
    host_error why = {"out of memory"};
    int what, code = END_FINE;

    if (host_rewound(&what, store, id, error) != WFSM_OK)
        code = library_failed(id, error);
    else if (rewound_end(self, what == HOST_REWOUND_RESTORED, &why) != 0)
        code = failed(id, &why);
    wfsm_error_free(error);
    return code;
}

static int find(workspace *self, const settings *with, wfsm_store *store, const task *read)
{
    json_t *place = task_place(read);
    int is_own = json_is_object(place) && !host_worktree_is_shared(place), code;

    if (!json_is_object(place))
        return strcmp(read->state, "IDLE") == 0 ? END_FINE : share(self, with);
    if (!is_own)
        return share(self, with);
    if (is_fork(read))
        return make_fork(self, with, store, read);
    self->place = json_incref(place);
    self->is_judged = 1;
    code = workspace_make(self, read->id);
    return code == END_FINE ? end_rewind(self, store, read->id) : code;
}

int workspace_find(workspace *self, const settings *with, wfsm_store *store, const char *id)
{
    task read, root;
    int code = task_read(&read, store, with, id);

    memset(&root, 0, sizeof root);
    if (code == END_FINE)
        code = task_read(&root, store, with, read.root);
    if (code == END_FINE)
        code = find(self, with, store, &root);
    task_clear(&root);
    task_clear(&read);
    return code;
}

/* ---- of a feature ---- */

static int is_worktree(const char *root)
{
    char *link = host_path_join(root, ".git");
    int found = link && access(link, F_OK) == 0;

    free(link);
    return found;
}

json_t *workspace_of_feature(const settings *with, const json_t *context)
{
    const char *root = git_text_of(context, "worktreePath");
    const char *branch = git_text_of(context, "branch");
    size_t length = strlen(with->worktrees);

    if (!*branch || strncmp(root, with->worktrees, length) != 0 || root[length] != '/' ||
        !is_worktree(root))
        return NULL;
    return json_pack("{s:s, s:s, s:s, s:s, s:s}", "kind", "worktree", "project", with->project,
                     "root", root, "folder", root, "branch", branch);
}

/* ---- for the session ---- */

const char *workspace_folder(const workspace *self, const settings *with)
{
    return self->place ? host_worktree_folder(self->place) : with->project;
}

json_t *workspace_metadata(workspace *self, const json_t *context)
{
    json_t *made = self->notes ? json_deep_copy(json_object_get(context, "metadata")) : NULL;

    if (!made)
        return NULL;
    (void)json_object_update(made, self->notes);
    json_object_set(made, "place", self->place); /* a restore may be to before it was told */
    json_object_set_new(made, "project", json_string(host_worktree_folder(self->place)));
    json_decref(self->notes);
    self->notes = NULL;
    return made;
}
