/* Asking the host for a guard or an action. Every answer is kept for the record, from which a
 * replay takes it. */
#include "step/step.h"

#include "base/error.h"
#include "base/memory.h"

enum { ASK_WORK = 100 };

/* The host gets the parameters and may look at the context. Neither the memory in which they are
 * handed over nor its answer's is counted where it is taken: a replay has the answer elsewhere. */
typedef struct asking {
    size_t total, limit;
} asking;

static int32_t begin_asking(wf_step *step, const wf_value *params, asking *before)
{
    size_t slots = step->snapshot->slot_count;
    int32_t status = wf_fuel_work(step, ASK_WORK + slots / 4);
    if (status == WFSM_OK)
        status = wf_fuel_bytes(step, slots * sizeof(wf_member));
    if (status == WFSM_OK)
        status = wf_fuel_text(step, params);
    *before = (asking){step->arena.total, step->arena.limit};
    if (status == WFSM_OK)
        step->arena.limit = 0;
    return status;
}

/* The answer is kept before it is counted: a replay needs it to get as far. */
static int32_t end_asking(wf_step *step, const wf_answered *answer, const asking *before)
{
    wf_value text = answer->message ? wf_string_z(answer->message) : wf_null();
    step->arena.total = before->total;
    step->arena.limit = before->limit;
    int32_t status = wf_fuel_bytes(step, 2 * sizeof *step->answers);
    if (status == WFSM_OK)
        status = wf_fuel_keep(step, &text);
    return status == WFSM_OK ? wf_fuel_keep(step, &answer->value) : status;
}

static int32_t keep_answer(wf_step *step, wf_answered answered)
{
    wf_answered *list = wf_grow(step->allocator, step->answers, &step->answer_capacity,
                                step->answer_count + 1, sizeof *list);
    if (!list)
        return wf_no_memory(step->error);
    step->answers = list;
    list[step->answer_count++] = answered;
    return WFSM_OK;
}

int32_t wf_ask_guard(wf_step *step, const wf_guard *guard, const wf_value *params, bool *yes)
{
    const char *message = NULL;
    asking before;
    int32_t status = begin_asking(step, params, &before);
    if (status != WFSM_OK)
        return status;
    status = step->host.guard(step->host.user, guard, params, yes, &message);
    if (status == WFSM_NO_MEMORY)
        return wf_no_memory(step->error);
    wf_answered answered = {false, guard->host, status != WFSM_OK, wf_boolean(*yes), message};
    int32_t kept = keep_answer(step, answered);
    if (kept == WFSM_OK)
        kept = end_asking(step, &answered, &before);
    if (kept != WFSM_OK || status == WFSM_OK)
        return kept;
    step->message = message ? message : "the host's guard failed";
    return WFSM_SEMANTIC;
}

static int32_t fail_action(wf_step *step, uint32_t function)
{
    return wf_fail(step->error, WFSM_HOST, "action \"%s\": %s",
                   step->machine->functions.list[function].text, step->message);
}

int32_t wf_ask_action(wf_step *step, uint32_t function, const wf_value *params)
{
    wf_value patch = wf_absent();
    const char *message = NULL;
    asking before;
    int32_t status = begin_asking(step, params, &before);
    if (status != WFSM_OK)
        return status;
    status = step->host.action(step->host.user, function, params, &patch, &message);
    if (status == WFSM_NO_MEMORY)
        return wf_no_memory(step->error);
    wf_value value = patch.type == WF_ABSENT ? wf_null() : patch;
    wf_answered answered = {true, function, status != WFSM_OK, value, message};
    int32_t kept = keep_answer(step, answered);
    if (kept == WFSM_OK)
        kept = end_asking(step, &answered, &before);
    if (kept != WFSM_OK)
        return kept;
    bool given = status == WFSM_OK && patch.type == WF_OBJECT;
    if (given)
        status = wf_assign_patch(step, &patch);
    if (status == WFSM_OK || status == WFSM_NO_MEMORY || (given && status == WFSM_LIMIT))
        return status;
    step->message = message ? message : "the host's function failed";
    return fail_action(step, function);
}
