/* testkit/list_cases.c: the list of instances, its filters and its pages. */
#include "cases.h"

#include <stdio.h>
#include <string.h>

typedef struct notes {
    char text[512];
} notes;

static int32_t note_head(void *user, const wfsm_row *row)
{
    notes *seen = user;
    size_t length = strlen(seen->text);
    snprintf(seen->text + length, sizeof seen->text - length, "%s ", row->head->instance);
    return WFSM_OK;
}

static void expect_list(tk_suite *suite, const char *what, wfsm_query query, const char *ids)
{
    notes seen = {""};
    query.size = sizeof query;
    tk_status(suite, what, WFSM_OK,
              wfsm_store_list(suite->store, &query, note_head, &seen, NULL));
    tk_string(suite, what, ids, seen.text);
}

static void start_five(tk_suite *suite)
{
    const struct {
        const char *id, *machine, *owner, *tags;
        int32_t status;
        int64_t deadline;
    } heads[] = {
        {"d", "m1", "", "error", WFSM_RUNNING, 300},
        {"b", "m2", "me", "error terminal", WFSM_RUNNING, WFSM_NEVER},
        {"a", "m1", "me", "", WFSM_DONE, WFSM_NEVER},
        {"e\xC3\xA9", "m1", "you", "errors", WFSM_RUNNING, 100},
        {"c", "m1", "", "x error", WFSM_DONE, 200},
    };
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++) {
        wfsm_commit commit = tk_commit_of(heads[i].id, 0);
        commit.machine = heads[i].machine;
        commit.owner = heads[i].owner;
        commit.tags = heads[i].tags;
        commit.status = heads[i].status;
        commit.deadline = heads[i].deadline;
        tk_commit(suite, "a start", suite->store, &commit, WFSM_OK);
    }
}

static void a_list_holds_what_was_asked_for(tk_suite *suite)
{
    const struct {
        const char *what;
        wfsm_query query;
        const char *ids;
    } cases[] = {
        {"a list without filters", {.limit = 0}, "a b c d e\xC3\xA9 "},
        {"a list by machine", {.machine = "m2"}, "b "},
        {"a list by tag", {.tag = "error"}, "b c d "},
        {"a list by the last tag of several", {.tag = "terminal"}, "b "},
        {"a list by a part of a tag", {.tag = "rror"}, ""},
        {"a list by owner", {.owner = "me"}, "a b "},
        {"a list of instances without owner", {.owner = ""}, "c d "},
        {"a list of what is running", {.status = WFSM_RUNNING}, "b d e\xC3\xA9 "},
        {"a list of what is done", {.status = WFSM_DONE}, "a c "},
        {"a list of what is due", {.due = 200}, "c e\xC3\xA9 "},
        {"a list by several filters and a page",
         {.status = WFSM_RUNNING, .due = 300, .after = "d"},
         "e\xC3\xA9 "},
        {"a list by several filters and a limit",
         {.machine = "m1", .tag = "error", .owner = "", .limit = 1},
         "c "},
        {"a list by an unknown machine", {.machine = "m3"}, ""},
    };
    start_five(suite);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        expect_list(suite, cases[i].what, cases[i].query, cases[i].ids);
}

static void a_page_begins_behind_any_token(tk_suite *suite)
{
    char longest[256];
    memset(longest, 'c', 255);
    longest[255] = '\0';
    start_five(suite);
    expect_list(suite, "the first page", (wfsm_query){.limit = 2}, "a b ");
    expect_list(suite, "the next page", (wfsm_query){.after = "b", .limit = 2}, "c d ");
    expect_list(suite, "a page behind an id that is not there", (wfsm_query){.after = "bb"},
                "c d e\xC3\xA9 ");
    expect_list(suite, "a page behind the longest id", (wfsm_query){.after = longest},
                "d e\xC3\xA9 ");
    expect_list(suite, "a page behind \"\"", (wfsm_query){.after = ""}, "a b c d e\xC3\xA9 ");
    expect_list(suite, "a page behind the last id", (wfsm_query){.after = "e\xC3\xA9"}, "");
    expect_list(suite, "a page behind quotes and wild cards",
                (wfsm_query){.after = "%' OR 1=1 --"}, "a b c d e\xC3\xA9 ");
    wfsm_store_remove(suite->store, "b", NULL);
    expect_list(suite, "a page behind an id that was removed", (wfsm_query){.after = "b"},
                "c d e\xC3\xA9 ");
}

/* 004-295: a project is a prefix of ids. */
static void a_prefix_holds_one_project(tk_suite *suite)
{
    static const char *const ids[] = {
        "shop",   "shop/2", "shop/1", "shop/\xC3\xA9", "shop2/1",           "sho/1",
        "Shop/1", "%/1",    "a_b/1",  "axb/1",         "\xF4\x8F\xBF\xBF/1"};
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++)
        tk_start(suite, suite->store, ids[i], 1);
    expect_list(suite, "a list by prefix", (wfsm_query){.prefix = "shop/"},
                "shop/1 shop/2 shop/\xC3\xA9 ");
    expect_list(suite, "a list by a shorter prefix", (wfsm_query){.prefix = "shop"},
                "shop shop/1 shop/2 shop/\xC3\xA9 shop2/1 ");
    expect_list(suite, "a list by a prefix with a page and a limit",
                (wfsm_query){.prefix = "shop/", .after = "shop/1", .limit = 1}, "shop/2 ");
    expect_list(suite, "a list by a prefix behind its last id",
                (wfsm_query){.prefix = "shop/", .after = "shop2"}, "");
    expect_list(suite, "a list by a prefix that looks like a wild card",
                (wfsm_query){.prefix = "%"}, "%/1 ");
    expect_list(suite, "a list by a prefix with _", (wfsm_query){.prefix = "a_b/"}, "a_b/1 ");
    expect_list(suite, "a list by the last prefix of all",
                (wfsm_query){.prefix = "\xF4\x8F\xBF\xBF"}, "\xF4\x8F\xBF\xBF/1 ");
    expect_list(suite, "a list by an unknown prefix", (wfsm_query){.prefix = "none/"}, "");
    expect_list(suite, "a list by prefix and status",
                (wfsm_query){.prefix = "shop/", .status = WFSM_RUNNING, .limit = 2},
                "shop/1 shop/2 ");
}

static void a_changed_status_is_listed(tk_suite *suite)
{
    tk_start(suite, suite->store, "a", 1);
    tk_start(suite, suite->store, "b", 1);
    wfsm_commit commit = tk_commit_of("a", 1);
    commit.status = WFSM_DONE;
    commit.tags = "terminal";
    tk_commit(suite, "a commit that ends an instance", suite->store, &commit, WFSM_OK);
    expect_list(suite, "what is running", (wfsm_query){.status = WFSM_RUNNING}, "b ");
    expect_list(suite, "what is done", (wfsm_query){.status = WFSM_DONE}, "a ");
    expect_list(suite, "a tag that is new", (wfsm_query){.tag = "terminal"}, "a ");
}

static void commit_deadline(tk_suite *suite, uint64_t base, int64_t deadline)
{
    wfsm_commit commit = tk_commit_of("a", base);
    commit.deadline = deadline;
    tk_commit(suite, "a commit with a deadline", suite->store, &commit, WFSM_OK);
}

static void a_timer_is_not_seen_before_it_is_due(tk_suite *suite)
{
    commit_deadline(suite, 0, 5000);
    tk_start(suite, suite->store, "b", 1);
    expect_list(suite, "what is due before the deadline", (wfsm_query){.due = 4999}, "");
    expect_list(suite, "what is due at the deadline", (wfsm_query){.due = 5000}, "a ");
    expect_list(suite, "what is due later", (wfsm_query){.due = WFSM_NEVER - 1}, "a ");
    commit_deadline(suite, 1, 9000);
    expect_list(suite, "what is due at a deadline that was moved", (wfsm_query){.due = 5000},
                "");
    commit_deadline(suite, 2, WFSM_NEVER);
    expect_list(suite, "what is due without a deadline", (wfsm_query){.due = WFSM_NEVER - 1},
                "");
}

const tk_case tk_list_cases[] = {
    {"a_list_holds_what_was_asked_for", a_list_holds_what_was_asked_for, false},
    {"a_page_begins_behind_any_token", a_page_begins_behind_any_token, false},
    {"a_prefix_holds_one_project", a_prefix_holds_one_project, false},
    {"a_changed_status_is_listed", a_changed_status_is_listed, false},
    {"a_timer_is_not_seen_before_it_is_due", a_timer_is_not_seen_before_it_is_due, false},
    {NULL, NULL, false},
};
