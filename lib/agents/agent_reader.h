/* Reading one agent's table; shared by the files that make agent_config.h. */
#ifndef HK_AGENT_READER_H
#define HK_AGENT_READER_H

#include "agent_config.h"

typedef struct hk_agent_reader {
    hk_agent_config *agent;
    hk_config *config;
    hk_table *table;
    hk_error *error;
} hk_agent_reader;

/* Sets the error, returns -1. */
int hk_agent_no_memory(const hk_agent_reader *at);

/* Takes over a malloc'ed text, which is freed with the agent; NULL and an error when it is
 * NULL, or there is no memory. */
const char *hk_agent_own(const hk_agent_reader *at, char *text);

/* A text of the agent's own, with {dir} filled in; NULL and an error likewise. */
const char *hk_agent_text(const hk_agent_reader *at, const char *text);

/* 0 for a table that is NULL. */
size_t hk_table_count(const hk_table *table);

/* One of a few words; *index is its number, `standard` when the key is missing. */
int hk_agent_read_choice(const hk_agent_reader *at, const char *key, const char *const *words,
                         int standard, int *index);
/* The text of the file that the key names; NULL when the key is missing. */
int hk_agent_read_file(const hk_agent_reader *at, const char *key, const char **text);
int hk_agent_read_answer_mode(const hk_agent_reader *at, hk_answer_mode standard);
/* The keys of an agent of type "http". */
int hk_agent_read_http(const hk_agent_reader *at);
int hk_agent_read_environment(const hk_agent_reader *at);
int hk_agent_read_exit_classes(const hk_agent_reader *at);

#endif
