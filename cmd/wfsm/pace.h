/* pace.h: when a command that follows a store looks at it again: half a second later, and later if a look takes
 * long. A file is not read again before it was written. */
#ifndef WFSM_PACE_H
#define WFSM_PACE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

/* The state of a file and of its write-ahead log; all zero for a file that does not exist. */
typedef struct pace_files {
    struct stat data, log;
} pace_files;

typedef struct pace {
    const char *path; /* of the store */
    pace_files seen; /* before the look */
    int64_t began,
        began_ms; /* of the look: the time of files in seconds, and a clock that only runs forward */
} pace;

/* Before the look; `path` is set. False after saying that the file is gone, or is another one. */
bool pace_begin(pace *self);
/* After the look: waits until the next one is due. False as above. */
bool pace_wait(const pace *self);
#endif
