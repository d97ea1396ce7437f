#include "task.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <wfsm/sqlite.h>

int32_t task_store_open(wfsm_store **store, const settings *with, store_use use,
                        wfsm_error *error)
{
    wfsm_sqlite_options options = {.size = sizeof options,
                                   .read_only = use == STORE_READ,
                                   .must_exist = use != STORE_MAKE};

    return wfsm_sqlite_open(store, with->store, &options, NULL, error);
}

static int32_t no_memory(wfsm_error *error)
{
    return wfsm_error_set(error, WFSM_NO_MEMORY, "out of memory");
}

static int32_t read_head(task *read, wfsm_store *store, const char *id, wfsm_error *error)
{
    wfsm_head head = {.size = sizeof head};
    int32_t status = wfsm_store_head(store, id, &head, error);

    if (status != WFSM_OK)
        return status;
    (void)snprintf(read->owner, sizeof read->owner, "%s", head.owner);
    read->revision = head.revision;
    read->created = head.created;
    read->updated = head.updated;
    return WFSM_OK;
}

static void read_state(task *read, wfsm_instance *instance)
{
    size_t length;
    const char *text = wfsm_instance_configuration(instance, &length);
    json_t *paths = text ? json_loadb(text, length, 0, NULL) : NULL;
    const char *path = json_string_value(json_array_get(paths, 0));

    (void)snprintf(read->state, sizeof read->state, "%s", path ? path : "");
    json_decref(paths);
    read->over = wfsm_instance_has_tag(instance, "terminal") != 0;
    read->awaiting = wfsm_instance_has_tag(instance, "awaiting_input") != 0;
}

static int32_t read_instance(task *read, wfsm_instance *instance, wfsm_error *error)
{
    const char *text;
    size_t length;

    read_state(read, instance);
    text = wfsm_instance_context(instance, &length);
    read->context = text ? json_loadb(text, length, 0, NULL) : NULL;
    text = wfsm_instance_invocations(instance, &length);
    read->invocations = text ? json_loadb(text, length, 0, NULL) : NULL;
    return read->context && read->invocations ? WFSM_OK : no_memory(error);
}

int32_t task_read(task *read, wfsm_store *store, const char *id, wfsm_error *error)
{
    wfsm_instance *instance = NULL;
    int32_t status;

    memset(read, 0, sizeof *read);
    status = read_head(read, store, id, error);
    if (status == WFSM_OK)
        status = wfsm_instance_load(&instance, NULL, store, NULL, id, error);
    if (status == WFSM_OK)
        status = read_instance(read, instance, error);
    wfsm_instance_free(instance);
    return status;
}

void task_clear(task *read)
{
    json_decref(read->context);
    json_decref(read->invocations);
    memset(read, 0, sizeof *read);
}

const char *task_text(const task *read, const char *key)
{
    const char *text = json_string_value(json_object_get(read->context, key));

    return text ? text : "";
}

json_int_t task_number(const task *read, const char *key)
{
    const json_t *value = json_object_get(read->context, key);

    return (json_int_t)json_number_value(value);
}

void top_state(const char *path, char top[STATE_SIZE])
{
    (void)snprintf(top, STATE_SIZE, "%.*s", (int)strcspn(path, "."), path);
}

typedef struct id_sink {
    task_ids *ids;
    int unfinished;
} id_sink;

/* Tags are separated by blanks; no other tag of the machine contains this word. */
static int is_over(const wfsm_head *head)
{
    return head->status == WFSM_DONE || strstr(head->tags, "terminal") != NULL;
}

static int32_t take_id(void *user, const wfsm_row *row)
{
    id_sink *sink = user;
    task_ids *ids = sink->ids;
    char **list;

    if (sink->unfinished && is_over(row->head))
        return WFSM_OK;
    list = realloc(ids->list, (ids->count + 1) * sizeof *list);
    if (!list)
        return WFSM_NO_MEMORY;
    ids->list = list;
    list[ids->count] = strdup(row->head->instance);
    if (!list[ids->count])
        return WFSM_NO_MEMORY;
    ids->count++;
    return WFSM_OK;
}

int32_t task_ids_read(task_ids *ids, wfsm_store *store, int unfinished, wfsm_error *error)
{
    wfsm_query query = {.size = sizeof query, .machine = "coordinator"};
    id_sink sink = {ids, unfinished};

    memset(ids, 0, sizeof *ids);
    return wfsm_store_list(store, &query, take_id, &sink, error);
}

void task_ids_clear(task_ids *ids)
{
    while (ids->count > 0)
        free(ids->list[--ids->count]);
    free(ids->list);
    ids->list = NULL;
}
