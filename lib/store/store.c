/* store/store.c: the public calls of a store that change something. */
#include "store/exchange.h"

#include "base/sized.h"
#include "logic/json.h"
#include "step/snapshot.h"

#include <string.h>

static int32_t check(const wfsm_store *store, const char *id, const char *what,
                     wfsm_error *error)
{
    int32_t status = wf_store_ready(store, error);
    return status ? status : wf_store_check_id(id, what, error);
}

static const char *missing_member(const wfsm_store_vtable *vtable)
{
    bool whole = vtable->exchange != NULL;
    const struct {
        const char *name;
        bool there;
    } members[] = {
        {"commit", whole || vtable->commit},
        {"head", vtable->head != NULL},
        {"records", vtable->records != NULL},
        {"snapshot", vtable->snapshot != NULL},
        {"checkpoints", vtable->checkpoints != NULL},
        {"list", vtable->list != NULL},
        {"document", vtable->document != NULL},
        {"seen", vtable->seen != NULL},
        {"post", whole || vtable->post},
        {"inbox", vtable->inbox != NULL},
        {"acknowledge", whole || vtable->acknowledge},
        {"owner_alive", vtable->owner_alive != NULL},
        {"claim", vtable->claim != NULL},
        {"own", whole || vtable->own},
        {"disown", whole || vtable->disown},
        {"remove", vtable->remove != NULL},
    };
    for (size_t i = 0; i < sizeof members / sizeof *members; i++)
        if (!members[i].there)
            return members[i].name;
    return NULL;
}

static int32_t check_vtable(wfsm_store_vtable *out, const wfsm_store_vtable *given,
                            wfsm_error *error)
{
    if (!wf_struct_check(out, sizeof *out, given, WF_SIZE_UP_TO(wfsm_store_vtable, remove)))
        return wf_fail(error, WFSM_INVALID,
                       "the store's vtable is missing, of a wrong size, or has members "
                       "that this version does not know");
    const char *missing = missing_member(out);
    if (missing)
        return wf_fail(error, WFSM_INVALID, "the store's vtable has no %s", missing);
    if (!out->cut != !out->anchor)
        return wf_fail(error, WFSM_INVALID, "the store's vtable has no %s",
                       out->cut ? "anchor" : "cut");
    return WFSM_OK;
}

int32_t wfsm_store_new(wfsm_store **store, const wfsm_store_vtable *vtable, void *self,
                       const wfsm_allocator *allocator, wfsm_error *error)
{
    wfsm_store_vtable checked;
    wfsm_allocator memory;
    if (!store)
        return wf_fail(error, WFSM_INVALID, "no place was given for the new store");
    if (!wf_allocator_init(&memory, allocator))
        return wf_fail(error, WFSM_INVALID, "the allocator is not complete");
    int32_t status = check_vtable(&checked, vtable, error);
    if (status)
        return status;
    wfsm_store *made = wf_new(&memory, sizeof *made);
    if (!made)
        return wf_no_memory(error);
    made->allocator = memory;
    made->vtable = checked;
    made->self = self;
    *store = made;
    return WFSM_OK;
}

void wfsm_store_free(wfsm_store *store)
{
    if (!store)
        return;
    if (store->vtable.close)
        store->vtable.close(store->self);
    if (store->batch)
        store->free_batch(store);
    wfsm_allocator allocator = store->allocator;
    wf_free(&allocator, store);
}

int32_t wfsm_store_seen(wfsm_store *store, const char *instance, const char *event_id,
                        int32_t *seen, wfsm_error *error)
{
    int32_t answer = 0;
    int32_t status = check(store, instance, "the id of an instance", error);
    if (!status)
        status = wf_store_check_id(event_id, "the id of an event", error);
    if (!status && !seen)
        status = wf_fail(error, WFSM_INVALID, "there is no place for the answer");
    if (!status)
        status = store->vtable.seen(store->self, instance, event_id, &answer, error);
    if (seen)
        *seen = !status && answer;
    return status;
}

int32_t wfsm_store_acknowledge(wfsm_store *store, const char *instance, uint64_t effect,
                               wfsm_error *error)
{
    int32_t status = check(store, instance, "the id of an instance", error);
    if (status)
        return status;
    return wf_store_raise_mark(store, instance, effect, error);
}

int32_t wfsm_store_owner_alive(wfsm_store *store, const char *owner, int64_t until,
                               wfsm_error *error)
{
    int32_t status = check(store, owner, "the name of an owner", error);
    if (!status && until < 0)
        status = wf_fail(error, WFSM_INVALID, "a time must not be negative");
    if (status)
        return status;
    return store->vtable.owner_alive(store->self, owner, until, error);
}

int32_t wfsm_store_claim(wfsm_store *store, const char *session, int64_t mine, int64_t now,
                         int64_t until, wfsm_error *error)
{
    int32_t status = check(store, session, "the name of a session", error);
    if (!status && (mine < 0 || now < 0 || until < 0))
        status = wf_fail(error, WFSM_INVALID, "a time must not be negative");
    if (status)
        return status;
    return store->vtable.claim(store->self, session, mine, now, until, error);
}

int32_t wfsm_store_remove_owner(wfsm_store *store, const char *owner, wfsm_error *error)
{
    return wfsm_store_owner_alive(store, owner, 0, error);
}

int32_t wfsm_store_own(wfsm_store *store, const char *instance, const char *owner, int64_t now,
                       wfsm_error *error)
{
    int32_t status = check(store, instance, "the id of an instance", error);
    if (!status)
        status = wf_store_check_id(owner, "the name of an owner", error);
    if (status)
        return status;
    return wf_store_take(store, instance, owner, now, error);
}

int32_t wfsm_store_disown(wfsm_store *store, const char *instance, const char *owner,
                          wfsm_error *error)
{
    int32_t status = check(store, instance, "the id of an instance", error);
    if (!status)
        status = wf_store_check_id(owner, "the name of an owner", error);
    return status ? status : wf_store_give_up(store, instance, owner, error);
}

int32_t wfsm_store_remove(wfsm_store *store, const char *instance, wfsm_error *error)
{
    int32_t status = check(store, instance, "the id of an instance", error);
    return status ? status : store->vtable.remove(store->self, instance, error);
}

int32_t wfsm_store_cut(wfsm_store *store, const char *instance, uint64_t revision,
                       const char *snapshot, size_t length, wfsm_error *error)
{
    int32_t status = check(store, instance, "the id of an instance", error);
    if (!status && !snapshot)
        status = wf_fail(error, WFSM_INVALID,
                         "the snapshot that the journal begins with is missing");
    if (!status && !store->vtable.cut)
        status = wf_fail(error, WFSM_DENIED, "this store cannot be compacted");
    if (status)
        return status;
    return store->vtable.cut(store->self, instance, revision, snapshot, length, error);
}
