/* store/memory_commit.c: commits of the memory store: checked, allocated, then linked in. A chain is
 * linked in when all of its commits are prepared. */
#include "store/memory_chain.h"

#include <string.h>
#include "base/invariant.h"

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

static bool prepare_document(wf_chain *self, const wfsm_commit *commit, wf_draft *made)
{
    wf_memory *memory = self->memory;
    size_t index = memory->document_count + self->new_documents;
    made->document = wf_chain_document(self, commit->fingerprint);
    if (made->document != WF_NONE)
        return true;
    wf_document *documents = wf_grow(&memory->allocator, memory->documents,
                                     &memory->document_capacity, index + 1, sizeof *documents);
    if (!documents)
        return false;
    memory->documents = documents;
    made->document = (uint32_t)index;
    self->new_documents++;
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

static bool prepare_checkpoint(wf_chain *self, const wfsm_commit *commit, wf_draft *made)
{
    wf_memory *memory = self->memory;
    wf_stored_instance *instance = self->instance;
    if (!commit->checkpoint)
        return true;
    wf_stored_checkpoint *checkpoints =
        wf_grow(&memory->allocator, instance->checkpoints, &instance->checkpoint_capacity,
                instance->checkpoint_count + self->prepared + 1, sizeof *checkpoints);
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

static bool prepare_record(wf_chain *self, const wfsm_commit *commit, wf_draft *made)
{
    wf_memory *memory = self->memory;
    wf_stored_instance *instance = self->instance;
    wf_stored_record **records =
        wf_grow(&memory->allocator, instance->records, &instance->record_capacity,
                instance->record_count + self->prepared + 1, sizeof(wf_stored_record *));
    if (!records)
        return false;
    instance->records = records;
    made->record = new_record(&memory->allocator, commit);
    return made->record &&
           (!commit->snapshot || wf_blob_copy(&memory->allocator, &made->snapshot,
                                              commit->snapshot, commit->snapshot_length));
}

static const char *attributes_of(const wfsm_commit *commit)
{
    return commit->attributes ? commit->attributes : "{}";
}

static bool prepare_head(wf_chain *self, const wfsm_commit *commit)
{
    const wfsm_allocator *allocator = &self->memory->allocator;
    if (!self->instance) {
        self->instance = wf_stored_instance_new(allocator, commit->instance);
        self->new_instance = self->instance != NULL;
        if (!self->instance || !wf_memory_reserve(self->memory) ||
            !wf_slot_reserve(allocator, &self->instance->owner, commit->owner))
            return false;
    }
    return wf_slot_reserve(allocator, &self->instance->machine, commit->machine) &&
           wf_slot_reserve(allocator, &self->instance->token, commit->token) &&
           wf_slot_reserve(allocator, &self->instance->tags, commit->tags) &&
           wf_slot_reserve(allocator, &self->instance->attributes, attributes_of(commit));
}

/* The ids of this commit are known to the next one from now on. */
static bool prepare_ids(wf_chain *self, const wfsm_commit *commit, wf_draft *made)
{
    wf_stored_instance *instance = self->instance;
    if (commit->event_id) {
        made->event = wf_stored_event(&self->memory->allocator, instance, commit->event_id);
        if (made->event == WF_NONE)
            return false;
        made->event_before = instance->event_states[made->event];
        instance->event_states[made->event] = WF_EVENT_RECORDED;
    }
    if (commit->inbox) {
        made->post = wf_memory_post_of(instance, commit->inbox);
        made->post->taken = true;
    }
    return true;
}

static bool prepare(wf_chain *self, const wfsm_commit *commit, wf_draft *made)
{
    *made = (wf_draft){.event = WF_NONE};
    return prepare_head(self, commit) && prepare_document(self, commit, made) &&
           prepare_checkpoint(self, commit, made) && prepare_record(self, commit, made) &&
           prepare_ids(self, commit, made);
}

static void drop(wf_chain *self, wf_draft *made)
{
    const wfsm_allocator *allocator = &self->memory->allocator;
    if (made->event != WF_NONE)
        self->instance->event_states[made->event] = made->event_before;
    if (made->post)
        made->post->taken = false;
    wf_free(allocator, made->record);
    wf_free(allocator, made->snapshot.data);
    wf_stored_checkpoint_fini(allocator, &made->checkpoint);
    wf_free(allocator, made->new_document.fingerprint);
    wf_free(allocator, made->new_document.text.data);
}

/* The commit that could not be prepared has a draft, too. */
static void drop_all(wf_chain *self, size_t drafts)
{
    while (drafts-- > 0)
        drop(self, &self->drafts[drafts]);
    if (self->new_instance)
        wf_stored_instance_free(&self->memory->allocator, self->instance);
}

static int32_t prepare_all(wf_chain *self, wfsm_error *error)
{
    int32_t status = WFSM_OK;
    for (; self->prepared < self->count && !status; self->prepared++) {
        const wfsm_commit *commit = self->commits[self->prepared];
        status = wf_chain_check(self, commit, error);
        if (status) {
            drop_all(self, self->prepared);
        } else if (!prepare(self, commit, &self->drafts[self->prepared])) {
            drop_all(self, self->prepared + 1);
            status = wf_no_memory(error);
        }
    }
    return status;
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

static void link_rows(wf_chain *self, const wfsm_commit *commit, wf_draft *made)
{
    wf_memory *memory = self->memory;
    wf_stored_instance *instance = self->instance;
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
}

static void link_new(wf_chain *self)
{
    wf_slot_set(&self->instance->owner, self->commits[0]->owner);
    self->instance->created = self->commits[0]->now;
    wf_memory_link(self->memory, self->instance);
}

static void link_head(wf_chain *self, const wfsm_commit *commit, const wf_draft *made)
{
    wf_stored_instance *instance = self->instance;
    wf_slot_set(&instance->machine, commit->machine);
    wf_slot_set(&instance->token, commit->token);
    wf_slot_set(&instance->tags, commit->tags);
    wf_slot_set(&instance->attributes, attributes_of(commit));
    WF_INVARIANT(made->document < self->memory->document_count);
    instance->document = made->document;
    instance->revision = commit->base + 1;
    instance->status = commit->status;
    instance->deadline = commit->deadline;
    instance->updated = commit->now;
    instance->effects = commit->effects;
    if (commit->by_hand)
        wf_memory_tell_owner(self->memory, instance);
    if (commit->gives_up && !instance->first_post)
        wf_slot_set(&instance->owner, "");
}

static void link_all(wf_chain *self)
{
    if (self->new_instance)
        link_new(self);
    for (size_t i = 0; i < self->count; i++) {
        link_rows(self, self->commits[i], &self->drafts[i]);
        link_head(self, self->commits[i], &self->drafts[i]);
    }
}

static int32_t commit_chain(wf_chain *self, wfsm_error *error)
{
    wf_draft single;
    const wfsm_allocator *allocator = &self->memory->allocator;
    self->drafts = self->count == 1 ? &single : wf_new(allocator, self->count * sizeof single);
    if (!self->drafts)
        return wf_no_memory(error);
    int32_t status = prepare_all(self, error);
    if (!status)
        link_all(self);
    if (self->drafts != &single)
        wf_free(allocator, self->drafts);
    return status;
}

static size_t chain_length(const wfsm_commit *const *commits, size_t count)
{
    size_t length = 1;
    while (length < count && !strcmp(commits[length]->instance, commits[0]->instance))
        length++;
    return length;
}

int32_t wf_memory_commit(void *self, const wfsm_commit *const *commits, size_t count,
                         int32_t *answers, wfsm_error *error)
{
    for (size_t i = 0, length; i < count; i += length) {
        length = chain_length(commits + i, count - i);
        wf_chain at = {.memory = self,
                       .commits = commits + i,
                       .count = length,
                       .instance = wf_memory_find(self, commits[i]->instance)};
        int32_t answer = commit_chain(&at, error);
        for (size_t j = i; j < i + length; j++)
            answers[j] = answer;
        if (answer)
            error = NULL;
    }
    return WFSM_OK;
}
