/* verify/symbolic_votes.c: the votes of people as symbols. If the document says how many approvals and
 * rejections it takes, each list of both that decides is an input of its own: one symbol for each vote,
 * which may be cast by anybody who is asked, but by nobody twice. */
#include <string.h>
#include "base/buffer.h"
#include "logic/expr_tree.h"
#include "logic/json.h"
#include "verify/explorer.h"

enum { LISTS_MOST = 36, COUNT_MOST = 1000 };

/* What an invocation asks. */
typedef struct asked {
    uint32_t quorum, rejections;
    wf_value people; /* a list, or ABSENT: anybody, or not known */
} asked;

/* ---- what the document says ---- */

/* False: it is known only when the invocation starts. ABSENT: it is not there. */
static bool member_of(const wf_expr *input, const char *key, wf_value *value)
{
    *value = wf_absent();
    if (!input)
        return true;
    if (input->node == WF_NODE_CONSTANT) {
        const wf_value *all = &input->as.constant;
        const wf_value *found = all->type == WF_OBJECT ? wf_value_get_z(all, key) : NULL;
        *value = found ? *found : wf_absent();
        return true;
    }
    for (uint32_t i = 0; input->node == WF_NODE_OBJECT && i < input->count; i++)
        if (strcmp(input->as.object.keys[i].key, key) == 0)
            return wf_expr_constant(&input->as.object.list[i], value);
    return input->node == WF_NODE_OBJECT;
}

/* 0: it is not known, or too large. */
static uint32_t count_of(const wf_expr *input, const char *key)
{
    wf_value count;
    if (!member_of(input, key, &count))
        return 0;
    if (count.type == WF_ABSENT || count.type == WF_NULL)
        return 1;
    return count.type == WF_NUMBER && count.as.number >= 1 && count.as.number <= COUNT_MOST
               ? (uint32_t)count.as.number
               : 0;
}

/* An invocation over items asks nobody. */
static asked asked_by(const wf_invoke *self)
{
    asked found = {count_of(self->input, "quorum"), count_of(self->input, "rejections"),
                   wf_absent()};
    if (self->items)
        found.quorum = 0;
    if (!member_of(self->input, "people", &found.people) || found.people.type != WF_ARRAY)
        found.people = wf_absent();
    return found;
}

/* ---- one vote ---- */

/* NULL when out of memory. */
static const wf_schema *schema_of(wf_explorer *explorer, const asked *all, bool approves)
{
    const wf_place place = {0};
    const wf_schema *schema = NULL;
    wf_value source;
    wf_buffer text;
    wf_buffer_init(&text, explorer->allocator);
    wf_buffer_format(&text,
                     "{\"type\":\"object\",\"required\":[\"by\",\"decision\",\"at\"],"
                     "\"additionalProperties\":false,\"properties\":{\"reason\":{\"type\":"
                     "\"string\"},\"at\":{\"type\":\"integer\",\"minimum\":0},\"decision\":"
                     "{\"const\":\"%s\"},\"by\":{\"type\":\"string\",\"minLength\":1,"
                     "\"maxLength\":255",
                     approves ? "approve" : "reject");
    if (all->people.type == WF_ARRAY) {
        wf_buffer_text(&text, ",\"enum\":");
        wf_json_write(&text, &all->people);
    }
    wf_buffer_text(&text, "}}}");
    bool good =
        !text.failed &&
        wf_json_parse(&explorer->arena, text.data, text.length, &source, NULL) == WFSM_OK &&
        wf_schema_compile(&schema, &source, &explorer->arena, &place, NULL) == WFSM_OK;
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

/* A list has one bit for each vote, which is set if it rejects. The last vote decides, and none before. */
static bool decides(const asked *all, uint32_t list, uint32_t length)
{
    uint32_t against = rejections_in(list, length), last = list >> (length - 1) & 1;
    if (last)
        return against == all->rejections && length - against < all->quorum;
    return length - against == all->quorum && against < all->rejections;
}

static uint32_t longest(const asked *all)
{
    uint32_t most = all->quorum + all->rejections - 1;
    return all->people.type == WF_ARRAY && all->people.length < most ? all->people.length
                                                                     : most;
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

/* `plain` has the digest. ABSENT when out of memory. */
static wf_value decision(wf_explorer *explorer, const wf_schema *const *kinds, uint32_t list,
                         uint32_t length, const wf_value *plain)
{
    wf_symbolic *self = explorer->symbolic;
    wf_value *votes = wf_arena_take(&explorer->arena, length * sizeof *votes);
    wf_member *members = wf_arena_take(&explorer->arena, 4 * sizeof *members);
    if (!votes || !members)
        return wf_absent();
    for (uint32_t i = 0; i < length; i++)
        votes[i] = wf_symbolic_numbered(self, WF_SYMBOL_VOTE + i, kinds[list >> i & 1]);
    wf_member_set(&members[0], "approved", 8, wf_boolean((list >> (length - 1) & 1) == 0));
    wf_member_set(&members[1], "reason", 6, reason_of(self, &votes[length - 1]));
    wf_member_set(&members[2], "digest", 6, *wf_value_get_z(plain, "digest"));
    wf_member_set(&members[3], "votes", 5, wf_array(votes, length));
    return self->failed ? wf_absent() : wf_object(members, 4);
}

static bool of_invoke(wf_explorer *explorer, const wf_invoke *invoke, wf_data_classes *out)
{
    const asked all = asked_by(invoke);
    const uint32_t count = lists_of(&all);
    if (count == 0)
        return true;
    const wf_schema *kinds[] = {schema_of(explorer, &all, true),
                                schema_of(explorer, &all, false)};
    *out = (wf_data_classes){.arena = &explorer->arena, .capacity = count};
    out->list = wf_arena_take(&explorer->arena, count * sizeof *out->list);
    if (!kinds[0] || !kinds[1] || !out->list)
        return false;
    for (uint32_t length = 1; length <= longest(&all); length++)
        for (uint32_t list = 0; list < 1u << length; list++) {
            if (!decides(&all, list, length))
                continue;
            out->list[out->count] =
                decision(explorer, kinds, list, length, &explorer->decisions.list[0]);
            if (out->list[out->count++].type == WF_ABSENT)
                return false;
        }
    return true;
}

bool wf_symbolic_votes(wf_explorer *explorer)
{
    const wfsm_machine *machine = explorer->machine;
    explorer->voted =
        wf_arena_zero(&explorer->arena, (machine->invoke_count + 1u) * sizeof *explorer->voted);
    for (uint32_t i = 0; explorer->voted && i < machine->invoke_count; i++)
        if (explorer->results_untried[i] &&
            !of_invoke(explorer, &machine->invokes[i], &explorer->voted[i]))
            return false;
    return explorer->voted != NULL;
}

/* ---- what is known of them ---- */

static void assume_different(wf_symbolic *self, wf_term one, wf_term other)
{
    const wf_term by[] = {wf_term_member(&self->terms, one, "by", 2),
                          wf_term_member(&self->terms, other, "by", 2)};
    const wf_term same = wf_term_apply(&self->terms, wf_operator_find("===", 3), by, 2);
    self->failed |= same == WF_NONE;
    if (self->failed || self->path_count == WF_CONDITIONS_MOST)
        return;
    self->asked_by[self->path_count] = NULL;
    self->path[self->path_count++] = (wf_literal){.kind = WF_IS_FALSE, .term = same};
}

void wf_symbolic_assume_votes(wf_symbolic *self, const wf_value *decision)
{
    const wf_value *votes =
        decision->type == WF_OBJECT ? wf_value_get_z(decision, "votes") : NULL;
    wf_term one, other;
    for (uint32_t i = 0; votes && votes->type == WF_ARRAY && i < votes->length; i++)
        for (uint32_t j = 0; j < i; j++)
            if (wf_symbolic_term(&votes->as.items[i], &one) &&
                wf_symbolic_term(&votes->as.items[j], &other))
                assume_different(self, one, other);
}
