/* verify/bound_text.c: what two searches of a machine have not tried, for people. */
#include "verify/verification.h"

#include "base/buffer.h"
#include "draw/rule_text.h"
#include "verify/cone_find.h"

static const char *cut_data(const char *event, wf_arena *arena)
{
    wf_buffer text;
    wf_buffer_init(&text, arena->allocator);
    wf_buffer_format(&text, "the data of \"%s\" has more classes than the %d that were tried",
                     event, (int)WF_DATA_MOST);
    const char *copy = wf_report_text(arena, &text);
    wf_buffer_fini(&text);
    return copy;
}

static const char *bound_of(const wf_search *from, wf_arena *arena)
{
    if (from->bound)
        return from->bound;
    if (from->explorer.many_timers)
        return "more timers are pending at a time than can be distinguished";
    if (from->explorer.many_choices || from->explorer.many_patches)
        return "the host can give more answers than were tried";
    if (from->explorer.cut_data)
        return cut_data(from->explorer.cut_data, arena);
    if (from->explorer.no_data)
        return "no value was found that fits the output of an invocation, or what is assumed of "
               "an event";
    return from->explorer.undecided.is
               ? wf_undecided_text(from, &from->explorer.undecided, arena)
               : "";
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
        wf_buffer_format(&text, "; what would help: %s in the schema of its data",
                         symbolic->symbolic->remedy);
    }
    const char *copy = wf_report_text(arena, &text);
    wf_buffer_fini(&text);
    return copy;
}

const char *wf_bound_of(const wf_search *from, const wf_search *symbolic, wf_arena *arena)
{
    return symbolic ? bound_of_symbols(symbolic, arena) : bound_of(from, arena);
}
