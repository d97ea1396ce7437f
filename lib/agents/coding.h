/* Coding agents: programs that edit and review code with a model of their own. A process agent of
 * such a kind knows the flags of its program, and what its output means.
 *
 * coding_claude.c, coding_codex.c and coding_gemini.c describe one program each, as tables and one
 * function that reads the output; coding_job.c makes the command, coding_failure.c the failure
 * class. The prompt is always on stdin. */
#ifndef WFA_CODING_H
#define WFA_CODING_H

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

#include "agent_error.h"

/* When a group of words belongs to the command. */
typedef enum wfa_flag_when {
    WFA_FLAG_ALWAYS,
    WFA_FLAG_READ, /* the agent only reads */
    WFA_FLAG_WRITE, /* it edits the files of its folder */
    WFA_FLAG_MODEL, /* a model is configured: {model} */
    WFA_FLAG_SCHEMA, /* the invocation has an output schema: {schema}, or the file {schema_file} */
    WFA_FLAG_SESSION /* an earlier attempt left a session: {session} */
} wfa_flag_when;

typedef struct wfa_flag {
    wfa_flag_when when;
    const char *words[5]; /* ends with NULL */
} wfa_flag;

/* What a program said, as far as it said it. Texts are malloc'ed or NULL. */
typedef struct wfa_coding_output {
    char *answer; /* its last words, or its structured output */
    int complete; /* it has finished; without that the answer is not meant to be one */
    char *session; /* to be continued by the next attempt */
    char *failure; /* why it failed, in its words */
    long status; /* of HTTP, behind the failure; 0: not told */
    int exits_with_status; /* its exit code is the HTTP status, as far as a byte holds that */
    int64_t input_tokens, output_tokens, micros;
} wfa_coding_output;

typedef struct wfa_coding_kind {
    const char *name; /* of the kind, and of the program */
    const char *const *pass_env; /* the variables that it is configured by; ends with NULL */
    const wfa_flag *flags; /* in the order of the command; ends with no words */
    int strict_schema; /* takes only schemas that name every member */
    int auth_code; /* the exit code of "not logged in"; 0: none */
    /* What a line of its stderr has when a tool was refused; ends with NULL. NULL: it is in the output */
    const char *const *denied;
    /* Reads what it wrote, which may be cut off, into an output that is all zero. */
    void (*read)(wfa_coding_output *output, const char *text, size_t length);
} wfa_coding_kind;

extern const wfa_coding_kind wfa_coding_claude, wfa_coding_codex, wfa_coding_gemini;

/* NULL: there is no such kind. */
const wfa_coding_kind *wfa_coding_kind_named(const char *name);

/* Does this schema name and require every member of every object, and allow no others? */
int wfa_schema_is_strict(const json_t *schema);

/* ---- for the readers ---- */

/* Replaces the text by a copy of a JSON string; anything else changes nothing. */
void wfa_coding_keep(char **text, const json_t *found);
/* The same with the text of any JSON value. */
void wfa_coding_keep_json(char **text, const json_t *found);
/* A count from 0 to 2^53, else 0. */
int64_t wfa_coding_count(const json_t *object, const char *key);
/* Reads an event from each line that begins as an object; NULL: the rest of it is lost. */
void wfa_coding_each_line(void *self, const char *text, size_t length,
                          void (*read)(void *self, const json_t *event));
void wfa_coding_drop(char **text);
void wfa_coding_output_clear(wfa_coding_output *output);

/* ---- failures ---- */

/* A failure: its class for the document's `retry`, and the word that begins its message. */
typedef struct wfa_coding_failure {
    const char *failure_class; /* static */
    const char *word; /* static: "quota", "auth", "context", "permission", "network" or "" */
    int64_t retry_after; /* ms; -1: not told */
} wfa_coding_failure;

/* What failed, from the words of the program, its HTTP status (0: not told) and whether its exit
 * code means "not logged in". The class is NULL if nothing is known. */
wfa_coding_failure wfa_coding_failure_of(const char *words, long status, int is_auth_code);

#endif
