/* verify/notes.c: the notes of a report: what was assumed, and what was left out. */
#include "base/memory.h"
#include "verify/instances.h"
#include "verify/verification.h"

enum { NOTES_MOST = 18 };

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
        copy = wf_report_text(arena, &text);
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
        copy = wf_report_text(arena, &text);
    wf_buffer_fini(&text);
    return copy;
}

/* In the order of enum wfsm_fairness. */
static const char *const fairness_texts[] = {
    ("fairness is weak: agents, timers and people who are asked act some time, unless they are "
     "withdrawn before"),
    "fairness is strong: agents, timers and people who are asked again and again act some time",
    "fairness is not assumed: agents, timers and people may never act"};

static const char *limit_text(const wf_explorer *explorer)
{
    if (!explorer->times.punctual)
        return "time limits: agents and people take any time, and a timer may fire late; with "
               "the option `punctual` it does not";
    return explorer->ends
               ? "time limits: timers fire when they are due, an agent begins at once and takes "
                 "as long as its timeoutMs says at most, and people take any time"
               : "time limits: agents and people take any time, and timers fire when they are "
                 "due";
}

/* A time limit of an attempt that a punctual search does not keep (attempt_ends.c). */
static bool has_limits_not_kept(const wf_explorer *explorer)
{
    const wfsm_machine *machine = explorer->machine;
    for (uint32_t i = 0; i < machine->invoke_count && explorer->times.punctual; i++)
        if (machine->invokes[i].timeout > 0 && (!explorer->ends || machine->invokes[i].items))
            return true;
    return false;
}

/* A crash makes a difference that a rule may see: one claim more, or a failure that no rule retries. */
static bool may_lose_attempts(const wfsm_machine *machine)
{
    bool found = false;
    for (uint32_t i = 0; i < machine->budget_count; i++)
        found |= machine->budgets[i].counts == WF_COUNT_CLAIMS;
    for (uint32_t i = 0; i < machine->invoke_count; i++)
        found |= machine->invokes[i].on_unknown == WF_ESCALATE &&
                 machine->invokes[i].retries.count > 0;
    return found;
}

bool wf_notes_write(wfsm_verification *report, const wf_search *from, bool symbols)
{
    const wfsm_machine *machine = report->machine;
    report->notes = wf_arena_zero(&report->arena, NOTES_MOST * sizeof *report->notes);
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
        note(report, "of each budget agents use nothing, all that is left, or one more");
    if (may_lose_attempts(machine))
        note(report, "attempts that are lost in a crash are not tried: each is one more claim, "
                     "and with `escalate` a failure that is not retried");
    if (!from->explorer.restores && (machine->restore_any || machine->restore_from.count > 0))
        note(report, "going back to a checkpoint is not tried");
    if (from->reduces)
        note(report, "regions that do not touch each other: not every order of their moves was "
                     "tried (partial order reduction); with the option `no_reduction` it is");
    if (wf_machine_must_come(machine))
        note(report, fairness_texts[from->options.fairness]);
    if (machine->has_limits || from->explorer.ends)
        note(report, limit_text(&from->explorer));
    if (has_limits_not_kept(&from->explorer))
        note(report, "the timeoutMs of items, and of agents where a budget refuses claims or a "
                     "checkpoint is restored, is not followed: they take any time");
    if (machine->child_question_count > 0 ||
        (wf_has_instances(machine) && from->options.machine_count > 0))
        note(report, "an instance and its children are explored each alone, and what they do "
                     "together is every combination");
    if (report->proofs.any)
        note(report, "where not everything could be tried, properties were proved one by one, "
                     "with any value for what they do not need");
    if (report->proofs.all)
        note(
            report,
            "in the same way, no run can be stuck, go round for ever or fail in a step; states that "
            "are never entered and transitions that are never taken were not looked for");
    if (symbols)
        note(report,
             "rules that the tried data does not decide were searched over symbols, where "
             "an end that only some values reach counts as one");
    return true;
}
