/* The key of an HTTP service. It is read from the environment or a file, and is in memory
 * only; whatever a server says is searched for it before anybody sees it. */
#ifndef HK_KEY_H
#define HK_KEY_H

#include <stddef.h>

#include "error.h"

/* A shorter one is no secret ("none", "EMPTY"), and too likely to stand in a text by
 * chance: it is not looked for. */
#define HK_KEY_SECRET 8

typedef struct hk_key {
    char *text; /* printable ASCII without blanks; NULL for none */
} hk_key;

/* From the environment variable or the file (blanks around it do not count); at most one of
 * both is given, and without any there is no key. Errors name where it was looked for, and
 * never what was found. */
int hk_key_read(hk_key *key, const char *variable, const char *file, hk_error *error);
/* Overwrites it, then frees. */
void hk_key_clear(hk_key *key);

/* Overwrites every part of the text that is a part of the key, of HK_KEY_SECRET bytes or
 * more, with '*'. */
void hk_key_hide(const hk_key *key, char *text);
/* Does the whole key stand in these bytes? */
int hk_key_is_in(const hk_key *key, const char *bytes, size_t length);

#endif
