/* The key of an HTTP service. It is read from the environment or a file, and is in memory
 * only; whatever a server says is searched for it before anybody sees it. */
#ifndef WFA_KEY_H
#define WFA_KEY_H

#include <stddef.h>

#include "agent_error.h"

/* A shorter one is no secret ("none", "EMPTY"), and too likely to stand in a text by
 * chance: it is not looked for. */
#define WFA_KEY_SECRET 8

typedef struct wfa_key {
    char *text; /* printable ASCII without blanks; NULL for none */
} wfa_key;

/* From the environment variable or the file (blanks around it do not count); at most one of
 * both is given, and without any there is no key. Errors name where it was looked for, and
 * never what was found. */
int wfa_key_read(wfa_key *key, const char *variable, const char *file, wfa_error *error);
/* Overwrites it, then frees. */
void wfa_key_clear(wfa_key *key);

/* Overwrites every part of the text that is a part of the key, of WFA_KEY_SECRET bytes or
 * more, with '*'. */
void wfa_key_hide(const wfa_key *key, char *text);
/* True if these bytes contain the whole key. */
int wfa_key_is_in(const wfa_key *key, const char *bytes, size_t length);

#endif
