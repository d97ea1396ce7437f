/* base/utf8.h */
#ifndef WF_BASE_UTF8_H
#define WF_BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include "base/private.h"

/* True if this is well-formed UTF-8: no surrogates, no overlong forms. */
bool wf_utf8_valid(const char *text, size_t length);
/* Code points of valid UTF-8. */
WF_PRIVATE_API size_t wf_utf8_count(const char *text, size_t length);
/* Byte offset of the index-th code point, or length if there are fewer. */
WF_PRIVATE_API size_t wf_utf8_offset(const char *text, size_t length, size_t index);
/* Whether a code point begins at this byte of valid UTF-8, or the text ends there. */
static inline bool wf_utf8_begins(const char *at)
{
    return ((unsigned char)*at & 0xC0) != 0x80;
}
/* An id or name as the ABI wants it: 1 to 255 bytes of valid UTF-8. */
bool wf_id_valid(const char *id);
#endif
