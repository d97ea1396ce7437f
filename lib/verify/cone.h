/*
 * verify/cone.h: the cone of influence. Which parts of the context and of each event's data can
 * influence what happens, and which values they are compared with. A part is in the cone if a
 * guard, a property or a computed name depends on it, also through any number of assignments.
 */
#ifndef WF_VERIFY_CONE_H
#define WF_VERIFY_CONE_H

#include "machine/model.h"

enum { WF_CONE_CONSTANTS = 24, WF_CONE_DEPTH = 8, WF_CONE_LINKS = 8, WF_LINKS = 64 };

/* A product of ten numbers up to WF_LARGE can be computed. A number beyond WF_VERY_LARGE may make any sum or product too
 * large. */
#define WF_LARGE 1e30
#define WF_VERY_LARGE 1e300

/* Where a rule stands: the part of the document that it belongs to. */
enum wf_rule_owner {
    WF_OWNER_NONE,
    WF_OWNER_TRANSITION,
    WF_OWNER_STATE,
    WF_OWNER_PROPERTY,
    WF_OWNER_BUDGET
};

/* A rule that reads a value, and where it stands. */
typedef struct wf_reading {
    const wf_expr *rule; /* NULL: none */
    uint32_t number; /* of the owner */
    uint8_t owner; /* enum wf_rule_owner */
} wf_reading;

/* A value of the context that data is compared with. Each state says what it is. In data texts
 * refer to it: for the value itself, for the numbers one less and one more, and for the next ones on both sides; or for
 * each of the first elements of a list. */
enum { WF_LINK_VALUES = 5, WF_LINK_WHOLE = 3, WF_LINK_ELEMENTS = 8 };
typedef struct wf_context_link {
    const wf_expr *expr;
    bool element; /* an element of the list that the expression is */
    bool is_used; /* some value from outside is compared with it */
    bool
        known; /* the length of a list, or one of a few values that the schema of the context names */
    wf_reading reading;
    wf_value stands[WF_LINK_ELEMENTS];
} wf_context_link;

/* A schema that a value is checked against. */
typedef struct wf_cone_schema {
    const wf_schema *schema;
    struct wf_cone_schema *next;
} wf_cone_schema;

/* A rule that compares a value with constants, with conversion or for order. */
enum { WF_TEST_OPERANDS = 4, WF_CONE_TESTS = 24 };
typedef struct wf_cone_test {
    const wf_expr *rule;
    uint32_t operand; /* that the value is */
} wf_cone_test;

struct wf_cone_part;
/* What of a value is in the cone. */
typedef struct wf_cone {
    wf_reading reader; /* one of the rules that read it */
    wf_reading vague; /* one whose answer the constants below do not decide; or none */
    wf_reading over; /* one that looks at the elements of a list, in any order */
    bool several; /* there are several */
    bool searched; /* for a part of it, if it is a text */
    bool counted; /* the elements that it selects are counted */
    bool whole; /* all of it */
    bool truth; /* whether it is present and true */
    bool text; /* whether it is a text */
    bool kind; /* its type: an operator fails that does not take it */
    bool
        number; /* an operator reads it as a number: which texts are one, and how large it is */
    bool length; /* how many elements */
    bool order; /* the order of elements */
    bool many; /* more links than are kept */
    bool kept; /* one of them may be anything that was in data before */
    bool passing; /* a temporary sum: adding to it is no change of the fixed point */
    uint8_t depth;
    uint8_t constant_count, link_count, test_count;
    wf_cone_test tests[WF_CONE_TESTS];
    uint8_t links[WF_CONE_LINKS]; /* the values of the context that it is compared with */
    wf_value constants[WF_CONE_CONSTANTS]; /* constants that it is compared with */
    wf_cone_schema *fits; /* the schemas that it is checked against */
    struct wf_cone_part *parts; /* its members */
    struct wf_cone *items; /* its elements, or NULL */
} wf_cone;

typedef struct wf_cone_part {
    const char *key;
    uint32_t length;
    wf_cone *cone;
    struct wf_cone_part *next;
} wf_cone_part;

/* The name of an event that the document raises by itself. */
typedef struct wf_raised {
    const wf_expr *event;
    struct wf_raised *next;
} wf_raised;

/* The data of one event, read only where the event's name was tested before. */
typedef struct wf_named_cone {
    const char *name;
    uint32_t length;
    wf_cone cone;
    struct wf_named_cone *next;
} wf_named_cone;

typedef struct wf_cones {
    const wfsm_machine *machine;
    wf_arena *arena;
    const wf_value
        *inputs; /* of the start: they replace keys of the context. NULL: not known */
    uint32_t input_count;
    wf_cone **slots; /* by context key; NULL: nothing */
    wf_cone **descriptors; /* by descriptor: the data of events that match it */
    uint32_t descriptor_count;
    wf_cone any; /* the data of every event */
    wf_cone origin; /* the origin of every event from outside */
    wf_context_link links[WF_LINKS];
    uint32_t link_count;
    wf_named_cone *named;
    wf_raised *raised;
    bool everything; /* some path is computed: everything is in the cone */
    bool other_keys; /* a rule reads keys of the context that the document does not name */
    bool joins; /* the elements of a list are added up, or the least of them is taken */
    bool clock; /* an expression reads the time */
    bool spent_time; /* or how much of a budget of time is used */
    bool failure; /* an expression reads repeated failures */
    bool signature; /* and more of them than how often, and which invocation */
    bool resets_time; /* an action resets a budget of time */
    bool resets_used; /* one of another budget than of rounds */
    double used_most; /* the most that the used rounds of a budget are compared with */
    bool used_vague; /* they are read in another way, too */
    double failures_most; /* the same of how often a failure was repeated */
    bool failures_vague;
    wf_reading reading; /* the rule at hand */
    bool guarding; /* in the guard of a transition for an event: nothing has changed yet */
    bool direct; /* such a guard compares the event's data with the context */
    wf_reading unknown; /* a rule that reads what is not data and has no classes; or none */
    wf_cone type, id; /* the names and the ids of events */
    bool changed, failed;
} wf_cones;

/* `inputs`: of the start; they must remain. False when out of memory. Everything lives in the arena. */
bool wf_cones_find(wf_cones *cones, const wfsm_machine *machine, const wf_value *inputs,
                   uint32_t input_count, wf_arena *arena);
/* True if rules compare it with this constant. */
bool wf_cone_has_constant(const wf_cone *cone, const wf_value *value);
/* The cone of the data of the event of this name, made in the arena; NULL when it is empty, or
 * the arena failed. */
const wf_cone *wf_cones_of_event(wf_cones *cones, const char *name, size_t length);
/* The cone of the message of a failure; NULL when it is empty, or the arena failed. */
const wf_cone *wf_cone_of_message(wf_cones *cones, const wf_invoke *invoke);
/* True if the document itself may raise an event of this name. Names that come from data are
 * not known. */
bool wf_cones_raise(const wf_cones *cones, const char *name, size_t length);
const wf_cone *wf_cone_member(const wf_cone *cone, const char *key, size_t length);
#endif
