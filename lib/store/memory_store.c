/* store/memory_store.c: the memory store is opened and closed. */
#include "store/memory.h"

static void free_instances(wf_memory *memory)
{
    for (size_t i = 0; i < memory->bucket_count; i++) {
        while (memory->buckets[i]) {
            wf_stored_instance *instance = memory->buckets[i];
            memory->buckets[i] = instance->next;
            wf_stored_instance_free(&memory->allocator, instance);
        }
    }
    wf_free(&memory->allocator, memory->buckets);
}

static void free_documents(wf_memory *memory)
{
    for (size_t i = 0; i < memory->document_count; i++) {
        wf_free(&memory->allocator, memory->documents[i].fingerprint);
        wf_free(&memory->allocator, memory->documents[i].text.data);
    }
    wf_free(&memory->allocator, memory->documents);
}

static void free_owners(wf_memory *memory)
{
    for (size_t i = 0; i < memory->owner_count; i++)
        wf_free(&memory->allocator, memory->owners[i].name);
    wf_free(&memory->allocator, memory->owners);
}

static void close_memory(void *self)
{
    wf_memory *memory = self;
    while (memory->first_post)
        wf_memory_post_free(memory, memory->first_post);
    free_instances(memory);
    free_documents(memory);
    free_owners(memory);
    wf_memory_permits_free(memory);
    wf_memory_rates_free(memory);
    wfsm_allocator allocator = memory->allocator;
    wf_free(&allocator, memory);
}

static const wfsm_store_vtable vtable = {
    .size = sizeof vtable,
    .commit = wf_memory_commit,
    .head = wf_memory_head,
    .records = wf_memory_records,
    .snapshot = wf_memory_snapshot,
    .checkpoints = wf_memory_checkpoints,
    .list = wf_memory_list,
    .document = wf_memory_document,
    .seen = wf_memory_seen,
    .post = wf_memory_post,
    .inbox = wf_memory_inbox,
    .acknowledge = wf_memory_acknowledge,
    .owner_alive = wf_memory_owner_alive,
    .claim = wf_memory_claim,
    .own = wf_memory_own,
    .disown = wf_memory_disown,
    .remove = wf_memory_remove,
    .close = close_memory,
    .cut = wf_memory_cut,
    .anchor = wf_memory_anchor,
    .changes = wf_memory_changes,
    .lapsed = wf_memory_lapsed,
    .permits = wf_memory_permits,
    .rates = wf_memory_rates,
};

int32_t wfsm_memory_open(wfsm_store **store, const wfsm_allocator *allocator, wfsm_error *error)
{
    wfsm_allocator given;
    if (!wf_allocator_init(&given, allocator))
        return wf_fail(error, WFSM_INVALID, "the allocator is not complete");
    wf_memory *memory = wf_new(&given, sizeof *memory);
    if (!memory)
        return wf_no_memory(error);
    memory->allocator = given;
    int32_t status = wfsm_store_new(store, &vtable, memory, allocator, error);
    if (status)
        close_memory(memory);
    return status;
}
