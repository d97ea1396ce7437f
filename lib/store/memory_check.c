/* store/memory_check.c: whether the memory store can take a commit. */
#include "store/memory_chain.h"

#include <string.h>

static uint32_t find_document(const wf_memory *memory, const char *fingerprint)
{
    for (uint32_t i = 0; i < memory->document_count; i++)
        if (!strcmp(memory->documents[i].fingerprint, fingerprint))
            return i;
    return WF_NONE;
}

static uint32_t find_new_document(const wf_chain *self, const char *fingerprint)
{
    for (size_t i = 0; i < self->prepared; i++)
        if (self->drafts[i].new_document.fingerprint &&
            !strcmp(self->drafts[i].new_document.fingerprint, fingerprint))
            return self->drafts[i].document;
    return WF_NONE;
}

uint32_t wf_chain_document(const wf_chain *self, const char *fingerprint)
{
    uint32_t found = find_document(self->memory, fingerprint);
    return found == WF_NONE ? find_new_document(self, fingerprint) : found;
}

static int32_t check_document(const wf_chain *self, const wfsm_commit *commit,
                              wfsm_error *error)
{
    if (commit->document || wf_chain_document(self, commit->fingerprint) != WF_NONE)
        return WFSM_OK;
    return wf_fail(
        error, WFSM_NOT_FOUND,
        "the store has no document '%s' of instance '%s', and the commit brings none",
        commit->fingerprint, commit->instance);
}

/* What a commit is compared with: what the commit before it, or the store, says. */
typedef struct place {
    uint64_t revision;
    const char *owner, *token;
} place;

static place place_of(const wf_chain *self)
{
    const wf_stored_instance *instance = self->instance;
    if (self->prepared == 0)
        return (place){instance->revision, instance->owner.data, instance->token.data};
    const wfsm_commit *before = self->commits[self->prepared - 1];
    return (place){before->base + 1, before->owner, before->token};
}

static int32_t compare(const wf_chain *self, const wfsm_commit *commit, wfsm_error *error)
{
    place at = place_of(self);
    if (at.revision != commit->base)
        return wf_fail(error, WFSM_CONFLICT, "instance '%s' is at revision %llu, not %llu",
                       commit->instance, (unsigned long long)at.revision,
                       (unsigned long long)commit->base);
    if (strcmp(at.owner, commit->owner) != 0)
        return wf_fail(error, WFSM_CONFLICT, "instance '%s' is owned by '%s', not by '%s'",
                       commit->instance, at.owner, commit->owner);
    if (commit->previous && strcmp(at.token, commit->previous) != 0)
        return wf_fail(error, WFSM_CONFLICT,
                       "revision %llu of instance '%s' is not the one that was committed",
                       (unsigned long long)commit->base, commit->instance);
    return WFSM_OK;
}

static int32_t check_head(const wf_chain *self, const wfsm_commit *commit, wfsm_error *error)
{
    if (!self->instance && commit->base)
        return wf_fail(error, WFSM_NOT_FOUND, "there is no instance '%s'", commit->instance);
    if (!self->instance)
        return WFSM_OK;
    if (!commit->base)
        return wf_fail(error, WFSM_EXISTS, "there is an instance '%s' already",
                       commit->instance);
    return compare(self, commit, error);
}

/* The commits before it in the chain may have made the checkpoint, or deleted it. */
static bool has_checkpoint(const wf_chain *self, const char *id)
{
    for (size_t i = self->prepared; i-- > 0;) {
        const wfsm_commit *before = self->commits[i];
        if (before->checkpoint && !strcmp(before->checkpoint, id))
            return true;
        if (before->checkpoint_deleted && !strcmp(before->checkpoint_deleted, id))
            return false;
    }
    return self->instance &&
           wf_stored_checkpoint_find(self->instance, id) < self->instance->checkpoint_count;
}

static bool has_post(const wf_chain *self, uint64_t number)
{
    const wf_stored_post *post =
        self->instance ? wf_memory_post_of(self->instance, number) : NULL;
    return post && !post->taken;
}

static int32_t check_ids(const wf_chain *self, const wfsm_commit *commit, wfsm_error *error)
{
    if (self->instance && commit->event_id &&
        wf_stored_event_state(self->instance, commit->event_id) == WF_EVENT_RECORDED)
        return wf_fail(error, WFSM_EXISTS, "instance '%s' has taken event '%s' already",
                       commit->instance, commit->event_id);
    if (commit->inbox && !has_post(self, commit->inbox))
        return wf_fail(error, WFSM_NOT_FOUND, "instance '%s' has no post %llu",
                       commit->instance, (unsigned long long)commit->inbox);
    if (commit->checkpoint_deleted && !has_checkpoint(self, commit->checkpoint_deleted))
        return wf_fail(error, WFSM_NOT_FOUND, "instance '%s' has no checkpoint '%s'",
                       commit->instance, commit->checkpoint_deleted);
    return WFSM_OK;
}

int32_t wf_chain_check(const wf_chain *self, const wfsm_commit *commit, wfsm_error *error)
{
    int32_t status = check_head(self, commit, error);
    if (!status)
        status = check_ids(self, commit, error);
    return status ? status : check_document(self, commit, error);
}
