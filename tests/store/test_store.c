/* The line between the library and an author's store: neither believes the other
 * blindly. */
#include "store/fixture.h"
#include "base/sized.h"

#include <string.h>
#include <unity.h>

/* An author's store of which each test sets what it answers. */
typedef struct author {
    wfsm_store_vtable vtable;
    wfsm_store *store;
    wfsm_error *error;
    int closed, calls;
    int32_t answer, status;
    bool answers;
    const wfsm_row *row;
    wfsm_head head;
} author;

static author it;

static int32_t commits(void *self, const wfsm_commit *const *list, size_t count,
                       int32_t *answers, wfsm_error *error)
{
    (void)self, (void)list, (void)error;
    it.calls++;
    for (size_t i = 0; i < count && it.answers; i++)
        answers[i] = it.answer;
    return it.status;
}

static int32_t head(void *self, const char *instance, wfsm_head *out, wfsm_error *error)
{
    (void)self, (void)instance, (void)error;
    it.calls++;
    *out = it.head;
    return it.status;
}

static int32_t hand_out(wfsm_row_sink sink, void *user)
{
    it.calls++;
    return it.row ? sink(user, it.row) : it.status;
}

static int32_t records(void *self, const char *instance, uint64_t from, uint64_t to,
                       wfsm_row_sink sink, void *user, wfsm_error *error)
{
    (void)self, (void)instance, (void)from, (void)to, (void)error;
    return hand_out(sink, user);
}

static int32_t snapshot(void *self, const char *instance, const char *checkpoint,
                        wfsm_row_sink sink, void *user, wfsm_error *error)
{
    (void)self, (void)instance, (void)checkpoint, (void)error;
    return hand_out(sink, user);
}

static int32_t rows(void *self, const char *instance, wfsm_row_sink sink, void *user,
                    wfsm_error *error)
{
    (void)self, (void)instance, (void)error;
    return hand_out(sink, user);
}

static int32_t list(void *self, const wfsm_query *query, wfsm_row_sink sink, void *user,
                    wfsm_error *error)
{
    (void)self, (void)query, (void)error;
    return hand_out(sink, user);
}

static int32_t seen(void *self, const char *instance, const char *event_id, int32_t *answer,
                    wfsm_error *error)
{
    (void)self, (void)instance, (void)event_id, (void)error;
    it.calls++;
    *answer = 1;
    return it.status;
}

static int32_t post(void *self, const wfsm_post *given, wfsm_error *error)
{
    (void)self, (void)given, (void)error;
    it.calls++;
    return it.status;
}

static int32_t inbox(void *self, const char *instance, uint64_t limit, wfsm_row_sink sink,
                     void *user, wfsm_error *error)
{
    (void)self, (void)instance, (void)limit, (void)error;
    return hand_out(sink, user);
}

static int32_t acknowledge(void *self, const char *instance, uint64_t effect, wfsm_error *error)
{
    (void)self, (void)instance, (void)effect, (void)error;
    it.calls++;
    return it.status;
}

static int32_t owner_alive(void *self, const char *owner, int64_t until, wfsm_error *error)
{
    (void)self, (void)owner, (void)until, (void)error;
    it.calls++;
    return it.status;
}

static int32_t claim(void *self, const char *session, int64_t mine, int64_t now, int64_t until,
                     wfsm_error *error)
{
    (void)self, (void)session, (void)mine, (void)now, (void)until, (void)error;
    it.calls++;
    return it.status;
}

static int32_t own(void *self, const char *instance, const char *owner, int64_t now,
                   wfsm_error *error)
{
    (void)self, (void)instance, (void)owner, (void)now, (void)error;
    it.calls++;
    return it.status;
}

static int32_t disown(void *self, const char *instance, const char *owner, wfsm_error *error)
{
    (void)self, (void)instance, (void)owner, (void)error;
    it.calls++;
    return it.status;
}

static int32_t forget(void *self, const char *instance, wfsm_error *error)
{
    (void)self, (void)instance, (void)error;
    it.calls++;
    return it.status;
}

static void close_it(void *self)
{
    (void)self;
    it.closed++;
}

static int32_t cut(void *self, const char *instance, uint64_t revision, const char *text,
                   size_t length, wfsm_error *error)
{
    (void)self, (void)instance, (void)revision, (void)text, (void)length, (void)error;
    it.calls++;
    return it.status;
}

static int viewed;

static int32_t view(void *self, int32_t open, wfsm_error *error)
{
    (void)self;
    (void)error;
    viewed += open ? 1 : -1;
    return WFSM_OK;
}

void setUp(void)
{
    it = (author){.answers = true};
    it.vtable = (wfsm_store_vtable){
        sizeof it.vtable,
        commits,
        head,
        records,
        snapshot,
        rows,
        list,
        rows,
        seen,
        post,
        inbox,
        acknowledge,
        owner_alive,
        claim,
        own,
        disown,
        forget,
        close_it,
        cut,
        rows,
        NULL,
        NULL,
        NULL,
        NULL,
        NULL,
        NULL,
        NULL,
        NULL,
        NULL,
        0,
        NULL,
    };
    it.head = (wfsm_head){
        sizeof it.head, "a", "m", "f", "", "t", "", 1, 0, 0, 0, 1, 1, 1, 1, 0, NULL};
    it.error = wfsm_error_new(NULL);
    TEST_ASSERT_EQUAL_INT32(WFSM_OK,
                            wfsm_store_new(&it.store, &it.vtable, NULL, NULL, it.error));
}

void tearDown(void)
{
    wfsm_store_free(it.store);
    wfsm_error_free(it.error);
}

/* One that has no view is read as it is. */
static void a_view_is_asked_of_those_that_have_one(void)
{
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wf_store_view(it.store, true, it.error));
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wf_store_view(it.store, false, it.error));
    wfsm_store_free(it.store);
    it.vtable.view = view;
    TEST_ASSERT_EQUAL_INT32(WFSM_OK,
                            wfsm_store_new(&it.store, &it.vtable, NULL, NULL, it.error));
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wf_store_view(it.store, true, it.error));
    TEST_ASSERT_EQUAL_INT(1, viewed);
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wf_store_view(it.store, false, it.error));
    TEST_ASSERT_EQUAL_INT(0, viewed);
}

static void a_store_is_closed_once(void)
{
    wfsm_store_free(it.store);
    it.store = NULL;
    TEST_ASSERT_EQUAL_INT(1, it.closed);
    wfsm_store_free(NULL);
}

static void a_vtable_that_is_not_complete_is_refused(void)
{
    wfsm_store *other = NULL;
    wfsm_store_vtable vtable = it.vtable;
    vtable.own = NULL;
    TEST_ASSERT_EQUAL_INT32(WFSM_INVALID,
                            wfsm_store_new(&other, &vtable, NULL, NULL, it.error));
    TEST_ASSERT_EQUAL_STRING("the store's vtable has no own", wfsm_error_message(it.error));
    vtable = it.vtable;
    vtable.size = 16;
    TEST_ASSERT_EQUAL_INT32(WFSM_INVALID,
                            wfsm_store_new(&other, &vtable, NULL, NULL, it.error));
    TEST_ASSERT_EQUAL_INT32(WFSM_INVALID, wfsm_store_new(&other, NULL, NULL, NULL, it.error));
    TEST_ASSERT_EQUAL_INT32(WFSM_INVALID,
                            wfsm_store_new(NULL, &it.vtable, NULL, NULL, it.error));
    TEST_ASSERT_NULL(other);
    TEST_ASSERT_EQUAL_INT(0, it.closed);
}

static void a_vtable_of_a_newer_library_may_have_an_empty_tail(void)
{
    struct {
        wfsm_store_vtable vtable;
        void *more;
    } newer = {it.vtable, NULL};
    wfsm_store *other = NULL;
    newer.vtable.size = sizeof newer;
    TEST_ASSERT_EQUAL_INT32(WFSM_OK,
                            wfsm_store_new(&other, &newer.vtable, NULL, NULL, it.error));
    wfsm_store_free(other);
    newer.more = &newer;
    other = NULL;
    TEST_ASSERT_EQUAL_INT32(WFSM_INVALID,
                            wfsm_store_new(&other, &newer.vtable, NULL, NULL, it.error));
    TEST_ASSERT_NULL(other);
}

static void close_is_optional(void)
{
    wfsm_store *other = NULL;
    wfsm_store_vtable vtable = it.vtable;
    vtable.size = WF_SIZE_UP_TO(wfsm_store_vtable, remove);
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wfsm_store_new(&other, &vtable, NULL, NULL, it.error));
    wfsm_store_free(other);
    TEST_ASSERT_EQUAL_INT(0, it.closed);
}

/* 0.1 had no more members than `close`: such a store keeps its journals whole. */
static void compaction_is_optional(void)
{
    kept_row row = {0};
    wfsm_store *other = NULL;
    wfsm_head seen = {.size = sizeof seen};
    wfsm_store_vtable vtable = it.vtable;
    vtable.anchor = NULL;
    TEST_ASSERT_EQUAL_INT32(WFSM_INVALID,
                            wfsm_store_new(&other, &vtable, NULL, NULL, it.error));
    TEST_ASSERT_EQUAL_STRING("the store's vtable has no anchor", wfsm_error_message(it.error));
    vtable.size = WF_SIZE_UP_TO(wfsm_store_vtable, close);
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wfsm_store_new(&other, &vtable, NULL, NULL, it.error));
    TEST_ASSERT_EQUAL_INT32(WFSM_DENIED, wfsm_store_cut(other, "a", 2, "{}", 2, it.error));
    TEST_ASSERT_EQUAL_INT32(WFSM_DENIED,
                            wfsm_store_anchor(other, "a", keep_row, &row, it.error));
    TEST_ASSERT_EQUAL_INT(0, it.calls);
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wfsm_store_head(other, "a", &seen, it.error));
    TEST_ASSERT_EQUAL_UINT64(1, seen.first);
    wfsm_store_free(other);
}

static int32_t since(void *self, wfsm_since *asked, wfsm_row_sink sink, void *user,
                     wfsm_error *error)
{
    const wfsm_row row = {.size = sizeof row, .head = &it.head};
    (void)self, (void)error;
    it.calls++;
    strcpy(asked->place, "7");
    asked->lost = sink(user, &row) != WFSM_OK;
    return it.status;
}

static void what_was_committed_is_told_by_those_that_can(void)
{
    wfsm_store *other = NULL;
    kept_row row = {0};
    wfsm_since asked = {.size = sizeof asked};
    wfsm_store_vtable vtable = it.vtable;
    TEST_ASSERT_EQUAL_INT32(WFSM_DENIED,
                            wfsm_store_since(it.store, &asked, keep_row, &row, it.error));
    TEST_ASSERT_EQUAL_STRING("this store cannot tell what was committed",
                             wfsm_error_message(it.error));
    vtable.since = since;
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wfsm_store_new(&other, &vtable, NULL, NULL, it.error));
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wfsm_store_since(other, &asked, keep_row, &row, it.error));
    TEST_ASSERT_EQUAL_STRING("7", asked.place);
    TEST_ASSERT_EQUAL_INT(1, row.count);
    TEST_ASSERT_EQUAL_INT32(0, asked.lost);
    it.head.token = NULL;
    TEST_ASSERT_EQUAL_INT32(WFSM_CORRUPT,
                            wfsm_store_since(other, &asked, keep_row, &row, it.error));
    memset(asked.place, '7', sizeof asked.place);
    TEST_ASSERT_EQUAL_INT32(WFSM_INVALID,
                            wfsm_store_since(other, &asked, keep_row, &row, it.error));
    TEST_ASSERT_EQUAL_INT32(WFSM_INVALID,
                            wfsm_store_since(other, NULL, keep_row, &row, it.error));
    TEST_ASSERT_EQUAL_INT(2, it.calls);
    wfsm_store_free(other);
}

static void an_answer_that_was_lost_is_unknown(void)
{
    wfsm_commit commit = commit_of("a", 0);
    it.answers = false;
    TEST_ASSERT_EQUAL_INT32(WFSM_STORE_UNKNOWN,
                            wf_store_commit_one(it.store, &commit, it.error));
    it.answers = true;
    it.answer = 4711;
    TEST_ASSERT_EQUAL_INT32(WFSM_STORE_UNKNOWN,
                            wf_store_commit_one(it.store, &commit, it.error));
    it.answer = WFSM_OK;
    it.status = -1;
    TEST_ASSERT_EQUAL_INT32(WFSM_STORE_UNKNOWN,
                            wf_store_commit_one(it.store, &commit, it.error));
    it.status = WFSM_STORE_FAILED;
    TEST_ASSERT_EQUAL_INT32(WFSM_STORE_FAILED,
                            wf_store_commit_one(it.store, &commit, it.error));
}

static void a_row_that_is_not_complete_is_corrupt(void)
{
    wfsm_head bad = it.head;
    bad.token = NULL;
    wfsm_head short_head = it.head;
    short_head.size = 8;
    const wfsm_row cases[] = {
        {.size = sizeof(wfsm_row)},
        {.size = 8, .text = "{}", .id = "c", .head = &it.head},
        {.size = sizeof(wfsm_row), .text = "{}", .id = "c", .head = &bad},
        {.size = sizeof(wfsm_row), .text = "{}", .id = "c", .head = &short_head},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        kept_row row = {0};
        it.row = &cases[i];
        const int32_t got[] = {
            wfsm_store_records(it.store, "a", 1, 1, keep_row, &row, it.error),
            wfsm_store_snapshot(it.store, "a", NULL, keep_row, &row, it.error),
            wfsm_store_checkpoints(it.store, "a", keep_row, &row, it.error),
            wfsm_store_anchor(it.store, "a", keep_row, &row, it.error),
            wfsm_store_list(it.store, NULL, keep_row, &row, it.error),
            wfsm_store_document(it.store, "f", keep_row, &row, it.error),
            wfsm_store_inbox(it.store, NULL, 0, keep_row, &row, it.error),
        };
        for (size_t j = 0; j < sizeof got / sizeof *got; j++)
            TEST_ASSERT_EQUAL_INT32(WFSM_CORRUPT, got[j]);
        TEST_ASSERT_EQUAL_INT(0, row.count);
    }
}

/* Reading page after page must come to an end. */
static void a_page_that_does_not_move_on_is_corrupt(void)
{
    const wfsm_row row = {.size = sizeof row, .head = &it.head};
    wfsm_query query = {.size = sizeof query, .after = "Z"};
    kept_row kept = {0};
    it.row = &row;
    TEST_ASSERT_EQUAL_INT32(WFSM_OK,
                            wfsm_store_list(it.store, &query, keep_row, &kept, it.error));
    query.after = it.head.instance;
    TEST_ASSERT_EQUAL_INT32(WFSM_CORRUPT,
                            wfsm_store_list(it.store, &query, keep_row, &kept, it.error));
    query.after = "zzz";
    TEST_ASSERT_EQUAL_INT32(WFSM_CORRUPT,
                            wfsm_store_list(it.store, &query, keep_row, &kept, it.error));
    TEST_ASSERT_EQUAL_INT(1, kept.count);
}

static void a_head_has_the_size_of_who_asks(void)
{
    struct {
        wfsm_head head;
        uint64_t behind;
    } asked = {.behind = 42};
    TEST_ASSERT_EQUAL_INT32(WFSM_INVALID,
                            wfsm_store_head(it.store, "a", &asked.head, it.error));
    asked.head.size = sizeof asked.head;
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wfsm_store_head(it.store, "a", &asked.head, it.error));
    TEST_ASSERT_EQUAL_STRING("t", asked.head.token);
    TEST_ASSERT_EQUAL_UINT64(42, asked.behind);
    it.head.tags = NULL;
    TEST_ASSERT_EQUAL_INT32(WFSM_CORRUPT,
                            wfsm_store_head(it.store, "a", &asked.head, it.error));
}

static const char *bad_ids[] = {
    NULL,
    "",
    "\xC3",
    "\xED\xA0\x80",
    "long long long long long long long long long long long long long long long long "
    "long "
    "long long long long long long long long long long long long long long long long "
    "long "
    "long long long long long long long long long long long long long long long long "
    "long "
    "long long long long long ",
};

static void bad_ids_never_reach_the_store(void)
{
    for (size_t i = 0; i < sizeof bad_ids / sizeof *bad_ids; i++) {
        const char *id = bad_ids[i];
        kept_row row = {0};
        int32_t answer;
        wfsm_head out = {.size = sizeof out};
        wfsm_commit commit = commit_of(id, 0);
        wfsm_query query = {.size = sizeof query, .machine = id};
        const int32_t got[] = {
            wf_store_commit_one(it.store, &commit, NULL),
            wfsm_store_head(it.store, id, &out, NULL),
            wfsm_store_records(it.store, id, 1, 1, keep_row, &row, NULL),
            wfsm_store_snapshot(it.store, id, NULL, keep_row, &row, NULL),
            wfsm_store_checkpoints(it.store, id, keep_row, &row, NULL),
            wfsm_store_anchor(it.store, id, keep_row, &row, NULL),
            wfsm_store_cut(it.store, id, 2, "{}", 2, NULL),
            wfsm_store_cut(it.store, "a", 2, NULL, 2, NULL),
            wfsm_store_document(it.store, id, keep_row, &row, NULL),
            wfsm_store_post(it.store, id, "E", NULL, NULL, 0, 0, NULL),
            wfsm_store_post(it.store, "a", id, NULL, NULL, 0, 0, NULL),
            wfsm_store_seen(it.store, id, "e", &answer, NULL),
            wfsm_store_seen(it.store, "a", id, &answer, NULL),
            wfsm_store_acknowledge(it.store, id, 1, NULL),
            wfsm_store_owner_alive(it.store, id, 1, NULL),
            wfsm_store_remove_owner(it.store, id, NULL),
            wfsm_store_claim(it.store, id, 0, 0, 1, NULL),
            wfsm_store_own(it.store, id, "o", 1, NULL),
            wfsm_store_own(it.store, "a", id, 1, NULL),
            wfsm_store_disown(it.store, id, "o", NULL),
            wfsm_store_disown(it.store, "a", id, NULL),
            wfsm_store_remove(it.store, id, NULL),
            id ? wfsm_store_list(it.store, &query, keep_row, &row, NULL) : WFSM_INVALID,
            id ? wfsm_store_post(it.store, "a", "E", id, NULL, 0, 0, NULL) : WFSM_INVALID,
        };
        for (size_t j = 0; j < sizeof got / sizeof *got; j++)
            TEST_ASSERT_EQUAL_INT32(WFSM_INVALID, got[j]);
    }
    TEST_ASSERT_EQUAL_INT(0, it.calls);
}

static void bad_posts_never_reach_the_store(void)
{
    const struct {
        const char *data;
        size_t length;
        int64_t now;
        int32_t status;
    } cases[] = {
        {"{x", 2, 0, WFSM_SYNTAX},
        {"", 0, 0, WFSM_SYNTAX},
        {"{} {}", 5, 0, WFSM_SYNTAX},
        {"\"\xFF\"", 3, 0, WFSM_SYNTAX},
        {"{\"a\":1,\"a\":2}", 13, 0, WFSM_SYNTAX},
        {"1\0", 2, 0, WFSM_SYNTAX},
        {"1", 1, -1, WFSM_INVALID},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        TEST_ASSERT_EQUAL_INT32_MESSAGE(cases[i].status,
                                        wfsm_store_post(it.store, "a", "E", NULL, cases[i].data,
                                                        cases[i].length, cases[i].now,
                                                        it.error),
                                        cases[i].data);
    TEST_ASSERT_EQUAL_INT(0, it.calls);
    TEST_ASSERT_EQUAL_INT32(WFSM_OK,
                            wfsm_store_post(it.store, "a", "E", NULL, "{}", 2, 0, it.error));
    TEST_ASSERT_EQUAL_INT(1, it.calls);
}

static void without_a_store_nothing_works(void)
{
    kept_row row = {0};
    TEST_ASSERT_EQUAL_INT32(WFSM_INVALID,
                            wfsm_store_list(NULL, NULL, keep_row, &row, it.error));
    TEST_ASSERT_EQUAL_INT32(WFSM_INVALID,
                            wfsm_store_list(it.store, NULL, NULL, NULL, it.error));
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(a_view_is_asked_of_those_that_have_one);
    RUN_TEST(a_store_is_closed_once);
    RUN_TEST(a_vtable_that_is_not_complete_is_refused);
    RUN_TEST(a_vtable_of_a_newer_library_may_have_an_empty_tail);
    RUN_TEST(close_is_optional);
    RUN_TEST(compaction_is_optional);
    RUN_TEST(what_was_committed_is_told_by_those_that_can);
    RUN_TEST(an_answer_that_was_lost_is_unknown);
    RUN_TEST(a_row_that_is_not_complete_is_corrupt);
    RUN_TEST(a_page_that_does_not_move_on_is_corrupt);
    RUN_TEST(a_head_has_the_size_of_who_asks);
    RUN_TEST(bad_ids_never_reach_the_store);
    RUN_TEST(bad_posts_never_reach_the_store);
    RUN_TEST(without_a_store_nothing_works);
    return UNITY_END() != 0;
}
