/* engine/list.h: rings of links that live inside their owners. Adding and removing cannot
 * fail. */
#ifndef WF_ENGINE_LIST_H
#define WF_ENGINE_LIST_H

#include <stdbool.h>
#include <stddef.h>

#include "base/invariant.h"

/* A link that points to itself is an empty ring, or a member of no ring. */
typedef struct wf_link {
    struct wf_link *next, *previous;
} wf_link;

/* The struct that a link is part of. */
#define WF_OWNER_OF(link, type, member)                                                        \
    ((type *)(void *)((char *)(link) - offsetof(type, member)))

static inline void wf_link_init(wf_link *link)
{
    link->next = link->previous = link;
}
static inline bool wf_link_alone(const wf_link *link)
{
    return link->next == link;
}
static inline void wf_link_remove(wf_link *link)
{
    WF_INVARIANT(link->next->previous == link && link->previous->next == link);
    link->previous->next = link->next;
    link->next->previous = link->previous;
    wf_link_init(link);
}
/* Moves a link to the end of a ring, from whatever ring it was in. */
static inline void wf_link_append(wf_link *ring, wf_link *link)
{
    wf_link_remove(link);
    link->previous = ring->previous;
    link->next = ring;
    ring->previous->next = link;
    ring->previous = link;
}
#endif
