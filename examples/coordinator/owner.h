/* The name under which a process owns the tasks that it runs: "HOST/PID:START:BOOT". Anybody
 * on the same host can tell from it whether that process is still there. */
#ifndef OWNER_H
#define OWNER_H

#include <wfsm/store.h>

enum { OWNER_SIZE = 256 };

/* This process's name. */
void owner_name(char name[OWNER_SIZE]);

typedef enum owner_state {
    OWNER_NOBODY,
    OWNER_ALIVE,
    OWNER_DEAD,    /* of this host, and its process has gone */
    OWNER_ELSEWHERE /* of another host: only its lapse can tell */
} owner_state;

owner_state owner_look(const char *name);
/* For people: "process 42 of HOST". */
void owner_describe(const char *name, char text[OWNER_SIZE + 16]);

#endif
