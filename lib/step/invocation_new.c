/* Making one invocation, or one item: what it is, from the expressions of `invoke`, and its entry
 * in the ledger. */
#include "step/step.h"

#include "base/error.h"

/* The number of the agent; WF_NONE if it is not one of those that are allowed. */
static uint32_t allowed_agent(const wfsm_machine *machine, const wf_invoke *invoke,
                              const wf_value *src)
{
    if (src->type != WF_STRING)
        return WF_NONE;
    uint32_t number = wf_names_find(&machine->agents, src->as.text, src->length);
    for (uint32_t i = 0; i < invoke->srcs.count; i++)
        if (machine->lists[invoke->srcs.first + i] == number)
            return number;
    return WF_NONE;
}

/* Each name is compared with those before it. */
static int32_t count_people(wf_step *step, const wf_invocation *made)
{
    const wf_value *people = wf_value_get_z(&made->input, "people");
    size_t count = people && people->type == WF_ARRAY ? people->length : 0;
    return wf_fuel_work(step, count * (count < 1000 ? count : 1) / 8);
}

/* Why a person cannot be asked this. NULL: it is no person, or nothing is wrong. */
static const char *error_of_person(const wf_step *step, const wf_invocation *like)
{
    if (!wf_is_person(&step->machine->agents.list[like->agent]))
        return NULL;
    if (step->item.type != WF_ABSENT)
        return "a person is not asked for items: name several, with a quorum";
    return wf_approval_error(&like->input);
}

/* Its entry in the ledger, and its text in the record. Without `input` the item is the input. */
enum { INVOCATION_BYTES = 2 * sizeof(wf_invocation) + 600 };

static int32_t count_invocation(wf_step *step, const wf_invoke *invoke,
                                const wf_invocation *made)
{
    const wf_value *input =
        invoke->input || step->item.type == WF_ABSENT ? &made->input : &step->item;
    size_t names = step->machine->states[invoke->state].path.length + invoke->id.length;
    int32_t status = wf_fuel_work(step, 4 + invoke->srcs.count / 8);
    if (status == WFSM_OK)
        status = wf_fuel_bytes(step, INVOCATION_BYTES + 6 * names);
    if (status == WFSM_OK)
        status = wf_fuel_keep(step, input);
    return status == WFSM_OK ? wf_fuel_keep(step, &made->pool) : status;
}

int32_t wf_invocation_eval(wf_step *step, uint32_t number, wf_invocation *made)
{
    const wf_invoke *invoke = &step->machine->invokes[number];
    wf_value src;
    wf_entry_clear(wf_kind_of(WF_LEDGER), made);
    made->invoke = number;
    made->state = invoke->state;
    made->status = WF_PENDING;
    int32_t status = wf_step_eval_known(step, invoke->src, WF_NEED_AGENT, &src);
    if (status == WFSM_OK)
        status = wf_step_eval(step, invoke->input, &made->input);
    if (status == WFSM_OK)
        status = wf_placement_eval(step, invoke, made);
    if (status != WFSM_OK)
        return status;
    made->agent = allowed_agent(step->machine, invoke, &src);
    status = count_invocation(step, invoke, made);
    if (status == WFSM_OK)
        status = count_people(step, made);
    if (status != WFSM_OK)
        return status;
    step->message = made->agent == WF_NONE ? "the value of `src` is none of the names in `srcs`"
                                           : error_of_person(step, made);
    return step->message ? WFSM_SEMANTIC : WFSM_OK;
}

/* Items are added one after the other, so the ordinal of the first item of the set is known. */
static uint32_t set_of(const wf_step *step, const wf_invocation *before)
{
    return before->set == 0 ? 0 : step->ordinal + 1 - (before->ordinal - before->set);
}

/* An item that has ended stays ended. Everything else starts from its first attempt. */
int32_t wf_invocation_add(wf_step *step, const wf_invocation *before)
{
    wf_invocation made = *before;
    made.revision = step->snapshot->revision + 1;
    made.ordinal = step->ordinal + 1;
    made.set = set_of(step, before);
    if (!wf_invocation_ended(before)) {
        made.attempt = 0;
        made.claimed = made.retry_count = 0;
        made.reason = WF_CLASSES;
        made.status = WF_PENDING;
        made.due = step->snapshot->now;
        made.owner = made.result = made.votes = wf_null();
        made.descendants = made.descendants_in_all = 0;
    }
    const wf_value name = wf_string(step->machine->agents.list[made.agent].text,
                                    step->machine->agents.list[made.agent].length);
    int32_t status = wf_incarnation(step, &name, &made.input, &made.incarnation);
    if (status == WFSM_OK)
        status = wf_ledger_put(step, &made);
    if (status == WFSM_OK)
        step->ordinal++;
    return status;
}
