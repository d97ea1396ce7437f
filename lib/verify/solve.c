#include "verify/constraints.h"

#include <math.h>
#include <string.h>

/* Bounds of the work, by effort. */
typedef struct bounds {
    uint32_t steps, splits, depth;
    bool refutes; /* values are looked for before the first split, and not after it */
} bounds;

typedef struct solving {
    const bounds *most;
    uint32_t splits; /* made so far */
    uint32_t seed;
    wf_model *model;
} solving;

static enum wf_solved solve(solving *self, const wf_constraints *given, uint32_t depth);

/* Copies of the domains belong to one branch. */
static bool copy(const wf_constraints *from, wf_constraints *to)
{
    *to = *from;
    to->domains = wf_arena_take(from->arena, (from->count + 1u) * sizeof *to->domains);
    if (to->domains)
        memcpy(to->domains, from->domains, from->count * sizeof *to->domains);
    return to->domains != NULL;
}

/* ---- splitting ---- */

static bool is_leaf(const wf_term_node *node)
{
    return node->kind == WF_TERM_SYMBOL || node->kind == WF_TERM_MEMBER ||
           node->kind == WF_TERM_ELEMENT;
}

static uint32_t type_count(uint8_t types)
{
    uint32_t count = 0;
    for (; types; types &= (uint8_t)(types - 1))
        count++;
    return count;
}

/* How much splitting it would tell; 0: it cannot be split. */
static double weight_of(const wf_constraints *self, uint32_t place)
{
    const wf_term_node *node = wf_term_at(self->terms, self->list[place]);
    const wf_value_domain *domain = &self->domains[place];
    uint32_t types = type_count(domain->types);
    if (node->kind == WF_TERM_APPLY && domain->types == WF_TYPE_BOOLEAN && domain->truths == 3)
        return domain->fails ? 0 : 2;
    if (!is_leaf(node) || domain->known)
        return 0;
    if (types > 1)
        return 10 + types;
    if (domain->types == WF_TYPE_BOOLEAN && domain->truths == 3)
        return 5;
    if (domain->types == WF_TYPE_STRING && !domain->others && domain->text_count > 1)
        return 4;
    return domain->types == WF_TYPE_NUMBER && domain->least < domain->most ? 1 : 0;
}

static uint32_t to_split(const wf_constraints *self)
{
    uint32_t found = UINT32_MAX;
    double most = 0;
    for (uint32_t i = 0; i < self->count; i++) {
        double weight = weight_of(self, i);
        if (weight == 1) {
            /* of numbers the widest one; finite ones by their width */
            double width = self->domains[i].most - self->domains[i].least;
            weight = isinf(width) ? 1 : width / (width + 1);
        }
        if (weight > most) {
            most = weight;
            found = i;
        }
    }
    return found;
}

/* A constant within the domain tells more than its middle. */
static double cut_of(const wf_constraints *self, const wf_value_domain *domain)
{
    double middle = isinf(domain->least) || isinf(domain->most)
                        ? 0
                        : domain->least + (domain->most - domain->least) / 2;
    double best = middle, distance = INFINITY;
    for (uint32_t i = 0; i < self->count; i++) {
        const wf_value *known = self->domains[i].known;
        if (!known || known->type != WF_NUMBER || known->as.number <= domain->least ||
            known->as.number >= domain->most || fabs(known->as.number - middle) >= distance)
            continue;
        best = known->as.number;
        distance = fabs(best - middle);
    }
    if (best > domain->least && best < domain->most)
        return best;
    if (isinf(domain->least) && isinf(domain->most))
        return 0;
    if (isinf(domain->most))
        return domain->least < 1 ? 1 : domain->least * 2;
    if (isinf(domain->least))
        return domain->most > -1 ? -1 : domain->most * 2;
    return middle;
}

/* The parts of a domain; together they are all of it. */
static uint32_t parts_of(const wf_constraints *self, const wf_value_domain *domain,
                         wf_value_domain *out, uint32_t most)
{
    uint32_t count = 0;
    if (type_count(domain->types) > 1) {
        for (uint8_t types = domain->types; types && count < most;
             types &= (uint8_t)(types - 1)) {
            out[count] = *domain;
            wf_domain_keep_types(&out[count++], types & (uint8_t)-types);
        }
        return count;
    }
    out[0] = out[1] = *domain;
    if (domain->types == WF_TYPE_BOOLEAN) {
        wf_domain_keep_truth(&out[0], true);
        wf_domain_keep_truth(&out[1], false);
    } else if (domain->types == WF_TYPE_STRING) {
        uint32_t half = domain->text_count / 2;
        out[0].text_count = half;
        out[1].text_count -= half;
        memmove(out[1].texts, domain->texts + half, out[1].text_count * sizeof *domain->texts);
    } else {
        double cut = cut_of(self, domain);
        wf_domain_at_most(&out[0], cut);
        wf_domain_at_least(&out[1], domain->whole ? floor(cut) + 1 : nextafter(cut, INFINITY));
    }
    return 2;
}

static enum wf_solved split(solving *self, const wf_constraints *given, uint32_t depth)
{
    enum { MOST = 6 };
    enum wf_solved all = WF_UNSAT;
    uint32_t place = to_split(given);
    if (place == UINT32_MAX || depth == self->most->depth || self->splits >= self->most->splits)
        return WF_UNKNOWN;
    wf_value_domain *parts = wf_arena_take(given->arena, MOST * sizeof *parts);
    if (!parts)
        return WF_UNKNOWN;
    uint32_t count = parts_of(given, &given->domains[place], parts, MOST);
    for (uint32_t i = 0; i < count; i++) {
        wf_constraints branch;
        self->splits++;
        if (!copy(given, &branch))
            return WF_UNKNOWN;
        /* Whether the term fails is a part of its own. */
        branch.domains[place] = parts[i];
        branch.domains[place].fails &= i == 0;
        enum wf_solved one = solve(self, &branch, depth + 1);
        if (one == WF_SAT || (one == WF_UNKNOWN && self->most->refutes))
            return one;
        all = one == WF_UNKNOWN ? one : all;
    }
    return all;
}

static enum wf_solved solve(solving *self, const wf_constraints *given, uint32_t depth)
{
    wf_constraints own = *given;
    if (!wf_constraints_narrow(&own))
        return WF_UNSAT;
    if (own.arena->failed)
        return WF_UNKNOWN;
    uint32_t steps = depth == 0 ? self->most->steps : self->most->steps / 4;
    const bool searches = depth == 0 || !self->most->refutes;
    if (searches && wf_search_model(&own, steps, self->seed++ * 7919u, self->model))
        return WF_SAT;
    return split(self, &own, depth);
}

/* The same of which both is asked, also where no domain can say it. */
static bool is_contradiction(const wf_literal *literals, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t k = 0; k < i; k++)
            if (literals[i].term == literals[k].term &&
                literals[i].schema == literals[k].schema && literals[i].kind <= WF_IS_FALSE &&
                literals[k].kind <= WF_IS_FALSE && literals[i].kind != literals[k].kind)
                return true;
    return false;
}

enum wf_solved wf_solve_constraints(const wf_constraints *given, uint32_t effort,
                                    wf_model *model)
{
    static const bounds efforts[] = {
        {10, 24, 6, false}, {40, 120, 12, false}, {600, 400, 20, false}, {10, 24, 6, true}};
    const uint32_t most = sizeof efforts / sizeof *efforts - 1;
    solving self = {.most = &efforts[effort > most ? most : effort], .seed = 1, .model = model};
    if (is_contradiction(given->literals, given->literal_count))
        return WF_UNSAT;
    return solve(&self, given, 0);
}
