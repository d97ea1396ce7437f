/* testkit/exchange_cases.c: everything that a session wants at one time. */
#include "cases.h"

#include <stdio.h>
#include <string.h>

enum { MOST = 8 };

/* An exchange with room for its parts, and what its rows were. */
typedef struct tk_exchange {
    wfsm_exchange exchange;
    wfsm_request requests[MOST];
    const wfsm_request *request_list[MOST];
    const wfsm_commit *commits[MOST];
    int32_t request_answers[MOST], commit_answers[MOST], post_answers[MOST];
    wfsm_error *error;
    char rows[512];
    uint64_t posts_wanted; /* 0: all */
    uint64_t posts;
} tk_exchange;

static int32_t note(void *user, const wfsm_row *row)
{
    static const char *const names[] = {"?", "post", "head", "snapshot", "record", "owned"};
    tk_exchange *self = user;
    size_t used = strlen(self->rows);
    int32_t part = row->part > 0 && row->part <= WFSM_ROW_OWNED ? row->part : 0;
    if (part == WFSM_ROW_POST && self->posts_wanted && self->posts++ == self->posts_wanted)
        return WFSM_LIMIT;
    if (row->head)
        snprintf(self->rows + used, sizeof self->rows - used, "%s %s; ", names[part],
                 row->head->instance);
    else if (part == WFSM_ROW_POST)
        snprintf(self->rows + used, sizeof self->rows - used, "post %s; ", row->instance);
    else
        snprintf(self->rows + used, sizeof self->rows - used, "%s %d; ", names[part],
                 (int)row->revision);
    return WFSM_OK;
}

static void begin(tk_exchange *self)
{
    *self = (tk_exchange){.error = wfsm_error_new(NULL)};
    self->exchange = (wfsm_exchange){.size = sizeof self->exchange,
                                     .session = "me",
                                     .now = 50,
                                     .mine = 100,
                                     .until = 100,
                                     .sink = note,
                                     .user = self,
                                     .commits = self->commits,
                                     .requests = self->request_list,
                                     .commit_answers = self->commit_answers,
                                     .request_answers = self->request_answers,
                                     .post_answers = self->post_answers};
}

static void ask(tk_exchange *self, int32_t kind, const char *instance, uint64_t number)
{
    wfsm_request *request = &self->requests[self->exchange.request_count];
    *request = (wfsm_request){
        .size = sizeof *request, .kind = kind, .instance = instance, .number = number};
    self->request_list[self->exchange.request_count++] = request;
}

static void add(tk_exchange *self, const wfsm_commit *commit)
{
    self->commits[self->exchange.commit_count++] = commit;
}

static void exchange(tk_suite *suite, tk_exchange *self)
{
    suite->no_memory |= !self->error;
    self->rows[0] = '\0';
    self->posts = 0;
    tk_status(suite, "an exchange", WFSM_OK,
              wfsm_store_exchange(suite->store, &self->exchange, self->error));
}

static void end(tk_exchange *self)
{
    wfsm_error_free(self->error);
}

static void answers(tk_suite *suite, const char *what, const char *wanted, const int32_t *got,
                    size_t count)
{
    char text[256] = "";
    for (size_t i = 0; i < count; i++) {
        size_t used = strlen(text);
        snprintf(text + used, sizeof text - used, "%s%s", i ? " " : "",
                 wfsm_status_name(got[i]));
    }
    tk_string(suite, what, wanted, text);
}

static void heads(tk_suite *suite, const char *instance, uint64_t revision, const char *owner,
                  uint64_t acknowledged)
{
    tk_head head = tk_head_of(suite, instance);
    tk_number(suite, "head.revision after an exchange", revision, head.revision);
    tk_string(suite, "head.owner after an exchange", owner, head.owner);
    tk_number(suite, "head.acknowledged after an exchange", acknowledged, head.acknowledged);
}

static void start(tk_suite *suite, const char *instance, const char *owner)
{
    wfsm_commit commit = tk_commit_of(instance, 0);
    commit.snapshot = "{}";
    commit.snapshot_length = 2;
    commit.owner = owner;
    commit.effects = 3;
    tk_commit(suite, "a start", suite->store, &commit, WFSM_OK);
}

static void start_three(tk_suite *suite)
{
    start(suite, "mine", "me");
    start(suite, "free", "");
    start(suite, "other", "you");
    tk_status(suite, "a claim", WFSM_OK, wfsm_store_claim(suite->store, "me", 0, 1, 100, NULL));
    tk_status(suite, "a claim", WFSM_OK,
              wfsm_store_claim(suite->store, "you", 0, 1, 100, NULL));
}

static void post(tk_suite *suite, const char *instance)
{
    tk_status(suite, "a post", WFSM_OK,
              wfsm_store_post(suite->store, instance, "go", NULL, NULL, 0, 1, NULL));
}

static wfsm_commit next(const char *instance, const char *owner, uint64_t base)
{
    wfsm_commit commit = tk_commit_of(instance, base);
    commit.owner = owner;
    commit.effects = 3;
    return commit;
}

static void an_exchange_does_everything(tk_suite *suite)
{
    const wfsm_post letter = {.size = sizeof letter,
                              .instance = "new",
                              .id = "p",
                              .name = "e",
                              .data = "1",
                              .length = 1,
                              .interface = WFSM_INTERFACE_POST};
    const wfsm_post *posts[] = {&letter, &letter};
    /* The heads of its instances may follow: it does not say what it knows. */
    const char *const rows = "head free; snapshot 1; head other; post new; ";
    wfsm_commit one = next("mine", "me", 1), two = next("mine", "me", 2);
    wfsm_commit new = next("new", "me", 0), late = next("free", "me", 7);
    tk_exchange self;
    start_three(suite);
    begin(&self);
    two.acknowledged = 2;
    two.gives_up = 1;
    two.status = WFSM_DONE;
    add(&self, &late);
    add(&self, &one);
    add(&self, &two);
    add(&self, &new);
    ask(&self, WFSM_REQUEST_TAKE, "free", 0);
    ask(&self, WFSM_REQUEST_TAKE, "other", 0);
    ask(&self, WFSM_REQUEST_LOOK, "other", 0);
    ask(&self, WFSM_REQUEST_LOOK, "nothing", 0);
    self.exchange.posts = posts;
    self.exchange.post_count = 2;
    self.exchange.until = 150;
    self.exchange.inbox = 1;
    exchange(suite, &self);
    tk_status(suite, "the lease of an exchange", WFSM_OK, self.exchange.lease);
    answers(suite, "answers to commits", "CONFLICT OK OK OK", self.commit_answers, 4);
    answers(suite, "answers to requests", "OK DENIED OK NOT_FOUND", self.request_answers, 4);
    answers(suite, "answers to posts", "OK EXISTS", self.post_answers, 2);
    tk_holds(suite, !strncmp(self.rows, rows, strlen(rows)),
             "rows of an exchange: expected \"%s\", got \"%s\"", rows, self.rows);
    tk_said(suite, "an exchange", self.error, WFSM_DENIED,
            (const char *[]){"other", "you", "100", NULL});
    end(&self);
    heads(suite, "mine", 3, "", 2);
    heads(suite, "free", 1, "me", 0);
    heads(suite, "other", 1, "you", 0);
    heads(suite, "new", 1, "me", 0);
    tk_status(suite, "renewing what an exchange has written", WFSM_OK,
              wfsm_store_claim(suite->store, "me", 150, 60, 200, NULL));
}

static void without_its_lease_an_exchange_does_nothing(tk_suite *suite)
{
    wfsm_commit one = next("mine", "me", 1);
    tk_exchange self;
    start_three(suite);
    begin(&self);
    add(&self, &one);
    ask(&self, WFSM_REQUEST_LOOK, "mine", 0);
    self.exchange.mine = 99;
    self.exchange.until = 150;
    exchange(suite, &self);
    tk_status(suite, "a lease that another process has", WFSM_DENIED, self.exchange.lease);
    answers(suite, "answers without a lease", "DENIED", self.commit_answers, 1);
    answers(suite, "answers without a lease", "DENIED", self.request_answers, 1);
    tk_string(suite, "rows without a lease", "", self.rows);
    tk_said(suite, "an exchange without its lease", self.error, WFSM_DENIED,
            (const char *[]){"me", "100", NULL});
    end(&self);
    heads(suite, "mine", 1, "me", 0);
}

static void an_exchange_gives_up(tk_suite *suite)
{
    tk_exchange self;
    start_three(suite);
    start(suite, "kept", "me");
    post(suite, "kept");
    begin(&self);
    ask(&self, WFSM_REQUEST_ACKNOWLEDGE, "mine", 2);
    ask(&self, WFSM_REQUEST_ACKNOWLEDGE, "kept", 3);
    ask(&self, WFSM_REQUEST_ACKNOWLEDGE, "free", 9);
    ask(&self, WFSM_REQUEST_GIVE_UP, "other", 0);
    ask(&self, WFSM_REQUEST_GIVE_UP, "free", 0);
    self.requests[0].gives_up = self.requests[1].gives_up = 1;
    exchange(suite, &self);
    answers(suite, "answers to requests", "OK OK NOT_FOUND DENIED OK", self.request_answers, 5);
    tk_said(suite, "an exchange", self.error, WFSM_NOT_FOUND, (const char *[]){"free", NULL});
    end(&self);
    heads(suite, "mine", 1, "", 2);
    heads(suite, "kept", 1, "me", 3);
    heads(suite, "free", 1, "", 0);
    heads(suite, "other", 1, "you", 0);
}

/* Unlike taking, loading asks nobody and writes nothing. */
static void an_exchange_loads(tk_suite *suite)
{
    tk_exchange self;
    start_three(suite);
    for (uint64_t base = 1; base < 4; base++) {
        wfsm_commit commit = next("other", "you", base);
        commit.snapshot = base == 2 ? "{\"s\":3}" : NULL;
        commit.snapshot_length = base == 2 ? 7 : 0;
        tk_commit(suite, "a commit", suite->store, &commit, WFSM_OK);
    }
    begin(&self);
    ask(&self, WFSM_REQUEST_LOAD, "nothing", 0);
    ask(&self, WFSM_REQUEST_LOAD, "other", 0);
    self.exchange.session = NULL;
    self.exchange.mine = self.exchange.until = 0;
    exchange(suite, &self);
    answers(suite, "answers to loads", "NOT_FOUND OK", self.request_answers, 2);
    tk_string(suite, "rows of a load", "head other; snapshot 3; record 4; ", self.rows);
    end(&self);
    heads(suite, "other", 4, "you", 0);
}

static void the_sink_of_an_exchange_ends_the_posts(tk_suite *suite)
{
    tk_exchange self;
    start_three(suite);
    for (int i = 0; i < 3; i++)
        post(suite, "mine");
    begin(&self);
    self.exchange.inbox = 1;
    self.posts_wanted = 2;
    exchange(suite, &self);
    tk_number(suite, "more posts", 1, (uint64_t)self.exchange.more);
    tk_holds(suite,
             !strncmp(self.rows, "post mine; post mine; ", 22) &&
                 !strstr(self.rows + 22, "post"),
             "an exchange whose sink has taken two posts: its rows are %s", self.rows);
    self.posts_wanted = 3;
    exchange(suite, &self);
    tk_number(suite, "more posts", 0, (uint64_t)self.exchange.more);
    end(&self);
}

/* Their heads come only if something has changed since the exchange that is named. */
static void an_exchange_lists_after_a_change(tk_suite *suite)
{
    tk_exchange self;
    start_three(suite);
    begin(&self);
    self.exchange.inbox = 1;
    exchange(suite, &self);
    self.exchange.known = self.exchange.changes;
    exchange(suite, &self);
    tk_string(suite, "rows when nothing has changed", "", self.rows);
    self.exchange.known++;
    exchange(suite, &self);
    tk_string(suite, "rows when something has changed", "owned mine; ", self.rows);
    end(&self);
}

/* Somebody has removed one of two instances. */
static void one_that_is_gone_hinders_no_other(tk_suite *suite)
{
    wfsm_commit gone = next("gone", "me", 1), one = next("mine", "me", 1);
    tk_exchange self;
    start_three(suite);
    begin(&self);
    gone.acknowledged = one.acknowledged = 2;
    add(&self, &gone);
    add(&self, &one);
    exchange(suite, &self);
    answers(suite, "answers to commits", "NOT_FOUND OK", self.commit_answers, 2);
    end(&self);
    heads(suite, "mine", 2, "me", 2);
}

static void refused(tk_suite *suite, const char *what, int32_t status, int32_t answer,
                    const char *word, const char *second)
{
    tk_status(suite, what, answer, status);
    tk_said(suite, what, suite->error, answer, (const char *[]){word, second, NULL});
}

static void refuse_commit(tk_suite *suite, const char *what, const wfsm_commit *commit,
                          int32_t answer)
{
    int32_t got = WFSM_OK;
    wfsm_store_commit(suite->store, &commit, 1, &got, suite->error);
    refused(suite, what, got, answer, commit->instance, NULL);
}

/* A reader of the message knows what to look for. */
static void a_refusal_names_what_it_is_about(tk_suite *suite)
{
    wfsm_store *store = suite->store;
    wfsm_error *error = suite->error;
    wfsm_commit known = next("mine", "me", 1), stale = next("mine", "me", 7);
    wfsm_commit again = next("other", "", 0), nowhere = next("nowhere", "", 1);
    wfsm_commit consumes = next("mine", "me", 2), checkpoint = next("mine", "me", 2);
    wfsm_commit theirs = next("mine", "somebody", 2);
    start_three(suite);
    known.event_id = "event-1";
    tk_commit(suite, "a commit", store, &known, WFSM_OK);
    known.base = 2;
    consumes.inbox = 4711;
    checkpoint.checkpoint_deleted = "checkpoint-1";
    refuse_commit(suite, "a commit with a known event id", &known, WFSM_EXISTS);
    refuse_commit(suite, "a stale commit", &stale, WFSM_CONFLICT);
    refuse_commit(suite, "a commit of another owner", &theirs, WFSM_CONFLICT);
    refuse_commit(suite, "a start of an instance that is there", &again, WFSM_EXISTS);
    refuse_commit(suite, "a commit to an unknown instance", &nowhere, WFSM_NOT_FOUND);
    refuse_commit(suite, "a commit of an unknown post", &consumes, WFSM_NOT_FOUND);
    refuse_commit(suite, "deleting an unknown checkpoint", &checkpoint, WFSM_NOT_FOUND);
    refused(suite, "a post with a known event id",
            wfsm_store_post(store, "mine", "go", "event-1", NULL, 0, 1, error), WFSM_EXISTS,
            "mine", "event-1");
    refused(suite, "a post to an unknown instance",
            wfsm_store_post(store, "nowhere", "go", NULL, NULL, 0, 1, error), WFSM_NOT_FOUND,
            "nowhere", NULL);
    refused(suite, "an unknown effect", wfsm_store_acknowledge(store, "mine", 77, error),
            WFSM_NOT_FOUND, "mine", NULL);
    refused(suite, "taking an instance whose owner is alive",
            wfsm_store_own(store, "other", "me", 50, error), WFSM_DENIED, "other", "you");
    refused(suite, "giving up an instance of another owner",
            wfsm_store_disown(store, "other", "me", error), WFSM_DENIED, "other", NULL);
    refused(suite, "claiming a session that is alive",
            wfsm_store_claim(store, "you", 0, 50, 150, error), WFSM_DENIED, "you", "100");
}

/* ---- while others write ---- */

typedef struct moment {
    wfsm_store *other;
    uint64_t head, snapshot, last;
} moment;

/* Another handle commits, with a new snapshot, after the head was passed on. */
static int32_t write_between(void *user, const wfsm_row *row)
{
    moment *self = user;
    wfsm_commit commit = tk_commit_of("a", 1);
    const wfsm_commit *list[] = {&commit};
    int32_t answer;
    if (row->part == WFSM_ROW_HEAD) {
        self->head = row->head->revision;
        commit.snapshot = "{\"s\":2}";
        commit.snapshot_length = 7;
        wfsm_store_commit(self->other, list, 1, &answer, NULL);
    } else {
        self->last = row->revision;
    }
    return WFSM_OK;
}

static void a_load_is_of_one_moment(tk_suite *suite)
{
    moment seen = {.other = tk_open(suite, 0)};
    tk_exchange self;
    start(suite, "a", "");
    begin(&self);
    ask(&self, WFSM_REQUEST_LOAD, "a", 0);
    self.exchange.session = NULL;
    self.exchange.mine = self.exchange.until = 0;
    self.exchange.sink = write_between;
    self.exchange.user = &seen;
    wfsm_store_exchange(suite->store, &self.exchange, self.error);
    if (self.request_answers[0] != WFSM_STORE_FAILED) /* which says that it has changed */
        tk_holds(
            suite, self.request_answers[0] == WFSM_OK && seen.last == seen.head,
            "a load while another handle commits: the answer is %s, the head is of revision "
            "%d, and what follows it of revision %d",
            wfsm_status_name(self.request_answers[0]), (int)seen.head, (int)seen.last);
    end(&self);
    wfsm_store_free(seen.other);
}

const tk_case tk_exchange_cases[] = {
    {"an_exchange_does_everything", an_exchange_does_everything, false},
    {"without_its_lease_an_exchange_does_nothing", without_its_lease_an_exchange_does_nothing,
     false},
    {"an_exchange_gives_up", an_exchange_gives_up, false},
    {"an_exchange_loads", an_exchange_loads, false},
    {"the_sink_of_an_exchange_ends_the_posts", the_sink_of_an_exchange_ends_the_posts, false},
    {"an_exchange_lists_after_a_change", an_exchange_lists_after_a_change, false},
    {"one_that_is_gone_hinders_no_other", one_that_is_gone_hinders_no_other, false},
    {"a_refusal_names_what_it_is_about", a_refusal_names_what_it_is_about, false},
    {"a_load_is_of_one_moment", a_load_is_of_one_moment, true},
    {NULL, NULL, false},
};
