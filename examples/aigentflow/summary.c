#include "summary.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <wfsm/agents.h>
#include "commits.h"
#include "shared/usage.h"
#include "shared/worktree.h"
#include "shared/worktree_git.h"
#include "wfsm/shown.h"

enum { MOST_NAMED = 8 };

static const char *text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));

    return text ? text : "";
}

/* ---- who is at work ---- */

static void add_work(json_t *work, const task *one)
{
    const json_t *entry;
    size_t index;

    json_array_foreach(one->stored.invocations, index, entry)
    {
        const char *agent = text_of(entry, "src");
        if (strcmp(text_of(entry, "status"), "running") == 0 &&
            strncmp(agent, "machine:", 8) != 0)
            json_array_append_new(work, json_pack("{s:s, s:s, s:O?}", "agent", agent, "feature",
                                                  task_feature(one), "since",
                                                  json_object_get(entry, "claimed")));
    }
}

/* ---- what has been done ---- */

typedef struct verdicts {
    size_t all, failed;
} verdicts;

static verdicts count_outputs(const task *shown, const char *agent)
{
    verdicts found = {0, 0};
    const json_t *one;
    size_t index;

    json_array_foreach(json_object_get(shown->stored.context, "outputs"), index, one)
    {
        if (strcmp(text_of(one, "agent"), agent) != 0)
            continue;
        found.all++;
        found.failed +=
            json_is_true(json_object_get(json_object_get(one, "routingHints"), "hasFailures"));
    }
    return found;
}

/* What has repaired failed tests is not among the outputs. */
static int32_t take_fix(void *user, const wfsm_row *row)
{
    size_t *count = user;
    json_t *record = json_loadb(row->text, row->length, 0, NULL);

    *count += strcmp(text_of(json_object_get(record, "input"), "event"), "FIX_COMPLETE") == 0;
    json_decref(record);
    return WFSM_OK;
}

static size_t count_fixes(wfsm_store *store, const task *shown)
{
    wfsm_head head = {.size = sizeof head};
    size_t count = count_outputs(shown, "bug_fixer").all;

    if (wfsm_store_head(store, shown->id, &head, NULL) == WFSM_OK)
        (void)wfsm_store_records(store, shown->id, head.first, head.revision, take_fix, &count,
                                 NULL);
    return count;
}

static json_t *rounds_of(wfsm_store *store, const task *shown, json_int_t feature_fixes)
{
    verdicts tests = count_outputs(shown, "tester"), reviews = count_outputs(shown, "reviewer");

    return json_pack("{s:I, s:I, s:I, s:I, s:I, s:I}", "tests", (json_int_t)tests.all,
                     "failedTests", (json_int_t)tests.failed, "reviews",
                     (json_int_t)reviews.all, "failedReviews", (json_int_t)reviews.failed,
                     "fixes", (json_int_t)count_fixes(store, shown), "featureFixes",
                     feature_fixes);
}

/* What it has changed; until it is in the project, what differs from that. */
static json_t *changed_of(const task *shown, char **base)
{
    const json_t *place = task_place(shown);
    const json_t *landing = json_object_get(task_metadata(shown), "landing");
    json_t *names = NULL;

    if (strcmp(text_of(landing, "status"), "landed") == 0)
        return json_incref(json_object_get(landing, "files"));
    if (!json_is_object(place) || host_worktree_is_shared(place) ||
        access(text_of(place, "root"), F_OK) != 0)
        return json_array();
    *base = git_line(place, GIT_TASK, NULL, "merge-base", "HEAD", text_of(place, "into"), NULL);
    if (*base)
        names = commits_changed(place, *base, NULL);
    return names ? names : json_array();
}

/* ---- what it has cost ---- */

static json_t *budget_of(wfsm_store *store, const char *id)
{
    wfsm_instance *instance = NULL;
    size_t length = 0;
    const char *text = NULL;
    json_t *all, *one;

    if (wfsm_instance_load(&instance, NULL, store, NULL, id, NULL) == WFSM_OK)
        text = wfsm_instance_budgets(instance, wfsm_agents_now(), &length);
    all = text ? json_loadb(text, length, 0, NULL) : NULL;
    one = json_incref(json_object_get(all, "agents"));
    json_decref(all);
    wfsm_instance_free(instance);
    return one;
}

static int is_of(const task *one, const task *shown)
{
    return task_is_feature(one) && strcmp(one->root, shown->id) == 0;
}

typedef struct counted {
    host_usage usage;
    json_t *work;
    json_int_t fixes; /* of features */
    int64_t updated; /* when something has happened last */
} counted;

static int32_t count_one(counted *sum, wfsm_store *store, const task *one, wfsm_error *error)
{
    add_work(sum->work, one);
    sum->fixes += task_is_feature(one) ? host_stored_number(&one->stored, "fixes") : 0;
    if (one->stored.updated > sum->updated)
        sum->updated = one->stored.updated;
    return host_usage_add(&sum->usage, store, one->id, error);
}

static int32_t count_all(counted *sum, wfsm_store *store, const task *shown,
                         const task_list *features, wfsm_error *error)
{
    int32_t status = count_one(sum, store, shown, error);
    size_t index;

    for (index = 0; index < features->count && status == WFSM_OK; index++)
        if (is_of(&features->all[index], shown))
            status = count_one(sum, store, &features->all[index], error);
    return status;
}

json_t *summary_make(wfsm_store *store, const task *shown, const task_list *features,
                     wfsm_error *error)
{
    counted sum = {.work = json_array()};
    json_t *made = NULL, *changed;
    char *base = NULL;

    host_usage_begin(&sum.usage);
    changed = changed_of(shown, &base);
    if (count_all(&sum, store, shown, features, error) == WFSM_OK)
        made = json_pack("{s:O, s:I, s:O, s:o*, s:o, s:O, s:s*, s:b, s:O*}", "work", sum.work,
                         "took", (json_int_t)(sum.updated - shown->stored.created), "usage",
                         sum.usage.amounts, "budget", budget_of(store, shown->id), "rounds",
                         rounds_of(store, shown, sum.fixes), "changed", changed, "base", base,
                         "isInProject", task_is_in_project(shown), "landing",
                         json_object_get(task_metadata(shown), "landing"));
    free(base);
    json_decref(changed);
    host_usage_clear(&sum.usage);
    json_decref(sum.work);
    return made;
}

/* ---- for people ---- */

static void show_work(const json_t *work)
{
    char time[WFSM_DURATION_SIZE];
    const json_t *one;
    size_t index;

    json_array_foreach(work, index, one)
    {
        const char *feature = text_of(one, "feature");
        int64_t since = json_integer_value(json_object_get(one, "since"));
        shown_printf("  %-10s %s%s%s, for %s\n", index == 0 ? "at work" : "",
                     text_of(one, "agent"), *feature ? " of " : "", feature,
                     wfsm_progress_duration(wfsm_agents_now() - since, time));
    }
}

static size_t count_of(const json_t *made, const char *key)
{
    return (size_t)json_integer_value(json_object_get(made, key));
}

static void show_count(size_t count, const char *one, const char *many, size_t failed)
{
    shown_printf("%zu %s", count, count == 1 ? one : many);
    if (failed > 0)
        shown_printf(" (%zu failed)", failed);
}

static void show_rounds(const json_t *rounds)
{
    size_t others = count_of(rounds, "featureFixes");

    shown_printf("  %-10s ", "rounds");
    show_count(count_of(rounds, "tests"), "test", "tests", count_of(rounds, "failedTests"));
    shown_printf(", ");
    show_count(count_of(rounds, "reviews"), "review", "reviews",
               count_of(rounds, "failedReviews"));
    shown_printf(", ");
    show_count(count_of(rounds, "fixes"), "fix", "fixes", 0);
    if (others > 0) {
        shown_printf("; in its features ");
        show_count(others, "fix", "fixes", 0);
    }
    shown_puts("");
}

static void show_list(const char *title, const json_t *list, const char *one, const char *many)
{
    const json_t *name;
    size_t index, count = json_array_size(list);

    if (count == 0)
        return;
    shown_printf("  %-10s %zu %s:", title, count, count == 1 ? one : many);
    json_array_foreach(list, index, name) if (index < MOST_NAMED && json_is_string(name))
        shown_printf(" %s", json_string_value(name));
    shown_printf("%s\n", count > MOST_NAMED ? " …" : "");
}

/* While they are merged, `merged` has their names; after that all have been. */
static void show_merged(const task *shown)
{
    const json_t *context = shown->stored.context, *merge = json_object_get(context, "merge"),
                 *one;
    json_t *names = json_array();
    size_t index;

    if (!json_is_true(json_object_get(context, "epicDone")))
        json_array_extend(names, json_object_get(merge, "merged"));
    else
        json_array_foreach(json_object_get(merge, "features"), index, one)
            json_array_append(names, json_object_get(json_object_get(one, "output"), "branch"));
    show_list("merged", names, "branch", "branches");
    json_decref(names);
}

/* Where the work is, when it is not in the project. */
static void show_place(const task *shown, const json_t *made)
{
    const json_t *landing = json_object_get(made, "landing");
    const json_t *place = task_place(shown);
    const char *command = text_of(landing, "command"), *why = text_of(landing, "message");

    if (task_is_left(shown)) {
        shown_printf("  %-10s %s\n", "not in it",
                     *why ? why : "aigentflow ended before the work was in the project");
        shown_printf("  %-10s aigentflow resume %s%s%s\n", "again", shown->id,
                     *command ? ", or " : "", command);
    } else if (strcmp(text_of(landing, "status"), "landed") != 0 && *text_of(made, "base"))
        shown_printf("  %-10s git -C %s diff %.12s\n", "look at it", text_of(place, "root"),
                     text_of(made, "base"));
}

static void show_cost(const json_t *made)
{
    const json_t *budget = json_object_get(made, "budget");
    char took[WFSM_DURATION_SIZE], used[HOST_USAGE_SIZE];

    shown_printf(
        "  %-10s %s\n", "took",
        wfsm_progress_duration(json_integer_value(json_object_get(made, "took")), took));
    host_usage_text(json_object_get(made, "usage"), used);
    if (*used)
        shown_printf("  %-10s %s\n", "used", used);
    if (budget)
        shown_printf("  %-10s %.0f of %.0f times that the router may put agents to work\n",
                     "budget", json_number_value(json_object_get(budget, "used")),
                     json_number_value(json_object_get(budget, "limit")));
}

int summary_show(wfsm_store *store, const task *shown, const task_list *features)
{
    wfsm_error *error = wfsm_error_new(NULL);
    json_t *made = summary_make(store, shown, features, error);
    int code = made ? END_FINE : library_failed(shown->id, error);

    if (made) {
        show_work(json_object_get(made, "work"));
        show_rounds(json_object_get(made, "rounds"));
        show_merged(shown);
        show_list("changed", json_object_get(made, "changed"), "file", "files");
        show_place(shown, made);
        show_cost(made);
        shown_printf("  %-10s aigentflow history %s, aigentflow log %s\n", "look", shown->id,
                     shown->id);
    }
    json_decref(made);
    wfsm_error_free(error);
    return code;
}
