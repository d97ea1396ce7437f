/* store/memory_instance.c: one instance of the memory store, and its parts. */
#include "store/memory.h"

#include <string.h>
#include "base/invariant.h"

wf_stored_instance *wf_stored_instance_new(const wfsm_allocator *allocator, const char *id)
{
    wf_stored_instance *instance = wf_new(allocator, sizeof *instance);
    if (!instance)
        return NULL;
    wf_names_init(&instance->events, allocator);
    instance->first = 1;
    instance->id = wf_copy_text(allocator, id, strlen(id));
    if (!instance->id) {
        wf_stored_instance_free(allocator, instance);
        return NULL;
    }
    return instance;
}

void wf_stored_checkpoint_fini(const wfsm_allocator *allocator,
                               wf_stored_checkpoint *checkpoint)
{
    wf_free(allocator, checkpoint->id);
    wf_free(allocator, checkpoint->snapshot.data);
    wf_free(allocator, checkpoint->artifacts.data);
}

size_t wf_stored_checkpoint_find(const wf_stored_instance *instance, const char *id)
{
    size_t index = 0;
    while (index < instance->checkpoint_count &&
           strcmp(instance->checkpoints[index].id, id) != 0)
        index++;
    return index;
}

bool wf_stored_owes_effects(const wf_stored_instance *instance)
{
    return instance->status == WFSM_DONE && instance->effects > instance->acknowledged;
}

static void free_rows(const wfsm_allocator *allocator, wf_stored_instance *instance)
{
    for (size_t i = 0; i < instance->record_count; i++)
        wf_free(allocator, instance->records[i]);
    wf_free(allocator, instance->records);
    for (size_t i = 0; i < instance->checkpoint_count; i++)
        wf_stored_checkpoint_fini(allocator, &instance->checkpoints[i]);
    wf_free(allocator, instance->checkpoints);
}

void wf_stored_instance_free(const wfsm_allocator *allocator, wf_stored_instance *instance)
{
    if (!instance)
        return;
    WF_INVARIANT(!instance->first_post);
    free_rows(allocator, instance);
    wf_names_fini(&instance->events);
    wf_free(allocator, instance->event_states);
    wf_free(allocator, instance->snapshot.data);
    wf_free(allocator, instance->anchor.data);
    wf_free(allocator, instance->machine.data);
    wf_free(allocator, instance->owner.data);
    wf_free(allocator, instance->token.data);
    wf_free(allocator, instance->tags.data);
    wf_free(allocator, instance->attributes.data);
    wf_free(allocator, instance->id);
    wf_free(allocator, instance);
}

void wf_stored_head(const wf_memory *memory, const wf_stored_instance *instance,
                    wfsm_head *head)
{
    *head = (wfsm_head){
        .size = sizeof *head,
        .instance = instance->id,
        .machine = instance->machine.data,
        .fingerprint = memory->documents[instance->document].fingerprint,
        .owner = instance->owner.data,
        .token = instance->token.data,
        .tags = instance->tags.data,
        .attributes = instance->attributes.data,
        .revision = instance->revision,
        .snapshot_revision = instance->snapshot_revision,
        .effects = instance->effects,
        .acknowledged = instance->acknowledged,
        .status = instance->status,
        .deadline = instance->deadline,
        .created = instance->created,
        .updated = instance->updated,
        .first = instance->first,
    };
}

bool wf_slot_reserve(const wfsm_allocator *allocator, wf_slot *slot, const char *text)
{
    char *data = wf_grow(allocator, slot->data, &slot->capacity, strlen(text) + 1, 1);
    if (!data)
        return false;
    slot->data = data;
    return true;
}

void wf_slot_set(wf_slot *slot, const char *text)
{
    WF_INVARIANT(strlen(text) < slot->capacity);
    memcpy(slot->data, text, strlen(text) + 1);
}

bool wf_blob_copy(const wfsm_allocator *allocator, wf_blob *blob, const char *text,
                  size_t length)
{
    blob->data = wf_copy_text(allocator, text, length);
    blob->length = length;
    return blob->data != NULL;
}

uint32_t wf_stored_event(const wfsm_allocator *allocator, wf_stored_instance *instance,
                         const char *event_id)
{
    uint8_t *states = wf_grow(allocator, instance->event_states, &instance->event_capacity,
                              (size_t)instance->events.count + 1, 1);
    if (!states)
        return WF_NONE;
    instance->event_states = states;
    uint32_t before = instance->events.count;
    uint32_t number = wf_names_add(&instance->events, event_id, strlen(event_id));
    if (number != WF_NONE && number >= before)
        states[number] = WF_EVENT_FREE;
    return number;
}

enum wf_event_state wf_stored_event_state(const wf_stored_instance *instance,
                                          const char *event_id)
{
    uint32_t number = wf_names_find(&instance->events, event_id, strlen(event_id));
    return number == WF_NONE ? WF_EVENT_FREE
                             : (enum wf_event_state)instance->event_states[number];
}
