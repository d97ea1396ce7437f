/* wfsm_shard(): the store keeps it, and engines of several releases compute it, so it never changes. */
#include <stdio.h>
#include <string.h>
#include <unity.h>
#include <wfsm/store.h>

enum { MANY = 25600 };

void setUp(void)
{
}

void tearDown(void)
{
}

/* FNV-1a of 32 bits, folded to a byte, as a few lines of Python compute it. */
static const struct {
    const char *id;
    uint32_t shard;
} kept[] = {
    {"a", 237},
    {"b", 35},
    {"order-1", 244},
    {"order-2", 43},
    {"order-10", 201},
    {"tenant/order-1", 151},
    {"Z\303\274rich", 136},
    {"i-123456", 79},
};

static void it_never_changes(void)
{
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++)
        TEST_ASSERT_EQUAL_UINT32_MESSAGE(kept[i].shard, wfsm_shard(kept[i].id), kept[i].id);
    TEST_ASSERT_EQUAL_UINT32(0, wfsm_shard(NULL));
}

/* A child has the shard of its root, at any depth; its id is that of the root, a slash and 16 digits. */
static void a_family_has_one_shard(void)
{
    const uint32_t shard = wfsm_shard("order-1");

    TEST_ASSERT_EQUAL_UINT32(shard, wfsm_shard("order-1/0123456789abcdef"));
    TEST_ASSERT_NOT_EQUAL_UINT32(shard, wfsm_shard("order-1/0123456789abcde"));
    TEST_ASSERT_NOT_EQUAL_UINT32(shard, wfsm_shard("order-1/0123456789abcdeF"));
    TEST_ASSERT_EQUAL_UINT32(wfsm_shard("a/b"), wfsm_shard("a/b/0123456789abcdef"));
}

static void ids_that_count_are_spread(void)
{
    static int counts[WFSM_SHARDS];
    char id[20];

    for (int i = 0; i < MANY; i++) {
        snprintf(id, sizeof id, "order-%d", i);
        TEST_ASSERT_LESS_THAN_UINT32(WFSM_SHARDS, wfsm_shard(id));
        counts[wfsm_shard(id)]++;
    }
    for (int i = 0; i < WFSM_SHARDS; i++)
        TEST_ASSERT_INT_WITHIN(MANY / WFSM_SHARDS / 2, MANY / WFSM_SHARDS, counts[i]);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(it_never_changes);
    RUN_TEST(a_family_has_one_shard);
    RUN_TEST(ids_that_count_are_spread);
    return UNITY_END() != 0;
}
