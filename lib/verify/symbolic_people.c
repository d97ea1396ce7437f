/* verify/symbolic_people.c: what a person is asked, if it is a term: whether it is valid is decided, and, where
 * votes are read, how many it takes and who may cast them. */
#include "verify/cone_find.h"
#include "verify/symbolic_eval.h"

#include <string.h>
#include "verify/explorer.h"

enum { COUNTS_MOST = 64, VOTES_MOST = 1000, PEOPLE_SEEN = 8 };
/* Parts of the decisions. */
enum {
    ASKED = 50,
    PEOPLE,
    NOBODY,
    LISTED,
    TWICE = 100, /* and the place of the one and of the other */
    NAME = 200, /* and its place */
    QUORUM = 300,
    REJECTIONS = 400,
    VALID = 50,
    ENOUGH
};

/* The input of an invocation that may ask a person, while its members are decided. */
typedef struct asking {
    wf_symbolic *self;
    const wf_expr *input;
    wf_value people, quorum, rejections;
    uint32_t most; /* more are not valid */
    bool follows; /* how many it takes makes a difference */
    bool fine;
} asking;

static bool asks_person(asking *of)
{
    const wf_explorer *explorer = of->self->explorer;
    const wfsm_machine *machine = explorer->machine;
    bool asks = false;
    for (uint32_t i = 0; i < machine->invoke_count; i++)
        if (machine->invokes[i].input == of->input &&
            wf_may_ask_person(machine, &machine->invokes[i])) {
            asks = true;
            of->follows |= explorer->results_untried[i];
        }
    return asks;
}

static int32_t compare(const asking *of, const char *name, uint32_t part, const wf_value *a,
                       const wf_value *b, bool *yes)
{
    const wf_literal literal = {.kind = WF_IS_TRUE,
                                .term = wf_symbolic_compared(of->self, name, a, b)};
    return wf_decide(of->self, of->input, part, &literal, yes);
}

/* ---- who ---- */

/* A name that is not there twice. */
static int32_t know_name(asking *of, const wf_value *list, uint32_t at)
{
    const wf_value *name = &list->as.items[at];
    const uint32_t part = NAME + PEOPLE_SEEN * at;
    int32_t status =
        wf_decide_type(of->self, of->input, part, name, 1u << WF_STRING, &of->fine);
    if (status == WFSM_OK && of->fine)
        status = wf_symbolic_is_name(of->self, of->input, part + 1, name, &of->fine);
    for (uint32_t i = 0; i < at && of->fine && status == WFSM_OK; i++) {
        bool twice = false;
        status =
            compare(of, "===", TWICE + PEOPLE_SEEN * at + i, &list->as.items[i], name, &twice);
        of->fine = !twice;
    }
    return status;
}

/* Elements that are all known are looked at by the step. */
static int32_t know_names(asking *of)
{
    int32_t status = WFSM_OK;
    of->most = of->people.length;
    if (!wf_symbolic_within(&of->people))
        return WFSM_OK;
    for (uint32_t i = 0; i < of->people.length && of->fine && status == WFSM_OK; i++)
        status = know_name(of, &of->people, i);
    return status;
}

/* Whether a longer list has names only is not known. */
static int32_t know_many(asking *of)
{
    of->people = wf_symbolic_value(of->self, wf_symbolic_of(of->self, &of->people));
    if (of->people.type == WF_ABSENT)
        return WFSM_NO_MEMORY;
    return wf_decide_freely(of->self, of->input, PEOPLE, &of->fine);
}

static int32_t know_people(asking *of)
{
    wf_symbolic *self = of->self;
    bool nobody = false, seen = true;
    of->most = VOTES_MOST;
    int32_t status =
        wf_decide_type(self, of->input, NOBODY, &of->people, 1u << WF_NULL, &nobody);
    if (nobody)
        of->people = wf_null();
    if (status != WFSM_OK || nobody)
        return status;
    status = wf_decide_type(self, of->input, LISTED, &of->people, 1u << WF_ARRAY, &of->fine);
    if (status == WFSM_OK && of->fine)
        status = wf_symbolic_elements(self, of->input, &of->people, &of->people, &seen);
    if (status != WFSM_OK || !of->fine)
        return status;
    bool known = !wf_symbolic_within(&of->people);
    return seen && (known || of->people.length <= PEOPLE_SEEN) ? know_names(of) : know_many(of);
}

/* ---- how many ---- */

/* One of the whole numbers from `least` on. */
static int32_t is_between(const asking *of, uint32_t part, const wf_value *value,
                          uint32_t least, bool *yes)
{
    wf_symbolic *self = of->self;
    wf_value counts[COUNTS_MOST];
    if (of->most >= least + COUNTS_MOST)
        return wf_decide_freely(self, of->input, part, yes);
    for (uint32_t i = least; i <= of->most; i++)
        counts[i - least] = wf_number(i);
    const wf_value all = wf_array(counts, of->most < least ? 0 : of->most - least + 1);
    return compare(of, "in", part, value, &all, yes);
}

/* Which one it is, as far as lists of so many votes are followed. */
static int32_t know_number(asking *of, uint32_t part, wf_value *count)
{
    uint32_t least = 1;
    for (; of->follows && least <= of->most && least <= WF_VOTES_FOLLOWED; least++) {
        const wf_value number = wf_number(least);
        bool found = false;
        int32_t status = compare(of, "===", part + least, count, &number, &found);
        if (found)
            *count = number;
        if (status != WFSM_OK || found)
            return status;
    }
    int32_t status = is_between(of, part + VALID, count, least, &of->fine);
    *count = wf_number(least);
    return status;
}

/* Null is one. Of a list whose elements are not seen, the length is a term. */
static int32_t know_count(asking *of, uint32_t part, wf_value *count)
{
    bool none = false;
    wf_term people;
    int32_t status = wf_decide_type(of->self, of->input, part, count, 1u << WF_NULL, &none);
    if (none)
        *count = wf_number(1);
    if (status == WFSM_OK && wf_symbolic_within(count))
        status = know_number(of, part, count);
    if (status != WFSM_OK || !of->fine || count->type != WF_NUMBER ||
        !wf_symbolic_term(&of->people, &people))
        return status;
    const wf_value length = wf_symbolic_value(
        of->self, wf_term_apply(&of->self->terms, wf_operator_find("length", 6), &people, 1));
    return length.type == WF_ABSENT
               ? WFSM_NO_MEMORY
               : compare(of, "<=", part + ENOUGH, count, &length, &of->fine);
}

/* ---- all of it ---- */

static const wf_value *found(const wf_value *input, const char *key)
{
    static const wf_value null = {.type = WF_NULL};
    const wf_value *value = input->type == WF_OBJECT ? wf_value_get_z(input, key) : NULL;
    return value ? value : &null;
}

/* The members of a term that is an object. */
static void read_term(asking *of, wf_term term)
{
    wf_terms *terms = &of->self->terms;
    of->people = wf_symbolic_value(of->self, wf_term_member(terms, term, "people", 6));
    of->quorum = wf_symbolic_value(of->self, wf_term_member(terms, term, "quorum", 6));
    of->rejections = wf_symbolic_value(of->self, wf_term_member(terms, term, "rejections", 10));
}

static wf_value answer(asking *of)
{
    wf_member *members = wf_arena_take(&of->self->scratch, 4 * sizeof *members);
    if (!members)
        return wf_absent();
    bool unseen = of->people.type == WF_STRING; /* a term */
    wf_member_set(&members[0], "quorum", 6, of->fine ? of->quorum : wf_boolean(false));
    wf_member_set(&members[1], "rejections", 10, of->rejections);
    wf_member_set(&members[2], "people", 6, unseen ? wf_null() : of->people);
    wf_member_set(&members[3], WF_PEOPLE_UNSEEN, strlen(WF_PEOPLE_UNSEEN), of->people);
    return wf_object(members, unseen ? 4 : 3);
}

static int32_t know_all(asking *of, wf_value *value)
{
    int32_t status = know_people(of);
    if (status == WFSM_OK && of->fine)
        status = know_count(of, QUORUM, &of->quorum);
    if (status == WFSM_OK && of->fine)
        status = know_count(of, REJECTIONS, &of->rejections);
    if (status == WFSM_OK)
        *value = answer(of);
    return status != WFSM_OK || value->type != WF_ABSENT ? status : WFSM_NO_MEMORY;
}

/* What the document says of an input that is not evaluated. False: nothing. */
static bool is_written(const wf_expr *input, const char *key, wf_value *value)
{
    *value = wf_null();
    for (uint32_t i = 0; input->node == WF_NODE_OBJECT && i < input->count; i++)
        if (strcmp(input->as.object.keys[i].key, key) == 0)
            return wf_expr_constant(&input->as.object.list[i], value);
    return input->node == WF_NODE_OBJECT;
}

/* So many votes as it may take are not followed. */
static int32_t know_hidden(asking *of, wf_value *value)
{
    int32_t status = WFSM_OK;
    if (!is_written(of->input, "people", &of->people) ||
        !is_written(of->input, "quorum", &of->quorum) ||
        !is_written(of->input, "rejections", &of->rejections)) {
        of->people = of->rejections = wf_null();
        of->quorum = wf_number(VOTES_MOST);
        status = wf_decide_freely(of->self, of->input, ASKED, &of->fine);
    }
    *value = answer(of);
    return value->type == WF_ABSENT ? WFSM_NO_MEMORY : status;
}

int32_t wf_symbolic_asked(wf_symbolic *self, const wf_expr *input, bool hidden, wf_value *value)
{
    asking of = {.self = self, .input = input, .fine = true};
    bool object = value->type == WF_OBJECT;
    wf_term term;
    if (!input || input->node == WF_NODE_CONSTANT || !asks_person(&of))
        return WFSM_OK;
    if (hidden)
        return know_hidden(&of, value);
    if (!wf_symbolic_within(value))
        return WFSM_OK;
    of.people = *found(value, "people");
    of.quorum = *found(value, "quorum");
    of.rejections = *found(value, "rejections");
    bool is_term = wf_symbolic_term(value, &term);
    int32_t status = wf_decide_type(self, input, ASKED, value, 1u << WF_OBJECT, &object);
    if (is_term && object)
        read_term(&of, term);
    if (self->failed)
        return WFSM_NO_MEMORY;
    return status == WFSM_OK ? know_all(&of, value) : status;
}
