/* verify/diagnostic_text.c: the message of a diagnostic, and its place in the document. */
#include "verify/verification.h"

#include "base/buffer.h"
#include "draw/rule_text.h"

typedef struct rule_text {
    const char *word;
    int32_t severity;
    const char *before, *after; /* around the name of the subject */
} rule_text;

static const rule_text rules[WF_RULES] = {
    [WF_RULE_PROPERTY] = {"property", 1, "the property ", " is violated"},
    [WF_RULE_START_FAILS] = {"start-fails", 1, "an instance cannot be started", ""},
    [WF_RULE_STEP_FAILS] = {"step-fails", 1, "a step from ",
                            " fails and leaves nothing behind"},
    [WF_RULE_DEADLOCK] = {"deadlock", 1, "stuck in ",
                          ": nothing is at work, no event leads on, and it is no end"},
    [WF_RULE_LIVELOCK] = {"livelock", 1, "from ",
                          " it can go round for ever, without a limit and without a person"},
    [WF_RULE_NO_END] = {"no-end", 1, "from ", " no end can be reached"},
    [WF_RULE_UNREACHED] = {"property", 1, "the property ", " is violated: it never happens"},
    [WF_RULE_ERROR_UNHANDLED] = {"unhandled-error", 2, "nothing reacts when ", " fails"},
    [WF_RULE_EXECUTION_UNHANDLED] = {"unhandled-error", 2, "an expression fails in ",
                                     ", and nothing reacts to error.execution"},
    [WF_RULE_BUDGET_UNHANDLED] = {"unhandled-budget", 2, "nothing reacts when the budget ",
                                  " is exceeded"},
    [WF_RULE_RESULT_DROPPED] = {"dropped-result", 2, "nothing reacts to an answer of ", ""},
    [WF_RULE_TIMER_DROPPED] = {"dropped-timer", 2, "nothing reacts to a timer that fires in ",
                               ""},
    [WF_RULE_EVENT_DROPPED] = {"dropped-event", 2, "nothing reacts to ",
                               " that is raised here"},
    [WF_RULE_CONFLICT] = {"conflict", 2, "it conflicts with another region: ",
                          " loses to a transition that stands before it"},
    [WF_RULE_DEAD_STATE] = {"never-entered", 2, "the state ", " is never entered"},
    [WF_RULE_DEAD_TRANSITION] = {"never-taken", 2, "the transition ", " is never taken"},
    [WF_RULE_ORDER] = {"order", 3, "only its order prevents ",
                       ": an earlier transition is enabled, too"},
};

const char *wf_rule_word(uint8_t rule)
{
    return rules[rule].word;
}

int32_t wf_rule_severity(uint8_t rule)
{
    return rules[rule].severity;
}

static bool is_about_state(uint8_t rule)
{
    return rule == WF_RULE_STEP_FAILS || rule == WF_RULE_DEADLOCK || rule == WF_RULE_LIVELOCK ||
           rule == WF_RULE_NO_END || rule == WF_RULE_TIMER_DROPPED ||
           rule == WF_RULE_EXECUTION_UNHANDLED || rule == WF_RULE_DEAD_STATE;
}

static bool is_about_transition(uint8_t rule)
{
    return rule == WF_RULE_CONFLICT || rule == WF_RULE_DEAD_TRANSITION || rule == WF_RULE_ORDER;
}

static bool is_about_invocation(uint8_t rule)
{
    return rule == WF_RULE_ERROR_UNHANDLED || rule == WF_RULE_RESULT_DROPPED;
}

uint32_t wf_diagnostic_state(const wfsm_machine *machine, const wf_search_diagnostic *found)
{
    if (is_about_state(found->rule))
        return found->subject;
    if (is_about_transition(found->rule))
        return machine->transitions[found->subject].source;
    if (is_about_invocation(found->rule))
        return machine->invokes[found->subject].state;
    return WF_NONE;
}

/* ---- words ---- */

static void quote(wf_buffer *out, const wf_name *name)
{
    wf_buffer_byte(out, '"');
    wf_buffer_add(out, name->text, name->length);
    wf_buffer_byte(out, '"');
}

static void add_state(wf_buffer *out, const wfsm_machine *machine, uint32_t state)
{
    if (state == 0)
        wf_buffer_text(out, "the root");
    else
        quote(out, &machine->states[state].path);
}

static void add_rule(wf_buffer *out, const wf_guard *guard, wf_arena *arena)
{
    wf_value rule;
    if (guard->kind == WF_GUARD_RULE &&
        wf_json_parse(arena, guard->text, strlen(guard->text), &rule, NULL) == WFSM_OK)
        wf_rule_text(out, &rule);
    else if (guard->kind != WF_GUARD_NONE)
        wf_buffer_text(out, guard->text);
}

static void add_guard(wf_buffer *out, const wf_guard *guard, wf_arena *arena)
{
    if (guard->kind == WF_GUARD_NONE)
        return;
    wf_buffer_text(out, " [");
    add_rule(out, guard, arena);
    wf_buffer_text(out, "]");
}

static void add_transition(wf_buffer *out, const wfsm_machine *machine, uint32_t number,
                           wf_arena *arena)
{
    const wf_transition *self = &machine->transitions[number];
    if (self->event == WF_NONE)
        wf_buffer_text(out, "always");
    else
        quote(out, &machine->descriptors[self->event]);
    add_guard(out, &self->guard, arena);
    wf_buffer_text(out, " of ");
    add_state(out, machine, self->source);
}

static void add_invocation(wf_buffer *out, const wfsm_machine *machine, uint32_t number)
{
    wf_buffer_text(out, "the invocation ");
    quote(out, &machine->invokes[number].id);
}

/* A computed name may be one that the document does not have. */
static void add_event(wf_buffer *out, const wfsm_machine *machine, uint32_t number)
{
    const bool known = number < machine->events.count;
    wf_buffer_text(out, known ? "the event " : "an event with a computed name");
    if (known)
        quote(out, &machine->events.list[number]);
}

static void add_subject(wf_buffer *out, const wfsm_machine *machine,
                        const wf_search_diagnostic *found, wf_arena *arena)
{
    if (found->rule == WF_RULE_PROPERTY || found->rule == WF_RULE_UNREACHED)
        quote(out, &machine->properties[found->subject].name);
    else if (is_about_state(found->rule))
        add_state(out, machine, found->subject);
    else if (is_about_transition(found->rule))
        add_transition(out, machine, found->subject, arena);
    else if (is_about_invocation(found->rule))
        add_invocation(out, machine, found->subject);
    else if (found->rule == WF_RULE_BUDGET_UNHANDLED)
        quote(out, &machine->budgets[found->subject].name);
    else if (found->rule == WF_RULE_EVENT_DROPPED)
        add_event(out, machine, found->subject);
}

/* Why what must come does not. */
static void add_cause(wf_buffer *out, const wfsm_machine *machine,
                      const wf_search_diagnostic *found)
{
    static const struct {
        const char *before, *after;
    } texts[] = {
        [WF_CAUSE_NONE] = {"", ""},
        [WF_CAUSE_ENDED] = {": the instance ends before", ""},
        [WF_CAUSE_LATE] = {": it takes more than ", " ms"},
        [WF_CAUSE_UNCLAIMED] =
            {": an agent is never claimed, as nothing is left of the budget ", ""},
        [WF_CAUSE_REFUSED] = {": the budget ", " refuses for ever"},
        [WF_CAUSE_NOBODY] = {": nobody has to act in ", ""},
        [WF_CAUSE_TIMER_RESTARTED] = {": a timer is set again for ever before it fires", ""},
        [WF_CAUSE_AGENT_RESTARTED] = {": the agent of ",
                                      " is withdrawn and started again for ever"},
        [WF_CAUSE_BUDGET_RESET] = {": the budget ", " is reset for ever before it runs out"},
        [WF_CAUSE_ANSWERS] = {": people may answer like this for ever", ""},
        [WF_CAUSE_PERSON] = {": a person may never answer", ""},
        [WF_CAUSE_AGENT] = {": the agent of ", " may never be claimed, or never end"},
        [WF_CAUSE_TIMER] = {": a timer may never fire", ""},
    };
    wf_buffer_text(out, texts[found->cause].before);
    if (found->cause == WF_CAUSE_UNCLAIMED || found->cause == WF_CAUSE_REFUSED ||
        found->cause == WF_CAUSE_BUDGET_RESET)
        quote(out, &machine->budgets[found->cause_of].name);
    if (found->cause == WF_CAUSE_LATE)
        wf_buffer_format(out, "%lld", (long long)machine->properties[found->subject].within);
    if (found->cause == WF_CAUSE_NOBODY)
        add_state(out, machine, found->cause_of);
    if (found->cause == WF_CAUSE_AGENT_RESTARTED || found->cause == WF_CAUSE_AGENT)
        quote(out, &machine->invokes[found->cause_of].id);
    wf_buffer_text(out, texts[found->cause].after);
    if (found->cause == WF_CAUSE_TIMER_RESTARTED && found->cause_of < machine->events.count) {
        wf_buffer_text(out, ": ");
        quote(out, &machine->events.list[found->cause_of]);
    }
}

static const char *keep(wf_buffer *text, wf_arena *arena)
{
    const char *copy =
        text->failed ? NULL : wf_arena_text(arena, text->data ? text->data : "", text->length);
    wf_buffer_fini(text);
    return copy;
}

const char *wf_guard_text(const wf_guard *guard, wf_arena *arena)
{
    wf_buffer text;
    wf_buffer_init(&text, arena->allocator);
    add_rule(&text, guard, arena);
    return keep(&text, arena);
}

const char *wf_diagnostic_message(const wfsm_machine *machine,
                                  const wf_search_diagnostic *found, wf_arena *arena)
{
    wf_buffer text;
    wf_buffer_init(&text, &machine->allocator);
    wf_buffer_text(&text, rules[found->rule].before);
    add_subject(&text, machine, found, arena);
    wf_buffer_text(&text, rules[found->rule].after);
    add_cause(&text, machine, found);
    return keep(&text, arena);
}

/* ---- places ---- */

static void add_token(wf_buffer *out, const char *text, size_t length)
{
    wf_buffer_byte(out, '/');
    for (size_t i = 0; i < length; i++) {
        if (text[i] == '~' || text[i] == '/')
            wf_buffer_text(out, text[i] == '~' ? "~0" : "~1");
        else
            wf_buffer_byte(out, text[i]);
    }
}

/* Keys of states contain no dots, so a path can be split at its dots. */
static void add_state_pointer(wf_buffer *out, const wf_name *path)
{
    const char *at = path->text, *end = path->text + path->length;
    while (at < end) {
        const char *dot = memchr(at, '.', (size_t)(end - at));
        const char *stop = dot ? dot : end;
        wf_buffer_text(out, "/states");
        add_token(out, at, (size_t)(stop - at));
        at = stop + 1;
    }
}

static bool is_there(wf_json_finder *finder, const wf_buffer *pointer)
{
    int32_t line, column;
    return !pointer->failed && wf_json_find(finder, pointer->data, true, &line, &column);
}

static void shorten(wf_buffer *out, size_t length)
{
    out->length = length;
    out->data[length] = '\0';
}

/* Its place among those of the same state for the same event. */
static uint32_t index_of(const wfsm_machine *machine, const wf_transition *self)
{
    uint32_t index = 0;
    for (const wf_transition *one = machine->transitions; one < self; one++)
        index += one->source == self->source && one->event == self->event &&
                 machine->states[one->source].initial != one - machine->transitions;
    return index;
}

/* One transition alone need not stand in a list. */
static void add_index(wf_buffer *out, const wfsm_machine *machine, const wf_transition *self,
                      wf_json_finder *finder)
{
    const size_t before = out->length;
    wf_buffer_format(out, "/%u", index_of(machine, self));
    if (!out->failed && !is_there(finder, out))
        shorten(out, before);
}

static void add_transition_pointer(wf_buffer *out, const wfsm_machine *machine,
                                   const wf_transition *self, wf_json_finder *finder)
{
    const size_t before = out->length;
    if (self->event == WF_NONE) {
        wf_buffer_text(out, "/always");
    } else {
        const wf_name *event = &machine->descriptors[self->event];
        wf_buffer_text(out, "/on");
        add_token(out, event->text, event->length);
    }
    if (out->failed)
        return;
    if (is_there(finder, out))
        add_index(out, machine, self, finder);
    else
        shorten(out, before);
}

const char *wf_diagnostic_pointer(const wfsm_machine *machine,
                                  const wf_search_diagnostic *found, wf_json_finder *finder,
                                  wf_arena *arena)
{
    uint32_t state = wf_diagnostic_state(machine, found);
    wf_buffer text;
    wf_buffer_init(&text, &machine->allocator);
    wf_buffer_text(&text, "");
    if (found->rule == WF_RULE_PROPERTY || found->rule == WF_RULE_UNREACHED) {
        const wf_name *name = &machine->properties[found->subject].name;
        wf_buffer_text(&text, "/properties");
        add_token(&text, name->text, name->length);
    } else if (found->rule == WF_RULE_BUDGET_UNHANDLED) {
        const wf_name *name = &machine->budgets[found->subject].name;
        wf_buffer_text(&text, "/budgets");
        add_token(&text, name->text, name->length);
    } else if (state != WF_NONE) {
        add_state_pointer(&text, &machine->states[state].path);
    }
    if (is_about_transition(found->rule))
        add_transition_pointer(&text, machine, &machine->transitions[found->subject], finder);
    return keep(&text, arena);
}

const char *wf_reading_pointer(const wf_cones *all, const wf_reading *reading,
                               wf_json_finder *finder, wf_arena *arena)
{
    static const uint8_t rules_of[] = {WF_RULES, WF_RULE_DEAD_TRANSITION, WF_RULE_DEAD_STATE,
                                       WF_RULE_PROPERTY, WF_RULE_BUDGET_UNHANDLED};
    const wf_search_diagnostic about = {.rule = rules_of[reading->owner],
                                        .subject = reading->number};
    return reading->owner == WF_OWNER_NONE
               ? ""
               : wf_diagnostic_pointer(all->machine, &about, finder, arena);
}
