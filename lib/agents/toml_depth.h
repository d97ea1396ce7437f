/* How deep the tables and values of a TOML text go, found before it is parsed. */
#ifndef WFA_TOML_DEPTH_H
#define WFA_TOML_DEPTH_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The most parts of a key ("a.b.c" has three), and the most brackets in one another. */
enum { WFA_TOML_DEPTH = 32 };

typedef struct wfa_toml_place {
    unsigned line, column; /* from 1 */
} wfa_toml_place;

/* Whether anything in the text goes deeper than WFA_TOML_DEPTH, and where. A parser that recurses
 * over such a text, or frees what it has read, may use up the stack. */
int wfa_toml_is_too_deep(const char *text, size_t length, wfa_toml_place *place);

#ifdef __cplusplus
}
#endif

#endif
