#include "task.h"

#include <stdlib.h>
#include <string.h>

typedef struct id_sink {
    task_ids *ids;
    int unfinished;
} id_sink;

/* Tags are separated by blanks; no other tag of the machine contains this word. */
static int is_over(const wfsm_head *head)
{
    return head->status == WFSM_DONE || strstr(head->tags, "terminal");
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
