#include "wfsm/feed.h"

/* The place is taken before the instances are listed. So a commit that comes in between is told twice, and none is
 * left out. */
int32_t feed_look(feed *self, wfsm_store *store, wfsm_row_sink sink, void *user,
                  wfsm_error *error)
{
    const wfsm_query all = {.size = sizeof all};
    bool begins = *self->at.place == '\0';
    self->at.size = sizeof self->at;
    int32_t status = wfsm_store_since(store, &self->at, sink, user, error);
    self->whole = begins || status == WFSM_DENIED || self->at.lost;
    if (self->whole && (status == WFSM_OK || status == WFSM_DENIED))
        status = wfsm_store_list(store, &all, sink, user, error);
    if (status != WFSM_OK)
        *self = (feed){0};
    return status;
}
