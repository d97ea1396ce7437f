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

wf_value wf_vote_of(wf_arena *arena, const wf_invocation *self, bool approves, wf_value by)
{
    char digest[WF_DIGEST_HEX];
    wf_buffer id;
    wf_member *members = wf_arena_take(arena, 4 * sizeof *members);
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
    wf_buffer_fini(&id);
    return good && !arena->failed ? wf_object(members, 4) : wf_absent();
}
