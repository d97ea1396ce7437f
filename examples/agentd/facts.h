/* Compares a change's folder with what the store knows about it. */
#ifndef AGENTD_FACTS_H
#define AGENTD_FACTS_H

#include "change.h"
#include "place.h"

/* A report, which a person may have edited. */
typedef struct report_facts {
    const char *file; /* "CHALLENGE.md" */
    int there;
    int edited;       /* it is not as agentd wrote it */
    verdict verdict;  /* VERDICT_NONE if there is none, or it has an unknown form */
    host_error why;     /* "" or why it has an unknown form */
} report_facts;

typedef struct facts {
    json_t *now;     /* digests of all files that exist, by path */
    json_t *current; /* of these, those that are challenged */
    json_t *changed; /* of these, those that differ from what was challenged last */
    int proposal;    /* proposal.md exists */
    report_facts challenge, review;
} facts;

/* `known` may be NULL: nothing is known. Must be cleared after a failure, too. */
int facts_read(facts *read, const place *at, const char *id, const change *known,
               host_error *error);
void facts_clear(facts *read);

/* The name of the user; borrowed. */
const char *facts_person(void);

#endif
