/* testkit/inbox_cases.c: posts are durable, unique, and consumed by the commit that takes
 * them. */
#include "cases.h"

static const char data[] = "{\"x\": [1, \"\xC3\xA9\"]}";

static void post(tk_kit *kit, const char *what, const char *instance, const char *id,
                 int32_t answer)
{
    tk_status(
        kit, what, answer,
        wfsm_store_post(kit->store, instance, "GO.ON", id, data, sizeof data - 1, 50, NULL));
}

static tk_row last_post(tk_kit *kit, const char *instance, uint64_t limit)
{
    tk_row row = {0};
    tk_status(kit, "reading the inbox", WFSM_OK,
              wfsm_store_inbox(kit->store, instance, limit, tk_keep, &row, NULL));
    return row;
}

static void expect_seen(tk_kit *kit, const char *what, const char *id, int32_t wanted)
{
    int32_t seen = 0;
    tk_status(kit, "seen", WFSM_OK, wfsm_store_seen(kit->store, "a", id, &seen, NULL));
    tk_number(kit, what, (uint64_t)wanted, (uint64_t)seen);
}

static void a_post_waits_unaltered(tk_kit *kit)
{
    tk_start(kit, kit->store, "a", 1);
    post(kit, "a post", "a", "p1", WFSM_OK);
    tk_row row = last_post(kit, "a", 0);
    tk_number(kit, "posts of an instance", 1, row.count);
    tk_string(kit, "the instance of a post", "a", row.instance);
    tk_string(kit, "the id of a post", "p1", row.id);
    tk_string(kit, "the name of a post", "GO.ON", row.name);
    tk_string(kit, "the data of a post", data, row.text);
    tk_time(kit, "the time of a post", 50, row.now);
    tk_holds(kit, row.number > 0, "the number of a post: expected 1 or more, got 0");
    tk_status(kit, "a post without id and data", WFSM_OK,
              wfsm_store_post(kit->store, "a", "E", NULL, NULL, 0, 0, NULL));
    row = last_post(kit, "a", 0);
    tk_string(kit, "the data of a post without data", "null", row.text);
    tk_string(kit, "the id of a post without id", "", row.id);
}

static void posts_come_oldest_first(tk_kit *kit)
{
    tk_start(kit, kit->store, "a", 1);
    tk_start(kit, kit->store, "b", 1);
    post(kit, "a post", "a", "p1", WFSM_OK);
    post(kit, "a post of the same id for another instance", "b", "p1", WFSM_OK);
    post(kit, "a second post", "a", "p2", WFSM_OK);
    tk_string(kit, "the first post", "p1", last_post(kit, "a", 1).id);
    tk_string(kit, "the last post", "p2", last_post(kit, "a", 0).id);
    tk_number(kit, "posts of an instance", 2, last_post(kit, "a", 0).count);
    tk_number(kit, "posts of all", 3, last_post(kit, NULL, 0).count);
    tk_string(kit, "the second post of all", "b", last_post(kit, NULL, 2).instance);
    tk_holds(kit, last_post(kit, NULL, 2).number < last_post(kit, NULL, 3).number,
             "the numbers of posts do not rise");
}

static void a_post_is_unique_by_its_id(tk_kit *kit)
{
    tk_start(kit, kit->store, "a", 1);
    wfsm_commit commit = tk_commit_of("a", 1);
    commit.event_id = "taken";
    tk_commit(kit, "a commit with an event id", kit->store, &commit, WFSM_OK);
    post(kit, "a post with the id of a record", "a", "taken", WFSM_EXISTS);
    post(kit, "a post", "a", "p1", WFSM_OK);
    tk_text before = tk_dump_of(kit, kit->store);
    post(kit, "a post with the id of a waiting one", "a", "p1", WFSM_EXISTS);
    tk_same(kit, "after a post that was refused", kit->store, &before);
    expect_seen(kit, "seen of a waiting post", "p1", 1);
    post(kit, "a post without id", "a", NULL, WFSM_OK);
    post(kit, "a second post without id", "a", NULL, WFSM_OK);
    tk_number(kit, "posts of an instance", 3, last_post(kit, "a", 0).count);
}

static void a_commit_consumes_its_post(tk_kit *kit)
{
    tk_start(kit, kit->store, "a", 1);
    post(kit, "a post", "a", "p1", WFSM_OK);
    post(kit, "a second post", "a", "p2", WFSM_OK);
    wfsm_commit commit = tk_commit_of("a", 1);
    commit.inbox = last_post(kit, "a", 1).number;
    commit.event_id = "p1";
    tk_commit(kit, "a commit that consumes a post", kit->store, &commit, WFSM_OK);
    tk_number(kit, "posts that wait after that", 1, last_post(kit, "a", 0).count);
    tk_string(kit, "the post that waits after that", "p2", last_post(kit, "a", 0).id);
    post(kit, "a post that was consumed, once more", "a", "p1", WFSM_EXISTS);
    expect_seen(kit, "seen of a post that was consumed", "p1", 1);
}

static void a_post_is_consumed_once(tk_kit *kit)
{
    tk_start(kit, kit->store, "a", 1);
    post(kit, "a post", "a", NULL, WFSM_OK);
    wfsm_commit commit = tk_commit_of("a", 1);
    commit.inbox = last_post(kit, "a", 1).number;
    tk_commit(kit, "a commit that consumes a post", kit->store, &commit, WFSM_OK);
    tk_text before = tk_dump_of(kit, kit->store);
    commit.base = 2;
    tk_commit(kit, "a commit that consumes the post again", kit->store, &commit,
              WFSM_NOT_FOUND);
    tk_same(kit, "after a post that was consumed before", kit->store, &before);
}

static void a_post_is_consumed_by_its_own_instance_only(tk_kit *kit)
{
    tk_start(kit, kit->store, "a", 1);
    tk_start(kit, kit->store, "b", 1);
    post(kit, "a post", "a", "p1", WFSM_OK);
    tk_text before = tk_dump_of(kit, kit->store);
    wfsm_commit commit = tk_commit_of("b", 1);
    commit.inbox = last_post(kit, "a", 1).number;
    tk_commit(kit, "a commit that consumes another instance's post", kit->store, &commit,
              WFSM_NOT_FOUND);
    tk_same(kit, "after a commit of another instance's post", kit->store, &before);
}

static void a_post_that_left_no_record_is_forgotten(tk_kit *kit)
{
    tk_start(kit, kit->store, "a", 1);
    post(kit, "a post", "a", "p1", WFSM_OK);
    wfsm_commit commit = tk_commit_of("a", 1);
    commit.inbox = last_post(kit, "a", 1).number;
    tk_commit(kit, "a commit that consumes a post", kit->store, &commit, WFSM_OK);
    post(kit, "a post whose id no record has", "a", "p1", WFSM_OK);
}

/* An event may be sent under the id of a post that still waits. */
static void the_id_of_a_record_outlives_a_post(tk_kit *kit)
{
    tk_start(kit, kit->store, "a", 1);
    post(kit, "a post", "a", "p1", WFSM_OK);
    wfsm_commit commit = tk_commit_of("a", 1);
    commit.event_id = "p1";
    tk_commit(kit, "a commit with the id of a waiting post", kit->store, &commit, WFSM_OK);
    commit = tk_commit_of("a", 2);
    commit.inbox = last_post(kit, "a", 1).number;
    tk_commit(kit, "a commit that consumes the post", kit->store, &commit, WFSM_OK);
    expect_seen(kit, "seen of a record whose post was consumed", "p1", 1);
}

static void a_refused_commit_leaves_its_post(tk_kit *kit)
{
    tk_start(kit, kit->store, "a", 2);
    post(kit, "a post", "a", "p1", WFSM_OK);
    tk_text before = tk_dump_of(kit, kit->store);
    wfsm_commit commit = tk_commit_of("a", 1);
    commit.inbox = last_post(kit, "a", 1).number;
    tk_commit(kit, "a stale commit that consumes a post", kit->store, &commit, WFSM_CONFLICT);
    tk_same(kit, "after a refused commit that consumes a post", kit->store, &before);
}

const tk_case tk_inbox_cases[] = {
    {"a_post_waits_unaltered", a_post_waits_unaltered, false},
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
