/* What is reported of an invocation: its result, a failure, that it was canceled, or what a new
 * owner has learned of it after a crash. */
#include "step/step.h"

#include <string.h>
#include "base/error.h"
#include "base/invariant.h"

/* The count says how often it has failed. An attempt that was lost in a crash did not fail. */
static void wait_for_retry(wf_step *step, wf_invocation *self, int64_t delay)
{
    self->status = WF_PENDING;
    self->due = wf_time_after(step->snapshot->now, delay);
    if (self->reason != WF_CLASSES)
        self->retry_count = self->attempt;
}

/* An answer to an invocation that nobody has claimed counts as an attempt, unless a person gave
 * it. */
static bool is_unclaimed(const wf_step *step, const wf_invocation *self)
{
    return self->status == WF_PENDING &&
           !wf_is_person(&step->machine->agents.list[self->agent]);
}

static int32_t fail_for_good(wf_step *step, size_t invocation, uint32_t failure_class,
                             const char *message, int32_t *outcome)
{
    const wf_invocation *self = wf_invocation_at(&step->snapshot->extras->ledger, invocation);
    wf_member *members = wf_arena_take(&step->arena, 3 * sizeof *members);
    wf_value text = wf_string_copy(&step->arena, message, strlen(message));
    const char *signature = step->report.signature ? step->report.signature
                                                   : wf_signature(step, failure_class, message);
    if (!members || text.type == WF_ABSENT || !signature)
        return wf_step_arena(step);
    step->ended_signature = signature;
    wf_member_set(&members[0], "class", 5, wf_string_z(wf_class_name(failure_class)));
    wf_member_set(&members[1], "message", 7, text);
    wf_member_set(&members[2], "attempts", 8, wf_number(self->attempt));
    wf_value data = wf_object(members, 3);
    if (self->set != 0)
        return wf_items_failed(step, invocation, &data, outcome);
    return wf_run_end(step, invocation, step->machine->invokes[self->invoke].error_event, &data,
                      outcome);
}

static bool is_stale(const wf_step *step, size_t invocation, int32_t *outcome)
{
    *outcome = WFSM_STALE;
    return wf_invocation_ended(wf_invocation_at(&step->snapshot->extras->ledger, invocation));
}

/* For the record. */
static void note_failed(wf_step *step, size_t invocation, uint32_t failure_class,
                        const char *message)
{
    const wf_invocation *self = wf_invocation_at(&step->snapshot->extras->ledger, invocation);
    WF_INVARIANT(step->failed_class == WF_CLASSES);
    step->failed_class = failure_class;
    step->failed_revision = self->revision;
    step->failed_ordinal = self->ordinal;
    step->failed_message = wf_arena_text(&step->arena, message, strlen(message));
    step->unclaimed = is_unclaimed(step, self);
}

/* A copy of the invocation that this step may change in place. */
static int32_t edit(wf_step *step, size_t invocation, wf_invocation **self)
{
    void *entry = NULL;
    int32_t status = wf_draft_edit(step, WF_LEDGER, invocation, &entry);
    *self = entry;
    return status;
}

int32_t wf_step_cancel(wf_step *step, size_t invocation, const char *message, int32_t *outcome)
{
    if (is_stale(step, invocation, outcome))
        return WFSM_OK;
    note_failed(step, invocation, WF_CLASS_CANCELED, message);
    step->unclaimed = false; /* nobody has tried */
    return fail_for_good(step, invocation, WF_CLASS_CANCELED, message, outcome);
}

int32_t wf_step_retry(wf_step *step, size_t invocation, int32_t *outcome)
{
    const wf_invocation *found = wf_invocation_at(&step->snapshot->extras->ledger, invocation);
    bool waits = found->status == WF_PENDING && found->due > step->snapshot->now;
    wf_invocation *self = NULL;
    *outcome = WFSM_STALE;
    if (!waits && found->status != WF_RUNNING)
        return WFSM_OK;
    *outcome = WFSM_BLOCKED;
    if (!waits && !wf_budgets_allow(step))
        return WFSM_OK;
    int32_t status = edit(step, invocation, &self);
    if (status != WFSM_OK)
        return status;
    wait_for_retry(step, self, 0);
    *outcome = WFSM_TAKEN;
    return WFSM_OK;
}

int32_t wf_step_failed(wf_step *step, size_t invocation, uint32_t failure_class,
                       const char *message, int32_t *outcome)
{
    wf_invocation *self = NULL;
    if (is_stale(step, invocation, outcome))
        return WFSM_OK;
    note_failed(step, invocation, failure_class, message);
    int32_t status = edit(step, invocation, &self);
    if (status != WFSM_OK)
        return status;
    wf_descendants_return(step, self, step->report.descendants);
    if (self->status == WF_PENDING)
        self->attempt++;
    wf_budgets_spend(step);
    self->status =
        WF_RUNNING; /* wf_retry_rule() counts attempts still to be claimed, without this one */
    const wf_retry *retry = wf_retry_rule(step, self, failure_class);
    if (!retry)
        return fail_for_good(step, invocation, failure_class, message, outcome);
    self->reason = (uint8_t)failure_class;
    wait_for_retry(step, self, wf_retry_delay(step, retry, self));
    *outcome = WFSM_RETRY;
    return wf_claim_again(step, invocation);
}

int32_t wf_step_result(wf_step *step, size_t invocation, const wf_value *output,
                       int32_t *outcome)
{
    const wf_invocation *self = wf_invocation_at(&step->snapshot->extras->ledger, invocation);
    const wf_invoke *invoke = &step->machine->invokes[self->invoke];
    int32_t status = WFSM_OK;
    if (is_stale(step, invocation, outcome))
        return WFSM_OK;
    if (invoke->output)
        status = step->evaluator
                     ? step->evaluator->fits(step->evaluator->user, invoke->output, output)
                     : wf_schema_check(invoke->output, output, step->schema_error);
    if (status == WFSM_NO_MEMORY)
        return wf_no_memory(step->error);
    if (status != WFSM_OK)
        return wf_step_failed(step, invocation, WF_CLASS_SCHEMA,
                              wfsm_error_message(step->schema_error), outcome);
    wf_descendants_return(step, self, step->report.descendants);
    step->ended_signature = step->report.signature;
    step->unclaimed = is_unclaimed(step, self);
    if (self->set != 0)
        return wf_items_done(step, invocation, output, outcome);
    return wf_run_end(step, invocation, invoke->done_event, output, outcome);
}

/* The attempt continues under the new owner. */
static int32_t reattach(wf_step *step, size_t invocation, const char *owner)
{
    wf_invocation self = *wf_invocation_at(&step->snapshot->extras->ledger, invocation);
    self.owner = wf_string_z(owner);
    self.status = WF_RUNNING;
    int32_t status = wf_draft_replace(step, WF_LEDGER, invocation, &self);
    if (status == WFSM_OK)
        wf_budgets_claimed(step);
    return status;
}

int32_t wf_step_probed(wf_step *step, size_t invocation, bool running, bool gone,
                       const char *owner, int32_t *outcome)
{
    wf_invocation *self = NULL;
    if (is_stale(step, invocation, outcome))
        return WFSM_OK;
    int32_t on_unknown =
        step->machine
            ->invokes[wf_invocation_at(&step->snapshot->extras->ledger, invocation)->invoke]
            .on_unknown;
    *outcome = WFSM_TAKEN;
    if (running || (!gone && on_unknown == WF_REATTACH))
        return reattach(step, invocation, owner);
    if (on_unknown == WF_ESCALATE || !wf_budgets_allow(step))
        return fail_for_good(step, invocation, WF_CLASS_OTHER,
                             "the agent's work was lost in a crash", outcome);
    int32_t status = edit(step, invocation, &self);
    if (status != WFSM_OK)
        return status;
    if (gone)
        wf_descendants_return(step, self, 1);
    wait_for_retry(step, self, 0);
    *outcome = WFSM_RETRY;
    return wf_claim_again(step, invocation);
}
