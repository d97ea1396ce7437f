/* logic/value_copy.c: copies of values, into one block or into an arena. */
#include "logic/value.h"

#include <string.h>
#include "base/invariant.h"
#include "base/memory.h"

/* Exactly; the weight may be rounded up. */
size_t wf_value_bytes(const wf_value *value)
{
    size_t bytes = 0;

    if (value->type == WF_STRING)
        return (size_t)value->length + 1;
    if (value->type == WF_ARRAY) {
        for (uint32_t i = 0; i < value->length; i++)
            bytes += sizeof(wf_value) + wf_value_bytes(&value->as.items[i]);
    } else if (value->type == WF_OBJECT) {
        for (uint32_t i = 0; i < value->length; i++)
            bytes += sizeof(wf_member) + value->as.members[i].length + 1u +
                     wf_value_bytes(&value->as.members[i].value);
    }
    return bytes;
}

static const char *copy_text(wf_copier *to, const char *text, size_t length)
{
    to->back -= length + 1;
    memcpy(to->back, text, length + 1);
    return to->back;
}

static const wf_value *copy_items(wf_copier *to, const wf_value *value)
{
    wf_value *items = (wf_value *)(void *)to->front;

    to->front += value->length * sizeof *items;
    for (uint32_t i = 0; i < value->length; i++)
        items[i] = wf_value_place(to, &value->as.items[i]);
    return items;
}

static const wf_member *copy_members(wf_copier *to, const wf_value *value)
{
    wf_member *members = (wf_member *)(void *)to->front;

    to->front += value->length * sizeof *members;
    for (uint32_t i = 0; i < value->length; i++) {
        members[i] = value->as.members[i];
        members[i].key = copy_text(to, members[i].key, members[i].length);
        members[i].value = wf_value_place(to, &value->as.members[i].value);
    }
    return members;
}

wf_value wf_value_place(wf_copier *to, const wf_value *value)
{
    wf_value copy = *value;

    if (value->type == WF_STRING)
        copy.as.text = copy_text(to, value->as.text, value->length);
    else if (value->type == WF_ARRAY)
        copy.as.items = copy_items(to, value);
    else if (value->type == WF_OBJECT)
        copy.as.members = copy_members(to, value);
    return copy;
}

bool wf_value_copy(const wfsm_allocator *allocator, const wf_value *value, wf_value *copy,
                   void **block)
{
    size_t bytes = wf_value_bytes(value);
    wf_copier to;

    *block = NULL;
    if (value->type < WF_STRING) {
        *copy = *value;
        return true;
    }
    *block = allocator->allocate(allocator->user, bytes ? bytes : 1);
    if (!*block)
        return false;
    to = (wf_copier){*block, (char *)*block + bytes};
    *copy = wf_value_place(&to, value);
    /* The parts were measured exactly: containers and texts meet. */
    WF_INVARIANT((char *)to.front == to.back);
    return true;
}

void wf_value_free(const wfsm_allocator *allocator, const wf_value *copy)
{
    if (copy->type >= WF_STRING)
        wf_free(allocator, (void *)(uintptr_t)copy->as.text);
}

wf_value wf_value_clone(wf_arena *arena, const wf_value *value)
{
    size_t bytes = wf_value_bytes(value);
    unsigned char *block;
    wf_value copy;
    wf_copier to;

    if (value->type < WF_STRING)
        return *value;
    block = wf_arena_take(arena, bytes);
    if (!block)
        return wf_absent();
    to = (wf_copier){block, (char *)block + bytes};
    copy = wf_value_place(&to, value);
    WF_INVARIANT(to.back == (char *)to.front);
    return copy;
}
