/* verify/data_numbers.c: numbers on both sides of those at which an answer may change. */
#include "verify/data_make.h"

#include <float.h>
#include <math.h>

enum { MOST_POINTS = 64, MOST_RANGE = 16 };

/* Numbers at which an answer may change. */
typedef struct points {
    double list[MOST_POINTS];
    uint32_t count;
} points;

static void add_point(points *all, double number)
{
    uint32_t at = all->count;
    if (!isfinite(number) || at == MOST_POINTS)
        return;
    for (uint32_t i = 0; i < at; i++)
        if (all->list[i] == number)
            return;
    for (; at > 0 && all->list[at - 1] > number; at--)
        all->list[at] = all->list[at - 1];
    all->list[at] = number;
    all->count++;
}

static void add_bounds(points *to, const wf_schema *schema)
{
    const wf_bound *const list[] = {&schema->minimum, &schema->maximum, &schema->above,
                                    &schema->below};
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        if (list[i]->set)
            add_point(to, list[i]->value);
}

static void find_points(points *to, const wf_schema_group *all, const wf_cone *wanted,
                        wf_arena *arena)
{
    for (uint32_t i = 0; i < wanted->constant_count; i++)
        if (wanted->constants[i].type < WF_ARRAY)
            add_point(to, wf_data_number(&wanted->constants[i], arena));
    if (wanted->test_count > 0 || wanted->number)
        add_point(to, 0);
    for (uint32_t i = 0; i < all->count; i++)
        add_bounds(to, all->list[i]);
    for (const wf_cone_schema *fit = wanted->fits; fit; fit = fit->next)
        add_bounds(to, fit->schema);
    if (wanted->truth || to->count == 0)
        add_point(to, 0);
}

static double multiple_of(const wf_schema_group *all, uint32_t types)
{
    double multiple = WF_GROUP_LEAST(all, multiple, 0);
    return multiple == 0 && !(types & 1u << WF_NUMBER) ? 1 : multiple;
}

/* Each point, or the multiples on both sides of it, and its neighbours. */
static void add_multiples(wf_data_classes *out, const wf_schema_group *all,
                          const wf_cone *wanted, const points *at, double multiple)
{
    for (uint32_t i = 0; i < at->count; i++) {
        double below = floor(at->list[i] / multiple);
        bool on_it = below * multiple == at->list[i];
        for (int step = on_it ? -1 : 0; step <= 1; step++)
            wf_data_add_fitting(out, all, wf_number((below + step) * multiple), wanted);
    }
}

/* Each point, a number below and above all of them, and one between two of them. */
static void add_gaps(wf_data_classes *out, const wf_schema_group *all, const wf_cone *wanted,
                     const points *at)
{
    for (uint32_t i = 0; i < at->count; i++) {
        double own = at->list[i], before = i == 0 ? own - 2 : at->list[i - 1],
               after = i + 1 == at->count ? own + 2 : at->list[i + 1];
        if (i == 0 || !wanted || wanted->vague.rule)
            wf_data_add_fitting(
                out, all, wf_number(own - 1 > before ? own - 1 : (own + before) / 2), wanted);
        wf_data_add_fitting(out, all, wf_number(own), wanted);
        wf_data_add_fitting(out, all, wf_number(own + 1 < after ? own + 1 : (own + after) / 2),
                            wanted);
    }
}

static bool asks_whether_whole(const wf_cone *wanted)
{
    for (const wf_cone_schema *fit = wanted ? wanted->fits : NULL; fit; fit = fit->next)
        if (wf_schema_is_whole(fit->schema))
            return true;
    return false;
}

/* Between two numbers: the first integer, and a fraction. */
static void add_both_kinds(wf_data_classes *out, const wf_schema_group *all,
                           const wf_cone *wanted, double from, double to)
{
    double whole = floor(from) + 1, near = from + (fmin(from + 1, to) - from) / 2;
    if (whole < to)
        wf_data_add_fitting(out, all, wf_number(whole), wanted);
    if (near == floor(near))
        near = from + (near - from) / 2;
    if (near > from && near < to)
        wf_data_add_fitting(out, all, wf_number(near), wanted);
}

/* The same of each gap, and of what is below and above all points. */
static void add_fractions(wf_data_classes *out, const wf_schema_group *all,
                          const wf_cone *wanted, const points *at)
{
    for (uint32_t i = 0; i < at->count; i++)
        add_both_kinds(out, all, wanted, at->list[i],
                       i + 1 < at->count ? at->list[i + 1] : at->list[i] + 2);
    if (at->count > 0)
        add_both_kinds(out, all, wanted, at->list[0] - 2, at->list[0]);
}

/* All of them, where they are few. */
static void add_range(wf_data_classes *out, const wf_schema_group *all, const wf_cone *wanted,
                      double multiple)
{
    double least = WF_GROUP_LEAST(all, minimum, -INFINITY),
           most = WF_GROUP_MOST(all, maximum, INFINITY);
    if (multiple == 0 || !isfinite(least) || !isfinite(most) ||
        (most - least) / multiple > MOST_RANGE)
        return;
    for (double at = ceil(least / multiple) * multiple; at <= most; at += multiple)
        wf_data_add_fitting(out, all, wf_number(at), wanted);
}

/* What may be too large for a sum or a product, and, of a divisor, what makes a quotient too large. */
static void add_extremes(wf_data_classes *out, const wf_schema_group *all,
                         const wf_cone *wanted)
{
    const wf_value zero = wf_number(0);
    const double most = WF_GROUP_MOST(all, maximum, INFINITY);
    wf_data_add_fitting(out, all, wf_number(most < DBL_MAX ? -DBL_MAX : DBL_MAX), wanted);
    if (wanted->truth || wf_cone_has_constant(wanted, &zero))
        wf_data_add_fitting(out, all, wf_number(most > 0 ? DBL_TRUE_MIN : -DBL_TRUE_MIN),
                            wanted);
}

void wf_data_add_numbers(wf_data_classes *out, const wf_schema_group *all,
                         const wf_cone *wanted)
{
    static const wf_cone nothing = {.truth = true};
    const wf_cone *own = wanted ? wanted : &nothing;
    uint32_t types = wf_schema_group_types(all);
    double multiple = multiple_of(all, types);
    points at = {.count = 0};
    find_points(&at, all, own, out->arena);
    for (uint32_t i = 0; !wanted && i < at.count; i++)
        wf_data_add_fitting(out, all, wf_number(at.list[i]), NULL);
    out->cut |= at.count == MOST_POINTS;
    if (multiple > 0)
        add_multiples(out, all, wanted, &at, multiple);
    else
        add_gaps(out, all, wanted, &at);
    if (multiple == 0 && asks_whether_whole(wanted))
        add_fractions(out, all, wanted, &at);
    if (!wanted)
        return;
    add_range(out, all, wanted, multiple);
    if (wanted->number)
        add_extremes(out, all, wanted);
}
