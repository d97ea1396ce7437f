/* logic/json_keys.c: finds a key that occurs twice in an object. */
#include "logic/json_build.h"

#include <stdlib.h>
#include <string.h>
#include "base/memory.h"

enum { FEW_MEMBERS = 32 };

static bool same_key(const wf_member *a, const wf_member *b)
{
    return a->hash == b->hash && a->length == b->length &&
           memcmp(a->key, b->key, a->length) == 0;
}

/* The first of a few members that repeats an earlier one, or NULL. */
static const wf_member *repeated_of_few(const wf_member *parts, size_t count)
{
    uint64_t seen = 0; /* a bit of each hash: most keys need not be compared */

    for (size_t i = 0; i < count; i++) {
        uint64_t bit = UINT64_C(1) << parts[i].hash % 64;

        for (size_t k = 0; (seen & bit) && k < i; k++)
            if (same_key(&parts[i], &parts[k]))
                return &parts[i];
        seen |= bit;
    }
    return NULL;
}

/* Sorted by key, the earlier one first. Not by hash, because an attacker can choose the keys. */
static int by_key(const void *a, const void *b)
{
    const wf_member *left = *(const wf_member *const *)a, *right = *(const wf_member *const *)b;
    size_t length = left->length < right->length ? left->length : right->length;
    int order = memcmp(left->key, right->key, length);

    if (!order && left->length != right->length)
        order = left->length < right->length ? -1 : 1;
    return order ? order : (left->key > right->key) - (left->key < right->key);
}

static const wf_member *repeated_of_sorted(const wf_member *const *sorted, size_t count)
{
    const wf_member *first = NULL;

    for (size_t i = 1; i < count; i++)
        if (same_key(sorted[i], sorted[i - 1]) && (!first || sorted[i]->key < first->key))
            first = sorted[i];
    return first;
}

int32_t wf_json_repeated(const wf_json_reader *in, const wf_member *members, size_t count,
                         const wf_member **found)
{
    const wfsm_allocator *allocator = in->arena->allocator;
    size_t capacity = 0;
    const wf_member **sorted;

    *found = NULL;
    if (count <= FEW_MEMBERS) {
        *found = repeated_of_few(members, count);
        return WFSM_OK;
    }
    sorted = wf_grow(allocator, NULL, &capacity, count, sizeof *sorted);
    if (!sorted)
        return wf_no_memory(in->error);
    for (size_t i = 0; i < count; i++)
        sorted[i] = &members[i];
    qsort(sorted, count, sizeof *sorted, by_key);
    *found = repeated_of_sorted(sorted, count);
    wf_free(allocator, sorted);
    return WFSM_OK;
}
