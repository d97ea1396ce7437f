/* verify/search_report.c: which rules a search is about, and the diagnostics that it has found. */
#include "base/invariant.h"
#include "base/memory.h"
#include "verify/hiding.h"
#include "verify/search.h"

enum { RESTS_MOST = 64 };

static bool is_error(uint8_t rule)
{
    return rule <= WF_RULE_UNREACHED;
}

bool wf_search_hides(const wf_search *self)
{
    return self->symbolic && self->symbolic->hiding;
}

bool wf_search_asks(const wf_search *self, uint8_t rule)
{
    if (!wf_search_hides(self))
        return true;
    return self->symbolic->hiding->errors ? rule > WF_RULE_PROPERTY && rule <= WF_RULE_NO_END
                                          : rule == WF_RULE_PROPERTY;
}

bool wf_search_report(wf_search *self, wf_search_diagnostic found)
{
    WF_INVARIANT(found.rule <= WF_RULE_REACHED);
    WF_INVARIANT(found.state == WF_NONE || found.state < self->space.count);
    if (!wf_search_asks(self, found.rule))
        return true;
    uint32_t alike = 0, most = self->symbolic ? WF_CANDIDATES_MOST : 1;
    for (size_t i = 0; i < self->found_count; i++) {
        const wf_search_diagnostic *one = &self->found[i];
        if (one->rule != found.rule || one->subject != found.subject)
            continue;
        if (++alike == most || (one->state == found.state && one->round == found.round))
            return true;
    }
    wf_search_diagnostic *list =
        wf_grow(self->explorer.allocator, self->found, &self->found_capacity,
                self->found_count + 1, sizeof *list);
    if (!list)
        return false;
    self->found = list;
    list[self->found_count++] = found;
    if (self->options.first && is_error(found.rule)) {
        self->stopped = true;
        self->bound = "the search ended at the first error";
    }
    return true;
}

bool wf_search_note_rest(wf_search *self, const wf_value *context)
{
    if (!context || self->rest_count == RESTS_MOST || wf_search_hides(self))
        return true;
    wf_rest *list = wf_grow(self->explorer.allocator, self->rests, &self->rest_capacity,
                            self->rest_count + 1, sizeof *list);
    if (!list)
        return false;
    self->rests = list;
    list[self->rest_count++] = (wf_rest){self->at, context};
    return true;
}

const wf_value *wf_search_rest(const wf_search *self, uint32_t state)
{
    for (size_t i = 0; i < self->rest_count; i++)
        if (self->rests[i].state == state)
            return self->rests[i].context;
    return NULL;
}

/* ---- what is settled ---- */

bool wf_search_violates(const wf_search *self, uint32_t property)
{
    for (size_t i = 0; i < self->found_count; i++)
        if (self->found[i].rule == WF_RULE_PROPERTY && self->found[i].subject == property)
            return true;
    return false;
}

bool wf_search_violates_all(const wf_search *self)
{
    const uint32_t count = self->explorer.machine->property_count;
    uint32_t settled = 0;
    while (settled < count && (self->held[settled] || wf_search_violates(self, settled)))
        settled++;
    return count > 0 && settled == count;
}

/* ---- what has no bound ---- */

static const char *text_about(wf_search *self, const char *before, const char *name)
{
    wf_buffer text;
    wf_buffer_init(&text, self->explorer.allocator);
    wf_buffer_format(&text, "%s \"%s\"", before, name);
    const char *copy =
        text.failed ? before : wf_arena_text(&self->explorer.arena, text.data, text.length);
    wf_buffer_fini(&text);
    return copy ? copy : before;
}

const char *wf_search_beyond(wf_search *self, const wf_name *beyond)
{
    const wfsm_machine *machine = self->explorer.machine;
    for (uint32_t i = 0; i < machine->budget_count; i++)
        if (beyond == &machine->budgets[i].name)
            return text_about(self, "rounds are counted without a bound: the budget",
                              beyond->text);
    for (uint32_t i = 0; i < machine->invoke_count; i++)
        if (beyond == &machine->invokes[i].id)
            return text_about(self, "failures are counted without a bound: the invocation",
                              beyond->text);
    return text_about(self, "a value grows without a bound: the key", beyond->text);
}
