/* Makes, restores and deletes checkpoints. */
#include "instance/inner.h"

#include <string.h>
#include "base/error.h"
#include "base/sized.h"
#include "base/utf8.h"
#include "logic/json.h"
#include "store/decode.h"

enum { ARTIFACTS_MOST = 1000, ARTIFACT_BYTES = 4095 };

static int32_t rolled_back(wfsm_instance *instance, int32_t status)
{
    return wf_instance_drop(instance, status);
}

static int32_t check(const wfsm_instance *instance, const char *id, wfsm_error *error)
{
    if (!wf_id_valid(id))
        return wf_fail(error, WFSM_INVALID, "a checkpoint's id is 1 to 255 bytes of UTF-8");
    if (instance && !wf_instance_store(instance))
        return wf_fail(error, WFSM_INVALID, "without a store there are no checkpoints");
    return wf_instance_ready(instance, error);
}

/* ---- making ---- */

static int32_t check_artifact(const wf_value *name, wfsm_error *error)
{
    if (name->type != WF_STRING)
        return wf_fail(error, WFSM_SEMANTIC, "artifacts must be strings, the names of things");
    if (name->length == 0)
        return wf_fail(error, WFSM_SEMANTIC, "the name of an artifact must not be empty");
    if (name->length > ARTIFACT_BYTES)
        return wf_fail(error, WFSM_LIMIT, "the name of an artifact has more than %d bytes",
                       ARTIFACT_BYTES);
    return WFSM_OK;
}

static int32_t check_artifacts(const wf_value *list, wfsm_error *error)
{
    int32_t status = WFSM_OK;
    if (list->type == WF_NULL)
        return WFSM_OK;
    if (list->type != WF_ARRAY)
        return wf_fail(error, WFSM_SEMANTIC, "artifacts must be a JSON list of names");
    if (list->length > ARTIFACTS_MOST)
        return wf_fail(error, WFSM_LIMIT, "a checkpoint has at most %d artifacts",
                       ARTIFACTS_MOST);
    for (uint32_t i = 0; i < list->length && status == WFSM_OK; i++)
        status = check_artifact(&list->as.items[i], error);
    return status;
}

/* The id and the artifacts go into the record. An empty list counts as none. */
static int32_t note_checkpoint(wfsm_instance *instance, const wf_value *id,
                               const wf_value *artifacts, wf_note *note, wfsm_error *error)
{
    static const char *const keys[] = {"id", "artifacts"};
    bool any = artifacts->type == WF_ARRAY && artifacts->length > 0;
    const wf_value *values[] = {id, any ? artifacts : NULL};
    wf_buffer *text = &instance->attached->answer;
    note->input = wf_note_value(&instance->scratch->step.arena, "checkpoint", keys, values, 2);
    if (!any)
        return WFSM_OK;
    wf_buffer_clear(text);
    wf_json_write(text, artifacts);
    note->artifacts = text->data;
    note->artifacts_length = text->length;
    return text->failed ? wf_no_memory(error) : WFSM_OK;
}

int32_t wfsm_instance_checkpoint(wfsm_instance *instance, const wfsm_checkpoint *checkpoint,
                                 int64_t now, int32_t *outcome, wfsm_error *error)
{
    wfsm_checkpoint given;
    wf_note note = {.outcome = WFSM_TAKEN};
    wf_value name, list;
    if (!wf_struct_check(&given, sizeof given, checkpoint,
                         WF_SIZE_UP_TO(wfsm_checkpoint, length)))
        return wf_fail(error, WFSM_INVALID, "the checkpoint, or its size, is not set");
    int32_t status = check(instance, given.id, error);
    if (status != WFSM_OK)
        return status;
    if (instance->snapshot.status == WFSM_DONE) {
        if (outcome)
            *outcome = WFSM_ENDED;
        return WFSM_OK;
    }
    status = wf_instance_begin(instance, now, error);
    if (status != WFSM_OK)
        return status;
    status = wf_instance_parse(instance, given.artifacts, given.length, &list, error);
    if (status == WFSM_OK)
        status = check_artifacts(&list, error);
    note.checkpoint = given.id;
    name = wf_string_z(given.id);
    if (status == WFSM_OK)
        status = note_checkpoint(instance, &name, &list, &note, error);
    if (status != WFSM_OK)
        return rolled_back(instance, status);
    return wf_instance_commit_input(instance, &note, outcome, error);
}

/* ---- deleting ---- */

int32_t wfsm_instance_delete_checkpoint(wfsm_instance *instance, const char *id, int64_t now,
                                        int32_t *outcome, wfsm_error *error)
{
    static const char *const keys[] = {"id"};
    wf_note note = {.deleted = id, .outcome = WFSM_TAKEN};
    int32_t status = check(instance, id, error);
    if (status == WFSM_OK)
        status = wf_instance_begin(instance, now, error);
    if (status != WFSM_OK)
        return status;
    wf_value name = wf_string_z(id);
    const wf_value *values[] = {&name};
    note.input =
        wf_note_value(&instance->scratch->step.arena, "delete_checkpoint", keys, values, 1);
    return wf_instance_commit_input(instance, &note, outcome, error);
}

/* ---- restoring ---- */

static int32_t take_id(void *user, const wfsm_row *row)
{
    memcpy(user, row->id, strlen(row->id) + 1);
    return WFSM_OK;
}

int32_t wf_checkpoint_find(wfsm_store *store, const char *instance, const char *id,
                           char found[WF_ID_BYTES], wfsm_error *error)
{
    if (id && *id == '\0')
        return wfsm_store_latest_checkpoint(store, instance, take_id, found, error);
    if (!wf_id_valid(id))
        return wf_fail(error, WFSM_INVALID,
                       "a checkpoint's id is 1 to 255 bytes of UTF-8, or \"\": the newest");
    memcpy(found, id, strlen(id) + 1);
    return WFSM_OK;
}

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

int32_t wf_checkpoint_read(wf_snapshot *from, const wf_stored *stored, wfsm_error *error)
{
    char digest[WF_DIGEST_HEX];
    int32_t status = wf_snapshot_read(from, stored, digest, error);
    if (status == WFSM_CORRUPT && has_its_checksum(stored) &&
        is_of_another_document(from, stored))
        return wf_fail(error, WFSM_DENIED,
                       "the checkpoint was made before a migration, under another document");
    if (status == WFSM_OK && from->status != WFSM_RUNNING)
        return wf_fail(error, WFSM_CORRUPT,
                       "stored bytes of \"%.60s\": a checkpoint of an instance that has "
                       "ended",
                       stored->instance);
    return status;
}

typedef struct loading {
    wf_snapshot *snapshot;
    const char *instance, *checkpoint;
    wfsm_error *error;
} loading;

static int32_t take_checkpoint(void *user, const wfsm_row *row)
{
    loading *self = user;
    wf_stored stored = {self->instance, self->checkpoint, row->text, row->length, NULL};
    return wf_checkpoint_read(self->snapshot, &stored, self->error);
}

static int32_t restore_from(wfsm_instance *instance, const char *id, wf_note *note,
                            wfsm_error *error)
{
    wf_snapshot from;
    loading self = {&from, wf_instance_id(instance), id, error};
    if (!wf_snapshot_init(&from, instance->snapshot.machine, instance->snapshot.allocator))
        return wf_no_memory(error);
    int32_t status = wfsm_store_snapshot(wf_instance_store(instance), wf_instance_id(instance),
                                         id, take_checkpoint, &self, error);
    if (status == WFSM_OK)
        status = wf_step_restore(&instance->scratch->step, &from, &note->outcome);
    wf_snapshot_fini(&from);
    return status;
}

/* The record has the id of the newest checkpoint, so that a replay does not look for it. */
static void note_restore(wfsm_instance *instance, const wf_value *id, wf_note *note)
{
    static const char *const keys[] = {"id", "event"};
    const wf_name *event = &instance->snapshot.machine->restore_event;
    wf_value under = event->text ? wf_string_z(event->text) : wf_null();
    const wf_value *values[] = {id, event->text ? &under : NULL};
    note->input = wf_note_value(&instance->scratch->step.arena, "restore", keys, values, 2);
}

static int32_t check_restore(const wfsm_instance *instance, const char *id,
                             char found[WF_ID_BYTES], wfsm_error *error)
{
    int32_t status = wf_instance_ready(instance, error);
    if (status == WFSM_OK && !wf_instance_store(instance))
        return wf_fail(error, WFSM_INVALID, "without a store there are no checkpoints");
    if (status == WFSM_OK && instance->snapshot.status == WFSM_DONE)
        return wf_fail(error, WFSM_DENIED, "the instance has ended");
    if (status == WFSM_OK)
        status = wf_checkpoint_find(wf_instance_store(instance), wf_instance_id(instance), id,
                                    found, error);
    return status;
}

int32_t wfsm_instance_restore(wfsm_instance *instance, const char *id, int64_t now,
                              int32_t *outcome, wfsm_error *error)
{
    char found[WF_ID_BYTES];
    wf_note note = {0};
    int32_t status = instance ? wf_instance_flushed(instance, error) : WFSM_OK;
    if (status == WFSM_OK)
        status = check_restore(instance, id, found, error);
    if (status == WFSM_OK)
        status = wf_instance_begin(instance, now, error);
    if (status != WFSM_OK)
        return status;
    status = restore_from(instance, found, &note, error);
    if (status != WFSM_OK)
        return rolled_back(instance, status);
    wf_value name = wf_string_z(found);
    note_restore(instance, &name, &note);
    return wf_instance_commit_input(instance, &note, outcome, error);
}
