#include "wfsm/happened.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "wfsm/record.h"

typedef struct looking {
    const char *name;
    uint64_t revision; /* of the last record that fits; 0: none */
} looking;

/* An entry that is new: others were claimed, or ended. */
static bool asks_for(const json_t *record, const char *agent)
{
    const json_t *list = json_object_get(record, "invocations"), *entry;
    json_int_t revision = json_integer_value(json_object_get(record, "revision"));
    for (size_t i = 0; i < json_array_size(list); i++) {
        entry = json_array_get(list, i);
        if (strcmp(record_string(entry, "agent"), agent) == 0 &&
            json_integer_value(json_object_get(entry, "revision")) == revision)
            return true;
    }
    return false;
}

/* Also one that a state has raised, which may come with a timer or within a step. */
static bool takes(const json_t *record, const char *event)
{
    const json_t *input = json_object_get(record, "input"),
                 *list = json_object_get(record, "transitions");
    for (size_t i = 0; i < json_array_size(list); i++)
        if (strcmp(record_string(json_array_get(list, i), "event"), event) == 0)
            return true;
    return strcmp(record_string(input, "kind"), "event") == 0 &&
           strcmp(record_string(input, "event"), event) == 0;
}

/* Whether a path of the list is the state, or a state in it. */
static bool is_in(const json_t *paths, const char *state)
{
    size_t length = strlen(state);
    for (size_t i = 0; i < json_array_size(paths); i++) {
        const char *path = json_string_value(json_array_get(paths, i));
        if (path && strncmp(path, state, length) == 0 &&
            (path[length] == '\0' || path[length] == '.'))
            return true;
    }
    return false;
}

static bool enters(const json_t *record, const char *state)
{
    return is_in(json_object_get(record, "configuration"), state) &&
           !is_in(json_object_get(record, "from"), state);
}

static int32_t look_at(void *user, const wfsm_row *row)
{
    looking *self = user;
    json_t *record = json_loadb(row->text, row->length, 0, NULL);
    if (asks_for(record, self->name) || takes(record, self->name) || enters(record, self->name))
        self->revision = row->revision;
    json_decref(record);
    return WFSM_OK;
}

int32_t happened_at(wfsm_store *store, const char *id, uint64_t first, uint64_t last,
                    const char *name, uint64_t *revision, wfsm_error *error)
{
    looking all = {.name = name};
    char why[700] = "";
    int32_t status = wfsm_store_records(store, id, first, last, look_at, &all, error);
    if (status != WFSM_OK)
        return status;
    if (all.revision == 0)
        snprintf(why, sizeof why, "%.255s: its journal has no agent, event or state %.255s", id,
                 name);
    else if (all.revision <= first)
        snprintf(why, sizeof why,
                 "%.255s: nothing is before %.255s, which happened at revision %" PRIu64, id,
                 name, all.revision);
    if (*why)
        return wfsm_error_set(error, WFSM_NOT_FOUND, why);
    *revision = all.revision - 1;
    return WFSM_OK;
}

bool happened_before(wfsm_store *store, const stored_head *head, const char *name,
                     uint64_t *revision)
{
    wfsm_error *error = cli_need(wfsm_error_new(NULL));
    int32_t status =
        happened_at(store, head->id, head->first, head->revision, name, revision, error);
    if (status != WFSM_OK)
        cli_say_error(head->id, error);
    wfsm_error_free(error);
    return status == WFSM_OK;
}
