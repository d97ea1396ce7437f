/* Looks for runs that violate something. A run that has seen what none saw before is kept, and later
 * ones begin as it does, with other values or with more steps; where a number decides what is
 * seen, the two neighbours between which it does are found by bisection. */
#ifndef TESTS_OPINION_SEARCH_H
#define TESTS_OPINION_SEARCH_H

#include "opinion/run.h"

enum { KEPT_MOST = 64, SEEN_MOST = 4096 };

typedef struct search {
    player *run;
    chance random;
    long left; /* runs */
    long runs;
    long quiet; /* the last runs that saw nothing new */
    json_t *kept[KEPT_MOST]; /* scripts */
    size_t kept_count;
    uint64_t seen[SEEN_MOST];
    size_t seen_count;
    json_t
        *found[PROPERTIES_MOST]; /* the shortest script that violates each, as it was played */
} search;

void search_open(search *self, player *run, uint64_t seed, long runs);
void search_on(search *self);
/* Plays a script whose first step is the start. False if it does not begin. */
bool search_play(search *self, const json_t *script);
void search_close(search *self);

#endif
