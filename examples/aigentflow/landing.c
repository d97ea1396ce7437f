#include "landing.h"

#include <stdlib.h>
#include <string.h>

#include <wfsm/agents.h>
#include "commits.h"
#include "shared/worktree.h"
#include "shared/worktree_git.h"

typedef struct landing {
    session *self;
    json_t *context;
    const json_t *place, *metadata;
    host_error why;
} landing;

static const char *status_of(const json_t *metadata)
{
    return git_text_of(json_object_get(metadata, "landing"), "status");
}

/* ---- telling the task ---- */

static json_t *with_note(landing *all, const char *key, json_t *value)
{
    workspace_note(&all->self->place, key, value);
    return json_pack("{s:o?}", "metadata", workspace_metadata(&all->self->place, all->context));
}

/* ---- once more ---- */

static int go_back(session *self)
{
    wfsm_restore_point from = {.size = sizeof from, .interface = WFSM_INTERFACE_COMMAND};
    wfsm_instance *instance = wfsm_engine_instance(self->engine, self->id);
    int32_t outcome;

    if (host_rewind_before("router", wfsm_instance_revision(instance), self->store, self->id,
                           &from.revision, self->error) == WFSM_OK &&
        wfsm_engine_restore(self->engine, self->id, &from, wfsm_agents_now(), &outcome,
                            self->error) == WFSM_OK)
        return END_FINE;
    return library_failed(self->id, self->error);
}

/* A person who has approved it has approved what was there. */
static int again(landing *all, const char *reason, int conflicts)
{
    static const char *const queue[] = {"merge_resolver", "tester", "reviewer"};
    json_t *changes = with_note(all, "landing", json_null()), *agents = json_array();
    size_t index;
    int code;

    for (index = conflicts ? 0 : 1; index < 3; index++)
        json_array_append_new(agents, json_string(queue[index]));
    json_object_set_new(changes, "agentQueue", agents);
    json_object_set_new(changes, "testOwed", json_true());
    json_object_set_new(changes, "reviewOwed", json_true());
    json_object_set_new(changes, "asked", json_false());
    json_object_set_new(changes, "rework",
                        json_pack("{s:s, s:s, s:s}", "by", "git_agent", "agent",
                                  conflicts ? queue[0] : queue[1], "reason", reason));
    wfsm_progress_note(all->self->progress, all->self->id, reason);
    code = go_back(all->self);
    if (code != END_FINE) {
        json_decref(changes);
        return code;
    }
    return session_patch(all->self, changes);
}

/* ---- is it what was judged? ---- */

/* What nobody has tested or reviewed needs no verdict: that is for the router to decide. */
static int is_judged(const landing *all, const char *tree)
{
    const char *tested = git_text_of(all->metadata, "tested");
    const char *reviewed = git_text_of(all->metadata, "reviewed");

    return (!*tested || strcmp(tested, tree) == 0) &&
           (!*reviewed || strcmp(reviewed, tree) == 0);
}

/* ---- to the project ---- */

static json_t *describe_change(landing *all, const char *base)
{
    char *commit = git_line(all->place, GIT_TASK, &all->why, "rev-parse", "HEAD", NULL);
    char *tree = git_line(all->place, GIT_TASK, &all->why, "rev-parse", "HEAD^{tree}", NULL);
    json_t *files = commits_changed(all->place, base, &all->why), *made = NULL;

    if (commit && tree && files)
        made = json_pack("{s:s, s:s, s:s, s:s, s:O}", "into", git_text_of(all->place, "into"),
                         "base", base, "commit", commit, "tree", tree, "files", files);
    json_decref(files);
    free(tree);
    free(commit);
    return made;
}

static int bring_change(landing *all, const json_t *change, int *is_again)
{
    json_t *done = host_worktree_land(all->place, change, "aigentflow", &all->why);
    const char *status = git_text_of(done, "status");
    int code = END_OTHER;

    *is_again = strcmp(status, "moved") == 0;
    if (*is_again) /* in this moment; its merge is on the branch */
        code =
            commits_put_back(all->place, git_text_of(json_object_get(done, "change"), "commit"),
                             &all->why) == 0
                ? again(all, git_text_of(done, "message"), 1)
                : host_failed(&all->why);
    else if (done)
        code = session_patch(all->self,
                             with_note(all, "landing",
                                       json_pack("{s:s, s:s, s:s, s:s, s:O}", "status", status,
                                                 "message", git_text_of(done, "message"),
                                                 "command", git_text_of(done, "command"),
                                                 "commit", git_text_of(change, "commit"),
                                                 "files", json_object_get(change, "files"))));
    json_decref(done);
    return code;
}

/* Its files are merged here, and not in the project. */
static int join(landing *all, const char *now)
{
    int conflicts;

    if (commits_join(all->place, now, &conflicts, &all->why) != 0)
        return END_OTHER;
    return again(all,
                 conflicts
                     ? "the project has changed meanwhile, and was merged with the work; it "
                       "has conflicts, which are marked in the files"
                     : "the project has changed meanwhile, and was merged with the work: see "
                       "whether it is still right",
                 conflicts);
}

static int bring_to(landing *all, const char *now, int *is_again)
{
    json_t *change;
    int code;

    *is_again = !commits_have(all->place, now);
    if (*is_again)
        return join(all, now);
    change = describe_change(all, now);
    code = change ? bring_change(all, change, is_again) : END_OTHER;
    json_decref(change);
    return code;
}

/* END_OTHER with a reason: it could not be brought there, and may be later. */
static int bring(landing *all, int *is_again)
{
    char *tree = NULL, *now = NULL;
    int code = END_OTHER;

    if (commits_keep(all->place, "changed after the last agent", &all->why) == 0)
        tree = git_line(all->place, GIT_TASK, &all->why, "rev-parse", "HEAD^{tree}", NULL);
    *is_again = tree && !is_judged(all, tree);
    if (*is_again)
        code = again(all, "it was changed after it was tested and reviewed", 0);
    else if (tree)
        now = git_project_head(all->place, git_text_of(all->place, "into"), &all->why);
    if (now)
        code = bring_to(all, now, is_again);
    free(now);
    free(tree);
    return code;
}

static int say_left(landing *all)
{
    return session_patch(all->self, with_note(all, "landing",
                                              json_pack("{s:s, s:s, s:s, s:s, s:[]}", "status",
                                                        "left", "message", all->why.message,
                                                        "command", "", "commit", "", "files")));
}

int landing_bring(session *self, int *is_again)
{
    size_t length = 0;
    wfsm_instance *instance = wfsm_engine_instance(self->engine, self->id);
    const char *text = instance ? wfsm_instance_context(instance, &length) : NULL;
    landing all = {.self = self, .why = {"out of memory"}};
    int code = END_FINE;

    *is_again = 0;
    if (!self->place.place || self->place.is_shared || !text)
        return code;
    all.context = json_loadb(text, length, 0, NULL);
    all.metadata = json_object_get(all.context, "metadata");
    all.place = self->place.place;
    if (strcmp(status_of(all.metadata), "landed") != 0) {
        code = bring(&all, is_again);
        if (code == END_OTHER) {
            *is_again = 0;
            code = say_left(&all);
        }
    }
    json_decref(all.context);
    return code;
}
