#include "rewound.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commits.h"
#include "shared/owner.h"
#include "shared/worktree.h"
#include "shared/worktree_git.h"
#include "wfsm/record.h"

/* ---- what the files were ---- */

static int is_worker(const char *agent)
{
    return strcmp(agent, "router") != 0 && strcmp(agent, "task_analyzer") != 0;
}

static int has_worker(const json_t *invocations, const char *key)
{
    const json_t *one;
    size_t index;

    json_array_foreach(invocations, index, one)
    {
        if (is_worker(record_string(one, key)))
            return 1;
    }
    return 0;
}

typedef struct search {
    int is_busy;  /* an agent is at work at that revision: it begins again */
    int is_over;  /* later records are about other files */
    int is_known; /* a later record told `commit`; otherwise the context had it */
    char *commit;
} search;

/* Takes the last commit that was told before the agent at work answered, another one began, or the task
 * went back. */
static int32_t take(void *user, const wfsm_row *row)
{
    search *self = user;
    json_t *record = json_loadb(row->text, row->length, 0, NULL);
    const json_t *input = json_object_get(record, "input");
    const char *kind = record_string(input, "kind");
    const json_t *metadata = json_object_get(json_object_get(input, "patch"), "metadata");

    if (strcmp(kind, "restore") == 0 ||
        has_worker(json_object_get(record, "invocations"), "agent") ||
        (self->is_busy && (strcmp(kind, "result") == 0 || strcmp(kind, "failure") == 0)))
        self->is_over = 1;
    if (!self->is_over && *record_string(metadata, "commit")) {
        free(self->commit);
        self->commit = strdup(record_string(metadata, "commit"));
        self->is_known = 1;
    }
    json_decref(record);
    return self->commit ? WFSM_OK : WFSM_NO_MEMORY;
}

/* The commit that the context had at this revision, and whether an agent was at work. */
static int32_t read_then(wfsm_store *store, const char *id, uint64_t revision, search *found,
                         wfsm_error *error)
{
    host_stored then;
    int32_t status = host_stored_read_at(&then, store, id, revision, error);

    if (status == WFSM_OK) {
        found->is_busy = has_worker(then.invocations, "src");
        found->commit =
            strdup(record_string(json_object_get(then.context, "metadata"), "commit"));
        status = found->commit ? WFSM_OK : WFSM_NO_MEMORY;
    }
    host_stored_clear(&then);
    return status;
}

/* The files of this revision as a commit; "" if they are still there, or nobody knows them. Returns an exit
 * code, and prints an error. */
static int commit_at(wfsm_store *store, const char *id, uint64_t revision,
                     char commit[GIT_REF_SIZE], wfsm_error *error)
{
    wfsm_head head = {.size = sizeof head};
    search found = {0};
    int32_t status = wfsm_store_head(store, id, &head, error);

    *commit = '\0';
    if (status == WFSM_OK)
        status = read_then(store, id, revision, &found, error);
    if (status == WFSM_OK && revision < head.revision)
        status =
            wfsm_store_records(store, id, revision + 1, head.revision, take, &found, error);
    if (status == WFSM_OK && (found.is_known || found.is_busy || found.is_over))
        (void)snprintf(commit, GIT_REF_SIZE, "%s", found.commit);
    free(found.commit);
    /* A checkpoint may be older than the journal: then nobody knows. */
    return status == WFSM_OK || status == WFSM_NOT_FOUND ? END_FINE : library_failed(id, error);
}

/* ---- before ---- */

/* Makes a commit of the present files, under this name; it is malloc'ed. NULL and an error. */
static char *keep(const json_t *place, const char *name, host_error *error)
{
    if (commits_keep(place, "before the task went back", error) != 0 ||
        git_run(place, GIT_TASK, error, "update-ref", name, "HEAD", NULL) != 0)
        return NULL;
    return git_line(place, GIT_TASK, error, "rev-parse", "HEAD", NULL);
}

static void say_kept(const session *self, const char *name)
{
    char line[2 * GIT_REF_SIZE];

    (void)snprintf(line, sizeof line,
                   "the files go back, too; git keeps the newer ones as %s in %.300s", name,
                   host_worktree_folder(self->place.place));
    wfsm_progress_note(self->progress, self->id, line);
}

/* The task is told the commit of its present files first: a later restore reads it there. */
static int begin(session *self, uint64_t revision, host_error *why)
{
    const json_t *place = self->place.place;
    wfsm_instance *instance = wfsm_engine_instance(self->engine, self->id);
    char number[32], name[GIT_REF_SIZE], back[GIT_REF_SIZE], commit[GIT_REF_SIZE];
    char *now;
    int code = END_OTHER;

    (void)snprintf(number, sizeof number, "%llu",
                   (unsigned long long)wfsm_instance_revision(instance));
    git_own_ref(place, "kept", number, name);
    now = keep(place, name, why);
    if (now) {
        workspace_note(&self->place, "commit", json_string(now));
        code = session_tell_notes(self);
    }
    if (code == END_FINE)
        code = commit_at(self->store, self->id, revision, commit, self->error);
    git_own_ref(place, "back", NULL, back);
    if (code == END_FINE && *commit &&
        git_run(place, GIT_TASK, why, "update-ref", back, commit, NULL) != 0)
        code = END_OTHER;
    if (code == END_FINE && *commit && strcmp(commit, now) != 0)
        say_kept(self, name);
    free(now);
    return code;
}

int rewound_begin(session *self, uint64_t revision)
{
    host_error why = {"out of memory"};
    int lock, code = END_OTHER;

    if (!self->place.place || self->place.is_shared)
        return END_FINE;
    lock = git_lock(self->place.place, &why);
    if (lock >= 0)
        code = begin(self, revision, &why);
    git_unlock(lock);
    if (code == END_OTHER)
        print_error("%s: its workspace: %s", self->id, why.message);
    return code == END_OTHER ? END_STORE : code;
}

/* ---- after ---- */

static int forget(const json_t *place, const char *back, host_error *error)
{
    return git_run(place, GIT_TASK, error, "update-ref", "-d", back, NULL) == 0 ? 0 : -1;
}

int rewound_take(workspace *at, host_error *error)
{
    char back[GIT_REF_SIZE];
    char *commit;
    int done;

    git_own_ref(at->place, "back", NULL, back);
    commit = git_line(at->place, GIT_TASK, NULL, "rev-parse", "--verify", "-q", back, NULL);
    if (!commit)
        return 0;
    done = commits_put_back(at->place, commit, error);
    if (done == 0)
        done = forget(at->place, back, error);
    if (done == 0)
        workspace_note(at, "commit", json_string(commit));
    free(commit);
    return done;
}

int rewound_end(workspace *at, int is_back, host_error *error)
{
    char back[GIT_REF_SIZE];
    int lock = git_lock(at->place, error), done = -1;

    git_own_ref(at->place, "back", NULL, back);
    if (lock >= 0)
        done = is_back ? rewound_take(at, error) : forget(at->place, back, error);
    git_unlock(lock);
    return done;
}

/* ---- a fork ---- */

/* The present files as a commit. NULL if another process works there, or the workspace was removed. */
static char *commit_of(const task *source, const json_t *place)
{
    char *commit = NULL;
    int lock;

    if (!json_is_object(place) || host_worktree_is_shared(place) ||
        host_owner_is_at_work(source->stored.owner))
        return NULL;
    lock = git_lock(place, NULL);
    if (lock >= 0 && commits_keep(place, "before a fork", NULL) == 0)
        commit = git_line(place, GIT_TASK, NULL, "rev-parse", "HEAD", NULL);
    git_unlock(lock);
    return commit;
}

static int tell_made(wfsm_instance *made, const char *commit, wfsm_error *error)
{
    size_t length = 0;
    const char *text = wfsm_instance_context(made, &length);
    json_t *context = text ? json_loadb(text, length, 0, NULL) : NULL;
    json_t *metadata = json_object_get(context, "metadata"), *patch = NULL;
    int32_t outcome, status = WFSM_NO_MEMORY;
    char *dump;

    if (json_object_set_new(metadata, "commit", json_string(commit)) == 0)
        patch = json_pack("{s:O}", "metadata", metadata);
    dump = patch ? json_dumps(patch, JSON_COMPACT) : NULL;
    if (dump)
        status =
            wfsm_instance_patch(made, dump, strlen(dump), wfsm_agents_now(), &outcome, error);
    free(dump);
    json_decref(patch);
    json_decref(context);
    return status == WFSM_OK ? END_FINE : library_failed("fork", error);
}

int rewound_fork(session *self, const task *source, uint64_t revision, wfsm_instance *made)
{
    char commit[GIT_REF_SIZE];
    char *now = NULL;
    int code = commit_at(self->store, source->id, revision, commit, self->error);

    if (code == END_FINE && !*commit)
        now = commit_of(source, task_place(source));
    if (code == END_FINE && (now || *commit))
        code = tell_made(made, now ? now : commit, self->error);
    free(now);
    return code;
}
