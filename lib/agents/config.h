/* A host's configuration: a TOML file, read key by key.
 *
 * Every error names FILE:LINE:COLUMN and what was expected. A key that nobody asked for is
 * an error too, so that a misspelt one is not silently ignored: read what is known, then
 * call hk_config_check().
 *
 * Tables and texts belong to the configuration and live until hk_config_close(). */
#ifndef HK_CONFIG_H
#define HK_CONFIG_H

#include <stddef.h>
#include <stdint.h>

#include "error.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct hk_config hk_config;
typedef struct hk_table hk_table;

/* Files above 1 MiB are refused. */
int hk_config_open(hk_config **config, const char *path, hk_error *error);
void hk_config_close(hk_config *config);

/* The folder that the file is in, as an absolute path. */
const char *hk_config_folder(const hk_config *config);
hk_table *hk_config_root(hk_config *config);

/* Fails on the first key of the file that was not asked for, and names those that were. A
 * table that was asked for is looked into. */
int hk_config_check(hk_config *config, hk_error *error);

/* Whether the key is there; this alone does not count as asking for it. */
int hk_table_has(const hk_table *table, const char *key);
/* Fails, naming the table, when the key is missing. */
int hk_table_require(const hk_table *table, const char *key, hk_error *error);

/* Each stores `fallback` when the key is missing, and fails when its value is of another
 * type. An integer outside least..most, and a text with a NUL in it, is an error. */
int hk_table_string(hk_table *table, const char *key, const char *fallback, const char **value,
                    hk_error *error);
int hk_table_int(hk_table *table, const char *key, int64_t fallback, int64_t least,
                 int64_t most, int64_t *value, hk_error *error);
int hk_table_bool(hk_table *table, const char *key, int fallback, int *value, hk_error *error);
/* An array of texts; *values ends with NULL, *count (may be NULL) does not count it. A
 * missing one is empty. */
int hk_table_strings(hk_table *table, const char *key, const char *const **values,
                     size_t *count, hk_error *error);
/* *value is NULL when the key is missing. */
int hk_table_table(hk_table *table, const char *key, hk_table **value, hk_error *error);

/* The keys of a table in alphabetical order; NULL when index is beyond the last. */
const char *hk_table_key(const hk_table *table, size_t index);

/* For the host's own checks: sets "FILE:LINE:COL: KEY: message" with the place of the key
 * (of the table when it is missing) and returns -1. */
int hk_table_fail(const hk_table *table, const char *key, hk_error *error, const char *format,
                  ...) __attribute__((format(printf, 4, 5)));

#ifdef __cplusplus
}
#endif
#endif
