/* store/store_read.c: the public calls of a store that read. */
#include "store/exchange.h"

#include "base/buffer.h"
#include "base/error.h"
#include "base/invariant.h"
#include "base/sized.h"
#include "base/utf8.h"
#include "store/where.h"

#include <string.h>

/* The members that a row must have. */
enum wanted { WANT_TEXT, WANT_ID, WANT_ID_AND_TEXT, WANT_ID_AND_NAME, WANT_HEAD };

/* Between the store and the reader's sink. It checks each row, because an author's store may be
 * older than this library, and may have faults. */
typedef struct relay {
    wfsm_row_sink sink;
    void *user;
    enum wanted wanted;
    bool corrupt;
    char last[256]; /* id of the last head. Heads must ascend: otherwise a reader that asks page
                       by page would never end */
    const wfsm_query *query; /* if the library itself compares the attributes; else NULL */
    const wfsm_allocator *allocator;
    uint64_t left; /* heads that may still be passed on, if `query` has a limit */
    bool full; /* it has reached the limit */
} relay;

static bool complete(const wfsm_row *row, enum wanted wanted)
{
    if (wanted == WANT_TEXT)
        return row->text != NULL;
    if (wanted == WANT_ID)
        return row->id != NULL;
    if (wanted == WANT_ID_AND_TEXT)
        return row->id && row->text;
    if (wanted == WANT_ID_AND_NAME)
        return row->id && row->name;
    return row->head != NULL;
}

static bool head_complete(const wfsm_head *head)
{
    return head->instance && head->machine && head->fingerprint && head->owner && head->token &&
           head->tags;
}

static bool ascends(relay *between, const char *id)
{
    size_t length = strlen(id);
    if (length >= sizeof between->last || strcmp(id, between->last) <= 0)
        return false;
    memcpy(between->last, id, length + 1);
    return true;
}

/* Passes the row on if its head meets the conditions, up to the limit. */
static int32_t hand_on_found(relay *between, const wfsm_row *row)
{
    bool meets = false;
    int32_t status =
        wf_where_meets(between->query, row->head->attributes, between->allocator, &meets);
    if (!status && meets)
        status = between->sink(between->user, row);
    if (status || !meets || !between->query->limit)
        return status;
    between->full = --between->left == 0;
    return between->full ? WFSM_LIMIT : WFSM_OK;
}

static int32_t hand_on(void *user, const wfsm_row *given)
{
    relay *between = user;
    wfsm_row row;
    wfsm_head head;
    if (!wf_struct_check(&row, sizeof row, given, WF_SIZE_UP_TO(wfsm_row, length)) ||
        !complete(&row, between->wanted))
        goto corrupt;
    if (row.head) {
        if (!wf_struct_check(&head, sizeof head, row.head, WF_SIZE_UP_TO(wfsm_head, updated)) ||
            !head_complete(&head) || !ascends(between, head.instance))
            goto corrupt;
        head.size = sizeof head;
        head.first = head.first ? head.first : 1;
        head.attributes = head.attributes ? head.attributes : "{}";
        row.head = &head;
    }
    row.size = sizeof row;
    return between->query ? hand_on_found(between, &row) : between->sink(between->user, &row);
corrupt:
    between->corrupt = true;
    return WFSM_CORRUPT;
}

static int32_t begin(wfsm_store *store, relay *between, wfsm_row_sink sink, void *user,
                     enum wanted wanted, wfsm_error *error)
{
    int32_t status = wf_store_ready(store, error);
    if (!status && !sink)
        status = wf_fail(error, WFSM_INVALID, "there is no function that takes the rows");
    if (!status)
        *between = (relay){.sink = sink, .user = user, .wanted = wanted};
    return status;
}

static int32_t end(wfsm_store *store, const relay *between, int32_t status, wfsm_error *error)
{
    WF_INVARIANT(store->reading);
    store->reading = false;
    if (between->corrupt)
        return wf_fail(error, WFSM_CORRUPT,
                       "the store returned a row that is not complete, or not in order");
    return status;
}

int32_t wf_store_view(wfsm_store *store, bool open, wfsm_error *error)
{
    int32_t status = wf_store_ready(store, error);
    if (status || !store->vtable.view)
        return status;
    return store->vtable.view(store->self, open, error);
}

int32_t wfsm_store_head(wfsm_store *store, const char *instance, wfsm_head *head,
                        wfsm_error *error)
{
    wfsm_head full = {.size = sizeof full};
    int32_t status = wf_store_ready(store, error);
    if (!status)
        status = wf_store_check_id(instance, "the id of an instance", error);
    if (!status)
        status = store->vtable.head(store->self, instance, &full, error);
    if (status)
        return status;
    if (!head_complete(&full))
        return wf_fail(error, WFSM_CORRUPT, "the store returned a head that is not complete");
    full.first = full.first ? full.first : 1;
    full.attributes = full.attributes ? full.attributes : "{}";
    if (!wf_struct_give(head, &full, sizeof full, WF_SIZE_UP_TO(wfsm_head, updated)))
        return wf_fail(error, WFSM_INVALID, "head, and its size, must be set");
    return WFSM_OK;
}

int32_t wfsm_store_records(wfsm_store *store, const char *instance, uint64_t from, uint64_t to,
                           wfsm_row_sink sink, void *user, wfsm_error *error)
{
    relay between;
    int32_t status = begin(store, &between, sink, user, WANT_TEXT, error);
    if (!status)
        status = wf_store_check_id(instance, "the id of an instance", error);
    if (status)
        return status;
    store->reading = true;
    status = store->vtable.records(store->self, instance, from, to, hand_on, &between, error);
    return end(store, &between, status, error);
}

int32_t wfsm_store_snapshot(wfsm_store *store, const char *instance, const char *checkpoint,
                            wfsm_row_sink sink, void *user, wfsm_error *error)
{
    relay between;
    int32_t status = begin(store, &between, sink, user, WANT_TEXT, error);
    if (!status)
        status = wf_store_check_id(instance, "the id of an instance", error);
    if (!status && checkpoint)
        status = wf_store_check_id(checkpoint, "the id of a checkpoint", error);
    if (status)
        return status;
    store->reading = true;
    status =
        store->vtable.snapshot(store->self, instance, checkpoint, hand_on, &between, error);
    return end(store, &between, status, error);
}

int32_t wfsm_store_anchor(wfsm_store *store, const char *instance, wfsm_row_sink sink,
                          void *user, wfsm_error *error)
{
    relay between;
    int32_t status = begin(store, &between, sink, user, WANT_TEXT, error);
    if (!status)
        status = wf_store_check_id(instance, "the id of an instance", error);
    if (!status && !store->vtable.anchor)
        status = wf_fail(error, WFSM_DENIED, "this store cannot be compacted");
    if (status)
        return status;
    store->reading = true;
    status = store->vtable.anchor(store->self, instance, hand_on, &between, error);
    return end(store, &between, status, error);
}

int32_t wfsm_store_checkpoints(wfsm_store *store, const char *instance, wfsm_row_sink sink,
                               void *user, wfsm_error *error)
{
    relay between;
    int32_t status = begin(store, &between, sink, user, WANT_ID_AND_TEXT, error);
    if (!status)
        status = wf_store_check_id(instance, "the id of an instance", error);
    if (status)
        return status;
    store->reading = true;
    status = store->vtable.checkpoints(store->self, instance, hand_on, &between, error);
    return end(store, &between, status, error);
}

typedef struct latest {
    bool found;
    wfsm_row row;
    char id[256];
    wf_buffer artifacts;
} latest;

static int32_t keep_latest(void *user, const wfsm_row *row)
{
    latest *self = user;
    if (strlen(row->id) >= sizeof self->id)
        return WFSM_CORRUPT;
    memcpy(self->id, row->id, strlen(row->id) + 1);
    wf_buffer_clear(&self->artifacts);
    wf_buffer_add(&self->artifacts, row->text, row->length);
    self->row = (wfsm_row){
        .size = sizeof self->row, .id = self->id, .revision = row->revision, .now = row->now};
    self->found = true;
    return self->artifacts.failed ? WFSM_NO_MEMORY : WFSM_OK;
}

static int32_t hand_out_latest(wfsm_store *store, latest *self, wfsm_row_sink sink, void *user)
{
    self->row.text = self->artifacts.data;
    self->row.length = self->artifacts.length;
    store->reading = true;
    int32_t status = sink(user, &self->row);
    store->reading = false;
    return status;
}

int32_t wfsm_store_latest_checkpoint(wfsm_store *store, const char *instance,
                                     wfsm_row_sink sink, void *user, wfsm_error *error)
{
    latest self = {.found = false};
    int32_t status = wf_store_ready(store, error);
    if (!status && !sink)
        status = wf_fail(error, WFSM_INVALID, "there is no function that takes the rows");
    if (status)
        return status;
    wf_buffer_init(&self.artifacts, &store->allocator);
    status = wfsm_store_checkpoints(store, instance, keep_latest, &self, error);
    if (!status && !self.found)
        status = wf_fail(error, WFSM_NOT_FOUND, "instance '%s' has no checkpoint", instance);
    if (!status)
        status = hand_out_latest(store, &self, sink, user);
    else if (status == WFSM_NO_MEMORY && self.artifacts.failed)
        wf_no_memory(error);
    else if (status == WFSM_CORRUPT)
        wf_fail(error, status, "the store returned a row that is not complete");
    wf_buffer_fini(&self.artifacts);
    return status;
}

/* NULL does not filter. If `empty`, "" is allowed too. */
static int32_t check_filter(const char *text, bool empty, const char *what, wfsm_error *error)
{
    if (!text || (empty && !*text))
        return WFSM_OK;
    return wf_store_check_id(text, what, error);
}

static int32_t check_query(wfsm_query *out, const wfsm_query *given, wfsm_error *error)
{
    *out = (wfsm_query){.size = sizeof *out};
    if (!given)
        return WFSM_OK;
    if (!wf_struct_check(out, sizeof *out, given, WF_SIZE_UP_TO(wfsm_query, limit)))
        return wf_fail(error, WFSM_INVALID,
                       "the query is of a wrong size, or has members that this version "
                       "does not know");
    out->size = sizeof *out;
    int32_t status = check_filter(out->after, true, "query.after", error);
    if (!status)
        status = check_filter(out->machine, false, "query.machine", error);
    if (!status)
        status = check_filter(out->tag, false, "query.tag", error);
    if (!status)
        status = check_filter(out->owner, true, "query.owner", error);
    if (!status)
        status = check_filter(out->prefix, true, "query.prefix", error);
    if (!status)
        status = check_filter(out->fingerprint, false, "query.fingerprint", error);
    if (!status && (out->status < 0 || out->due < 0))
        status = wf_fail(error, WFSM_INVALID,
                         "query.status and query.due must not be "
                         "negative");
    return status;
}

/* A store that does not search passes on what the other filters leave. */
static int32_t list_and_look(wfsm_store *store, const wfsm_query *query, relay *between,
                             wfsm_error *error)
{
    wfsm_query wider = *query;
    wider.where = NULL;
    wider.where_count = 0;
    wider.limit = 0;
    between->query = query;
    between->allocator = &store->allocator;
    between->left = query->limit;
    int32_t status = store->vtable.list(store->self, &wider, hand_on, between, error);
    return between->full && status == WFSM_LIMIT ? WFSM_OK : status;
}

int32_t wfsm_store_list(wfsm_store *store, const wfsm_query *query, wfsm_row_sink sink,
                        void *user, wfsm_error *error)
{
    relay between;
    wfsm_query checked;
    wf_where where;
    int32_t status = begin(store, &between, sink, user, WANT_HEAD, error);
    if (!status)
        status = check_query(&checked, query, error);
    if (!status)
        status = wf_where_check(&where, &checked, error);
    if (status)
        return status;
    if (checked.after)
        memcpy(between.last, checked.after, strlen(checked.after) + 1);
    store->reading = true;
    status = checked.where_count > 0 && !store->vtable.searches
                 ? list_and_look(store, &checked, &between, error)
                 : store->vtable.list(store->self, &checked, hand_on, &between, error);
    return end(store, &between, status, error);
}

int32_t wfsm_store_document(wfsm_store *store, const char *fingerprint, wfsm_row_sink sink,
                            void *user, wfsm_error *error)
{
    relay between;
    int32_t status = begin(store, &between, sink, user, WANT_TEXT, error);
    if (!status)
        status = wf_store_check_id(fingerprint, "a fingerprint", error);
    if (status)
        return status;
    store->reading = true;
    status = store->vtable.document(store->self, fingerprint, hand_on, &between, error);
    return end(store, &between, status, error);
}

int32_t wfsm_store_inbox(wfsm_store *store, const char *instance, uint64_t limit,
                         wfsm_row_sink sink, void *user, wfsm_error *error)
{
    relay between;
    int32_t status = begin(store, &between, sink, user, WANT_TEXT, error);
    if (!status && instance)
        status = wf_store_check_id(instance, "the id of an instance", error);
    if (status)
        return status;
    store->reading = true;
    status = store->vtable.inbox(store->self, instance, limit, hand_on, &between, error);
    return end(store, &between, status, error);
}

int32_t wfsm_store_changes(wfsm_store *store, wfsm_changes *asked, wfsm_row_sink sink,
                           void *user, wfsm_error *error)
{
    wfsm_changes copy;
    relay between;
    int32_t status = begin(store, &between, sink, user, WANT_TEXT, error);
    if (!status &&
        !wf_struct_check(&copy, sizeof copy, asked, WF_SIZE_UP_TO(wfsm_changes, changes)))
        status = wf_fail(error, WFSM_INVALID, "what is asked is missing, or of a wrong size");
    if (!status)
        status = wf_store_check_id(copy.session, "the name of a session", error);
    if (status)
        return status;
    store->reading = true;
    copy.size = sizeof copy;
    status = wf_store_look(store, &copy, hand_on, &between, error);
    asked->changes = copy.changes;
    return end(store, &between, status, error);
}

int32_t wfsm_store_lapsed(wfsm_store *store, int64_t now, wfsm_row_sink sink, void *user,
                          wfsm_error *error)
{
    relay between;
    int32_t status = begin(store, &between, sink, user, WANT_ID, error);
    if (!status && now < 0)
        status = wf_fail(error, WFSM_INVALID, "a time must not be negative");
    if (!status && !store->vtable.lapsed)
        status = wf_fail(error, WFSM_DENIED, "this store cannot tell whose owner is gone");
    if (status)
        return status;
    store->reading = true;
    status = store->vtable.lapsed(store->self, now, hand_on, &between, error);
    return end(store, &between, status, error);
}

static int32_t check_sharing(const wfsm_sharing *asked, wfsm_error *error)
{
    int32_t status = wf_store_check_id(asked->session, "the name of a session", error);
    if (!status && (asked->now < 0 || (asked->count && !asked->fingerprints)))
        status =
            wf_fail(error, WFSM_INVALID, "a time is negative, or there are no fingerprints");
    for (size_t i = 0; i < asked->count && !status; i++)
        status = wf_store_check_id(asked->fingerprints[i], "a fingerprint", error);
    return status;
}

int32_t wfsm_store_share(wfsm_store *store, const wfsm_sharing *asked, wfsm_row_sink sink,
                         void *user, wfsm_error *error)
{
    wfsm_sharing copy;
    relay between;
    int32_t status = begin(store, &between, sink, user, WANT_ID_AND_NAME, error);
    if (!status &&
        !wf_struct_check(&copy, sizeof copy, asked, WF_SIZE_UP_TO(wfsm_sharing, count)))
        status = wf_fail(error, WFSM_INVALID, "what is asked is missing, or of a wrong size");
    if (!status)
        status = check_sharing(&copy, error);
    if (!status && !store->vtable.share)
        status = wf_fail(error, WFSM_DENIED, "this store cannot tell who serves what");
    if (status)
        return status;
    store->reading = true;
    copy.size = sizeof copy;
    status = store->vtable.share(store->self, &copy, hand_on, &between, error);
    return end(store, &between, status, error);
}

int32_t wfsm_store_since(wfsm_store *store, wfsm_since *asked, wfsm_row_sink sink, void *user,
                         wfsm_error *error)
{
    relay between;
    int32_t status = begin(store, &between, sink, user, WANT_HEAD, error);
    if (!status && (!wf_struct_fits(asked, sizeof *asked, sizeof *asked) ||
                    !memchr(asked->place, '\0', sizeof asked->place)))
        status =
            wf_fail(error, WFSM_INVALID,
                    "what is asked is missing, of a wrong size, or a place without an end");
    if (!status && !store->vtable.since)
        status = wf_fail(error, WFSM_DENIED, "this store cannot tell what was committed");
    if (status)
        return status;
    store->reading = true;
    status = store->vtable.since(store->self, asked, hand_on, &between, error);
    return end(store, &between, status, error);
}
