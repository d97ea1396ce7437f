#include "crash/stored.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* FNV-1a: on purpose not the library's digest. */
uint64_t stored_digest(const char *text, size_t length)
{
    uint64_t digest = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < length; i++)
        digest = (digest ^ (unsigned char)text[i]) * UINT64_C(0x100000001b3);
    return digest;
}

static void *grown(void *list, size_t count, size_t size)
{
    /* By doubling, whenever the count is a power of two. */
    if (count & (count - 1))
        return list;
    list = realloc(list, (count ? count * 2 : 1) * size);
    if (!list)
        abort();
    return list;
}

static int32_t keep_record(void *user, const wfsm_row *row)
{
    stored_journal *journal = user;
    if (row->revision != journal->count + 1)
        return WFSM_CORRUPT;
    journal->records = grown(journal->records, journal->count, sizeof *journal->records);
    stored_record *record = &journal->records[journal->count++];
    *record = (stored_record){.digest = stored_digest(row->text, row->length), .now = row->now};
    if (journal->count > 1 && record[-1].now > row->now)
        journal->runs_back = true;
    record->text = malloc(row->length + 1);
    if (!record->text)
        abort();
    memcpy(record->text, row->text, row->length);
    record->text[row->length] = '\0';
    snprintf(record->event, sizeof record->event, "%s", row->id ? row->id : "");
    return WFSM_OK;
}

static int32_t keep_head(void *user, const wfsm_row *row)
{
    stored *all = user;
    if (all->count == STORED_MOST)
        return WFSM_LIMIT;
    snprintf(all->journals[all->count++].id, sizeof all->journals[0].id, "%s",
             row->head->instance);
    return WFSM_OK;
}

static int32_t keep_post(void *user, const wfsm_row *row)
{
    stored *all = user;
    all->posts = grown(all->posts, all->post_count, sizeof *all->posts);
    struct stored_post *post = &all->posts[all->post_count++];
    snprintf(post->instance, sizeof post->instance, "%s", row->instance);
    snprintf(post->id, sizeof post->id, "%s", row->id ? row->id : "");
    return WFSM_OK;
}

static int32_t read_journal(stored_journal *journal, wfsm_store *store)
{
    wfsm_head head = {.size = sizeof head};
    int32_t status =
        wfsm_store_records(store, journal->id, 1, UINT64_MAX, keep_record, journal, NULL);
    if (!status)
        status = wfsm_store_head(store, journal->id, &head, NULL);
    return !status && head.revision != journal->count ? WFSM_CORRUPT : status;
}

int32_t stored_read(stored *all, wfsm_store *store)
{
    wfsm_query query = {.size = sizeof query};
    int32_t status = wfsm_store_list(store, &query, keep_head, all, NULL);
    for (size_t i = 0; !status && i < all->count; i++)
        status = read_journal(&all->journals[i], store);
    return status ? status : wfsm_store_inbox(store, NULL, 0, keep_post, all, NULL);
}

void stored_free(stored *all)
{
    for (size_t i = 0; i < all->count; i++) {
        for (size_t k = 0; k < all->journals[i].count; k++)
            free(all->journals[i].records[k].text);
        free(all->journals[i].records);
    }
    free(all->posts);
}

static const stored_journal *journal_of(const stored *all, const char *instance)
{
    static const stored_journal none = {.count = 0};
    for (size_t i = 0; i < all->count; i++)
        if (!strcmp(all->journals[i].id, instance))
            return &all->journals[i];
    return &none;
}

stored_record *stored_find(stored *all, const char *instance, uint64_t revision)
{
    const stored_journal *journal = journal_of(all, instance);
    return revision && revision <= journal->count ? &journal->records[revision - 1] : NULL;
}

size_t stored_events(const stored *all, const char *instance, const char *id)
{
    const stored_journal *journal = journal_of(all, instance);
    size_t count = 0;
    for (size_t i = 0; i < journal->count; i++)
        count += !strcmp(journal->records[i].event, id);
    return count;
}

size_t stored_posts(const stored *all, const char *instance, const char *id)
{
    size_t count = 0;
    for (size_t i = 0; i < all->post_count; i++)
        count += !strcmp(all->posts[i].instance, instance) && !strcmp(all->posts[i].id, id);
    return count;
}
