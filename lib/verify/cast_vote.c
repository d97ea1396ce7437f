/* verify/cast_vote.c: the votes of people in a run. */
#include <string.h>
#include "base/buffer.h"
#include "verify/input.h"

wf_value wf_voter(wf_arena *arena, const wf_invocation *self, uint32_t number)
{
    const wf_value *input = &self->input;
    const wf_value *people = input->type == WF_OBJECT ? wf_value_get_z(input, "people") : NULL;
    char name[] = "person-0000";
    if (people && people->type == WF_ARRAY && number < people->length)
        return people->as.items[number];
    for (size_t at = sizeof name - 2; number > 0; at--, number /= 10)
        name[at] = (char)('0' + number % 10);
    return wf_string_copy(arena, name, sizeof name - 1);
}

wf_value wf_vote_of(wf_arena *arena, const wf_invocation *self, bool approves, wf_value by,
                    wf_value reason)
{
    char digest[WF_DIGEST_HEX];
    wf_buffer id;
    bool explained = reason.type == WF_STRING;
    wf_member *members = wf_arena_take(arena, 5 * sizeof *members);
    wf_buffer_init(&id, arena->allocator);
    wf_buffer_format(&id, "sim/%llu/%u", (unsigned long long)self->revision,
                     (unsigned)self->ordinal);
    bool good =
        !id.failed && members && wf_approval_digest(&self->input, arena->allocator, digest);
    if (good) {
        wf_member_set(&members[0], "invocation", 10, wf_string_copy(arena, id.data, id.length));
        wf_member_set(&members[1], "by", 2, by);
        wf_member_set(&members[2], "decision", 8, wf_string_z(approves ? "approve" : "reject"));
        wf_member_set(&members[3], "digest", 6,
                      wf_string_copy(arena, digest, WF_DIGEST_HEX - 1));
    }
    if (good && explained)
        wf_member_set(&members[4], "reason", 6, reason);
    wf_buffer_fini(&id);
    return good && !arena->failed ? wf_object(members, explained ? 5 : 4) : wf_absent();
}

/* ---- the votes of a decision ---- */

static bool approves(const wf_value *data)
{
    const wf_value *yes = wf_value_get_z(data, "approved");
    return yes && yes->type == WF_BOOLEAN && yes->as.boolean;
}

static uint32_t needed(const wf_value *input, bool yes)
{
    const wf_value *count =
        input->type == WF_OBJECT ? wf_value_get_z(input, yes ? "quorum" : "rejections") : NULL;
    return count && count->type == WF_NUMBER ? (uint32_t)count->as.number : 1;
}

/* The list of votes; NULL if the data has none. */
static const wf_value *listed(const wf_value *data)
{
    const wf_value *votes = wf_value_get_z(data, "votes");
    return votes && votes->type == WF_ARRAY && votes->length > 0 ? votes : NULL;
}

uint32_t wf_decision_votes(const wf_invocation *self, const wf_value *data)
{
    const wf_value *yes = data->type == WF_OBJECT ? wf_value_get_z(data, "approved") : NULL;
    if (!yes || yes->type != WF_BOOLEAN)
        return 0;
    return listed(data) ? listed(data)->length : needed(&self->input, yes->as.boolean);
}

static wf_value text_of(const wf_value *object, const char *key)
{
    const wf_value *text =
        object && object->type == WF_OBJECT ? wf_value_get_z(object, key) : NULL;
    return text && text->type == WF_STRING ? *text : wf_absent();
}

wf_value wf_decision_vote(wf_arena *arena, const wf_invocation *self, const wf_value *data,
                          uint32_t number)
{
    const wf_value *votes = listed(data), *given = votes ? &votes->as.items[number] : NULL;
    wf_value by = text_of(given, "by"), decision = text_of(given, "decision"),
             reason = text_of(given, "reason");
    bool last = number + 1 == wf_decision_votes(self, data), yes = approves(data);
    if (by.type == WF_ABSENT)
        by = wf_voter(arena, self, number);
    if (decision.type == WF_STRING)
        yes = strcmp(decision.as.text, "approve") == 0;
    if (last && reason.type == WF_ABSENT)
        reason = text_of(data, "reason");
    return wf_vote_of(arena, self, yes, by, reason);
}
