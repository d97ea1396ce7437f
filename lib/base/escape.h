/* base/escape.h: characters that must not be shown as they are (wfsm_text_escape()). */
#ifndef WF_BASE_ESCAPE_H
#define WF_BASE_ESCAPE_H

#include <stdbool.h>
#include <stddef.h>
#include "base/private.h"

/* The bytes of the character at `text`, of which `left` > 0 bytes are left; 1 for a byte that is no
 * UTF-8. *code is its code point, U+FFFD for such a byte. */
WF_PRIVATE_API size_t wf_escape_read(const char *text, size_t left, unsigned *code);
/* Whether it acts on a terminal, or changes the order or the lines of the text around it: C0, DEL, C1,
 * bidi controls, line and paragraph separators, U+FFFD. */
WF_PRIVATE_API bool wf_escape_needed(unsigned code);

#endif
