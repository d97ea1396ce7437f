/* Reading one agent's table; shared by the files that make agent_config.h. */
#ifndef WFA_AGENT_READER_H
#define WFA_AGENT_READER_H

#include "agent_config.h"

typedef struct wfa_agent_reader {
    wfa_agent_config *agent;
    wfa_config *config;
    wfa_table *table;
    wfa_error *error;
} wfa_agent_reader;

/* Sets the error, returns -1. */
int wfa_agent_no_memory(const wfa_agent_reader *at);

/* Takes over a malloc'ed text, which is freed with the agent; NULL and an error when it is
 * NULL, or there is no memory. */
const char *wfa_agent_own(const wfa_agent_reader *at, char *text);

/* A text of the agent's own, with {dir} filled in; NULL and an error likewise. */
const char *wfa_agent_text(const wfa_agent_reader *at, const char *text);

/* 0 for a table that is NULL. */
size_t wfa_table_count(const wfa_table *table);

/* One of a few words; *index is its number, `standard` when the key is missing. */
int wfa_agent_read_choice(const wfa_agent_reader *at, const char *key, const char *const *words,
                          int standard, int *index);
/* The text of the file that the key names; NULL when the key is missing. */
int wfa_agent_read_file(const wfa_agent_reader *at, const char *key, const char **text);
int wfa_agent_read_answer_mode(const wfa_agent_reader *at, wfa_answer_mode standard);
/* The keys of an agent of type "http". */
int wfa_agent_read_http(const wfa_agent_reader *at);
int wfa_agent_read_environment(const wfa_agent_reader *at);
int wfa_agent_read_exit_classes(const wfa_agent_reader *at);

#endif
