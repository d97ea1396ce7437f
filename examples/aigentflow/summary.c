#include "summary.h"

#include <string.h>

#include <wfsm/agents.h>
#include "shared/usage.h"
#include "wfsm/shown.h"

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
    int64_t updated; /* when something has happened last */
} counted;

static int32_t count_one(counted *sum, wfsm_store *store, const task *one, wfsm_error *error)
{
    add_work(sum->work, one);
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
    json_t *made = NULL;

    host_usage_begin(&sum.usage);
    if (count_all(&sum, store, shown, features, error) == WFSM_OK)
        made = json_pack("{s:O, s:I, s:O, s:o*}", "work", sum.work, "took",
                         (json_int_t)(sum.updated - shown->stored.created), "usage",
                         sum.usage.amounts, "budget", budget_of(store, shown->id));
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

static void show_merged(const task *shown)
{
    const json_t *merged =
        json_object_get(json_object_get(shown->stored.context, "merge"), "merged");
    const json_t *one;
    size_t index;

    if (json_array_size(merged) == 0)
        return;
    shown_printf("  %-10s %zu %s merged:", "changed", json_array_size(merged),
                 json_array_size(merged) == 1 ? "branch" : "branches");
    json_array_foreach(merged, index, one) if (index < 8 && json_is_string(one))
        shown_printf(" %s", json_string_value(one));
    shown_printf("%s\n", json_array_size(merged) > 8 ? " …" : "");
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
        show_merged(shown);
        show_cost(made);
        shown_printf("  %-10s aigentflow history %s, aigentflow log %s\n", "look", shown->id,
                     shown->id);
    }
    json_decref(made);
    wfsm_error_free(error);
    return code;
}
