#include "summary.h"

#include <string.h>

#include "shared/usage.h"
#include "tree.h"

enum { MOST_NAMED = 8 };

/* ---- what agents have used ---- */

static int32_t keep_id(void *user, const wfsm_row *row)
{
    return json_array_append_new(user, json_string(row->head->instance)) == 0 ? WFSM_OK
                                                                              : WFSM_NO_MEMORY;
}

/* Agents work for the child workflows, whose ids begin with the change's. */
static int32_t add_children(host_usage *sum, wfsm_store *store, const char *id,
                            wfsm_error *error)
{
    char prefix[CHANGE_ID_MOST + 2];
    const wfsm_query query = {.size = sizeof query, .prefix = prefix};
    json_t *ids = json_array(), *one;
    int32_t status;
    size_t index;

    (void)snprintf(prefix, sizeof prefix, "%s/", id);
    status = wfsm_store_list(store, &query, keep_id, ids, error);
    json_array_foreach(ids, index, one) if (status == WFSM_OK) status =
        host_usage_add(sum, store, json_string_value(one), error);
    json_decref(ids);
    return status;
}

json_t *summary_make(wfsm_store *store, const change *now, wfsm_error *error)
{
    host_usage sum;
    json_t *made = NULL;

    host_usage_begin(&sum);
    if (add_children(&sum, store, now->id, error) == WFSM_OK)
        made = json_pack("{s:I, s:I, s:O}", "took",
                         (json_int_t)(now->stored.updated - now->stored.created), "attempts",
                         sum.attempts, "usage", sum.amounts);
    host_usage_clear(&sum);
    return made;
}

/* ---- what was changed ---- */

static void add_missing(json_t *paths, const json_t *list, const json_t *other, int differs)
{
    const char *path;
    json_t *value;

    json_object_foreach((json_t *)(uintptr_t)list, path, value)
    {
        const json_t *there = json_object_get(other, path);
        if (!there || (differs && !json_equal(there, value)))
            json_array_append_new(paths, json_string(path));
    }
}

/* The files that differ from what was there before the implementation; NULL if that is not known. */
static json_t *changed_files(const work *self)
{
    json_t *before = tree_kept(&self->at, self->run.id, TREE_BEFORE), *now, *paths;
    host_error why;

    if (!before)
        return NULL;
    now = tree_read(&self->at, &why);
    paths = now ? json_array() : NULL;
    if (paths) {
        add_missing(paths, now, before, 1);
        add_missing(paths, before, now, 0);
    }
    json_decref(before);
    json_decref(now);
    return paths;
}

static void show_files(const work *self)
{
    json_t *paths = changed_files(self), *path;
    size_t index, count = json_array_size(paths);
    char line[512] = "";

    json_array_foreach(paths, index, path)
    {
        size_t used = strlen(line);
        if (index < MOST_NAMED)
            (void)snprintf(line + used, sizeof line - used, " %s", json_string_value(path));
    }
    if (count > 0)
        show_line("%-11s %zu %s:%s%s", "changed", count, count == 1 ? "file" : "files", line,
                  count > MOST_NAMED ? " …" : "");
    json_decref(paths);
}

/* ---- for people ---- */

static void show_work(const work *self)
{
    json_t *made = summary_make(self->run.store, &self->now, self->run.error);
    char took[WFSM_DURATION_SIZE], used[HOST_USAGE_SIZE];

    if (!made)
        return;
    host_usage_text(json_object_get(made, "usage"), used);
    show_line("%-11s %s since it was planned, %lld %s", "took",
              wfsm_progress_duration(json_integer_value(json_object_get(made, "took")), took),
              (long long)self->now.iterations,
              self->now.iterations == 1 ? "iteration" : "iterations");
    if (*used)
        show_line("%-11s %s", "used", used);
    json_decref(made);
}

void summary_show(const work *self)
{
    show_files(self);
    show_work(self);
    show_line("%-11s agentd status %s, agentd log %s, agentd diff %s", "look", self->run.id,
              self->run.id, self->run.id);
}
