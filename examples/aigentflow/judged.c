#include "judged.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "shared/files.h"
#include "shared/worktree_git.h"
#include "wfsm/record.h"

enum { REF_SIZE = 400 };

static int is_judge(const char *agent)
{
    return strcmp(agent, "tester") == 0 || strcmp(agent, "reviewer") == 0;
}

/* The commit lets one of them begin, also once more after a failure. */
static int begins(const json_t *record)
{
    const json_t *one;
    size_t index;

    json_array_foreach(json_object_get(record, "invocations"), index,
                       one) if (is_judge(record_string(one, "agent")) &&
                                strcmp(record_string(one, "status"), "running") == 0) return 1;
    return 0;
}

static int ends(const json_t *record)
{
    return json_array_size(json_object_get(record, "invocations_cleared")) > 0;
}

/* ---- the worktree ---- */

static int is_worktree(const char *root)
{
    char *link = host_path_join(root, ".git");
    int found = link && access(link, F_OK) == 0;

    free(link);
    return found;
}

/* As shared/worktree.h describes it; NULL if the feature has no worktree that is ours. */
static json_t *place_of(const settings *with, const json_t *context)
{
    const char *root = record_string(context, "worktreePath");
    const char *branch = record_string(context, "branch");
    size_t length = strlen(with->worktrees);

    if (!*branch || strncmp(root, with->worktrees, length) != 0 || root[length] != '/' ||
        !is_worktree(root))
        return NULL;
    return json_pack("{s:s, s:s, s:s, s:s, s:s}", "kind", "worktree", "project", with->project,
                     "root", root, "folder", root, "branch", branch);
}

static json_t *read_place(const settings *with, wfsm_engine *engine, const char *id)
{
    size_t length = 0;
    wfsm_instance *instance = wfsm_engine_instance(engine, id);
    const char *text = instance ? wfsm_instance_context(instance, &length) : NULL;
    json_t *context = text ? json_loadb(text, length, 0, NULL) : NULL;
    json_t *place = place_of(with, context);

    json_decref(context);
    return place;
}

static void name_ref(const json_t *place, char ref[REF_SIZE])
{
    (void)snprintf(ref, REF_SIZE, "refs/wfsm/judged/%.300s", git_text_of(place, "branch"));
}

static int is_judged(const json_t *place, const char *ref)
{
    return git_run(place, GIT_TASK, NULL, "rev-parse", "--verify", "-q", ref, NULL) == 0;
}

/* Also if he has changed the branch. */
static int put_back(const json_t *place, const char *ref, host_error *error)
{
    char branch[GIT_NAME_SIZE];

    git_branch_ref(place, branch);
    return git_run(place, GIT_TASK, error, "symbolic-ref", "HEAD", branch, NULL) == 0 &&
                   git_run(place, GIT_TASK, error, "reset", "-q", "--hard", ref, NULL) == 0 &&
                   git_run(place, GIT_TASK, error, "clean", "-ffdq", NULL) == 0
               ? 0
               : -1;
}

static int forget(const json_t *place, const char *ref, host_error *error)
{
    return git_run(place, GIT_TASK, error, "update-ref", "-d", ref, NULL) == 0 ? 0 : -1;
}

static int commit_tree(const json_t *place, const char *tree, host_error *error)
{
    char title[REF_SIZE];
    char *head = git_line(place, GIT_TASK, error, "rev-parse", "HEAD", NULL), *made = NULL;
    int done = -1;

    (void)snprintf(title, sizeof title, "%.300s: the work of its agents",
                   git_text_of(place, "branch"));
    if (head)
        made = git_commit_tree(place, GIT_TASK, tree, head, title, error);
    if (made)
        done = git_run(place, GIT_TASK, error, "update-ref", "HEAD", made, NULL) == 0 ? 0 : -1;
    free(made);
    free(head);
    return done;
}

static int keep(const json_t *place, const char *ref, host_error *error)
{
    char *tree = NULL, *before = NULL;
    int done = -1;

    if (git_run(place, GIT_TASK, error, "add", "-A", NULL) == 0)
        tree = git_line(place, GIT_TASK, error, "write-tree", NULL);
    if (tree)
        before = git_line(place, GIT_TASK, error, "rev-parse", "HEAD^{tree}", NULL);
    if (before)
        done = strcmp(tree, before) == 0 ? 0 : commit_tree(place, tree, error);
    free(before);
    free(tree);
    if (done != 0)
        return done;
    return git_run(place, GIT_TASK, error, "update-ref", ref, "HEAD", NULL) == 0 ? 0 : -1;
}

static int judge(const json_t *place, const json_t *record, host_error *error)
{
    char ref[REF_SIZE];
    int done = 0, judged;

    name_ref(place, ref);
    judged = is_judged(place, ref);
    if (judged)
        done = put_back(place, ref, error);
    if (judged && done == 0 && ends(record)) {
        done = forget(place, ref, error);
        judged = 0;
    }
    return done == 0 && !judged && begins(record) ? keep(place, ref, error) : done;
}

int judged_commit(const settings *with, wfsm_engine *engine, wfsm_call *call, host_error *error)
{
    size_t length;
    const char *text = wfsm_call_record(call, &length);
    json_t *record, *place;
    int done = 0;

    if (!text || strcmp(wfsm_call_name(call), "feature") != 0)
        return 0;
    record = json_loadb(text, length, 0, NULL);
    place = begins(record) || ends(record) ? read_place(with, engine, wfsm_call_instance(call))
                                           : NULL;
    if (place)
        done = judge(place, record, error);
    json_decref(place);
    json_decref(record);
    return done;
}
