/* verify/reached.c: a `reachable` holds by a run of the real step. The ways on which the searches have
 * met it are run again. */
#include "verify/concretize.h"
#include "verify/guide.h"
#include "verify/verification.h"

static int32_t run(wf_search *from, const wf_trace *trace, wf_arena *arena)
{
    wf_concrete concrete = {.same = true};
    wf_buffer_init(&concrete.text, arena->allocator);
    wf_buffer_init(&concrete.script, arena->allocator);
    wf_forget_reached(&from->explorer);
    int32_t status = wf_concretize(from, trace, &concrete);
    wf_buffer_fini(&concrete.text);
    wf_buffer_fini(&concrete.script);
    return status;
}

static int32_t try_way(wfsm_verification *report, wf_search *from,
                       const wf_search_diagnostic *found)
{
    wf_arena *arena = &report->arena;
    uint8_t *reached = &report->reached[found->subject];
    const wf_expr **culprit = &report->culprits[found->subject];
    wf_trace trace;
    bool values = true;
    int32_t status = wf_trace_find(from, found, arena, &trace);
    if (status == WFSM_OK && from->symbolic)
        status = wf_trace_values(from, &trace, arena, &values);
    if (status == WFSM_OK && values)
        status = run(from, &trace, arena);
    if (status == WFSM_OK && values && !wf_trace_repeats_an_id(&trace))
        *reached = from->explorer.verdicts[found->subject] == WF_VERDICT_REACHED;
    if (status == WFSM_OK && from->symbolic && !*reached && !*culprit)
        *culprit = wf_culprit(from->symbolic, arena);
    wf_trace_free(from, &trace);
    return status == WFSM_NOT_FOUND ? WFSM_OK : status;
}

int32_t wf_confirm_reached(wfsm_verification *report, wf_search *from)
{
    int32_t status = WFSM_OK;
    for (size_t i = 0; i < from->found_count && status == WFSM_OK; i++) {
        const wf_search_diagnostic *found = &from->found[i];
        if (found->rule == WF_RULE_REACHED && !report->reached[found->subject])
            status = try_way(report, from, found);
    }
    return status;
}

/* ---- directed searches ---- */

enum { MOVES_OF_ONE = 100000 };

static int32_t look(wfsm_verification *report, const wf_search *first, uint32_t property,
                    wf_guide_way way)
{
    wf_search search = {0};
    uint64_t *left = &report->moves_left;
    search.moves_most = *left < MOVES_OF_ONE ? *left : MOVES_OF_ONE;
    int32_t status =
        wf_guide_search(&search, first, report->machine, property, way, first->explorer.error);
    *left -= search.moves < *left ? search.moves : *left;
    if (status == WFSM_OK)
        status = wf_confirm_reached(report, &search);
    wf_search_end(&search);
    return status;
}

static int32_t look_for(wfsm_verification *report, const wf_search *first, uint32_t property)
{
    int32_t status = WFSM_OK;
    for (int way = 0; way < WF_GUIDE_WAYS && status == WFSM_OK && report->moves_left > 0; way++)
        if (!report->reached[property])
            status = look(report, first, property, (wf_guide_way)way);
    return status;
}

int32_t wf_look_further(wfsm_verification *report, const wf_search *first)
{
    const wfsm_machine *machine = report->machine;
    const bool waiting = first->at < first->space.count;
    int32_t status = WFSM_OK;
    for (uint32_t i = 0; i < machine->property_count && waiting && status == WFSM_OK; i++)
        if (machine->properties[i].kind == WF_REACHABLE)
            status = look_for(report, first, i);
    return status;
}
