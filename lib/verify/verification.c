#include "verify/verification.h"

#include "base/buffer.h"
#include "base/error.h"
#include "base/memory.h"
#include "draw/rule_text.h"
#include "verify/concretize.h"
#include "verify/cone_find.h"
#include "verify/instances.h"
#include "verify/sample.h"
#include "base/invariant.h"

/* ---- diagnostics ---- */

/* The input of the start, as JSON. */
static const char *start_of(const wf_value *input, wf_arena *arena)
{
    wf_buffer text;
    if (input->type != WF_OBJECT)
        return "";
    wf_buffer_init(&text, arena->allocator);
    wf_json_write(&text, input);
    const char *copy = wf_report_text(arena, &text);
    wf_buffer_fini(&text);
    return copy;
}

static int32_t write_trace(wfsm_verification *report, wf_search *from, const wf_trace *trace,
                           wfsm_verify_diagnostic *out, bool *round)
{
    wf_concrete concrete = {.same = true};
    wf_buffer_init(&concrete.text, report->arena.allocator);
    wf_buffer_init(&concrete.script, report->arena.allocator);
    int32_t status = wf_concretize(from, trace, &concrete);
    out->steps = (int32_t)trace->count - 1;
    out->replayed = concrete.same;
    *round = concrete.round;
    out->trace = status == WFSM_OK ? wf_report_text(&report->arena, &concrete.text) : "";
    out->script = status == WFSM_OK ? wf_report_text(&report->arena, &concrete.script) : "";
    out->start = trace->count > 0 ? start_of(&trace->moves[0].input.data, &report->arena) : "";
    wf_buffer_fini(&concrete.text);
    wf_buffer_fini(&concrete.script);
    return status;
}

/* What was never seen has no trace. */
static bool has_trace(const wf_search_diagnostic *found)
{
    return found->rule != WF_RULE_DEAD_STATE && found->rule != WF_RULE_DEAD_TRANSITION &&
           found->rule != WF_RULE_UNREACHED;
}

/* After the run with values. A round is not run again and again: it must come back to the same context. */
static bool has_happened(const wf_search *from, const wf_search_diagnostic *found,
                         const wf_trace *trace, bool round)
{
    if ((trace->cycle < trace->count && !round) || wf_trace_repeats_an_id(trace))
        return false;
    if (found->rule != WF_RULE_PROPERTY)
        return true;
    uint8_t verdict = from->explorer.verdicts[found->subject];
    return found->at_state ? verdict == WF_VERDICT_PENDING
                           : verdict == WF_VERDICT_VIOLATED || verdict == WF_VERDICT_FAILED;
}

/* The last step of the way violates a property. */
static bool is_plain(const wf_search_diagnostic *found, const wf_trace *trace)
{
    return found->rule == WF_RULE_PROPERTY && !found->at_state && trace->cycle >= trace->count;
}

/* Nothing happens any more, and its time limit passes. */
static bool is_passed(const wfsm_machine *machine, const wf_search_diagnostic *found)
{
    return found->rule == WF_RULE_PROPERTY && found->at_state &&
           machine->properties[found->subject].limited;
}

static int32_t add_trace(wfsm_verification *report, wf_search *from,
                         const wf_search_diagnostic *found, wfsm_verify_diagnostic *out)
{
    wf_trace trace;
    if (!has_trace(found))
        return WFSM_OK;
    bool values = true, round = false;
    int32_t status = wf_trace_find(from, found, &report->arena, &trace);
    if (is_passed(report->machine, found))
        trace.wait = report->machine->properties[found->subject].within + 1;
    if (status == WFSM_OK && from->symbolic)
        status = wf_trace_values(from, &trace, &report->arena, &values);
    if (status == WFSM_OK && values)
        status = write_trace(report, from, &trace, out, &round);
    report->unfounded =
        status == WFSM_OK && !from->symbolic && !out->replayed && out->severity == 1;
    if (status == WFSM_OK && wf_trace_repeats_an_id(&trace))
        out->replayed = 0;
    if (from->symbolic && out->replayed)
        out->replayed = !found->unsure && has_happened(from, found, &trace, round) &&
                        (!from->symbolic->lost || is_plain(found, &trace));
    if (status == WFSM_OK && !from->symbolic && is_plain(found, &trace)) {
        out->replayed = has_happened(from, found, &trace, round);
        report->unfounded |= !out->replayed;
    }
    if (status == WFSM_OK && !from->symbolic && found->unsure && found->round) {
        out->replayed = 0;
        report->unfounded = true;
    }
    wf_trace_free(from, &trace);
    return status == WFSM_NOT_FOUND ? WFSM_OK : status;
}

/* NULL when out of memory. */
static wfsm_verify_diagnostic *add_without_trace(wfsm_verification *report,
                                                 const wf_search_diagnostic *found)
{
    const wfsm_machine *machine = report->machine;
    report->reported[report->diagnostic_count] = *found;
    wfsm_verify_diagnostic *out = &report->diagnostics[report->diagnostic_count++];
    uint32_t state = wf_diagnostic_state(machine, found);
    *out = (wfsm_verify_diagnostic){
        .size = sizeof *out,
        .severity = wf_rule_severity(found->rule),
        .rule = wf_rule_word(found->rule),
        .message = wf_diagnostic_message(machine, found, &report->arena),
        .state = state == WF_NONE ? "" : machine->states[state].path.text,
        .pointer = wf_diagnostic_pointer(machine, found, &report->finder, &report->arena),
        .steps = -1,
        .trace = "",
        .script = "",
        .start = ""};
    if (found->rule == WF_RULE_PROPERTY || found->rule == WF_RULE_UNREACHED)
        out->property = machine->properties[found->subject].name.text;
    if (!out->message || !out->pointer)
        return NULL;
    wf_json_find(&report->finder, out->pointer, true, &out->line, &out->column);
    return out;
}

static int32_t add_diagnostic(wfsm_verification *report, wf_search *from,
                              const wf_search_diagnostic *found)
{
    wfsm_verify_diagnostic *out = add_without_trace(report, found);
    return out ? add_trace(report, from, found, out) : WFSM_NO_MEMORY;
}

static bool is_settled(const wfsm_verification *report, const wf_search_diagnostic *found)
{
    for (size_t i = 0; i < report->diagnostic_count; i++)
        if (report->reported[i].rule == found->rule &&
            report->reported[i].subject == found->subject)
            return true;
    return false;
}

/* It may be possible. */
static void leave_open(wfsm_verification *report, wf_search *from,
                       const wf_search_diagnostic *found)
{
    bool property = found->rule == WF_RULE_PROPERTY;
    const wf_expr **culprit =
        property ? &report->culprits[found->subject] : &report->other_culprit;
    if (property)
        report->open[found->subject] = 1;
    else if (wf_rule_severity(found->rule) == 1)
        report->open_otherwise = true;
    if (from->symbolic && !*culprit)
        *culprit = wf_culprit(from->symbolic, &report->arena);
}

/* Of those with the same rule and subject, the first that the real step reproduces. */
static int32_t add_symbolic(wfsm_verification *report, wf_search *from,
                            const wf_search_diagnostic *found)
{
    const wfsm_verify_diagnostic *out = &report->diagnostics[report->diagnostic_count];
    if (is_settled(report, found))
        return WFSM_OK;
    int32_t status = add_diagnostic(report, from, found);
    if (status != WFSM_OK || !has_trace(found) || out->replayed)
        return status;
    report->diagnostic_count--;
    leave_open(report, from, found);
    return WFSM_OK;
}

/* A violation that the real step does not reproduce leaves its property open, unless a search over
 * symbols followed, which finds it again if it is possible. */
static int32_t add_found(wfsm_verification *report, wf_search *from, bool followed,
                         const wf_search_diagnostic *found)
{
    report->unfounded = false;
    int32_t status = add_diagnostic(report, from, found);
    if (status != WFSM_OK || !report->unfounded)
        return status;
    report->diagnostic_count--;
    if (!followed)
        leave_open(report, from, found);
    return WFSM_OK;
}

/* If another search followed, what was not seen in the first one says nothing: neither a state that
 * was not entered, nor a move that a state does not have. */
static bool has_happened_there(const wf_search_diagnostic *found)
{
    return has_trace(found) && (!found->at_state || found->round);
}

/* ---- random runs ---- */

static bool is_proved(const wfsm_verification *report, uint32_t property)
{
    return report->proofs.held && report->proofs.held[property];
}

/* `last` is the last search. */
static bool is_undecided(const wfsm_verification *report, const wf_search *last,
                         uint32_t property)
{
    if (is_proved(report, property))
        return false;
    for (size_t i = 0; i < report->diagnostic_count; i++)
        if (report->reported[i].rule == WF_RULE_PROPERTY &&
            report->reported[i].subject == property)
            return false;
    if (report->machine->properties[property].kind == WF_REACHABLE)
        return !report->reached[property] && (report->bound[0] != '\0' || last->held[property]);
    return report->bound[0] != '\0' || report->open[property];
}

static int32_t add_sampled(void *user, const wf_sampled *run)
{
    wfsm_verification *report = user;
    const wf_property *self = &report->machine->properties[run->property];
    const wf_search_diagnostic found = {.rule = WF_RULE_PROPERTY,
                                        .subject = run->property,
                                        .cause = self->limited ? WF_CAUSE_LATE : WF_CAUSE_NONE};
    if (self->kind == WF_REACHABLE) {
        report->reached[run->property] = 1;
        return WFSM_OK;
    }
    wfsm_verify_diagnostic *out = add_without_trace(report, &found);
    if (!out)
        return WFSM_NO_MEMORY;
    out->steps = (int32_t)run->steps;
    out->replayed = true;
    out->trace = wf_report_text(&report->arena, &run->text);
    out->script = wf_report_text(&report->arena, &run->script);
    out->start = start_of(&run->start, &report->arena);
    return WFSM_OK;
}

/* A run of an instance and its children. */
static int32_t add_played(void *user, uint32_t property, const wf_played *run)
{
    wfsm_verification *report = user;
    const wf_search_diagnostic found = {.rule = WF_RULE_PROPERTY, .subject = property};
    wfsm_verify_diagnostic *out = add_without_trace(report, &found);
    if (!out)
        return WFSM_NO_MEMORY;
    out->steps = (int32_t)run->steps - 1;
    out->replayed = true;
    out->trace = wf_report_text(&report->arena, &run->text);
    out->script = wf_report_text(&report->arena, &run->script);
    out->start = start_of(&run->start, &report->arena);
    return WFSM_OK;
}

/* What the searches leave open may be decided by a run with values that they do not try. */
static int32_t sample(wfsm_verification *report, wf_search *from, const wf_search *last)
{
    uint32_t count = report->machine->property_count;
    uint8_t *open = wf_arena_zero(&report->arena, count + 1u);
    if (!open)
        return WFSM_NO_MEMORY;
    for (uint32_t i = 0; i < count; i++)
        open[i] = is_undecided(report, last, i);
    return wf_sample(from, open, add_sampled, report);
}

static int32_t add_rule(wfsm_verification *report, wf_search *from, wf_search *symbolic,
                        uint8_t rule)
{
    int32_t status = WFSM_OK;
    for (size_t i = 0; i < from->found_count && status == WFSM_OK; i++) {
        wf_search *shown = from;
        const wf_search_diagnostic *found = wf_shorter(&shown, &from->found[i]);
        if (found->rule == rule && (!symbolic || has_happened_there(found)))
            status = add_found(report, shown, symbolic != NULL, found);
    }
    for (size_t i = 0; symbolic && i < symbolic->found_count && status == WFSM_OK; i++)
        if (symbolic->found[i].rule == rule)
            status = add_symbolic(report, symbolic, &symbolic->found[i]);
    return status;
}

/* In the order of the rules: errors first. */
static int32_t add_diagnostics(wfsm_verification *report, wf_search *from, wf_search *symbolic)
{
    size_t most = from->found_count + (symbolic ? symbolic->found_count : 0) +
                  report->machine->property_count + 1;
    int32_t status = WFSM_OK;
    report->diagnostics = wf_arena_zero(&report->arena, most * sizeof *report->diagnostics);
    report->reported = wf_arena_zero(&report->arena, most * sizeof *report->reported);
    report->open = wf_arena_zero(&report->arena, report->machine->property_count + 1u);
    if (!report->diagnostics || !report->reported || !report->open)
        return WFSM_NO_MEMORY;
    status = wf_confirm_reached(report, from);
    if (symbolic && status == WFSM_OK)
        status = wf_confirm_reached(report, symbolic);
    if (status == WFSM_OK)
        status = wf_look_further(report, from);
    for (uint8_t rule = 0; rule < WF_RULES && status == WFSM_OK; rule++) {
        status = add_rule(report, from, symbolic, rule);
        if (rule == WF_RULE_PROPERTY && status == WFSM_OK)
            status = sample(report, from, symbolic ? symbolic : from);
        if (rule == WF_RULE_PROPERTY && status == WFSM_OK)
            status = wf_instances_verify(report, from, symbolic, add_played, report);
    }
    WF_INVARIANT(report->diagnostic_count < most);
    return status;
}

/* ---- properties ---- */

/* After the diagnostics. */
static bool add_verdicts(wfsm_verification *report)
{
    uint32_t count = report->machine->property_count;
    report->verdicts = wf_arena_zero(&report->arena, count + 1u);
    for (uint32_t i = 0; report->verdicts && i < count; i++) {
        bool holds = report->machine->properties[i].kind == WF_REACHABLE
                         ? report->reached[i]
                         : report->bound[0] == '\0' && !report->open[i];
        report->verdicts[i] = holds || is_proved(report, i) ? WFSM_HOLDS : WFSM_UNDECIDED;
    }
    for (size_t i = 0; report->verdicts && i < report->diagnostic_count; i++)
        if (report->reported[i].rule == WF_RULE_PROPERTY ||
            report->reported[i].rule == WF_RULE_UNREACHED)
            report->verdicts[report->reported[i].subject] = WFSM_VIOLATED;
    return report->verdicts != NULL;
}

/* After the verdicts. What is seen over symbols may not be possible, but accuses nobody. */
static bool find_vacuous(wfsm_verification *report, const wf_search *from,
                         const wf_search *symbolic)
{
    const wfsm_machine *machine = report->machine;
    report->vacuous = wf_arena_zero(&report->arena, machine->property_count + 1u);
    for (uint32_t i = 0; report->vacuous && i < machine->property_count; i++) {
        uint8_t seen = from->explorer.triggered[i];
        if (symbolic)
            seen |= symbolic->explorer.triggered[i];
        if (report->proofs.triggered)
            seen |= report->proofs.triggered[i];
        report->vacuous[i] = report->verdicts[i] == WFSM_HOLDS &&
                             wf_property_vacuous(&machine->properties[i], seen);
    }
    return report->vacuous != NULL;
}

static bool has_undecided(const wfsm_verification *report)
{
    for (uint32_t i = 0; i < report->machine->property_count; i++)
        if (report->verdicts[i] == WFSM_UNDECIDED)
            return true;
    return false;
}

static int32_t verdict_of(const wfsm_verification *report)
{
    for (size_t i = 0; i < report->diagnostic_count; i++)
        if (report->diagnostics[i].severity == 1)
            return WFSM_VIOLATED;
    bool open = report->open_otherwise || has_undecided(report) ||
                (report->bound[0] != '\0' && !report->proofs.all);
    return open ? WFSM_UNDECIDED : WFSM_HOLDS;
}

/* ---- the end ---- */

/* Of what is open, the rule to blame; NULL: none is known. */
static const wf_expr *culprit_of(const wfsm_verification *report)
{
    for (uint32_t i = 0; i < report->machine->property_count; i++)
        if (report->verdicts[i] == WFSM_UNDECIDED)
            return report->culprits[i];
    return report->other_culprit;
}

static bool close_report(wfsm_verification *report, const wf_search *from)
{
    report->verdict = verdict_of(report);
    if (report->unsettled && report->bound[0] == '\0')
        report->bound = report->unsettled;
    if (report->verdict == WFSM_HOLDS)
        report->bound = "";
    report->complete = report->bound[0] == '\0' && report->verdict != WFSM_UNDECIDED;
    if (report->bound[0] == '\0' &&
        (report->verdict == WFSM_UNDECIDED || has_undecided(report)))
        report->bound = wf_open_text(from, culprit_of(report), &report->arena);
    return report->bound != NULL;
}

enum { DIRECTED_MOVES_MOST = 600000 };

bool wf_verification_begin(wfsm_verification *report)
{
    const size_t count = report->machine->property_count + 1u;
    report->moves_left = DIRECTED_MOVES_MOST;
    report->finder = (wf_json_finder){.text = report->machine->document,
                                      .length = report->machine->document_length};
    report->reached = wf_arena_zero(&report->arena, count);
    report->culprits = wf_arena_zero(&report->arena, count * sizeof *report->culprits);
    return report->reached && report->culprits;
}

int32_t wf_verification_write(wfsm_verification *report, wf_search *from, wf_search *symbolic)
{
    const wf_search *last = symbolic ? symbolic : from;
    report->bound = wf_bound_of(from, symbolic, &report->arena);
    if (report->bound && report->bound[0] != '\0')
        report->bound = wf_arena_text(&report->arena, report->bound, strlen(report->bound));
    else
        report->proofs.all = false; /* everything was tried */
    if (!report->bound || !wf_notes_write(report, from, symbolic != NULL))
        return wf_no_memory(from->explorer.error);
    wf_search_counts(last, &report->counts);
    int32_t status = add_diagnostics(report, from, symbolic);
    if (status == WFSM_NO_MEMORY || report->arena.failed || !add_verdicts(report) ||
        !find_vacuous(report, from, symbolic))
        return wf_no_memory(from->explorer.error);
    if (!close_report(report, from))
        return wf_no_memory(from->explorer.error);
    if (status == WFSM_OK && from->options.cases)
        status = wf_test_cases_write(report, from, symbolic);
    if (status == WFSM_NO_MEMORY || !wf_coverage_write(report, from, symbolic))
        return wf_no_memory(from->explorer.error);
    return status;
}
