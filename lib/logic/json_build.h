/* logic/json_build.h: JSON text to values, in one pass; what is wrong with other text, a second
 * look at it says (json_scan.c). */
#ifndef WF_LOGIC_JSON_BUILD_H
#define WF_LOGIC_JSON_BUILD_H

#include "logic/json_scan.h"

typedef struct wf_json_reader {
    wf_arena *arena;
    const char *text;
    size_t length;
    wfsm_error *error;
} wf_json_reader;

/*
 * The value of a text in which wf_json_scan_text() finds no fault; else SYNTAX, and the error
 * does not tell what it is. What may also be wrong: a key that is there twice (SYNTAX), numbers
 * that are too large (SEMANTIC), a string or container that is (LIMIT), NO_MEMORY.
 */
int32_t wf_json_build(const wf_json_reader *in, wf_value *value);

/* json_keys.c: the first member whose key an earlier one has, or NULL. NO_MEMORY. */
int32_t wf_json_repeated(const wf_json_reader *in, const wf_member *members, size_t count,
                         const wf_member **found);
#endif
