/* engine/heap.c: a binary heap. The children of place n are at 2n and 2n + 1. */
#include "engine/heap.h"

#include "base/invariant.h"

void wf_heap_init(wf_heap *heap, const wfsm_allocator *allocator)
{
    *heap = (wf_heap){.allocator = allocator};
}

void wf_heap_fini(wf_heap *heap)
{
    wf_free(heap->allocator, heap->items);
}

bool wf_heap_reserve(wf_heap *heap, size_t count)
{
    void *items =
        wf_grow(heap->allocator, heap->items, &heap->capacity, count, sizeof *heap->items);

    if (items)
        heap->items = items;
    return items != NULL;
}

static bool before(const wf_heap_item *a, const wf_heap_item *b)
{
    if (a->first != b->first)
        return a->first < b->first;
    if (a->second != b->second)
        return a->second < b->second;
    return a->third < b->third;
}

static void set(wf_heap *heap, size_t place, wf_heap_item *item)
{
    heap->items[place - 1] = item;
    item->place = place;
}

static void sift_up(wf_heap *heap, wf_heap_item *item)
{
    size_t place = item->place;

    while (place > 1 && before(item, heap->items[place / 2 - 1])) {
        set(heap, place, heap->items[place / 2 - 1]);
        place /= 2;
    }
    set(heap, place, item);
}

static void sift_down(wf_heap *heap, wf_heap_item *item)
{
    size_t place = item->place;

    while (2 * place <= heap->count) {
        size_t child = 2 * place;

        if (child < heap->count && before(heap->items[child], heap->items[child - 1]))
            child++;
        if (!before(heap->items[child - 1], item))
            break;
        set(heap, place, heap->items[child - 1]);
        place = child;
    }
    set(heap, place, item);
    WF_INVARIANT(place == 1 || !before(item, heap->items[place / 2 - 1]));
}

void wf_heap_put(wf_heap *heap, wf_heap_item *item)
{
    if (item->place == 0) {
        WF_INVARIANT(heap->count < heap->capacity);
        set(heap, ++heap->count, item);
    }
    sift_up(heap, item);
    sift_down(heap, item);
}

void wf_heap_take(wf_heap *heap, wf_heap_item *item)
{
    size_t place = item->place;
    wf_heap_item *last;

    if (place == 0)
        return;
    WF_INVARIANT(place <= heap->count && heap->items[place - 1] == item);
    item->place = 0;
    last = heap->items[--heap->count];
    if (last == item)
        return;
    set(heap, place, last);
    sift_up(heap, last);
    sift_down(heap, last);
}

wf_heap_item *wf_heap_top(const wf_heap *heap)
{
    return heap->count > 0 ? heap->items[0] : NULL;
}
