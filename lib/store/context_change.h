/*
 * store/context_change.h: what a step has changed in the context, as values. doc/records.md
 * describes the form. decode_change.c applies it.
 */
#ifndef WF_STORE_CONTEXT_CHANGE_H
#define WF_STORE_CONTEXT_CHANGE_H

#include "step/step.h"

/* A growing list of members, in an arena. */
typedef struct wf_members {
    wf_member *list;
    size_t count, capacity;
} wf_members;

/* The change of an object: `unset` is applied first, and then `set` replaces members or appends
 * new ones. A member that is in `changed` stays where it is. */
typedef struct wf_object_change {
    wf_members set, unset, changed;
} wf_object_change;

/* How two values differ. */
enum wf_difference {
    WF_NO_DIFFERENCE, /* they are written in the same way */
    WF_OTHER_VALUE, /* the new value has to be given whole */
    WF_OTHER_PARTS /* a change makes it of the old value, and is shorter */
};

/* What leads from one value to another. The levels of JSON around the change are `level`. Parts of
 * *change are in the arena or borrowed from `now`. Check arena->failed afterwards. */
enum wf_difference wf_change_of(wf_arena *arena, const wf_value *old, const wf_value *now,
                                unsigned level, wf_value *change);

/* The change of the context in an open draft. */
void wf_context_change(wf_arena *arena, const wf_step *step, wf_object_change *change);
#endif
