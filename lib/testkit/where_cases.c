/* testkit/where_cases.c: attributes, and the conditions on them. */
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

typedef struct asked {
    const char *what;
    wfsm_condition conditions[2];
    wfsm_query rest;
    const char *ids;
} asked;

static void expect(tk_suite *suite, const asked *one)
{
    notes seen = {""};
    wfsm_condition copies[2];
    const wfsm_condition *where[2];
    wfsm_query query = one->rest;
    query.size = sizeof query;
    query.where = where;
    for (; query.where_count < 2 && one->conditions[query.where_count].name;
         query.where_count++) {
        copies[query.where_count] = one->conditions[query.where_count];
        copies[query.where_count].size = sizeof *copies;
        where[query.where_count] = &copies[query.where_count];
    }
    tk_status(suite, one->what, WFSM_OK,
              wfsm_store_list(suite->store, &query, note_head, &seen, NULL));
    tk_string(suite, one->what, one->ids, seen.text);
}

static void commit_with(tk_suite *suite, const char *id, uint64_t base, const char *attributes)
{
    wfsm_commit commit = tk_commit_of(id, base);
    commit.attributes = attributes;
    tk_commit(suite, "a commit with attributes", suite->store, &commit, WFSM_OK);
}

static void start_all(tk_suite *suite)
{
    static const char *const heads[][2] = {
        {"a", "{\"amount\":1000,\"customer\":\"acme\",\"urgent\":true}"},
        {"b", "{\"amount\":999.5,\"customer\":\"acme\"}"},
        {"c", "{\"amount\":\"1000\",\"customer\":\"\xC3\xA9toile\",\"urgent\":false}"},
        {"d", "{\"amount\":-5,\"customer\":\"acme corp\"}"},
        {"e", "{\"amount\":1e19,\"customer\":\"\"}"},
        {"f", "{}"},
        {"g", NULL},
    };
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++)
        commit_with(suite, heads[i][0], 0, heads[i][1]);
}

#define WHERE(attribute, how, text) {.name = attribute, .comparison = how, .value = text}

static void refuse_name(tk_suite *suite, const char *name)
{
    const wfsm_condition one = {
        .size = sizeof one, .name = name, .comparison = WFSM_EQUAL, .value = "1"};
    const wfsm_condition *const where[] = {&one};
    const wfsm_query query = {.size = sizeof query, .where = where, .where_count = 1};
    notes seen = {""};
    tk_status(suite, "a name that looks like SQL", WFSM_INVALID,
              wfsm_store_list(suite->store, &query, note_head, &seen, NULL));
}

static void instances_are_found_by_attributes(tk_suite *suite)
{
    static const asked cases[] = {
        {"a string", {WHERE("customer", WFSM_EQUAL, "acme")}, {0}, "a b "},
        {"a string of other bytes",
         {WHERE("customer", WFSM_EQUAL, "\xC3\xA9toile")},
         {0},
         "c "},
        {"an empty string", {WHERE("customer", WFSM_EQUAL, "")}, {0}, "e "},
        {"another string", {WHERE("customer", WFSM_NOT_EQUAL, "acme")}, {0}, "c d e "},
        {"strings before", {WHERE("customer", WFSM_LESS, "acme corp")}, {0}, "a b e "},
        {"strings up to",
         {WHERE("customer", WFSM_LESS_OR_EQUAL, "acme corp")},
         {0},
         "a b d e "},
        {"strings behind", {WHERE("customer", WFSM_GREATER, "acme")}, {0}, "c d "},
        {"strings from", {WHERE("customer", WFSM_GREATER_OR_EQUAL, "acme")}, {0}, "a b c d "},
        {"a number, and the same string", {WHERE("amount", WFSM_EQUAL, "1000")}, {0}, "a c "},
        {"a number written otherwise", {WHERE("amount", WFSM_EQUAL, "1e3")}, {0}, "a "},
        {"another number", {WHERE("amount", WFSM_NOT_EQUAL, "1000")}, {0}, "b d e "},
        {"smaller numbers", {WHERE("amount", WFSM_LESS, "1000")}, {0}, "b d "},
        {"numbers up to", {WHERE("amount", WFSM_LESS_OR_EQUAL, "1000")}, {0}, "a b d "},
        {"greater numbers", {WHERE("amount", WFSM_GREATER, "999")}, {0}, "a b e "},
        {"numbers from", {WHERE("amount", WFSM_GREATER_OR_EQUAL, "1e19")}, {0}, "e "},
        {"numbers and a string", {WHERE("amount", WFSM_GREATER, "1")}, {0}, "a b e "},
        {"strings behind one that is no number", {WHERE("amount", WFSM_LESS, "x")}, {0}, "c "},
        {"not a string", {WHERE("amount", WFSM_NOT_EQUAL, "x")}, {0}, "a b c d e "},
        {"true", {WHERE("urgent", WFSM_EQUAL, "true")}, {0}, "a "},
        {"not true", {WHERE("urgent", WFSM_NOT_EQUAL, "true")}, {0}, "c "},
        {"no such attribute", {WHERE("none", WFSM_NOT_EQUAL, "x")}, {0}, ""},
        {"a value that looks like SQL", {WHERE("none", WFSM_EQUAL, "x' OR '1'='1")}, {0}, ""},
        {"two conditions",
         {WHERE("customer", WFSM_EQUAL, "acme"), WHERE("amount", WFSM_LESS, "1000")},
         {0},
         "b "},
        {"a limit", {WHERE("amount", WFSM_GREATER, "-10")}, {.limit = 2}, "a b "},
        {"a page", {WHERE("amount", WFSM_GREATER, "-10")}, {.after = "a", .limit = 2}, "b d "},
        {"another filter", {WHERE("customer", WFSM_EQUAL, "acme")}, {.status = WFSM_DONE}, ""},
    };
    start_all(suite);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        expect(suite, &cases[i]);
    refuse_name(suite, "x' OR '1'='1");
}

static void attributes_are_those_of_the_last_commit(tk_suite *suite)
{
    const asked before = {"an attribute that was", {WHERE("at", WFSM_EQUAL, "1")}, {0}, ""},
                now = {"an attribute that is", {WHERE("at", WFSM_EQUAL, "2")}, {0}, "a "},
                gone = {
                    "an attribute that is gone", {WHERE("gone", WFSM_EQUAL, "true")}, {0}, ""};
    wfsm_head head = {.size = sizeof head};
    commit_with(suite, "a", 0, "{\"at\":1,\"gone\":true}");
    commit_with(suite, "a", 1, "{\"at\":2}");
    expect(suite, &before);
    expect(suite, &now);
    expect(suite, &gone);
    tk_status(suite, "a head with attributes", WFSM_OK,
              wfsm_store_head(suite->store, "a", &head, NULL));
    tk_string(suite, "the attributes of a head", "{\"at\":2}",
              head.attributes ? head.attributes : "");
    commit_with(suite, "a", 2, NULL);
    expect(suite,
           &(asked){"attributes that are gone", {WHERE("at", WFSM_EQUAL, "2")}, {0}, ""});
}

static void a_chain_leaves_the_attributes_of_its_end(tk_suite *suite)
{
    wfsm_commit first = tk_commit_of("a", 0), second = tk_commit_of("a", 1);
    const wfsm_commit *const chain[] = {&first, &second};
    int32_t answers[2] = {WFSM_STORE_UNKNOWN, WFSM_STORE_UNKNOWN};
    first.attributes = "{\"at\":1}";
    second.attributes = "{\"at\":2}";
    tk_status(suite, "a chain with attributes", WFSM_OK,
              wfsm_store_commit(suite->store, chain, 2, answers, NULL));
    expect(suite, &(asked){"the end of a chain", {WHERE("at", WFSM_EQUAL, "2")}, {0}, "a "});
    expect(suite, &(asked){"the beginning of it", {WHERE("at", WFSM_EQUAL, "1")}, {0}, ""});
}

static void what_is_removed_is_not_found(tk_suite *suite)
{
    commit_with(suite, "a", 0, "{\"at\":1}");
    tk_status(suite, "a removal", WFSM_OK, wfsm_store_remove(suite->store, "a", NULL));
    expect(suite, &(asked){"what was removed", {WHERE("at", WFSM_EQUAL, "1")}, {0}, ""});
    commit_with(suite, "a", 0, "{\"at\":2}");
    expect(suite, &(asked){"its successor", {WHERE("at", WFSM_EQUAL, "2")}, {0}, "a "});
}

const tk_case tk_where_cases[] = {
    {"instances_are_found_by_attributes", instances_are_found_by_attributes, false},
    {"attributes_are_those_of_the_last_commit", attributes_are_those_of_the_last_commit, false},
    {"a_chain_leaves_the_attributes_of_its_end", a_chain_leaves_the_attributes_of_its_end,
     false},
    {"what_is_removed_is_not_found", what_is_removed_is_not_found, false},
    {NULL, NULL, false},
};
