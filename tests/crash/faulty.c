#include "crash/faulty.h"
#include "crash/power.h"

#include <wfsm/sqlite.h>
#include <stdlib.h>
#include <string.h>
#include <unity.h>

enum { HEALED_AFTER = 3, PATIENCE = 50 };

static faulty_run *current;
static bool hit;

/* A host that has been told of so many failures calls for another disk. */
static void note_failure(int32_t status)
{
    TEST_ASSERT_TRUE(status > 0 && status < FAULTY_STATUSES);
    current->statuses[status]++;
    if (current->work->failures >= HEALED_AFTER)
        hit |= power_disarm();
}

static wfsm_store *open_until_healed(work *host)
{
    wfsm_store *store = NULL;
    for (int i = 0; !store && i < PATIENCE; i++) {
        int32_t status = wfsm_sqlite_open(&store, "work.db", NULL, NULL, NULL);
        if (!status)
            return store;
        store = NULL;
        host->failures++;
        note_failure(status);
    }
    return store;
}

static void session(faulty_run *self, int rounds)
{
    wfsm_store *store = open_until_healed(self->work);
    self->work->patience = PATIENCE;
    if (!store)
        tally_violation(&self->counts, "cannot be opened any more");
    else if (work_run(self->work, store, rounds))
        tally_violation(&self->counts, "the same handle cannot continue: %s",
                        wfsm_status_name(self->work->status));
    wfsm_store_free(store);
}

static void check(faulty_run *self, bool end)
{
    wfsm_store *store = power_open_store(WFSM_SQLITE_FULL, false);
    size_t unknown = (size_t)self->statuses[WFSM_STORE_UNKNOWN] * WORK_BATCH;
    if (!store) {
        tally_violation(&self->counts, "the store cannot be opened");
        return;
    }
    told_check(&self->work->told, store, unknown, &self->counts);
    if (end) {
        char *answer = work_answer(store);
        told_check_end(&self->work->told, store, WORK_TIMERS, &self->counts);
        if (strcmp(answer, self->answer) != 0)
            tally_violation(&self->counts, "another answer:\n%s", answer);
        free(answer);
    }
    wfsm_store_free(store);
}

static void heal_and_cut(uint32_t seed)
{
    hit |= power_disarm();
    power_cycle(seed);
}

bool faulty_try(faulty_run *self, power_fault fault, int n, bool for_good)
{
    char where[80];
    snprintf(where, sizeof where, "%s at call %d%s", power_name(fault), n,
             for_good ? ", for good" : "");
    self->counts.where = where;
    current = self;
    hit = false;
    power_format();
    work_reset(self->work);
    self->work->failed = note_failure;
    power_arm(fault, n, for_good);
    session(self, 2);
    heal_and_cut((uint32_t)n);
    check(self, false);
    if (!hit)
        power_rearm();
    session(self, 0);
    heal_and_cut((uint32_t)n + 1);
    check(self, true);
    self->work->failed = NULL;
    self->counts.where = NULL;
    self->counts.breaks += hit;
    return hit;
}
