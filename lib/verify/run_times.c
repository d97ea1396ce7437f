#include "verify/run_times.h"

#include "base/invariant.h"
#include "base/memory.h"

bool wf_run_times_begin(wf_run_times *self, const wf_explorer *explorer,
                        const wf_snapshot *snapshot, size_t moves)
{
    *self = (wf_run_times){.explorer = explorer, .snapshot = snapshot};
    self->at = wf_new(explorer->allocator, (moves + 1) * sizeof *self->at);
    return self->at != NULL;
}

void wf_run_times_end(wf_run_times *self)
{
    const wfsm_allocator *allocator = self->explorer->allocator;
    wf_free(allocator, self->timers);
    wf_free(allocator, self->kept.list);
    wf_free(allocator, self->works);
    wf_free(allocator, self->intervals);
    wf_free(allocator, self->at);
}

bool wf_run_times_between(wf_run_times *self, uint32_t sooner, uint32_t later, int64_t gap)
{
    wf_time_gap *list =
        wf_grow(self->explorer->allocator, self->intervals, &self->interval_capacity,
                self->interval_count + 1, sizeof *list);
    if (!list)
        return false;
    self->intervals = list;
    list[self->interval_count++] = (wf_time_gap){sooner, later, gap};
    return true;
}

/* ---- timers ---- */

static const wf_list *timers_of(const wf_run_times *self)
{
    return &self->snapshot->extras->timers;
}

static wf_running_timer numbered(const wf_run_times *self, uint64_t number)
{
    WF_INVARIANT(number < self->timer_count);
    return self->timers[number];
}

static wf_running_timer running(const wf_run_times *self, size_t place)
{
    return numbered(self, wf_timer_at(timers_of(self), place)->number);
}

/* No timer is overdue: each is due at the time of the move or `gap` later. */
static bool note_punctual(wf_run_times *self, uint32_t move, int64_t gap)
{
    for (size_t i = 0; i < timers_of(self)->count; i++) {
        wf_running_timer timer = running(self, i);
        if (!wf_run_times_between(self, move, timer.move, gap - timer.delay))
            return false;
    }
    return true;
}

/* No budget of time runs out until so long after the move. `refusing`: only those that refuse count. */
static bool note_time_left(wf_run_times *self, uint32_t move, int64_t time, bool refusing)
{
    const wfsm_machine *machine = self->explorer->machine;
    for (uint32_t i = 0; i < machine->budget_count; i++) {
        const wf_budget *budget = &machine->budgets[i];
        const wf_spent *spent = wf_spent_at(&self->snapshot->extras->budgets, i);
        const bool counts = refusing ? budget->refuses : !spent->raised;
        if (budget->counts == WF_COUNT_TIME && counts &&
            !wf_run_times_between(self, move, 0, time - spent->limit))
            return false;
    }
    return true;
}

/* A timer fires no sooner than it is due, and no pending timer is due before it. */
static bool note_firing(wf_run_times *self, uint32_t move, uint32_t place)
{
    if (place >= timers_of(self)->count)
        return true;
    wf_running_timer fired = running(self, place);
    uint64_t number = wf_timer_at(timers_of(self), place)->number;
    if (!wf_run_times_between(self, fired.move, move, fired.delay) ||
        !note_time_left(self, fired.move, fired.delay, false))
        return false;
    for (size_t i = 0; i < timers_of(self)->count; i++) {
        wf_running_timer other = running(self, i);
        bool younger = wf_timer_at(timers_of(self), i)->number < number;
        if (i != place && !wf_run_times_between(self, fired.move, other.move,
                                                fired.delay - other.delay + younger))
            return false;
    }
    return true;
}

static bool note_set(wf_run_times *self, uint32_t move)
{
    for (size_t i = 0; i < timers_of(self)->count; i++) {
        const wf_timer *timer = wf_timer_at(timers_of(self), i);
        size_t number = (size_t)timer->number;
        if (number < self->timer_count)
            continue;
        wf_running_timer *list = wf_grow(self->explorer->allocator, self->timers,
                                         &self->timer_capacity, number + 1, sizeof *list);
        if (!list)
            return false;
        self->timers = list;
        list[number] = (wf_running_timer){move, timer->due};
        self->timer_count = number + 1;
    }
    return true;
}

/* ---- checkpoints ---- */

int64_t wf_run_times_due(const wf_run_times *self, uint64_t timer)
{
    return numbered(self, timer).delay;
}

int64_t wf_run_times_keep(wf_run_times *self, uint32_t move, uint64_t timer)
{
    const wf_running_timer kept = numbered(self, timer);
    if (self->left == WF_LEFT_NOTHING &&
        !wf_run_times_between(self, kept.move, move, kept.delay))
        return -1;
    wf_kept_timer *list = wf_grow(self->explorer->allocator, self->kept.list,
                                  &self->kept.capacity, self->kept.count + 1, sizeof *list);
    if (!list)
        return -1;
    self->kept.list = list;
    wf_kept_timer *made = &list[self->kept.count++];
    if (self->kept.count > self->kept_before)
        made->left = self->left == WF_LEFT_ALL ? kept.delay : 0;
    made->timer = kept;
    made->move = move;
    return made->left;
}

bool wf_run_times_find_left(wf_run_times *self)
{
    bool same = true;
    for (size_t i = 0; i < self->kept.count; i++) {
        wf_kept_timer *one = &self->kept.list[i];
        int64_t left = self->at[one->timer.move] + one->timer.delay - self->at[one->move];
        left = left > 0 ? left : 0;
        same &= left == one->left;
        one->left = left;
    }
    return same;
}

wf_kept_timers wf_run_times_take_left(wf_run_times *self)
{
    const wf_kept_timers kept = self->kept;
    self->kept = (wf_kept_timers){0};
    return kept;
}

void wf_run_times_give_left(wf_run_times *self, wf_kept_timers before)
{
    self->kept = before;
    self->kept.count = 0;
    self->kept_before = before.count;
}

/* ---- budgets of time ---- */

/* A budget of time begins with the instance or, if an action resets it, at the latest with the
 * move before. No pending timer is due before it runs out. */
static bool note_run_out(wf_run_times *self, uint32_t move, uint32_t budget)
{
    uint32_t began = self->explorer->resets_time ? move - 1 : 0;
    int64_t limit = wf_spent_at(&self->snapshot->extras->budgets, budget)->limit;
    if (!wf_run_times_between(self, began, move, limit))
        return false;
    for (size_t i = 0; i < timers_of(self)->count; i++) {
        wf_running_timer other = running(self, i);
        if (!wf_run_times_between(self, began, other.move, limit - other.delay + 1))
            return false;
    }
    return true;
}

/* ---- attempts ---- */

/* NULL: it was not outstanding before. */
static const wf_running_work *known_work(const wf_run_times *self, const wf_invocation *work)
{
    for (size_t i = self->work_count; i-- > 0;)
        if (self->works[i].revision == work->revision &&
            self->works[i].ordinal == work->ordinal && self->works[i].attempt == work->attempt)
            return &self->works[i];
    return NULL;
}

/* No attempt takes longer than it may. */
static bool note_ends(wf_run_times *self, uint32_t move)
{
    const wf_list *ledger = &self->snapshot->extras->ledger;
    for (size_t i = 0; self->explorer->ends && i < ledger->count; i++) {
        const wf_invocation *work = wf_invocation_at(ledger, i);
        const wf_running_work *known = known_work(self, work);
        int64_t end = known ? wf_end_of(self->explorer, work) : 0;
        if (end > 0 && !wf_run_times_between(self, move, known->move, -end))
            return false;
    }
    return true;
}

/* The attempt has a time limit, or it begins after a pause. */
static bool is_timed(const wf_explorer *explorer, const wf_invocation *work)
{
    return wf_end_of(explorer, work) > 0 || (work->status == WF_PENDING && work->due > 0);
}

/* An attempt is claimed, or ends without a claim, only after the pause before it. */
static bool note_pause(wf_run_times *self, uint32_t move, uint32_t place)
{
    const wf_list *ledger = &self->snapshot->extras->ledger;
    const wf_invocation *work = place < ledger->count ? wf_invocation_at(ledger, place) : NULL;
    const wf_running_work *known =
        work && work->status == WF_PENDING ? known_work(self, work) : NULL;
    return !known || wf_run_times_between(self, known->move, move, work->due);
}

static bool note_begun(wf_run_times *self, uint32_t move)
{
    const wf_list *ledger = &self->snapshot->extras->ledger;
    for (size_t i = 0; i < ledger->count; i++) {
        const wf_invocation *work = wf_invocation_at(ledger, i);
        if (!is_timed(self->explorer, work) || known_work(self, work))
            continue;
        wf_running_work *list =
            wf_grow(self->explorer->allocator, self->works, &self->work_capacity,
                    self->work_count + 1, sizeof *list);
        if (!list)
            return false;
        self->works = list;
        list[self->work_count++] =
            (wf_running_work){work->revision, work->ordinal, work->attempt, move};
    }
    return true;
}

/* ---- moves ---- */

bool wf_run_times_before(wf_run_times *self, uint32_t move, const wf_input *input)
{
    bool fine = true, fires = input->kind == WF_INPUT_TIMER;
    if (input->kind == WF_INPUT_START)
        return true;
    if (input->kind == WF_INPUT_BUDGET)
        fine = note_run_out(self, move, input->place);
    if (fires)
        fine = note_firing(self, move, input->place);
    if (wf_input_has_work(input))
        fine = note_pause(self, move, input->place);
    const bool claims = input->kind == WF_INPUT_CLAIM, resets = self->explorer->resets_time;
    if (fine && claims && !resets)
        fine = note_time_left(self, move, 1, true);
    if (fine && self->explorer->times.punctual) {
        const int64_t gap = fires || claims ? 0 : 1;
        fine = note_ends(self, move) && note_punctual(self, move, gap) &&
               (resets ||
                note_time_left(self, move, input->kind == WF_INPUT_BUDGET ? 0 : gap, false));
    }
    return fine;
}

bool wf_run_times_after(wf_run_times *self, uint32_t move)
{
    return note_set(self, move) && note_begun(self, move);
}

bool wf_run_times_solve(wf_run_times *self, size_t moves)
{
    bool changed = true;
    for (size_t round = 0; changed && round <= moves + 1; round++) {
        changed = false;
        for (size_t i = 1; i < moves; i++)
            if (self->at[i] < self->at[i - 1]) {
                self->at[i] = self->at[i - 1];
                changed = true;
            }
        for (size_t i = 0; i < self->interval_count; i++) {
            const wf_time_gap *one = &self->intervals[i];
            WF_INVARIANT(one->sooner < moves && one->later < moves);
            int64_t least = self->at[one->sooner] + one->gap;
            if (self->at[one->later] < least) {
                self->at[one->later] = least;
                changed = true;
            }
        }
    }
    return !changed;
}
