/*
 * verify/verify_demand.h: what a machine wants to know. Of the context and of the data of each
 * event: which parts can make a difference to what happens, and which values they are compared
 * with. What no guard, no property and no computed name depends on makes none, by however many
 * assignments in between.
 */
#ifndef WF_TOOLS_VERIFY_DEMAND_H
#define WF_TOOLS_VERIFY_DEMAND_H

#include "machine/model.h"

enum { WF_DEMAND_CONSTANTS = 24, WF_DEMAND_DEPTH = 8, WF_DEMAND_LINKS = 8, WF_LINKS = 64 };

/* A value of the context that something is compared with: what it is, each state says. In
 * data three texts stand for it: the value itself, and numbers one less and one more. */
typedef struct wf_tie {
    const wf_expr *expr;
    bool element; /* of the list that it is, the first */
    wf_value stands[3];
} wf_tie;

/* A schema that a value is asked to fit. */
typedef struct wf_fit {
    const wf_schema *schema;
    struct wf_fit *next;
} wf_fit;

struct wf_demand_part;
/* What is wanted of a value. */
typedef struct wf_demand {
    bool whole;  /* its value, whatever it is */
    bool truth;  /* whether it is there, and true */
    bool length; /* how many elements */
    bool order;  /* which element is where */
    bool many;   /* more links than are kept */
    bool passing; /* only handed on: what is added to it is no discovery */
    uint8_t depth;
    uint8_t constant_count, link_count;
    uint8_t links[WF_DEMAND_LINKS]; /* of the values it is compared with */
    wf_value constants[WF_DEMAND_CONSTANTS]; /* what it is compared with */
    wf_fit *fits;                            /* whether it does */
    struct wf_demand_part *parts;            /* of its members */
    struct wf_demand *items;                 /* of its elements, or NULL */
} wf_demand;

typedef struct wf_demand_part {
    const char *key;
    uint32_t length;
    wf_demand *demand;
    struct wf_demand_part *next;
} wf_demand_part;

/* The name of an event that the document raises by itself. */
typedef struct wf_raised {
    const wf_expr *event;
    struct wf_raised *next;
} wf_raised;

/* Of the data of one event, where the name was asked for first. */
typedef struct wf_named_demand {
    const char *name;
    uint32_t length;
    wf_demand demand;
    struct wf_named_demand *next;
} wf_named_demand;

typedef struct wf_demands {
    const wfsm_machine *machine;
    wf_arena *arena;
    wf_demand **slots;       /* by context key; NULL: nothing */
    wf_demand **descriptors; /* by descriptor: of the data of events that match it */
    uint32_t descriptor_count;
    wf_demand any; /* of the data of every event */
    wf_tie links[WF_LINKS];
    uint32_t link_count;
    wf_named_demand *named;
    wf_raised *raised;
    bool everything; /* some path is known only when it is evaluated */
    bool clock;      /* something looks at the time */
    bool failure;    /* or at what has failed time after time */
    bool resets_time; /* something begins a budget of time anew */
    bool changed, failed;
} wf_demands;

/* False when out of memory. Everything lives in the arena. */
bool wf_demands_find(wf_demands *demands, const wfsm_machine *machine, wf_arena *arena);
/* All that is wanted of the data of an event of this name, put together in the arena; NULL
 * when nothing is, or the arena failed. */
const wf_demand *wf_demands_of_event(wf_demands *demands, const char *name, size_t length);
/* May the document raise an event of this name by itself? Names that come with data are not
 * known. */
bool wf_demands_raise(const wf_demands *demands, const char *name, size_t length);
const wf_demand *wf_demand_member(const wf_demand *demand, const char *key, size_t length);
#endif
