/* store/memory_read.c: reads from the memory store. */
#include "store/memory.h"

#include <stdlib.h>
#include <string.h>
#include "base/invariant.h"

int32_t wf_memory_head(void *self, const char *instance, wfsm_head *head, wfsm_error *error)
{
    wf_stored_instance *found;
    int32_t status = wf_memory_need(self, instance, &found, error);
    if (!status)
        wf_stored_head(self, found, head);
    return status;
}

int32_t wf_memory_records(void *self, const char *instance, uint64_t from, uint64_t to,
                          wfsm_row_sink sink, void *user, wfsm_error *error)
{
    wf_stored_instance *found;
    int32_t status = wf_memory_need(self, instance, &found, error);
    if (status)
        return status;
    if (from < found->first)
        from = found->first;
    for (uint64_t at = from; at <= to && at <= found->revision; at++) {
        const wf_stored_record *record = found->records[at - found->first];
        wfsm_row row = {
            .size = sizeof row,
            .id = record->event_id,
            .revision = at,
            .now = record->now,
            .text = record->text,
            .length = record->length,
        };
        status = sink(user, &row);
        if (status)
            return status;
    }
    return WFSM_OK;
}

static int32_t checkpoint_snapshot(const wf_stored_instance *instance, const char *id,
                                   wfsm_row_sink sink, void *user, wfsm_error *error)
{
    size_t index = wf_stored_checkpoint_find(instance, id);
    if (index == instance->checkpoint_count)
        return wf_fail(error, WFSM_NOT_FOUND, "instance '%s' has no checkpoint '%s'",
                       instance->id, id);
    const wf_stored_checkpoint *checkpoint = &instance->checkpoints[index];
    wfsm_row row = {
        .size = sizeof row,
        .id = checkpoint->id,
        .revision = checkpoint->revision,
        .now = checkpoint->now,
        .text = checkpoint->snapshot.data,
        .length = checkpoint->snapshot.length,
    };
    return sink(user, &row);
}

int32_t wf_memory_snapshot(void *self, const char *instance, const char *checkpoint,
                           wfsm_row_sink sink, void *user, wfsm_error *error)
{
    wf_stored_instance *found;
    int32_t status = wf_memory_need(self, instance, &found, error);
    if (status)
        return status;
    if (checkpoint)
        return checkpoint_snapshot(found, checkpoint, sink, user, error);
    if (!found->snapshot.data)
        return wf_fail(error, WFSM_NOT_FOUND, "instance '%s' has no snapshot", instance);
    WF_INVARIANT(found->first <= found->snapshot_revision &&
                 found->snapshot_revision <= found->revision);
    wfsm_row row = {
        .size = sizeof row,
        .revision = found->snapshot_revision,
        .now = found->records[found->snapshot_revision - found->first]->now,
        .text = found->snapshot.data,
        .length = found->snapshot.length,
    };
    return sink(user, &row);
}

int32_t wf_memory_checkpoints(void *self, const char *instance, wfsm_row_sink sink, void *user,
                              wfsm_error *error)
{
    wf_stored_instance *found;
    int32_t status = wf_memory_need(self, instance, &found, error);
    for (size_t i = 0; !status && i < found->checkpoint_count; i++) {
        wfsm_row row = {
            .size = sizeof row,
            .id = found->checkpoints[i].id,
            .revision = found->checkpoints[i].revision,
            .now = found->checkpoints[i].now,
            .text = found->checkpoints[i].artifacts.data,
            .length = found->checkpoints[i].artifacts.length,
        };
        status = sink(user, &row);
    }
    return status;
}

/* The tags are separated by spaces. */
static bool has_tag(const char *tags, const char *tag)
{
    size_t length = strlen(tag);
    while (*tags) {
        size_t word = strcspn(tags, " ");
        if (word == length && !memcmp(tags, tag, length))
            return true;
        tags += word + (tags[word] == ' ');
    }
    return false;
}

static bool wanted(const wf_stored_instance *instance, const wfsm_query *query)
{
    return (!query->after || strcmp(instance->id, query->after) > 0) &&
           (!query->prefix || !strncmp(instance->id, query->prefix, strlen(query->prefix))) &&
           (!query->machine || !strcmp(instance->machine.data, query->machine)) &&
           (!query->owner || !strcmp(instance->owner.data, query->owner)) &&
           (!query->tag || has_tag(instance->tags.data, query->tag)) &&
           (!query->status || instance->status == query->status) &&
           (!query->due || instance->deadline <= query->due) &&
           (!query->undelivered || wf_stored_owes_effects(instance));
}

static int by_id(const void *left, const void *right)
{
    const wf_stored_instance *const *a = left;
    const wf_stored_instance *const *b = right;
    return strcmp((*a)->id, (*b)->id);
}

static size_t collect(const wf_memory *memory, const wfsm_query *query,
                      const wf_stored_instance **list)
{
    size_t count = 0;
    for (size_t i = 0; i < memory->bucket_count; i++)
        for (wf_stored_instance *at = memory->buckets[i]; at; at = at->next)
            if (wanted(at, query))
                list[count++] = at;
    qsort(list, count, sizeof *list, by_id);
    return count;
}

int32_t wf_memory_list(void *self, const wfsm_query *query, wfsm_row_sink sink, void *user,
                       wfsm_error *error)
{
    const wf_memory *memory = self;
    const wf_stored_instance **list =
        wf_new(&memory->allocator, memory->instance_count * sizeof(wf_stored_instance *));
    if (!list)
        return wf_no_memory(error);
    int32_t status = WFSM_OK;
    size_t count = collect(memory, query, list);
    if (query->limit && count > query->limit)
        count = (size_t)query->limit;
    for (size_t i = 0; !status && i < count; i++) {
        wfsm_head head;
        wf_stored_head(memory, list[i], &head);
        status = sink(user, &(wfsm_row){.size = sizeof(wfsm_row), .head = &head});
    }
    wf_free(&memory->allocator, list);
    return status;
}

int32_t wf_memory_document(void *self, const char *fingerprint, wfsm_row_sink sink, void *user,
                           wfsm_error *error)
{
    const wf_memory *memory = self;
    for (size_t i = 0; i < memory->document_count; i++) {
        const wf_document *document = &memory->documents[i];
        if (strcmp(document->fingerprint, fingerprint) != 0)
            continue;
        wfsm_row row = {
            .size = sizeof row,
            .id = document->fingerprint,
            .text = document->text.data,
            .length = document->text.length,
        };
        return sink(user, &row);
    }
    return wf_fail(error, WFSM_NOT_FOUND, "the store has no document '%s'", fingerprint);
}
