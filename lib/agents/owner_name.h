/* The name under which a process owns the instances that it runs: "HOST/PID:START:BOOT". Anybody
 * on the same host can tell from it whether that process is still there. */
#ifndef WFA_OWNER_NAME_H
#define WFA_OWNER_NAME_H

#include <wfsm/store.h>

enum { WFA_OWNER_SIZE = 256 };

/* This process's name. */
void wfa_owner_name(char name[WFA_OWNER_SIZE]);

typedef enum wfa_owner_state {
    WFA_OWNER_NOBODY,
    WFA_OWNER_ALIVE,
    WFA_OWNER_DEAD, /* of this host, and its process has gone */
    WFA_OWNER_ELSEWHERE /* of another host: only its lapse can tell */
} wfa_owner_state;

wfa_owner_state wfa_owner_look(const char *name);
/* For people: "process 42 of HOST". */
void wfa_owner_describe(const char *name, char text[WFA_OWNER_SIZE + 16]);

/* Whoever owns this instance, for people; "somebody else" when that cannot be read. */
void wfa_owner_of(wfsm_store *store, const char *id, char text[WFA_OWNER_SIZE + 16]);

/* A process that was killed cannot give up what it owned: if that is so of the owner of this
 * instance, the store is told, and it need not lapse first. */
void wfa_owner_bury(wfsm_store *store, const char *id);

#endif
