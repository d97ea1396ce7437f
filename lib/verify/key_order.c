#include "verify/key_order.h"
#include "verify/explorer.h"

#include <string.h>
#include "base/error.h"
#include "base/invariant.h"

/* ---- invocations ---- */

/* What the key says of an invocation, but for its place in a set. */
typedef struct rank {
    uint32_t part[7];
} rank;

/* Invocations that keep their order: one alone, or the items of a set. */
typedef struct block {
    uint32_t first, count; /* in the list of places */
} block;

typedef struct sorting {
    const rank *ranks; /* by place in the ledger */
    uint32_t *places;
    block *blocks;
    uint32_t block_count;
} sorting;

static int compare_ranks(const rank *a, const rank *b)
{
    for (size_t i = 0; i < sizeof a->part / sizeof *a->part; i++)
        if (a->part[i] != b->part[i])
            return a->part[i] < b->part[i] ? -1 : 1;
    return 0;
}

/* Results that have symbols are not compared: their numbers follow from the order. */
static bool find_rank(wf_explorer *explorer, const wf_invocation *work, rank *out)
{
    wf_invocation copy = *work;
    uint32_t result = 0;
    wf_canonical_work(explorer, &copy);
    if (wf_invocation_ended(work) && !explorer->symbolic)
        result = wf_intern_add(&explorer->intern, &copy.result);
    *out = (rank){
        {copy.invoke, copy.agent, copy.of, copy.need, copy.status, copy.attempt, result}};
    return result != WF_NONE;
}

static void sort_places(const rank *ranks, uint32_t *places, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++) {
        uint32_t place = places[i], at = i;
        for (; at > 0 && compare_ranks(&ranks[places[at - 1]], &ranks[place]) > 0; at--)
            places[at] = places[at - 1];
        places[at] = place;
    }
}

static int compare_blocks(const sorting *self, const block *a, const block *b)
{
    for (uint32_t i = 0; i < a->count && i < b->count; i++) {
        int order = compare_ranks(&self->ranks[self->places[a->first + i]],
                                  &self->ranks[self->places[b->first + i]]);
        if (order != 0)
            return order;
    }
    return a->count < b->count ? -1 : a->count > b->count;
}

static void sort_blocks(const sorting *self)
{
    for (uint32_t i = 1; i < self->block_count; i++) {
        block moved = self->blocks[i];
        uint32_t at = i;
        for (; at > 0 && compare_blocks(self, &self->blocks[at - 1], &moved) > 0; at--)
            self->blocks[at] = self->blocks[at - 1];
        self->blocks[at] = moved;
    }
}

/* The items of a set are side by side. */
static void find_blocks(const wf_explorer *explorer, const wf_list *ledger, sorting *self)
{
    for (uint32_t i = 0; i < ledger->count;) {
        const wf_invocation *work = wf_invocation_at(ledger, i);
        block *made = &self->blocks[self->block_count++];
        *made = (block){i, work->set == 0 ? 1 : work->of};
        for (uint32_t k = i; k < i + made->count; k++)
            self->places[k] = k;
        if (explorer->alike[work->invoke])
            sort_places(self->ranks, self->places + i, made->count);
        i += made->count;
    }
}

static bool order_ledger(wf_explorer *explorer, const wf_list *ledger, wf_key_order *order)
{
    wf_arena *arena = &explorer->step.arena;
    uint32_t count = (uint32_t)ledger->count, at = 0;
    order->count[WF_LEDGER] = count;
    if (count < 2)
        return true;
    rank *ranks = wf_arena_take(arena, count * sizeof *ranks);
    sorting self = {.ranks = ranks};
    self.places = wf_arena_take(arena, count * sizeof *self.places);
    self.blocks = wf_arena_take(arena, count * sizeof *self.blocks);
    order->from[WF_LEDGER] = wf_arena_take(arena, count * sizeof(uint32_t));
    if (arena->failed)
        return false;
    for (uint32_t i = 0; i < count; i++)
        if (!find_rank(explorer, wf_invocation_at(ledger, i), &ranks[i]))
            return false;
    find_blocks(explorer, ledger, &self);
    sort_blocks(&self);
    for (uint32_t i = 0; i < self.block_count; i++)
        for (uint32_t k = 0; k < self.blocks[i].count; k++)
            order->from[WF_LEDGER][at++] = self.places[self.blocks[i].first + k];
    return true;
}

/* ---- timers ---- */

typedef struct aged {
    const wf_timer_bounds *times;
    uint32_t ahead, count;
    uint64_t names[WF_TIMER_BOUNDS_MOST];
    bool taken[WF_TIMER_BOUNDS_MOST];
} aged;

/* What the key says of a timer. Data with symbols is not compared. */
static uint64_t name_of(wf_explorer *explorer, const wf_timer *timer, bool *fine)
{
    uint32_t number = 0;
    if (!explorer->symbolic || !wf_symbolic_within(&timer->raised))
        number = wf_intern_add(&explorer->intern, &timer->raised);
    *fine &= number != WF_NONE;
    return (uint64_t)(timer->state + 1) << 32 | number;
}

static bool may_be_due_together(const aged *self, uint32_t a, uint32_t b)
{
    uint32_t i = self->ahead + a + 1, j = self->ahead + b + 1;
    return self->times->at[i][j] >= 0 && self->times->at[j][i] >= 0;
}

/* No older timer that may be due at the same time is left. */
static bool may_stand_next(const aged *self, uint32_t timer)
{
    for (uint32_t i = 0; i < timer; i++)
        if (!self->taken[i] && may_be_due_together(self, i, timer))
            return false;
    return !self->taken[timer];
}

static uint32_t next_timer(const aged *self)
{
    uint32_t found = WF_NONE;
    for (uint32_t i = 0; i < self->count; i++)
        if (may_stand_next(self, i) &&
            (found == WF_NONE || self->names[i] < self->names[found]))
            found = i;
    return found;
}

/* Of timers that are overdue at a checkpoint, the older one fires first after the way back. */
static bool keeps_ages(const wf_explorer *explorer, const wf_timer_bounds *times)
{
    return explorer->restores && !times->punctual;
}

static bool order_timers(wf_explorer *explorer, const wf_snapshot *snapshot,
                         const wf_timer_bounds *times, wf_key_order *order)
{
    const wf_list *timers = &snapshot->extras->timers;
    aged self = {.times = times, .count = (uint32_t)timers->count};
    bool fine = true;
    order->count[WF_TIMERS] = self.count;
    if (self.count < 2 || keeps_ages(explorer, times))
        return true;
    self.ahead = wf_explorer_budgets_ahead(explorer, &snapshot->extras->budgets);
    WF_INVARIANT(self.ahead + self.count + times->limits == times->count);
    order->from[WF_TIMERS] =
        wf_arena_take(&explorer->step.arena, self.count * sizeof(uint32_t));
    if (!order->from[WF_TIMERS])
        return false;
    for (uint32_t i = 0; i < self.count; i++)
        self.names[i] = name_of(explorer, wf_timer_at(timers, i), &fine);
    for (uint32_t i = 0; i < self.count; i++) {
        uint32_t next = next_timer(&self);
        self.taken[next] = true;
        order->from[WF_TIMERS][i] = next;
    }
    return fine;
}

/* ---- both ---- */

bool wf_key_order_find(wf_explorer *explorer, const wf_snapshot *snapshot,
                       const wf_timer_bounds *times, wf_key_order *order)
{
    *order = (wf_key_order){0};
    return order_ledger(explorer, &snapshot->extras->ledger, order) &&
           order_timers(explorer, snapshot, times, order);
}

bool wf_key_order_copy(wf_key_order *to, const wf_key_order *from, wf_arena *arena)
{
    *to = *from;
    for (int k = 0; k < WF_ORDERED_KINDS; k++) {
        if (!from->from[k])
            continue;
        to->from[k] = wf_arena_take(arena, from->count[k] * sizeof(uint32_t));
        if (!to->from[k])
            return false;
        memcpy(to->from[k], from->from[k], from->count[k] * sizeof(uint32_t));
    }
    return true;
}
