/* verify/interval.c: arithmetic of intervals. */
#include <math.h>
#include <string.h>
#include "verify/constraints.h"

static void include(wf_interval *all, double number)
{
    all->least = fmin(all->least, number);
    all->most = fmax(all->most, number);
}

static double product(double a, double b)
{
    return a == 0 || b == 0 ? 0 : a * b;
}

static wf_interval times(wf_interval a, wf_interval b)
{
    double all[4] = {product(a.least, b.least), product(a.least, b.most),
                     product(a.most, b.least), product(a.most, b.most)};
    wf_interval result = {all[0], all[0], a.whole && b.whole, false};
    for (int i = 1; i < 4; i++)
        include(&result, all[i]);
    return result;
}

static wf_interval over(wf_interval a, wf_interval b)
{
    if (b.least == 0 && b.most == 0)
        return (wf_interval){INFINITY, -INFINITY, false, true};
    if (b.least <= 0 && b.most >= 0)
        return (wf_interval){-INFINITY, INFINITY, false, true};
    double all[4] = {a.least / b.least, a.least / b.most, a.most / b.least, a.most / b.most};
    wf_interval result = {INFINITY, -INFINITY, false, false};
    for (int i = 0; i < 4; i++) {
        if (isnan(all[i]))
            return (wf_interval){-INFINITY, INFINITY, false, false};
        include(&result, all[i]);
    }
    return result;
}

static wf_interval remainder_of(wf_interval a, wf_interval b)
{
    double most = fmax(fabs(b.least), fabs(b.most));
    if (most == 0)
        return (wf_interval){INFINITY, -INFINITY, false, true};
    most = a.whole && b.whole ? most - 1 : nextafter(most, 0);
    wf_interval result = {a.least < 0 ? -fmin(most, -a.least) : 0,
                          a.most > 0 ? fmin(most, a.most) : 0, a.whole && b.whole,
                          b.least <= 0 && b.most >= 0};
    return result;
}

wf_interval wf_interval_join(const char *name, wf_interval a, wf_interval b)
{
    if (strcmp(name, "+") == 0)
        return (wf_interval){a.least + b.least, a.most + b.most, a.whole && b.whole, false};
    if (strcmp(name, "-") == 0)
        return (wf_interval){a.least - b.most, a.most - b.least, a.whole && b.whole, false};
    if (strcmp(name, "*") == 0)
        return times(a, b);
    return strcmp(name, "/") == 0 ? over(a, b) : remainder_of(a, b);
}
