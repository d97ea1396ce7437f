#include "crash/batch.h"
#include "crash/stored.h"
#include "../given.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unity.h>

enum { COMMITS = 5 };

/* One commit, with everything that it borrows. */
typedef struct owned {
    wfsm_commit commit;
    char *record, *snapshot, *document, *token, *fingerprint, *tags;
} owned;

static char *copy(const char *text, size_t length)
{
    char *out = malloc(length + 1);
    TEST_ASSERT_NOT_NULL(out);
    memcpy(out, text, length);
    out[length] = '\0';
    return out;
}

static int32_t keep_text(void *user, const wfsm_row *row)
{
    *(char **)user = copy(row->text, row->length);
    return WFSM_OK;
}

static void read_texts(owned *self, wfsm_store *store, const wfsm_head *head)
{
    wfsm_store_records(store, head->instance, head->revision, head->revision, keep_text,
                       &self->record, NULL);
    TEST_ASSERT_NOT_NULL(self->record);
    self->commit.record = self->record;
    self->commit.record_length = strlen(self->record);
    wfsm_store_document(store, self->fingerprint, keep_text, &self->document, NULL);
    TEST_ASSERT_NOT_NULL(self->document);
    self->commit.document = self->document;
    self->commit.document_length = strlen(self->document);
}

static void read_snapshot(owned *self, wfsm_store *store, const char *id)
{
    wfsm_store_snapshot(store, id, NULL, keep_text, &self->snapshot, NULL);
    TEST_ASSERT_NOT_NULL(self->snapshot);
    self->commit.snapshot = self->snapshot;
    self->commit.snapshot_length = strlen(self->snapshot);
}

/* The commit that led to the head of a store. */
static void read_commit(owned *self, wfsm_store *store, const char *id)
{
    wfsm_head head = {.size = sizeof head};
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wfsm_store_head(store, id, &head, NULL));
    *self = (owned){.token = copy(head.token, strlen(head.token)),
                    .fingerprint = copy(head.fingerprint, strlen(head.fingerprint)),
                    .tags = copy(head.tags, strlen(head.tags))};
    self->commit = (wfsm_commit){.size = sizeof self->commit,
                                 .instance = id,
                                 .base = head.revision - 1,
                                 .owner = "",
                                 .token = self->token,
                                 .machine = "work",
                                 .fingerprint = self->fingerprint,
                                 .tags = self->tags,
                                 .status = head.status,
                                 .deadline = head.deadline,
                                 .now = head.updated,
                                 .effects = head.effects};
    bool whole = head.snapshot_revision == head.revision;
    read_texts(self, store, &head);
    if (whole)
        read_snapshot(self, store, id);
}

static void free_commit(owned *self)
{
    free(self->record);
    free(self->snapshot);
    free(self->document);
    free(self->token);
    free(self->fingerprint);
    free(self->tags);
}

static void make_commits(const work *self, owned commits[COMMITS], const char *id,
                         const char *input)
{
    wfsm_store *memory;
    wfsm_instance *instance;
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wfsm_memory_open(&memory, NULL, NULL));
    TEST_ASSERT_EQUAL_INT32(
        WFSM_OK,
        wfsm_instance_start(&instance, self->machine,
                            START(id, .store = memory, .input = input, .length = strlen(input)),
                            1000, NULL));
    read_commit(&commits[0], memory, id);
    for (size_t i = 1; i < COMMITS; i++) {
        TEST_ASSERT_EQUAL_INT32(
            WFSM_OK,
            wfsm_instance_send(instance, EVENT("add", .data = "{\"n\":9}", .length = 7), 1000,
                               NULL, NULL));
        read_commit(&commits[i], memory, id);
    }
    wfsm_instance_free(instance);
    wfsm_store_free(memory);
}

static void tell_commit(work *self, const wfsm_commit *commit)
{
    char line[TOLD_LINE];
    snprintf(line, sizeof line, "commit %s %" PRIu64 " %016" PRIx64 "\n", commit->instance,
             commit->base + 1, stored_digest(commit->record, commit->record_length));
    told_add(&self->told, line);
}

static int32_t write_batch(work *self, wfsm_store *store, const owned *from, size_t count)
{
    const wfsm_commit *commits[WORK_BATCH];
    int32_t answers[WORK_BATCH];
    for (size_t i = 0; i < count; i++)
        commits[i] = &from[i].commit;
    int32_t status = wfsm_store_commit(store, commits, count, answers, NULL);
    for (size_t i = 0; i < count; i++) {
        if (!status)
            status = answers[i];
        if (!answers[i])
            tell_commit(self, commits[i]);
    }
    return status;
}

static int32_t write_rest(work *self, wfsm_store *store, const owned *commits, size_t next)
{
    int32_t status = WFSM_OK;
    while (!status && next < COMMITS) {
        size_t count = COMMITS - next < WORK_BATCH ? COMMITS - next : WORK_BATCH;
        status = write_batch(self, store, commits + next, count);
        next += count;
    }
    return status;
}

int32_t batch_write(work *self, wfsm_store *store, const char *id, const char *input)
{
    owned commits[COMMITS];
    wfsm_head head = {.size = sizeof head};
    int32_t status = wfsm_store_head(store, id, &head, NULL);
    if (status == WFSM_NOT_FOUND)
        head.revision = 0;
    else if (status || head.revision >= COMMITS)
        return status;
    make_commits(self, commits, id, input);
    status = write_rest(self, store, commits, head.revision);
    for (size_t i = 0; i < COMMITS; i++)
        free_commit(&commits[i]);
    return status;
}
