/*
 * verify/linear_sum.h: numbers written as sums of terms, for linear.c.
 */
#ifndef WF_VERIFY_LINEAR_SUM_H
#define WF_VERIFY_LINEAR_SUM_H

#include "verify/constraints.h"

enum { WF_LINEAR_PARTS = 12 };

typedef struct wf_range {
    double least, most;
} wf_range;

typedef struct wf_linear_part {
    wf_term term;
    wf_range times;
} wf_linear_part;

/* The number is the sum of the parts and the rest, but for `error`. */
typedef struct wf_linear_sum {
    wf_linear_part parts[WF_LINEAR_PARTS];
    uint32_t count;
    wf_range rest;
    double error;
    double size; /* the number is not further from 0 */
    bool whole;
    bool lost; /* nothing is known of it */
} wf_linear_sum;

/* A whole number, and so small that sums of two of these are not rounded. */
bool wf_is_exactly_whole(double number);
/* Writes a term as a sum. False: it is no number, or nothing is known of it. */
bool wf_linear_sum_of(const wf_constraints *all, wf_term term, wf_linear_sum *made);
/* Adds a multiple. The sum is not rounded: its error stays as it is. */
void wf_linear_add_times(wf_linear_sum *self, const wf_linear_sum *other, double by);
/* Bounds of the sum, from the domains of its terms. */
wf_range wf_linear_range(const wf_constraints *all, const wf_linear_sum *self);
/* The term is made by +, -, * or /. */
bool wf_is_arithmetic(const wf_term_node *node);
#endif
