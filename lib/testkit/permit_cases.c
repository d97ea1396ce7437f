/* testkit/permit_cases.c: limits that sessions share. */
#include "cases.h"

#include <wfsm/pool.h>

enum { SESSIONS = 3 };

static const char *const sessions[SESSIONS] = {"one", "two", "three"};

int32_t tk_permit(wfsm_store *store, const char *session, int64_t now, wfsm_permit *permit)
{
    wfsm_exchange exchange = {.size = sizeof exchange,
                              .session = session,
                              .now = now,
                              .permits = &permit,
                              .permit_count = 1};
    int32_t status = wfsm_store_exchange(store, &exchange, NULL);
    return status == WFSM_OK ? exchange.lease : status;
}

static void alive(tk_suite *suite, const char *session, int64_t until)
{
    tk_status(suite, "a sign of life", WFSM_OK,
              wfsm_store_owner_alive(suite->store, session, until, NULL));
}

static wfsm_permit limit_of(const char *name, int32_t kind, uint32_t most)
{
    return (wfsm_permit){.size = sizeof(wfsm_permit), .name = name, .kind = kind, .most = most};
}

/* Of the limit "x" of 4: a session uses some, wants so many, and is granted so many. */
static void granted(tk_suite *suite, const char *what, const char *session, int64_t now,
                    uint32_t working, uint32_t wanted, uint32_t expected)
{
    wfsm_permit permit = limit_of("x", WFSM_POOL_GROUP, 4);
    permit.working = working;
    permit.wanted = wanted;
    tk_status(suite, what, WFSM_OK, tk_permit(suite->store, session, now, &permit));
    tk_holds(suite, permit.granted == expected, "%s: %s was granted %u, %u was expected", what,
             session, permit.granted, expected);
}

static void permits_are_granted_up_to_the_limit(tk_suite *suite)
{
    alive(suite, "one", 1000);
    alive(suite, "two", 1000);
    granted(suite, "alone", "one", 1, 0, 9, 4);
    granted(suite, "all are used", "two", 1, 0, 1, 0);
    granted(suite, "some are given back", "one", 2, 3, 3, 3);
    granted(suite, "one is free", "two", 3, 0, 1, 1);
    granted(suite, "all are given back", "one", 4, 0, 0, 0);
    granted(suite, "those of the other count", "one", 5, 0, 9, 3);
}

static void who_waits_is_seen(tk_suite *suite)
{
    wfsm_permit permit = limit_of("x", WFSM_POOL_GROUP, 4);
    alive(suite, "one", 1000);
    alive(suite, "two", 1000);
    granted(suite, "alone", "one", 1, 0, 4, 4);
    granted(suite, "the other waits", "two", 2, 0, 2, 0);
    permit.working = 1;
    permit.wanted = 4;
    tk_status(suite, "asking again", WFSM_OK, tk_permit(suite->store, "one", 3, &permit));
    tk_holds(suite, permit.contended == 1, "that another session waits is not told");
    tk_holds(suite, permit.granted == 2, "a session with another behind it was granted %u of 4",
             permit.granted);
    granted(suite, "its share", "two", 4, 0, 2, 2);
}

/* What is at work is not taken away, though others wait. */
static void what_is_used_stays(tk_suite *suite)
{
    alive(suite, "one", 1000);
    alive(suite, "two", 1000);
    granted(suite, "alone", "one", 1, 0, 4, 4);
    granted(suite, "the other waits", "two", 2, 0, 4, 0);
    granted(suite, "all are used", "one", 3, 4, 4, 4);
    granted(suite, "the other still waits", "two", 4, 0, 4, 0);
}

static void permits_lapse_with_the_session(tk_suite *suite)
{
    alive(suite, "one", 100);
    alive(suite, "two", 1000);
    granted(suite, "alone", "one", 1, 0, 4, 4);
    granted(suite, "before the lapse", "two", 99, 0, 4, 0);
    granted(suite, "after the lapse", "two", 100, 0, 4, 4);
    alive(suite, "two", 0);
    alive(suite, "three", 1000);
    granted(suite, "after the end of the session", "three", 101, 0, 4, 4);
}

/* Others may have its permits. Nothing is written: the post of the exchange is not there. */
static void a_lapsed_session_cannot_count_on_permits(tk_suite *suite)
{
    wfsm_permit permit = limit_of("x", WFSM_POOL_GROUP, 4), *permits = &permit;
    const wfsm_post post = {.size = sizeof post,
                            .instance = "a",
                            .id = "p",
                            .name = "GO",
                            .data = "null",
                            .length = 4,
                            .now = 1,
                            .interface = WFSM_INTERFACE_POST};
    const wfsm_post *posts = &post;
    int32_t answer = WFSM_OK, seen = 1;
    wfsm_exchange exchange = {.size = sizeof exchange,
                              .session = "one",
                              .now = 100,
                              .posts = &posts,
                              .post_count = 1,
                              .post_answers = &answer,
                              .permits = &permits,
                              .permit_count = 1};
    tk_start(suite, suite->store, "a", 1);
    alive(suite, "one", 100);
    granted(suite, "while it is alive", "one", 99, 0, 2, 2);
    permit.wanted = permit.held = 2;
    tk_status(suite, "counting on permits after the lapse", WFSM_STORE_FAILED,
              wfsm_store_exchange(suite->store, &exchange, NULL));
    tk_status(suite, "its post", WFSM_STORE_FAILED, answer);
    tk_status(suite, "looking for its post", WFSM_OK,
              wfsm_store_seen(suite->store, "a", "p", &seen, NULL));
    tk_holds(suite, seen == 0, "the post of an exchange that failed was stored");
}

static void limits_differ_by_kind_and_name(tk_suite *suite)
{
    wfsm_permit other = limit_of("x", WFSM_POOL_AGENT, 4);
    wfsm_permit quoted = limit_of("x' \xc3\xa4", WFSM_POOL_GROUP, 4);
    alive(suite, "one", 1000);
    alive(suite, "two", 1000);
    other.wanted = quoted.wanted = 4;
    granted(suite, "alone", "one", 1, 0, 4, 4);
    tk_status(suite, "another kind", WFSM_OK, tk_permit(suite->store, "two", 1, &other));
    tk_status(suite, "another name", WFSM_OK, tk_permit(suite->store, "two", 1, &quoted));
    tk_holds(suite, other.granted == 4, "a limit of another kind granted %u of 4",
             other.granted);
    tk_holds(suite, quoted.granted == 4, "a limit of another name granted %u of 4",
             quoted.granted);
}

/* A small generator: each run asks the same. */
static uint32_t draw(uint32_t *state, uint32_t below)
{
    *state = *state * 1664525u + 1013904223u;
    return (*state >> 16) % below;
}

/* Sessions ask, use what they have, lapse and come back, in any order. */
static void the_sum_never_exceeds_the_limit(tk_suite *suite)
{
    uint32_t has[SESSIONS] = {0}, state = 1;
    int64_t until[SESSIONS] = {0};
    for (int64_t now = 1; now < 400; now++) {
        uint32_t who = draw(&state, SESSIONS), sum = 0;
        wfsm_permit permit = limit_of("x", WFSM_POOL_GROUP, 4);
        if (until[who] <= now) {
            has[who] = 0;
            alive(suite, sessions[who], until[who] = now + 1 + draw(&state, 20));
        }
        permit.working = draw(&state, has[who] + 1);
        permit.wanted = permit.working + draw(&state, 5);
        permit.held = permit.wanted < has[who] ? permit.wanted : has[who];
        tk_status(suite, "asking", WFSM_OK,
                  tk_permit(suite->store, sessions[who], now, &permit));
        tk_holds(suite, permit.granted >= permit.working && permit.granted <= permit.wanted,
                 "%u permits were granted to a session that uses %u and wants %u",
                 permit.granted, permit.working, permit.wanted);
        has[who] = permit.granted;
        for (int i = 0; i < SESSIONS; i++)
            sum += until[i] > now ? has[i] : 0;
        tk_holds(suite, sum <= 4, "sessions have %u permits of a limit of 4", sum);
    }
}

const tk_case tk_permit_cases[] = {
    {"permits_are_granted_up_to_the_limit", permits_are_granted_up_to_the_limit, false},
    {"who_waits_is_seen", who_waits_is_seen, false},
    {"what_is_used_stays", what_is_used_stays, false},
    {"permits_lapse_with_the_session", permits_lapse_with_the_session, false},
    {"a_lapsed_session_cannot_count_on_permits", a_lapsed_session_cannot_count_on_permits,
     false},
    {"limits_differ_by_kind_and_name", limits_differ_by_kind_and_name, false},
    {"the_sum_never_exceeds_the_limit", the_sum_never_exceeds_the_limit, false},
    {NULL, NULL, false},
};
