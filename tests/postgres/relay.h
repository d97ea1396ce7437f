/* A relay between a store and its server, which can lose answers and delay questions. */
#ifndef TESTS_POSTGRES_RELAY_H
#define TESTS_POSTGRES_RELAY_H

/* Connections are counted from 1. 0: none. */
enum { RELAY_MOST = 100000 };
typedef struct relay {
    volatile int count;  /* connections so far */
    volatile int
        hold; /* what this one asks is kept back until this changes, and then it is closed */
    volatile int pass; /* bytes of it that are not kept back */
    volatile int mute; /* what this one is answered is thrown away, and then it is closed */
    volatile int seen; /* bytes of questions that are kept back */
    volatile char ended[RELAY_MOST]; /* 1: the server has ended the connection, too */
} relay;

/* After server_start(). */
relay *relay_start(void);
const char *relay_address(void);
/* Waits until the server has ended the connection of this number. */
void relay_await_end(const relay *self, int number);
void relay_stop(void);
#endif
