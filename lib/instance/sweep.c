/* Does to the instances of a store what the `retention` of their documents says. */
#include "instance/compact.h"

#include <string.h>
#include "base/error.h"
#include "base/sized.h"
#include "machine/machine.h"

/* Instances of one listing, and documents whose retention is remembered. */
enum { PAGE = 64, DOCUMENTS = 64 };

/* What a head says that matters here. */
typedef struct found {
    char id[WF_ID_BYTES], fingerprint[WF_ID_BYTES];
    uint64_t records;
    int64_t updated;
    int32_t status;
} found;

typedef struct known {
    char fingerprint[WF_ID_BYTES];
    wfsm_retention retention;
} known;

typedef struct sweeping {
    wfsm_store *store;
    wfsm_sweep wanted;
    wfsm_error *error; /* of the caller */
    wfsm_error *why; /* of one instance */
    found page[PAGE];
    size_t count;
    known documents[DOCUMENTS];
    size_t next_document;
    wfsm_retention retention; /* of the instance at hand */
} sweeping;

/* ---- documents ---- */

/* The oldest one makes room. */
static void remember(sweeping *self, const char *fingerprint)
{
    known *place = &self->documents[self->next_document];
    memcpy(place->fingerprint, fingerprint, strlen(fingerprint) + 1);
    place->retention = self->retention;
    self->next_document = (self->next_document + 1) % DOCUMENTS;
}

static int32_t find_retention(sweeping *self, const found *at)
{
    wfsm_machine *machine = NULL;
    for (size_t i = 0; i < DOCUMENTS; i++)
        if (strcmp(self->documents[i].fingerprint, at->fingerprint) == 0) {
            self->retention = self->documents[i].retention;
            return WFSM_OK;
        }
    int32_t status =
        wf_stored_machine(&machine, self->store, at->id, at->fingerprint, self->why);
    if (status != WFSM_OK)
        return status;
    self->retention = machine->retention;
    wfsm_machine_unref(machine);
    remember(self, at->fingerprint);
    return WFSM_OK;
}

/* ---- one instance ---- */

static void tell(const sweeping *self, const found *at, int32_t kind, uint64_t records)
{
    bool has_reason = kind == WFSM_SWEPT_STAYS || kind == WFSM_SWEPT_FAILED;
    const wfsm_swept swept = {.size = sizeof swept,
                              .instance = at->id,
                              .why = has_reason ? wfsm_error_message(self->why) : "",
                              .records = records,
                              .kind = kind};
    if (self->wanted.tell)
        self->wanted.tell(self->wanted.user, &swept);
}

/* Another process sweeps, too, or removes the instance. */
static bool is_gone(const sweeping *self, const found *at)
{
    wfsm_head head = {.size = sizeof head};
    return wfsm_store_head(self->store, at->id, &head, NULL) == WFSM_NOT_FOUND;
}

static int32_t end(const sweeping *self, const found *at, int32_t status, int32_t kind,
                   uint64_t records)
{
    if (status == WFSM_NO_MEMORY)
        return status;
    if (status == WFSM_OK)
        tell(self, at, kind, records);
    else if (status == WFSM_DENIED)
        tell(self, at, WFSM_SWEPT_STAYS, 0);
    else if (!is_gone(self, at))
        tell(self, at, WFSM_SWEPT_FAILED, 0);
    return WFSM_OK;
}

static int32_t needs_archive(const sweeping *self)
{
    return self->wanted.archive
               ? WFSM_OK
               : wf_fail(self->why, WFSM_DENIED, "it goes to an archive, and none is given");
}

static int32_t let_go(sweeping *self, const found *at)
{
    wfsm_compacted done = {.size = sizeof done};
    bool removes = self->retention.removes == 1;
    int32_t status = removes ? WFSM_OK : needs_archive(self);
    if (status == WFSM_OK && (removes || self->wanted.dry_run))
        status = wf_compact_remove(self->store, at->id, self->wanted.now,
                                   self->wanted.dry_run == 1, &done, self->why);
    else if (status == WFSM_OK)
        status = wfsm_store_archive(self->store, at->id, self->wanted.archive, self->wanted.now,
                                    &done, self->why);
    return end(self, at, status, removes ? WFSM_SWEPT_REMOVED : WFSM_SWEPT_ARCHIVED,
               done.dropped);
}

static bool goes_to_archive(const wfsm_retention *retention)
{
    return retention->after_ms != WFSM_NEVER && retention->removes == 0;
}

/* An archive takes no journal whose beginning it does not have. So the dropped records of an instance
 * that is going to be archived go to the archive, too. */
static int32_t compact(sweeping *self, const found *at)
{
    wfsm_compacted done = {.size = sizeof done};
    wfsm_compaction options = {.size = sizeof options,
                               .keep = self->retention.records,
                               .dry_run = self->wanted.dry_run};
    int32_t status = WFSM_OK;
    if (goes_to_archive(&self->retention)) {
        status = needs_archive(self);
        options.archive = self->wanted.archive;
    }
    if (status == WFSM_OK)
        status = wfsm_store_compact(self->store, at->id, &options, &done, self->why);
    if (status == WFSM_OK && done.dropped == 0)
        return WFSM_OK;
    return end(self, at, status, WFSM_SWEPT_COMPACTED, done.dropped);
}

static bool is_over(const sweeping *self, const found *at)
{
    return at->status == WFSM_DONE && self->retention.after_ms != WFSM_NEVER &&
           at->updated <= self->wanted.now &&
           self->wanted.now - at->updated >= self->retention.after_ms;
}

static int32_t sweep_one(sweeping *self, const found *at)
{
    int32_t status = find_retention(self, at);
    if (status != WFSM_OK)
        return end(self, at, status, WFSM_SWEPT_FAILED, 0);
    if (is_over(self, at))
        return let_go(self, at);
    if (self->retention.records > 0 && at->records > self->retention.records)
        return compact(self, at);
    return WFSM_OK;
}

/* ---- all of them ---- */

static bool copy_id(char out[WF_ID_BYTES], const char *id)
{
    size_t length = strlen(id);
    if (length >= WF_ID_BYTES)
        return false;
    memcpy(out, id, length + 1);
    return true;
}

static int32_t take_head(void *user, const wfsm_row *row)
{
    sweeping *self = user;
    found *at = &self->page[self->count];
    if (self->count == PAGE || !copy_id(at->id, row->head->instance) ||
        !copy_id(at->fingerprint, row->head->fingerprint))
        return wf_fail(self->error, WFSM_CORRUPT, "the store lists more than was asked for");
    at->records = row->head->revision + 1 - row->head->first;
    at->updated = row->head->updated;
    at->status = row->head->status;
    self->count++;
    return WFSM_OK;
}

static int32_t sweep_page(sweeping *self, const char *after, uint64_t limit)
{
    const wfsm_query query = {.size = sizeof query, .after = after, .limit = limit};
    self->count = 0;
    int32_t status = wfsm_store_list(self->store, &query, take_head, self, self->error);
    for (size_t i = 0; i < self->count && status == WFSM_OK; i++)
        status = sweep_one(self, &self->page[i]);
    return status;
}

/* *last, a copy, is where the next page begins. */
static int32_t sweep_all(sweeping *self, char last[WF_ID_BYTES])
{
    uint64_t left = self->wanted.limit > 0 ? self->wanted.limit : UINT64_MAX;
    int32_t status = WFSM_OK;
    bool more = true;
    while (status == WFSM_OK && more && left > 0) {
        uint64_t limit = left < PAGE ? left : PAGE;
        status = sweep_page(self, last[0] != '\0' ? last : NULL, limit);
        more = self->count == limit;
        left -= self->count;
        if (self->count > 0)
            memcpy(last, self->page[self->count - 1].id, WF_ID_BYTES);
    }
    if (!more)
        last[0] = '\0';
    return status;
}

static int32_t check(wfsm_sweep *out, const wfsm_sweep *given, wfsm_error *error)
{
    if (!wf_struct_check(out, sizeof *out, given, WF_SIZE_UP_TO(wfsm_sweep, user)) ||
        out->now < 0 || (out->dry_run | 1) != 1)
        return wf_fail(error, WFSM_INVALID,
                       "the options of a sweep are missing, of a wrong size, or out of range");
    return out->after ? wf_store_check_id(out->after, "the id of an instance", error) : WFSM_OK;
}

int32_t wfsm_store_sweep(wfsm_store *store, const wfsm_sweep *sweep, char *last,
                         wfsm_error *error)
{
    char at[WF_ID_BYTES] = "";
    wfsm_sweep wanted;
    int32_t status = wf_store_ready(store, error);
    if (status == WFSM_OK)
        status = check(&wanted, sweep, error);
    if (status != WFSM_OK)
        return status;
    sweeping *self = wf_new(&store->allocator, sizeof *self);
    if (!self)
        return wf_no_memory(error);
    self->store = store;
    self->wanted = wanted;
    self->error = error;
    self->why = wfsm_error_new(&store->allocator);
    if (wanted.after)
        memcpy(at, wanted.after, strlen(wanted.after) + 1);
    status = self->why ? sweep_all(self, at) : WFSM_NO_MEMORY;
    if (status == WFSM_NO_MEMORY)
        wf_no_memory(error);
    if (status == WFSM_OK && last)
        memcpy(last, at, sizeof at);
    wfsm_error_free(self->why);
    wf_free(&store->allocator, self);
    return status;
}
