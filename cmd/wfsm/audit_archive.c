#include "wfsm/audit_archive.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include "wfsm/many.h"

typedef struct linking {
    wfsm_store *store, *archive;
    wfsm_audit_sink sink;
    void *user;
    wfsm_error *error;
} linking;

static int32_t tell(const linking *self, const char *id, uint64_t revision, const char *message)
{
    wfsm_audit_diagnostic diagnostic = {sizeof diagnostic, id, revision, message};
    return self->sink(self->user, &diagnostic);
}

static int32_t copy_text(void *user, const wfsm_row *row)
{
    cli_text_add(user, row->text, row->length);
    return WFSM_OK;
}

static int32_t read_record(const linking *self, wfsm_store *store, const char *id,
                           uint64_t revision, cli_text *out)
{
    out->length = 0;
    cli_text_add(out, "", 0);
    return wfsm_store_records(store, id, revision, revision, copy_text, out, self->error);
}

static bool names(const cli_text *record, const char *token)
{
    json_t *value = json_loadb(record->data, record->length, 0, NULL);
    const char *previous = json_string_value(json_object_get(value, "prev"));
    bool same = previous && strcmp(previous, token) == 0;
    json_decref(value);
    return same;
}

/* An archive that is ahead has the record itself: the two must be the same. */
static int32_t compare(const linking *self, const char *id, const wfsm_head *archived,
                       uint64_t first)
{
    cli_text here = {0}, there = {0};
    bool ahead = archived->revision >= first;
    char *token = cli_need(strdup(archived->token));
    int32_t status = read_record(self, self->store, id, first, &here);
    if (status == WFSM_OK && ahead)
        status = read_record(self, self->archive, id, first, &there);
    bool fits =
        ahead ? here.length == there.length && memcmp(here.data, there.data, here.length) == 0
              : status == WFSM_OK && names(&here, token);
    if (status == WFSM_OK && !fits)
        status = tell(self, id, first, "the archive does not lead to this record");
    cli_text_free(&here);
    cli_text_free(&there);
    free(token);
    return status;
}

static int32_t link_one(const linking *self, const char *id)
{
    wfsm_head head = {.size = sizeof head}, archived = {.size = sizeof archived};
    int32_t status = wfsm_store_head(self->store, id, &head, self->error);
    if (status != WFSM_OK || head.first == 1)
        return status;
    uint64_t first = head.first;
    status = wfsm_store_head(self->archive, id, &archived, self->error);
    if (status == WFSM_NOT_FOUND || (status == WFSM_OK && archived.revision + 1 < first))
        return tell(self, id, first, "the archive does not have all records before this one");
    return status == WFSM_OK ? compare(self, id, &archived, first) : status;
}

int32_t audit_archive(wfsm_store *store, wfsm_store *archive, const char *id,
                      wfsm_audit_sink sink, void *user, wfsm_error *error)
{
    const linking self = {store, archive, sink, user, error};
    const wfsm_query query = {.size = sizeof query};
    many ids = {0};
    int32_t status = WFSM_OK;
    if (id)
        many_add(&ids, id);
    else if (!many_list(&ids, store, "the store", &query))
        status = WFSM_IO;
    for (size_t i = 0; i < ids.count && status == WFSM_OK; i++)
        status = link_one(&self, ids.ids[i]);
    many_free(&ids);
    return status;
}
