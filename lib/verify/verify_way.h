/* verify/verify_way.h: how a state was come by: the deeds, found again by trying. */
#ifndef WF_TOOLS_VERIFY_WAY_H
#define WF_TOOLS_VERIFY_WAY_H

#include "verify/verify_explore.h"

typedef struct wf_leg {
    wf_deed deed;
    uint32_t answer_count; /* of the host, in the order of the questions */
    uint16_t answers[WF_CHOICES_MOST];
    uint8_t *key; /* of where it leads, as far as it does not depend on time; NULL: nowhere */
    size_t key_length;
    uint32_t kept; /* the checkpoint there */
} wf_leg;

typedef struct wf_way {
    wf_leg *legs; /* the first is the start */
    size_t count, capacity;
    size_t cycle; /* from this leg on it goes round; == count: it does not */
} wf_way;

/* The way to what was noticed, in the arena but for the list. NO_MEMORY; NOT_FOUND if it was
 * not found again. */
int32_t wf_way_find(wf_exploration *self, const wf_notice *notice, wf_arena *arena,
                    wf_way *way);
void wf_way_free(wf_exploration *self, wf_way *way);
#endif
