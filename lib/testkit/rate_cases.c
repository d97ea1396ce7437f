/* testkit/rate_cases.c: rates that sessions share. */
#include "cases.h"

#include <wfsm/pool.h>

int32_t tk_rate(wfsm_store *store, int64_t now, wfsm_rate *rate)
{
    wfsm_exchange exchange = {
        .size = sizeof exchange, .session = "one", .now = now, .rates = &rate, .rate_count = 1};
    int32_t status = wfsm_store_exchange(store, &exchange, NULL);
    return status == WFSM_OK ? exchange.lease : status;
}

static wfsm_rate rate_of(uint32_t count, int64_t per_ms, uint32_t wanted)
{
    return (wfsm_rate){.size = sizeof(wfsm_rate),
                       .name = "x",
                       .kind = WFSM_POOL_GROUP,
                       .count = count,
                       .per_ms = per_ms,
                       .wanted = wanted};
}

static void taken(tk_suite *suite, int64_t now, wfsm_rate rate, uint32_t granted, int64_t wait)
{
    tk_status(suite, "asking for tokens", WFSM_OK, tk_rate(suite->store, now, &rate));
    tk_holds(suite, rate.granted == granted && rate.wait_ms == wait,
             "at %lld: %u tokens after %lld ms, %u after %lld were expected", (long long)now,
             rate.granted, (long long)rate.wait_ms, granted, (long long)wait);
}

static void tokens_come_back(tk_suite *suite)
{
    taken(suite, 1000, rate_of(2, 100, 1), 1, 0);
    taken(suite, 1000, rate_of(2, 100, 5), 1, 0);
    taken(suite, 1000, rate_of(2, 100, 5), 1, 50);
    taken(suite, 1060, rate_of(2, 100, 1), 1, 40);
    taken(suite, 1500, rate_of(2, 100, 5), 2, 0);
}

static void sixteen_are_promised_and_no_more(tk_suite *suite)
{
    taken(suite, 1000, rate_of(1, 10, 1), 1, 0);
    for (int i = 1; i <= 16; i++)
        taken(suite, 1000, rate_of(1, 10, 1), 1, 10 * i);
    taken(suite, 1000, rate_of(1, 10, 1), 0, 10);
    taken(suite, 1010, rate_of(1, 10, 1), 1, 160);
}

static void another_rate_returns_no_tokens(tk_suite *suite)
{
    taken(suite, 1000, rate_of(4, 100, 4), 4, 0);
    taken(suite, 1000, rate_of(5, 200, 5), 1, 0);
    taken(suite, 1000, rate_of(4, 100, 1), 1, 50);
}

static void rates_differ_by_kind_and_name(tk_suite *suite)
{
    wfsm_rate other = rate_of(1, 100, 1), quoted = rate_of(1, 100, 1);
    other.kind = WFSM_POOL_AGENT;
    quoted.name = "x' \xc3\xa4";
    taken(suite, 1000, rate_of(1, 100, 1), 1, 0);
    taken(suite, 1000, other, 1, 0);
    taken(suite, 1000, quoted, 1, 0);
    taken(suite, 1000, other, 1, 100);
}

/* Clocks of sessions differ. One that is a period behind at most gets what the others left. */
static void a_clock_that_is_behind_gets_no_more(tk_suite *suite)
{
    taken(suite, 1000, rate_of(2, 100, 2), 2, 0);
    taken(suite, 950, rate_of(2, 100, 1), 1, 50);
    taken(suite, 1000, rate_of(2, 100, 1), 1, 100);
}

static void the_greatest_numbers_do_not_overflow(tk_suite *suite)
{
    const wfsm_rate rate = rate_of(INT32_MAX, INT32_MAX, UINT32_MAX);
    taken(suite, 1, rate, INT32_MAX, 0);
    for (int64_t i = 1; i <= 16; i++)
        taken(suite, 1, rate, 1, i);
    taken(suite, 1, rate, 0, 1);
    taken(suite, INT64_MAX - 1, rate, INT32_MAX, 0);
}

const tk_case tk_rate_cases[] = {
    {"tokens_come_back", tokens_come_back, false},
    {"sixteen_are_promised_and_no_more", sixteen_are_promised_and_no_more, false},
    {"another_rate_returns_no_tokens", another_rate_returns_no_tokens, false},
    {"rates_differ_by_kind_and_name", rates_differ_by_kind_and_name, false},
    {"a_clock_that_is_behind_gets_no_more", a_clock_that_is_behind_gets_no_more, false},
    {"the_greatest_numbers_do_not_overflow", the_greatest_numbers_do_not_overflow, false},
    {NULL, NULL, false},
};
