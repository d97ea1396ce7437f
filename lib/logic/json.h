/* logic/json.h: text to values and back. */
#ifndef WF_LOGIC_JSON_H
#define WF_LOGIC_JSON_H

#include "base/buffer.h"
#include "base/error.h"
#include "logic/value.h"
#include "base/private.h"

/*
 * Parses one JSON text of any type into the arena. Fails with SYNTAX (line, column, what was
 * wrong: no UTF-8, duplicate key, \u0000, trailing text), LIMIT (deeper than WF_MAX_DEPTH),
 * SEMANTIC (an integer beyond 2^53 or a number that is not finite: named with its pointer),
 * NO_MEMORY.
 */
WF_PRIVATE_API int32_t wf_json_parse(wf_arena *arena, const char *text, size_t length,
                                     wf_value *value, wfsm_error *error);

/* Appends JSON without insignificant space. ABSENT is written as null. */
WF_PRIVATE_API void wf_json_write(wf_buffer *buffer, const wf_value *value);
/* It appends at most so many bytes. *work grows by what it costs to write the numbers, in steps of a
 * rule. */
size_t wf_json_bound(const wf_value *value, size_t *work);
/* It appends exactly so many bytes. The count stops when it is more than `most`. */
size_t wf_json_length(const wf_value *value, size_t most);
/* The same of wf_json_write_text(). */
size_t wf_json_text_length(const char *text, size_t length);
void wf_json_write_text(wf_buffer *buffer, const char *text, size_t length);
void wf_json_write_number(wf_buffer *buffer, double number);
void wf_json_write_int(wf_buffer *buffer, int64_t number);

enum { WF_NUMBER_BYTES = 40 };
/* As JavaScript's Number::toString; the shortest text that reads back the same. Returns the
 * length. Does not depend on the locale. */
WF_PRIVATE_API size_t wf_number_text(double number, char out[WF_NUMBER_BYTES]);
/* At most 20 characters and a NUL. Returns the length. */
size_t wf_integer_text(int64_t number, char *out);
/* What that costs, in steps of a rule. */
size_t wf_number_steps(double number);
/* Reads a decimal number (optional sign, digits, fraction, exponent) at the start of text;
 * returns how many bytes it took, 0 if there is none. Does not depend on the locale. */
size_t wf_number_parse(const char *text, size_t length, double *number);

/* Where in `text` (well-formed JSON) the value of a JSON pointer begins: line and column
 * from 1. False if it is not there. With `key` true: where its key begins instead. */
bool wf_json_locate(const char *text, size_t length, const char *pointer, bool key,
                    int32_t *line, int32_t *column);

/* The lines up to an offset. */
typedef struct wf_json_lines {
    size_t counted, lines, start; /* `start`: of the last one */
} wf_json_lines;

/* An object on the way to the last pointer. */
typedef struct wf_json_level {
    size_t after_open; /* the offset behind its {; 0: there is none */
    size_t key; /* of the member that was found in it */
} wf_json_level;

/* Finds many pointers in one text. It looks on from the one before, so that those that come in the order of the
 * text take one pass. */
enum { WF_JSON_FINDER_DEPTH = 16 };
typedef struct wf_json_finder {
    const char *text;
    size_t length; /* the caller sets both, and the rest to 0 */
    wf_json_level levels[WF_JSON_FINDER_DEPTH];
    wf_json_lines lines;
} wf_json_finder;
WF_PRIVATE_API bool wf_json_find(wf_json_finder *finder, const char *pointer, bool key,
                                 int32_t *line, int32_t *column);

static inline bool wf_json_space(char byte)
{
    return byte == ' ' || byte == '\n' || byte == '\t' || byte == '\r';
}
#endif
