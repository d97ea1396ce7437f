#include "verify/verification.h"

#include "base/buffer.h"
#include "base/error.h"
#include "base/memory.h"
#include "draw/rule_text.h"
#include "verify/concretize.h"
#include "verify/cone_find.h"
#include "verify/sample.h"
#include "base/invariant.h"

/* ---- diagnostics ---- */

/* NULL and a failed arena when memory runs out, for the text or for its copy. */
static const char *kept(wf_arena *arena, const wf_buffer *text)
{
    arena->failed |= text->failed;
    if (text->failed)
        return NULL;
    return wf_arena_text(arena, text->data ? text->data : "", text->length);
}

/* The input of the start, as JSON. */
static const char *start_of(const wf_value *input, wf_arena *arena)
{
    wf_buffer text;
    if (input->type != WF_OBJECT)
        return "";
    wf_buffer_init(&text, arena->allocator);
    wf_json_write(&text, input);
    const char *copy = kept(arena, &text);
    wf_buffer_fini(&text);
    return copy;
}

static int32_t write_trace(wfsm_verification *report, wf_search *from, const wf_trace *trace,
                           wfsm_verify_diagnostic *out)
{
    wf_concrete concrete = {.same = true};
    wf_buffer_init(&concrete.text, report->arena.allocator);
    wf_buffer_init(&concrete.script, report->arena.allocator);
    int32_t status = wf_concretize(from, trace, &concrete);
    out->steps = (int32_t)trace->count - 1;
    out->replayed = concrete.same;
    out->trace = status == WFSM_OK ? kept(&report->arena, &concrete.text) : "";
    out->script = status == WFSM_OK ? kept(&report->arena, &concrete.script) : "";
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

/* An instance takes an event of an id once. */
static bool repeats_an_id(const wf_trace *trace)
{
    for (size_t i = 0; i < trace->count; i++)
        for (size_t k = 0; k < i && trace->moves[i].input.id.type == WF_STRING; k++)
            if (wf_value_equal(&trace->moves[i].input.id, &trace->moves[k].input.id))
                return true;
    return false;
}

/* After the run with values. A round is not run again and again. */
static bool has_happened(const wf_search *from, const wf_search_diagnostic *found,
                         const wf_trace *trace)
{
    if (trace->cycle < trace->count || repeats_an_id(trace))
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
    bool values = true;
    int32_t status = wf_trace_find(from, found, &report->arena, &trace);
    if (is_passed(report->machine, found))
        trace.wait = report->machine->properties[found->subject].within + 1;
    if (status == WFSM_OK && from->symbolic)
        status = wf_trace_values(from, &trace, &report->arena, &values);
    if (status == WFSM_OK && values)
        status = write_trace(report, from, &trace, out);
    if (status == WFSM_OK && repeats_an_id(&trace))
        out->replayed = 0;
    if (from->symbolic && out->replayed)
        out->replayed = !found->unsure && has_happened(from, found, &trace);
    if (status == WFSM_OK && !from->symbolic && is_plain(found, &trace)) {
        bool happened = has_happened(from, found, &trace);
        report->unfounded = !happened && !out->replayed;
        out->replayed |= happened;
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
        .pointer = wf_diagnostic_pointer(machine, found, &report->arena),
        .steps = -1,
        .trace = "",
        .script = "",
        .start = ""};
    if (found->rule == WF_RULE_PROPERTY || found->rule == WF_RULE_UNREACHED)
        out->property = machine->properties[found->subject].name.text;
    if (!out->message || !out->pointer)
        return NULL;
    wf_json_locate(machine->document, machine->document_length, out->pointer, true, &out->line,
                   &out->column);
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
static void leave_open(wfsm_verification *report, const wf_search_diagnostic *found)
{
    if (found->rule == WF_RULE_PROPERTY)
        report->open[found->subject] = 1;
    else if (wf_rule_severity(found->rule) == 1)
        report->open_otherwise = true;
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
    leave_open(report, found);
    return WFSM_OK;
}

/* A violation that the real step does not reproduce leaves its property open. */
static int32_t add_found(wfsm_verification *report, wf_search *from,
                         const wf_search_diagnostic *found)
{
    report->unfounded = false;
    int32_t status = add_diagnostic(report, from, found);
    if (status != WFSM_OK || !report->unfounded)
        return status;
    report->diagnostic_count--;
    leave_open(report, found);
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

static bool is_undecided(const wfsm_verification *report, const wf_search *from,
                         uint32_t property)
{
    if (is_proved(report, property))
        return false;
    for (size_t i = 0; i < report->diagnostic_count; i++)
        if (report->reported[i].rule == WF_RULE_PROPERTY &&
            report->reported[i].subject == property)
            return false;
    return !from->held[property] && (report->bound[0] != '\0' || report->open[property]);
}

static int32_t add_sampled(void *user, const wf_sampled *run)
{
    wfsm_verification *report = user;
    bool limited = report->machine->properties[run->property].limited;
    const wf_search_diagnostic found = {.rule = WF_RULE_PROPERTY,
                                        .subject = run->property,
                                        .cause = limited ? WF_CAUSE_LATE : WF_CAUSE_NONE};
    wfsm_verify_diagnostic *out = add_without_trace(report, &found);
    if (!out)
        return WFSM_NO_MEMORY;
    out->steps = (int32_t)run->steps;
    out->replayed = true;
    out->trace = kept(&report->arena, &run->text);
    out->script = kept(&report->arena, &run->script);
    out->start = start_of(&run->start, &report->arena);
    return WFSM_OK;
}

/* What the searches leave open may be refuted by a run with values that they do not try. */
static int32_t sample(wfsm_verification *report, wf_search *from)
{
    uint32_t count = report->machine->property_count;
    uint8_t *open = wf_arena_zero(&report->arena, count + 1u);
    if (!open)
        return WFSM_NO_MEMORY;
    for (uint32_t i = 0; i < count; i++)
        open[i] = is_undecided(report, from, i);
    return wf_sample(from, open, add_sampled, report);
}

static int32_t add_rule(wfsm_verification *report, wf_search *from, wf_search *symbolic,
                        uint8_t rule)
{
    int32_t status = WFSM_OK;
    for (size_t i = 0; i < from->found_count && status == WFSM_OK; i++) {
        const wf_search_diagnostic *found = &from->found[i];
        if (found->rule == rule && (!symbolic || has_happened_there(found)))
            status = add_found(report, from, found);
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
    for (uint8_t rule = 0; rule < WF_RULES && status == WFSM_OK; rule++) {
        status = add_rule(report, from, symbolic, rule);
        if (rule == WF_RULE_PROPERTY && status == WFSM_OK)
            status = sample(report, from);
    }
    WF_INVARIANT(report->diagnostic_count < most);
    return status;
}

/* ---- properties ---- */

/* After the diagnostics. `reachable` holds by a run with values. */
static bool add_verdicts(wfsm_verification *report, const wf_search *from,
                         const wf_search *symbolic)
{
    uint32_t count = report->machine->property_count;
    report->verdicts = wf_arena_zero(&report->arena, count + 1u);
    for (uint32_t i = 0; report->verdicts && i < count; i++) {
        bool reached = symbolic && symbolic->held[i];
        bool holds = report->bound[0] == '\0' && !report->open[i] && !reached;
        report->verdicts[i] =
            holds || from->held[i] || is_proved(report, i) ? WFSM_HOLDS : WFSM_UNDECIDED;
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

static int32_t verdict_of(const wfsm_verification *report)
{
    for (size_t i = 0; i < report->diagnostic_count; i++)
        if (report->diagnostics[i].severity == 1)
            return WFSM_VIOLATED;
    bool open = report->open_otherwise || report->bound[0] != '\0';
    for (uint32_t i = 0; i < report->machine->property_count; i++)
        open |= report->verdicts[i] == WFSM_UNDECIDED;
    return open ? WFSM_UNDECIDED : WFSM_HOLDS;
}

/* ---- what was left out ---- */

static const char *cut_data(const char *event, wf_arena *arena)
{
    wf_buffer text;
    wf_buffer_init(&text, arena->allocator);
    wf_buffer_format(&text, "the data of \"%s\" has more classes than the %d that were tried",
                     event, (int)WF_DATA_MOST);
    const char *copy = kept(arena, &text);
    wf_buffer_fini(&text);
    return copy;
}

/* The rule that the classes of data do not decide, its place, and what would help. */
static const char *undecided_rule(const wf_search *from, wf_arena *arena)
{
    const wf_undecided *found = &from->explorer.undecided;
    wf_buffer text;
    int32_t line = 0, column = 0;
    const char *pointer = wf_reading_pointer(&from->explorer.cones, &found->reading, arena);
    wf_buffer_init(&text, arena->allocator);
    wf_buffer_text(&text, "the values that were tried do not decide ");
    if (found->reading.rule) {
        wf_value source = wf_expr_source(&from->explorer.cones, found->reading.rule, arena);
        wf_rule_text(&text, &source);
    } else {
        wf_buffer_text(&text, "a rule");
    }
    if (pointer &&
        wf_json_locate(from->explorer.machine->document,
                       from->explorer.machine->document_length, pointer, true, &line, &column))
        wf_buffer_format(&text, " (line %d:%d)", (int)line, (int)column);
    wf_buffer_format(&text, "; what would help: %s", found->remedy);
    const char *copy = kept(arena, &text);
    wf_buffer_fini(&text);
    return copy;
}

static const char *bound_of(const wf_search *from, wf_arena *arena)
{
    if (from->bound)
        return from->bound;
    if (from->explorer.many_timers)
        return "more timers are pending at a time than can be distinguished";
    if (from->explorer.many_choices)
        return "the host can give more answers than were tried";
    if (from->explorer.cut_data)
        return cut_data(from->explorer.cut_data, arena);
    if (from->explorer.no_data)
        return "no value was found that fits the output of an invocation, or what is assumed of "
               "an event";
    return from->explorer.undecided.is ? undecided_rule(from, arena) : "";
}

static void note(wfsm_verification *report, const char *text)
{
    if (text)
        report->notes[report->note_count++] = text;
}

/* The keys of the context that are outside the cone of influence. */
static const char *untracked(const wf_search *from, wf_arena *arena)
{
    const wf_explorer *explorer = &from->explorer;
    const char *copy = NULL;
    uint32_t found = 0;
    wf_buffer text;
    wf_buffer_init(&text, arena->allocator);
    for (uint32_t slot = 0; slot < explorer->machine->keys.count; slot++) {
        if (explorer->cones.slots[slot])
            continue;
        wf_buffer_text(&text, found++ == 0 ? "of the context, nothing depends on " : ", ");
        wf_buffer_text(&text, explorer->machine->keys.list[slot].text);
    }
    if (found > 0) {
        wf_buffer_text(&text, ": their values are the first ones throughout");
        copy = kept(arena, &text);
    }
    wf_buffer_fini(&text);
    return copy;
}

/* The events whose data is as the document assumes. NULL: it assumes nothing. */
static const char *assumed(const wfsm_machine *machine, wf_arena *arena)
{
    const char *copy = NULL;
    uint32_t found = 0;
    wf_buffer text;
    wf_buffer_init(&text, arena->allocator);
    for (uint32_t i = 0; machine->assumed && i < machine->events.count; i++) {
        if (!machine->assumed[i])
            continue;
        wf_buffer_text(&text, found++ == 0
                                  ? "assumed, and not checked when it runs: senders keep "
                                    "to the schema of the data of "
                                  : ", ");
        wf_buffer_text(&text, machine->events.list[i].text);
    }
    if (found > 0)
        copy = kept(arena, &text);
    wf_buffer_fini(&text);
    return copy;
}

/* In the order of enum wfsm_fairness. */
static const char *const fairness_texts[] = {
    ("fairness is weak: agents, timers and people who are asked act some time, unless they are "
     "withdrawn before"),
    "fairness is strong: agents, timers and people who are asked again and again act some time",
    "fairness is not assumed: agents, timers and people may never act"};

/* Without and with options.punctual. */
static const char *const limit_texts[] = {
    ("time limits: agents and people take any time, and a timer may fire late; with the option "
     "`punctual` it does not"),
    "time limits: agents and people take any time, and timers fire when they are due"};

static bool must_come(const wfsm_machine *machine)
{
    for (uint32_t i = 0; i < machine->property_count; i++)
        if (wf_property_must_come(&machine->properties[i]))
            return true;
    return false;
}

static bool add_notes(wfsm_verification *report, const wf_search *from, bool symbols)
{
    const wfsm_machine *machine = report->machine;
    report->notes = wf_arena_zero(&report->arena, 14 * sizeof *report->notes);
    if (!report->notes)
        return false;
    note(report, untracked(from, &report->arena));
    if (from->explorer.cones.everything)
        note(report, "an expression may look at anything: nothing of the context is left out");
    if (from->explorer.cones.clock)
        note(report, "an expression looks at the instance: its time is 0 throughout");
    note(report, assumed(machine, &report->arena));
    if (from->explorer.inner_events)
        note(report, "events that the document raises by itself do not come from outside");
    if (machine->guards.count > 0)
        note(report, "the host's guards say yes and no, and fail");
    if (machine->functions.count > 0)
        note(report, "the host's functions fail, and change what counts of the context in "
                     "every way that schemas.context allows");
    if (machine->budget_count > 0)
        note(report, "of each budget agents use nothing, all that is left, or one more; a "
                     "claim that is withdrawn is not counted");
    if (!from->explorer.restores && (machine->restore_any || machine->restore_from.count > 0))
        note(report, "going back to a checkpoint is not tried");
    if (must_come(machine))
        note(report, fairness_texts[from->options.fairness]);
    if (machine->has_limits)
        note(report, limit_texts[from->explorer.times.punctual]);
    if (report->proofs.any)
        note(report, "where not everything could be tried, properties were proved one by one, "
                     "with any value for what they do not need");
    if (symbols)
        note(report,
             "rules that the tried data does not decide were searched over symbols, where "
             "an end that only some values reach counts as one");
    return true;
}

/* Where something was found over symbols, and no values for it. */
static const char *bound_of_symbols(const wf_search *symbolic, wf_arena *arena)
{
    wf_buffer text;
    if (!symbolic->symbolic->unproved)
        return bound_of(symbolic, arena);
    wf_buffer_init(&text, arena->allocator);
    wf_buffer_format(&text, "verification does not follow %s", symbolic->symbolic->unproved);
    if (symbolic->symbolic->unproved_rule) {
        wf_value source =
            wf_expr_source(&symbolic->explorer.cones, symbolic->symbolic->unproved_rule, arena);
        wf_buffer_text(&text, ": ");
        wf_rule_text(&text, &source);
        wf_buffer_text(&text, ". An `enum` in the schema of its data would help");
    }
    const char *copy = kept(arena, &text);
    wf_buffer_fini(&text);
    return copy;
}

static void close_report(wfsm_verification *report)
{
    report->verdict = verdict_of(report);
    if (report->verdict == WFSM_UNDECIDED && report->bound[0] == '\0')
        report->bound =
            "a run was found that may be possible, and no values for it: a schema, an "
            "`enum` or a `maximum` would help";
}

int32_t wf_verification_write(wfsm_verification *report, wf_search *from, wf_search *symbolic)
{
    const wf_search *last = symbolic ? symbolic : from;
    report->bound =
        symbolic ? bound_of_symbols(symbolic, &report->arena) : bound_of(from, &report->arena);
    if (report->bound && report->bound[0] != '\0')
        report->bound = wf_arena_text(&report->arena, report->bound, strlen(report->bound));
    if (!report->bound || !add_notes(report, from, symbolic != NULL))
        return wf_no_memory(from->explorer.error);
    wf_search_counts(last, &report->counts);
    int32_t status = add_diagnostics(report, from, symbolic);
    if (status == WFSM_NO_MEMORY || report->arena.failed ||
        !add_verdicts(report, from, symbolic) || !find_vacuous(report, from, symbolic))
        return wf_no_memory(from->explorer.error);
    close_report(report);
    if (status == WFSM_OK && from->options.cases)
        status = wf_test_cases_write(report, from, symbolic);
    if (status == WFSM_NO_MEMORY || !wf_coverage_write(report, from, symbolic))
        return wf_no_memory(from->explorer.error);
    return status;
}
