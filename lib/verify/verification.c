#include "verify/verification.h"

#include "base/buffer.h"
#include "base/error.h"
#include "base/memory.h"
#include "verify/concretize.h"
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
static const char *start_of(const wf_trace *trace, wf_arena *arena)
{
    wf_buffer text;
    if (trace->count == 0 || trace->moves[0].input.data.type != WF_OBJECT)
        return "";
    wf_buffer_init(&text, arena->allocator);
    wf_json_write(&text, &trace->moves[0].input.data);
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
    out->start = start_of(trace, &report->arena);
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

static int32_t add_trace(wfsm_verification *report, wf_search *from,
                         const wf_search_diagnostic *found, wfsm_verify_diagnostic *out)
{
    wf_trace trace;
    if (!has_trace(found))
        return WFSM_OK;
    int32_t status = wf_trace_find(from, found, &report->arena, &trace);
    if (status == WFSM_OK)
        status = write_trace(report, from, &trace, out);
    wf_trace_free(from, &trace);
    return status == WFSM_NOT_FOUND ? WFSM_OK : status;
}

static int32_t add_diagnostic(wfsm_verification *report, wf_search *from,
                              const wf_search_diagnostic *found)
{
    const wfsm_machine *machine = report->machine;
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
        return WFSM_NO_MEMORY;
    wf_json_locate(machine->document, machine->document_length, out->pointer, true, &out->line,
                   &out->column);
    return add_trace(report, from, found, out);
}

/* In the order of the rules: errors first. */
static int32_t add_diagnostics(wfsm_verification *report, wf_search *from)
{
    int32_t status = WFSM_OK;
    report->diagnostics =
        wf_arena_zero(&report->arena, (from->found_count + 1) * sizeof *report->diagnostics);
    if (!report->diagnostics)
        return WFSM_NO_MEMORY;
    for (uint8_t rule = 0; rule < WF_RULES && status == WFSM_OK; rule++)
        for (size_t i = 0; i < from->found_count && status == WFSM_OK; i++)
            if (from->found[i].rule == rule)
                status = add_diagnostic(report, from, &from->found[i]);
    WF_INVARIANT(status != WFSM_OK || report->diagnostic_count == from->found_count);
    return status;
}

/* ---- properties ---- */

static bool add_verdicts(wfsm_verification *report, const wf_search *from)
{
    uint32_t count = report->machine->property_count;
    report->verdicts = wf_arena_zero(&report->arena, count + 1u);
    for (uint32_t i = 0; report->verdicts && i < count; i++)
        report->verdicts[i] =
            report->bound[0] == '\0' || from->held[i] ? WFSM_HOLDS : WFSM_UNDECIDED;
    for (size_t i = 0; report->verdicts && i < from->found_count; i++)
        if (from->found[i].rule == WF_RULE_PROPERTY || from->found[i].rule == WF_RULE_UNREACHED)
            report->verdicts[from->found[i].subject] = WFSM_VIOLATED;
    return report->verdicts != NULL;
}

static int32_t verdict_of(const wfsm_verification *report)
{
    for (size_t i = 0; i < report->diagnostic_count; i++)
        if (report->diagnostics[i].severity == 1)
            return WFSM_VIOLATED;
    return report->bound[0] == '\0' ? WFSM_HOLDS : WFSM_UNDECIDED;
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
    return from->explorer.no_data ? "no value was found that fits the output of an invocation"
                                  : "";
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

static bool add_notes(wfsm_verification *report, const wf_search *from)
{
    const wfsm_machine *machine = report->machine;
    report->notes = wf_arena_zero(&report->arena, 8 * sizeof *report->notes);
    if (!report->notes)
        return false;
    note(report, untracked(from, &report->arena));
    if (from->explorer.cones.everything)
        note(report, "an expression may look at anything: nothing of the context is left out");
    if (from->explorer.cones.clock)
        note(report, "an expression looks at the instance: its time is 0 throughout");
    if (from->explorer.inner_events)
        note(report, "events that the document raises by itself do not come from outside");
    if (machine->guards.count > 0)
        note(report, "the host's guards say yes and no");
    if (machine->functions.count > 0)
        note(report, "the host's functions fail, and change what counts of the context in "
                     "every way that schemas.context allows");
    if (machine->budget_count > 0)
        note(report, "of each budget agents use nothing, all that is left, or one more; a "
                     "claim that is withdrawn is not counted");
    if (!from->explorer.restores && (machine->restore_any || machine->restore_from.count > 0))
        note(report, "going back to a checkpoint is not tried");
    return true;
}

int32_t wf_verification_write(wfsm_verification *report, wf_search *from)
{
    report->bound = bound_of(from, &report->arena);
    if (report->bound && report->bound[0] != '\0')
        report->bound = wf_arena_text(&report->arena, report->bound, strlen(report->bound));
    if (!report->bound || !add_notes(report, from) || !add_verdicts(report, from))
        return wf_no_memory(from->explorer.error);
    wf_search_counts(from, &report->counts);
    int32_t status = add_diagnostics(report, from);
    report->verdict = verdict_of(report);
    if (status == WFSM_NO_MEMORY || report->arena.failed)
        return wf_no_memory(from->explorer.error);
    return status;
}
