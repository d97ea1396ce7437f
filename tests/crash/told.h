/*
 * What a host was told to be done, line by line, and a check that a store has all of it:
 *
 *   commit INSTANCE REVISION DIGEST   an observer was told of this record
 *   event INSTANCE 0 ID               a send of this event was answered OK
 *   post INSTANCE 0 ID                a post was answered OK
 *   effect INSTANCE REVISION ORDINAL  an effect was delivered
 *
 * Lines are text so that a program can leave them in a file and be killed.
 */
#ifndef TESTS_CRASH_TOLD_H
#define TESTS_CRASH_TOLD_H

#include <wfsm/wfsm.h>
#include <stdbool.h>
#include <stdio.h>

typedef struct told {
    char *text;
    size_t length, room;
} told;

enum { TOLD_LINE = 160 };

/* "commit …" of an observer's call, "effect …" of a delivery, "WORD INSTANCE 0 ID". */
void told_commit_line(char line[TOLD_LINE], wfsm_call *call);
void told_effect_line(char line[TOLD_LINE], wfsm_call *call);
void told_id_line(char line[TOLD_LINE], const char *word, const char *instance, const char *id);
void told_add(told *self, const char *line);
void told_clear(told *self);

/* What was counted. Only `violations` decides. */
typedef struct tally {
    long breaks;                 /* cuts, faults or kills */
    long checks;                 /* stores that were compared with what was told */
    long commits;                /* acknowledged commits that were looked for */
    long events, posts, effects; /* other lines that were looked for */
    long timers;                 /* records of timers in stores that were finished */
    long diagnostics;                  /* of the audit; violations, too */
    long lost;                   /* acknowledged, and not there; violations, too */
    long violations;
    bool quiet;        /* they are expected: nothing is printed */
    const char *where; /* for messages */
} tally;

void tally_violation(tally *counts, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/*
 * Holds a store against what was told: every acknowledged commit is there as it was
 * told; at most `in_flight` others; every event and post is there once; every effect
 * belongs to a record; the audit finds nothing. What was in flight and is there counts
 * as told from now on.
 */
void told_check(told *self, wfsm_store *store, size_t in_flight, tally *counts);
/* And at the end: every effect was delivered, each instance fired `timers` timers, and
 * the inbox is empty. */
void told_check_end(const told *self, wfsm_store *store, size_t timers, tally *counts);
#endif
