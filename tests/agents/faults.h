/* Calls of the system and of the allocator that fail, or the process that dies at one of them.
 *
 * The calls that the parts of agentd and of libwfsm-agents make themselves are counted, `new`
 * of C++ included (not what the C library or jansson make inside). Linked with --wrap. */
#ifndef TESTS_AGENTS_FAULTS_H
#define TESTS_AGENTS_FAULTS_H

typedef enum fault {
    FAULT_NONE,  /* count only */
    FAULT_ERROR, /* this one fails: EIO, or out of memory */
    FAULT_FULL,  /* from this one on the disk is full: ENOSPC for what needs room; a write is
                    short before it fails. Renames and folders' fsync still work */
    FAULT_BROKEN, /* from this one on all fail */
    FAULT_DEATH,  /* the process is killed, by SIGKILL */
    FAULT_CHILD,  /* this one of a forked child's own fails: EIO */
    FAULT_SIGNAL  /* a signal interrupts this one (EINTR), if it is one that waits */
} fault;

/* The `at`-th call from now on, counted from 1. */
void faults_arm(fault kind, long at);
/* How many calls there were since; nothing fails from now on. */
long faults_disarm(void);

#endif
