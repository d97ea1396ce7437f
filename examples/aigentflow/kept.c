#include "kept.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <wfsm/agents.h>
#include "wfsm/record.h"

/* ---- the restore or fork ---- */

/* Most records are something else: they are not parsed. */
static int may_be(const wfsm_row *row)
{
    return strstr(row->text, "\"kind\":\"restore\"") || strstr(row->text, "\"kind\":\"fork\"");
}

static int32_t take_last(void *user, const wfsm_row *row)
{
    kept *self = user;
    json_t *record = may_be(row) ? json_loadb(row->text, row->length, 0, NULL) : NULL;
    const json_t *input = json_object_get(record, "input");
    const char *kind = record_string(input, "kind");
    int is_fork = strcmp(kind, "fork") == 0;

    if (is_fork || strcmp(kind, "restore") == 0)
        self->since = row->revision;
    if (is_fork)
        (void)snprintf(self->source, sizeof self->source, "%s", record_string(input, "source"));
    json_decref(record);
    return WFSM_OK;
}

/* Later the features are merged, or done. */
static int asks_later(const json_t *context)
{
    return json_is_object(json_object_get(context, "epicContext")) &&
           !json_is_true(json_object_get(context, "epicDone")) &&
           !json_is_object(json_object_get(context, "merge"));
}

int32_t kept_begin(kept *self, wfsm_store *store, const char *root, const json_t *context,
                   wfsm_error *error)
{
    wfsm_head head = {.size = sizeof head};
    int32_t status;

    memset(self, 0, sizeof *self);
    if (!asks_later(context))
        return WFSM_OK;
    status = wfsm_store_head(store, root, &head, error);
    if (status == WFSM_OK)
        status =
            wfsm_store_records(store, root, head.first, head.revision, take_last, self, error);
    self->waits = status == WFSM_OK && self->since > 0;
    return status;
}

/* ---- what is there ---- */

/* A feature that was begun: {"id", "asked", "parent", "input", "created", "output"?} */
typedef struct looking {
    wfsm_store *store;
    wfsm_error *error;
    json_t *ids;
} looking;

static int32_t take_id(void *user, const wfsm_row *row)
{
    looking *self = user;

    return json_array_append_new(self->ids, json_pack("{s:s, s:I}", "id", row->head->instance,
                                                      "created", row->head->created)) == 0
               ? WFSM_OK
               : WFSM_NO_MEMORY;
}

static int32_t take_input(void *user, const wfsm_row *row)
{
    json_t *record = json_loadb(row->text, row->length, 0, NULL);
    json_t *input = json_object_get(json_object_get(record, "input"), "input");
    int failed = json_object_set(user, "input", input ? input : json_null());

    json_decref(record);
    return failed ? WFSM_NO_MEMORY : WFSM_OK;
}

static int is_completed(const wfsm_instance *instance)
{
    return wfsm_instance_status(instance) == WFSM_DONE && !wfsm_instance_stopped(instance) &&
           wfsm_instance_in(instance, "completed");
}

/* ROOT/REVISION/ORDINAL-INCARNATION is an invocation's id. */
static uint64_t revision_of(const char *invocation)
{
    const char *last = strrchr(invocation, '/');
    const char *at = last;

    while (at && at > invocation && at[-1] != '/')
        at--;
    return at ? strtoull(at, NULL, 10) : 0;
}

static int32_t complete(json_t *one, const looking *self)
{
    const char *id = json_string_value(json_object_get(one, "id")), *text;
    size_t length = 0;
    wfsm_instance *instance = NULL;
    int32_t status = wfsm_store_records(self->store, id, 1, 1, take_input, one, self->error);

    if (status == WFSM_OK)
        status = wfsm_instance_load(&instance, NULL, self->store, NULL, id, self->error);
    if (status != WFSM_OK)
        return status;
    text = wfsm_instance_parent(instance);
    json_object_set_new(one, "parent", json_string(text));
    json_object_set_new(one, "asked", json_integer((json_int_t)revision_of(text)));
    if (is_completed(instance)) {
        text = wfsm_instance_output(instance, &length);
        json_object_set_new(one, "output",
                            text ? json_loadb(text, length, JSON_DECODE_ANY, NULL) : NULL);
    }
    wfsm_instance_free(instance);
    return WFSM_OK;
}

/* The features of a task that were ever begun, oldest first or not; NULL and an error. */
static json_t *features_of(wfsm_store *store, const char *root, wfsm_error *error)
{
    char prefix[300];
    wfsm_query query = {.size = sizeof query, .machine = "feature", .prefix = prefix};
    looking all = {store, error, json_array()};
    size_t index;
    json_t *one;
    int32_t status;

    (void)snprintf(prefix, sizeof prefix, "%.255s/", root);
    status = wfsm_store_list(store, &query, take_id, &all, error);
    json_array_foreach(all.ids, index, one) if (status == WFSM_OK) status = complete(one, &all);
    if (status == WFSM_OK)
        return all.ids;
    json_decref(all.ids);
    return NULL;
}

/* ---- which one is kept ---- */

/* A fork has an epic of another name, in other folders. */
static json_t *without_places(const json_t *input)
{
    json_t *copy = json_deep_copy(input);
    json_t *feature = json_object_get(copy, "feature");

    json_object_del(copy, "epicId");
    json_object_del(copy, "worktreePath");
    json_object_del(feature, "worktreePath");
    return copy;
}

static int is_same(const json_t *one, const json_t *other, int is_forked)
{
    json_t *first, *second;
    int found;

    if (!is_forked)
        return json_equal(one, other);
    first = without_places(one);
    second = without_places(other);
    found = first && json_equal(first, second);
    json_decref(first);
    json_decref(second);
    return found;
}

/* Borrowed from the list; NULL if there is none. */
static const json_t *find_finished(const json_t *features, const json_t *input, uint64_t before,
                                   int is_forked)
{
    const json_t *one, *found = NULL;
    size_t index;

    json_array_foreach(features, index, one)
    {
        if (!json_object_get(one, "output") ||
            (uint64_t)json_integer_value(json_object_get(one, "asked")) >= before ||
            !is_same(json_object_get(one, "input"), input, is_forked))
            continue;
        if (!found || json_integer_value(json_object_get(one, "created")) >=
                          json_integer_value(json_object_get(found, "created")))
            found = one;
    }
    return found;
}

/* Somebody has begun with this one, or with an earlier request for features since the restore. */
static int is_begun(const json_t *features, const json_t *asked, uint64_t since)
{
    const char *id = record_string(asked, "id");
    const json_t *one;
    size_t index;

    json_array_foreach(features, index, one)
    {
        uint64_t at = (uint64_t)json_integer_value(json_object_get(one, "asked"));
        if (strcmp(record_string(one, "parent"), id) == 0 ||
            (at >= since && at < revision_of(id)))
            return 1;
    }
    return 0;
}

static int is_open(const json_t *asked)
{
    const char *status = record_string(asked, "status");

    return strcmp(record_string(asked, "src"), "machine:feature") == 0 &&
           (strcmp(status, "pending") == 0 || strcmp(status, "running") == 0);
}

/* ---- giving ---- */

typedef struct giving {
    const kept *self;
    wfsm_engine *engine;
    json_t *own, *before; /* the task's features, and those of a fork's source or NULL */
    json_t *names;
    wfsm_error *error;
} giving;

static const json_t *find_kept(const giving *all, const json_t *asked)
{
    const json_t *input = json_object_get(asked, "input");
    const json_t *found;

    if (is_begun(all->own, asked, all->self->since))
        return NULL;
    found = find_finished(all->own, input, all->self->since, 0);
    return found ? found : find_finished(all->before, input, UINT64_MAX, 1);
}

static int32_t give_one(const giving *all, const json_t *asked)
{
    const json_t *found = find_kept(all, asked);
    char *text = found ? json_dumps(json_object_get(found, "output"), JSON_COMPACT) : NULL;
    int32_t outcome, status = WFSM_OK;

    if (text)
        status = wfsm_engine_result(all->engine, record_string(asked, "id"), text, strlen(text),
                                    wfsm_agents_now(), &outcome, all->error);
    if (text && status == WFSM_OK)
        json_array_append(all->names,
                          json_object_get(json_object_get(asked, "input"), "featureId"));
    free(text);
    return status;
}

static int32_t give_all(const giving *all, const json_t *list)
{
    int32_t status = WFSM_OK;
    const json_t *asked;
    size_t index;

    json_array_foreach(list, index, asked)
    {
        if (status == WFSM_OK && is_open(asked))
            status = give_one(all, asked);
    }
    return status;
}

static json_t *asked_for(wfsm_engine *engine, const char *root)
{
    size_t length = 0;
    wfsm_instance *instance = wfsm_engine_instance(engine, root);
    const char *text = instance ? wfsm_instance_invocations(instance, &length) : NULL;

    return text ? json_loadb(text, length, 0, NULL) : NULL;
}

static int any_open(const json_t *list)
{
    const json_t *asked;
    size_t index;

    json_array_foreach(list, index, asked) if (is_open(asked)) return 1;
    return 0;
}

int32_t kept_give(kept *self, wfsm_engine *engine, wfsm_store *store, const char *root,
                  json_t **names, wfsm_error *error)
{
    json_t *list = asked_for(engine, root);
    giving all = {self, engine, NULL, NULL, NULL, error};
    int32_t status = WFSM_OK;

    *names = NULL;
    if (any_open(list)) {
        all.names = json_array();
        all.own = features_of(store, root, error);
        all.before = *self->source ? features_of(store, self->source, error) : json_array();
        status = all.own && all.before ? give_all(&all, list) : WFSM_STORE_FAILED;
        self->waits = 0;
        *names = all.names;
    }
    json_decref(all.own);
    json_decref(all.before);
    json_decref(list);
    return status;
}
