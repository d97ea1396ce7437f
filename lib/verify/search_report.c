/* verify/search_report.c: which rules a search is about, and the diagnostics that it has found. */
#include "base/invariant.h"
#include "base/memory.h"
#include "verify/hiding.h"
#include "verify/search.h"

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
        if (++alike == most || one->state == found.state)
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
