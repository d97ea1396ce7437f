/* testkit/owner_cases.c: owners, their lapse, and acknowledged effects. */
#include "cases.h"

#include <stdio.h>
#include <string.h>

static void own(tk_suite *suite, const char *what, const char *owner, int64_t now,
                int32_t answer)
{
    tk_status(suite, what, answer, wfsm_store_own(suite->store, "a", owner, now, NULL));
}

static void give_up(tk_suite *suite, const char *what, const char *owner, int32_t answer)
{
    tk_status(suite, what, answer, wfsm_store_disown(suite->store, "a", owner, NULL));
}

static void alive(tk_suite *suite, const char *owner, int64_t until)
{
    tk_status(suite, "a heartbeat", WFSM_OK,
              wfsm_store_owner_alive(suite->store, owner, until, NULL));
}

static void commit_as(tk_suite *suite, const char *what, const char *owner, int32_t answer)
{
    wfsm_commit commit = tk_commit_of("a", 1);
    commit.owner = owner;
    tk_commit(suite, what, suite->store, &commit, answer);
}

static void an_owner_keeps_what_it_has_while_it_is_alive(tk_suite *suite)
{
    tk_start(suite, suite->store, "a", 1);
    alive(suite, "one", 1000);
    own(suite, "taking an instance without owner", "one", 500, WFSM_OK);
    own(suite, "taking an instance again", "one", 500, WFSM_OK);
    tk_text before = tk_dump_of(suite, suite->store);
    own(suite, "taking an instance whose owner is alive", "two", 999, WFSM_DENIED);
    tk_same(suite, "after a takeover that was denied", suite->store, &before);
    alive(suite, "one", 2000);
    own(suite, "taking an instance after its owner's heartbeat", "two", 1999, WFSM_DENIED);
}

static void an_owner_that_lapsed_is_fenced_off(tk_suite *suite)
{
    tk_start(suite, suite->store, "a", 1);
    alive(suite, "one", 1000);
    own(suite, "taking an instance without owner", "one", 500, WFSM_OK);
    own(suite, "taking an instance whose owner has lapsed", "two", 1000, WFSM_OK);
    tk_text before = tk_dump_of(suite, suite->store);
    commit_as(suite, "a commit of the old owner", "one", WFSM_CONFLICT);
    tk_same(suite, "after a commit of the old owner", suite->store, &before);
    commit_as(suite, "a commit of the new owner", "two", WFSM_OK);
    tk_string(suite, "head.owner", "two", tk_head_of(suite, "a").owner);
}

static void an_owner_without_a_row_is_gone(tk_suite *suite)
{
    tk_start(suite, suite->store, "a", 1);
    own(suite, "taking an instance without owner", "one", 500, WFSM_OK);
    own(suite, "taking an instance whose owner never gave a heartbeat", "two", 500, WFSM_OK);
    alive(suite, "two", 1000);
    own(suite, "taking an instance whose owner is alive", "one", 600, WFSM_DENIED);
    for (int i = 0; i < 2; i++)
        tk_status(suite, "removing an owner", WFSM_OK,
                  wfsm_store_remove_owner(suite->store, "two", NULL));
    own(suite, "taking an instance whose owner was removed", "one", 600, WFSM_OK);
}

static void an_owner_gives_up(tk_suite *suite)
{
    tk_start(suite, suite->store, "a", 1);
    alive(suite, "one", 1000);
    own(suite, "taking an instance without owner", "one", 500, WFSM_OK);
    give_up(suite, "giving up an instance", "one", WFSM_OK);
    tk_string(suite, "head.owner after giving up", "", tk_head_of(suite, "a").owner);
    commit_as(suite, "a commit of an owner that gave up", "one", WFSM_CONFLICT);
    give_up(suite, "giving up again, as if the answer had been lost", "one", WFSM_OK);
    own(suite, "taking an instance that was given up", "two", 500, WFSM_OK);
}

static void only_an_owner_gives_up(tk_suite *suite)
{
    tk_start(suite, suite->store, "a", 1);
    alive(suite, "one", 1000);
    own(suite, "taking an instance without owner", "one", 500, WFSM_OK);
    give_up(suite, "giving up an instance of another owner", "two", WFSM_DENIED);
    own(suite, "taking an instance whose owner has lapsed", "two", 1000, WFSM_OK);
    tk_text before = tk_dump_of(suite, suite->store);
    give_up(suite, "giving up an instance that another has taken over", "one", WFSM_DENIED);
    tk_same(suite, "after the old owner gave up", suite->store, &before);
    commit_as(suite, "a commit of the new owner", "two", WFSM_OK);
}

static void leave(tk_suite *suite, const char *what, uint64_t base, uint64_t post,
                  const char *owner)
{
    wfsm_commit commit = tk_commit_of("a", base);
    commit.owner = "one";
    commit.inbox = post;
    commit.gives_up = 1;
    tk_commit(suite, what, suite->store, &commit, WFSM_OK);
    tk_string(suite, what, owner, tk_head_of(suite, "a").owner);
}

static void a_commit_gives_up(tk_suite *suite)
{
    tk_row row = {0};
    leave(suite, "the owner after a start that gives up", 0, 0, "");
    own(suite, "taking an instance that was given up", "one", 500, WFSM_OK);
    leave(suite, "the owner after a commit that gives up", 1, 0, "");
    own(suite, "taking it again", "one", 500, WFSM_OK);
    tk_status(suite, "a post", WFSM_OK,
              wfsm_store_post(suite->store, "a", "E", "p1", NULL, 0, 50, NULL));
    leave(suite, "the owner after a commit that gives up, while a post waits", 2, 0, "one");
    tk_status(suite, "reading the inbox", WFSM_OK,
              wfsm_store_inbox(suite->store, "a", 0, tk_keep, &row, NULL));
    leave(suite, "the owner after a commit that takes the last post and gives up", 3,
          row.number, "");
}

static void an_owner_owns_by_instance(tk_suite *suite)
{
    tk_start(suite, suite->store, "a", 1);
    tk_start(suite, suite->store, "b", 1);
    own(suite, "taking an instance without owner", "one", 500, WFSM_OK);
    tk_string(suite, "the owner of an instance that was not taken", "",
              tk_head_of(suite, "b").owner);
    wfsm_commit commit = tk_commit_of("b", 1);
    tk_commit(suite, "a commit to it", suite->store, &commit, WFSM_OK);
}

static void claim(tk_suite *suite, const char *what, int64_t mine, int64_t now, int64_t until,
                  int32_t answer)
{
    tk_status(suite, what, answer,
              wfsm_store_claim(suite->store, "one", mine, now, until, NULL));
}

static void a_session_is_one_process(tk_suite *suite)
{
    claim(suite, "claiming a new session", 0, 500, 1000, WFSM_OK);
    claim(suite, "claiming a session that is alive", 0, 999, 2000, WFSM_DENIED);
    claim(suite, "renewing a session", 1000, 600, 1600, WFSM_OK);
    claim(suite, "renewing it by what it said before", 1000, 700, 1700, WFSM_DENIED);
    claim(suite, "ending a session of another process", 1000, 0, 0, WFSM_DENIED);
    claim(suite, "claiming a session that has lapsed", 0, 1600, 2600, WFSM_OK);
    claim(suite, "renewing a session that another process has", 1600, 1700, 2700, WFSM_DENIED);
    claim(suite, "ending a session", 2600, 0, 0, WFSM_OK);
    claim(suite, "claiming a session that has ended", 0, 700, 1700, WFSM_OK);
}

static void acknowledge(tk_suite *suite, const char *what, uint64_t effect, int32_t answer,
                        uint64_t mark)
{
    tk_status(suite, what, answer, wfsm_store_acknowledge(suite->store, "a", effect, NULL));
    tk_number(suite, what, mark, tk_head_of(suite, "a").acknowledged);
}

static void the_mark_of_effects_only_increases(tk_suite *suite)
{
    wfsm_commit commit = tk_commit_of("a", 0);
    commit.effects = 5;
    tk_commit(suite, "a commit with effects", suite->store, &commit, WFSM_OK);
    acknowledge(suite, "the mark after acknowledging", 3, WFSM_OK, 3);
    acknowledge(suite, "the mark after acknowledging an older effect", 2, WFSM_OK, 3);
    acknowledge(suite, "the mark after acknowledging what was never made", 6, WFSM_NOT_FOUND,
                3);
    commit = tk_commit_of("a", 1);
    commit.effects = 5;
    tk_commit(suite, "a commit without new effects", suite->store, &commit, WFSM_OK);
    tk_number(suite, "the mark after a commit", 3, tk_head_of(suite, "a").acknowledged);
}

/* ---- owners that are gone ---- */

typedef struct names {
    char text[256];
} names;

static int32_t note_name(void *user, const wfsm_row *row)
{
    names *self = user;
    size_t used = strlen(self->text);
    snprintf(self->text + used, sizeof self->text - used, "[%s]", row->id);
    return WFSM_OK;
}

static int32_t note_head(void *user, const wfsm_row *row)
{
    const wfsm_row named = {.size = sizeof named, .id = row->head->instance};
    return note_name(user, &named);
}

/* Whether these names, and no others, are passed on, each once. */
static void gone_at(tk_suite *suite, int64_t now, const char *const wanted[])
{
    names found = {""};
    size_t bytes = 0;
    tk_status(suite, "asking whose owner is gone", WFSM_OK,
              wfsm_store_lapsed(suite->store, now, note_name, &found, NULL));
    for (; *wanted; wanted++) {
        tk_holds(suite, strstr(found.text, *wanted) != NULL,
                 "owners that are gone at %d: %s is missing in %s", (int)now, *wanted,
                 found.text);
        bytes += strlen(*wanted);
    }
    tk_holds(suite, strlen(found.text) == bytes, "owners that are gone at %d: too many: %s",
             (int)now, found.text);
}

static void start_owned(tk_suite *suite, const char *id, const char *owner, int32_t status)
{
    wfsm_commit commit = tk_commit_of(id, 0);
    commit.owner = owner;
    commit.status = status;
    tk_commit(suite, "a start", suite->store, &commit, WFSM_OK);
}

static void owners_that_are_gone_are_told(tk_suite *suite)
{
    start_owned(suite, "a", "alive", WFSM_RUNNING);
    start_owned(suite, "b", "late", WFSM_RUNNING);
    start_owned(suite, "c", "late", WFSM_DONE);
    start_owned(suite, "d", "unknown", WFSM_DONE);
    start_owned(suite, "e", "", WFSM_DONE);
    alive(suite, "alive", 1000);
    alive(suite, "late", 500);
    alive(suite, "idle", 100);
    gone_at(suite, 499, (const char *[]){"[unknown]", NULL});
    gone_at(suite, 500, (const char *[]){"[late]", "[unknown]", NULL});
    start_owned(suite, "f", "", WFSM_RUNNING);
    gone_at(suite, 1000, (const char *[]){"[]", "[alive]", "[late]", "[unknown]", NULL});
    tk_status(suite, "removing an instance", WFSM_OK,
              wfsm_store_remove(suite->store, "d", NULL));
    gone_at(suite, 500, (const char *[]){"[]", "[late]", NULL});
    tk_status(suite, "removing an instance", WFSM_OK,
              wfsm_store_remove(suite->store, "f", NULL));
    gone_at(suite, 500, (const char *[]){"[late]", NULL});
}

static void list_undelivered(tk_suite *suite, const char *what, const char *wanted)
{
    const wfsm_query query = {.size = sizeof query, .owner = "", .undelivered = 1};
    names found = {""};
    tk_status(suite, what, WFSM_OK,
              wfsm_store_list(suite->store, &query, note_head, &found, NULL));
    tk_string(suite, what, wanted, found.text);
    gone_at(suite, 500, (const char *[]){*wanted ? "[]" : NULL, NULL});
}

/* Effects of an instance that has ended wait for somebody to deliver them. */
static void what_has_ended_may_owe_effects(tk_suite *suite)
{
    wfsm_commit commit = tk_commit_of("a", 1);
    start_owned(suite, "a", "", WFSM_RUNNING);
    start_owned(suite, "b", "", WFSM_DONE);
    commit.status = WFSM_DONE;
    commit.effects = 2;
    tk_commit(suite, "an end with effects", suite->store, &commit, WFSM_OK);
    list_undelivered(suite, "effects to deliver after the end", "[a]");
    tk_status(suite, "an acknowledgement", WFSM_OK,
              wfsm_store_acknowledge(suite->store, "a", 1, NULL));
    list_undelivered(suite, "effects to deliver after one of two", "[a]");
    tk_status(suite, "an acknowledgement", WFSM_OK,
              wfsm_store_acknowledge(suite->store, "a", 2, NULL));
    list_undelivered(suite, "effects to deliver after both", "");
    commit = tk_commit_of("a", 2);
    commit.status = WFSM_RUNNING;
    commit.effects = 3;
    tk_commit(suite, "an instance that continues", suite->store, &commit, WFSM_OK);
    commit = tk_commit_of("a", 3);
    commit.status = WFSM_DONE;
    commit.effects = 3;
    tk_commit(suite, "a second end", suite->store, &commit, WFSM_OK);
    list_undelivered(suite, "effects to deliver after the second end", "[a]");
    tk_status(suite, "removing an instance", WFSM_OK,
              wfsm_store_remove(suite->store, "a", NULL));
    list_undelivered(suite, "effects to deliver after a removal", "");
}

const tk_case tk_lapsed_cases[] = {
    {"owners_that_are_gone_are_told", owners_that_are_gone_are_told, false},
    {"what_has_ended_may_owe_effects", what_has_ended_may_owe_effects, false},
    {NULL, NULL, false},
};

const tk_case tk_owner_cases[] = {
    {"an_owner_keeps_what_it_has_while_it_is_alive",
     an_owner_keeps_what_it_has_while_it_is_alive, false},
    {"an_owner_that_lapsed_is_fenced_off", an_owner_that_lapsed_is_fenced_off, false},
    {"an_owner_without_a_row_is_gone", an_owner_without_a_row_is_gone, false},
    {"an_owner_gives_up", an_owner_gives_up, false},
    {"only_an_owner_gives_up", only_an_owner_gives_up, false},
    {"a_commit_gives_up", a_commit_gives_up, false},
    {"an_owner_owns_by_instance", an_owner_owns_by_instance, false},
    {"a_session_is_one_process", a_session_is_one_process, false},
    {"the_mark_of_effects_only_increases", the_mark_of_effects_only_increases, false},
    {NULL, NULL, false},
};
