#include "verify/verify_way.h"

#include "base/error.h"
#include "base/memory.h"

/* What is looked for among the moves of a state: one that leads to a key, or one that a rule
 * says something about. */
typedef struct hunt {
    const uint8_t *key; /* NULL: by the rule */
    size_t key_length;
    const wf_notice *notice;
    wf_arena *arena;
    wf_leg leg;
    bool found;
} hunt;

static bool is_noticed(void *user, uint8_t rule, uint32_t subject)
{
    hunt *self = user;
    self->found |= rule == self->notice->rule && subject == self->notice->subject;
    return !self->found;
}

static bool copy_leg(hunt *self, const wf_kit *kit, const wf_trial *trial)
{
    wf_leg *leg = &self->leg;
    *leg = (wf_leg){.deed = trial->deed, .answer_count = kit->choices.count};
    memcpy(leg->answers, kit->choices.answer, sizeof leg->answers);
    leg->deed.data = wf_value_clone(self->arena, &trial->deed.data);
    leg->deed.usage = wf_value_clone(self->arena, &trial->deed.usage);
    if (self->arena->failed)
        return false;
    if (!trial->changed)
        return true;
    leg->kept = kit->kept_next;
    leg->key_length = kit->timeless;
    leg->key = wf_arena_take(self->arena, kit->timeless);
    if (leg->key)
        memcpy(leg->key, kit->key, kit->timeless);
    return leg->key != NULL;
}

static int32_t look(void *user, wf_kit *kit, const wf_trial *trial)
{
    hunt *self = user;
    if (!self->key)
        (void)wf_judge(kit, trial, is_noticed, self);
    else
        self->found = trial->changed && kit->key_length == self->key_length &&
                      memcmp(kit->key, self->key, self->key_length) == 0;
    if (!self->found)
        return WFSM_OK;
    return copy_leg(self, kit, trial) ? WFSM_EXISTS : WFSM_NO_MEMORY;
}

static bool add_leg(wf_exploration *self, wf_way *way, const wf_leg *leg)
{
    wf_leg *legs =
        wf_grow(self->kit.allocator, way->legs, &way->capacity, way->count + 1, sizeof *legs);
    if (!legs)
        return false;
    way->legs = legs;
    legs[way->count++] = *leg;
    return true;
}

static int32_t finish(wf_exploration *self, hunt *it, int32_t status, wf_way *way)
{
    if (status == WFSM_OK)
        return WFSM_NOT_FOUND;
    if (status != WFSM_EXISTS)
        return status;
    return add_leg(self, way, &it->leg) ? WFSM_OK : WFSM_NO_MEMORY;
}

static int32_t hunt_at_start(wf_exploration *self, hunt *it, wf_way *way)
{
    int32_t status = WFSM_OK;
    for (size_t i = 0; i < self->input_count && status == WFSM_OK; i++)
        status = wf_try_start(&self->kit, (uint32_t)i, &self->inputs[i], look, it);
    return finish(self, it, status, way);
}

static int32_t hunt_from(wf_exploration *self, uint32_t state, hunt *it, wf_way *way)
{
    size_t length;
    const uint8_t *key = wf_states_key(&self->states, state, &length);
    int32_t status = wf_kit_restore(&self->kit, key, length);
    if (status == WFSM_OK)
        status = wf_try_all(&self->kit, key, length, look, it);
    return finish(self, it, status, way);
}

/* From a state, or the start, to a state. */
static int32_t step_to(wf_exploration *self, uint32_t from, uint32_t to, wf_arena *arena,
                       wf_way *way)
{
    hunt it = {.arena = arena};
    it.key = wf_states_key(&self->states, to, &it.key_length);
    return from == WF_NONE ? hunt_at_start(self, &it, way) : hunt_from(self, from, &it, way);
}

static int32_t walk_to(wf_exploration *self, uint32_t state, wf_arena *arena, wf_way *way)
{
    size_t count = 0;
    int32_t status = WFSM_OK;
    if (state == WF_NONE)
        return WFSM_OK;
    for (uint32_t s = state; s != WF_NONE; s = self->states.parents[s])
        count++;
    uint32_t *list = wf_new(self->kit.allocator, count * sizeof *list);
    if (!list)
        return WFSM_NO_MEMORY;
    for (uint32_t s = state, i = (uint32_t)count; s != WF_NONE; s = self->states.parents[s])
        list[--i] = s;
    for (size_t i = 0; i < count && status == WFSM_OK; i++)
        status = step_to(self, i == 0 ? WF_NONE : list[i - 1], list[i], arena, way);
    wf_free(self->kit.allocator, list);
    return status;
}

static int32_t walk_round(wf_exploration *self, const wf_notice *notice, wf_arena *arena,
                          wf_way *way)
{
    uint32_t from = notice->state;
    int32_t status = WFSM_OK;
    for (uint32_t i = 0; i < notice->cycle_count && status == WFSM_OK; i++) {
        status = step_to(self, from, notice->cycle[i], arena, way);
        from = notice->cycle[i];
    }
    return status;
}

int32_t wf_way_find(wf_exploration *self, const wf_notice *notice, wf_arena *arena, wf_way *way)
{
    hunt it = {.arena = arena, .notice = notice};
    *way = (wf_way){0};
    int32_t status = walk_to(self, notice->state, arena, way);
    if (status == WFSM_OK && !notice->at_state)
        status = notice->state == WF_NONE ? hunt_at_start(self, &it, way)
                                          : hunt_from(self, notice->state, &it, way);
    way->cycle = way->count;
    if (status == WFSM_OK)
        status = walk_round(self, notice, arena, way);
    return status;
}

void wf_way_free(wf_exploration *self, wf_way *way)
{
    wf_free(self->kit.allocator, way->legs);
    *way = (wf_way){0};
}
