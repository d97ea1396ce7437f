/*
 * Bounds on deadlines compared with clocks: random histories of timers that are set, fire and
 * are canceled, of a limit that passes or does not, and of an attempt that ends in time. What real times
 * allow, the bounds must allow. For what the bounds allow there
 * must be real times: the test tries all of them.
 */
#include <stdio.h>
#include <string.h>
#include <unity.h>
#include "verify/timer_bounds.h"

enum { MOST = 3, STEPS = 6, LATEST = 14, RUNS = 400, LONG_STEPS = 60, LONG_RUNS = 15000 };

/* One step of a history. */
typedef struct act {
    int fires;     /* place of the timer that fires, or -1: something else happens */
    int cancels;   /* place of one that is taken away after that, or -1 */
    int64_t delay; /* of a new one, or -1 */
    int64_t more;  /* its delay may be so much longer */
    bool late;     /* the limit has passed, and is taken away; else it has not */
    int64_t limit; /* of a new limit, or -1 */
    bool ended;    /* the attempt has ended */
    int64_t end;   /* until when a new one ends, or -1 */
} act;

typedef struct history {
    act acts[LONG_STEPS];
    int count;
    bool punctual;
} history;

void setUp(void)
{
}

void tearDown(void)
{
}

static uint32_t rest;

static int below(int most)
{
    rest = rest * 1664525u + 1013904223u;
    return (int)((rest >> 16) % (uint32_t)most);
}

/* Begins the random numbers of a seed. Returns the message of a failure. */
static const char *set_seed(uint32_t seed)
{
    static char message[40];

    rest = seed * 2654435761u;
    snprintf(message, sizeof message, "seed %u", (unsigned)seed);
    return message;
}

/* ---- by bounds ---- */

static bool allowed(const history *past, int64_t grain)
{
    wf_timer_bounds times = {.punctual = past->punctual, .grain = grain};
    wf_timer_bounds_clear(&times);
    for (int i = 0; i < past->count; i++) {
        const act *self = &past->acts[i];
        if (self->fires >= 0 ? !wf_timer_bounds_fire(&times, (uint32_t)self->fires, 0)
                             : !wf_timer_bounds_other(&times))
            return false;
        if (times.limits > times.ends && !(self->late ? wf_timer_bounds_exceed(&times, 0)
                                                      : wf_timer_bounds_respect(&times, 0)))
            return false;
        if (self->late)
            wf_timer_bounds_remove_limit(&times, 0);
        if (self->fires >= 0)
            wf_timer_bounds_remove(&times, (uint32_t)self->fires);
        if (self->cancels >= 0)
            wf_timer_bounds_remove(&times, (uint32_t)self->cancels);
        if (self->delay >= 0)
            TEST_ASSERT_TRUE(
                wf_timer_bounds_add_between(&times, self->delay, self->delay + self->more));
        if (self->limit >= 0)
            TEST_ASSERT_TRUE(wf_timer_bounds_add_limit(&times, 0, self->limit));
        if (self->ended)
            wf_timer_bounds_remove_end(&times, 0);
        if (self->end >= 0)
            TEST_ASSERT_TRUE(wf_timer_bounds_add_end(&times, 0, self->end));
        wf_timer_bounds_pass(&times);
    }
    return true;
}

/* ---- what is overdue ---- */

enum { WALKS = 300, WALK_STEPS = 200, WALK_TIMERS = 5, WALK_LIMITS = 2 };

/* What happens: the timer `fires`, or something else if it is WALK_TIMERS; each limit has passed or not. */
typedef struct move {
    uint32_t fires, budgets;
    bool late[WALK_LIMITS];
} move;

static bool happens(wf_timer_bounds *times, const move *self)
{
    bool may = self->fires < WALK_TIMERS
                   ? wf_timer_bounds_fire(times, self->fires, self->budgets)
                   : wf_timer_bounds_other(times);
    for (uint32_t i = 0; i < WALK_LIMITS && may; i++)
        may = self->late[i] ? wf_timer_bounds_exceed(times, i)
                            : wf_timer_bounds_respect(times, i);
    return may;
}

/* Both get the same timers and limits. */
static void renew(wf_timer_bounds both[2], const move *self, int64_t unit)
{
    uint32_t gone = self->fires < WALK_TIMERS ? self->fires : (uint32_t)below(WALK_TIMERS * 4);
    int64_t delay = below(9) * unit, limits[] = {below(9) * unit, below(9) * unit};
    bool again[] = {self->late[0] || below(3) == 0, self->late[1] || below(3) == 0};
    for (int which = 0; which < 2; which++) {
        wf_timer_bounds *times = &both[which];
        for (uint32_t i = 0; i < WALK_LIMITS; i++)
            if (again[i])
                wf_timer_bounds_remove_limit(times, i);
        if (gone < WALK_TIMERS)
            wf_timer_bounds_remove(times, gone);
        if (gone < WALK_TIMERS)
            wf_timer_bounds_add(times, delay);
        for (uint32_t i = 0; i < WALK_LIMITS; i++)
            if (again[i])
                wf_timer_bounds_add_limit(times, i, limits[i]);
    }
}

static void begin(wf_timer_bounds *times, const int64_t *delays, int64_t grain)
{
    *times = (wf_timer_bounds){.grain = grain};
    wf_timer_bounds_clear(times);
    for (uint32_t i = 0; i < WALK_TIMERS; i++)
        wf_timer_bounds_add(times, delays[i]);
    for (uint32_t i = 0; i < WALK_LIMITS; i++)
        wf_timer_bounds_add_limit(times, i, delays[WALK_TIMERS + i]);
    wf_timer_bounds_pass(times);
}

/* Each move is tried, in a history of which only the other bounds keep by how much a timer is overdue. */
static uint32_t walk(int64_t unit, int64_t grain, const char *message)
{
    wf_timer_bounds both[2];
    int64_t delays[WALK_TIMERS + WALK_LIMITS];
    uint32_t taken = 0, budgets = (uint32_t)below(2);
    for (uint32_t i = 0; i < WALK_TIMERS + WALK_LIMITS; i++)
        delays[i] = below(9) * unit;
    begin(&both[0], delays, grain);
    begin(&both[1], delays, grain);
    for (int step = 0; step < WALK_STEPS; step++) {
        const move self = {below(2) ? (uint32_t)below(WALK_TIMERS) : WALK_TIMERS,
                           budgets,
                           {below(4) == 0, below(4) == 0}};
        wf_timer_bounds next[] = {both[0], both[1]};
        bool may = happens(&next[0], &self);
        TEST_ASSERT_EQUAL_MESSAGE(may, happens(&next[1], &self), message);
        if (!may)
            continue;
        renew(next, &self, unit);
        wf_timer_bounds_settle(&next[1]);
        wf_timer_bounds_pass(&next[0]);
        wf_timer_bounds_pass(&next[1]);
        memcpy(both, next, sizeof both);
        taken++;
    }
    return taken;
}

static void test_how_long_a_timer_is_overdue_makes_no_difference(void)
{
    uint32_t taken = 0;
    for (uint32_t seed = 1; seed <= WALKS; seed++) {
        const char *message = set_seed(seed);
        taken += walk(1, 0, message);
        taken += walk(1000, 1000, message);
    }
    TEST_ASSERT_GREATER_THAN(WALKS * WALK_STEPS / 4, taken);
}

/* ---- by trying all times ---- */

typedef struct clocks {
    int64_t due[STEPS];
    int count;
    int64_t limit, end; /* -1: none */
} clocks;

static void take_away(clocks *set, int place)
{
    set->count--;
    memmove(&set->due[place], &set->due[place + 1],
            (size_t)(set->count - place) * sizeof *set->due);
}

static bool may_fire(const clocks *set, int place, int64_t now, bool punctual)
{
    if (set->due[place] > now || (punctual && set->due[place] != now))
        return false;
    for (int i = 0; i < set->count; i++)
        if (set->due[i] < set->due[place] || (set->due[i] == set->due[place] && i < place))
            return false;
    return true;
}

static bool may_happen(const clocks *set, int64_t now, bool punctual)
{
    for (int i = 0; i < set->count && punctual; i++)
        if (set->due[i] <= now)
            return false;
    return true;
}

static bool has_times(const history *past, int at, clocks set, int64_t from);

/* The rest of the history, after one of the delays that the new timer may have. */
static bool goes_on(const history *past, int at, clocks next, int64_t now)
{
    const act *self = &past->acts[at];
    if (self->delay < 0)
        return has_times(past, at + 1, next, now);
    int place = next.count++;
    for (int64_t delay = self->delay; delay <= self->delay + self->more; delay++) {
        next.due[place] = now + delay;
        if (has_times(past, at + 1, next, now))
            return true;
    }
    return false;
}

static bool has_times(const history *past, int at, clocks set, int64_t from)
{
    if (at == past->count)
        return true;
    const act *self = &past->acts[at];
    for (int64_t now = from; now <= LATEST * STEPS; now++) {
        clocks next = set;
        if (self->fires >= 0 ? !may_fire(&set, self->fires, now, past->punctual)
                             : !may_happen(&set, now, past->punctual))
            continue;
        if (set.limit >= 0 && self->late != (now > set.limit))
            continue;
        if (set.end >= 0 && now > set.end)
            return false;
        if (self->ended)
            next.end = -1;
        if (self->end >= 0)
            next.end = now + self->end;
        if (self->late)
            next.limit = -1;
        if (self->limit >= 0)
            next.limit = now + self->limit;
        if (self->fires >= 0)
            take_away(&next, self->fires);
        if (self->cancels >= 0)
            take_away(&next, self->cancels);
        if (goes_on(past, at, next, now))
            return true;
        if (next.count == 0 && self->delay < 0 && next.limit < 0 && set.limit < 0 &&
            next.end < 0 && set.end < 0) /* later would be the same */
            return false;
    }
    return false;
}

/* ---- both ---- */

/* Delays differ by at most `more`. */
static void make(history *past, int steps, int64_t unit, int more)
{
    int timers = 0;
    bool limited = false, attempted = false;
    past->count = 1 + below(steps);
    past->punctual = below(2);
    for (int i = 0; i < past->count; i++) {
        act *self = &past->acts[i];
        *self = (act){-1, -1, -1, 0, false, -1, false, -1};
        self->late = limited && below(3) == 0;
        limited &= !self->late;
        if (!limited && below(3) == 0) {
            self->limit = below(8) * unit;
            limited = true;
        }
        self->ended = attempted && below(3) == 0;
        attempted &= !self->ended;
        if (!attempted && below(4) == 0) {
            self->end = below(8) * unit;
            attempted = true;
        }
        if (timers > 0 && below(3) > 0) {
            self->fires = below(timers);
            timers--;
        }
        if (timers > 1 && below(6) == 0) {
            self->cancels = below(timers);
            timers--;
        }
        if (timers < MOST && below(4) > 0) {
            self->delay = below(5) * unit;
            self->more = more > 0 ? below(more + 1) : 0;
            timers++;
        }
    }
}

static void compare(uint32_t runs, int steps, int more)
{
    int yes = 0;
    for (uint32_t seed = 1; seed <= runs; seed++) {
        history past;
        const char *message = set_seed(seed);
        make(&past, steps, 1, more);
        bool concrete = has_times(&past, 0, (clocks){.limit = -1, .end = -1}, 0);
        TEST_ASSERT_EQUAL_MESSAGE(concrete, allowed(&past, 0), message);
        TEST_ASSERT_EQUAL_MESSAGE(concrete, allowed(&past, 0), message);
        yes += concrete;
    }
    TEST_ASSERT_GREATER_THAN(runs / 10, yes);
    TEST_ASSERT_LESS_THAN(runs - runs / 10, yes);
}

static void test_bounds_allow_what_clocks_allow(void)
{
    compare(RUNS, STEPS, 0);
}

static void test_delays_that_are_not_known_have_bounds(void)
{
    compare(RUNS / 2, STEPS - 2, 2);
}

/* Also after many steps, as long as they are fewer than the grain. */
static void test_a_grain_allows_what_milliseconds_allow(void)
{
    int yes = 0;
    for (uint32_t seed = 1; seed <= LONG_RUNS; seed++) {
        history past;
        const char *message = set_seed(seed);
        make(&past, 2 + below(LONG_STEPS - 1), 1000, 0);
        bool exact = allowed(&past, 0);
        TEST_ASSERT_EQUAL_MESSAGE(exact, allowed(&past, 1000), message);
        yes += exact;
    }
    TEST_ASSERT_GREATER_THAN(LONG_RUNS / 100, yes);
}

static void test_bounds_survive_being_written(void)
{
    static const int64_t delays[] = {0, 1, 127, 128, 100000, (int64_t)1 << 53};
    uint8_t bytes[WF_TIMER_BOUNDS_BYTES];
    wf_timer_bounds times = {0}, again = {0};
    wf_timer_bounds_clear(&times);
    for (size_t i = 0; i < sizeof delays / sizeof *delays; i++)
        TEST_ASSERT_TRUE(wf_timer_bounds_add(&times, delays[i]));
    TEST_ASSERT_TRUE(wf_timer_bounds_add_limit(&times, 0, 100));
    TEST_ASSERT_TRUE(wf_timer_bounds_add_end(&times, 0, 70));
    wf_timer_bounds_pass(&times);
    again.limits = 2;
    again.ends = 1;
    size_t length = wf_timer_bounds_write(&times, bytes);
    TEST_ASSERT_EQUAL(length, wf_timer_bounds_read(&again, times.count, bytes));
    for (uint32_t i = 0; i <= times.count; i++)
        for (uint32_t j = 0; j <= times.count; j++)
            TEST_ASSERT_EQUAL_INT64(times.at[i][j], again.at[i][j]);
}

static void test_too_many_timers_are_refused(void)
{
    wf_timer_bounds times = {0};
    wf_timer_bounds_clear(&times);
    for (int i = 0; i < WF_TIMER_BOUNDS_MOST; i++)
        TEST_ASSERT_TRUE(wf_timer_bounds_add(&times, i));
    TEST_ASSERT_FALSE(wf_timer_bounds_add(&times, 1));
    TEST_ASSERT_FALSE(wf_timer_bounds_add_limit(&times, 0, 1));
    TEST_ASSERT_FALSE(wf_timer_bounds_add_end(&times, 0, 1));
}

/* ---- checkpoints ---- */

/* A budget and two timers, the times between their beginnings, the checkpoint and the way back. */
typedef struct way_back {
    int64_t delays[3], pauses[4];
    bool punctual;
} way_back;

static void make_way_back(way_back *way)
{
    way->punctual = below(2);
    for (int i = 0; i < 3; i++)
        way->delays[i] = (i == 0 ? 6 : 1) + below(6);
    for (int i = 0; i < 4; i++)
        way->pauses[i] = below(5);
}

/* When each is due from the time that the way has come to: they began one after the other. */
static bool due_after(const way_back *way, int pauses, int64_t *due)
{
    for (int i = 0; i < 3; i++) {
        due[i] = way->delays[i];
        for (int k = i; k < pauses; k++)
            due[i] -= way->pauses[k];
    }
    return !way->punctual || (due[0] >= 0 && due[1] >= 0 && due[2] >= 0);
}

/* At the way back only the budget is left, and no timer was due before it if the host is punctual. */
static bool by_bounds(const way_back *way, bool known, wf_timer_bounds *times)
{
    wf_timer_bounds now;
    *times = (wf_timer_bounds){.punctual = way->punctual};
    wf_timer_bounds_clear(times);
    for (int i = 0; i < 3; i++) {
        TEST_ASSERT_TRUE(wf_timer_bounds_add(times, way->delays[i]));
        wf_timer_bounds_pass(times);
    }
    now = *times;
    wf_timer_bounds_remove(&now, 2);
    wf_timer_bounds_remove(&now, 1);
    wf_timer_bounds_pass(&now);
    uint8_t bytes[WF_TIMER_BOUNDS_BYTES];
    wf_timer_bounds_keep(times, 1);
    size_t length = wf_timer_bounds_write(times, bytes);
    TEST_ASSERT_EQUAL(length, wf_timer_bounds_read(times, 3, bytes));
    if (!wf_timer_bounds_go_back(times, known ? &now : NULL, 1))
        return false;
    wf_timer_bounds_settle(times);
    wf_timer_bounds_pass(times);
    return true;
}

/* What the clocks say is within the bounds. */
static void check_way_back(const way_back *way, bool known, const char *message)
{
    int64_t due[3], at[4] = {0};
    wf_timer_bounds times;
    if (!due_after(way, 3, due) || (way->punctual && due[0] < way->pauses[3]))
        return;
    TEST_ASSERT_TRUE_MESSAGE(by_bounds(way, known, &times), message);
    at[1] = due[0] - way->pauses[3];
    for (int i = 1; i < 3; i++)
        at[i + 1] = due[i] > 0 ? due[i] : 0;
    for (int i = 1; i < 4; i++)
        for (int j = 0; j < 4; j++)
            TEST_ASSERT_TRUE_MESSAGE(at[i] - at[j] <= times.at[i][j], message);
}

static void test_a_way_back_leaves_what_clocks_leave(void)
{
    for (uint32_t seed = 1; seed <= LONG_RUNS; seed++) {
        way_back way;
        const char *message = set_seed(seed);
        make_way_back(&way);
        check_way_back(&way, true, message);
        check_way_back(&way, false, message);
    }
}

/* The timer has between 0 and 5 left, and the budget what it has at present, but at most 10 more than that. */
static void test_a_way_back_gives_budgets_nothing(void)
{
    wf_timer_bounds times = {0}, now;
    wf_timer_bounds_clear(&times);
    TEST_ASSERT_TRUE(wf_timer_bounds_add(&times, 15) && wf_timer_bounds_add(&times, 5));
    wf_timer_bounds_pass(&times);
    now = times;
    now.at[1][0] = 7;
    wf_timer_bounds_remove(&now, 1);
    wf_timer_bounds_keep(&times, 1);
    TEST_ASSERT_TRUE(wf_timer_bounds_go_back(&times, &now, 1));
    wf_timer_bounds_settle(&times);
    wf_timer_bounds_pass(&times);
    TEST_ASSERT_EQUAL_INT64(7, times.at[1][0]);
    TEST_ASSERT_EQUAL_INT64(7, times.at[1][2]);
    TEST_ASSERT_EQUAL_INT64(5, times.at[2][0]);
    TEST_ASSERT_TRUE(wf_timer_bounds_fire(&times, 0, 1));
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_bounds_allow_what_clocks_allow);
    RUN_TEST(test_delays_that_are_not_known_have_bounds);
    RUN_TEST(test_a_grain_allows_what_milliseconds_allow);
    RUN_TEST(test_how_long_a_timer_is_overdue_makes_no_difference);
    RUN_TEST(test_bounds_survive_being_written);
    RUN_TEST(test_a_way_back_leaves_what_clocks_leave);
    RUN_TEST(test_a_way_back_gives_budgets_nothing);
    RUN_TEST(test_too_many_timers_are_refused);
    return UNITY_END() != 0;
}
