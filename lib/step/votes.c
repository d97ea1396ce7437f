/* Votes: how people answer an invocation that asks them. Nobody claims such an invocation. It
 * waits in the ledger, with the votes so far, until they decide or its state is left. */
#include "step/step.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "base/error.h"
#include "base/invariant.h"
#include "base/utf8.h"

static const char *const verdicts[WF_VERDICTS] = {
    "counted", "decided", "malformed", "unknown", "late", "not_asked", "twice", "changed"};

const char *wf_verdict_name(int verdict)
{
    return verdicts[verdict];
}

int wf_verdict_find(const char *name)
{
    int verdict = 0;
    while (verdict < WF_VERDICTS && strcmp(verdicts[verdict], name) != 0)
        verdict++;
    return verdict;
}

/* ---- one vote ---- */

typedef struct vote {
    const char *invocation, *by, *digest;
    bool approves;
    const wf_value *decision, *reason; /* reason: NULL if none was given */
} vote;

static bool read_vote(vote *read, const wf_value *given)
{
    if (given->type != WF_OBJECT)
        return false;
    const wf_value *invocation = wf_value_get_z(given, "invocation"),
                   *by = wf_value_get_z(given, "by"), *digest = wf_value_get_z(given, "digest");
    read->decision = wf_value_get_z(given, "decision");
    read->reason = wf_value_get_z(given, "reason");
    if (!invocation || invocation->type != WF_STRING || !by || by->type != WF_STRING ||
        !wf_id_valid(by->as.text) || !digest || digest->type != WF_STRING || !read->decision ||
        read->decision->type != WF_STRING || (read->reason && read->reason->type != WF_STRING))
        return false;
    read->invocation = invocation->as.text;
    read->by = by->as.text;
    read->digest = digest->as.text;
    read->approves = strcmp(read->decision->as.text, "approve") == 0;
    return read->approves || strcmp(read->decision->as.text, "reject") == 0;
}

bool wf_vote_names(const wf_value *given, const char **invocation, const char **by)
{
    vote read;
    if (!read_vote(&read, given))
        return false;
    *invocation = read.invocation;
    *by = read.by;
    return true;
}

static uint32_t votes_of(const wf_value *votes, bool approving)
{
    uint32_t count = 0;
    for (uint32_t i = 0; votes->type == WF_ARRAY && i < votes->length; i++) {
        const wf_value *decision = wf_value_get_z(&votes->as.items[i], "decision");
        count += (strcmp(decision->as.text, "approve") == 0) == approving;
    }
    return count;
}

static bool has_voted(const wf_value *votes, const char *by)
{
    for (uint32_t i = 0; votes->type == WF_ARRAY && i < votes->length; i++)
        if (strcmp(wf_value_get_z(&votes->as.items[i], "by")->as.text, by) == 0)
            return true;
    return false;
}

/* COUNTED, or why the vote does not count. */
static int32_t judge(const wf_step *step, const wf_invocation *self, const vote *cast,
                     int *verdict)
{
    char digest[WF_DIGEST_HEX];
    *verdict = WF_VERDICT_NOT_ASKED;
    if (!wf_is_person(&step->machine->agents.list[self->agent]) ||
        !wf_approval_asks(&self->input, cast->by))
        return WFSM_OK;
    *verdict = WF_VERDICT_TWICE;
    if (has_voted(&self->votes, cast->by))
        return WFSM_OK;
    if (!wf_approval_digest(&self->input, step->allocator, digest))
        return wf_no_memory(step->error);
    *verdict = strcmp(digest, cast->digest) == 0 ? WF_VERDICT_COUNTED : WF_VERDICT_CHANGED;
    return WFSM_OK;
}

/* ---- what follows from a vote ---- */

static wf_value describe(wf_step *step, const vote *cast)
{
    wf_member *members = wf_arena_take(&step->arena, 4 * sizeof *members);
    if (!members)
        return wf_absent();
    wf_member_set(&members[0], "by", 2, wf_string_z(cast->by));
    wf_member_set(&members[1], "decision", 8, *cast->decision);
    wf_member_set(&members[2], "at", 2, wf_number((double)step->snapshot->now));
    if (cast->reason)
        wf_member_set(&members[3], "reason", 6, *cast->reason);
    return wf_object(members, cast->reason ? 4 : 3);
}

static int32_t lacks_room(wf_step *step)
{
    int32_t status = wf_step_arena(step);
    return status != WFSM_OK ? status
                             : wf_fail(step->error, WFSM_LIMIT, "the votes are too large");
}

/* The votes so far, and this one. */
static int32_t add_vote(wf_step *step, const wf_value *votes, const vote *cast,
                        wf_value *longer)
{
    uint32_t count = votes->type == WF_ARRAY ? votes->length : 0;
    WF_INVARIANT(!has_voted(votes, cast->by));
    wf_value *items = wf_arena_take(&step->arena, (count + 1) * sizeof *items);
    wf_value fresh = describe(step, cast);
    if (!items || fresh.type == WF_ABSENT)
        return lacks_room(step);
    if (count > 0)
        memcpy(items, votes->as.items, count * sizeof *items);
    items[count] = fresh;
    *longer = wf_array(items, count + 1);
    return longer->type == WF_ABSENT ? lacks_room(step) : WFSM_OK;
}

/* There are not enough approvals and not enough rejections yet. */
static int32_t keep_votes(wf_step *step, size_t index, const wf_value *votes)
{
    wf_invocation asked = *wf_invocation_at(&step->snapshot->extras->ledger, index);
    asked.votes = *votes;
    return wf_draft_replace(step, WF_LEDGER, index, &asked);
}

static int32_t decide(wf_step *step, size_t index, const wf_value *votes, bool approved,
                      const vote *last, int32_t *outcome)
{
    wf_member *members = wf_arena_take(&step->arena, 4 * sizeof *members);
    if (!members)
        return lacks_room(step);
    wf_member_set(&members[0], "approved", 8, wf_boolean(approved));
    wf_member_set(&members[1], "reason", 6, last->reason ? *last->reason : wf_null());
    wf_member_set(&members[2], "digest", 6, wf_string_z(last->digest));
    wf_member_set(&members[3], "votes", 5, *votes);
    wf_value output = wf_object(members, 4);
    if (output.type == WF_ABSENT)
        return lacks_room(step);
    return wf_step_result(step, index, &output, outcome);
}

static int32_t count(wf_step *step, size_t index, const vote *cast, int *verdict,
                     int32_t *outcome)
{
    const wf_invocation *found = wf_invocation_at(&step->snapshot->extras->ledger, index);
    wf_value votes = wf_null();
    int32_t status = add_vote(step, &found->votes, cast, &votes);
    if (status != WFSM_OK)
        return status;
    uint32_t needed =
        wf_approval_count(&found->input, cast->approves ? "quorum" : "rejections");
    bool enough = votes_of(&votes, cast->approves) >= needed;
    /* When nobody is left who could vote, what was not approved is rejected. */
    if (enough || votes.length == wf_approval_voters(&found->input)) {
        *verdict = WF_VERDICT_DECIDED;
        return decide(step, index, &votes, enough && cast->approves, cast, outcome);
    }
    *outcome = WFSM_TAKEN;
    return keep_votes(step, index, &votes);
}

/* The machine gets an event. The record says why, whether or not a transition takes it. */
static int32_t refuse(wf_step *step, const wf_value *given, int verdict, int32_t *outcome)
{
    wf_member *members = wf_arena_take(&step->arena, 2 * sizeof *members);
    if (!members)
        return lacks_room(step);
    wf_member_set(&members[0], "reason", 6, wf_string_z(verdicts[verdict]));
    wf_member_set(&members[1], "approval", 8, *given);
    wf_value data = wf_object(members, 2);
    if (data.type == WF_ABSENT)
        data = wf_null();
    uint32_t number =
        wf_names_find(&step->machine->events, WF_APPROVAL_REFUSED, strlen(WF_APPROVAL_REFUSED));
    step->current =
        (wf_event){WF_PLATFORM, number, wf_string_z(WF_APPROVAL_REFUSED), data, wf_null()};
    return wf_run_input(step, &step->current, outcome);
}

int32_t wf_step_approval(wf_step *step, const wf_value *given, int gone, int *verdict,
                         int32_t *outcome)
{
    vote cast;
    const wf_list *ledger = &step->snapshot->extras->ledger;
    size_t found = ledger->count;
    int32_t status = WFSM_OK;
    *verdict = WF_VERDICT_MALFORMED;
    if (read_vote(&cast, given)) {
        found = wf_ledger_find_id(ledger, step->instance_id, cast.invocation);
        *verdict = gone;
        if (found < ledger->count)
            status = judge(step, wf_invocation_at(ledger, found), &cast, verdict);
    }
    if (status != WFSM_OK)
        return status;
    return *verdict == WF_VERDICT_COUNTED && found < ledger->count
               ? count(step, found, &cast, verdict, outcome)
               : refuse(step, given, *verdict, outcome);
}
