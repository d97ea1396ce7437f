/* A disk that fails: the n-th write or sync of the log or the database, once or for
 * good. */
#ifndef TESTS_SQLITE_FAULTS_H
#define TESTS_SQLITE_FAULTS_H

#include <stdbool.h>

typedef enum fault_kind {
    FAULT_WRITE_FAILS, /* nothing is written */
    FAULT_WRITE_HALF,  /* the first half is */
    FAULT_ANSWER_LOST, /* all is written, and an error comes back */
    FAULT_DISK_FULL,   /* nothing is written */
    FAULT_SYNC_FAILS,
    FAULT_KINDS
} fault_kind;

/* Makes the failing disk SQLite's default; before the first store is opened. */
void faults_install(void);
/* From now on the n-th call of that kind fails; for good, or only once. */
void faults_arm(fault_kind kind, int n, bool for_good);
/* Counts from zero; then what the log and the database got since. */
void faults_count(void);
int faults_writes(void);
int faults_syncs(void);
/* Heals; tells whether anything failed. */
bool faults_disarm(void);
#endif
