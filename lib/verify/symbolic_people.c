/* verify/symbolic_people.c: what a person is asked, if it is a term: whether it is valid is decided. How
 * many votes it takes is then not known any more; the votes of such a decision are any (symbolic_votes.c). */
#include "verify/symbolic_eval.h"

#include <string.h>
#include "verify/explorer.h"

enum { COUNTS_MOST = 64, QUORUM = 50, REJECTIONS, PEOPLE, ASKED };

static bool asks_person(const wf_symbolic *self, const wf_expr *input)
{
    const wfsm_machine *machine = self->explorer->machine;
    for (uint32_t i = 0; i < machine->invoke_count; i++)
        if (machine->invokes[i].input == input &&
            wf_may_ask_person(machine, &machine->invokes[i]))
            return true;
    return false;
}

/* One of the first whole numbers. */
static int32_t is_count(wf_symbolic *self, const wf_expr *input, uint32_t part,
                        const wf_value *value, uint32_t most, bool *yes)
{
    wf_value counts[COUNTS_MOST];
    if (most > COUNTS_MOST)
        return wf_decide_freely(self, input, part, yes);
    for (uint32_t i = 0; i < most; i++)
        counts[i] = wf_number(i + 1.0);
    const wf_value all = wf_array(counts, most);
    const wf_term both[] = {wf_symbolic_of(self, value), wf_symbolic_of(self, &all)};
    const wf_literal literal = {
        .kind = WF_IS_TRUE,
        .term = wf_term_apply(&self->terms, wf_operator_find("in", 2), both, 2)};
    return wf_decide(self, input, part, &literal, yes);
}

/* What is not valid becomes false. */
static int32_t know_member(wf_symbolic *self, const wf_expr *input, uint32_t most,
                           wf_member *member)
{
    bool people = strcmp(member->key, "people") == 0,
         quorum = strcmp(member->key, "quorum") == 0, fine = true;
    int32_t status = WFSM_OK;
    if (!wf_symbolic_within(&member->value) ||
        !(people || quorum || strcmp(member->key, "rejections") == 0))
        return WFSM_OK;
    if (people)
        status = wf_decide_freely(self, input, PEOPLE, &fine);
    else
        status =
            is_count(self, input, quorum ? QUORUM : REJECTIONS, &member->value, most, &fine);
    member->value = !fine ? wf_boolean(false) : people ? wf_null() : wf_number(1);
    return status;
}

/* The input that nobody can be asked, or that anybody can. */
static int32_t know_freely(wf_symbolic *self, const wf_expr *input, wf_value *value)
{
    bool fine = true;
    int32_t status = wf_decide_freely(self, input, ASKED, &fine);
    wf_member *member = wf_arena_take(&self->scratch, sizeof *member);
    if (!member)
        return WFSM_NO_MEMORY;
    wf_member_set(member, "quorum", 6, wf_boolean(false));
    *value = fine ? wf_null() : wf_object(member, 1);
    return status;
}

int32_t wf_symbolic_asked(wf_symbolic *self, const wf_expr *input, bool hidden, wf_value *value)
{
    wf_term term;
    if (!input || input->node == WF_NODE_CONSTANT || !asks_person(self, input))
        return WFSM_OK;
    if (hidden || wf_symbolic_term(value, &term))
        return know_freely(self, input, value);
    if (value->type != WF_OBJECT || !wf_symbolic_within(value))
        return WFSM_OK;
    const wf_value *people = wf_value_get_z(value, "people");
    bool listed = people && people->type == WF_ARRAY && !wf_symbolic_within(people);
    wf_member *members = wf_arena_take(&self->scratch, value->length * sizeof *members);
    int32_t status = members ? WFSM_OK : WFSM_NO_MEMORY;
    for (uint32_t i = 0; i < value->length && status == WFSM_OK; i++) {
        members[i] = value->as.members[i];
        status = know_member(self, input, listed ? people->length : UINT32_MAX, &members[i]);
    }
    if (status == WFSM_OK)
        *value = wf_object(members, value->length);
    return status;
}
