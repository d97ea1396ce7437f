/* store/memory_commit.c: commits of the memory store: checked, allocated, then linked in. */
#include "store/memory.h"

#include <string.h>
#include "base/invariant.h"

/* What a commit adds, allocated before anything changes. */
typedef struct draft {
    wf_stored_instance *instance;
    bool new_instance;
    wf_stored_record *record;
    wf_blob snapshot;
    wf_stored_checkpoint checkpoint;
    wf_document new_document;
    uint32_t document;
    uint32_t event;
    wf_stored_post *post;
} draft;

static uint32_t find_document(const wf_memory *memory, const char *fingerprint)
{
    for (uint32_t i = 0; i < memory->document_count; i++)
        if (!strcmp(memory->documents[i].fingerprint, fingerprint))
            return i;
    return WF_NONE;
}

static int32_t check_document(const wf_memory *memory, const wfsm_commit *commit,
                              wfsm_error *error)
{
    if (commit->document || find_document(memory, commit->fingerprint) != WF_NONE)
        return WFSM_OK;
    return wf_fail(error, WFSM_NOT_FOUND,
                   "the store has no document '%s', and the commit brings none",
                   commit->fingerprint);
}

static int32_t check_head(const wf_stored_instance *instance, const wfsm_commit *commit,
                          wfsm_error *error)
{
    if (!instance && commit->base)
        return wf_fail(error, WFSM_NOT_FOUND, "there is no instance '%s'", commit->instance);
    if (!instance)
        return WFSM_OK;
    if (!commit->base)
        return wf_fail(error, WFSM_EXISTS, "there is an instance '%s' already",
                       commit->instance);
    if (instance->revision != commit->base)
        return wf_fail(error, WFSM_CONFLICT, "instance '%s' is at revision %llu, not %llu",
                       commit->instance, (unsigned long long)instance->revision,
                       (unsigned long long)commit->base);
    if (strcmp(instance->owner.data, commit->owner) != 0)
        return wf_fail(error, WFSM_CONFLICT, "instance '%s' is owned by '%s', not by '%s'",
                       commit->instance, instance->owner.data, commit->owner);
    if (commit->previous && strcmp(instance->token.data, commit->previous) != 0)
        return wf_fail(error, WFSM_CONFLICT,
                       "revision %llu of instance '%s' is not the one that was committed",
                       (unsigned long long)commit->base, commit->instance);
    return WFSM_OK;
}

static int32_t check_ids(const wf_stored_instance *instance, const wfsm_commit *commit,
                         wfsm_error *error)
{
    if (instance && commit->event_id &&
        wf_stored_event_state(instance, commit->event_id) == WF_EVENT_RECORDED)
        return wf_fail(error, WFSM_EXISTS, "instance '%s' has taken event '%s' already",
                       commit->instance, commit->event_id);
    if (commit->inbox && (!instance || !wf_memory_post_of(instance, commit->inbox)))
        return wf_fail(error, WFSM_NOT_FOUND, "instance '%s' has no post %llu",
                       commit->instance, (unsigned long long)commit->inbox);
    if (commit->checkpoint_deleted &&
        (!instance || wf_stored_checkpoint_find(instance, commit->checkpoint_deleted) ==
                          instance->checkpoint_count))
        return wf_fail(error, WFSM_NOT_FOUND, "instance '%s' has no checkpoint '%s'",
                       commit->instance, commit->checkpoint_deleted);
    return WFSM_OK;
}

static wf_stored_record *new_record(const wfsm_allocator *allocator, const wfsm_commit *commit)
{
    size_t id_bytes = commit->event_id ? strlen(commit->event_id) + 1 : 0;
    wf_stored_record *record =
        wf_new(allocator, sizeof *record + id_bytes + commit->record_length + 1);
    if (!record)
        return NULL;
    char *end = (char *)(record + 1);
    if (id_bytes) {
        memcpy(end, commit->event_id, id_bytes);
        record->event_id = end;
        end += id_bytes;
    }
    memcpy(end, commit->record, commit->record_length);
    record->now = commit->now;
    record->text = end;
    record->length = commit->record_length;
    return record;
}

static bool prepare_document(wf_memory *memory, const wfsm_commit *commit, draft *made)
{
    made->document = find_document(memory, commit->fingerprint);
    if (made->document != WF_NONE)
        return true;
    wf_document *documents =
        wf_grow(&memory->allocator, memory->documents, &memory->document_capacity,
                memory->document_count + 1, sizeof *documents);
    if (!documents)
        return false;
    memory->documents = documents;
    made->document = (uint32_t)memory->document_count;
    made->new_document.fingerprint =
        wf_copy_text(&memory->allocator, commit->fingerprint, strlen(commit->fingerprint));
    return made->new_document.fingerprint &&
           wf_blob_copy(&memory->allocator, &made->new_document.text, commit->document,
                        commit->document_length);
}

static bool copy_artifacts(const wf_memory *memory, const wfsm_commit *commit, wf_blob *out)
{
    if (!commit->artifacts)
        return wf_blob_copy(&memory->allocator, out, "[]", 2);
    return wf_blob_copy(&memory->allocator, out, commit->artifacts, commit->artifacts_length);
}

static bool prepare_checkpoint(wf_memory *memory, const wfsm_commit *commit, draft *made)
{
    wf_stored_instance *instance = made->instance;
    if (!commit->checkpoint)
        return true;
    wf_stored_checkpoint *checkpoints =
        wf_grow(&memory->allocator, instance->checkpoints, &instance->checkpoint_capacity,
                instance->checkpoint_count + 1, sizeof *checkpoints);
    if (!checkpoints)
        return false;
    instance->checkpoints = checkpoints;
    made->checkpoint.id =
        wf_copy_text(&memory->allocator, commit->checkpoint, strlen(commit->checkpoint));
    made->checkpoint.revision = commit->base + 1;
    made->checkpoint.now = commit->now;
    return made->checkpoint.id &&
           wf_blob_copy(&memory->allocator, &made->checkpoint.snapshot,
                        commit->checkpoint_snapshot, commit->checkpoint_length) &&
           copy_artifacts(memory, commit, &made->checkpoint.artifacts);
}

static bool prepare_record(wf_memory *memory, const wfsm_commit *commit, draft *made)
{
    wf_stored_instance *instance = made->instance;
    wf_stored_record **records =
        wf_grow(&memory->allocator, instance->records, &instance->record_capacity,
                instance->record_count + 1, sizeof(wf_stored_record *));
    if (!records)
        return false;
    instance->records = records;
    made->record = new_record(&memory->allocator, commit);
    return made->record &&
           (!commit->snapshot || wf_blob_copy(&memory->allocator, &made->snapshot,
                                              commit->snapshot, commit->snapshot_length));
}

static bool prepare_head(wf_memory *memory, const wfsm_commit *commit, draft *made)
{
    const wfsm_allocator *allocator = &memory->allocator;
    made->new_instance = !made->instance;
    if (made->new_instance) {
        made->instance = wf_stored_instance_new(allocator, commit->instance);
        if (!made->instance || !wf_memory_reserve(memory) ||
            !wf_slot_reserve(allocator, &made->instance->owner, commit->owner))
            return false;
    }
    return wf_slot_reserve(allocator, &made->instance->machine, commit->machine) &&
           wf_slot_reserve(allocator, &made->instance->token, commit->token) &&
           wf_slot_reserve(allocator, &made->instance->tags, commit->tags);
}

static bool prepare(wf_memory *memory, const wfsm_commit *commit, draft *made)
{
    if (!prepare_head(memory, commit, made) || !prepare_document(memory, commit, made) ||
        !prepare_checkpoint(memory, commit, made) || !prepare_record(memory, commit, made))
        return false;
    if (commit->inbox)
        made->post = wf_memory_post_of(made->instance, commit->inbox);
    made->event = WF_NONE;
    if (!commit->event_id)
        return true;
    made->event = wf_stored_event(&memory->allocator, made->instance, commit->event_id);
    return made->event != WF_NONE;
}

static void drop(wf_memory *memory, draft *made)
{
    if (made->new_instance)
        wf_stored_instance_free(&memory->allocator, made->instance);
    wf_free(&memory->allocator, made->record);
    wf_free(&memory->allocator, made->snapshot.data);
    wf_stored_checkpoint_fini(&memory->allocator, &made->checkpoint);
    wf_free(&memory->allocator, made->new_document.fingerprint);
    wf_free(&memory->allocator, made->new_document.text.data);
}

/* ---- linking, which cannot fail ---- */

static void remove_checkpoint(wf_memory *memory, wf_stored_instance *instance, const char *id)
{
    wf_stored_checkpoint *list = instance->checkpoints;
    size_t index = wf_stored_checkpoint_find(instance, id);
    if (index == instance->checkpoint_count)
        return;
    wf_stored_checkpoint_fini(&memory->allocator, &list[index]);
    instance->checkpoint_count--;
    memmove(list + index, list + index + 1,
            (instance->checkpoint_count - index) * sizeof *list);
}

static void link_checkpoint(wf_memory *memory, wf_stored_instance *instance,
                            const wf_stored_checkpoint *checkpoint)
{
    remove_checkpoint(memory, instance, checkpoint->id);
    instance->checkpoints[instance->checkpoint_count++] = *checkpoint;
}

static void link_rows(wf_memory *memory, const wfsm_commit *commit, draft *made)
{
    wf_stored_instance *instance = made->instance;
    WF_INVARIANT(instance->record_count < instance->record_capacity);
    WF_INVARIANT(instance->first + instance->record_count == commit->base + 1);
    instance->records[instance->record_count++] = made->record;
    if (made->new_document.fingerprint)
        memory->documents[memory->document_count++] = made->new_document;
    if (made->snapshot.data) {
        wf_free(&memory->allocator, instance->snapshot.data);
        instance->snapshot = made->snapshot;
        instance->snapshot_revision = commit->base + 1;
    }
    if (made->checkpoint.id)
        link_checkpoint(memory, instance, &made->checkpoint);
    if (commit->checkpoint_deleted)
        remove_checkpoint(memory, instance, commit->checkpoint_deleted);
    if (made->post)
        wf_memory_post_free(memory, made->post);
    if (made->event != WF_NONE)
        instance->event_states[made->event] = WF_EVENT_RECORDED;
}

static void link_head(wf_memory *memory, const wfsm_commit *commit, draft *made)
{
    wf_stored_instance *instance = made->instance;
    if (made->new_instance) {
        wf_slot_set(&instance->owner, commit->owner);
        instance->created = commit->now;
        wf_memory_link(memory, instance);
    }
    wf_slot_set(&instance->machine, commit->machine);
    wf_slot_set(&instance->token, commit->token);
    wf_slot_set(&instance->tags, commit->tags);
    WF_INVARIANT(made->document < memory->document_count);
    instance->document = made->document;
    instance->revision = commit->base + 1;
    instance->status = commit->status;
    instance->deadline = commit->deadline;
    instance->updated = commit->now;
    instance->effects = commit->effects;
    if (commit->by_hand)
        wf_memory_tell_owner(memory, instance);
    if (commit->gives_up && !instance->first_post)
        wf_slot_set(&instance->owner, "");
}

static int32_t commit_one(wf_memory *memory, const wfsm_commit *commit, wfsm_error *error)
{
    draft made = {.instance = wf_memory_find(memory, commit->instance)};
    int32_t status = check_head(made.instance, commit, error);
    if (!status)
        status = check_ids(made.instance, commit, error);
    if (!status)
        status = check_document(memory, commit, error);
    if (status)
        return status;
    if (!prepare(memory, commit, &made)) {
        drop(memory, &made);
        return wf_no_memory(error);
    }
    link_rows(memory, commit, &made);
    link_head(memory, commit, &made);
    return WFSM_OK;
}

/* True if an earlier commit of the same instance was refused. */
static bool refused_before(const wfsm_commit *const *commits, const int32_t *answers,
                           size_t index)
{
    for (size_t i = 0; i < index; i++)
        if (answers[i] && !strcmp(commits[i]->instance, commits[index]->instance))
            return true;
    return false;
}

int32_t wf_memory_commit(void *self, const wfsm_commit *const *commits, size_t count,
                         int32_t *answers, wfsm_error *error)
{
    bool refusals = false;
    for (size_t i = 0; i < count; i++) {
        if (refusals && refused_before(commits, answers, i))
            answers[i] = WFSM_CONFLICT;
        else
            answers[i] = commit_one(self, commits[i], error);
        refusals = refusals || answers[i];
    }
    return WFSM_OK;
}
