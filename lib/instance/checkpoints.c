/* Makes and deletes checkpoints. */
#include "instance/inner.h"

#include "base/error.h"
#include "base/sized.h"
#include "base/utf8.h"
#include "logic/json.h"
#include "store/batch.h"
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

static int32_t ignore(void *user, const wfsm_row *row)
{
    (void)user;
    (void)row;
    return WFSM_OK;
}

/* A commit that waits is answered too late to tell the caller that there is no such checkpoint. */
static int32_t check_there(const wfsm_instance *instance, const char *id, wfsm_error *error)
{
    wfsm_store *store = wf_instance_store(instance);
    if (!store || !wf_store_gathers(store))
        return WFSM_OK;
    return wfsm_store_snapshot(store, wf_instance_id(instance), id, ignore, NULL, error);
}

int32_t wfsm_instance_delete_checkpoint(wfsm_instance *instance, const char *id, int64_t now,
                                        int32_t *outcome, wfsm_error *error)
{
    static const char *const keys[] = {"id"};
    wf_note note = {.deleted = id, .outcome = WFSM_TAKEN};
    int32_t status = check(instance, id, error);
    if (status == WFSM_OK)
        status = check_there(instance, id, error);
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
