/* A host's configuration: a TOML file, read key by key.
 *
 * Every error names FILE:LINE:COLUMN and what was expected. A key that nobody asked for is
 * an error too, so that a misspelt one is not silently ignored: read what is known, then
 * call wfa_config_check().
 *
 * Tables and texts belong to the configuration and live until wfa_config_close(). */
#ifndef WFA_CONFIG_H
#define WFA_CONFIG_H

#include <stddef.h>
#include <stdint.h>

#include "agent_error.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct wfa_config wfa_config;
typedef struct wfa_table wfa_table;

/* Files above 1 MiB are refused. */
int wfa_config_open(wfa_config **config, const char *path, wfa_error *error);
void wfa_config_close(wfa_config *config);

/* The folder that the file is in, as an absolute path. */
const char *wfa_config_folder(const wfa_config *config);
wfa_table *wfa_config_root(wfa_config *config);

/* Fails on the first key of the file that was not asked for, and names those that were. A
 * table that was asked for is looked into. */
int wfa_config_check(wfa_config *config, wfa_error *error);

/* Whether the key is there; this alone does not count as asking for it. */
int wfa_table_has(const wfa_table *table, const char *key);
/* Fails, naming the table, when the key is missing. */
int wfa_table_require(const wfa_table *table, const char *key, wfa_error *error);

/* Each stores `fallback` when the key is missing, and fails when its value is of another
 * type. An integer outside least..most, and a text with a NUL in it, is an error. */
int wfa_table_string(wfa_table *table, const char *key, const char *fallback,
                     const char **value, wfa_error *error);
int wfa_table_int(wfa_table *table, const char *key, int64_t fallback, int64_t least,
                  int64_t most, int64_t *value, wfa_error *error);
int wfa_table_bool(wfa_table *table, const char *key, int fallback, int *value,
                   wfa_error *error);
/* An array of texts; *values ends with NULL, *count (may be NULL) does not count it. A
 * missing one is empty. */
int wfa_table_strings(wfa_table *table, const char *key, const char *const **values,
                      size_t *count, wfa_error *error);
/* *value is NULL when the key is missing. */
int wfa_table_table(wfa_table *table, const char *key, wfa_table **value, wfa_error *error);

/* The keys of a table in alphabetical order; NULL when index is beyond the last. */
const char *wfa_table_key(const wfa_table *table, size_t index);

/* For the host's own checks: sets "FILE:LINE:COL: KEY: message" with the place of the key
 * (of the table when it is missing) and returns -1. */
int wfa_table_fail(const wfa_table *table, const char *key, wfa_error *error,
                   const char *format, ...) __attribute__((format(printf, 4, 5)));

#ifdef __cplusplus
}
#endif
#endif
