/* What stands in a change's folder, beside what the store knows of it. */
#ifndef AGENTD_FACTS_H
#define AGENTD_FACTS_H

#include "change.h"
#include "place.h"

/* A report as a person may have left it. */
typedef struct report_facts {
    const char *file; /* "CHALLENGE.md" */
    int there;
    int edited;       /* nobody here wrote it so */
    verdict verdict;  /* VERDICT_NONE when there is none, or it cannot be understood */
    host_error why;     /* "" or why it cannot */
} report_facts;

typedef struct facts {
    json_t *now;     /* digests of everything that is there, by path */
    json_t *current; /* of these, what is challenged */
    json_t *changed; /* of these, what differs from what was challenged last */
    int proposal;    /* proposal.md is there */
    report_facts challenge, review;
} facts;

/* `known` may be NULL: nothing is known. Must be cleared after failure, too. */
int facts_read(facts *read, const place *at, const char *id, const change *known,
               host_error *error);
void facts_clear(facts *read);

/* Who is at the keyboard; borrowed. */
const char *facts_person(void);

#endif
