/* Stores that are wrong in one way each: a memory store behind switches. */
#ifndef TESTS_TESTKIT_MUTANTS_H
#define TESTS_TESTKIT_MUTANTS_H

#include <stdbool.h>
#include <wfsm/testkit.h>

enum mutant {
    RIGHT,                 /* not wrong: the wrapper itself passes */
    FORGETS_OWNER_CHECK,   /* commits under any owner */
    FORGETS_REVISION,      /* commits at any revision */
    SAYS_OK_WHEN_REFUSED,  /* answers OK to what it refused */
    WRITES_AND_REFUSES,    /* answers CONFLICT to what it wrote */
    LOSES_BATCH_RULE,      /* what follows a refusal is tried all the same */
    LOSES_REST_OF_BATCH,   /* only the first of a batch is written, all are answered OK */
    REFUSES_WHOLE_BATCH,   /* one refusal refuses everybody */
    MIXES_UP_INSTANCES,    /* records of another instance with a name of the same length */
    FORGETS_EVENT_IDS,     /* does not keep them */
    EVENT_IDS_OF_ALL,      /* an event id counts for all instances */
    NEVER_SEEN,            /* has seen no event id */
    FORGETS_TOKEN,         /* keeps another token */
    CUTS_RECORDS,          /* loses the last byte of long texts */
    FORGETS_SNAPSHOT,      /* does not keep snapshots */
    KEEPS_OLD_SNAPSHOT,    /* hands out the checkpoint's row for the latest */
    FORGETS_CHECKPOINTS,   /* does not keep them */
    FORGETS_INBOX,         /* a commit does not consume its post */
    POSTS_TWICE,           /* takes a post of a known id */
    POSTS_TO_NOBODY,       /* a post for an unknown instance is OK */
    MARK_GOES_BACK,        /* acknowledges whatever it is told, and forgets it */
    OWNS_ALWAYS,           /* nobody is ever denied */
    OWNS_NEVER,            /* a lapsed owner keeps what it has */
    DISOWNS_FOR_OTHERS,    /* anybody gives up what anybody has */
    DISOWNS_NEVER,         /* nothing is given up */
    DISOWNS_ONCE,          /* what is nobody's cannot be given up again */
    FORGETS_LAPSE,         /* a sign of life is not kept */
    KEEPS_REMOVED,         /* removes nothing */
    LISTS_ALL,             /* no filter but the page */
    LISTS_EARLY,           /* what is due one millisecond later is listed */
    FORGETS_LIMIT,         /* pages have no end */
    FORGETS_AFTER,         /* pages have no beginning */
    FORGETS_PREFIX,        /* projects are one */
    READS_ON,              /* a sink's answer is not heard */
    STATUS_STAYS,          /* the head does not learn the status */
    ONE_FOR_ALL,           /* store 1 is store 0 */
    FORGETS_ON_CLOSING,    /* what it had is gone when it is opened again */
    CUTS_NOTHING,          /* says that a journal was cut */
    CUTS_ONE_MORE,         /* and the record of the anchor with it */
    CUTS_ANYWHERE,         /* where nothing can be cut that is OK, too */
    CUTS_ANOTHER,          /* cuts the journal of another instance */
    FORGETS_ANCHOR,        /* does not keep the state to begin from */
    CUTS_ANCHOR,           /* loses its last byte */
    REMEMBERS_CUT_EVENTS,  /* has seen what was dropped */
    FORGETS_POSTS_ON_CUT,  /* what waits goes with the records */
    MUTANTS
};

extern const char *const mutant_names[MUTANTS];

/* Options of a durable store of this kind, for wfsm_testkit_store(). */
wfsm_testkit_store_options mutant_options(enum mutant mutant);
#endif
