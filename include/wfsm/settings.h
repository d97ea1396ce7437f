/*
 * wfsm/settings.h: a TOML file with settings, read key by key; part of libwfsm-agents, which
 * reads its agents from the same file (wfsm_agents_load()).
 *
 * Every error names FILE:LINE:COLUMN and what was expected. A key that was not read is an
 * error, too, so that a misspelt key is not ignored: read what you know, then call
 * wfsm_settings_check().
 *
 * A call that reads a key leaves *value as it is when the key is missing: set the default
 * before. Texts and tables belong to the settings and live until wfsm_settings_free(). The
 * calls that return a status return INVALID for NULL, SEMANTIC for a value of another type or
 * out of range, and NO_MEMORY. (If memory runs out inside toml++, which reads the file, toml++
 * ends the process.)
 */
#ifndef WFSM_SETTINGS_H
#define WFSM_SETTINGS_H

#include <wfsm/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A file of settings in memory. Belongs to one thread at a time. */
typedef struct wfsm_settings wfsm_settings;
/* A table of the file; the whole file is one, too. */
typedef struct wfsm_table wfsm_table;

/*
 * Reads a file of at most 1 MiB. *settings is new; you free it with wfsm_settings_free().
 * IO (cannot be read), SYNTAX (not TOML), LIMIT (too large, a dotted key has more than 32 parts, or
 * values are nested more deeply than that), INVALID,
 * NO_MEMORY.
 */
WFSM_API int32_t wfsm_settings_open(wfsm_settings **settings, const char *path,
                                    wfsm_error *error);
/* Frees it; NULL is allowed. */
WFSM_API void wfsm_settings_free(wfsm_settings *settings);
/* The table of the whole file. It lives as long as the settings. */
WFSM_API wfsm_table *wfsm_settings_root(wfsm_settings *settings);
/* The folder that the file is in, as an absolute path; "" for NULL. Borrowed while the settings
 * live. */
WFSM_API const char *wfsm_settings_folder(const wfsm_settings *settings);
/*
 * Fails with SEMANTIC on the first key in the file that was not asked for, and names those
 * that were. It looks into the tables that were asked for.
 */
WFSM_API int32_t wfsm_settings_check(const wfsm_settings *settings, wfsm_error *error);

/* 1 if the key is there, otherwise 0. The key does not count as read. */
WFSM_API int32_t wfsm_table_has(const wfsm_table *table, const char *key);
/* SEMANTIC: the key is missing. The key does not count as read. */
WFSM_API int32_t wfsm_table_require(const wfsm_table *table, const char *key,
                                    wfsm_error *error);
/* Reads a text without U+0000. */
WFSM_API int32_t wfsm_table_string(wfsm_table *table, const char *key, const char **value,
                                   wfsm_error *error);
/* Reads a path that is not empty; "{dir}" in it, or in the *value that you set before, is replaced by
 * wfsm_settings_folder(). */
WFSM_API int32_t wfsm_table_path(wfsm_table *table, const char *key, const char **value,
                                 wfsm_error *error);
/* Reads an integer from `least` to `most`. */
WFSM_API int32_t wfsm_table_int(wfsm_table *table, const char *key, int64_t least, int64_t most,
                                int64_t *value, wfsm_error *error);
/* Reads a boolean: true is 1, false is 0. */
WFSM_API int32_t wfsm_table_bool(wfsm_table *table, const char *key, int32_t *value,
                                 wfsm_error *error);
/* Reads an array of texts without U+0000; *values ends with NULL. *count (may be NULL) is how many
 * there are, and is set together with *values. */
WFSM_API int32_t wfsm_table_strings(wfsm_table *table, const char *key,
                                    const char *const **values, size_t *count,
                                    wfsm_error *error);
/* Reads a table inside this one. */
WFSM_API int32_t wfsm_table_table(wfsm_table *table, const char *key, wfsm_table **value,
                                  wfsm_error *error);
/* The index-th key of the table, from 0, in the order of their bytes; NULL beyond the last. Borrowed
 * while the settings live. */
WFSM_API const char *wfsm_table_key(const wfsm_table *table, size_t index);
/*
 * For checks of your own: sets the error to "FILE:LINE:COLUMN: KEY: message", with the place
 * of the key (of the table when the key is missing), and returns SEMANTIC.
 */
WFSM_API int32_t wfsm_table_fail(const wfsm_table *table, const char *key, const char *message,
                                 wfsm_error *error);

#ifdef __cplusplus
}
#endif
#endif
