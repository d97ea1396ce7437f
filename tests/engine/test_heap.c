#include <unity.h>

#include "engine/heap.h"

static wfsm_allocator allocator;
static wf_heap heap;

void setUp(void)
{
    wf_allocator_init(&allocator, NULL);
    wf_heap_init(&heap, &allocator);
}

void tearDown(void)
{
    wf_heap_fini(&heap);
}

static uint32_t next_random(uint32_t *seed)
{
    *seed = *seed * 1664525 + 1013904223;
    return *seed >> 8;
}

/* Against a search through all of them. */
static const wf_heap_item *first_of(const wf_heap_item *items, size_t count)
{
    const wf_heap_item *best = NULL;

    for (size_t i = 0; i < count; i++) {
        const wf_heap_item *item = &items[i];

        if (item->place == 0)
            continue;
        if (!best || item->first < best->first ||
            (item->first == best->first && item->second < best->second) ||
            (item->first == best->first && item->second == best->second &&
             item->third < best->third))
            best = item;
    }
    return best;
}

static void the_first_is_always_on_top(void)
{
    wf_heap_item items[60] = {0};
    uint32_t seed = 1;

    TEST_ASSERT_TRUE(wf_heap_reserve(&heap, 60));
    for (uint64_t i = 0; i < 60; i++)
        items[i].third = i;
    for (int round = 0; round < 20000; round++) {
        wf_heap_item *item = &items[next_random(&seed) % 60];

        if (next_random(&seed) % 3 == 0) {
            wf_heap_take(&heap, item);
            TEST_ASSERT_EQUAL_size_t(0, item->place);
        } else {
            item->first = next_random(&seed) % 5;
            item->second = next_random(&seed) % 5;
            wf_heap_put(&heap, item);
        }
        TEST_ASSERT_EQUAL_PTR(first_of(items, 60), wf_heap_top(&heap));
    }
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(the_first_is_always_on_top);
    return UNITY_END() != 0;
}
