#include "crash/power.h"

#include <wfsm/sqlite.h>
#include <stdlib.h>
#include <string.h>
#include <unity.h>

wfsm_store *power_open_store(int32_t synchronous, bool read_only)
{
    wfsm_store *store = NULL;
    wfsm_sqlite_options options = {.size = sizeof options, .synchronous = synchronous};
    options.read_only = read_only;
    return wfsm_sqlite_open(&store, "work.db", &options, NULL, NULL) ? NULL : store;
}

/* Closing writes the log into the file, so there are two sessions. */
static void session(work *host, int32_t synchronous, int rounds)
{
    wfsm_store *store = power_open_store(synchronous, false);
    host->patience = 1;
    if (store)
        work_run(host, store, rounds);
    wfsm_store_free(store);
}

static void sessions(work *host, int32_t synchronous)
{
    session(host, synchronous, 2);
    session(host, synchronous, 0);
}

char *power_answer(work *host)
{
    power_format();
    work_reset(host);
    sessions(host, WFSM_SQLITE_FULL);
    TEST_ASSERT_TRUE(host->ended);
    wfsm_store *store = power_open_store(WFSM_SQLITE_FULL, false);
    char *answer = work_answer(store);
    wfsm_store_free(store);
    return answer;
}

/* The batch is there whole, or it is not. */
static void check_batch(wfsm_store *store, tally *counts)
{
    wfsm_head head = {.size = sizeof head};
    int32_t status = wfsm_store_head(store, "batch", &head, NULL);
    if (!status && (head.revision < WORK_BATCH || head.revision == WORK_BATCH + 1))
        tally_violation(counts, "half of a batch is there");
}

static void check(power_run *self, bool read_only)
{
    wfsm_store *store = power_open_store(self->synchronous, read_only);
    /* Nothing was acknowledged, and there is no store yet to be read. */
    if (!store && read_only && !self->work->told.length)
        return;
    if (store) {
        check_batch(store, &self->counts);
        told_check(&self->work->told, store, self->work->in_flight, &self->counts);
    } else {
        tally_violation(&self->counts, "the store cannot be opened");
    }
    wfsm_store_free(store);
}

static void continue_to_the_end(power_run *self)
{
    session(self->work, self->synchronous, 0);
    wfsm_store *store = power_open_store(self->synchronous, false);
    told_check(&self->work->told, store, 0, &self->counts);
    told_check_end(&self->work->told, store, WORK_TIMERS, &self->counts);
    char *answer = work_answer(store);
    if (strcmp(answer, self->answer) != 0)
        tally_violation(&self->counts, "another answer:\n%snot\n%s", answer, self->answer);
    free(answer);
    wfsm_store_free(store);
}

bool power_try(power_run *self, int n, uint32_t seed)
{
    char where[60];
    snprintf(where, sizeof where, "cut at call %d, seed %u", n, (unsigned)seed);
    self->counts.where = where;
    power_format();
    work_reset(self->work);
    power_arm(POWER_CUT, n, true);
    sessions(self->work, self->synchronous);
    if (!power_disarm())
        return false;
    self->counts.breaks++;
    power_cycle(seed);
    check(self, seed & 1);
    if (self->resume)
        continue_to_the_end(self);
    self->counts.where = NULL;
    return true;
}
