#include "verify/verify_report.h"

#include "base/buffer.h"
#include "base/error.h"
#include "base/memory.h"
#include "verify/verify_real.h"

/* ---- findings ---- */

static const char *kept(wf_arena *arena, const wf_buffer *text)
{
    return wf_arena_text(arena, text->data ? text->data : "", text->length);
}

static const char *start_of(const wf_exploration *from, const wf_way *way, wf_arena *arena)
{
    wf_buffer text;
    const char *copy = "";
    (void)from;
    if (way->count == 0 || way->legs[0].deed.data.type != WF_OBJECT)
        return copy;
    wf_buffer_init(&text, arena->allocator);
    wf_json_write(&text, &way->legs[0].deed.data);
    copy = text.failed ? NULL : kept(arena, &text);
    wf_buffer_fini(&text);
    return copy;
}

static int32_t tell_way(wfsm_verification *report, wf_exploration *from, const wf_way *way,
                        wfsm_verify_finding *finding)
{
    wf_real real = {.same = true};
    wf_buffer_init(&real.story, report->arena.allocator);
    wf_buffer_init(&real.script, report->arena.allocator);
    int32_t status = wf_real_run(from, way, &real);
    finding->steps = (int32_t)way->count - 1;
    finding->replayed = real.same;
    finding->story = status == WFSM_OK ? kept(&report->arena, &real.story) : "";
    finding->script = status == WFSM_OK ? kept(&report->arena, &real.script) : "";
    finding->start = start_of(from, way, &report->arena);
    wf_buffer_fini(&real.story);
    wf_buffer_fini(&real.script);
    return status;
}

static int32_t add_way(wfsm_verification *report, wf_exploration *from, const wf_notice *notice,
                       wfsm_verify_finding *finding)
{
    wf_way way;
    bool nowhere =
        notice->rule == WF_RULE_DEAD_STATE || notice->rule == WF_RULE_DEAD_TRANSITION;
    if (nowhere || notice->rule == WF_RULE_UNREACHED)
        return WFSM_OK;
    int32_t status = wf_way_find(from, notice, &report->arena, &way);
    if (status == WFSM_OK)
        status = tell_way(report, from, &way, finding);
    wf_way_free(from, &way);
    return status == WFSM_NOT_FOUND ? WFSM_OK : status;
}

static int32_t add_finding(wfsm_verification *report, wf_exploration *from,
                           const wf_notice *notice)
{
    const wfsm_machine *machine = report->machine;
    wfsm_verify_finding *self = &report->findings[report->finding_count++];
    uint32_t state = wf_notice_state(machine, notice);
    *self =
        (wfsm_verify_finding){.size = sizeof *self,
                              .severity = wf_rule_severity(notice->rule),
                              .rule = wf_rule_word(notice->rule),
                              .message = wf_words_of(machine, notice, &report->arena),
                              .state = state == WF_NONE ? "" : machine->states[state].path.text,
                              .pointer = wf_pointer_of(machine, notice, &report->arena),
                              .steps = -1,
                              .story = "",
                              .script = "",
                              .start = ""};
    if (notice->rule == WF_RULE_PROPERTY || notice->rule == WF_RULE_UNREACHED)
        self->property = machine->properties[notice->subject].name.text;
    if (!self->message || !self->pointer)
        return WFSM_NO_MEMORY;
    wf_json_locate(machine->document, machine->document_length, self->pointer, true,
                   &self->line, &self->column);
    return add_way(report, from, notice, self);
}

static int32_t add_findings(wfsm_verification *report, wf_exploration *from)
{
    int32_t status = WFSM_OK;
    report->findings =
        wf_arena_zero(&report->arena, (from->notice_count + 1) * sizeof *report->findings);
    if (!report->findings)
        return WFSM_NO_MEMORY;
    for (uint8_t rule = 0; rule < WF_RULES && status == WFSM_OK; rule++)
        for (size_t i = 0; i < from->notice_count && status == WFSM_OK; i++)
            if (from->notices[i].rule == rule)
                status = add_finding(report, from, &from->notices[i]);
    return status;
}

/* ---- properties ---- */

static bool add_verdicts(wfsm_verification *report, const wf_exploration *from)
{
    uint32_t count = report->machine->property_count;
    report->verdicts = wf_arena_zero(&report->arena, count + 1u);
    for (uint32_t i = 0; report->verdicts && i < count; i++)
        report->verdicts[i] =
            report->bound[0] == '\0' || from->held[i] ? WFSM_HOLDS : WFSM_UNDECIDED;
    for (size_t i = 0; report->verdicts && i < from->notice_count; i++)
        if (from->notices[i].rule == WF_RULE_PROPERTY ||
            from->notices[i].rule == WF_RULE_UNREACHED)
            report->verdicts[from->notices[i].subject] = WFSM_VIOLATED;
    return report->verdicts != NULL;
}

static int32_t verdict_of(const wfsm_verification *report)
{
    for (size_t i = 0; i < report->finding_count; i++)
        if (report->findings[i].severity == 1)
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
    const char *copy = text.failed ? NULL : kept(arena, &text);
    wf_buffer_fini(&text);
    return copy;
}

static const char *bound_of(const wf_exploration *from, wf_arena *arena)
{
    if (from->bound)
        return from->bound;
    if (from->kit.many_timers)
        return "more timers are outstanding at a time than can be told apart";
    if (from->kit.many_choices)
        return "the host can answer in more ways than were tried";
    if (from->kit.cut_data)
        return cut_data(from->kit.cut_data, arena);
    return from->kit.no_data ? "no value was found that fits the output of an invocation" : "";
}

static void note(wfsm_verification *report, const char *text)
{
    if (text)
        report->notes[report->note_count++] = text;
}

/* The keys of the context of which nothing counts. */
static const char *untracked(const wf_exploration *from, wf_arena *arena)
{
    const wf_kit *kit = &from->kit;
    const char *copy = NULL;
    uint32_t found = 0;
    wf_buffer text;
    wf_buffer_init(&text, arena->allocator);
    for (uint32_t slot = 0; slot < kit->machine->keys.count; slot++) {
        if (kit->demands.slots[slot])
            continue;
        wf_buffer_text(&text, found++ == 0 ? "of the context, nothing depends on " : ", ");
        wf_buffer_text(&text, kit->machine->keys.list[slot].text);
    }
    wf_buffer_text(&text, ": their values are the first ones throughout");
    if (found > 0 && !text.failed)
        copy = kept(arena, &text);
    wf_buffer_fini(&text);
    return copy;
}

static bool add_notes(wfsm_verification *report, const wf_exploration *from)
{
    const wfsm_machine *machine = report->machine;
    report->notes = wf_arena_zero(&report->arena, 8 * sizeof *report->notes);
    if (!report->notes)
        return false;
    note(report, untracked(from, &report->arena));
    if (from->kit.demands.everything)
        note(report, "an expression may look at anything: nothing of the context is left out");
    if (from->kit.demands.clock)
        note(report, "an expression looks at the instance: its time is 0 throughout");
    if (from->kit.inner_events)
        note(report, "events that the document raises by itself do not come from outside");
    if (machine->guards.count > 0)
        note(report, "the host's guards say yes and no");
    if (machine->functions.count > 0)
        note(report, "the host's functions fail, and change what counts of the context in "
                     "every way that schemas.context allows");
    if (machine->budget_count > 0)
        note(report, "of each budget agents use nothing, all that is left, or one more; a "
                     "claim that is withdrawn is not counted");
    if (!from->kit.restores && (machine->restore_any || machine->restore_from.count > 0))
        note(report, "going back to a checkpoint is not tried");
    return true;
}

int32_t wf_report_write(wfsm_verification *report, wf_exploration *from)
{
    report->bound = bound_of(from, &report->arena);
    if (report->bound[0] != '\0')
        report->bound = wf_arena_text(&report->arena, report->bound, strlen(report->bound));
    if (!report->bound || !add_notes(report, from) || !add_verdicts(report, from))
        return wf_no_memory(from->kit.error);
    wf_explore_counts(from, &report->counts);
    int32_t status = add_findings(report, from);
    report->verdict = verdict_of(report);
    if (status == WFSM_NO_MEMORY || report->arena.failed)
        return wf_no_memory(from->kit.error);
    return status;
}
