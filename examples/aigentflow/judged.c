#include "judged.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commits.h"
#include "rewound.h"
#include "shared/context.h"
#include "shared/worktree_git.h"
#include "wfsm/record.h"

enum { TITLE_SIZE = 400 };

static int is_judge(const char *agent)
{
    return strcmp(agent, "tester") == 0 || strcmp(agent, "reviewer") == 0;
}

/* The one of these that the commit lets begin, also once more after a failure; NULL. */
static const char *begins(const json_t *record, int (*is_one)(const char *agent))
{
    const json_t *one;
    size_t index;

    json_array_foreach(json_object_get(record, "invocations"), index, one)
    {
        const char *agent = record_string(one, "agent");
        if (is_one(agent) && strcmp(record_string(one, "status"), "running") == 0)
            return agent;
    }
    return NULL;
}

static int ends(const json_t *record)
{
    return json_array_size(json_object_get(record, "invocations_cleared")) > 0;
}

static long long record_number(const json_t *one, const char *key)
{
    return (long long)json_integer_value(json_object_get(one, key));
}

/* ---- a judge at work ---- */

static int is_judged(const json_t *place, const char *ref)
{
    return git_run(place, GIT_TASK, NULL, "rev-parse", "--verify", "-q", ref, NULL) == 0;
}

/* `accepts`: what he was given is known as that from now on. */
static int end_judge(const json_t *place, const char *ref, int accepts, host_error *error)
{
    char accepted[GIT_REF_SIZE];

    git_own_ref(place, "accepted", NULL, accepted);
    if (accepts && git_run(place, GIT_TASK, error, "update-ref", accepted, ref, NULL) != 0)
        return -1;
    return git_run(place, GIT_TASK, error, "update-ref", "-d", ref, NULL) == 0 ? 0 : -1;
}

static int keep(const json_t *place, const char *ref, const char *title, host_error *error)
{
    if (commits_keep(place, title, error) != 0)
        return -1;
    return git_run(place, GIT_TASK, error, "update-ref", ref, "HEAD", NULL) == 0 ? 0 : -1;
}

static int judge(const json_t *place, const json_t *record, int accepts, const char *title,
                 host_error *error)
{
    char ref[GIT_REF_SIZE];
    int done = 0, judged;

    git_own_ref(place, "judged", NULL, ref);
    judged = is_judged(place, ref);
    if (judged)
        done = commits_put_back(place, ref, error);
    if (judged && done == 0 && ends(record)) {
        done = end_judge(place, ref, accepts, error);
        judged = 0;
    }
    return done == 0 && !judged && begins(record, is_judge) ? keep(place, ref, title, error)
                                                            : done;
}

/* ---- a feature ---- */

static int is_tree_of(const json_t *place, const char *one, const char *other)
{
    return git_run(place, GIT_TASK, NULL, "diff-tree", "-r", "--quiet", one, other, NULL) == 0;
}

/* A reviewer is given what was tested. */
static void check_reviewer(workspace *at, const json_t *place, const char *id,
                           const json_t *record)
{
    char accepted[GIT_REF_SIZE];
    const json_t *one;
    size_t index;

    git_own_ref(place, "accepted", NULL, accepted);
    if (is_tree_of(place, accepted, "HEAD"))
        return;
    json_array_foreach(json_object_get(record, "invocations"), index, one)
    {
        if (strcmp(record_string(one, "agent"), "reviewer") != 0)
            continue;
        if (!at->refused)
            at->refused = json_array();
        json_array_append_new(at->refused, json_sprintf("%s/%lld/%lld-%lld", id,
                                                        record_number(one, "revision"),
                                                        record_number(one, "ordinal"),
                                                        record_number(one, "incarnation")));
    }
}

json_t *judged_refused(workspace *at)
{
    json_t *list = at->refused;

    at->refused = NULL;
    return list;
}

static int judge_feature(const settings *with, workspace *at, wfsm_engine *engine,
                         const char *id, const json_t *record, host_error *error)
{
    const char *agent = begins(record, is_judge);
    json_t *context =
        begins(record, is_judge) || ends(record) ? host_context(engine, id) : NULL;
    json_t *place = workspace_of_feature(with, context);
    char title[TITLE_SIZE];
    int done = 0;

    (void)snprintf(title, sizeof title, "%.300s: the work of its agents",
                   git_text_of(place, "branch"));
    if (place)
        done = judge(place, record, 1, title, error);
    if (place && done == 0 && agent && strcmp(agent, "reviewer") == 0)
        check_reviewer(at, place, id, record);
    json_decref(place);
    json_decref(context);
    return done;
}

/* ---- the task ---- */

static int is_router(const char *agent)
{
    return strcmp(agent, "router") == 0;
}

static void name_work(wfsm_engine *engine, const char *id, char title[TITLE_SIZE])
{
    json_t *context = host_context(engine, id);
    const char *prompt = record_string(context, "prompt");

    prompt += strspn(prompt, "# \t\r\n");
    (void)snprintf(title, TITLE_SIZE, "%s: %.300s", record_string(context, "currentAgent"),
                   prompt);
    json_decref(context);
}

static void note_line(workspace *at, const char *key, const char *name)
{
    char *line = git_line(at->place, GIT_TASK, NULL, "rev-parse", name, NULL);

    workspace_note(at, key, json_string(line ? line : ""));
    free(line);
}

/* What he is given is what the verdict is about. */
static void note_begun(workspace *at, const char *judge, int asks)
{
    if (judge)
        note_line(at, strcmp(judge, "tester") == 0 ? "tested" : "reviewed", "HEAD^{tree}");
    if (judge || asks)
        note_line(at, "commit", "HEAD");
}

static int is_restore(const json_t *record)
{
    return strcmp(record_string(json_object_get(record, "input"), "kind"), "restore") == 0;
}

static int judge_task(workspace *at, wfsm_engine *engine, const char *id, const json_t *record,
                      host_error *error)
{
    const char *agent = begins(record, is_judge);
    int asks = begins(record, is_router) != NULL, done, lock;
    char title[TITLE_SIZE];

    if (!agent && !asks && !(at->is_judged && ends(record)) && !is_restore(record))
        return 0;
    lock = git_lock(at->place, error);
    if (lock < 0)
        return -1;
    name_work(engine, id, title);
    done = is_restore(record) ? rewound_take(at, error) : 0;
    if (done == 0)
        done = judge(at->place, record, 0, title, error);
    at->is_judged = agent != NULL || (at->is_judged && !ends(record));
    if (done == 0 && asks)
        done = commits_keep(at->place, title, error);
    if (done == 0)
        note_begun(at, agent, asks);
    git_unlock(lock);
    return done;
}

int judged_commit(const settings *with, workspace *at, wfsm_engine *engine, wfsm_call *call,
                  host_error *error)
{
    size_t length;
    const char *text = wfsm_call_record(call, &length), *id = wfsm_call_instance(call);
    int is_feature = strcmp(wfsm_call_name(call), "feature") == 0, done = 0;
    int is_task =
        strcmp(wfsm_call_name(call), "aigentflow") == 0 && at->place && !at->is_shared;
    json_t *record = text && (is_feature || is_task) ? json_loadb(text, length, 0, NULL) : NULL;

    if (record)
        done = is_feature ? judge_feature(with, at, engine, id, record, error)
                          : judge_task(at, engine, id, record, error);
    json_decref(record);
    return done;
}
