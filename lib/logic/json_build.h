/* logic/json_build.h: the first half of parsing: the text is taken for well-formed. What is
 * wrong with other text, json_scan.c says. */
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
#endif
