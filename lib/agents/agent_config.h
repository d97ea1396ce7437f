/* What an agent is, checked and with defaults filled in. It is made of the options of a public
 * call (process_config.c, http_config.c); agents_toml.c fills such options from a file. */
#ifndef WFA_AGENT_CONFIG_H
#define WFA_AGENT_CONFIG_H

#include <wfsm/agents.h>

#include "agent_error.h"
#include "coding.h"
#include "json_answer.h"

typedef enum wfa_agent_stdin {
    WFA_STDIN_JSON,
    WFA_STDIN_PROMPT,
    WFA_STDIN_NONE
} wfa_agent_stdin;

typedef enum wfa_agent_type {
    WFA_AGENT_PROCESS,
    WFA_AGENT_HTTP,
    WFA_AGENT_COMMANDS
} wfa_agent_type;

typedef struct wfa_http_config wfa_http_config;

typedef struct wfa_exit_class {
    int code;
    const char *failure_class; /* static */
} wfa_exit_class;

typedef struct wfa_agent_config {
    const char *name; /* borrowed from the collection */
    wfa_agent_type type;
    wfa_http_config *http; /* of HTTP agents; NULL */
    const wfa_coding_kind *coding; /* of coding agents; NULL */
    int may_write;                 /* a coding agent that edits files */
    char *model;                   /* of a coding agent; NULL: its own choice */
    char **command;        /* ends with NULL; {prompt} is not filled yet */
    char *folder;          /* or NULL */
    char **env;            /* "NAME=value", ends with NULL */
    char **pass_env;       /* names of variables, ends with NULL; also of commands */
    char *prompt;          /* its text, not yet filled; or NULL */
    wfa_agent_stdin input;
    wfa_answer_mode answer;
    int64_t timeout_ms, grace_ms; /* a timeout of 0: none; a grace of 0: SIGKILL at once */
    size_t max_output, max_log;
    wfa_exit_class *exit_classes;
    size_t exit_class_count;
    int64_t rate, rate_ms; /* so many attempts in so many milliseconds; a rate of 0: any */
} wfa_agent_config;

/* An error in an option: the option's TOML key, and a sentence about the error. */
typedef struct wfa_option_error {
    const char *key; /* static */
    wfa_error why;
} wfa_option_error;

/* Sets it and returns -1. */
int wfa_option_fail(wfa_option_error *wrong, const char *key, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
int wfa_option_no_memory(wfa_option_error *wrong);

/* All zero before. After a failure, as after success, wfa_agent_config_clear() is due. */
int wfa_process_config_make(wfa_agent_config *config, const wfsm_process_options *options,
                            wfa_option_error *wrong);
int wfa_http_config_make(wfa_agent_config *config, const wfsm_http_options *options,
                         wfa_option_error *wrong);
void wfa_agent_config_clear(wfa_agent_config *config);

/* ---- values of options, for both ---- */

enum { WFA_MOST_MS = 24 * 60 * 60 * 1000, WFA_MOST_BYTES = 1 << 30 };

/* Copies a text; *to stays NULL for NULL. */
int wfa_option_text(const char *given, char **to, wfa_option_error *wrong);
/* Copies a list that ends with NULL, or is NULL, as one that ends with NULL. */
int wfa_option_list(const char *const *given, char ***to, wfa_option_error *wrong);
/* The same for names of variables. */
int wfa_option_names(const char *key, const char *const *given, char ***to,
                     wfa_option_error *wrong);
/* 0 takes the default, WFSM_NEVER is stored as 0. */
int wfa_option_ms(const char *key, int64_t given, int64_t standard, int64_t *to,
                  wfa_option_error *wrong);
/* 0 takes the default; at most `most`. */
int wfa_option_bytes(const char *key, uint64_t given, uint64_t standard, uint64_t most,
                     size_t *to, wfa_option_error *wrong);
int wfa_option_answer(int32_t given, wfa_answer_mode standard, wfa_answer_mode *to,
                      wfa_option_error *wrong);

/* The class as a static text; NULL if there is no such class. */
const char *wfa_failure_class(const char *name);
/* The failure class of an exit code: from exit_classes, else "exit". */
const char *wfa_agent_exit_class(const wfa_agent_config *config, int code);

#endif
