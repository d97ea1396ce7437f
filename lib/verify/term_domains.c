/* verify/term_domains.c: looks things up in constraints. */
#include "verify/constraints.h"

#include <float.h>
#include <math.h>
#include "logic/expr_tree.h"

uint32_t wf_constraints_place(const wf_constraints *self, wf_term term)
{
    uint32_t low = 0, high = self->count;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (self->list[middle] <= term)
            low = middle;
        else
            high = middle;
    }
    return low;
}

wf_value_domain *wf_constraints_domain(const wf_constraints *self, wf_term term)
{
    return &self->domains[wf_constraints_place(self, term)];
}

const char *wf_term_operator(const wf_term_node *node)
{
    return node->kind == WF_TERM_APPLY ? node->op->name : "";
}

static void include(wf_interval *all, double least, double most)
{
    all->least = fmin(all->least, least);
    all->most = fmax(all->most, most);
}

wf_interval wf_interval_of(const wf_value_domain *domain)
{
    wf_interval all = {INFINITY, -INFINITY, true, false};
    uint8_t types = domain->types;
    if (types & WF_TYPE_NUMBER) { /* of which none is infinite */
        include(&all, fmax(domain->least, -DBL_MAX), fmin(domain->most, DBL_MAX));
        all.whole = domain->whole;
    }
    if (types & WF_TYPE_NULL)
        include(&all, 0, 0);
    if (types & WF_TYPE_BOOLEAN)
        include(&all, domain->truths & 1 ? 0 : 1, domain->truths & 2 ? 1 : 0);
    if (types & WF_TYPE_STRING) {
        include(&all, domain->worth_least, domain->worth_most);
        all.whole = false;
    }
    all.nan = (types & (WF_TYPE_ARRAY | WF_TYPE_OBJECT)) != 0 ||
              (types & WF_TYPE_STRING && !domain->numeric);
    return all;
}
