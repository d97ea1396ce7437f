/* verify/symbolic_votes.c: the votes of people as symbols. If it is known how many approvals and rejections
 * it takes, each list of both that decides is an input of its own: one symbol for each vote, which may be
 * cast by anybody who is asked, but by nobody twice. */
#include <string.h>
#include "base/buffer.h"
#include "base/memory.h"
#include "logic/expr_tree.h"
#include "logic/json.h"
#include "logic/schema_tree.h"
#include "verify/explorer.h"

enum { LISTS_MOST = 36 };

/* What an invocation asks. */
typedef struct asked {
    uint32_t quorum, rejections;
    wf_value
        people; /* a list of constants; a list with terms in it, or a term; ABSENT: anybody */
    uint32_t most; /* votes */
} asked;

/* The lists that decide. */
typedef struct wf_voted {
    asked all;
    wf_data_classes lists;
} wf_voted;

/* ---- what is asked ---- */

static const char *const asking[] = {"quorum", "rejections", "people", WF_PEOPLE_UNSEEN};

/* Without what nothing depends on. */
static wf_value asking_part(wf_explorer *explorer, const wf_value *input)
{
    wf_member *members = wf_arena_take(&explorer->step.arena, 4 * sizeof *members);
    uint32_t count = 0;
    for (uint32_t i = 0; members && input->type == WF_OBJECT && i < 4; i++) {
        const wf_value *value = wf_value_get_z(input, asking[i]);
        if (value)
            wf_member_set(&members[count++], asking[i], strlen(asking[i]), *value);
    }
    return members ? wf_object(members, count) : wf_null();
}

wf_value wf_symbolic_asks(wf_explorer *explorer, const wf_invocation *work)
{
    if (!explorer->symbolic || !explorer->results_untried[work->invoke] ||
        !wf_is_person(&explorer->machine->agents.list[work->agent]))
        return wf_null();
    return work->result.type == WF_OBJECT /* of a state that was restored */
               ? work->result
               : asking_part(explorer, &work->input);
}

/* The input of an invocation that is outstanding is valid. */
static uint32_t count_of(const wf_value *input, const char *key)
{
    const wf_value *count = wf_value_get_z(input, key);
    return count && count->type == WF_NUMBER ? (uint32_t)count->as.number : 1;
}

static asked asked_by(wf_explorer *explorer, const wf_invocation *work)
{
    const wf_value input = wf_symbolic_asks(explorer, work),
                   *people = wf_value_get_z(&input, "people"),
                   *unseen = wf_value_get_z(&input, WF_PEOPLE_UNSEEN);
    asked found = {count_of(&input, "quorum"), count_of(&input, "rejections"), wf_absent(),
                   UINT32_MAX};
    if (people && people->type == WF_ARRAY)
        found.people = *people;
    if (found.people.type == WF_ARRAY)
        found.most = people->length;
    else if (unseen)
        found.people = *unseen;
    return found;
}

static bool are_known(const asked *all)
{
    return all->people.type == WF_ARRAY && !wf_symbolic_within(&all->people);
}

/* ---- one vote ---- */

/* NULL when out of memory. */
static const wf_schema *schema_of(wf_explorer *explorer, const asked *all, bool approves)
{
    const wf_schema *schema = NULL;
    wf_buffer text;
    wf_buffer_init(&text, explorer->allocator);
    wf_buffer_format(&text,
                     "{\"type\":\"object\",\"required\":[\"by\",\"decision\",\"at\"],"
                     "\"additionalProperties\":false,\"properties\":{\"reason\":{\"type\":"
                     "\"string\"},\"at\":{\"type\":\"integer\",\"minimum\":0},\"decision\":"
                     "{\"const\":\"%s\"},\"by\":{\"type\":\"string\",\"minLength\":1,"
                     "\"maxLength\":255",
                     approves ? "approve" : "reject");
    if (are_known(all)) {
        wf_buffer_text(&text, ",\"enum\":");
        wf_json_write(&text, &all->people);
    }
    wf_buffer_text(&text, "}}}");
    bool good = !text.failed && wf_shape_compile(explorer, text.data, &schema);
    wf_buffer_fini(&text);
    return good ? schema : NULL;
}

/* ---- lists of votes ---- */

static uint32_t rejections_in(uint32_t list, uint32_t length)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < length; i++)
        count += list >> i & 1;
    return count;
}

/* A list has one bit for each vote, which is set if it rejects. With the last vote there are enough, and not
 * before. */
static bool suffices(const asked *all, uint32_t list, uint32_t length)
{
    uint32_t against = rejections_in(list, length), last = list >> (length - 1) & 1;
    if (last)
        return against == all->rejections && length - against < all->quorum;
    return length - against == all->quorum && against < all->rejections;
}

/* Nobody is left who could vote, and there are not enough of either. If it is not known how many people there
 * are, the list may be one of all of them if each of the two numbers can be reached by so many. */
static bool is_tied(const asked *all, uint32_t list, uint32_t length)
{
    uint32_t against = rejections_in(list, length);
    bool of_all = all->most == UINT32_MAX
                      ? all->people.type != WF_ABSENT && length >= all->quorum &&
                            length >= all->rejections
                      : length == all->most;
    return of_all && against < all->rejections && length - against < all->quorum;
}

static bool decides(const asked *all, uint32_t list, uint32_t length)
{
    return suffices(all, list, length) || is_tied(all, list, length);
}

static uint32_t longest(const asked *all)
{
    uint32_t most = all->quorum + all->rejections - 1;
    return all->most < most ? all->most : most;
}

static uint32_t lists_of(const asked *all)
{
    uint32_t count = 0;
    if (all->quorum == 0 || all->rejections == 0 || longest(all) > WF_VOTES_FOLLOWED)
        return 0;
    for (uint32_t length = 1; length <= longest(all); length++)
        for (uint32_t list = 0; list < 1u << length; list++)
            count += decides(all, list, length);
    return count <= LISTS_MOST ? count : 0;
}

/* The reason of a decision is that of its last vote. */
static wf_value reason_of(wf_symbolic *self, const wf_value *vote)
{
    wf_term term;
    return wf_symbolic_term(vote, &term)
               ? wf_symbolic_value(self, wf_term_member(&self->terms, term, "reason", 6))
               : wf_absent();
}

/* `kinds`: the schemas of an approval and of a rejection. ABSENT when out of memory. */
static wf_value decision(wf_explorer *explorer, const asked *all, const wf_schema *const *kinds,
                         uint32_t list, uint32_t length)
{
    const wf_value *plain = &explorer->decisions.list[0]; /* has the digest */
    bool approved = (list >> (length - 1) & 1) == 0 && suffices(all, list, length);
    wf_symbolic *self = explorer->symbolic;
    wf_value *votes = wf_arena_take(&explorer->arena, length * sizeof *votes);
    wf_member *members = wf_arena_take(&explorer->arena, 4 * sizeof *members);
    if (!votes || !members)
        return wf_absent();
    for (uint32_t i = 0; i < length; i++)
        votes[i] = wf_symbolic_numbered(self, WF_SYMBOL_VOTE + i, kinds[list >> i & 1]);
    wf_member_set(&members[0], "approved", 8, wf_boolean(approved));
    wf_member_set(&members[1], "reason", 6, reason_of(self, &votes[length - 1]));
    wf_member_set(&members[2], "digest", 6, *wf_value_get_z(plain, "digest"));
    wf_member_set(&members[3], "votes", 5, wf_array(votes, length));
    return self->failed ? wf_absent() : wf_object(members, 4);
}

static bool add_lists(wf_explorer *explorer, const asked *all, wf_data_classes *out)
{
    const wf_schema *kinds[] = {schema_of(explorer, all, true),
                                schema_of(explorer, all, false)};
    out->list = wf_arena_take(&explorer->arena, out->capacity * sizeof *out->list);
    if (!kinds[0] || !kinds[1] || !out->list)
        return false;
    for (uint32_t length = 1; length <= longest(all); length++)
        for (uint32_t list = 0; list < 1u << length; list++) {
            if (!decides(all, list, length))
                continue;
            out->list[out->count] = decision(explorer, all, kinds, list, length);
            if (out->list[out->count++].type == WF_ABSENT)
                return false;
        }
    return true;
}

/* The same lists: names that are terms make no difference. */
static bool is_like(const asked *one, const asked *other)
{
    bool known = are_known(one);
    return one->quorum == other->quorum && one->rejections == other->rejections &&
           one->most == other->most && known == are_known(other) &&
           (one->people.type == WF_ABSENT) == (other->people.type == WF_ABSENT) &&
           (!known || wf_value_equal(&one->people, &other->people));
}

static wf_voted *add_voted(wf_explorer *explorer, const asked *all)
{
    wf_voted *list = wf_grow(explorer->allocator, explorer->voted, &explorer->voted_capacity,
                             explorer->voted_count + 1, sizeof *list),
             *made;
    if (!list)
        return NULL;
    explorer->voted = list;
    made = &list[explorer->voted_count++];
    *made = (wf_voted){.all = *all,
                       .lists = {.arena = &explorer->arena, .capacity = lists_of(all)}};
    if (are_known(all))
        made->all.people = wf_value_clone(&explorer->arena, &all->people);
    if (made->lists.capacity > 0 && !add_lists(explorer, all, &made->lists))
        return NULL;
    return made->all.people.type == WF_ABSENT && are_known(all) ? NULL : made;
}

const wf_data_classes *wf_decisions_of(wf_explorer *explorer, const wf_invocation *work)
{
    if (!explorer->symbolic || !explorer->results_untried[work->invoke])
        return &explorer->decisions;
    const asked all = asked_by(explorer, work);
    const wf_voted *found = NULL;
    for (size_t i = 0; i < explorer->voted_count && !found; i++)
        if (is_like(&explorer->voted[i].all, &all))
            found = &explorer->voted[i];
    if (!found)
        found = add_voted(explorer, &all);
    return !found ? NULL : found->lists.count > 0 ? &found->lists : &explorer->decisions;
}

/* ---- what is known of them ---- */

static void assume(wf_symbolic *self, uint8_t kind, const char *name, wf_term one,
                   wf_term other)
{
    const wf_term term = wf_symbolic_applied(self, name, one, other);
    self->failed |= term == WF_NONE;
    if (self->failed || self->path_count == WF_CONDITIONS_MOST)
        return;
    self->asked_by[self->path_count] = NULL;
    self->path[self->path_count++] = (wf_literal){.kind = kind, .term = term};
}

static wf_term voter(wf_symbolic *self, const wf_value *vote)
{
    wf_term term;
    return wf_symbolic_term(vote, &term) ? wf_term_member(&self->terms, term, "by", 2)
                                         : WF_NONE;
}

static bool rejects(wf_symbolic *self, const wf_value *vote)
{
    bool forbidden = false;
    wf_term term;
    if (!wf_symbolic_term(vote, &term))
        return false;
    const wf_term_node *node = wf_term_at(&self->terms, term);
    const wf_schema *decision = node->schema_count > 0
                                    ? wf_schema_key(node->schemas[0], "decision", 8, &forbidden)
                                    : NULL;
    return decision && decision->constant && strcmp(decision->constant->as.text, "reject") == 0;
}

/* Of people whose number is not known: as many as there are have tied, and no more have voted. */
static void assume_people(wf_symbolic *self, const asked *all, const wf_value *votes)
{
    const wf_value length = wf_number(votes->length);
    const wf_term people = wf_symbolic_of(self, &all->people),
                  voted = wf_symbolic_of(self, &length),
                  there =
                      wf_term_apply(&self->terms, wf_operator_find("length", 6), &people, 1);
    uint32_t list = 0;
    for (uint32_t i = 0; i < votes->length; i++)
        list |= (uint32_t)rejects(self, &votes->as.items[i]) << i;
    assume(self, WF_IS_TRUE, is_tied(all, list, votes->length) ? "===" : "<=", voted, there);
}

void wf_symbolic_assume_votes(wf_symbolic *self, const wf_invocation *work,
                              const wf_value *decision)
{
    const wf_value *votes =
        decision->type == WF_OBJECT ? wf_value_get_z(decision, "votes") : NULL;
    const asked all = asked_by(self->explorer, work);
    bool named = all.people.type != WF_ABSENT && !are_known(&all);
    if (!votes || votes->type != WF_ARRAY)
        return;
    if (named && all.most == UINT32_MAX && votes->length > 0)
        assume_people(self, &all, votes);
    for (uint32_t i = 0; i < votes->length; i++) {
        const wf_term by = voter(self, &votes->as.items[i]);
        if (named)
            assume(self, WF_IS_TRUE, "in", by, wf_symbolic_of(self, &all.people));
        for (uint32_t j = 0; j < i; j++)
            assume(self, WF_IS_FALSE, "===", by, voter(self, &votes->as.items[j]));
    }
}
