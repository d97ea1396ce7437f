/* store/memory_cut.c: the memory store removes the oldest records of a journal. */
#include "store/memory.h"

#include <string.h>
#include "base/invariant.h"

/* What a cut adds, allocated before anything changes. */
typedef struct draft {
    wf_blob anchor, snapshot; /* snapshot: only if it is replaced */
    wf_names events;
    uint8_t *states;
} draft;

static int32_t check(const wf_stored_instance *instance, uint64_t revision, wfsm_error *error)
{
    if (revision > instance->first && revision <= instance->snapshot_revision)
        return WFSM_OK;
    return wf_fail(error, WFSM_CONFLICT,
                   "the journal of instance '%s' cannot be cut at revision %llu: it begins "
                   "at %llu, and its last snapshot is that of %llu",
                   instance->id, (unsigned long long)revision,
                   (unsigned long long)instance->first,
                   (unsigned long long)instance->snapshot_revision);
}

/* First the event ids of the records that are kept, then those of the posts. */
static bool keep_events(const wf_stored_instance *instance, uint64_t revision, draft *made)
{
    for (size_t i = (size_t)(revision - instance->first); i < instance->record_count; i++) {
        const char *id = instance->records[i]->event_id;
        if (id && wf_names_add(&made->events, id, strlen(id)) == WF_NONE)
            return false;
    }
    uint32_t recorded = made->events.count;
    for (const wf_stored_post *post = instance->first_post; post; post = post->next_here) {
        if (post->event == WF_NONE)
            continue;
        const wf_name *id = &instance->events.list[post->event];
        if (wf_names_add(&made->events, id->text, id->length) == WF_NONE)
            return false;
    }
    made->states = wf_new(made->events.allocator, (size_t)made->events.count + 1);
    if (!made->states)
        return false;
    for (uint32_t i = 0; i < made->events.count; i++)
        made->states[i] = i < recorded ? WF_EVENT_RECORDED : WF_EVENT_POSTED;
    return true;
}

static bool prepare(const wf_memory *memory, const wf_stored_instance *instance,
                    uint64_t revision, const wf_blob *snapshot, draft *made)
{
    const wfsm_allocator *allocator = &memory->allocator;
    wf_names_init(&made->events, allocator);
    return wf_blob_copy(allocator, &made->anchor, snapshot->data, snapshot->length) &&
           (revision < instance->snapshot_revision ||
            wf_blob_copy(allocator, &made->snapshot, snapshot->data, snapshot->length)) &&
           keep_events(instance, revision, made);
}

static void drop(const wf_memory *memory, draft *made)
{
    wf_free(&memory->allocator, made->anchor.data);
    wf_free(&memory->allocator, made->snapshot.data);
    wf_free(&memory->allocator, made->states);
    wf_names_fini(&made->events);
}

/* ---- replacing, which cannot fail ---- */

static void replace(const wf_memory *memory, wf_blob *old, wf_blob *made)
{
    wf_blob before = *old;
    *old = *made;
    wf_free(&memory->allocator, before.data);
    made->data = NULL;
}

static void replace_events(const wf_memory *memory, wf_stored_instance *instance, draft *made)
{
    for (wf_stored_post *post = instance->first_post; post; post = post->next_here) {
        if (post->event == WF_NONE)
            continue;
        const wf_name *id = &instance->events.list[post->event];
        post->event = wf_names_find(&made->events, id->text, id->length);
        WF_INVARIANT(post->event != WF_NONE);
    }
    wf_names_fini(&instance->events);
    wf_free(&memory->allocator, instance->event_states);
    instance->events = made->events;
    instance->event_states = made->states;
    instance->event_capacity = (size_t)made->events.count + 1;
    wf_names_init(&made->events, &memory->allocator);
    made->states = NULL;
}

static void drop_records(const wf_memory *memory, wf_stored_instance *instance,
                         uint64_t revision)
{
    size_t gone = (size_t)(revision - instance->first);
    WF_INVARIANT(gone < instance->record_count);
    for (size_t i = 0; i < gone; i++)
        wf_free(&memory->allocator, instance->records[i]);
    instance->record_count -= gone;
    memmove(instance->records, instance->records + gone,
            instance->record_count * sizeof *instance->records);
    instance->first = revision;
}

int32_t wf_memory_cut(void *self, const char *id, uint64_t revision, const char *snapshot,
                      size_t length, wfsm_error *error)
{
    const wf_memory *memory = self;
    wf_stored_instance *instance;
    draft made = {.states = NULL};
    const wf_blob given = {(char *)(uintptr_t)snapshot, length};
    int32_t status = wf_memory_need(memory, id, &instance, error);
    if (!status)
        status = check(instance, revision, error);
    if (status)
        return status;
    if (prepare(memory, instance, revision, &given, &made)) {
        replace(memory, &instance->anchor, &made.anchor);
        if (made.snapshot.data)
            replace(memory, &instance->snapshot, &made.snapshot);
        replace_events(memory, instance, &made);
        drop_records(memory, instance, revision);
    } else {
        status = wf_no_memory(error);
    }
    drop(memory, &made);
    return status;
}

int32_t wf_memory_anchor(void *self, const char *id, wfsm_row_sink sink, void *user,
                         wfsm_error *error)
{
    wf_stored_instance *instance;
    int32_t status = wf_memory_need(self, id, &instance, error);
    if (status)
        return status;
    if (!instance->anchor.data)
        return wf_fail(error, WFSM_NOT_FOUND, "the journal of instance '%s' is complete", id);
    wfsm_row row = {
        .size = sizeof row,
        .revision = instance->first,
        .now = instance->records[0]->now,
        .text = instance->anchor.data,
        .length = instance->anchor.length,
    };
    return sink(user, &row);
}
