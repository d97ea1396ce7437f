/*
 * machine/builder.h: a document by calls. What is given is kept as JSON text; compiling
 * writes the whole document and loads it, so that there is one way to be right.
 */
#ifndef WF_MACHINE_BUILDER_H
#define WF_MACHINE_BUILDER_H

#include <wfsm/machine.h>
#include "base/buffer.h"
#include "base/names.h"

/* A key with a JSON text, or one transition of an event. */
typedef struct wf_piece {
    struct wf_piece *next;
    size_t key_length, length;
    char text[]; /* the key, then the JSON */
} wf_piece;

typedef struct wf_pieces {
    wf_piece *first, *last;
} wf_pieces;

typedef struct wf_group {
    struct wf_group *next;
    uint32_t hash;
    wf_pieces transitions; /* all with the event for their key */
} wf_group;

typedef struct wf_built {
    uint32_t first, last, next; /* children, and the sibling after this one */
    const char *key;            /* part of its path */
    size_t key_length;
    wf_pieces settings;
    wf_group *groups, *last_group;
} wf_built;

struct wfsm_builder {
    wfsm_allocator allocator;
    wf_names paths; /* by state; "" is the root */
    wf_built *states;
    size_t capacity;
};

/* Appends the document. */
void wf_builder_write(wf_buffer *out, const wfsm_builder *builder);
#endif
