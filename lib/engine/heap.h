/* engine/heap.h: a priority queue of items that live inside their owners. */
#ifndef WF_ENGINE_HEAP_H
#define WF_ENGINE_HEAP_H

#include <stdbool.h>
#include <stdint.h>
#include "base/memory.h"

/* The smallest item comes first: by first, then second, then third. */
typedef struct wf_heap_item {
    int64_t first, second;
    uint64_t third;
    size_t place; /* in its heap, from 1; 0: in no heap */
} wf_heap_item;

typedef struct wf_heap {
    const wfsm_allocator *allocator;
    wf_heap_item **items;
    size_t count, capacity;
} wf_heap;

void wf_heap_init(wf_heap *heap, const wfsm_allocator *allocator);
void wf_heap_fini(wf_heap *heap);
/* Makes room for `count` items in all, so that putting them in cannot fail. */
bool wf_heap_reserve(wf_heap *heap, size_t count);
/* Puts an item in, or moves it to its place after its keys have changed. */
void wf_heap_put(wf_heap *heap, wf_heap_item *item);
/* Does nothing if the item is in no heap. */
void wf_heap_take(wf_heap *heap, wf_heap_item *item);
/* NULL when empty. */
wf_heap_item *wf_heap_top(const wf_heap *heap);
#endif
