/* testkit/batch_cases.c: several commits in one call. */
#include "cases.h"

enum { MOST = 6 };

/* Commits the list as one batch and checks each answer. */
static void commit_batch(tk_suite *suite, const wfsm_commit *list, const int32_t *wanted,
                         size_t count)
{
    const wfsm_commit *batch[MOST] = {NULL};
    int32_t answers[MOST];
    for (size_t i = 0; i < count; i++)
        batch[i] = &list[i];
    tk_status(suite, "a batch", WFSM_OK,
              wfsm_store_commit(suite->store, batch, count, answers, NULL));
    for (size_t i = 0; i < count; i++)
        tk_holds(suite, answers[i] == wanted[i],
                 "answer %zu of a batch, for revision %d of %s: expected %s, got %s", i + 1,
                 (int)list[i].base + 1, list[i].instance, wfsm_status_name(wanted[i]),
                 wfsm_status_name(answers[i]));
}

static void a_batch_may_hold_revisions_in_a_row(tk_suite *suite)
{
    const wfsm_commit list[] = {tk_commit_of("a", 0), tk_commit_of("a", 1),
                                tk_commit_of("a", 2)};
    const int32_t wanted[] = {WFSM_OK, WFSM_OK, WFSM_OK};
    commit_batch(suite, list, wanted, 3);
    tk_number(suite, "head.revision after three commits", 3, tk_head_of(suite, "a").revision);
}

static void a_refusal_refuses_its_chain_only(tk_suite *suite)
{
    tk_start(suite, suite->store, "a", 1);
    tk_start(suite, suite->store, "b", 1);
    const wfsm_commit list[MOST] = {tk_commit_of("a", 1), tk_commit_of("a", 2),
                                    tk_commit_of("b", 1), tk_commit_of("b", 7),
                                    tk_commit_of("b", 2), tk_commit_of("c", 0)};
    const int32_t wanted[MOST] = {WFSM_OK,       WFSM_OK,       WFSM_CONFLICT,
                                  WFSM_CONFLICT, WFSM_CONFLICT, WFSM_OK};
    commit_batch(suite, list, wanted, MOST);
    tk_number(suite, "head.revision of a", 3, tk_head_of(suite, "a").revision);
    tk_number(suite, "head.revision of b, which was refused", 1,
              tk_head_of(suite, "b").revision);
    tk_number(suite, "head.revision of c", 1, tk_head_of(suite, "c").revision);
}

/* An instance with a post, a checkpoint and the id of an event. Returns the number of the post. */
static uint64_t start_full(tk_suite *suite)
{
    tk_row post = {0};
    wfsm_commit commit = tk_commit_of("a", 0);
    commit.event_id = "taken";
    commit.checkpoint = "kept";
    commit.checkpoint_snapshot = "{}";
    commit.checkpoint_length = 2;
    tk_commit(suite, "a start", suite->store, &commit, WFSM_OK);
    tk_status(suite, "a post", WFSM_OK,
              wfsm_store_post(suite->store, "a", "GO", "p", NULL, 0, 1, NULL));
    tk_status(suite, "reading the inbox", WFSM_OK,
              wfsm_store_inbox(suite->store, "a", 0, tk_keep, &post, NULL));
    return post.number;
}

static void make_chain(wfsm_commit chain[3], uint64_t base, uint64_t post)
{
    for (uint64_t i = 0; i < 3; i++)
        chain[i] = tk_commit_of("a", base + i);
    chain[0].event_id = "e";
    chain[0].inbox = post;
    chain[0].checkpoint = "new";
    chain[0].checkpoint_snapshot = "{}";
    chain[0].checkpoint_length = 2;
    chain[1].checkpoint_deleted = "kept";
    chain[1].fingerprint = chain[2].fingerprint = "f2";
    chain[1].document = "{\"id\":\"two\"}";
    chain[1].document_length = 12;
    chain[2].checkpoint_deleted = "new";
}

static void refuse_chain(tk_suite *suite, const char *what, size_t at,
                         const wfsm_commit chain[3], int32_t answer)
{
    const wfsm_commit *batch[] = {&chain[0], &chain[1], &chain[2]};
    int32_t answers[3];
    tk_text before = tk_dump_of(suite, suite->store);
    tk_status(suite, what, WFSM_OK, wfsm_store_commit(suite->store, batch, 3, answers, NULL));
    for (size_t i = 0; i < 3; i++)
        tk_holds(suite, answers[i] == answer,
                 "answer %zu of a chain whose commit %zu has %s: expected %s, got %s", i + 1,
                 at + 1, what, wfsm_status_name(answer), wfsm_status_name(answers[i]));
    tk_same(suite, what, suite->store, &before);
}

/* What is wrong with one commit of a chain; members that are NULL and 0 change nothing. */
typedef struct fault {
    const char *what;
    size_t from; /* the first commit of the chain that it makes wrong */
    int32_t answer;
    uint64_t skip, post;
    const char *owner, *previous, *event_id, *fingerprint, *deleted;
} fault;

static void spoil(wfsm_commit *commit, const fault *how)
{
    commit->base += how->skip;
    commit->inbox = how->post ? how->post : commit->inbox;
    commit->owner = how->owner ? how->owner : commit->owner;
    commit->previous = how->previous;
    commit->event_id = how->event_id ? how->event_id : commit->event_id;
    if (how->fingerprint) {
        commit->fingerprint = how->fingerprint;
        commit->document = NULL;
    }
    if (how->deleted) {
        commit->checkpoint = NULL;
        commit->checkpoint_deleted = how->deleted;
    }
}

static void a_chain_is_stored_whole_or_not(tk_suite *suite)
{
    uint64_t post = start_full(suite);
    wfsm_commit chain[3];
    const int32_t all[] = {WFSM_OK, WFSM_OK, WFSM_OK};
    const fault faults[] = {
        {"a revision that does not follow", 0, WFSM_CONFLICT, .skip = 5},
        {"another owner", 0, WFSM_CONFLICT, .owner = "you"},
        {"another history", 0, WFSM_CONFLICT, .previous = "another"},
        {"a known event id", 0, WFSM_EXISTS, .event_id = "taken"},
        {"an event id of the chain", 1, WFSM_EXISTS, .event_id = "e"},
        {"an unknown post", 0, WFSM_NOT_FOUND, .post = post + 77},
        {"a post that the chain has consumed", 1, WFSM_NOT_FOUND, .post = post},
        {"a document that nobody brings", 0, WFSM_NOT_FOUND, .fingerprint = "f9"},
        {"an unknown checkpoint", 0, WFSM_NOT_FOUND, .deleted = "none"},
        {"a checkpoint that the chain has deleted", 2, WFSM_NOT_FOUND, .deleted = "kept"},
    };
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
        for (size_t at = faults[i].from; at < 3; at++) {
            make_chain(chain, 1, post);
            spoil(&chain[at], &faults[i]);
            refuse_chain(suite, faults[i].what, at, chain, faults[i].answer);
        }
    make_chain(chain, 1, post);
    commit_batch(suite, chain, all, 3);
    tk_number(suite, "head.revision after a chain", 4, tk_head_of(suite, "a").revision);
}

/* Not even the start of an instance is stored before a refusal. */
static void a_chain_may_begin_with_the_start(tk_suite *suite)
{
    wfsm_commit list[] = {tk_commit_of("a", 0), tk_commit_of("a", 1), tk_commit_of("a", 5),
                          tk_commit_of("b", 0)};
    const int32_t wanted[] = {WFSM_CONFLICT, WFSM_CONFLICT, WFSM_CONFLICT, WFSM_OK};
    const int32_t all[] = {WFSM_OK, WFSM_OK, WFSM_OK};
    wfsm_head head = {.size = sizeof head};
    commit_batch(suite, list, wanted, 4);
    tk_status(suite, "the head of an instance whose chain was refused", WFSM_NOT_FOUND,
              wfsm_store_head(suite->store, "a", &head, NULL));
    list[2] = tk_commit_of("a", 2);
    commit_batch(suite, list, all, 3);
    tk_number(suite, "head.revision of a", 3, tk_head_of(suite, "a").revision);
}

static void a_batch_of_refusals_changes_nothing(tk_suite *suite)
{
    tk_start(suite, suite->store, "a", 1);
    tk_text before = tk_dump_of(suite, suite->store);
    const wfsm_commit list[] = {tk_commit_of("a", 0), tk_commit_of("b", 1)};
    const int32_t wanted[] = {WFSM_EXISTS, WFSM_NOT_FOUND};
    commit_batch(suite, list, wanted, 2);
    tk_same(suite, "after a batch of refusals", suite->store, &before);
    wfsm_commit commit = tk_commit_of("a", 1);
    tk_commit(suite, "a commit after a batch of refusals", suite->store, &commit, WFSM_OK);
}

static void an_event_id_counts_within_its_batch(tk_suite *suite)
{
    wfsm_commit list[] = {tk_commit_of("a", 0), tk_commit_of("a", 1), tk_commit_of("b", 0)};
    const int32_t wanted[] = {WFSM_EXISTS, WFSM_EXISTS, WFSM_OK};
    wfsm_head head = {.size = sizeof head};
    for (int i = 0; i < 3; i++)
        list[i].event_id = "e";
    commit_batch(suite, list, wanted, 3);
    tk_status(suite, "the head of an instance whose chain was refused", WFSM_NOT_FOUND,
              wfsm_store_head(suite->store, "a", &head, NULL));
}

const tk_case tk_batch_cases[] = {
    {"a_batch_may_hold_revisions_in_a_row", a_batch_may_hold_revisions_in_a_row, false},
    {"a_refusal_refuses_its_chain_only", a_refusal_refuses_its_chain_only, false},
    {"a_chain_is_stored_whole_or_not", a_chain_is_stored_whole_or_not, false},
    {"a_chain_may_begin_with_the_start", a_chain_may_begin_with_the_start, false},
    {"a_batch_of_refusals_changes_nothing", a_batch_of_refusals_changes_nothing, false},
    {"an_event_id_counts_within_its_batch", an_event_id_counts_within_its_batch, false},
    {NULL, NULL, false},
};
