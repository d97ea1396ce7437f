/* testkit/share_cases.c: sessions that share the instances of a store. */
#include "cases.h"

#include <stdio.h>
#include <string.h>

static void alive(tk_suite *suite, const char *session, int64_t until)
{
    tk_status(suite, "a session is alive", WFSM_OK,
              wfsm_store_owner_alive(suite->store, session, until, NULL));
}

static void start(tk_suite *suite, const char *id, const char *owner, const char *fingerprint,
                  int32_t status)
{
    wfsm_commit commit = tk_commit_of(id, 0);
    commit.owner = owner;
    commit.fingerprint = fingerprint;
    commit.status = status;
    tk_commit(suite, "a start", suite->store, &commit, WFSM_OK);
}

/* Rows as words, "<session:document>" and "(owner:document)". */
typedef struct words {
    char text[1024];
} words;

static int32_t note(void *user, const wfsm_row *row)
{
    words *self = user;
    size_t used = strlen(self->text);
    const char *format = row->part == WFSM_ROW_SERVES ? "<%s:%s>" : "(%s:%s)";
    snprintf(self->text + used, sizeof self->text - used, format, row->id, row->name);
    return WFSM_OK;
}

/* The session serves the documents, a list that ends with NULL. It is told these words, and no others, each
 * once. */
static void told(tk_suite *suite, const char *session, int64_t now,
                 const char *const documents[], const char *const wanted[])
{
    wfsm_sharing asked = {
        .size = sizeof asked, .session = session, .now = now, .fingerprints = documents};
    words found = {""};
    size_t bytes = 0;
    while (documents[asked.count])
        asked.count++;
    tk_status(suite, "asking who serves what", WFSM_OK,
              wfsm_store_share(suite->store, &asked, note, &found, NULL));
    for (; *wanted; wanted++) {
        tk_holds(suite, strstr(found.text, *wanted) != NULL, "told to %s: %s is missing in %s",
                 session, *wanted, found.text);
        bytes += strlen(*wanted);
    }
    tk_holds(suite, strlen(found.text) == bytes, "told to %s: too much: %s", session,
             found.text);
}

#define LIST(...)                                                                              \
    (const char *const[])                                                                      \
    {                                                                                          \
        __VA_ARGS__, NULL                                                                      \
    }

static void sessions_know_who_serves_what(tk_suite *suite)
{
    alive(suite, "one", 1000);
    alive(suite, "two", 500);
    start(suite, "a", "one", "f", WFSM_RUNNING);
    start(suite, "b", "one", "g", WFSM_DONE);
    told(suite, "one", 10, LIST("f", "none"), LIST("<one:f>"));
    told(suite, "two", 10, LIST("f", "g"), LIST("<one:f>", "<two:f>", "<two:g>"));
    told(suite, "one", 499, LIST("f", "g"), LIST("<one:f>", "<two:f>", "<one:g>", "<two:g>"));
    told(suite, "one", 499, LIST("g"), LIST("<two:f>", "<one:g>", "<two:g>"));
    told(suite, "two", 499, LIST("f", "g"), LIST("<two:f>", "<one:g>", "<two:g>"));
    told(suite, "one", 500, LIST("g"), LIST("<one:g>"));
    alive(suite, "two", 2000);
    told(suite, "two", 600, LIST("g"), LIST("<one:g>", "<two:g>"));
    told(suite, "three", 600, LIST("g"), LIST("<one:g>", "<two:g>", "<three:g>"));
    told(suite, "two", 600, LIST("g"), LIST("<one:g>", "<two:g>"));
}

static void what_is_free_is_told_by_owner_and_document(tk_suite *suite)
{
    alive(suite, "one", 1000);
    alive(suite, "two", 500);
    start(suite, "a", "", "f", WFSM_RUNNING);
    start(suite, "b", "", "f", WFSM_RUNNING);
    start(suite, "c", "two", "f", WFSM_RUNNING);
    start(suite, "d", "two", "g", WFSM_RUNNING);
    start(suite, "e", "", "h", WFSM_DONE);
    start(suite, "f", "one", "h", WFSM_RUNNING);
    start(suite, "g", "gone", "h", WFSM_RUNNING);
    told(suite, "one", 499, LIST("f"), LIST("<one:f>", "(:f)", "(gone:h)"));
    told(suite, "one", 500, LIST("f"),
         LIST("<one:f>", "(:f)", "(gone:h)", "(two:f)", "(two:g)"));
    tk_status(suite, "taking an instance", WFSM_OK,
              wfsm_store_own(suite->store, "d", "one", 500, NULL));
    told(suite, "one", 500, LIST("f"), LIST("<one:f>", "(:f)", "(gone:h)", "(two:f)"));
}

static int32_t note_head(void *user, const wfsm_row *row)
{
    words *self = user;
    size_t used = strlen(self->text);
    snprintf(self->text + used, sizeof self->text - used, "[%s]", row->head->instance);
    return WFSM_OK;
}

static void listed(tk_suite *suite, const char *what, const wfsm_query *query,
                   const char *wanted)
{
    words found = {""};
    tk_status(suite, what, WFSM_OK,
              wfsm_store_list(suite->store, query, note_head, &found, NULL));
    tk_string(suite, what, wanted, found.text);
}

static void lists_are_of_a_document_and_of_shards(tk_suite *suite)
{
    uint8_t shards[WFSM_SHARDS / 8] = {0};
    wfsm_query query = {.size = sizeof query, .owner = "", .shards = shards};
    uint32_t shard = wfsm_shard("a");
    start(suite, "a", "", "f", WFSM_RUNNING);
    start(suite, "a/0123456789abcdef", "", "f", WFSM_RUNNING);
    start(suite, "b", "", "g", WFSM_RUNNING);
    listed(suite, "the instances of no shard", &query, "");
    shards[shard / 8] = (uint8_t)(1U << shard % 8);
    listed(suite, "the instances of one shard", &query, "[a][a/0123456789abcdef]");
    query.fingerprint = "g";
    listed(suite, "those that are also of another document", &query, "");
    query.shards = NULL;
    listed(suite, "the instances of one document", &query, "[b]");
    memset(shards, 255, sizeof shards);
    query.shards = shards;
    query.fingerprint = NULL;
    listed(suite, "the instances of all shards", &query, "[a][a/0123456789abcdef][b]");
}

const tk_case tk_share_cases[] = {
    {"sessions_know_who_serves_what", sessions_know_who_serves_what, false},
    {"what_is_free_is_told_by_owner_and_document", what_is_free_is_told_by_owner_and_document,
     false},
    {"lists_are_of_a_document_and_of_shards", lists_are_of_a_document_and_of_shards, false},
    {NULL, NULL, false},
};
