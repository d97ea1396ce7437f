/* verify/host_choices.c: a host whose answers are enumerated. A question that is repeated before
 * anything has changed gets the same answer. */
#include "verify/successors.h"
#include "base/invariant.h"

static uint32_t asked_before(const wf_explorer *explorer, const wf_step *step, uint32_t guard,
                             const wf_value *params)
{
    const wf_choices *all = &explorer->choices;
    for (uint32_t i = 0; i < all->count; i++)
        if (all->guard[i] == guard && all->changes[i] == step->before.undo_count &&
            wf_same_value(&all->params[i], params))
            return i;
    return WF_NONE;
}

static uint32_t answer(wf_explorer *explorer, const wf_step *step, uint32_t guard,
                       const wf_value *params, uint32_t most)
{
    wf_choices *all = &explorer->choices;
    uint32_t place = asked_before(explorer, step, guard, params);
    if (guard != WF_NONE && place != WF_NONE)
        return all->answer[place];
    if (all->count == WF_CHOICES_MOST) {
        explorer->many_choices = true;
        return 0;
    }
    place = all->count++;
    if (place >= all->fixed)
        all->answer[place] = 0;
    all->most[place] = (uint16_t)most;
    all->guard[place] = guard;
    all->changes[place] = step->before.undo_count;
    all->params[place] = *params;
    WF_INVARIANT(all->answer[place] < most);
    return all->answer[place];
}

/* explorer->asking is the step that asks. */
static int32_t guard(void *user, uint32_t number, const wf_value *params, bool *yes,
                     const char **message)
{
    wf_explorer *explorer = user;
    uint32_t chosen = answer(explorer, explorer->asking, number, params, 3);
    *yes = chosen == 0;
    *message = "the host's guard fails";
    return chosen == 2 ? WFSM_HOST : WFSM_OK;
}

static wf_value next_given(wf_explorer *explorer)
{
    if (explorer->given_count == 0)
        return wf_absent();
    explorer->given_count--;
    return *explorer->given++;
}

static wf_value patch_of(wf_explorer *explorer, uint32_t chosen)
{
    if (chosen == 0 || !explorer->symbolic)
        return explorer->patches[chosen];
    return explorer->given ? next_given(explorer) : wf_symbolic_patch(explorer->symbolic);
}

static int32_t action(void *user, uint32_t number, const wf_value *params, wf_value *patch,
                      const char **message)
{
    wf_explorer *explorer = user;
    (void)number;
    uint32_t chosen =
        answer(explorer, explorer->asking, WF_NONE, params, explorer->patch_count + 1);
    if (chosen == explorer->patch_count) {
        *message = "the host's function fails";
        return WFSM_HOST;
    }
    *patch = patch_of(explorer, chosen);
    return WFSM_OK;
}

wf_host wf_choosing_host(wf_explorer *explorer)
{
    return (wf_host){explorer, guard, action};
}
