#include "wfsm/copy.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

int32_t copy_row_text(void *user, const wfsm_row *row)
{
    cli_text *text = user;
    text->length = 0;
    cli_text_add(text, row->text, row->length);
    return WFSM_OK;
}

char *copy_fingerprint(const char *text, size_t length)
{
    json_t *value = json_loadb(text, length, 0, NULL);
    const char *found = json_string_value(json_object_get(value, "fingerprint"));
    char *copy = found ? cli_need(strdup(found)) : NULL;
    json_decref(value);
    return copy;
}

static int32_t add_checkpoint(void *user, const wfsm_row *row)
{
    copy_source *source = user;
    size_t count = source->checkpoint_count + 1;
    source->checkpoints =
        cli_need(realloc(source->checkpoints, count * sizeof *source->checkpoints));
    source->checkpoints[source->checkpoint_count++] =
        (copy_checkpoint){.id = cli_need(strdup(row->id)),
                          .artifacts = cli_need(strndup(row->text, row->length)),
                          .revision = row->revision,
                          .now = row->now};
    return WFSM_OK;
}

static int32_t read_head(copy_source *source, wfsm_store *store, const char *id,
                         wfsm_error *error)
{
    wfsm_head head = {.size = sizeof head};
    int32_t status = wfsm_store_head(store, id, &head, error);
    if (status == WFSM_OK)
        stored_head_copy(&source->head, &head);
    return status;
}

int32_t copy_read_rest(copy_source *source, wfsm_store *store, wfsm_error *error)
{
    const char *id = source->head.id;
    int32_t status = WFSM_OK;
    if (source->head.first > 1)
        status = wfsm_store_anchor(store, id, copy_row_text, &source->anchor, error);
    if (status == WFSM_OK)
        status = wfsm_store_checkpoints(store, id, add_checkpoint, source, error);
    return status;
}

int32_t copy_read_source(copy_source *source, wfsm_store *store, const char *id,
                         wfsm_error *error)
{
    *source = (copy_source){.checkpoint_count = 0};
    int32_t status = read_head(source, store, id, error);
    if (status == WFSM_OK)
        status = wfsm_store_snapshot(store, id, NULL, copy_row_text, &source->snapshot, error);
    return status == WFSM_OK ? copy_read_rest(source, store, error) : status;
}

void copy_source_free(copy_source *source)
{
    stored_head_free(&source->head);
    cli_text_free(&source->snapshot);
    cli_text_free(&source->anchor);
    for (size_t i = 0; i < source->checkpoint_count; i++) {
        free(source->checkpoints[i].id);
        free(source->checkpoints[i].artifacts);
    }
    free(source->checkpoints);
}

const copy_checkpoint *copy_checkpoint_at(const copy_source *source, uint64_t revision)
{
    for (size_t i = 0; i < source->checkpoint_count; i++)
        if (source->checkpoints[i].revision == revision)
            return &source->checkpoints[i];
    return NULL;
}
