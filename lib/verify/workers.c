/* verify/workers.c: threads that expand states ahead of the search. */
#include "verify/workers.h"

#include "base/invariant.h"
#include "base/memory.h"

#ifdef __wasi__ /* It has no threads: the search is alone. */

const wf_ahead *wf_workers_ahead(wf_search *search)
{
    (void)search;
    return NULL;
}

void wf_ahead_arrival(const wf_ahead *ahead, uint32_t index, wf_arrival *arrival)
{
    (void)ahead;
    (void)index;
    (void)arrival;
}

const uint8_t *wf_ahead_passed(const wf_ahead *ahead)
{
    (void)ahead;
    return NULL;
}

void wf_workers_end(wf_search *search)
{
    (void)search;
}

#else

#include <pthread.h>
#include <stdatomic.h>

/* Few states are not worth waking anybody. */
enum { BATCH_LEAST = 16, BATCH_MOST = 512, CHUNK = 8 };

typedef struct kept_arrival {
    wf_arrival arrival;
    size_t key, broken; /* where they are */
} kept_arrival;

struct wf_worker {
    struct wf_workers *workers;
    wf_search search; /* its explorer, and what that has met */
    pthread_t thread;
    wf_buffer keys; /* of states that are new, and what wf_limits_passed() has said */
    kept_arrival *arrivals;
    size_t arrival_count, arrival_capacity;
    wf_broken *broken;
    size_t broken_count, broken_capacity;
};

typedef struct wf_workers {
    wf_worker *list;
    uint32_t count,
        started; /* `started` of them have a thread; the first works in the caller's */
    uint32_t first, batch;   /* the states that were expanded ahead */
    bool untried;            /* what the search said of them */
    atomic_uint next;        /* of the batch */
    wf_ahead ahead[BATCH_MOST];
    pthread_mutex_t lock;
    pthread_cond_t begin, end;
    uint32_t round, working;
    bool over;
} wf_workers;

/* ---- one state ---- */

static int32_t keep_arrival(void *user, wf_explorer *explorer, const wf_successor *successor)
{
    wf_worker *self = user;
    kept_arrival kept;
    (void)explorer;
    if (!wf_arrival_read(&self->search, successor, &kept.arrival))
        return WFSM_NO_MEMORY;
    kept.key = self->keys.length;
    kept.broken = self->broken_count;
    if (kept.arrival.changed)
        kept.arrival.state =
            wf_state_space_find(&self->search.space, kept.arrival.key, kept.arrival.key_length);
    if (kept.arrival.changed && kept.arrival.state == WF_NONE)
        wf_buffer_add(&self->keys, (const char *)kept.arrival.key, kept.arrival.key_length);
    const wfsm_allocator *allocator = self->search.explorer.allocator;
    kept_arrival *list = wf_grow(allocator, self->arrivals, &self->arrival_capacity,
                                 self->arrival_count + 1, sizeof *list);
    if (list)
        self->arrivals = list;
    wf_broken *broken =
        wf_grow(allocator, self->broken, &self->broken_capacity,
                self->broken_count + kept.arrival.broken_count + 1u, sizeof *broken);
    if (broken)
        self->broken = broken;
    if (!list || !broken || self->keys.failed)
        return WFSM_NO_MEMORY;
    list[self->arrival_count++] = kept;
    for (uint32_t i = 0; i < kept.arrival.broken_count; i++)
        broken[self->broken_count++] = kept.arrival.broken[i];
    return WFSM_OK;
}

static void keep_passed(wf_worker *self, wf_ahead *ahead)
{
    const uint8_t *passed = wf_limits_passed(&self->search);
    ahead->passed = self->keys.length;
    if (passed)
        wf_buffer_add(&self->keys, (const char *)passed,
                      self->search.explorer.machine->property_count);
}

static int32_t keep_state(wf_worker *self, wf_ahead *ahead)
{
    wf_search *search = &self->search;
    size_t length;
    const uint8_t *key = wf_state_space_key(&search->space, search->at, &length);
    if (search->explorer.limits)
        memset(search->passed, 0, search->explorer.machine->property_count);
    int32_t status = wf_state_key_restore(&search->explorer, key, length);
    if (status != WFSM_OK)
        return status;
    ahead->untried = wf_has_untried(&search->explorer);
    status = wf_successors_of_state(&search->explorer, key, length, keep_arrival, self);
    ahead->leaf = wf_leaf_of(&search->explorer.snapshot);
    keep_passed(self, ahead);
    return self->keys.failed ? WFSM_NO_MEMORY : status;
}

/* A state that needs a new value, or has told something new of the document, is left to the search.
 * So is one for which there is no memory. */
static void expand(wf_worker *self, uint32_t state, wf_ahead *ahead)
{
    wf_explorer *explorer = &self->search.explorer;
    const bool untried = explorer->anything_untried, undecided = explorer->undecided.is;
    ahead->worker = NULL;
    if (self->search.space.flags[state] & (WF_FLAG_DONE | WF_FLAG_CUT))
        return;
    self->search.at = state;
    *ahead = (wf_ahead){.worker = self, .first_arrival = (uint32_t)self->arrival_count};
    explorer->intern.missing = false;
    int32_t status = keep_state(self, ahead);
    ahead->arrival_count = (uint32_t)self->arrival_count - ahead->first_arrival;
    if (status != WFSM_OK || explorer->intern.missing || explorer->undecided.is != undecided ||
        explorer->anything_untried != untried)
        ahead->worker = NULL;
    explorer->undecided.is = undecided;
    explorer->anything_untried = untried;
}

/* ---- a batch of them ---- */

static void expand_some(wf_worker *self)
{
    wf_workers *workers = self->workers;
    for (;;) {
        const uint32_t from = atomic_fetch_add(&workers->next, CHUNK);
        for (uint32_t i = from; i < from + CHUNK && i < workers->batch; i++)
            expand(self, workers->first + i, &workers->ahead[i]);
        if (from + CHUNK >= workers->batch)
            return;
    }
}

/* The round that begins, or 0: there is no more work. */
static uint32_t wait_for_work(wf_workers *workers, uint32_t round)
{
    pthread_mutex_lock(&workers->lock);
    while (workers->round == round && !workers->over)
        pthread_cond_wait(&workers->begin, &workers->lock);
    round = workers->over ? 0 : workers->round;
    pthread_mutex_unlock(&workers->lock);
    return round;
}

static void *work(void *user)
{
    wf_worker *self = user;
    wf_workers *workers = self->workers;
    for (uint32_t round = 0; (round = wait_for_work(workers, round)) != 0;) {
        expand_some(self);
        pthread_mutex_lock(&workers->lock);
        if (--workers->working == 0)
            pthread_cond_signal(&workers->end);
        pthread_mutex_unlock(&workers->lock);
    }
    return NULL;
}

/* The states and the values are the search's; the worker only reads them. */
static void lend(wf_worker *self, const wf_search *search)
{
    wf_explorer *explorer = &self->search.explorer;
    const wf_explorer *from = &search->explorer;
    self->search.space = search->space;
    explorer->intern = from->intern;
    explorer->intern.frozen = true;
    explorer->representatives = from->representatives;
    explorer->representative_count = from->representative_count;
    explorer->undecided.is = from->undecided.is;
    explorer->anything_untried = from->anything_untried;
    memcpy(explorer->verdicts, from->verdicts, explorer->machine->property_count);
    self->arrival_count = self->broken_count = self->keys.length = 0;
}

/* What a batch says of the document, in whatever order. */
static void take_back(wf_worker *self, wf_search *search)
{
    const wf_explorer *explorer = &self->search.explorer;
    wf_explorer *to = &search->explorer;
    to->grain = wf_common_divisor(to->grain, explorer->grain);
    to->many_timers |= explorer->many_timers;
    to->many_choices |= explorer->many_choices;
}

static void expand_batch(wf_workers *workers, wf_search *search)
{
    const uint32_t left = search->space.count - search->at;
    for (uint32_t i = 0; i < workers->count; i++)
        lend(&workers->list[i], search);
    workers->first = search->at;
    workers->batch = left < BATCH_MOST ? left : BATCH_MOST;
    workers->untried = search->explorer.anything_untried;
    atomic_store(&workers->next, 0);
    pthread_mutex_lock(&workers->lock);
    workers->working = workers->started;
    if (++workers->round == 0)
        workers->round = 1;
    pthread_cond_broadcast(&workers->begin);
    pthread_mutex_unlock(&workers->lock);
    expand_some(&workers->list[0]);
    pthread_mutex_lock(&workers->lock);
    while (workers->working > 0)
        pthread_cond_wait(&workers->end, &workers->lock);
    pthread_mutex_unlock(&workers->lock);
    for (uint32_t i = 0; i < workers->count; i++)
        take_back(&workers->list[i], search);
}

/* ---- their beginning and end ---- */

static void free_worker(wf_worker *self)
{
    const wfsm_allocator *allocator = self->search.explorer.allocator;
    if (!allocator)
        return;
    const wfsm_allocator copy = *allocator;
    wf_free(&copy, self->arrivals);
    wf_free(&copy, self->broken);
    wf_buffer_fini(&self->keys);
    memset(&self->search.space, 0, sizeof self->search.space);
    memset(&self->search.explorer.intern, 0, sizeof self->search.explorer.intern);
    self->search.explorer.representatives = NULL;
    wf_search_end(&self->search);
}

static void free_workers(wf_workers *workers, const wfsm_allocator *allocator)
{
    pthread_mutex_lock(&workers->lock);
    workers->over = true;
    pthread_cond_broadcast(&workers->begin);
    pthread_mutex_unlock(&workers->lock);
    for (uint32_t i = 1; i <= workers->started; i++)
        pthread_join(workers->list[i].thread, NULL);
    for (uint32_t i = 0; i < workers->count; i++)
        free_worker(&workers->list[i]);
    pthread_cond_destroy(&workers->begin);
    pthread_cond_destroy(&workers->end);
    pthread_mutex_destroy(&workers->lock);
    wf_free(allocator, workers->list);
    wf_free(allocator, workers);
}

/* Its own tables are empty, and are not used: they are freed, and the search's come in their place. */
static bool begin_worker(wf_workers *workers, wf_search *search)
{
    wf_worker *self = &workers->list[workers->count];
    self->workers = workers;
    self->search.options = search->options;
    self->search.grain = search->grain;
    self->search.endless = search->endless;
    self->search.loose = search->loose;
    wf_buffer_init(&self->keys, search->explorer.allocator);
    int32_t status = wf_search_begin(&self->search, search->explorer.machine, NULL);
    workers->count++;
    wf_state_space_fini(&self->search.space);
    wf_intern_fini(&self->search.explorer.intern);
    return status == WFSM_OK;
}

static bool begin_threads(wf_workers *workers)
{
    bool fine = true;
    for (uint32_t i = 1; i < workers->count && fine; i++) {
        wf_worker *self = &workers->list[i];
        fine = pthread_create(&self->thread, NULL, work, self) == 0;
        workers->started += fine;
    }
    return fine;
}

static wf_workers *begin_workers(wf_search *search)
{
    const wfsm_allocator *allocator = search->explorer.allocator;
    const uint32_t count = (uint32_t)search->options.jobs;
    wf_workers *workers = wf_new(allocator, sizeof *workers);
    if (!workers)
        return NULL;
    pthread_mutex_init(&workers->lock, NULL);
    pthread_cond_init(&workers->begin, NULL);
    pthread_cond_init(&workers->end, NULL);
    workers->list = wf_new(allocator, count * sizeof *workers->list);
    bool fine = workers->list != NULL;
    for (uint32_t i = 0; i < count && fine; i++)
        fine = begin_worker(workers, search);
    if (fine && begin_threads(workers))
        return workers;
    free_workers(workers, allocator);
    return NULL;
}

static void absorb(wf_worker *self, wf_search *search)
{
    const wfsm_machine *machine = search->explorer.machine;
    for (uint32_t w = 0; w < machine->words; w++)
        search->reached[w] |= self->search.reached[w];
    for (uint32_t i = 0; i < machine->transition_count; i++)
        search->taken[i] |= self->search.taken[i];
    for (uint32_t i = 0; i < machine->property_count; i++) {
        search->held[i] |= self->search.held[i];
        search->explorer.triggered[i] |= self->search.explorer.triggered[i];
    }
    wf_coverage_join(&search->explorer.coverage, &self->search.explorer.coverage, search->at);
}

void wf_workers_end(wf_search *search)
{
    wf_workers *workers = search->workers;
    search->workers = NULL;
    if (!workers)
        return;
    for (uint32_t i = 0; i < workers->count; i++)
        absorb(&workers->list[i], search);
    free_workers(workers, search->explorer.allocator);
}

/* ---- what the search asks ---- */

static bool are_wanted(wf_search *search)
{
    if (search->options.jobs < 2 || search->symbolic || search->no_workers || search->reduces ||
        search->space.count - search->at < BATCH_LEAST)
        return false;
    if (!search->workers)
        search->workers = begin_workers(search);
    search->no_workers = !search->workers;
    return search->workers != NULL;
}

static bool is_known(const wf_workers *workers, const wf_search *search)
{
    return workers && search->at - workers->first < workers->batch &&
           workers->untried == search->explorer.anything_untried;
}

const wf_ahead *wf_workers_ahead(wf_search *search)
{
    wf_workers *workers = search->workers;
    if (!workers || search->at - workers->first >= workers->batch) {
        if (!are_wanted(search))
            return NULL;
        workers = search->workers;
        expand_batch(workers, search);
    }
    if (!is_known(workers, search))
        return NULL;
    const wf_ahead *ahead = &workers->ahead[search->at - workers->first];
    return ahead->worker ? ahead : NULL;
}

void wf_ahead_arrival(const wf_ahead *ahead, uint32_t index, wf_arrival *arrival)
{
    const wf_worker *worker = ahead->worker;
    WF_INVARIANT(index < ahead->arrival_count);
    const kept_arrival *kept = &worker->arrivals[ahead->first_arrival + index];
    *arrival = kept->arrival;
    arrival->key = arrival->state == WF_NONE && arrival->changed
                       ? (const uint8_t *)worker->keys.data + kept->key
                       : NULL; /* it is not asked for */
    arrival->broken = worker->broken + kept->broken;
}

const uint8_t *wf_ahead_passed(const wf_ahead *ahead)
{
    const wf_worker *worker = ahead->worker;
    return worker->search.explorer.limits ? (const uint8_t *)worker->keys.data + ahead->passed
                                          : NULL;
}

#endif
