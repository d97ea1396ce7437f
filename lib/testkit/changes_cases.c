/* testkit/changes_cases.c: what others have done that concerns a session. */
#include "cases.h"

/* What the store says to session "one". */
static uint64_t look_after(tk_suite *suite, uint64_t after, tk_row *last)
{
    wfsm_changes asked = {.size = sizeof asked, .session = "one", .after = after};
    *last = (tk_row){.count = 0};
    tk_status(suite, "asking what has changed", WFSM_OK,
              wfsm_store_changes(suite->store, &asked, tk_keep, last, NULL));
    return asked.changes;
}

static uint64_t look(tk_suite *suite, tk_row *last)
{
    return look_after(suite, UINT64_MAX >> 1, last);
}

static void claim(tk_suite *suite, int64_t mine, int64_t until)
{
    tk_status(suite, "a heartbeat", WFSM_OK,
              wfsm_store_claim(suite->store, "one", mine, 10, until, NULL));
}

static void start_owned(tk_suite *suite, const char *instance, const char *owner)
{
    wfsm_commit commit = tk_commit_of(instance, 0);
    commit.owner = owner;
    tk_commit(suite, "a start", suite->store, &commit, WFSM_OK);
}

static void start_all(tk_suite *suite)
{
    claim(suite, 0, 1000);
    start_owned(suite, "a", "one");
    start_owned(suite, "b", "one");
    start_owned(suite, "c", "two");
    start_owned(suite, "d", "");
}

static void post(tk_suite *suite, const char *instance)
{
    tk_status(suite, "a post", WFSM_OK,
              wfsm_store_post(suite->store, instance, "go", NULL, NULL, 0, 1, NULL));
}

static void a_session_gets_the_posts_of_its_instances(tk_suite *suite)
{
    tk_row row;
    start_all(suite);
    post(suite, "b");
    post(suite, "c");
    post(suite, "d");
    post(suite, "a");
    look(suite, &row);
    tk_number(suite, "posts for two instances", 2, row.count);
    tk_string(suite, "the instance of the newer post", "a", row.instance);
    tk_status(suite, "taking an instance", WFSM_OK,
              wfsm_store_own(suite->store, "d", "one", 10, NULL));
    look(suite, &row);
    tk_number(suite, "posts after one instance was taken", 3, row.count);
    tk_status(suite, "giving up an instance", WFSM_OK,
              wfsm_store_disown(suite->store, "a", "one", NULL));
    tk_status(suite, "removing an instance", WFSM_OK,
              wfsm_store_remove(suite->store, "b", NULL));
    look(suite, &row);
    tk_number(suite, "posts after one was given up and one removed", 1, row.count);
    tk_string(suite, "the instance of the post that is left", "d", row.instance);
}

static void a_session_gets_newer_posts_of_nobodys_instances(tk_suite *suite)
{
    tk_row row;
    start_all(suite);
    post(suite, "d");
    look_after(suite, 0, &row);
    tk_number(suite, "posts for an instance that nobody owns", 1, row.count);
    uint64_t first = row.number;
    look_after(suite, first, &row);
    tk_number(suite, "posts after that one", 0, row.count);
    post(suite, "c");
    post(suite, "d");
    look_after(suite, first, &row);
    tk_number(suite, "newer posts", 1, row.count);
    tk_string(suite, "the instance of the newer post", "d", row.instance);
}

static void what_a_session_does_itself_is_no_change(tk_suite *suite)
{
    tk_row row;
    start_all(suite);
    uint64_t before = look(suite, &row);
    wfsm_commit commit = tk_commit_of("a", 1), other = tk_commit_of("c", 1);
    commit.owner = "one";
    other.owner = "two";
    tk_commit(suite, "its own commit", suite->store, &commit, WFSM_OK);
    tk_commit(suite, "a commit of another session", suite->store, &other, WFSM_OK);
    claim(suite, 1000, 2000);
    tk_status(suite, "a heartbeat of another session", WFSM_OK,
              wfsm_store_owner_alive(suite->store, "two", 3000, NULL));
    post(suite, "a");
    tk_number(suite, "changes after these", before, look(suite, &row));
}

static void differs(tk_suite *suite, const char *what, uint64_t *before)
{
    tk_row row;
    uint64_t now = look(suite, &row);
    tk_number(suite, what, 1, now != *before);
    *before = now;
}

static void what_others_do_to_its_instances_is_a_change(tk_suite *suite)
{
    tk_row row;
    start_all(suite);
    uint64_t before = look(suite, &row);
    wfsm_commit commit = tk_commit_of("b", 1);
    commit.owner = "one";
    commit.by_hand = 1;
    tk_commit(suite, "a commit by hand", suite->store, &commit, WFSM_OK);
    differs(suite, "changed by a commit that was made by hand", &before);
    tk_status(suite, "taking an instance whose owner has lapsed", WFSM_OK,
              wfsm_store_own(suite->store, "a", "two", 1000, NULL));
    differs(suite, "changed by a takeover", &before);
    tk_status(suite, "removing an instance", WFSM_OK,
              wfsm_store_remove(suite->store, "b", NULL));
    differs(suite, "changed by a removal", &before);
}

const tk_case tk_changes_cases[] = {
    {"a_session_gets_the_posts_of_its_instances", a_session_gets_the_posts_of_its_instances,
     false},
    {"a_session_gets_newer_posts_of_nobodys_instances",
     a_session_gets_newer_posts_of_nobodys_instances, false},
    {"what_a_session_does_itself_is_no_change", what_a_session_does_itself_is_no_change, false},
    {"what_others_do_to_its_instances_is_a_change", what_others_do_to_its_instances_is_a_change,
     false},
    {NULL, NULL, false},
};
