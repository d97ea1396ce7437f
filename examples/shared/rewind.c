#include "rewind.h"

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "person.h"
#include "wfsm/happened.h"
#include "wfsm/record.h"

static int read_revision(const char *text, uint64_t *revision)
{
    char *end;

    errno = 0;
    *revision = strtoull(text, &end, 10);
    return *text >= '0' && *text <= '9' && *end == '\0' && errno == 0 && *revision > 0 ? 0 : -1;
}

int host_rewind_check(const host_rewind *wanted, const char **why)
{
    uint64_t revision;

    *why = "expected either --before NAME or --at REVISION";
    if (!wanted->before == !wanted->at)
        return -1;
    *why = "--at: expected a revision, which is a number from 1";
    return wanted->at ? read_revision(wanted->at, &revision) : 0;
}

int32_t host_rewind_before(const char *name, uint64_t last, wfsm_store *store, const char *id,
                           uint64_t *revision, wfsm_error *error)
{
    wfsm_head head = {.size = sizeof head};
    int32_t status = wfsm_store_head(store, id, &head, error);

    if (status != WFSM_OK)
        return status;
    return happened_at(store, id, head.first, last < head.revision ? last : head.revision, name,
                       revision, error);
}

int32_t host_rewind_point(const host_rewind *wanted, wfsm_store *store, const char *id,
                          wfsm_restore_point *point, wfsm_error *error)
{
    *point = (wfsm_restore_point){
        .size = sizeof *point, .interface = WFSM_INTERFACE_COMMAND, .sender = host_person()};
    if (wanted->before)
        return host_rewind_before(wanted->before, UINT64_MAX, store, id, &point->revision,
                                  error);
    return read_revision(wanted->at, &point->revision) == 0
               ? WFSM_OK
               : wfsm_error_set(error, WFSM_INVALID, "expected a revision");
}

/* ---- what has happened last ---- */

static int32_t take_kind(void *user, const wfsm_row *row)
{
    json_t *record = json_loadb(row->text, row->length, 0, NULL);
    const char *kind = record_string(json_object_get(record, "input"), "kind");
    int *what = user;

    if (strcmp(kind, "restore") == 0)
        *what = HOST_REWOUND_RESTORED;
    else if (strcmp(kind, "fork") == 0)
        *what = HOST_REWOUND_FORKED;
    else if (strcmp(kind, "patch") != 0)
        *what = HOST_REWOUND_NOT;
    json_decref(record);
    return WFSM_OK;
}

/* A host makes one patch at most before it drives what was restored. */
int32_t host_rewound(int *what, wfsm_store *store, const char *id, wfsm_error *error)
{
    wfsm_head head = {.size = sizeof head};
    int32_t status = wfsm_store_head(store, id, &head, error);
    uint64_t from;

    *what = HOST_REWOUND_NOT;
    if (status != WFSM_OK)
        return status;
    from = head.revision > head.first ? head.revision - 1 : head.revision;
    return wfsm_store_records(store, id, from, head.revision, take_kind, what, error);
}
