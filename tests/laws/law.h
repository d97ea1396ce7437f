/* Shared by all laws: reporting violations, and counts. */
#ifndef TESTS_LAWS_LAW_H
#define TESTS_LAWS_LAW_H

#include "world.h"

enum { INPUTS = 40 }; /* of a chart */

/* What is being checked, for the message of a law that does not hold. */
typedef struct checked {
    uint64_t seed;
    int index;
    const char *document, *input;
} checked;
extern checked at;

typedef struct counted {
    unsigned long charts, started, inputs, commits, dropped, forks, checks, compacted,
        revisions;
} counted;
extern counted counts;

void broken(const char *law, const char *left, const char *right);
void holds(bool yes, const char *law);
void same(const char *left, const char *right, const char *law);

/* One child of each active compound state, all of each parallel one, and no other state. */
void check_configuration(const wf_snapshot *snapshot);
/* Now and then a fork is made here, and continues by itself. */
void check_fork(world *self, uint64_t seed, int index);
/* Gives the input of that number, and holds every law of one input against it. */
void watch_input(world *self, uint64_t seed, int index);

/* Compacts the journal into an archive, continues, and does it again. */
void check_compaction(world *self, uint64_t seed);

/* Every revision that the journal has is what it was. */
void check_revisions(world *self);

/* Laws of whole runs, against one that was watched. */
void check_replay(world *self);
void check_split(const world *watched, uint64_t seed, const char *document);
void check_renaming(const world *watched, uint64_t seed);
#endif
