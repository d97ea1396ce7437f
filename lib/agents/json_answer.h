/* Finds an agent's answer, one JSON object, in what it wrote to stdout.
 *
 * WFA_ANSWER_JSON: the whole of stdout is the object, with nothing but blanks around it.
 *
 * WFA_ANSWER_LAST_BLOCK: for programs that talk. The answer is the last JSON object in the
 * text, whether in a Markdown fence or not; other text may stand before, between and
 * behind. Objects inside an object do not count. A brace that does not begin an object
 * ("{see above}") is prose, but one that does and is then broken, cut off or has a key
 * twice is an error when no good object follows: taking an earlier draft, or a part of the
 * broken answer, would be worse than asking again.
 *
 * The errors of both say what was found instead, and in which line. */
#ifndef WFA_JSON_ANSWER_H
#define WFA_JSON_ANSWER_H

#include <stddef.h>

#include "agent_error.h"

typedef enum wfa_answer_mode { WFA_ANSWER_JSON, WFA_ANSWER_LAST_BLOCK } wfa_answer_mode;

/* Objects and arrays in one another; deeper ones are refused. */
#define WFA_ANSWER_DEPTH 128

/* *answer points into `text`, at *answer_length bytes that are one valid JSON object
 * (UTF-8, no key twice, numbers that a program can hold). -1: there is none. */
int wfa_answer_find(const char *text, size_t length, wfa_answer_mode mode, const char **answer,
                    size_t *answer_length, wfa_error *error);
/* The same in a text of another name, for the messages. */
int wfa_answer_find_in(const char *name, const char *text, size_t length, wfa_answer_mode mode,
                       const char **answer, size_t *answer_length, wfa_error *error);

#endif
