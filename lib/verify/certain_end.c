/* verify/certain_end.c: whether each state can come to an end, whatever the values. An edge over symbols may be
 * one that no run takes. Certain is an input after which each run leads to a state that can come to an
 * end. */
#include "base/memory.h"
#include "verify/liveness.h"

/* So often all states are looked at. */
enum { PASSES_MOST = 16 };

typedef struct ends {
    wf_search *search;
    uint8_t *can_end; /* by state */
    bool begun, all; /* the input at hand has runs; each of them leads to such a state */
    bool found; /* the state at hand has such an input */
    wf_ways ways; /* of events to such states */
} ends;

static void end_input(ends *self)
{
    self->found |= self->begun && self->all;
    self->begun = self->all = true;
}

static int32_t note_run(void *user, wf_explorer *explorer, const wf_successor *successor)
{
    ends *self = user;
    if (successor->first)
        end_input(self);
    uint32_t to =
        wf_state_space_find(&self->search->space, explorer->key, explorer->key_length);
    const bool good = successor->changed && to != WF_NONE && self->can_end[to];
    self->all &= good;
    if (good)
        wf_ways_note(&self->ways, explorer, successor, 0);
    return WFSM_OK;
}

static int32_t look_at(ends *self, uint32_t state)
{
    wf_explorer *explorer = &self->search->explorer;
    size_t length;
    const uint8_t *key = wf_state_space_key(&self->search->space, state, &length);
    self->begun = self->all = self->found = false;
    wf_ways_clear(&self->ways);
    int32_t status = wf_state_key_restore(explorer, key, length);
    if (status == WFSM_OK)
        status = wf_successors_of_state(explorer, key, length, note_run, self);
    end_input(self);
    if (status == WFSM_OK && !self->found)
        self->found = wf_ways_cover(&self->ways, explorer, 0, NULL);
    self->can_end[state] = status == WFSM_OK && self->found;
    return status;
}

/* Later states are nearer to an end. *more: there is one that was not known to come to an end before. */
static int32_t look_at_all(ends *self, uint32_t *left, bool *more)
{
    int32_t status = WFSM_OK;
    *left = 0;
    *more = false;
    for (uint32_t s = self->search->space.count; s-- > 0 && status == WFSM_OK;) {
        if (self->can_end[s])
            continue;
        status = look_at(self, s);
        *more |= self->can_end[s];
        *left += !self->can_end[s];
    }
    return status;
}

int32_t wf_ends_are_certain(wf_search *search, bool *certain)
{
    ends self = {.search = search};
    const uint32_t count = search->space.count;
    uint32_t left = count;
    bool more = false, tried = true;
    int32_t status = WFSM_OK;
    self.can_end = wf_new(search->explorer.allocator, count + (size_t)1);
    if (!self.can_end)
        return WFSM_NO_MEMORY;
    for (uint32_t s = 0; s < count; s++) {
        self.can_end[s] = (search->space.flags[s] & (WF_FLAG_DONE | WF_FLAG_TERMINAL)) != 0;
        more |= self.can_end[s];
        tried &= (search->space.flags[s] & (WF_FLAG_CUT | WF_FLAG_UNTRIED)) == 0;
    }
    *certain = tried && !more; /* a machine without an end need not come to one */
    for (uint32_t i = 0; i < PASSES_MOST && more && left > 0 && status == WFSM_OK; i++)
        status = look_at_all(&self, &left, &more);
    *certain |= tried && left == 0;
    wf_free(search->explorer.allocator, self.can_end);
    return status;
}
