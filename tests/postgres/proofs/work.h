/* Agents that are at work for a while, in one process of a proof. They write down from when to when (recorder.h). */
#ifndef TESTS_POSTGRES_PROOFS_WORK_H
#define TESTS_POSTGRES_PROOFS_WORK_H

#include <stdbool.h>
#include <stdint.h>

extern long work_ms; /* how long each works; 0: none does */
extern long
    work_longer_ms; /* so long each continues after it was told to stop, a fault on purpose */
extern const char *work_session;

/* Microseconds, on a clock that all processes share. */
int64_t work_time(void);
/* False: agents do not work for a while. */
bool work_begin(const char *invocation, int attempt);
/* True: its work is over now, or was not begun here. */
bool work_is_over(const char *invocation, int attempt);
void work_cancel(const char *invocation, int attempt);
void work_cancel_all(void);
/* Waits for the stubborn ones. */
void work_finish(void);
#endif
