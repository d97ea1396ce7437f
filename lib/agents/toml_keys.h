/* Dotted keys of a TOML text. */
#ifndef WFA_TOML_KEYS_H
#define WFA_TOML_KEYS_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { WFA_KEY_PARTS = 16 };

/* Where a key has more than WFA_KEY_PARTS parts: *line and *column, from 1. Else 0. The text need
 * not be TOML. */
int wfa_toml_long_key(const char *text, size_t length, size_t *line, size_t *column);

#ifdef __cplusplus
}
#endif

#endif
