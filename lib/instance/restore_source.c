/* Where an instance is restored or forked from: a checkpoint, or a revision of its journal. */
#include "instance/past.h"

#include <inttypes.h>
#include <string.h>
#include "base/error.h"
#include "base/invariant.h"
#include "base/sized.h"
#include "base/utf8.h"
#include "logic/json.h"

/* ---- which one ---- */

static int32_t take_id(void *user, const wfsm_row *row)
{
    memcpy(user, row->id, strlen(row->id) + 1);
    return WFSM_OK;
}

static int32_t find_checkpoint(wf_restore_source *self, const wfsm_instance *of, const char *id,
                               wfsm_error *error)
{
    if (*id == '\0')
        return wfsm_store_latest_checkpoint(wf_instance_store(of), wf_instance_id(of), take_id,
                                            self->checkpoint, error);
    if (!wf_id_valid(id))
        return wf_fail(error, WFSM_INVALID,
                       "a checkpoint's id is 1 to 255 bytes of UTF-8, or \"\": the newest");
    memcpy(self->checkpoint, id, strlen(id) + 1);
    return WFSM_OK;
}

int32_t wf_restore_point(wfsm_restore_point *point, const wfsm_restore_point *given,
                         wfsm_error *error)
{
    if (!wf_struct_check(point, sizeof *point, given,
                         WF_SIZE_UP_TO(wfsm_restore_point, revision)))
        return wf_fail(error, WFSM_INVALID, "the restore point, or its size, is not set");
    return wf_origin_check(point->interface, point->sender, error);
}

int32_t wf_restore_find(wf_restore_source *self, const wfsm_instance *of,
                        const wfsm_restore_point *point, wfsm_error *error)
{
    *self = (wf_restore_source){.revision = point->revision};
    if ((point->checkpoint != NULL) == (point->revision != 0))
        return wf_fail(error, WFSM_INVALID,
                       "a restore point is a checkpoint or a revision from 1");
    return point->checkpoint ? find_checkpoint(self, of, point->checkpoint, error) : WFSM_OK;
}

/* ---- its state ---- */

static bool has_its_checksum(const wf_stored *stored)
{
    char checksum[WF_CHECKSUM_BYTES + 1];
    size_t before = stored->length - WF_CHECKSUM_BYTES;
    if (stored->length < WF_CHECKSUM_BYTES)
        return false;
    wf_checksum_text(stored->text, before, checksum);
    return memcmp(stored->text + before, checksum, WF_CHECKSUM_BYTES) == 0;
}

/* Finds out whether the checkpoint is sound but was made before a migration. */
static bool is_of_another_document(const wf_snapshot *from, const wf_stored *stored)
{
    wf_arena arena;
    wf_value value;
    wf_arena_init(&arena, from->allocator, 0);
    int32_t status = wf_json_parse(&arena, stored->text, stored->length, &value, NULL);
    const wf_value *of = status == WFSM_OK ? wf_value_get_z(&value, "fingerprint") : NULL;
    const wf_value *named = status == WFSM_OK ? wf_value_get_z(&value, "machine") : NULL;
    bool other = of && of->type == WF_STRING && of->length == WF_DIGEST_HEX - 1 &&
                 strcmp(of->as.text, from->machine->fingerprint) != 0 && named &&
                 named->type == WF_STRING &&
                 strcmp(named->as.text, from->machine->id.text) == 0;
    wf_arena_fini(&arena);
    return other;
}

static int32_t read_state(wf_restore_source *self, wf_snapshot *from, const wf_stored *stored,
                          wfsm_error *error)
{
    const char *what = stored->checkpoint ? "checkpoint" : "revision";
    int32_t status = wf_snapshot_read(from, stored, self->digest, error);
    if (status == WFSM_CORRUPT && has_its_checksum(stored) &&
        is_of_another_document(from, stored))
        return wf_fail(error, WFSM_DENIED, "the %s was made %s", what,
                       "before a migration, under another document");
    return status;
}

static int32_t take_text(void *user, const wfsm_row *row)
{
    wf_buffer *out = user;
    wf_buffer_clear(out);
    wf_buffer_add(out, row->text, row->length);
    return out->failed ? WFSM_NO_MEMORY : WFSM_OK;
}

static int32_t read_checkpoint(wf_restore_source *self, const wfsm_instance *of,
                               wf_buffer *text, wf_snapshot *from, wfsm_error *error)
{
    int32_t status = wfsm_store_snapshot(wf_instance_store(of), wf_instance_id(of),
                                         self->checkpoint, take_text, text, error);
    if (text->failed)
        return wf_no_memory(error);
    if (status != WFSM_OK)
        return status;
    wf_stored stored = {wf_instance_id(of), self->checkpoint, text->data, text->length, NULL};
    status = read_state(self, from, &stored, error);
    if (status == WFSM_OK && from->status != WFSM_RUNNING)
        return wf_fail(error, WFSM_CORRUPT,
                       "stored bytes of \"%.60s\": a checkpoint of an instance that has "
                       "ended",
                       stored.instance);
    return status;
}

static int32_t read_revision(wf_restore_source *self, const wfsm_instance *of, wf_buffer *text,
                             wf_snapshot *from, wfsm_error *error)
{
    int32_t status =
        wf_past_text(wf_instance_store(of), wf_instance_id(of), self->revision, text, error);
    if (status != WFSM_OK)
        return status;
    wf_stored stored = {wf_instance_id(of), NULL, text->data, text->length, NULL};
    status = read_state(self, from, &stored, error);
    if (status == WFSM_OK && from->status != WFSM_RUNNING)
        return wf_fail(error, WFSM_DENIED, "\"%.60s\" had ended at revision %" PRIu64,
                       stored.instance, self->revision);
    WF_INVARIANT(status != WFSM_OK || from->extras->outbox.count == 0);
    return status;
}

int32_t wf_restore_read(wf_restore_source *self, const wfsm_instance *of, wf_buffer *text,
                        wf_snapshot *from, wfsm_error *error)
{
    WF_INVARIANT((self->checkpoint[0] != '\0') != (self->revision != 0));
    return self->revision != 0 ? read_revision(self, of, text, from, error)
                               : read_checkpoint(self, of, text, from, error);
}
