/* Finds out whether a commit whose answer was lost is stored. */
#include "instance/inner.h"

#include <string.h>
#include "base/error.h"
#include "store/record.h"

typedef struct search {
    char token[WF_DIGEST_HEX]; /* the digest of the record that was tried */
    bool found, ours;
} search;

static int32_t compare(void *user, const wfsm_row *row)
{
    search *self = user;
    char digest[WF_DIGEST_HEX];
    wf_digest_text(row->text, row->length, digest);
    self->found = true;
    self->ours = strcmp(digest, self->token) == 0;
    return WFSM_OK;
}

int32_t wfsm_instance_check_commit(const wfsm_instance *instance, int32_t *stored,
                                   wfsm_error *error)
{
    wfsm_head head = {.size = sizeof head};
    search self = {.found = false};
    if (!instance || !stored || !instance->sealed)
        return wf_fail(error, WFSM_INVALID,
                       "the instance is not sealed, or there is no place for the answer");
    wfsm_store *store = wf_instance_store(instance);
    const char *id = wf_instance_id(instance);
    /* After a batch, the handle has the revision that was tried; otherwise the one before. */
    bool ahead = instance->attached->committed < instance->snapshot.revision;
    uint64_t revision = instance->snapshot.revision + !ahead;
    const wf_buffer *tried = &instance->attached->record;
    if (tried->failed)
        return wf_no_memory(error);
    int32_t status = wfsm_store_head(store, id, &head, error);
    if (status != WFSM_OK)
        return status;
    uint64_t last = head.revision;
    wf_digest_text(tried->data, tried->length, self.token);
    if (last >= revision)
        status = wfsm_store_records(store, id, revision, revision, compare, &self, error);
    if (status == WFSM_OK && last >= revision && !self.found)
        status = wf_fail(error, WFSM_NOT_FOUND, "the record of revision %llu is gone",
                         (unsigned long long)revision);
    if (status == WFSM_OK)
        *stored = self.ours;
    return status;
}
