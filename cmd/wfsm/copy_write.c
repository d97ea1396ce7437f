/*
 * A journal is written as it was made, commit by commit. That of a compacted one begins at its anchor,
 * and a store has no call to begin there: so empty records come first, with the checkpoints and documents
 * of what was dropped, and the new journal is cut at the anchor, as the old one was.
 */
#include "wfsm/copy.h"

#include <stdlib.h>
#include <string.h>

enum { BATCH = 256, BATCH_BYTES = 1 << 20 };

typedef struct writing {
    copying *self;
    const copy_source *source;
    wfsm_commit commits[BATCH];
    bool enters[BATCH]; /* the commit brings the document of its fingerprint */
    size_t count, bytes;
    char **texts; /* that the commits borrow */
    size_t text_count, text_room;
    char *fingerprint; /* of the document in force; kept in no batch */
    char token[WFSM_DIGEST_SIZE]; /* of the last commit */
} writing;

/* ---- texts ---- */

static char *keep(writing *at, char *text)
{
    if (at->text_count == at->text_room) {
        at->text_room = at->text_room > 0 ? 2 * at->text_room : 4 * BATCH;
        at->texts = cli_need(realloc(at->texts, at->text_room * sizeof *at->texts));
    }
    return at->texts[at->text_count++] = cli_need(text);
}

static const char *keep_bytes(writing *at, const char *bytes, size_t length)
{
    char *copy = keep(at, malloc(length + 1));
    if (length > 0)
        memcpy(copy, bytes, length);
    copy[length] = '\0';
    at->bytes += length;
    return copy;
}

static void drop_texts(writing *at)
{
    while (at->text_count > 0)
        free(at->texts[--at->text_count]);
}

/* ---- a commit ---- */

static wfsm_commit *add(writing *at, uint64_t revision, int64_t now, const char *record,
                        size_t length)
{
    const stored_head *head = &at->source->head;
    bool last = revision == head->revision;
    const char *previous = revision > 1 ? keep_bytes(at, at->token, strlen(at->token)) : NULL;
    wfsm_digest(record, length, at->token);
    at->enters[at->count] = false;
    wfsm_commit *commit = &at->commits[at->count++];
    *commit = (wfsm_commit){.size = sizeof *commit,
                            .instance = head->id,
                            .base = revision - 1,
                            .owner = COPY_OWNER,
                            .token = keep_bytes(at, at->token, strlen(at->token)),
                            .previous = previous,
                            .record = keep_bytes(at, record, length),
                            .record_length = length,
                            .machine = head->machine,
                            .tags = last ? head->tags : "",
                            .status = last ? head->status : WFSM_RUNNING,
                            .deadline = last ? head->deadline : WFSM_NEVER,
                            .now = now,
                            .effects = head->effects};
    return commit;
}

/* From this commit on. Takes the fingerprint away. */
static void enter(writing *at, char *fingerprint)
{
    free(at->fingerprint);
    at->fingerprint = fingerprint;
    at->enters[at->count - 1] = true;
}

static void name_document(writing *at, wfsm_commit *commit)
{
    const char *now = at->fingerprint ? at->fingerprint : at->source->head.fingerprint;
    commit->fingerprint = keep_bytes(at, now, strlen(now));
}

static void add_snapshot(const writing *at, wfsm_commit *commit)
{
    const stored_head *head = &at->source->head;
    const cli_text *text = commit->base + 1 == head->snapshot_revision ? &at->source->snapshot
                           : commit->base + 1 == head->first           ? &at->source->anchor
                                                                       : NULL;
    if (text && text->data) {
        commit->snapshot = text->data;
        commit->snapshot_length = text->length;
    }
}

/* ---- what the store has to be asked for ---- */

static int32_t add_document(writing *at, wfsm_commit *commit)
{
    cli_text text = {0};
    int32_t status = wfsm_store_document(at->self->from, commit->fingerprint, copy_row_text,
                                         &text, at->self->error);
    if (status == WFSM_OK) {
        commit->document = keep_bytes(at, text.data, text.length);
        commit->document_length = text.length;
    }
    cli_text_free(&text);
    return status;
}

static int32_t read_checkpoint(const writing *at, const copy_checkpoint *made, cli_text *text)
{
    return wfsm_store_snapshot(at->self->from, at->source->head.id, made->id, copy_row_text,
                               text, at->self->error);
}

static int32_t add_checkpoint(writing *at, wfsm_commit *commit)
{
    const copy_checkpoint *made = copy_checkpoint_at(at->source, commit->base + 1);
    cli_text text = {0};
    int32_t status = made ? read_checkpoint(at, made, &text) : WFSM_OK;
    if (made && status == WFSM_OK) {
        commit->checkpoint = made->id;
        commit->checkpoint_snapshot = keep_bytes(at, text.data, text.length);
        commit->checkpoint_length = text.length;
        commit->artifacts = made->artifacts;
        commit->artifacts_length = strlen(made->artifacts);
    }
    cli_text_free(&text);
    return status;
}

static int32_t send_batch(const writing *at)
{
    const wfsm_commit *list[BATCH];
    int32_t answers[BATCH];
    for (size_t i = 0; i < at->count; i++)
        list[i] = &at->commits[i];
    int32_t status = copy_stay_alive(at->self);
    if (status == WFSM_OK)
        status = wfsm_store_commit(at->self->to, list, at->count, answers, at->self->error);
    for (size_t i = 0; i < at->count && status == WFSM_OK; i++)
        status = answers[i];
    return status;
}

static int32_t flush(writing *at)
{
    int32_t status = WFSM_OK;
    for (size_t i = 0; i < at->count && status == WFSM_OK; i++) {
        status = add_checkpoint(at, &at->commits[i]);
        if (status == WFSM_OK && at->enters[i])
            status = add_document(at, &at->commits[i]);
    }
    if (status == WFSM_OK && at->count > 0)
        status = send_batch(at);
    drop_texts(at);
    at->count = at->bytes = 0;
    return status;
}

static bool is_full(const writing *at)
{
    return at->count == BATCH || at->bytes >= BATCH_BYTES;
}

/* ---- records ---- */

/* Those of starts and migrations name a document. */
static void add_record(writing *at, const wfsm_row *row)
{
    wfsm_commit *commit = add(at, row->revision, row->now, row->text, row->length);
    char *fingerprint = strstr(commit->record, "\"fingerprint\"")
                            ? copy_fingerprint(commit->record, commit->record_length)
                            : NULL;
    if (fingerprint)
        enter(at, fingerprint);
    commit->event_id = row->id ? keep_bytes(at, row->id, strlen(row->id)) : NULL;
    name_document(at, commit);
    add_snapshot(at, commit);
}

static int32_t take_record(void *user, const wfsm_row *row)
{
    writing *at = user;
    if (is_full(at))
        return WFSM_LIMIT;
    add_record(at, row);
    return WFSM_OK;
}

static int32_t write_records(writing *at, uint64_t from, uint64_t to)
{
    int32_t status = WFSM_OK;
    while (status == WFSM_OK && from <= to) {
        status = wfsm_store_records(at->self->from, at->source->head.id, from, to, take_record,
                                    at, at->self->error);
        from += at->count;
        bool missing = status == WFSM_OK && at->count == 0;
        if (missing)
            status = wfsm_error_set(at->self->error, WFSM_CORRUPT, "a record is missing");
        if (status == WFSM_OK || status == WFSM_LIMIT)
            status = flush(at);
    }
    return status;
}

/* ---- what was dropped ---- */

/* The state of a checkpoint belongs to the document of its time. */
static int32_t enter_checkpoint(writing *at, const copy_checkpoint *made)
{
    cli_text text = {0};
    int32_t status = read_checkpoint(at, made, &text);
    char *fingerprint = status == WFSM_OK ? copy_fingerprint(text.data, text.length) : NULL;
    if (fingerprint)
        enter(at, fingerprint);
    cli_text_free(&text);
    return status;
}

static int32_t add_dropped(writing *at, uint64_t revision)
{
    const copy_checkpoint *made = copy_checkpoint_at(at->source, revision);
    const stored_head *head = &at->source->head;
    wfsm_commit *commit = add(at, revision, made ? made->now : head->created, "{}", 2);
    if (revision == 1)
        commit->now = head->created;
    int32_t status = made ? enter_checkpoint(at, made) : WFSM_OK;
    if (revision == 1)
        at->enters[at->count - 1] = true;
    name_document(at, commit);
    return status;
}

static int32_t write_dropped(writing *at)
{
    int32_t status = WFSM_OK;
    for (uint64_t i = 1; i < at->source->head.first && status == WFSM_OK; i++) {
        status = add_dropped(at, i);
        if (status == WFSM_OK && is_full(at))
            status = flush(at);
    }
    return status == WFSM_OK ? flush(at) : status;
}

/* The journal up to the anchor, and the cut there. */
static int32_t write_anchor(writing *at)
{
    const cli_text *anchor = &at->source->anchor;
    uint64_t first = at->source->head.first;
    int32_t status = write_dropped(at);
    free(at->fingerprint);
    at->fingerprint = copy_fingerprint(anchor->data, anchor->length);
    if (status == WFSM_OK)
        status = wfsm_store_records(at->self->from, at->source->head.id, first, first,
                                    take_record, at, at->self->error);
    if (status == WFSM_OK && at->count == 1)
        at->enters[0] = true;
    if (status == WFSM_OK)
        status = flush(at);
    return status != WFSM_OK ? status
                             : wfsm_store_cut(at->self->to, at->source->head.id, first,
                                              anchor->data, anchor->length, at->self->error);
}

int32_t copy_write(copying *self, const copy_source *source)
{
    writing *at = cli_need(calloc(1, sizeof *at));
    bool cut = source->head.first > 1;
    at->self = self;
    at->source = source;
    int32_t status = cut ? write_anchor(at) : WFSM_OK;
    if (status == WFSM_OK)
        status = write_records(at, source->head.first + cut, source->head.revision);
    if (status == WFSM_OK && source->head.acknowledged > 0)
        status = wfsm_store_acknowledge(self->to, source->head.id, source->head.acknowledged,
                                        self->error);
    drop_texts(at);
    free(at->texts);
    free(at->fingerprint);
    free(at);
    return status;
}
