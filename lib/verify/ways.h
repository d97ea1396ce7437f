/*
 * verify/ways.h: over symbols, whether an event can come that leads on, whatever the values of the state.
 * What an event says is up to its sender. So a guard that compares the data of the event with the state is no
 * obstacle if for each value of the state there is data that it lets through.
 */
#ifndef WF_VERIFY_WAYS_H
#define WF_VERIFY_WAYS_H

#include "verify/successors.h"

enum { WF_WAYS_MOST = 16, WF_WAYS_LITERALS = 128 };

/* A run of an event from outside that leads on. */
typedef struct wf_way {
    uint32_t first, count; /* the literals that are true on it, besides those of the state */
    uint32_t event;        /* explorer->outside */
    wf_term data;          /* the symbol; WF_NONE: the data is known */
    uint64_t answers;      /* of whom it is an answer: bits, as the caller numbers them */
} wf_way;

typedef struct wf_ways {
    wf_literal literals[WF_WAYS_LITERALS];
    wf_way list[WF_WAYS_MOST];
    uint32_t literal_count, count;
    bool more; /* there are others, which are not noted */
    uint32_t looks; /* so often it was looked whether they cover a state */
} wf_ways;

void wf_ways_clear(wf_ways *self);
/* Notes the run at hand, if it is one of an event from outside. Of more than there is room for, it notes the
 * first: then less is proved. */
void wf_ways_note(wf_ways *self, const wf_explorer *explorer, const wf_successor *successor,
                  uint64_t answers);
/* After the successors of a state: true if for all values of the state some event with some data takes one of the
 * ways. Only answers of `whom` count, or if that is 0, all ways. Otherwise *rest may be a context for which no event
 * takes one: by key, in the arena of the explorer, ABSENT where it does not matter. It is NULL if none was found;
 * `rest` may be NULL, too. When out of memory, explorer->symbolic has failed. */
bool wf_ways_cover(wf_ways *self, wf_explorer *explorer, uint64_t whom, const wf_value **rest);
#endif
