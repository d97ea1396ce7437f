/* The ledger: outstanding invocations of the active states. */
#include "step/step.h"

#include <string.h>
#include "base/error.h"
#include "base/memory.h"

/* The agent's number, WF_NONE if `src` gives none of those that are allowed. */
static uint32_t allowed_agent(const wfsm_machine *machine, const wf_invoke *invoke,
                              const wf_value *src)
{
    if (src->type != WF_STRING)
        return WF_NONE;
    uint32_t number = wf_names_find(&machine->agents, src->as.text, src->length);
    for (uint32_t i = 0; i < invoke->srcs.count; i++)
        if (machine->lists[invoke->srcs.first + i] == number)
            return number;
    return WF_NONE;
}

int32_t wf_ledger_put(wf_step *step, wf_invocation made)
{
    const wf_value input = made.input;
    const wf_value owner = made.owner.type == WF_STRING ? made.owner : wf_null();
    const wf_value pool = made.pool;
    const wf_value votes = made.votes.type == WF_ARRAY ? made.votes : wf_null();
    const wf_value result = made.result;
    int32_t status = wf_draft_ledger(step);
    if (status != WFSM_OK)
        return status;
    wf_ledger *ledger = &wf_more_made(step->snapshot)->ledger;
    wf_invocation *list = wf_grow(step->allocator, ledger->list, &ledger->capacity,
                                  ledger->count + 1, sizeof *list);
    if (!list)
        return wf_no_memory(step->error);
    ledger->list = list;
    status = wf_draft_keep(step, &input, &made.input, &made.input_block);
    if (status == WFSM_OK)
        status = wf_draft_keep(step, &owner, &made.owner, &made.owner_block);
    if (status == WFSM_OK)
        status = wf_draft_keep(step, &pool, &made.pool, &made.pool_block);
    if (status == WFSM_OK)
        status = wf_draft_keep(step, &votes, &made.votes, &made.votes_block);
    if (status == WFSM_OK)
        status = wf_draft_keep(step, &result, &made.result, &made.result_block);
    if (status != WFSM_OK)
        return status;
    wf_pool_read(&made.pool, &made.priority);
    list[ledger->count++] = made;
    return WFSM_OK;
}

/* The items of a set follow each other, so that the first one of the new set is known. */
static uint32_t set_of(const wf_step *step, const wf_invocation *like)
{
    return like->set == 0 ? 0 : step->ordinal + 1 - (like->ordinal - like->set);
}

/* What has ended, has ended; the rest begins anew, from its first attempt. */
int32_t wf_ledger_add(wf_step *step, const wf_invocation *like)
{
    wf_invocation made = *like;
    made.revision = step->snapshot->revision + 1;
    made.ordinal = step->ordinal + 1;
    made.set = set_of(step, like);
    if (!wf_invocation_ended(like)) {
        made.attempt = 0;
        made.claimed = 0;
        made.reason = WF_CLASSES;
        made.status = WF_PENDING;
        made.due = step->snapshot->now;
        made.owner = made.result = made.votes = wf_null();
    }
    int32_t status = wf_ledger_put(step, made);
    if (status == WFSM_OK)
        step->ordinal++;
    return status;
}

static int32_t claim(wf_step *step, size_t index, const char *owner)
{
    wf_snapshot *snapshot = step->snapshot;
    wf_value name = wf_string_z(owner), copy;
    void *block = NULL;
    int32_t status = wf_draft_ledger(step);
    if (status == WFSM_OK)
        status = wf_draft_drop(step, snapshot->more->ledger.list[index].owner_block);
    if (status == WFSM_OK)
        status = wf_draft_keep(step, &name, &copy, &block);
    if (status != WFSM_OK)
        return status;
    wf_invocation *self = &snapshot->more->ledger.list[index];
    int64_t timeout = step->machine->invokes[self->invoke].timeout;
    self->owner = copy;
    self->owner_block = block;
    self->status = WF_RUNNING;
    self->attempt++;
    self->claimed = snapshot->now;
    wf_budgets_claimed(step);
    self->due = timeout > 0 ? wf_time_after(snapshot->now, timeout) : WFSM_NEVER;
    return WFSM_OK;
}

static bool is_new(const wf_step *step, const wf_invocation *made, int priority)
{
    return made->revision == step->snapshot->revision + 1 && made->priority == priority &&
           made->status == WF_PENDING &&
           !wf_is_person(&step->machine->agents.list[made->agent]) &&
           wf_budget_refusing(step->snapshot, step->snapshot->now) == WF_NONE;
}

/* `full` is a set that is known to have no room, so that it is not counted for each item. */
static bool may_claim(const wf_step *step, const wf_invocation *made, uint32_t *full)
{
    const wf_grant *grant = &step->grant;
    if (made->set != 0 && made->set != *full &&
        wf_items_full(&step->snapshot->more->ledger, made))
        *full = made->set;
    if (made->set != 0 && made->set == *full)
        return false;
    return !grant->allows || grant->allows(grant->user, step->machine, made);
}

/* At the end of the step: what it made and withdrew again must not take a slot. */
int32_t wf_ledger_claim_new(wf_step *step)
{
    const wf_ledger *ledger = &step->snapshot->more->ledger;
    uint32_t full = 0;
    int32_t status = WFSM_OK;
    for (int priority = 1; priority >= -1; priority--)
        for (size_t i = 0; i < ledger->count && status == WFSM_OK && step->grant.slots > 0;
             i++) {
            const wf_invocation *made = &ledger->list[i];
            if (!is_new(step, made, priority) || !may_claim(step, made, &full))
                continue;
            step->grant.slots--;
            status = claim(step, i, step->owner);
        }
    return status;
}

/* What a person cannot be asked; NULL: nothing is wrong. */
static const char *misfit_of(const wf_step *step, const wf_invocation *like)
{
    if (!wf_is_person(&step->machine->agents.list[like->agent]))
        return NULL;
    if (step->item.type != WF_ABSENT)
        return "a person is not asked for items: name several, with a quorum";
    return wf_approval_misfit(&like->input);
}

int32_t wf_ledger_like(wf_step *step, uint32_t number, wf_invocation *like)
{
    const wf_invoke *invoke = &step->machine->invokes[number];
    wf_value src;
    *like = (wf_invocation){.invoke = number};
    int32_t status = wf_step_eval(step, invoke->src, &src);
    if (status == WFSM_OK)
        status = wf_step_eval(step, invoke->input, &like->input);
    if (status == WFSM_OK)
        status = wf_pool_eval(step, invoke, &like->pool);
    if (status != WFSM_OK)
        return status;
    like->agent = allowed_agent(step->machine, invoke, &src);
    step->message = like->agent == WF_NONE ? "`src` gave none of the names in `srcs`"
                                           : misfit_of(step, like);
    return step->message ? WFSM_SEMANTIC : WFSM_OK;
}

int32_t wf_ledger_make(wf_step *step, uint32_t number)
{
    wf_invocation like;
    int32_t status = WFSM_OK;
    if (step->machine->invokes[number].items) {
        status = wf_items_make(step, number);
    } else {
        status = wf_ledger_like(step, number, &like);
        if (status == WFSM_OK)
            status = wf_ledger_add(step, &like);
    }
    return status == WFSM_SEMANTIC ? wf_raise_error(step, step->message) : status;
}

int32_t wf_ledger_again(wf_step *step, const wf_invocation *before)
{
    return wf_ledger_add(step, before);
}

int32_t wf_ledger_enter(wf_step *step, uint32_t state)
{
    wf_span invokes = step->machine->states[state].invokes;
    int32_t status = WFSM_OK;
    for (uint32_t i = invokes.first; i < invokes.first + invokes.count && status == WFSM_OK;
         i++)
        status = wf_ledger_make(step, i);
    return status;
}

int32_t wf_ledger_remove(wf_step *step, size_t index)
{
    wf_ledger *ledger = &wf_more_made(step->snapshot)->ledger;
    int32_t status = wf_draft_ledger(step);
    if (status == WFSM_OK)
        status = wf_draft_drop(step, ledger->list[index].input_block);
    if (status == WFSM_OK)
        status = wf_draft_drop(step, ledger->list[index].owner_block);
    if (status == WFSM_OK)
        status = wf_draft_drop(step, ledger->list[index].pool_block);
    if (status == WFSM_OK)
        status = wf_draft_drop(step, ledger->list[index].votes_block);
    if (status == WFSM_OK)
        status = wf_draft_drop(step, ledger->list[index].result_block);
    if (status != WFSM_OK)
        return status;
    ledger->count--;
    memmove(&ledger->list[index], &ledger->list[index + 1],
            (ledger->count - index) * sizeof *ledger->list);
    return WFSM_OK;
}

int32_t wf_ledger_leave(wf_step *step, uint32_t state)
{
    const wf_ledger *ledger = &step->snapshot->more->ledger;
    int32_t status = WFSM_OK;
    for (size_t i = ledger->count; i-- > 0 && status == WFSM_OK;)
        if (step->machine->invokes[ledger->list[i].invoke].state == state)
            status = wf_ledger_remove(step, i);
    return status;
}

int32_t wf_step_claim(wf_step *step, size_t invocation, const char *owner, int32_t *outcome)
{
    const wf_invocation *self = &step->snapshot->more->ledger.list[invocation];
    *outcome = WFSM_STALE;
    if (self->status != WF_PENDING || self->due > step->snapshot->now ||
        wf_is_person(&step->machine->agents.list[self->agent]) ||
        wf_items_full(&step->snapshot->more->ledger, self))
        return WFSM_OK;
    *outcome = WFSM_BLOCKED;
    if (wf_budget_refusing(step->snapshot, step->snapshot->now) != WF_NONE)
        return WFSM_OK;
    *outcome = WFSM_TAKEN;
    return claim(step, invocation, owner);
}

/* ---- retries ---- */

/* A number from 0 to 1 that repeats: derived from the invocation and its attempt. */
static double jitter_of(const wf_step *step, const wf_invocation *self)
{
    uint64_t x = self->revision * 0x9E3779B97F4A7C15u + self->ordinal * 0xBF58476D1CE4E5B9u +
                 self->attempt;
    x ^= wf_hash_kept(step->instance_id, strlen(step->instance_id));
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
    return (double)((x ^ (x >> 31)) >> 11) / 9007199254740992.0;
}

static int64_t delay_of(const wf_step *step, const wf_retry *retry, const wf_invocation *self)
{
    double delay = (double)retry->interval;
    double most = retry->max_delay > 0 ? (double)retry->max_delay : 9007199254740992.0;
    for (uint32_t i = 1; i < self->attempt && delay < most; i++)
        delay *= retry->backoff;
    if (delay > most)
        delay = most;
    if (retry->jitter)
        delay *= jitter_of(step, self);
    if ((double)step->report.retry_after > delay)
        return step->report.retry_after;
    return (int64_t)delay;
}

/* What no budget covers is not tried again. */
static const wf_retry *policy_for(const wf_step *step, const wf_invocation *self,
                                  uint32_t failure_class)
{
    const wfsm_machine *machine = step->machine;
    wf_span retries = machine->invokes[self->invoke].retries;
    for (uint32_t i = retries.first; i < retries.first + retries.count; i++) {
        const wf_retry *retry = &machine->retries[i];
        if ((retry->classes >> failure_class & 1) != 0)
            return self->attempt < retry->max_attempts && wf_budgets_allow(step) ? retry : NULL;
    }
    return NULL;
}

static void wait_for_retry(wf_step *step, wf_invocation *self, int64_t delay)
{
    self->status = WF_PENDING;
    self->due = wf_time_after(step->snapshot->now, delay);
}

/* ---- how an invocation ends ---- */

/* An answer to what nobody has claimed is an attempt all the same; that of a person is none. */
static bool is_unclaimed(const wf_step *step, const wf_invocation *self)
{
    return self->status == WF_PENDING &&
           !wf_is_person(&step->machine->agents.list[self->agent]);
}

int32_t wf_ledger_end(wf_step *step, size_t invocation, uint32_t number, const wf_value *data,
                      int32_t *outcome)
{
    const wf_name *name = &step->machine->events.list[number];
    wf_event event = {WF_PLATFORM, number, wf_string(name->text, name->length), *data,
                      wf_null()};
    const wf_invocation *self = &step->snapshot->more->ledger.list[invocation];
    step->consumed_revision = self->revision;
    step->consumed_ordinal = self->ordinal;
    step->ended_invoke = self->invoke;
    return wf_run_input(step, &event, outcome);
}

static int32_t fail_for_good(wf_step *step, size_t invocation, uint32_t failure_class,
                             const char *message, int32_t *outcome)
{
    const wf_invocation *self = &step->snapshot->more->ledger.list[invocation];
    wf_member *members = wf_arena_take(&step->arena, 3 * sizeof *members);
    wf_value text = wf_string_copy(&step->arena, message, strlen(message));
    const char *signature = step->report.signature ? step->report.signature
                                                   : wf_signature(step, failure_class, message);
    if (!members || text.type == WF_ABSENT || !signature)
        return wf_arena_error(&step->arena, step->error);
    step->ended_signature = signature;
    wf_member_set(&members[0], "class", 5, wf_string_z(wf_class_name(failure_class)));
    wf_member_set(&members[1], "message", 7, text);
    wf_member_set(&members[2], "attempts", 8, wf_number(self->attempt));
    wf_value data = wf_object(members, 3);
    if (self->set != 0)
        return wf_items_failed(step, invocation, &data, outcome);
    return wf_ledger_end(step, invocation, step->machine->invokes[self->invoke].error_event,
                         &data, outcome);
}

static bool is_stale(const wf_step *step, size_t invocation, int32_t *outcome)
{
    *outcome = WFSM_STALE;
    return wf_invocation_ended(&step->snapshot->more->ledger.list[invocation]);
}

/* It stands in the record. */
static wf_invocation *note_failed(wf_step *step, size_t invocation, uint32_t failure_class,
                                  const char *message)
{
    wf_invocation *self = &wf_more_made(step->snapshot)->ledger.list[invocation];
    step->failed_class = failure_class;
    step->failed_revision = self->revision;
    step->failed_ordinal = self->ordinal;
    step->failed_message = wf_arena_text(&step->arena, message, strlen(message));
    step->unclaimed = is_unclaimed(step, self);
    return self;
}

int32_t wf_step_cancel(wf_step *step, size_t invocation, const char *message, int32_t *outcome)
{
    if (is_stale(step, invocation, outcome))
        return WFSM_OK;
    int32_t status = wf_draft_ledger(step);
    if (status != WFSM_OK)
        return status;
    note_failed(step, invocation, WF_CLASS_CANCELED, message);
    step->unclaimed = false; /* nobody has tried */
    return fail_for_good(step, invocation, WF_CLASS_CANCELED, message, outcome);
}

int32_t wf_step_failed(wf_step *step, size_t invocation, uint32_t failure_class,
                       const char *message, int32_t *outcome)
{
    if (is_stale(step, invocation, outcome))
        return WFSM_OK;
    int32_t status = wf_draft_ledger(step);
    if (status != WFSM_OK)
        return status;
    wf_invocation *self = note_failed(step, invocation, failure_class, message);
    if (self->status == WF_PENDING)
        self->attempt++;
    wf_budgets_spend(step);
    self->status = WF_RUNNING; /* this attempt is none that is still to come */
    const wf_retry *retry = policy_for(step, self, failure_class);
    if (!retry)
        return fail_for_good(step, invocation, failure_class, message, outcome);
    self->reason = failure_class;
    wait_for_retry(step, self, delay_of(step, retry, self));
    *outcome = WFSM_RETRY;
    return WFSM_OK;
}

int32_t wf_step_result(wf_step *step, size_t invocation, const wf_value *output,
                       int32_t *outcome)
{
    const wf_invocation *self = &step->snapshot->more->ledger.list[invocation];
    const wf_invoke *invoke = &step->machine->invokes[self->invoke];
    int32_t status = WFSM_OK;
    if (is_stale(step, invocation, outcome))
        return WFSM_OK;
    if (invoke->output)
        status = wf_schema_check(invoke->output, output, step->misfit);
    if (status == WFSM_NO_MEMORY)
        return wf_no_memory(step->error);
    if (status != WFSM_OK)
        return wf_step_failed(step, invocation, WF_CLASS_SCHEMA,
                              wfsm_error_message(step->misfit), outcome);
    step->ended_signature = step->report.signature;
    step->unclaimed = is_unclaimed(step, self);
    if (self->set != 0)
        return wf_items_done(step, invocation, output, outcome);
    return wf_ledger_end(step, invocation, invoke->done_event, output, outcome);
}

int32_t wf_step_probed(wf_step *step, size_t invocation, bool running, bool gone,
                       const char *owner, int32_t *outcome)
{
    wf_snapshot *snapshot = step->snapshot;
    int32_t on_unknown =
        step->machine->invokes[snapshot->more->ledger.list[invocation].invoke].on_unknown;
    if (is_stale(step, invocation, outcome))
        return WFSM_OK;
    int32_t status = wf_draft_ledger(step);
    if (status != WFSM_OK)
        return status;
    *outcome = WFSM_TAKEN;
    wf_invocation *self = &snapshot->more->ledger.list[invocation];
    if (running || (!gone && on_unknown == WF_REATTACH)) {
        int64_t due = self->due, claimed = self->claimed;
        uint32_t attempt = self->attempt;
        status = claim(step, invocation, owner);
        self = &snapshot->more->ledger.list[invocation];
        self->due = due;
        self->claimed = claimed;
        self->attempt = attempt;
        return status;
    }
    if (on_unknown == WF_ESCALATE || !wf_budgets_allow(step))
        return fail_for_good(step, invocation, WF_CLASS_OTHER,
                             "the agent's work was lost in a crash", outcome);
    wait_for_retry(step, self, 0);
    *outcome = WFSM_RETRY;
    return WFSM_OK;
}
