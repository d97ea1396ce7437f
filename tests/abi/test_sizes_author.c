/* Structs that an author's store hands in, and one that it is given. */
#include <stdbool.h>
#include "sizes.h"

static int32_t author_commit(void *self, const wfsm_commit *const *commits, size_t count,
                             int32_t *answers, wfsm_error *error)
{
    (void)self, (void)commits, (void)count, (void)error;
    *answers = WFSM_OK;
    return WFSM_OK;
}

static int32_t author_head(void *self, const char *id, wfsm_head *head, wfsm_error *error)
{
    (void)self, (void)id, (void)head;
    return wfsm_error_set(error, WFSM_NOT_FOUND, "none"), WFSM_NOT_FOUND;
}

static int32_t author_rows(void *self, const char *id, wfsm_row_sink sink, void *user,
                           wfsm_error *error)
{
    (void)id, (void)error;
    return sink(user, self);
}

static int32_t author_records(void *self, const char *id, uint64_t from, uint64_t to,
                              wfsm_row_sink sink, void *user, wfsm_error *error)
{
    (void)from, (void)to;
    return author_rows(self, id, sink, user, error);
}

static int32_t author_snapshot(void *self, const char *id, const char *checkpoint,
                               wfsm_row_sink sink, void *user, wfsm_error *error)
{
    (void)checkpoint;
    return author_rows(self, id, sink, user, error);
}

static int32_t author_list(void *self, const wfsm_query *query, wfsm_row_sink sink, void *user,
                           wfsm_error *error)
{
    (void)query, (void)error;
    wfsm_row row = {.size = sizeof row, .head = self};
    return sink(user, &row);
}

static int32_t author_seen(void *self, const char *id, const char *event, int32_t *seen,
                           wfsm_error *error)
{
    (void)self, (void)id, (void)event, (void)error;
    *seen = 0;
    return WFSM_OK;
}

static int32_t author_post(void *self, const wfsm_post *post, wfsm_error *error)
{
    (void)self, (void)error;
    TEST_ASSERT_EQUAL(sizeof(wfsm_post), post->size);
    return WFSM_OK;
}

static int32_t author_inbox(void *self, const char *id, uint64_t limit, wfsm_row_sink sink,
                            void *user, wfsm_error *error)
{
    (void)limit;
    return author_rows(self, id, sink, user, error);
}

static int32_t author_acknowledge(void *self, const char *id, uint64_t effect,
                                  wfsm_error *error)
{
    (void)self, (void)id, (void)effect, (void)error;
    return WFSM_OK;
}

static int32_t author_owner_alive(void *self, const char *owner, int64_t until,
                                  wfsm_error *error)
{
    (void)self, (void)owner, (void)until, (void)error;
    return WFSM_OK;
}

static int32_t author_claim(void *self, const char *session, int64_t mine, int64_t now,
                            int64_t until, wfsm_error *error)
{
    (void)self, (void)session, (void)mine, (void)now, (void)until, (void)error;
    return WFSM_OK;
}

static int32_t author_own(void *self, const char *id, const char *owner, int64_t now,
                          wfsm_error *error)
{
    (void)self, (void)id, (void)owner, (void)now, (void)error;
    return WFSM_OK;
}

static int32_t author_disown(void *self, const char *id, const char *owner, wfsm_error *error)
{
    (void)self, (void)id, (void)owner, (void)error;
    return WFSM_OK;
}

static int32_t author_remove(void *self, const char *id, wfsm_error *error)
{
    (void)self, (void)id, (void)error;
    return WFSM_OK;
}

static const wfsm_store_vtable author = {
    .size = sizeof author,
    .commit = author_commit,
    .head = author_head,
    .records = author_records,
    .snapshot = author_snapshot,
    .checkpoints = author_rows,
    .list = author_list,
    .document = author_rows,
    .seen = author_seen,
    .post = author_post,
    .inbox = author_inbox,
    .acknowledge = author_acknowledge,
    .owner_alive = author_owner_alive,
    .claim = author_claim,
    .own = author_own,
    .disown = author_disown,
    .remove = author_remove,
};

static int32_t take_vtable(const void *given)
{
    wfsm_store *made = NULL;
    int32_t status = wfsm_store_new(&made, given, NULL, NULL, NULL);
    wfsm_store_free(made);
    return status;
}

static int32_t read_through(const void *self, bool heads)
{
    wfsm_store *made = NULL;
    void *mine = (void *)(uintptr_t)self;
    TEST_ASSERT_EQUAL(WFSM_OK, wfsm_store_new(&made, &author, mine, NULL, NULL));
    wfsm_query all = {.size = sizeof all};
    int32_t status = heads ? wfsm_store_list(made, &all, no_row, NULL, NULL)
                           : wfsm_store_records(made, "i", 1, 1, no_row, NULL, NULL);
    wfsm_store_free(made);
    return status;
}

static int32_t take_row(const void *given)
{
    return read_through(given, false);
}

static int32_t take_head(const void *given)
{
    return read_through(given, true);
}

static void structs_of_an_authors_store(void)
{
    takes("wfsm_store_vtable", take_vtable, &author, sizeof author,
          UP_TO(wfsm_store_vtable, remove));
    TAKES(wfsm_row, take_row, UP_TO(wfsm_row, length), .revision = 1, .now = 1, .text = "{}",
          .length = 2);
    TAKES(wfsm_head, take_head, UP_TO(wfsm_head, updated), .instance = "i", .machine = "m",
          .fingerprint = "f", .owner = "", .token = "t", .tags = "", .revision = 1,
          .snapshot_revision = 1, .status = WFSM_RUNNING, .deadline = WFSM_NEVER);
}

static void a_post_comes_with_its_whole_size(void)
{
    wfsm_store *made = NULL;
    TEST_ASSERT_EQUAL(WFSM_OK, wfsm_store_new(&made, &author, NULL, NULL, NULL));
    TEST_ASSERT_EQUAL(WFSM_OK, wfsm_store_post(made, "i", "E", NULL, NULL, 0, 1, NULL));
    wfsm_store_free(made);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(structs_of_an_authors_store);
    RUN_TEST(a_post_comes_with_its_whole_size);
    return UNITY_END() != 0;
}
