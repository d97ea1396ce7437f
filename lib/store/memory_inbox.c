/* store/memory_inbox.c: posts of the memory store, and the ids of events. */
#include "store/memory.h"

#include <string.h>
#include "base/invariant.h"

wf_stored_post *wf_memory_post_of(const wf_stored_instance *instance, uint64_t number)
{
    wf_stored_post *post = instance->first_post;
    while (post && post->number != number)
        post = post->next_here;
    return post;
}

static void link_post(wf_memory *memory, wf_stored_instance *instance, wf_stored_post *post)
{
    post->instance = instance;
    post->number = ++memory->last_number;
    WF_INVARIANT(!memory->last_post || memory->last_post->number < post->number);
    post->previous = memory->last_post;
    post->previous_here = instance->last_post;
    *(post->previous ? &post->previous->next : &memory->first_post) = post;
    *(post->previous_here ? &post->previous_here->next_here : &instance->first_post) = post;
    memory->last_post = post;
    instance->last_post = post;
}

static void unlink_post(wf_memory *memory, wf_stored_post *post)
{
    wf_stored_instance *instance = post->instance;
    WF_INVARIANT(post->previous_here || instance->first_post == post);
    *(post->previous ? &post->previous->next : &memory->first_post) = post->next;
    *(post->next ? &post->next->previous : &memory->last_post) = post->previous;
    *(post->previous_here ? &post->previous_here->next_here : &instance->first_post) =
        post->next_here;
    *(post->next_here ? &post->next_here->previous_here : &instance->last_post) =
        post->previous_here;
}

void wf_memory_post_free(wf_memory *memory, wf_stored_post *post)
{
    /* An event with this id may have been recorded while the post was waiting. */
    if (post->event != WF_NONE && post->instance->event_states[post->event] == WF_EVENT_POSTED)
        post->instance->event_states[post->event] = WF_EVENT_FREE;
    unlink_post(memory, post);
    wf_free(&memory->allocator, post);
}

static wf_stored_post *new_post(const wfsm_allocator *allocator, const wfsm_post *given)
{
    size_t name_bytes = strlen(given->name) + 1;
    size_t sender_bytes = given->sender ? strlen(given->sender) + 1 : 0;
    wf_stored_post *post =
        wf_new(allocator, sizeof *post + name_bytes + sender_bytes + given->length + 1);
    if (!post)
        return NULL;
    char *end = (char *)(post + 1);
    post->name = memcpy(end, given->name, name_bytes);
    end += name_bytes;
    if (given->sender)
        post->sender = memcpy(end, given->sender, sender_bytes);
    post->data = memcpy(end + sender_bytes, given->data, given->length);
    post->kind = given->kind;
    post->interface = given->interface;
    post->length = given->length;
    post->now = given->now;
    post->event = WF_NONE;
    return post;
}

int32_t wf_memory_post(void *self, const wfsm_post *given, wfsm_error *error)
{
    wf_memory *memory = self;
    wf_stored_instance *instance;
    int32_t status = wf_memory_need(memory, given->instance, &instance, error);
    if (status)
        return status;
    if (given->id && wf_stored_event_state(instance, given->id) != WF_EVENT_FREE)
        return wf_fail(error, WFSM_EXISTS, "instance '%s' has event '%s' already",
                       given->instance, given->id);
    wf_stored_post *post = new_post(&memory->allocator, given);
    if (!post)
        return wf_no_memory(error);
    if (given->id) {
        post->event = wf_stored_event(&memory->allocator, instance, given->id);
        if (post->event == WF_NONE) {
            wf_free(&memory->allocator, post);
            return wf_no_memory(error);
        }
        instance->event_states[post->event] = WF_EVENT_POSTED;
    }
    link_post(memory, instance, post);
    return WFSM_OK;
}

int32_t wf_memory_pass_post(const wf_stored_post *post, wfsm_row_sink sink, void *user)
{
    const wf_stored_instance *instance = post->instance;
    wfsm_row row = {
        .size = sizeof row,
        .id = post->event == WF_NONE ? NULL : instance->events.list[post->event].text,
        .instance = instance->id,
        .name = post->name,
        .number = post->number,
        .now = post->now,
        .text = post->data,
        .length = post->length,
        .kind = post->kind,
        .interface = post->interface,
        .sender = post->sender,
    };
    return sink(user, &row);
}

int32_t wf_memory_inbox(void *self, const char *instance, uint64_t limit, wfsm_row_sink sink,
                        void *user, wfsm_error *error)
{
    const wf_memory *memory = self;
    wf_stored_instance *only = NULL;
    int32_t status = WFSM_OK;
    if (instance)
        status = wf_memory_need(memory, instance, &only, error);
    if (status)
        return status;
    const wf_stored_post *post = only ? only->first_post : memory->first_post;
    for (uint64_t count = 0; !status && post && (!limit || count < limit); count++) {
        status = wf_memory_pass_post(post, sink, user);
        post = only ? post->next_here : post->next;
    }
    return status;
}

int32_t wf_memory_seen(void *self, const char *instance, const char *event_id, int32_t *seen,
                       wfsm_error *error)
{
    wf_stored_instance *found;
    int32_t status = wf_memory_need(self, instance, &found, error);
    if (!status)
        *seen = wf_stored_event_state(found, event_id) != WF_EVENT_FREE;
    return status;
}
