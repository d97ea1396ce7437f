/* Commits that wait in a batch of the store. Memory continues ahead of the store: each step is applied
 * and can still be taken back. The flush answers all commits of an instance, and then its steps stay,
 * are taken back, or the instance has to be loaded again. */
#include "instance/inner.h"

#include <string.h>
#include "base/error.h"
#include "base/invariant.h"
#include "store/batch.h"

bool wf_instance_waits(const wfsm_instance *instance)
{
    return instance->attached && instance->attached->waiting > 0;
}

int32_t wf_instance_flushed(const wfsm_instance *instance, wfsm_error *error)
{
    if (!wf_instance_waits(instance))
        return WFSM_OK;
    return wf_fail(error, WFSM_BUSY,
                   "commits of \"%.60s\" wait in a batch: flush the store first",
                   wf_instance_id(instance));
}

/* ---- the answers ---- */

static bool store_may_be_ahead(int32_t answer)
{
    return answer == WFSM_CONFLICT || answer == WFSM_STORE_UNKNOWN;
}

/* Of several refusals, the one that says most: an answer that may mean that something is stored,
 * then the one that has caused the others. */
static void count_answer(wf_waiting *waiting, int32_t answer)
{
    if (answer == WFSM_OK)
        waiting->stored = true;
    else if (store_may_be_ahead(answer) || waiting->refusal == WFSM_OK ||
             waiting->refusal == WFSM_STORE_FAILED)
        waiting->refusal = answer;
}

static void take_back(wfsm_instance *instance)
{
    wf_attachment *attached = instance->attached;
    wf_steps_take_back(&instance->snapshot, &attached->unconfirmed);
    memcpy(attached->digest, attached->before.digest, WF_DIGEST_HEX);
    attached->snapshot_bytes = attached->before.snapshot_bytes;
    attached->record_bytes = attached->before.record_bytes;
    WF_INVARIANT(instance->snapshot.revision == attached->committed);
}

static void decide(wfsm_instance *instance)
{
    wf_attachment *attached = instance->attached;
    const wf_waiting *before = &attached->before;
    bool all = before->refusal == WFSM_OK;
    bool none = !all && !before->stored && !store_may_be_ahead(before->refusal);
    if (none && !before->final)
        take_back(instance);
    else if (!all)
        instance->sealed = true;
    wf_steps_confirm(&instance->snapshot, &attached->unconfirmed);
}

static void settle(void *user, const wf_gathered *self, int32_t answer)
{
    wfsm_instance *instance = user;
    wf_attachment *attached = instance->attached;
    WF_INVARIANT(attached->waiting > 0);
    count_answer(&attached->before, answer);
    if (answer == WFSM_OK) {
        attached->committed = self->commit.base + 1;
        attached->left = self->commit.gives_up;
        attached->delivered = 0;
    }
    if (--attached->waiting == 0)
        decide(instance);
    if (answer == WFSM_OK && !instance->sealed)
        wf_instance_tell(instance, &(wf_news){self->commit.now, self->commit.record, self->log,
                                              self->commit.record_length, self->log_length});
}

/* ---- the steps ---- */

static void begin(wf_attachment *attached)
{
    wf_waiting *before = &attached->before;
    memcpy(before->digest, attached->digest, WF_DIGEST_HEX);
    before->snapshot_bytes = attached->snapshot_bytes;
    before->record_bytes = attached->record_bytes;
    before->refusal = WFSM_OK;
    before->stored = before->final = false;
}

int32_t wf_instance_gather(wfsm_instance *instance, const wfsm_commit *commit,
                           wfsm_error *error)
{
    wf_attachment *attached = instance->attached;
    uint32_t failed = instance->scratch->step.failed_class;
    const wf_gathered made = {.commit = *commit,
                              .log = attached->log.data,
                              .log_length = attached->log.length,
                              .user = instance,
                              .settle = settle,
                              .failed = failed == WF_CLASSES ? 0 : failed + 1,
                              .answer = WFSM_STORE_UNKNOWN};
    if (!wf_step_reserve(&instance->scratch->step))
        return wf_no_memory(error);
    int32_t status = wf_store_gather(attached->store, &made, error);
    if (status != WFSM_OK)
        return status;
    if (attached->waiting++ == 0)
        begin(attached);
    return WFSM_OK;
}

/* The first step has nothing to go back to, and a migration goes back to another machine. */
void wf_instance_apply(wfsm_instance *instance, bool migrates)
{
    wf_attachment *attached = instance->attached;
    bool first = instance->snapshot.revision == 0;
    if (wf_step_apply(&instance->scratch->step, &attached->unconfirmed) && !migrates && !first)
        return;
    attached->before.final = true;
    wf_steps_confirm(&instance->snapshot, &attached->unconfirmed);
}

static void swap_digests(wf_attachment *attached)
{
    char digest[WF_DIGEST_HEX];
    memcpy(digest, attached->digest, sizeof digest);
    memcpy(attached->digest, attached->before.digest, sizeof digest);
    memcpy(attached->before.digest, digest, sizeof digest);
}

static bool has_unconfirmed(const wfsm_instance *instance)
{
    return instance->attached && instance->attached->unconfirmed;
}

void wf_instance_hide(wfsm_instance *instance)
{
    if (!has_unconfirmed(instance))
        return;
    wf_steps_hide(&instance->snapshot, &instance->attached->unconfirmed);
    swap_digests(instance->attached);
}

void wf_instance_show(wfsm_instance *instance)
{
    if (!has_unconfirmed(instance))
        return;
    wf_steps_show(&instance->snapshot, &instance->attached->unconfirmed);
    swap_digests(instance->attached);
}

bool wf_instance_is_left(const wfsm_instance *instance)
{
    return instance->attached && instance->attached->left;
}

void wf_instance_leave(wfsm_instance *instance)
{
    instance->attached->left = true;
}

int32_t wf_instance_take_refusal(wfsm_instance *instance)
{
    int32_t refusal = instance->attached ? instance->attached->before.refusal : WFSM_OK;
    if (refusal != WFSM_OK)
        instance->attached->before.refusal = WFSM_OK;
    return refusal;
}
