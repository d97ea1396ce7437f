/* verify/timer_overdue.c: by how much a timer is overdue. If a host may be late, time limits tell that a timer
 * is overdue, by more and more, so that the bounds would have no end.
 *
 * Nothing can tell by how much it is, but only in which order those fire that are: what begins later is due
 * later than all of them, and all deadlines come closer at the same rate. So two settings of the deadlines are
 * alike if those that are not overdue are the same in both, and those that are overdue have the same order.
 * Both changes here keep the bounds between the settings that they had and those that are alike. Just to forget
 * large differences would not: four timers may be overdue, two of them by the same difference more than the
 * other two, so that one order of two tells the other one. */
#include <string.h>
#include "verify/timer_bounds.h"

/* A set of entries, by number. */
typedef bool entry_set[WF_TIMER_BOUNDS_MOST + 1];

static uint32_t timers_in(const wf_timer_bounds *times)
{
    return times->count - times->limits;
}

/* ---- moving what is overdue ---- */

static bool may_follow(const wf_timer_bounds *times, uint32_t entry, const entry_set late)
{
    for (uint32_t j = 0; j <= times->count; j++)
        if (late[j] && times->at[entry][j] >= 0)
            return true;
    return false;
}

/* Now and this entry, and all that may not be before one of these. False: that is everything. */
static bool find_rest(const wf_timer_bounds *times, uint32_t seed, entry_set late)
{
    uint32_t count = 0, before;
    memset(late, 0, sizeof(entry_set));
    late[0] = late[seed] = true;
    do {
        before = count;
        count = 0;
        for (uint32_t i = 0; i <= times->count; i++) {
            late[i] = late[i] || may_follow(times, i, late);
            count += late[i];
        }
    } while (count > before);
    return count <= times->count;
}

/* How far the others can move, and are still before these. */
static int64_t room_before(const wf_timer_bounds *times, const entry_set late)
{
    int64_t nearest = -WF_TIMER_BOUNDS_FAR, grain = times->grain > 0 ? times->grain : 1;
    for (uint32_t i = 1; i <= times->count; i++)
        for (uint32_t j = 0; j <= times->count; j++)
            if (!late[i] && late[j] && times->at[i][j] > nearest)
                nearest = times->at[i][j];
    return (-nearest - 1) / grain * grain;
}

static void move(wf_timer_bounds *times, const entry_set late, int64_t by)
{
    for (uint32_t i = 0; i <= times->count; i++)
        for (uint32_t j = 0; j <= times->count; j++)
            if (late[i] != late[j] && times->at[i][j] != WF_TIMER_BOUNDS_FAR)
                times->at[i][j] += late[i] ? -by : by;
}

/* All that is before now and before the rest, in any case, comes as close as it can. It keeps its order, and
 * stays overdue. */
static void move_closer(wf_timer_bounds *times)
{
    entry_set late;
    for (uint32_t seed = 0; seed <= timers_in(times); seed++)
        if (find_rest(times, seed, late))
            move(times, late, room_before(times, late));
}

/* ---- forgetting by how much at most ---- */

/* No deadline is farther from now. */
static int64_t farthest(const wf_timer_bounds *times)
{
    int64_t most = 0;
    for (uint32_t i = 1; i <= times->count; i++)
        if (times->at[i][0] > most)
            most = times->at[i][0];
    return most == WF_TIMER_BOUNDS_FAR ? most : most + 1; /* a strict bound is one less */
}

/* No bound says that a deadline is farther before something else. */
static int64_t widest(const wf_timer_bounds *times)
{
    int64_t most = 1;
    for (uint32_t i = 1; i <= times->count; i++)
        for (uint32_t j = 0; j <= times->count; j++)
            if (-times->at[i][j] > most)
                most = -times->at[i][j];
    return most;
}

/* Large differences are forgotten. What they exclude is like something that they allow: where two deadlines that
 * follow each other are overdue, and farther apart than `widest`, the earlier one and all before it come closer,
 * up to that, and no bound that is left forbids it. Then no deadline is overdue by more than that times the
 * number of deadlines, and no difference is as large as those that are forgotten. */
static bool forget_large(wf_timer_bounds *times)
{
    const int64_t first = farthest(times);
    bool any = false;
    if (first == WF_TIMER_BOUNDS_FAR)
        return false;
    const int64_t most = first + times->count * widest(times);
    for (uint32_t j = 1; j <= timers_in(times); j++)
        for (uint32_t i = 0; i <= times->count; i++)
            if (times->at[i][j] >= most && times->at[i][j] != WF_TIMER_BOUNDS_FAR) {
                times->at[i][j] = WF_TIMER_BOUNDS_FAR;
                any = true;
            }
    return any;
}

void wf_timer_bounds_settle(wf_timer_bounds *times)
{
    if (times->punctual)
        return;
    move_closer(times);
    if (forget_large(times))
        (void)wf_timer_bounds_tighten(times);
}
