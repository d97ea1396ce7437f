/*
 * A group of instances is copied with few exchanges: take them and look at what is there of them; write
 * the journals; write the posts and which effects are acknowledged; look whether both stores have the
 * same; give them up. Whatever is not plain is left to copy_instance(), which says what is wrong.
 */
#include "wfsm/copy.h"

#include <stdlib.h>
#include <string.h>

/* Of the posts in one exchange. */
enum { POST_BYTES = 1 << 20 };

typedef struct member {
    copy_source source;
    copy_posts posts, now; /* that wait in `from`: when it was taken, and afterwards */
    bool taken, has_snapshot;
    bool fresh; /* `to` has nothing of it */
    bool same;  /* the last look has found the same head */
    enum copy_result result; /* COPY_ALONE until it is known */
} member;

typedef struct group {
    copying *self;
    const char *const *ids;
    size_t count, bytes;
    member members[COPY_GROUP];
    member *last; /* whose head came last */
} group;

static int compare_id(const void *id, const void *other)
{
    return strcmp(id, *(const char *const *)other);
}

static member *find(group *self, const char *id)
{
    const char *const *found =
        bsearch(id, self->ids, self->count, sizeof *self->ids, compare_id);
    return found ? &self->members[found - self->ids] : NULL;
}

/* ---- take ---- */

static int32_t take_row(void *user, const wfsm_row *row)
{
    group *self = user;
    self->bytes += row->length;
    if (row->part == WFSM_ROW_POST) {
        member *of = find(self, row->instance);
        return of ? copy_posts_add(&of->posts, row) : WFSM_OK;
    }
    if (row->part == WFSM_ROW_HEAD && (self->last = find(self, row->head->instance)))
        stored_head_copy(&self->last->source.head, row->head);
    if (row->part == WFSM_ROW_SNAPSHOT && self->last) {
        copy_row_text(&self->last->source.snapshot, row);
        self->last->has_snapshot = true;
    }
    return WFSM_OK;
}

static int32_t take(group *self)
{
    const copy_question asked = {.store = self->self->from,
                                 .session = self->self->name,
                                 .kind = WFSM_REQUEST_TAKE,
                                 .inbox = 1,
                                 .sink = take_row,
                                 .user = self};
    int32_t answers[COPY_GROUP];
    int32_t status = copy_ask(&asked, self->ids, self->count, answers, self->self->error);
    for (size_t i = 0; i < self->count; i++)
        self->members[i].taken = status == WFSM_OK && answers[i] == WFSM_OK;
    return status;
}

/* ---- what is there of them ---- */

/* What somebody has left there is compared row by row, unless a look at the head is enough. */
static enum copy_result judge(const member *of, const wfsm_head *there)
{
    const stored_head *here = &of->source.head;
    if (strcmp(there->owner, COPY_OWNER) == 0)
        return copy_same_head(here, there) && of->posts.count == 0 ? COPY_DONE : COPY_ALONE;
    return here->revision == there->revision && strcmp(here->token, there->token) == 0
               ? COPY_THERE
               : COPY_ALONE;
}

static int32_t judge_row(void *user, const wfsm_row *row)
{
    member *of = row->part == WFSM_ROW_HEAD ? find(user, row->head->instance) : NULL;
    if (of && of->taken)
        of->result = judge(of, row->head);
    return WFSM_OK;
}

static int32_t look_there(group *self)
{
    const copy_question asked = {
        .store = self->self->to, .kind = WFSM_REQUEST_LOOK, .sink = judge_row, .user = self};
    int32_t answers[COPY_GROUP];
    int32_t status = copy_ask(&asked, self->ids, self->count, answers, self->self->error);
    for (size_t i = 0; i < self->count && status == WFSM_OK; i++)
        self->members[i].fresh = self->members[i].taken && self->members[i].has_snapshot &&
                                 answers[i] == WFSM_NOT_FOUND;
    return status;
}

/* ---- write ---- */

static int32_t write_journals(group *self)
{
    copy_writing *at = copy_writing_new(self->self);
    int32_t status = WFSM_OK;
    for (size_t i = 0; i < self->count && status == WFSM_OK; i++) {
        copy_source *source = &self->members[i].source;
        if (!self->members[i].fresh)
            continue;
        status = copy_read_rest(source, self->self->from, self->self->error);
        if (status == WFSM_OK)
            status = copy_write(at, source);
    }
    if (status == WFSM_OK)
        status = copy_flush(at);
    copy_writing_free(at);
    for (size_t i = 0; i < self->count; i++)
        self->members[i].fresh &= self->members[i].source.answer == WFSM_OK;
    return status;
}

static size_t list_marks(const group *self, wfsm_request *requests, const wfsm_request **list)
{
    size_t count = 0;
    for (size_t i = 0; i < self->count; i++) {
        uint64_t number = self->members[i].source.head.acknowledged;
        if (!self->members[i].fresh || number == 0)
            continue;
        list[count] = &requests[count];
        requests[count++] = (wfsm_request){.size = sizeof *requests,
                                           .instance = self->ids[i],
                                           .kind = WFSM_REQUEST_ACKNOWLEDGE,
                                           .number = number};
    }
    return count;
}

/* A refused one is found when both stores are compared. */
static int32_t write_marks(const group *self)
{
    wfsm_request requests[COPY_GROUP];
    const wfsm_request *list[COPY_GROUP];
    int32_t answers[COPY_GROUP];
    wfsm_exchange exchange = {.size = sizeof exchange,
                              .requests = list,
                              .request_count = list_marks(self, requests, list),
                              .request_answers = answers};
    return exchange.request_count > 0
               ? wfsm_store_exchange(self->self->to, &exchange, self->self->error)
               : WFSM_OK;
}

typedef struct mail {
    copying *self;
    const wfsm_post *posts[COPY_GROUP];
    member *of[COPY_GROUP];
    size_t count, bytes;
} mail;

static int32_t send_posts(mail *out)
{
    int32_t answers[COPY_GROUP];
    wfsm_exchange exchange = {.size = sizeof exchange,
                              .posts = out->posts,
                              .post_count = out->count,
                              .post_answers = answers};
    int32_t status = out->count > 0
                         ? wfsm_store_exchange(out->self->to, &exchange, out->self->error)
                         : WFSM_OK;
    for (size_t i = 0; i < out->count && status == WFSM_OK; i++)
        out->of[i]->fresh &= answers[i] == WFSM_OK;
    out->count = out->bytes = 0;
    return status;
}

static int32_t add_posts(mail *out, member *of)
{
    int32_t status = WFSM_OK;
    for (size_t i = 0; i < of->posts.count && of->fresh && status == WFSM_OK; i++) {
        out->posts[out->count] = &of->posts.list[i];
        out->of[out->count++] = of;
        out->bytes += of->posts.list[i].length;
        if (out->count == COPY_GROUP || out->bytes >= POST_BYTES)
            status = send_posts(out);
    }
    return status;
}

static int32_t write_posts(group *self)
{
    mail out = {.self = self->self};
    int32_t status = WFSM_OK;
    for (size_t i = 0; i < self->count && status == WFSM_OK; i++)
        status = add_posts(&out, &self->members[i]);
    return status == WFSM_OK ? send_posts(&out) : status;
}

/* ---- whether both stores have the same ---- */

static int32_t compare_row(void *user, const wfsm_row *row)
{
    if (row->part == WFSM_ROW_POST) {
        member *of = find(user, row->instance);
        return of ? copy_posts_add(&of->now, row) : WFSM_OK;
    }
    member *of = row->part == WFSM_ROW_HEAD ? find(user, row->head->instance) : NULL;
    if (of && of->fresh)
        of->same = copy_same_head(&of->source.head, row->head);
    return WFSM_OK;
}

/* One that no row was of is not the same. */
static int32_t compare_heads(group *self, wfsm_store *store, int32_t inbox)
{
    const copy_question asked = {.store = store,
                                 .session = self->self->name,
                                 .kind = WFSM_REQUEST_LOOK,
                                 .inbox = inbox,
                                 .sink = compare_row,
                                 .user = self};
    int32_t answers[COPY_GROUP];
    for (size_t i = 0; i < self->count; i++)
        self->members[i].same = false;
    int32_t status = copy_ask(&asked, self->ids, self->count, answers, self->self->error);
    for (size_t i = 0; i < self->count; i++)
        self->members[i].fresh &= self->members[i].same && answers[i] == WFSM_OK;
    return status;
}

static int32_t compare(group *self)
{
    int32_t status = compare_heads(self, self->self->from, 1);
    if (status == WFSM_OK)
        status = compare_heads(self, self->self->to, 0);
    for (size_t i = 0; i < self->count && status == WFSM_OK; i++) {
        member *of = &self->members[i];
        if (of->fresh && copy_posts_equal(&of->posts, &of->now))
            of->result = COPY_DONE;
    }
    return status;
}

/* ---- all of it ---- */

static bool has_fresh(const group *self)
{
    bool found = false;
    for (size_t i = 0; i < self->count && !found; i++)
        found = self->members[i].fresh;
    return found;
}

static int32_t write_all(group *self)
{
    int32_t status = write_journals(self);
    if (status == WFSM_OK)
        status = write_marks(self);
    if (status == WFSM_OK)
        status = write_posts(self);
    return status == WFSM_OK ? compare(self) : status;
}

/* An instance that cannot be given up here is free when the row of this owner is removed, at the end of the
 * copy. */
static void give_up(group *self)
{
    const copy_question asked = {
        .store = self->self->from, .session = self->self->name, .kind = WFSM_REQUEST_GIVE_UP};
    const char *taken[COPY_GROUP];
    int32_t answers[COPY_GROUP];
    size_t count = 0;
    for (size_t i = 0; i < self->count; i++)
        if (self->members[i].taken)
            taken[count++] = self->ids[i];
    if (count > 0)
        copy_ask(&asked, taken, count, answers, self->self->error);
}

static void free_group(group *self)
{
    for (size_t i = 0; i < self->count; i++) {
        copy_source_free(&self->members[i].source);
        copy_posts_free(&self->members[i].posts);
        copy_posts_free(&self->members[i].now);
    }
    free(self);
}

size_t copy_group(copying *self, const char *const *ids, size_t count,
                  enum copy_result *results)
{
    group *all = cli_need(calloc(1, sizeof *all));
    all->self = self;
    all->ids = ids;
    all->count = count;
    for (size_t i = 0; i < count; i++)
        all->members[i].result = COPY_ALONE;
    int32_t status = copy_stay_alive(self);
    if (status == WFSM_OK)
        status = take(all);
    if (status == WFSM_OK)
        status = look_there(all);
    if (status == WFSM_OK && has_fresh(all))
        write_all(all);
    give_up(all);
    for (size_t i = 0; i < count; i++)
        results[i] = all->members[i].result;
    size_t bytes = all->bytes;
    free_group(all);
    return bytes;
}
