/*
 * A journal is written as it was made, commit by commit. That of a compacted one begins at its anchor,
 * and a store has no call to begin there: so empty records come first, with the checkpoints and documents
 * of what was dropped, and the new journal is cut at the anchor, as the old one was.
 */
#include "wfsm/copy.h"

#include <stdlib.h>
#include <string.h>

enum { BATCH = 1024, BATCH_BYTES = 1 << 20 };

typedef struct copy_writing {
    copying *self;
    copy_source *source; /* whose commits are being added */
    wfsm_commit commits[BATCH];
    copy_source *sources[BATCH]; /* of each commit */
    bool enters[BATCH]; /* the commit brings the document of its fingerprint */
    size_t count, bytes;
    size_t taken; /* records by the last reading */
    char **texts; /* that the commits borrow */
    size_t text_count, text_room;
    char *fingerprint; /* of the document in force; kept in no batch */
    char token[WFSM_DIGEST_SIZE]; /* of the last commit */
} copy_writing;

/* ---- texts ---- */

static char *keep(copy_writing *at, char *text)
{
    if (at->text_count == at->text_room) {
        at->text_room = at->text_room > 0 ? 2 * at->text_room : 4 * BATCH;
        at->texts = cli_need(realloc(at->texts, at->text_room * sizeof *at->texts));
    }
    return at->texts[at->text_count++] = cli_need(text);
}

static const char *keep_bytes(copy_writing *at, const char *bytes, size_t length)
{
    char *copy = keep(at, malloc(length + 1));
    if (length > 0)
        memcpy(copy, bytes, length);
    copy[length] = '\0';
    at->bytes += length;
    return copy;
}

/* All but the first of them. */
static void drop_texts(copy_writing *at, size_t left)
{
    while (at->text_count > left)
        free(at->texts[--at->text_count]);
}

/* ---- a commit ---- */

static wfsm_commit *add(copy_writing *at, uint64_t revision, int64_t now, const char *record,
                        size_t length)
{
    const stored_head *head = &at->source->head;
    bool last = revision == head->revision;
    const char *previous = revision > 1 ? keep_bytes(at, at->token, strlen(at->token)) : NULL;
    wfsm_digest(record, length, at->token);
    at->enters[at->count] = false;
    at->sources[at->count] = at->source;
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
                            .attributes = last ? head->attributes : NULL,
                            .status = last ? head->status : WFSM_RUNNING,
                            .deadline = last ? head->deadline : WFSM_NEVER,
                            .now = now,
                            .effects = head->effects};
    return commit;
}

/* From this commit on. Takes the fingerprint away. */
static void enter(copy_writing *at, char *fingerprint)
{
    free(at->fingerprint);
    at->fingerprint = fingerprint;
    at->enters[at->count - 1] = true;
}

static void name_document(copy_writing *at, wfsm_commit *commit)
{
    const char *now = at->fingerprint ? at->fingerprint : at->source->head.fingerprint;
    commit->fingerprint = keep_bytes(at, now, strlen(now));
}

static void add_snapshot(copy_writing *at, wfsm_commit *commit)
{
    const stored_head *head = &at->source->head;
    const cli_text *text = commit->base + 1 == head->snapshot_revision ? &at->source->snapshot
                           : commit->base + 1 == head->first           ? &at->source->anchor
                                                                       : NULL;
    if (text && text->data) {
        commit->snapshot = text->data;
        commit->snapshot_length = text->length;
        at->bytes += text->length;
    }
}

/* ---- what the store has to be asked for ---- */

/* An earlier one of the batch may bring the same. */
static bool brings_document(const copy_writing *at, size_t which)
{
    bool brings = at->enters[which];
    for (size_t i = 0; i < which && brings; i++)
        brings = !at->enters[i] ||
                 strcmp(at->commits[i].fingerprint, at->commits[which].fingerprint) != 0;
    return brings;
}

static int32_t add_document(copy_writing *at, wfsm_commit *commit)
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

static int32_t read_checkpoint(const copy_writing *at, const char *id,
                               const copy_checkpoint *made, cli_text *text)
{
    return wfsm_store_snapshot(at->self->from, id, made->id, copy_row_text, text,
                               at->self->error);
}

static int32_t add_checkpoint(copy_writing *at, const copy_source *source, wfsm_commit *commit)
{
    const copy_checkpoint *made = copy_checkpoint_at(source, commit->base + 1);
    cli_text text = {0};
    int32_t status = made ? read_checkpoint(at, source->head.id, made, &text) : WFSM_OK;
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

static int32_t send(const copy_writing *at, size_t from, size_t to)
{
    const wfsm_commit *list[BATCH];
    int32_t answers[BATCH];
    for (size_t i = from; i < to; i++)
        list[i - from] = &at->commits[i];
    int32_t status = copy_stay_alive(at->self);
    if (status == WFSM_OK)
        status = wfsm_store_commit(at->self->to, list, to - from, answers, at->self->error);
    for (size_t i = from; i < to && status == WFSM_OK; i++)
        if (at->sources[i]->answer == WFSM_OK)
            at->sources[i]->answer = answers[i - from];
    return status;
}

static int32_t send_all(copy_writing *at)
{
    int32_t status = WFSM_OK;
    size_t sent = 0, texts = at->text_count;
    at->bytes = 0; /* of checkpoints and documents, from here on */
    for (size_t i = 0; i < at->count && status == WFSM_OK; i++) {
        status = add_checkpoint(at, at->sources[i], &at->commits[i]);
        if (status == WFSM_OK && brings_document(at, i))
            status = add_document(at, &at->commits[i]);
        if (status != WFSM_OK || (i + 1 < at->count && at->bytes < BATCH_BYTES))
            continue;
        status = send(at, sent, i + 1);
        sent = i + 1;
        drop_texts(at, texts);
        at->bytes = 0;
    }
    return status;
}

int32_t copy_flush(copy_writing *at)
{
    int32_t status = send_all(at);
    drop_texts(at, 0);
    at->count = at->bytes = 0;
    return status;
}

static bool is_full(const copy_writing *at)
{
    return at->count == BATCH || at->bytes >= BATCH_BYTES;
}

/* ---- records ---- */

/* Those of starts and migrations name a document. */
static void add_record(copy_writing *at, const wfsm_row *row)
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
    copy_writing *at = user;
    if (is_full(at))
        return WFSM_LIMIT;
    add_record(at, row);
    at->taken++;
    return WFSM_OK;
}

static int32_t read_records(copy_writing *at, uint64_t from, uint64_t to)
{
    at->taken = 0;
    int32_t status = wfsm_store_records(at->self->from, at->source->head.id, from, to,
                                        take_record, at, at->self->error);
    if (status == WFSM_OK && at->taken == 0)
        return wfsm_error_set(at->self->error, WFSM_CORRUPT, "a record is missing");
    return status;
}

static int32_t write_records(copy_writing *at, uint64_t from, uint64_t to)
{
    int32_t status = WFSM_OK;
    while (status == WFSM_OK && at->source->answer == WFSM_OK && from <= to) {
        status = read_records(at, from, to);
        from += at->taken;
        if (status == WFSM_LIMIT)
            status = copy_flush(at);
    }
    return status;
}

/* ---- what was dropped ---- */

/* The state of a checkpoint belongs to the document of its time. */
static int32_t enter_checkpoint(copy_writing *at, const copy_checkpoint *made)
{
    cli_text text = {0};
    int32_t status = read_checkpoint(at, at->source->head.id, made, &text);
    char *fingerprint = status == WFSM_OK ? copy_fingerprint(text.data, text.length) : NULL;
    if (fingerprint)
        enter(at, fingerprint);
    cli_text_free(&text);
    return status;
}

static int32_t add_dropped(copy_writing *at, uint64_t revision)
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

static int32_t write_dropped(copy_writing *at)
{
    int32_t status = WFSM_OK;
    for (uint64_t i = 1; i < at->source->head.first && status == WFSM_OK; i++) {
        status = add_dropped(at, i);
        if (status == WFSM_OK && is_full(at))
            status = copy_flush(at);
    }
    return status == WFSM_OK ? copy_flush(at) : status;
}

/* The journal up to the anchor, and the cut there. */
static int32_t write_anchor(copy_writing *at)
{
    const cli_text *anchor = &at->source->anchor;
    uint64_t first = at->source->head.first;
    int32_t status = write_dropped(at);
    free(at->fingerprint);
    at->fingerprint = copy_fingerprint(anchor->data, anchor->length);
    if (status == WFSM_OK)
        status = read_records(at, first, first);
    if (status == WFSM_OK && at->count == 1)
        at->enters[0] = true;
    if (status == WFSM_OK)
        status = copy_flush(at);
    if (status != WFSM_OK || at->source->answer != WFSM_OK)
        return status;
    return wfsm_store_cut(at->self->to, at->source->head.id, first, anchor->data,
                          anchor->length, at->self->error);
}

int32_t copy_write(copy_writing *at, copy_source *source)
{
    bool cut = source->head.first > 1;
    free(at->fingerprint);
    at->fingerprint = NULL;
    at->source = source;
    source->answer = WFSM_OK;
    int32_t status = cut ? write_anchor(at) : WFSM_OK;
    return status == WFSM_OK
               ? write_records(at, source->head.first + cut, source->head.revision)
               : status;
}

copy_writing *copy_writing_new(copying *self)
{
    copy_writing *at = cli_need(calloc(1, sizeof *at));
    at->self = self;
    return at;
}

void copy_writing_free(copy_writing *at)
{
    drop_texts(at, 0);
    free(at->texts);
    free(at->fingerprint);
    free(at);
}
