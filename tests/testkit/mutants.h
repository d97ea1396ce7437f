/* Stores with one fault each: a memory store behind switches. */
#ifndef TESTS_TESTKIT_MUTANTS_H
#define TESTS_TESTKIT_MUTANTS_H

#include <stdbool.h>
#include <wfsm/testkit.h>

enum mutant {
    RIGHT,                 /* not wrong: the wrapper itself passes */
    FORGETS_OWNER_CHECK,   /* commits under any owner */
    FORGETS_REVISION,      /* commits at any revision */
    FORGETS_PREVIOUS,      /* adds to another history */
    SAYS_OK_WHEN_REFUSED,  /* answers OK to a commit that it refused */
    WRITES_AND_REFUSES,    /* answers CONFLICT to a commit that it wrote */
    BREAKS_CHAINS,         /* stores a part of a chain */
    LOSES_REST_OF_BATCH,   /* only the first chain is written, all are answered OK */
    REFUSES_WHOLE_BATCH,   /* one refused commit refuses all that follow */
    MIXES_UP_INSTANCES,    /* records of another instance with a name of the same length */
    FORGETS_EVENT_IDS,     /* does not keep them */
    EVENT_IDS_OF_ALL,      /* an event id counts for all instances */
    NEVER_SEEN,            /* has seen no event id */
    FORGETS_TOKEN,         /* keeps another token */
    CUTS_RECORDS,          /* loses the last byte of long texts */
    FORGETS_SNAPSHOT,      /* does not keep snapshots */
    KEEPS_OLD_SNAPSHOT,    /* returns the checkpoint's row as the latest snapshot */
    FORGETS_CHECKPOINTS,   /* does not keep them */
    FORGETS_INBOX,         /* a commit does not consume its post */
    POSTS_TWICE,           /* takes a post of a known id */
    POSTS_TO_NOBODY,       /* a post for an unknown instance is OK */
    MARK_GOES_BACK,        /* answers OK to every acknowledgement, and forgets it */
    OWNS_ALWAYS,           /* denies nobody */
    OWNS_NEVER,            /* a lapsed owner keeps its instances */
    DISOWNS_FOR_OTHERS,    /* lets anybody give up any instance */
    DISOWNS_NEVER,         /* giving up does nothing */
    DISOWNS_ONCE,          /* refuses to give up an instance without owner */
    STAYS_AT_THE_END,      /* a commit gives nothing up */
    LEAVES_POSTS,          /* it does although posts wait */
    CLAIMS_ANYTHING,       /* lets two processes have one session */
    FORGETS_LAPSE,         /* does not keep heartbeats */
    KEEPS_REMOVED,         /* removes nothing */
    LISTS_ALL,             /* no filter but the page */
    LISTS_EARLY,           /* lists what is due one millisecond later */
    FORGETS_LIMIT,         /* pages have no end */
    FORGETS_AFTER,         /* pages have no beginning */
    FORGETS_PREFIX,        /* projects are one */
    FORGETS_WHERE,         /* every instance meets every condition */
    FORGETS_ATTRIBUTES,    /* does not keep them */
    READS_ON,              /* ignores the answer of a sink */
    STATUS_STAYS,          /* does not update the status in the head */
    ONE_FOR_ALL,           /* store 1 is store 0 */
    FORGETS_ON_CLOSING,    /* is empty when it is opened again */
    CUTS_NOTHING,          /* says that a journal was cut */
    CUTS_ONE_MORE,         /* cuts the record of the anchor, too */
    CUTS_ANYWHERE,         /* answers OK where nothing can be cut */
    CUTS_ANOTHER,          /* cuts the journal of another instance */
    FORGETS_ANCHOR,        /* does not keep the state to begin from */
    CUTS_ANCHOR,           /* loses its last byte */
    REMEMBERS_CUT_EVENTS,  /* reports dropped event ids as seen */
    FORGETS_POSTS_ON_CUT,  /* drops waiting posts with the records */
    TELLS_OF_OTHERS, /* posts of another session */
    TELLS_OF_OLD, /* posts for nobody */
    NEVER_CHANGES,
    CHANGES_ALWAYS, /* with every call */
    VIEWS_NOTHING,         /* its view shows no moment */
    FORGETS_THE_GONE,      /* all owners are alive */
    ALL_ARE_GONE,          /* no owner is */
    NAMES_NOTHING,         /* its refusals do not say what they are about */
    GRANTS_ALL,            /* as many permits as are wanted */
    PERMITS_STAY,          /* sessions that are gone keep theirs */
    COUNTS_ON_PERMITS,     /* a session that has lapsed may, too */
    TELLS_NO_WAITING,      /* nobody learns that others wait */
    TOKENS_FOR_ALL,        /* as many tokens as are wanted, at once */
    TOKENS_ARE_LOST,       /* none come back */
    /* The others carry out a whole exchange. */
    WRITES_WITHOUT_LEASE,  /* although the lease is refused */
    DROPS_POSTS,           /* answers OK, and keeps none */
    LOADS_NOTHING,         /* answers OK, and returns no row */
    KEEPS_WHAT_IS_GIVEN_UP, /* an acknowledgement gives nothing up */
    MUTANTS
};

extern const char *const mutant_names[MUTANTS];

/* Options of a durable store of this kind, for wfsm_testkit_store(). */
wfsm_testkit_store_options mutant_options(enum mutant mutant);
#endif
