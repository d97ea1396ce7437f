/* testkit/dump.c: everything that a reader of a store can see, as text. */
#include "fixture.h"

#include <inttypes.h>
#include <string.h>

/* The ids of a list, read in a second pass because a sink must not call the store. */
typedef struct page {
    tk_text *out;
    tk_text ids; /* instance and fingerprint, each with its NUL */
    size_t count;
} page;

static int32_t head_line(void *user, const wfsm_row *row)
{
    page *to = user;
    const wfsm_head *head = row->head;
    tk_text_add(to->out,
                "head %s %s %s '%s' %s '%s' r%" PRIu64 " s%" PRIu64 " e%" PRIu64 " a%" PRIu64
                " %" PRId32 " %" PRId64 " %" PRId64 " %" PRId64 " f%" PRIu64 " %s\n",
                head->instance, head->machine, head->fingerprint, head->owner, head->token,
                head->tags, head->revision, head->snapshot_revision, head->effects,
                head->acknowledged, head->status, head->deadline, head->created, head->updated,
                head->first, head->attributes);
    tk_text_bytes(&to->ids, head->instance, strlen(head->instance) + 1);
    tk_text_bytes(&to->ids, head->fingerprint, strlen(head->fingerprint) + 1);
    to->count++;
    return WFSM_OK;
}

static int32_t row_line(void *user, const wfsm_row *row)
{
    tk_text *out = user;
    tk_text_add(out, "  row '%s' %s %s r%" PRIu64 " n%" PRIu64 " %" PRId64 " ",
                row->id ? row->id : "", row->instance ? row->instance : "",
                row->name ? row->name : "", row->revision, row->number, row->now);
    tk_text_bytes(out, row->text, row->text ? row->length : 0);
    tk_text_bytes(out, "\n", 1);
    return WFSM_OK;
}

static int32_t unless_none(int32_t status)
{
    return status == WFSM_NOT_FOUND ? WFSM_OK : status;
}

/* A store that cannot be compacted has no anchor. */
static int32_t dump_anchor(wfsm_store *store, tk_text *out, const char *id, wfsm_error *error)
{
    tk_text_add(out, " anchor\n");
    int32_t status = wfsm_store_anchor(store, id, row_line, out, error);
    return status == WFSM_DENIED ? WFSM_OK : unless_none(status);
}

static int32_t dump_instance(wfsm_store *store, tk_text *out, const char *id,
                             const char *fingerprint, wfsm_error *error)
{
    tk_text_add(out, "instance %s\n", id);
    int32_t status = wfsm_store_records(store, id, 1, UINT64_MAX, row_line, out, error);
    tk_text_add(out, " snapshot\n");
    if (!status)
        status = unless_none(wfsm_store_snapshot(store, id, NULL, row_line, out, error));
    if (!status)
        status = dump_anchor(store, out, id, error);
    tk_text_add(out, " checkpoints\n");
    if (!status)
        status = wfsm_store_checkpoints(store, id, row_line, out, error);
    tk_text_add(out, " document\n");
    if (!status)
        status = unless_none(wfsm_store_document(store, fingerprint, row_line, out, error));
    return status;
}

int32_t tk_dump(wfsm_store *store, tk_text *out, wfsm_error *error)
{
    page to = {.out = out};
    int32_t status = wfsm_store_list(store, NULL, head_line, &to, error);
    const char *id = to.ids.data;
    for (size_t i = 0; i < to.count && !status && !to.ids.failed; i++) {
        const char *fingerprint = id + strlen(id) + 1;
        status = dump_instance(store, out, id, fingerprint, error);
        id = fingerprint + strlen(fingerprint) + 1;
    }
    tk_text_add(out, "inbox\n");
    if (!status)
        status = wfsm_store_inbox(store, NULL, 0, row_line, out, error);
    if (to.ids.failed || out->failed)
        status = WFSM_NO_MEMORY;
    tk_text_free(&to.ids);
    return status;
}

tk_text tk_dump_of(tk_suite *suite, wfsm_store *store)
{
    tk_text out = {0};
    int32_t status = tk_dump(store, &out, suite->error);
    suite->no_memory = suite->no_memory || out.failed;
    tk_holds(suite, status == WFSM_OK, "reading everything: %s, %s", wfsm_status_name(status),
             wfsm_error_message(suite->error));
    return out;
}

bool tk_same(tk_suite *suite, const char *what, wfsm_store *store, tk_text *before)
{
    tk_text now = tk_dump_of(suite, store);
    bool fine = tk_lines(suite, what, tk_text_read(before), tk_text_read(&now));
    tk_text_free(&now);
    tk_text_free(before);
    return fine;
}
