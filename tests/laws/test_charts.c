/*
 * Laws on generated charts: test_laws_charts [SEED [COUNT]]. Without arguments: the short run.
 * A seed that violates a law is printed with its document. Run it again by its number.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unity.h>
#include "chart.h"
#include "law.h"

static uint64_t first = 1, seeds = 250;

void setUp(void)
{
}
void tearDown(void)
{
}

static void check_chart(uint64_t seed)
{
    world self;
    char *document = make_chart(seed, "Aa");
    at.seed = seed;
    at.index = -1;
    at.document = document;
    at.input = "start";
    counts.charts++;
    if (world_open(&self, seed, document, "Aa")) {
        counts.started++;
        check_configuration(&self.instance->snapshot);
        for (int i = 0; i < INPUTS; i++) {
            watch_input(&self, seed, i);
            check_fork(&self, seed, i);
        }
        counts.commits += self.count;
        check_replay(&self);
        check_revisions(&self);
        check_split(&self, seed, document);
        check_renaming(&self, seed);
        check_compaction(&self, seed);
        check_revisions(&self);
    }
    world_close(&self);
    free(document);
}

static void test_the_laws(void)
{
    for (uint64_t seed = first; seed < first + seeds; seed++)
        check_chart(seed);
}

int main(int count, char **arguments)
{
    if (count > 1) {
        first = strtoull(arguments[1], NULL, 10);
        seeds = count > 2 ? strtoull(arguments[2], NULL, 10) : 1;
    }
    UNITY_BEGIN();
    RUN_TEST(test_the_laws);
    printf("%lu charts (%lu start), %lu inputs, %lu commits, %lu dropped drafts, %lu forks, "
           "%lu checks, %lu records compacted, %lu revisions\n",
           counts.charts, counts.started, counts.inputs, counts.commits, counts.dropped,
           counts.forks, counts.checks, counts.compacted, counts.revisions);
    return UNITY_END() != 0;
}
