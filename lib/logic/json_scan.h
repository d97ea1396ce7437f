/*
 * logic/json_scan.h: walking JSON text without building anything, to tell where something is
 * and what is wrong with it.
 */
#ifndef WF_LOGIC_JSON_SCAN_H
#define WF_LOGIC_JSON_SCAN_H

#include "logic/json.h"

/* One level of containers around a place. */
typedef struct wf_json_frame {
    bool object;
    size_t index; /* of the element, from 0 */
    size_t key;   /* where the member's key begins, at its quote */
} wf_json_frame;

typedef struct wf_json_scan {
    const char *text;
    size_t length;
    size_t at;            /* where it stopped */
    const char *expected; /* there, when something is wrong; else NULL */
    bool too_deep;
    size_t depth;
    wf_json_frame frames[WF_MAX_DEPTH];
} wf_json_scan;

/* Reads to the offset `until` (SIZE_MAX: all of it) or the first fault. */
void wf_json_scan_text(wf_json_scan *scan, const char *text, size_t length, size_t until);
/* The pointer of where it stopped. */
void wf_json_scan_pointer(const wf_json_scan *scan, char *out, size_t size);

/* The next character of a JSON string, `*at` on it: up to 4 bytes of UTF-8. Returns how many,
 * 0 at the closing quote, -1 at a fault. Advances *at unless it is 0 or -1. */
int wf_json_character(const char *text, size_t length, size_t *at, char out[4]);

/*
 * The JSON string whose characters begin at `begin` and are plain up to *at, ended in its own
 * place: what is escaped is never longer than its escape. *at goes behind the closing quote;
 * NULL at a fault.
 */
char *wf_json_unescape(char *text, size_t size, size_t begin, size_t *at, size_t *length);

/* Line and column (bytes) of an offset, from 1. */
void wf_json_position(const char *text, size_t length, size_t offset, int32_t *line,
                      int32_t *column);
/* The same; counts on from where it was before, unless that is behind the offset. */
void wf_json_position_next(wf_json_lines *lines, const char *text, size_t length, size_t offset,
                           int32_t *line, int32_t *column);
#endif
