/* logic/json_build.h: the second half of parsing. json_scan.c has looked at the text
 * before. */
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
 * The value of a text in which wf_json_scan_text() found no fault. What is left to
 * fail: a key that is there twice (SYNTAX), numbers that are too large (SEMANTIC), a
 * string or container that is (LIMIT), NO_MEMORY.
 */
int32_t wf_json_build(const wf_json_reader *in, wf_value *value);
#endif
