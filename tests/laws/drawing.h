/* One chart while it is generated; shared by the files chart*.c. */
#ifndef TESTS_LAWS_DRAWING_H
#define TESTS_LAWS_DRAWING_H

#include "chance.h"
#include "chart.h"

enum { STATES = 40, TEXT = 1 << 18 };
enum kind { ATOMIC, COMPOUND, PARALLEL, FINAL, SHALLOW, DEEP };

typedef struct node {
    int kind, parent, depth;
    int children[6], child_count; /* without histories */
    int histories[2], history_count;
    bool own_id;
} node;

typedef struct chart {
    chance random;
    const char *prefix;
    char *text;
    size_t used;
    node nodes[STATES]; /* [0] is the root */
    int count, labels, invokes;
} chart;

/* chart_names.c: appending text, and naming states. */
void put(chart *self, const char *format, ...);
bool chance_of(chart *self, uint32_t percent);
int draw_state(chart *self);
/* As `#id`, from anywhere. */
void put_id(chart *self, int number);
/* One target inside `above`, or two in different regions of it. */
void put_targets(chart *self, int above);
/* chart_actions.c: data, guards and actions. */
void put_value(chart *self);
void put_guard(chart *self);
void put_actions(chart *self, int depth);
void put_actions_key(chart *self, const char *key, uint32_t percent);
/* chart_transitions.c: transitions and invocations. `event`: its descriptor in a list, or
 * NULL. */
void put_transition(chart *self, const char *event, bool guarded);
void put_transitions(chart *self);
void put_after(chart *self);
void put_invokes(chart *self);
#endif
