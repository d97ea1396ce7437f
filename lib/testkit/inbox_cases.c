/* testkit/inbox_cases.c: posts are durable, unique, and consumed by the commit that takes
 * them. */
#include "cases.h"

static const char data[] = "{\"x\": [1, \"\xC3\xA9\"]}";

static void post(tk_suite *suite, const char *what, const char *instance, const char *id,
                 int32_t answer)
{
    tk_status(
        suite, what, answer,
        wfsm_store_post(suite->store, instance, "GO.ON", id, data, sizeof data - 1, 50, NULL));
}

static tk_row last_post(tk_suite *suite, const char *instance, uint64_t limit)
{
    tk_row row = {0};
    tk_status(suite, "reading the inbox", WFSM_OK,
              wfsm_store_inbox(suite->store, instance, limit, tk_keep, &row, NULL));
    return row;
}

static void expect_seen(tk_suite *suite, const char *what, const char *id, int32_t wanted)
{
    int32_t seen = 0;
    tk_status(suite, "seen", WFSM_OK, wfsm_store_seen(suite->store, "a", id, &seen, NULL));
    tk_number(suite, what, (uint64_t)wanted, (uint64_t)seen);
}

static void a_post_waits_unaltered(tk_suite *suite)
{
    tk_start(suite, suite->store, "a", 1);
    post(suite, "a post", "a", "p1", WFSM_OK);
    tk_row row = last_post(suite, "a", 0);
    tk_number(suite, "posts of an instance", 1, row.count);
    tk_string(suite, "the instance of a post", "a", row.instance);
    tk_string(suite, "the id of a post", "p1", row.id);
    tk_string(suite, "the name of a post", "GO.ON", row.name);
    tk_string(suite, "the data of a post", data, row.text);
    tk_time(suite, "the time of a post", 50, row.now);
    tk_holds(suite, row.number > 0, "the number of a post: expected 1 or more, got 0");
    tk_status(suite, "a post without id and data", WFSM_OK,
              wfsm_store_post(suite->store, "a", "E", NULL, NULL, 0, 0, NULL));
    row = last_post(suite, "a", 0);
    tk_string(suite, "the data of a post without data", "null", row.text);
    tk_string(suite, "the id of a post without id", "", row.id);
}

static void a_post_has_a_kind_and_an_origin(tk_suite *suite)
{
    wfsm_post given = {.size = sizeof given,
                       .instance = "a",
                       .id = "p1",
                       .now = 50,
                       .kind = WFSM_POST_STOP,
                       .interface = WFSM_INTERFACE_PAGE,
                       .sender = "ada \xC3\xA9"};
    tk_start(suite, suite->store, "a", 1);
    tk_status(suite, "a post of another kind", WFSM_OK,
              wfsm_store_submit(suite->store, &given, NULL));
    tk_row row = last_post(suite, "a", 0);
    tk_string(suite, "the name of a post that is no event", "stop", row.name);
    tk_number(suite, "the kind of a post", WFSM_POST_STOP, (uint64_t)row.kind);
    tk_number(suite, "the interface of a post", WFSM_INTERFACE_PAGE, (uint64_t)row.interface);
    tk_string(suite, "the sender of a post", "ada \xC3\xA9", row.sender);
    post(suite, "a post without an origin", "a", NULL, WFSM_OK);
    row = last_post(suite, "a", 0);
    tk_number(suite, "the kind of an event", WFSM_POST_EVENT, (uint64_t)row.kind);
    tk_number(suite, "the interface of a post", WFSM_INTERFACE_POST, (uint64_t)row.interface);
    tk_string(suite, "the sender of a post that names none", "", row.sender);
}

static void posts_come_oldest_first(tk_suite *suite)
{
    tk_start(suite, suite->store, "a", 1);
    tk_start(suite, suite->store, "b", 1);
    post(suite, "a post", "a", "p1", WFSM_OK);
    post(suite, "a post of the same id for another instance", "b", "p1", WFSM_OK);
    post(suite, "a second post", "a", "p2", WFSM_OK);
    tk_string(suite, "the first post", "p1", last_post(suite, "a", 1).id);
    tk_string(suite, "the last post", "p2", last_post(suite, "a", 0).id);
    tk_number(suite, "posts of an instance", 2, last_post(suite, "a", 0).count);
    tk_number(suite, "posts of all", 3, last_post(suite, NULL, 0).count);
    tk_string(suite, "the second post of all", "b", last_post(suite, NULL, 2).instance);
    tk_holds(suite, last_post(suite, NULL, 2).number < last_post(suite, NULL, 3).number,
             "the numbers of posts do not increase");
}

static void a_post_is_unique_by_its_id(tk_suite *suite)
{
    tk_start(suite, suite->store, "a", 1);
    wfsm_commit commit = tk_commit_of("a", 1);
    commit.event_id = "taken";
    tk_commit(suite, "a commit with an event id", suite->store, &commit, WFSM_OK);
    post(suite, "a post with the id of a record", "a", "taken", WFSM_EXISTS);
    post(suite, "a post", "a", "p1", WFSM_OK);
    tk_text before = tk_dump_of(suite, suite->store);
    post(suite, "a post with the id of a waiting one", "a", "p1", WFSM_EXISTS);
    tk_same(suite, "after a post that was refused", suite->store, &before);
    expect_seen(suite, "seen of a waiting post", "p1", 1);
    post(suite, "a post without id", "a", NULL, WFSM_OK);
    post(suite, "a second post without id", "a", NULL, WFSM_OK);
    tk_number(suite, "posts of an instance", 3, last_post(suite, "a", 0).count);
}

static void a_commit_consumes_its_post(tk_suite *suite)
{
    tk_start(suite, suite->store, "a", 1);
    post(suite, "a post", "a", "p1", WFSM_OK);
    post(suite, "a second post", "a", "p2", WFSM_OK);
    wfsm_commit commit = tk_commit_of("a", 1);
    commit.inbox = last_post(suite, "a", 1).number;
    commit.event_id = "p1";
    tk_commit(suite, "a commit that consumes a post", suite->store, &commit, WFSM_OK);
    tk_number(suite, "posts that wait after that", 1, last_post(suite, "a", 0).count);
    tk_string(suite, "the post that waits after that", "p2", last_post(suite, "a", 0).id);
    post(suite, "a post that was consumed, once more", "a", "p1", WFSM_EXISTS);
    expect_seen(suite, "seen of a post that was consumed", "p1", 1);
}

static void a_post_is_consumed_once(tk_suite *suite)
{
    tk_start(suite, suite->store, "a", 1);
    post(suite, "a post", "a", NULL, WFSM_OK);
    wfsm_commit commit = tk_commit_of("a", 1);
    commit.inbox = last_post(suite, "a", 1).number;
    tk_commit(suite, "a commit that consumes a post", suite->store, &commit, WFSM_OK);
    tk_text before = tk_dump_of(suite, suite->store);
    commit.base = 2;
    tk_commit(suite, "a commit that consumes the post again", suite->store, &commit,
              WFSM_NOT_FOUND);
    tk_same(suite, "after a post that was consumed before", suite->store, &before);
}

static void a_post_is_consumed_by_its_own_instance_only(tk_suite *suite)
{
    tk_start(suite, suite->store, "a", 1);
    tk_start(suite, suite->store, "b", 1);
    post(suite, "a post", "a", "p1", WFSM_OK);
    tk_text before = tk_dump_of(suite, suite->store);
    wfsm_commit commit = tk_commit_of("b", 1);
    commit.inbox = last_post(suite, "a", 1).number;
    tk_commit(suite, "a commit that consumes another instance's post", suite->store, &commit,
              WFSM_NOT_FOUND);
    tk_same(suite, "after a commit of another instance's post", suite->store, &before);
}

static void a_post_that_left_no_record_is_forgotten(tk_suite *suite)
{
    tk_start(suite, suite->store, "a", 1);
    post(suite, "a post", "a", "p1", WFSM_OK);
    wfsm_commit commit = tk_commit_of("a", 1);
    commit.inbox = last_post(suite, "a", 1).number;
    tk_commit(suite, "a commit that consumes a post", suite->store, &commit, WFSM_OK);
    post(suite, "a post whose id no record has", "a", "p1", WFSM_OK);
}

/* An event may be sent under the id of a post that still waits. */
static void the_id_of_a_record_outlives_a_post(tk_suite *suite)
{
    tk_start(suite, suite->store, "a", 1);
    post(suite, "a post", "a", "p1", WFSM_OK);
    wfsm_commit commit = tk_commit_of("a", 1);
    commit.event_id = "p1";
    tk_commit(suite, "a commit with the id of a waiting post", suite->store, &commit, WFSM_OK);
    commit = tk_commit_of("a", 2);
    commit.inbox = last_post(suite, "a", 1).number;
    tk_commit(suite, "a commit that consumes the post", suite->store, &commit, WFSM_OK);
    expect_seen(suite, "seen of a record whose post was consumed", "p1", 1);
}

static void a_refused_commit_leaves_its_post(tk_suite *suite)
{
    tk_start(suite, suite->store, "a", 2);
    post(suite, "a post", "a", "p1", WFSM_OK);
    tk_text before = tk_dump_of(suite, suite->store);
    wfsm_commit commit = tk_commit_of("a", 1);
    commit.inbox = last_post(suite, "a", 1).number;
    tk_commit(suite, "a stale commit that consumes a post", suite->store, &commit,
              WFSM_CONFLICT);
    tk_same(suite, "after a refused commit that consumes a post", suite->store, &before);
}

const tk_case tk_inbox_cases[] = {
    {"a_post_waits_unaltered", a_post_waits_unaltered, false},
    {"a_post_has_a_kind_and_an_origin", a_post_has_a_kind_and_an_origin, false},
    {"posts_come_oldest_first", posts_come_oldest_first, false},
    {"a_post_is_unique_by_its_id", a_post_is_unique_by_its_id, false},
    {"a_commit_consumes_its_post", a_commit_consumes_its_post, false},
    {"a_post_is_consumed_once", a_post_is_consumed_once, false},
    {"a_post_is_consumed_by_its_own_instance_only", a_post_is_consumed_by_its_own_instance_only,
     false},
    {"a_post_that_left_no_record_is_forgotten", a_post_that_left_no_record_is_forgotten, false},
    {"the_id_of_a_record_outlives_a_post", the_id_of_a_record_outlives_a_post, false},
    {"a_refused_commit_leaves_its_post", a_refused_commit_leaves_its_post, false},
    {NULL, NULL, false},
};
