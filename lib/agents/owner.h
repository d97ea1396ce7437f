/* The name under which a process owns the instances that it runs: "HOST/PID:START:BOOT". Anybody
 * on the same host can tell from it whether that process is still there. */
#ifndef HK_OWNER_H
#define HK_OWNER_H

#include <wfsm/store.h>

enum { HK_OWNER_SIZE = 256 };

/* This process's name. */
void hk_owner_name(char name[HK_OWNER_SIZE]);

typedef enum hk_owner_state {
    HK_OWNER_NOBODY,
    HK_OWNER_ALIVE,
    HK_OWNER_DEAD, /* of this host, and its process has gone */
    HK_OWNER_ELSEWHERE /* of another host: only its lapse can tell */
} hk_owner_state;

hk_owner_state hk_owner_look(const char *name);
/* For people: "process 42 of HOST". */
void hk_owner_describe(const char *name, char text[HK_OWNER_SIZE + 16]);

/* Whoever owns this instance, for people; "somebody else" when that cannot be read. */
void hk_owner_of(wfsm_store *store, const char *id, char text[HK_OWNER_SIZE + 16]);

/* A process that was killed cannot give up what it owned: if that is so of the owner of this
 * instance, the store is told, and it need not lapse first. */
void hk_owner_bury(wfsm_store *store, const char *id);

#endif
