/* verify/coverage_report.c: what was met, for the report. */
#include "verify/cone_find.h"
#include "verify/verification.h"

#include <string.h>
#include "base/buffer.h"

typedef struct seen {
    const wf_coverage *from, *symbolic; /* symbolic: NULL, or of the search that followed */
    const wfsm_verification *report;
    bool complete;
    bool may_differ; /* `from` has tried votes, refusals, pauses or times that no run has */
} seen;

static bool has_case(const wfsm_verification *report, uint32_t goal)
{
    for (size_t i = 0; i < report->case_count; i++)
        if (report->cases[i].met[goal / WF_MET_ALL] >> goal % WF_MET_ALL & 1)
            return true;
    return false;
}

/* What was met over symbols only is known to happen if a run with values shows it. */
static int32_t seen_of(const seen *all, uint32_t point, enum wf_met what)
{
    const uint32_t goal = WF_MET_ALL * point + what;
    if ((all->from->first[goal].met && !all->may_differ) || has_case(all->report, goal))
        return WFSM_SEEN_ONCE;
    const wf_coverage *last = all->symbolic ? all->symbolic : all->from;
    return last->first[goal].met || !all->complete ? WFSM_SEEN_UNKNOWN : WFSM_SEEN_NEVER;
}

static bool is_default(const wfsm_machine *machine, const wf_point *point)
{
    return !point->branch && machine->states[point->state].initial == point->transition;
}

static const char *targets_of(const wfsm_machine *machine, const wf_point *point,
                              wf_arena *arena)
{
    wf_buffer text;
    wf_buffer_init(&text, arena->allocator);
    wf_buffer_text(&text, "");
    if (!point->branch) {
        const wf_span targets = machine->transitions[point->transition].targets;
        for (uint32_t i = 0; i < targets.count; i++) {
            wf_buffer_text(&text, i > 0 ? ", " : "");
            wf_buffer_text(&text, machine->states[machine->lists[targets.first + i]].path.text);
        }
    }
    const char *copy =
        text.failed ? NULL : wf_arena_text(arena, text.data ? text.data : "", text.length);
    wf_buffer_fini(&text);
    return copy;
}

static const char *event_of(const wfsm_machine *machine, const wf_point *point)
{
    if (point->transition == WF_NONE)
        return "";
    const uint32_t event = machine->transitions[point->transition].event;
    return event == WF_NONE ? "" : machine->descriptors[event].text;
}

static bool add(wfsm_verification *report, const seen *all, uint32_t number)
{
    const wfsm_machine *machine = report->machine;
    const wf_point *point = &all->from->points[number];
    const wf_search_diagnostic about = {
        .rule = point->transition == WF_NONE ? WF_RULE_DEAD_STATE : WF_RULE_DEAD_TRANSITION,
        .subject = point->transition == WF_NONE ? point->state : point->transition};
    const bool asked = point->guard->kind != WF_GUARD_NONE;
    wfsm_verify_coverage *out = &report->coverage[report->coverage_count++];
    *out = (wfsm_verify_coverage){
        .size = sizeof *out,
        .state = machine->states[point->state].path.text,
        .event = event_of(machine, point),
        .guard = wf_guard_text(point->guard, &report->arena),
        .pointer = wf_diagnostic_pointer(machine, &about, &report->finder, &report->arena),
        .branch = point->branch,
        .taken = point->branch ? WFSM_SEEN_NOT_ASKED : seen_of(all, number, WF_MET_TAKEN),
        .was_true = asked ? seen_of(all, number, WF_MET_TRUE) : WFSM_SEEN_NOT_ASKED,
        .was_false = asked ? seen_of(all, number, WF_MET_FALSE) : WFSM_SEEN_NOT_ASKED,
        .target = targets_of(machine, point, &report->arena)};
    if (!out->guard || !out->pointer || !out->target)
        return false;
    wf_json_find(&report->finder, out->pointer, true, &out->line, &out->column);
    return true;
}

/* The classes of a decision have no votes: the search over symbols follows them. */
static bool reads_votes(const wf_search *symbolic)
{
    const wf_explorer *explorer = &symbolic->explorer;
    const wfsm_machine *machine = explorer->machine;
    for (uint32_t i = 0; i < machine->invoke_count; i++)
        if (explorer->results_untried[i] && wf_may_ask_person(machine, &machine->invokes[i]))
            return true;
    return false;
}

/* A rule reads why a vote was refused. Runs are made for only one of the reasons (concretize.c). */
static bool reads_refusals(const wf_explorer *explorer)
{
    for (size_t i = 0; i < explorer->outside_count; i++)
        if (strcmp(explorer->outside[i].name.as.text, WF_APPROVAL_REFUSED) == 0)
            return explorer->outside[i].data.count > 1;
    return false;
}

/* Pauses before attempts are not followed: an attempt of the search may begin before a punctual host begins it. */
static bool has_pauses(const wf_explorer *explorer)
{
    bool any = false;
    for (uint32_t i = 0; i < explorer->machine->invoke_count; i++)
        any |= explorer->machine->invokes[i].retries.count > 0;
    return any && explorer->times.punctual;
}

bool wf_coverage_write(wfsm_verification *report, const wf_search *from,
                       const wf_search *symbolic)
{
    const wf_coverage *coverage = &from->explorer.coverage;
    const seen all = {.from = coverage,
                      .symbolic = symbolic ? &symbolic->explorer.coverage : NULL,
                      .report = report,
                      .complete = report->complete && !report->proofs.all,
                      .may_differ =
                          from->explorer.cones.clock || from->explorer.cones.spent_time ||
                          reads_refusals(&from->explorer) || has_pauses(&from->explorer) ||
                          (symbolic && reads_votes(symbolic))};
    report->coverage =
        wf_arena_zero(&report->arena, (coverage->count + 1u) * sizeof *report->coverage);
    for (uint32_t i = 0; report->coverage && i < coverage->count; i++)
        if (!is_default(report->machine, &coverage->points[i]) &&
            (!coverage->points[i].branch || coverage->points[i].guard->kind != WF_GUARD_NONE) &&
            !add(report, &all, i))
            return false;
    return report->coverage != NULL;
}
