#include "later.h"
#include "../base/invariant.h"

#include <stdlib.h>
#include <string.h>

struct tk_later {
    size_t count;
    wfsm_commit *list;
    const wfsm_commit **batch;
    int32_t *answers;
    char *bytes; /* of all texts */
    size_t used, size;
};

/* The texts of a commit: the offset of each member, and of its length if it has one. */
typedef struct member {
    const char **text;
    const size_t *length;
} member;

enum { MEMBERS = 16 };

static void members_of(wfsm_commit *commit, member out[MEMBERS])
{
    const member all[MEMBERS] = {
        {&commit->instance, NULL},
        {&commit->owner, NULL},
        {&commit->token, NULL},
        {&commit->previous, NULL},
        {&commit->event_id, NULL},
        {&commit->record, &commit->record_length},
        {&commit->snapshot, &commit->snapshot_length},
        {&commit->checkpoint, NULL},
        {&commit->checkpoint_snapshot, &commit->checkpoint_length},
        {&commit->artifacts, &commit->artifacts_length},
        {&commit->checkpoint_deleted, NULL},
        {&commit->machine, NULL},
        {&commit->fingerprint, NULL},
        {&commit->document, &commit->document_length},
        {&commit->tags, NULL},
        {&commit->attributes, NULL},
    };
    memcpy(out, all, sizeof all);
}

static size_t bytes_of(const member *one)
{
    if (!*one->text)
        return 0;
    return (one->length ? *one->length : strlen(*one->text)) + 1;
}

static size_t text_bytes(wfsm_commit *commit)
{
    member list[MEMBERS];
    size_t sum = 0;
    members_of(commit, list);
    for (int i = 0; i < MEMBERS; i++)
        sum += bytes_of(&list[i]);
    return sum;
}

static void copy_texts(tk_later *later, wfsm_commit *commit)
{
    member list[MEMBERS];
    members_of(commit, list);
    for (int i = 0; i < MEMBERS; i++) {
        size_t bytes = bytes_of(&list[i]);
        char *place = later->bytes + later->used;
        if (!bytes)
            continue;
        WF_INVARIANT(later->used + bytes <= later->size);
        memcpy(place, *list[i].text, bytes - 1);
        place[bytes - 1] = '\0';
        *list[i].text = place;
        later->used += bytes;
    }
}

/* A commit of a newer release may be larger. Its unknown members are left out. */
static void copy_commit(wfsm_commit *copy, const wfsm_commit *commit)
{
    *copy = (wfsm_commit){0};
    memcpy(copy, commit, commit->size < sizeof *copy ? commit->size : sizeof *copy);
    copy->size = sizeof *copy;
}

static bool allocate(tk_later *later)
{
    later->list = calloc(later->count, sizeof *later->list);
    later->batch = calloc(later->count, sizeof *later->batch);
    later->answers = calloc(later->count, sizeof *later->answers);
    return later->list && later->batch && later->answers;
}

tk_later *tk_later_new(const wfsm_commit *const *commits, size_t count)
{
    tk_later *later = calloc(1, sizeof *later);
    if (!later)
        return NULL;
    later->count = count;
    if (!allocate(later))
        goto failed;
    for (size_t i = 0; i < count; i++) {
        copy_commit(&later->list[i], commits[i]);
        later->batch[i] = &later->list[i];
        later->size += text_bytes(&later->list[i]);
    }
    later->bytes = malloc(later->size + 1);
    if (!later->bytes)
        goto failed;
    for (size_t i = 0; i < count; i++)
        copy_texts(later, &later->list[i]);
    WF_INVARIANT(later->used == later->size);
    return later;
failed:
    tk_later_free(later);
    return NULL;
}

void tk_later_do(tk_later *later, wfsm_store *store)
{
    wfsm_store_commit(store, later->batch, later->count, later->answers, NULL);
}

void tk_later_free(tk_later *later)
{
    if (!later)
        return;
    free(later->list);
    free(later->batch);
    free(later->answers);
    free(later->bytes);
    free(later);
}
