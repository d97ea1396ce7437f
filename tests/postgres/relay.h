/* A relay between a store and its server, which can lose answers and delay questions. */
#ifndef TESTS_POSTGRES_RELAY_H
#define TESTS_POSTGRES_RELAY_H

/* Connections are counted from 1. 0: none. */
typedef struct relay {
    volatile int count;  /* connections so far */
    volatile int ended;  /* connections whose server has ended, too */
    volatile int
        hold;   /* what this one asks is kept back until this changes, also if it is closed */
    volatile int mute;   /* what this one is answered is thrown away, and then it is closed */
    volatile int seen;   /* bytes of questions that are kept back */
} relay;

/* After server_start(). */
relay *relay_start(void);
const char *relay_address(void);
/* Waits until so many connections have ended. */
void relay_await_end(const relay *self, int ended);
void relay_stop(void);
#endif
