#include "verify/timer_bounds.h"
#include "base/invariant.h"

/* Where there is a grain, a bound is a multiple of it, or one less: then it is strict. The sum of
 * two strict bounds is strict once, not twice. */
static int64_t sum(const wf_timer_bounds *times, int64_t a, int64_t b)
{
    if (a == WF_TIMER_BOUNDS_FAR || b == WF_TIMER_BOUNDS_FAR)
        return WF_TIMER_BOUNDS_FAR;
    bool both = times->grain > 0 && a % times->grain != 0 && b % times->grain != 0;
    return a + b + both;
}

static void lower(int64_t *bound, int64_t to)
{
    if (to < *bound)
        *bound = to;
}

/* Floyd-Warshall. */
bool wf_timer_bounds_tighten(wf_timer_bounds *times)
{
    uint32_t n = times->count + 1;
    for (uint32_t k = 0; k < n; k++)
        for (uint32_t i = 0; i < n; i++)
            for (uint32_t j = 0; j < n; j++)
                lower(&times->at[i][j], sum(times, times->at[i][k], times->at[k][j]));
    for (uint32_t i = 0; i < n; i++)
        if (times->at[i][i] < 0)
            return false;
    return true;
}

static uint32_t timers_of(const wf_timer_bounds *times)
{
    return times->count - times->limits;
}

void wf_timer_bounds_clear(wf_timer_bounds *times)
{
    times->count = times->limits = times->ends = 0;
    times->at[0][0] = 0;
}

static bool is_end(const wf_timer_bounds *times, uint32_t entry)
{
    return entry > times->count - times->ends;
}

/* Up to the first deadline, if the host is punctual, and to the first end. */
void wf_timer_bounds_pass(wf_timer_bounds *times)
{
    for (uint32_t j = 1; j <= times->count; j++) {
        bool stops = (times->punctual && j <= timers_of(times)) || is_end(times, j);
        times->at[0][j] = stops ? 0 : WF_TIMER_BOUNDS_FAR;
    }
    if (times->punctual || times->ends > 0)
        (void)wf_timer_bounds_tighten(times);
}

bool wf_timer_bounds_other(wf_timer_bounds *times)
{
    if (!times->punctual || timers_of(times) == 0)
        return true;
    for (uint32_t j = 1; j <= timers_of(times); j++)
        lower(&times->at[0][j], -1);
    return wf_timer_bounds_tighten(times);
}

/* With equal deadlines the older timer fires first, and any timer before a budget. */
static bool goes_before(uint32_t a, uint32_t b, uint32_t budgets)
{
    bool timer = a > budgets, other = b > budgets;
    return timer == other ? a < b : timer;
}

bool wf_timer_bounds_fire(wf_timer_bounds *times, uint32_t index, uint32_t budgets)
{
    uint32_t self = index + 1;
    WF_INVARIANT(index < timers_of(times) && budgets <= timers_of(times));
    lower(&times->at[self][0], 0);
    for (uint32_t j = 1; j <= timers_of(times); j++)
        if (j != self)
            lower(&times->at[self][j], goes_before(self, j, budgets) ? 0 : -1);
    return wf_timer_bounds_tighten(times);
}

static void remove_at(wf_timer_bounds *times, uint32_t index)
{
    uint32_t n = times->count + 1;
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = index + 1; j + 1 < n; j++)
            times->at[i][j] = times->at[i][j + 1];
    for (uint32_t i = index + 1; i + 1 < n; i++)
        for (uint32_t j = 0; j < n; j++)
            times->at[i][j] = times->at[i + 1][j];
    times->count--;
}

void wf_timer_bounds_remove(wf_timer_bounds *times, uint32_t index)
{
    WF_INVARIANT(index < timers_of(times));
    remove_at(times, index);
}

/* Makes room for an entry with this number. */
static void move_up(wf_timer_bounds *times, uint32_t self)
{
    uint32_t n = ++times->count;
    for (uint32_t i = n; i > self; i--)
        for (uint32_t j = 0; j < n; j++)
            times->at[i][j] = times->at[i - 1][j];
    for (uint32_t i = 0; i <= n; i++)
        for (uint32_t j = n; j > self; j--)
            times->at[i][j] = times->at[i][j - 1];
}

/* The entry with this number is from `least` to `most` from now. */
static bool insert(wf_timer_bounds *times, uint32_t self, int64_t least, int64_t most)
{
    if (times->count == WF_TIMER_BOUNDS_MOST)
        return false;
    move_up(times, self);
    for (uint32_t j = 0; j <= times->count; j++) {
        times->at[self][j] = sum(times, most, times->at[0][j]);
        times->at[j][self] = sum(times, times->at[j][0], -least);
    }
    times->at[self][self] = 0;
    return true;
}

bool wf_timer_bounds_add(wf_timer_bounds *times, int64_t delay)
{
    return insert(times, timers_of(times) + 1, delay, delay);
}

bool wf_timer_bounds_add_between(wf_timer_bounds *times, int64_t least, int64_t most)
{
    return insert(times, timers_of(times) + 1, least, most);
}

bool wf_timer_bounds_add_limit(wf_timer_bounds *times, uint32_t limit, int64_t delay)
{
    if (!insert(times, timers_of(times) + limit + 1, delay, delay))
        return false;
    times->limits++;
    return true;
}

void wf_timer_bounds_remove_limit(wf_timer_bounds *times, uint32_t limit)
{
    remove_at(times, timers_of(times) + limit);
    times->limits--;
}

bool wf_timer_bounds_add_end(wf_timer_bounds *times, uint32_t end, int64_t delay)
{
    if (!insert(times, times->count - times->ends + end + 1, delay, delay))
        return false;
    times->limits++;
    times->ends++;
    return true;
}

void wf_timer_bounds_remove_end(wf_timer_bounds *times, uint32_t end)
{
    WF_INVARIANT(end < times->ends);
    remove_at(times, times->count - times->ends + end);
    times->limits--;
    times->ends--;
}

bool wf_timer_bounds_exceed(wf_timer_bounds *times, uint32_t limit)
{
    lower(&times->at[timers_of(times) + limit + 1][0], -1);
    return wf_timer_bounds_tighten(times);
}

bool wf_timer_bounds_respect(wf_timer_bounds *times, uint32_t limit)
{
    lower(&times->at[0][timers_of(times) + limit + 1], 0);
    return wf_timer_bounds_tighten(times);
}

void wf_timer_bounds_order(wf_timer_bounds *to, const wf_timer_bounds *times,
                           const uint32_t *from, uint32_t budgets)
{
    uint32_t place[WF_TIMER_BOUNDS_MOST + 1];
    to->count = times->count;
    to->limits = times->limits;
    to->ends = times->ends;
    to->punctual = times->punctual;
    to->grain = times->grain;
    for (uint32_t i = 0; i <= times->count; i++)
        place[i] =
            i <= budgets || i > timers_of(times) ? i : budgets + 1 + from[i - budgets - 1];
    for (uint32_t i = 0; i <= times->count; i++)
        for (uint32_t j = 0; j <= times->count; j++)
            to->at[i][j] = times->at[place[i]][place[j]];
}

int64_t wf_common_divisor(int64_t a, int64_t b)
{
    while (b != 0) {
        int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

size_t wf_number_write(uint8_t *bytes, uint64_t number)
{
    size_t length = 0;
    while (number >= 0x80) {
        bytes[length++] = (uint8_t)(number | 0x80);
        number >>= 7;
    }
    bytes[length++] = (uint8_t)number;
    return length;
}

size_t wf_number_read(const uint8_t *bytes, uint64_t *number)
{
    size_t length = 0;
    uint32_t shift = 0;
    *number = 0;
    do {
        *number |= (uint64_t)(bytes[length] & 0x7F) << shift;
        shift += 7;
    } while (bytes[length++] & 0x80);
    return length;
}

/* Maps small numbers of either sign, and FAR, to small unsigned ones. */
static uint64_t code(int64_t bound)
{
    if (bound == WF_TIMER_BOUNDS_FAR)
        return 0;
    return bound < 0 ? (uint64_t)(-bound) * 2 : (uint64_t)bound * 2 + 1;
}

static int64_t decode(uint64_t number)
{
    if (number == 0)
        return WF_TIMER_BOUNDS_FAR;
    return number & 1 ? (int64_t)(number / 2) : -(int64_t)(number / 2);
}

size_t wf_timer_bounds_write(const wf_timer_bounds *times, uint8_t *bytes)
{
    size_t length = 0;
    for (uint32_t i = 1; i <= times->count; i++)
        for (uint32_t j = 0; j <= times->count; j++)
            if (i != j)
                length += wf_number_write(bytes + length, code(times->at[i][j]));
    WF_INVARIANT(length <= WF_TIMER_BOUNDS_BYTES);
    return length;
}

size_t wf_timer_bounds_read(wf_timer_bounds *times, uint32_t count, const uint8_t *bytes)
{
    size_t length = 0;
    uint64_t number;
    WF_INVARIANT(count <= WF_TIMER_BOUNDS_MOST);
    times->count = count;
    times->at[0][0] = 0;
    for (uint32_t i = 1; i <= count; i++) {
        times->at[0][i] = WF_TIMER_BOUNDS_FAR;
        times->at[i][i] = 0;
        for (uint32_t j = 0; j <= count; j++)
            if (i != j) {
                length += wf_number_read(bytes + length, &number);
                times->at[i][j] = decode(number);
            }
    }
    wf_timer_bounds_pass(times);
    return length;
}
