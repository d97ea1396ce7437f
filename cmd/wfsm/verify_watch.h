/* verify_watch.h: waits until a file is saved. */
#ifndef WFSM_VERIFY_WATCH_H
#define WFSM_VERIFY_WATCH_H

#include <stdbool.h>

typedef struct verify_watch verify_watch;

/* Saves count from here on. NULL after printing an error. `path` is borrowed. */
verify_watch *verify_watch_new(const char *path);
/* Until there is a save that no call has waited for. False after printing an error. */
bool verify_watch_wait(verify_watch *self);
void verify_watch_free(verify_watch *self);
#endif
