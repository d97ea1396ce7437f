/* Reading agents from the table [agents] of a TOML file: each table fills the options of a
 * public call, and an error names the place of its key. */
#ifndef WFA_AGENTS_TOML_H
#define WFA_AGENTS_TOML_H

#include "agent_config.h"

/* The table of one agent, and what its options borrow. All zero but the first three. */
typedef struct wfa_toml_agent {
    wfsm_settings *settings;
    wfsm_table *table;
    wfsm_error *error; /* never NULL */
    char **owned;      /* texts to free */
    size_t owned_count;
} wfa_toml_agent;

/* Each returns 0, or -1 and sets the error. */

/* Fails at a key of the agent's table. */
int wfa_toml_fail(const wfa_toml_agent *at, const char *key, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
int wfa_toml_no_memory(const wfa_toml_agent *at);
/* Takes over a malloc'ed text; NULL and an error when it is NULL, or there is no memory. */
const char *wfa_toml_own(wfa_toml_agent *at, char *text);
/* A copy of the text, with {dir} filled in; NULL and an error when there is no memory. */
const char *wfa_toml_with_folder(wfa_toml_agent *at, const char *text);
/* A text with {dir} filled in; *value stays as it is when the key is missing. */
int wfa_toml_text(wfa_toml_agent *at, const char *key, const char **value);
/* The text of the file that the key names; *value stays as it is when the key is missing. */
int wfa_toml_file(wfa_toml_agent *at, const char *key, const char **value);
/* One of a few words, the last one NULL: *index is its number. */
int wfa_toml_choice(wfa_toml_agent *at, const char *key, const char *const *words,
                    int32_t *index);
/* A time limit from `least` to a day: 0 is stored as WFSM_NEVER, a missing key as 0. */
int wfa_toml_ms(wfa_toml_agent *at, const char *key, int64_t least, int64_t *value);
/* A number of bytes, from 1. */
int wfa_toml_bytes(wfa_toml_agent *at, const char *key, uint64_t most, uint64_t *value);
int wfa_toml_answer(wfa_toml_agent *at, int32_t *answer);

/* Reads the agent of the table into a configuration that is all zero. After a failure, as
 * after success, wfa_agent_config_clear() is due. */
int wfa_toml_read_agent(wfsm_settings *settings, wfsm_table *table, wfa_agent_config *config,
                        wfsm_error *error);
/* For it: an agent of the type "http". */
int wfa_toml_read_http(wfa_toml_agent *at, wfa_agent_config *config);
/* For both: what wfa_..._config_make() found wrong, at its key. */
int wfa_toml_option(const wfa_toml_agent *at, const wfa_option_error *wrong);

#endif
