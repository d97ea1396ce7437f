/* verify/host_choices.c: a host whose answers are enumerated. A question that is repeated before the context
 * has changed, about the same event, gets the same answer. */
#include "verify/expr_alike.h"
#include "verify/successors.h"
#include "base/invariant.h"

/* Two params of the same class may have different values, unless they are written alike. */
static bool is_same_question(const wf_guard *a, const wf_guard *b)
{
    if (!a || a->host != b->host)
        return false;
    return a->params && b->params ? wf_expr_alike(a->params, b->params)
                                  : a->params == b->params;
}

/* Params are compared as well: they may read the configuration or budgets, which change without an assignment. */
static uint32_t asked_before(const wf_choices *all, const wf_step *step, const wf_guard *guard,
                             const wf_value *params)
{
    for (uint32_t i = 0; i < all->count; i++)
        if (is_same_question(all->guard[i], guard) && all->assigned[i] == step->assigned &&
            all->event[i] == step->event.as.members && wf_same_value(&all->params[i], params))
            return i;
    return WF_NONE;
}

static uint32_t answer(wf_explorer *explorer, const wf_guard *guard, const wf_value *params,
                       uint32_t most)
{
    wf_choices *all = &explorer->choices;
    const wf_step *step = explorer->asking;
    uint32_t place = guard ? asked_before(all, step, guard, params) : WF_NONE;
    if (place != WF_NONE)
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
    all->is_decision[place] = false;
    all->event[place] = step->event.as.members;
    all->assigned[place] = step->assigned;
    all->params[place] = *params;
    WF_INVARIANT(all->answer[place] < most);
    return all->answer[place];
}

/* explorer->asking is the step that asks. */
static int32_t guard(void *user, const wf_guard *asked, const wf_value *params, bool *yes,
                     const char **message)
{
    uint32_t chosen = answer(user, asked, params, 3);
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
    uint32_t chosen = answer(explorer, NULL, params, explorer->patch_count + 1);
    (void)number;
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
