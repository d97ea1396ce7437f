/* A process that works in rounds, with the exchange on a thread of its own, and dies at a given
 * point. What it has done outside is in memory that it shares with the one who started it. */
#ifndef TESTS_CRASH_ROUND_HOST_H
#define TESTS_CRASH_ROUND_HOST_H

#include <stdbool.h>
#include <stdint.h>

/* Where it may die. */
enum point {
    POINT_NONE,
    POINT_PREPARE, /* before prepare */
    POINT_PREPARED, /* after it */
    POINT_EXCHANGE, /* the thread of the exchange begins */
    POINT_STATEMENT, /* before a statement of SQL of the exchange, BEGIN and COMMIT among them */
    POINT_WRITE, /* before a write to the file in the exchange */
    POINT_WRITTEN, /* after it */
    POINT_EXCHANGED, /* the exchange has returned, and finish was not called */
    POINT_QUEUED, /* the host has sent something while the exchange runs */
    POINT_JOINED, /* before finish */
    POINT_CALLED, /* finish has called the host, which has done nothing yet */
    POINT_ACTED, /* the host has done it, and finish does not know */
    POINT_FINISHED, /* after finish */
    POINT_SENT, /* after a round of one, or a post, before it counts as acknowledged */
    POINTS
};
const char *point_name(int point);

enum { INSTANCES_MOST = 8, NOTES = 600, KEY = 160, INPUTS = 100 };

typedef struct workload {
    const char *name;
    int instances, inputs; /* of all */
    bool answers_at_once; /* agent b; otherwise when it is polled */
    bool leaves; /* work is withdrawn now and then */
    bool early; /* over a store that answers OK before it writes */
} workload;

/* An attempt that was started. */
typedef struct started {
    char id[KEY];
    int32_t attempt;
    bool over; /* answered, or told to stop */
} started;

/* A record that the observer was told of. */
typedef struct observed {
    char instance[KEY];
    uint64_t revision, digest;
} observed;

typedef struct outside {
    int processes;
    int64_t now;
    started starts[NOTES];
    int start_count;
    char effects[NOTES][KEY]; /* each delivery */
    int effect_count;
    observed records[2 * NOTES];
    int record_count;
    bool acknowledged[INPUTS]; /* an event "n0", "n1", … that somebody was told is stored */
    bool ended; /* there is nothing left to do */
    char wrong[200]; /* the first that the process itself found wrong */
} outside;

uint64_t digest_of(const char *text);

/* Runs in a process of its own, on the file; never returns. Dies at the `at`-th time that it comes to
 * the point, or ends with code 0. */
void round_host(outside *world, const workload *work, const char *file, int point, int at);
#endif
