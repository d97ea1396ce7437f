/* testkit/since_cases.c: what was committed since an earlier call. A store may pass on more than that. */
#include "cases.h"

#include <stdio.h>
#include <string.h>

/* Heads as words, "[id revision]". */
typedef struct words {
    char text[1024];
} words;

static int32_t note(void *user, const wfsm_row *row)
{
    words *self = user;
    size_t used = strlen(self->text);
    snprintf(self->text + used, sizeof self->text - used, "[%s %d]", row->head->instance,
             (int)row->head->revision);
    return WFSM_OK;
}

static void commit(tk_suite *suite, const char *id, uint64_t base)
{
    wfsm_commit one = tk_commit_of(id, base);
    tk_commit(suite, "a commit", suite->store, &one, WFSM_OK);
}

static void ask(tk_suite *suite, wfsm_since *asked, words *found)
{
    *found = (words){""};
    tk_status(suite, "asking what was committed", WFSM_OK,
              wfsm_store_since(suite->store, asked, note, found, NULL));
    tk_holds(suite, *asked->place != '\0', "a place is the answer");
}

static wfsm_since beginning(tk_suite *suite)
{
    wfsm_since asked = {.size = sizeof asked};
    words found;
    ask(suite, &asked, &found);
    tk_string(suite, "rows without a place", "", found.text);
    tk_number(suite, "without a place nothing is lost", 0, (uint64_t)asked.lost);
    return asked;
}

/* These are told, or all is lost. */
static void told(tk_suite *suite, wfsm_since *asked, const char *wanted)
{
    words found;
    ask(suite, asked, &found);
    tk_holds(suite, asked->lost || strstr(found.text, wanted), "%s is missing in %s", wanted,
             found.text);
}

static void commits_are_told_since_a_place(tk_suite *suite)
{
    wfsm_since early = beginning(suite), late;
    commit(suite, "a", 0);
    commit(suite, "b", 0);
    commit(suite, "b", 1);
    told(suite, &early, "[a 1][b 2]");
    tk_number(suite, "a place of this store", 0, (uint64_t)early.lost);
    late = early;
    commit(suite, "a", 1);
    told(suite, &late, "[a 2]");
    commit(suite, "c", 0);
    told(suite, &late, "[c 1]");
    told(suite, &early, "[a 2]");
    tk_number(suite, "an older place of this store", 0, (uint64_t)early.lost);
}

static void a_place_may_be_lost(tk_suite *suite)
{
    static const char *const places[] = {"x",   "-1",  "7",   "99999999999999999999",
                                         "7-x", "0-0", "1-1", "9223372036854775807-0"};
    commit(suite, "a", 0);
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        wfsm_since asked = {.size = sizeof asked};
        words found;
        snprintf(asked.place, sizeof asked.place, "%s", places[i]);
        ask(suite, &asked, &found);
        tk_number(suite, places[i], 1, (uint64_t)asked.lost);
        tk_string(suite, "rows since no place", "", found.text);
        commit(suite, "a", i + 1);
        told(suite, &asked, "[a ");
    }
}

/* The removed one had the last commit: what comes next may be in its place. */
static void what_follows_a_removal_is_told(tk_suite *suite)
{
    wfsm_since asked;
    commit(suite, "a", 0);
    commit(suite, "b", 0);
    asked = beginning(suite);
    tk_status(suite, "removing an instance", WFSM_OK,
              wfsm_store_remove(suite->store, "b", NULL));
    commit(suite, "c", 0);
    told(suite, &asked, "[c 1]");
    commit(suite, "b", 0);
    told(suite, &asked, "[b 1]");
}

static void a_place_outlives_its_handle(tk_suite *suite)
{
    wfsm_since asked;
    commit(suite, "a", 0);
    asked = beginning(suite);
    commit(suite, "b", 0);
    tk_reopen(suite);
    told(suite, &asked, "[b 1]");
    tk_number(suite, "a place of an earlier handle", 0, (uint64_t)asked.lost);
}

const tk_case tk_since_cases[] = {
    {"commits_are_told_since_a_place", commits_are_told_since_a_place, false},
    {"a_place_may_be_lost", a_place_may_be_lost, false},
    {"what_follows_a_removal_is_told", what_follows_a_removal_is_told, false},
    {"a_place_outlives_its_handle", a_place_outlives_its_handle, true},
    {NULL, NULL, false},
};
