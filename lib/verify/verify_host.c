/* The host of an exploration: it answers every question in every way, one step after the
 * other. A question that was asked before, while nothing has changed since, has one answer. */
#include "verify/verify_try.h"

static uint32_t asked_before(const wf_kit *kit, const wf_step *step, uint32_t guard,
                             const wf_value *params)
{
    const wf_choices *all = &kit->choices;
    for (uint32_t i = 0; i < all->count; i++)
        if (all->guard[i] == guard && all->changes[i] == step->undo_count &&
            wf_same_value(&all->params[i], params))
            return i;
    return WF_NONE;
}

static uint32_t answer(wf_kit *kit, const wf_step *step, uint32_t guard, const wf_value *params,
                       uint32_t most)
{
    wf_choices *all = &kit->choices;
    uint32_t place = asked_before(kit, step, guard, params);
    if (guard != WF_NONE && place != WF_NONE)
        return all->answer[place];
    if (all->count == WF_CHOICES_MOST) {
        kit->many_choices = true;
        return 0;
    }
    place = all->count++;
    if (place >= all->fixed)
        all->answer[place] = 0;
    all->most[place] = (uint16_t)most;
    all->guard[place] = guard;
    all->changes[place] = step->undo_count;
    all->params[place] = *params;
    return all->answer[place];
}

/* The step that asks is the one that was opened last. */
static int32_t guard(void *user, uint32_t number, const wf_value *params, bool *yes,
                     const char **message)
{
    wf_kit *kit = user;
    (void)message;
    *yes = answer(kit, kit->asking, number, params, 2) == 0;
    return WFSM_OK;
}

static int32_t action(void *user, uint32_t number, const wf_value *params, wf_value *patch,
                      const char **message)
{
    wf_kit *kit = user;
    (void)number;
    uint32_t chosen = answer(kit, kit->asking, WF_NONE, params, kit->patch_count + 1);
    if (chosen == kit->patch_count) {
        *message = "the host's function fails";
        return WFSM_HOST;
    }
    *patch = kit->patches[chosen];
    return WFSM_OK;
}

wf_host wf_choosing_host(wf_kit *kit)
{
    return (wf_host){kit, guard, action};
}
