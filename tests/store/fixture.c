#include "store/fixture.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unity.h>

wfsm_commit commit_of(const char *instance, uint64_t base)
{
    return (wfsm_commit){
        .size = sizeof(wfsm_commit),
        .instance = instance,
        .base = base,
        .owner = "",
        .token = "token",
        .record = "{\"r\":1}",
        .record_length = 7,
        .machine = "machine",
        .fingerprint = "f1",
        .document = base ? NULL : "{\"id\":\"machine\"}",
        .document_length = base ? 0 : 16,
        .tags = "",
        .status = WFSM_RUNNING,
        .deadline = WFSM_NEVER,
        .now = 1000 + (int64_t)base,
    };
}

void expect_commit(wfsm_store *store, const wfsm_commit *commit, int32_t answer)
{
    wfsm_error *error = wfsm_error_new(NULL);
    int32_t got = wf_store_commit_one(store, commit, error);
    TEST_ASSERT_EQUAL_STRING_MESSAGE(wfsm_status_name(answer), wfsm_status_name(got),
                                     wfsm_error_message(error));
    TEST_ASSERT_EQUAL_INT32(answer, wfsm_error_status(error));
    wfsm_error_free(error);
}

void start_instance(wfsm_store *store, const char *instance, uint64_t count)
{
    for (uint64_t base = 0; base < count; base++) {
        wfsm_commit commit = commit_of(instance, base);
        expect_commit(store, &commit, WFSM_OK);
    }
}

int32_t keep_row(void *user, const wfsm_row *row)
{
    kept_row *kept = user;
    kept->count++;
    kept->revision = row->revision;
    kept->number = row->number;
    kept->now = row->now;
    kept->length = row->length;
    snprintf(kept->id, sizeof kept->id, "%s", row->id ? row->id : "");
    snprintf(kept->instance, sizeof kept->instance, "%s", row->instance ? row->instance : "");
    snprintf(kept->name, sizeof kept->name, "%s", row->name ? row->name : "");
    snprintf(kept->text, sizeof kept->text, "%.*s", (int)(row->text ? row->length : 0),
             row->text ? row->text : "");
    return WFSM_OK;
}

typedef struct page {
    char *text;
    size_t length, capacity;
    char ids[64][256]; /* of the instances, for the second round */
    char fingerprints[64][256];
    size_t count;
} page;

static void line(page *out, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int bytes = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    size_t need = out->length + (size_t)bytes + 1;
    if (need > out->capacity) {
        out->capacity = need * 2;
        out->text = realloc(out->text, out->capacity);
    }
    va_start(arguments, format);
    vsnprintf(out->text + out->length, (size_t)bytes + 1, format, arguments);
    va_end(arguments);
    out->length += (size_t)bytes;
}

static int32_t head_line(void *user, const wfsm_row *row)
{
    page *out = user;
    const wfsm_head *head = row->head;
    line(out, "head %s %s %s '%s' %s '%s' r%llu s%llu e%llu a%llu %d %lld %lld %lld\n",
         head->instance, head->machine, head->fingerprint, head->owner, head->token, head->tags,
         (unsigned long long)head->revision, (unsigned long long)head->snapshot_revision,
         (unsigned long long)head->effects, (unsigned long long)head->acknowledged,
         (int)head->status, (long long)head->deadline, (long long)head->created,
         (long long)head->updated);
    if (out->count == 64)
        return WFSM_LIMIT;
    snprintf(out->ids[out->count], 256, "%s", head->instance);
    snprintf(out->fingerprints[out->count++], 256, "%s", head->fingerprint);
    return WFSM_OK;
}

static int32_t row_line(void *user, const wfsm_row *row)
{
    line(user, "  row '%s' %s %s r%llu n%llu %lld %.*s\n", row->id ? row->id : "",
         row->instance ? row->instance : "", row->name ? row->name : "",
         (unsigned long long)row->revision, (unsigned long long)row->number,
         (long long)row->now, (int)row->length, row->text ? row->text : "");
    return WFSM_OK;
}

static void dump_instance(wfsm_store *store, page *out, size_t at)
{
    const char *id = out->ids[at];
    line(out, "instance %s\n", id);
    TEST_ASSERT_EQUAL_INT32(WFSM_OK,
                            wfsm_store_records(store, id, 1, UINT64_MAX, row_line, out, NULL));
    line(out, " snapshot\n");
    wfsm_store_snapshot(store, id, NULL, row_line, out, NULL);
    line(out, " checkpoints\n");
    wfsm_store_checkpoints(store, id, row_line, out, NULL);
    line(out, " document\n");
    wfsm_store_document(store, out->fingerprints[at], row_line, out, NULL);
}

char *dump(wfsm_store *store)
{
    page *out = calloc(1, sizeof *out);
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wfsm_store_list(store, NULL, head_line, out, NULL));
    for (size_t i = 0; i < out->count; i++)
        dump_instance(store, out, i);
    line(out, "inbox\n");
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wfsm_store_inbox(store, NULL, 0, row_line, out, NULL));
    char *text = out->text;
    free(out);
    return text;
}

void free_dump(char *text)
{
    free(text);
}

void expect_dump(wfsm_store *store, char *before)
{
    char *now = dump(store);
    TEST_ASSERT_EQUAL_STRING(before, now);
    free(now);
    free(before);
}
