/* verify/undecided_text.c: why something is undecided: a rule, its place, and what would help. */
#include "base/buffer.h"
#include "draw/rule_text.h"
#include "logic/expr_tree.h"
#include "verify/cone_find.h"
#include "verify/verification.h"

const char *wf_report_text(wf_arena *arena, const wf_buffer *text)
{
    arena->failed |= text->failed;
    if (text->failed)
        return NULL;
    return wf_arena_text(arena, text->data ? text->data : "", text->length);
}

static void add_rule(wf_buffer *text, const wf_search *from, const wf_expr *rule,
                     wf_arena *arena)
{
    if (!rule) {
        wf_buffer_text(text, "a rule");
        return;
    }
    wf_value source = wf_expr_source(&from->explorer.cones, rule, arena);
    wf_rule_text(text, &source);
}

static void add_place(wf_buffer *text, const wf_search *from, const wf_reading *reading,
                      wf_arena *arena)
{
    const wfsm_machine *machine = from->explorer.machine;
    int32_t line = 0, column = 0;
    wf_json_finder finder = {.text = machine->document, .length = machine->document_length};
    const char *pointer = wf_reading_pointer(&from->explorer.cones, reading, &finder, arena);
    if (pointer && wf_json_find(&finder, pointer, true, &line, &column))
        wf_buffer_format(text, " (line %d:%d)", (int)line, (int)column);
}

const char *wf_undecided_text(const wf_search *from, const wf_undecided *found, wf_arena *arena)
{
    wf_buffer text;
    wf_buffer_init(&text, arena->allocator);
    wf_buffer_text(&text, "the values that were tried do not decide ");
    add_rule(&text, from, found->reading.rule, arena);
    add_place(&text, from, &found->reading, arena);
    wf_buffer_format(&text, "; what would help: %s", found->remedy);
    const char *copy = wf_report_text(arena, &text);
    wf_buffer_fini(&text);
    return copy;
}

/* ---- runs that may be possible ---- */

static bool contains(const wf_expr *all, const wf_expr *part);

static bool any_contains(const wf_expr *list, uint32_t count, const wf_expr *part)
{
    for (uint32_t i = 0; i < count; i++)
        if (contains(&list[i], part))
            return true;
    return false;
}

static bool contains(const wf_expr *all, const wf_expr *part)
{
    if (all == part)
        return true;
    switch (all->node) {
    case WF_NODE_RULE:
    case WF_NODE_ARRAY:
        return any_contains(all->as.list, all->count, part);
    case WF_NODE_OBJECT:
        return any_contains(all->as.object.list, all->count, part);
    case WF_NODE_VAR:
        return all->as.var->fallback && contains(all->as.var->fallback, part);
    default:
        return false;
    }
}

/* What the classes of data do not decide of the rule; if it is none of that, the first one. NULL: none. */
static const wf_undecided *about(const wf_explorer *explorer, const wf_expr *rule)
{
    for (uint32_t i = 0; i < explorer->gap_count && rule; i++)
        if (explorer->gaps[i].reading.rule && contains(rule, explorer->gaps[i].reading.rule))
            return &explorer->gaps[i];
    return explorer->gap_count > 0 ? &explorer->gaps[0] : NULL;
}

/* No rule is known on which the run depends. */
static const char *open_without_rule(const wf_search *from)
{
    return from->explorer.times.punctual
               ? "a run was found that may be possible, and no times for it: that an attempt "
                 "begins after a pause (`retry`) is not followed exactly"
               : "a run was found that may be possible, and the real step did not reproduce it";
}

const char *wf_open_text(const wf_search *from, const wf_expr *culprit, wf_arena *arena)
{
    const wf_undecided *gap = about(&from->explorer, culprit);
    if (!gap && !culprit)
        return open_without_rule(from);
    const wf_reading *reading = gap ? &gap->reading : NULL;
    wf_buffer text;
    wf_buffer_init(&text, arena->allocator);
    wf_buffer_text(&text,
                   "a run was found that may be possible, and no values for it: it depends "
                   "on ");
    bool own = culprit && (!reading || !reading->rule || !contains(culprit, reading->rule));
    add_rule(&text, from, culprit ? culprit : reading ? reading->rule : NULL, arena);
    if (reading && !own)
        add_place(&text, from, reading, arena);
    wf_buffer_format(&text, "; what would help: %s",
                     gap ? gap->remedy : "an `enum` in the schema of its data");
    const char *copy = wf_report_text(arena, &text);
    wf_buffer_fini(&text);
    return copy;
}
