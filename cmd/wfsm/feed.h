/* feed.h: what a command that follows a store reads: first all instances, and then those that were committed
 * since. A store that cannot tell is read as a whole each time. */
#ifndef WFSM_FEED_H
#define WFSM_FEED_H

#include <stdbool.h>
#include <wfsm/wfsm.h>

typedef struct feed {
    wfsm_since at; /* all zero at first */
    bool whole; /* after a look: the rows were all instances */
} feed;

/* The heads, by id. One may come although nothing was committed. After a failure it begins again; so does who
 * sets it to zero. */
int32_t feed_look(feed *self, wfsm_store *store, wfsm_row_sink sink, void *user,
                  wfsm_error *error);
#endif
