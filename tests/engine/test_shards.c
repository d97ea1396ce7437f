/* Who has which shard. */
#include <stdio.h>
#include <string.h>
#include <unity.h>

#include "engine/shards.h"

enum { MOST = 40 };

static char names[MOST][20];
static wf_sharer sharers[MOST];
static int holders[2][WFSM_SHARDS]; /* before, and now */

void setUp(void)
{
    for (int i = 0; i < MOST; i++)
        snprintf(names[i], sizeof names[i], "engine-%d", i);
}

void tearDown(void)
{
}

/* Releases that run at the same time must agree. A few lines of Python computed these; so does
 * tests/postgres/proofs/shares.py. */
static void it_never_changes(void)
{
    static const struct {
        const char *name, *hex;
    } kept[] = {
        {"a", "0e00c0024804891b162880520102535225090dc86c4e0d89a080ce025e0824ff"},
        {"b", "101409dd173a6280a88616ad341c24ac0a6602260000a206027b11c401a3cb00"},
        {"c", "e1eb3620a0c1146441516900cae18801d090f01193b150705d042039a0541000"},
    };
    uint8_t shards[WF_SHARD_BYTES];
    char hex[2 * WF_SHARD_BYTES + 1];

    for (int which = 0; which < 3; which++) {
        wf_sharer three[] = {{.name = "c"}, {.name = "a"}, {.name = "b"}};

        wf_shards_divide(three, 3, kept[which].name, shards);
        for (int i = 0; i < WF_SHARD_BYTES; i++)
            snprintf(hex + 2 * i, 3, "%02x", shards[i]);
        TEST_ASSERT_EQUAL_STRING(kept[which].hex, hex);
    }
}

/* Among the first `count` engines; each computes it for itself, from its own order. */
static void divide(int *found, int count)
{
    int most = (WFSM_SHARDS + count - 1) / count;

    for (int shard = 0; shard < WFSM_SHARDS; shard++)
        found[shard] = -1;
    for (int which = 0; which < count; which++) {
        uint8_t shards[WF_SHARD_BYTES];
        int held = 0;

        for (int i = 0; i < count; i++)
            sharers[i] = (wf_sharer){.name = names[(i + which) % count]};
        wf_shards_divide(sharers, (size_t)count, names[which], shards);
        for (uint32_t shard = 0; shard < WFSM_SHARDS; shard++)
            if (wf_shard_is_in(shards, shard)) {
                TEST_ASSERT_EQUAL_INT(-1, found[shard]);
                found[shard] = which;
                held++;
            }
        TEST_ASSERT_LESS_OR_EQUAL_INT(most, held);
    }
    for (int shard = 0; shard < WFSM_SHARDS; shard++)
        TEST_ASSERT_NOT_EQUAL_INT(-1, found[shard]);
}

/* What moves goes to the one that has joined, but for a sixth of all at most. */
static void the_others_keep_what_they_have(void)
{
    divide(holders[0], 1);
    for (int count = 2; count <= MOST; count++) {
        int most = (WFSM_SHARDS + count - 1) / count, joined = 0, others = 0;

        divide(holders[1], count);
        for (int shard = 0; shard < WFSM_SHARDS; shard++) {
            joined += holders[1][shard] == count - 1;
            others += holders[1][shard] != count - 1 && holders[1][shard] != holders[0][shard];
        }
        TEST_ASSERT_LESS_OR_EQUAL_INT(most, joined);
        TEST_ASSERT_GREATER_OR_EQUAL_INT(most / 2, joined);
        TEST_ASSERT_LESS_OR_EQUAL_INT(WFSM_SHARDS / 6, others);
        memcpy(holders[0], holders[1], sizeof holders[0]);
    }
}

/* More engines than shards: some have none. */
static void more_engines_than_shards(void)
{
    static char many[300][16];
    static wf_sharer all[300];
    uint8_t shards[WF_SHARD_BYTES];

    for (int i = 0; i < 300; i++) {
        snprintf(many[i], sizeof many[i], "e%d", i);
        all[i] = (wf_sharer){.name = many[i]};
    }
    wf_shards_divide(all, 300, "e0", shards);
    for (int i = 0; i < 300; i++)
        TEST_ASSERT_LESS_OR_EQUAL_UINT32(1, all[i].count);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(it_never_changes);
    RUN_TEST(the_others_keep_what_they_have);
    RUN_TEST(more_engines_than_shards);
    return UNITY_END() != 0;
}
