/* verify/instances_parent.c: the moves of the parent, and what each of them does to the children of the
 * invocations that are watched. */
#include "base/error.h"
#include "base/invariant.h"
#include "base/memory.h"
#include "verify/instances.h"

/* What becomes of the children of an invocation that were outstanding. */
enum withdrawal { WITHDRAWN_NONE, WITHDRAWN_ONE, WITHDRAWN_REST, WITHDRAWN_ALL };

/* How many children of an invocation are outstanding: all of them, and those from before the step. */
typedef struct standing {
    uint32_t all, kept;
} standing;

static standing standing_of(const wf_explorer *explorer, uint32_t invoke)
{
    const wf_list *ledger = &explorer->snapshot.extras->ledger;
    standing found = {0};
    for (size_t i = 0; i < ledger->count; i++) {
        const wf_invocation *one = wf_invocation_at(ledger, i);
        /* A child starts with the claim, if claims are moves. */
        if (one->invoke != invoke || !wf_may_answer(explorer, (uint32_t)i))
            continue;
        found.all++;
        found.kept += one->revision == 1; /* as those of a state that was restored */
    }
    return found;
}

void wf_parent_before(wf_instances *self, const wf_explorer *explorer)
{
    for (uint32_t k = 0; k < self->count; k++) {
        uint32_t all = standing_of(explorer, self->children[k].invoke).all;
        self->before[k] = (uint8_t)(all < UINT8_MAX ? all : UINT8_MAX);
    }
}

/* The invocation that the input is about; self->count: none that is watched. */
static uint32_t subject_of(const wf_instances *self, const wf_explorer *explorer,
                           const wf_input *input)
{
    if (input->kind != WF_INPUT_RESULT && input->kind != WF_INPUT_FAILURE)
        return self->count;
    const wf_list before = wf_draft_before(&explorer->step, WF_LEDGER);
    uint32_t invoke = wf_invocation_at(&before, input->place)->invoke;
    uint32_t k = 0;
    while (k < self->count && self->children[k].invoke != invoke)
        k++;
    return k;
}

/* Its child is told to stop, as after a withdrawal: somebody cancels the invocation, which is not tried again
 * then, or its time limit passes. A child that fails by itself, or is stopped by somebody, has ended. */
static bool fails_from_outside(const wf_instances *self, uint32_t k, const wf_input *input,
                               bool again)
{
    const wf_invoke *invoke = &self->report->machine->invokes[self->children[k].invoke];
    return input->kind == WF_INPUT_FAILURE &&
           ((input->failure == WF_CLASS_CANCELED && !again) ||
            (input->failure == WF_CLASS_TIMEOUT && invoke->timeout > 0));
}

/* The entry that the input is about is still there. */
static bool is_tried_again(const wf_explorer *explorer, const wf_input *input)
{
    const wf_list *now = &explorer->snapshot.extras->ledger;
    const wf_list before = wf_draft_before(&explorer->step, WF_LEDGER);
    const wf_invocation *one = wf_invocation_at(&before, input->place);
    for (size_t i = 0; i < now->count; i++) {
        const wf_invocation *other = wf_invocation_at(now, i);
        if (other->revision == one->revision && other->ordinal == one->ordinal)
            return !wf_invocation_ended(other);
    }
    return false;
}

/* Which of the children the move has withdrawn, if any were outstanding before it. */
static enum withdrawal withdraws(const wf_instances *self, const wf_explorer *explorer,
                                 uint32_t k, uint32_t subject, const wf_input *input)
{
    const wf_invoke *invoke = &self->report->machine->invokes[self->children[k].invoke];
    const bool others = standing_of(explorer, self->children[k].invoke).kept > 0;
    if (self->before[k] == 0)
        return WITHDRAWN_NONE;
    if (input->kind == WF_INPUT_RESTORE)
        return WITHDRAWN_ALL;
    if (k == subject && fails_from_outside(self, k, input, is_tried_again(explorer, input)))
        return others || !invoke->items ? WITHDRAWN_ONE : WITHDRAWN_ALL;
    if (others)
        return WITHDRAWN_NONE;
    if (k != subject)
        return WITHDRAWN_ALL;
    /* The last of the items, or one that decides over the others. */
    bool decides = invoke->items && (invoke->complete || input->kind == WF_INPUT_FAILURE);
    return decides ? WITHDRAWN_REST : WITHDRAWN_NONE;
}

static void note_withdrawn(wf_parent_move *label, uint32_t k, enum withdrawal which)
{
    const uint8_t bit = (uint8_t)(1u << k);
    label->left |= which != WITHDRAWN_NONE ? bit : 0;
    label->one |= which == WITHDRAWN_ONE ? bit : 0;
    label->rest |= which == WITHDRAWN_REST ? bit : 0;
}

wf_parent_move wf_parent_label(const wf_instances *self, const wf_explorer *explorer,
                               const wf_successor *successor)
{
    const wf_input *input = &successor->input;
    wf_parent_move label = {0};
    if (input->kind == WF_INPUT_START)
        return label;
    uint32_t subject = subject_of(self, explorer, input);
    if (input->kind == WF_INPUT_RESULT && subject < self->count)
        label.result = (uint8_t)(subject + 1);
    for (uint32_t k = 0; k < self->count; k++)
        note_withdrawn(&label, k, withdraws(self, explorer, k, subject, input));
    return label;
}

/* ---- all links ---- */

static bool is_known(const wf_instances *self, uint32_t from, wf_parent_link link)
{
    for (size_t i = self->first[from]; i < self->link_count; i++)
        if (self->links[i].to == link.to &&
            wf_parent_moves_alike(self->links[i].label, link.label))
            return true;
    return false;
}

typedef struct walk {
    wf_instances *self;
    uint32_t at;
} walk;

static int32_t add_link(void *user, wf_explorer *explorer, const wf_successor *successor)
{
    walk *walk_ = user;
    wf_instances *self = walk_->self;
    if (!successor->changed)
        return WFSM_OK;
    wf_parent_link link = {
        wf_state_space_find(&self->search->space, explorer->key, explorer->key_length),
        wf_parent_label(self, explorer, successor)};
    if (link.to == WF_NONE)
        return WFSM_LIMIT;
    if (link.label.result > 0 &&
        !wf_child_may_give(self, &self->children[link.label.result - 1],
                           &successor->input.data))
        return WFSM_OK;
    if (is_known(self, walk_->at, link))
        return WFSM_OK;
    wf_parent_link *list = wf_grow(explorer->allocator, self->links, &self->link_capacity,
                                   self->link_count + 1, sizeof *list);
    if (!list)
        return wf_no_memory(self->error);
    self->links = list;
    list[self->link_count++] = link;
    return WFSM_OK;
}

static int32_t expand(wf_instances *self, uint32_t state)
{
    walk walk_ = {self, state};
    wf_explorer *explorer = &self->search->explorer;
    size_t length;
    const uint8_t *key = wf_state_space_key(&self->search->space, state, &length);
    int32_t status = wf_state_key_restore(explorer, key, length);
    if (status != WFSM_OK)
        return status;
    wf_parent_before(self, explorer);
    memcpy(&self->open[state * self->count], self->before, self->count);
    if (explorer->snapshot.status == WFSM_DONE)
        return WFSM_OK;
    return wf_successors_of_state(explorer, key, length, add_link, &walk_);
}

int32_t wf_parent_explore(wf_instances *self)
{
    const wfsm_allocator *allocator = self->search->explorer.allocator;
    uint32_t count = self->search->space.count;
    int32_t status = WFSM_OK;
    self->first = wf_new(allocator, (count + 1u) * sizeof *self->first);
    self->open = wf_new(allocator, ((size_t)count + 1) * WF_WATCHED_MOST);
    if (!self->first || !self->open)
        return wf_no_memory(self->error);
    for (uint32_t k = 0; k < self->count; k++)
        wf_child_compare_outputs(self, &self->children[k]);
    for (uint32_t s = 0; s < count && status == WFSM_OK; s++) {
        self->first[s] = self->link_count;
        status = expand(self, s);
    }
    self->first[count] = self->link_count;
    return status;
}
