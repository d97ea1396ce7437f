#include "wfsm/many.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "wfsm/address.h"

void many_add(many *ids, const char *id)
{
    if (ids->count == ids->capacity) {
        ids->capacity = ids->capacity > 0 ? 2 * ids->capacity : 64;
        ids->ids = cli_need(realloc(ids->ids, ids->capacity * sizeof *ids->ids));
    }
    ids->ids[ids->count++] = cli_need(strdup(id));
}

static int32_t keep(void *user, const wfsm_row *row)
{
    many_add(user, row->head->instance);
    return WFSM_OK;
}

bool many_list(many *ids, wfsm_store *store, const char *path, const wfsm_query *query)
{
    wfsm_error *error = cli_need(wfsm_error_new(NULL));
    int32_t status = wfsm_store_list(store, query, keep, ids, error);
    if (status != WFSM_OK)
        cli_say_error(path, error);
    wfsm_error_free(error);
    return status == WFSM_OK;
}

void many_free(many *ids)
{
    for (size_t i = 0; i < ids->count; i++)
        free(ids->ids[i]);
    free(ids->ids);
    *ids = (many){0};
}

bool many_number(const char *option, const char *text, int64_t *number)
{
    char *end;
    errno = 0;
    long long value = strtoll(text, &end, 10);
    if (*text >= '0' && *text <= '9' && !*end && !errno) {
        *number = value;
        return true;
    }
    cli_misused("%s: expected a number from 0, not %s", option, text);
    return false;
}

bool many_open_archive(wfsm_store **store, const char *path, bool only_there)
{
    if (only_there && address_is_file(path) && access(path, F_OK) != 0)
        return true;
    wfsm_error *error = cli_need(wfsm_error_new(NULL));
    int32_t status = address_open(store, path, only_there ? ADDRESS_READ : ADDRESS_MAKE, error);
    if (status != WFSM_OK)
        cli_say_error(path, error);
    wfsm_error_free(error);
    return status == WFSM_OK;
}
