/* print.h: tables, times and JSON for people and programs. */
#ifndef WFSM_PRINT_H
#define WFSM_PRINT_H

#include <jansson.h>
#include <stdio.h>
#include "wfsm/cli.h"

/* ISO 8601 in UTC with milliseconds if that is plausible (1973 to 9999), else the number;
 * "never" for WFSM_NEVER. */
enum { PRINT_TIME_BYTES = 40 };
const char *print_time(int64_t ms, char out[PRINT_TIME_BYTES]);

/* Cells are collected, so that columns can be as wide as their widest cell. */
typedef struct print_table {
    size_t columns;
    char **cells; /* row after row */
    size_t count, capacity;
} print_table;
void print_table_add(print_table *table, const char *cell); /* copied, escaped */
void print_table_addf(print_table *table, const char *format, ...) CLI_PRINTF(2, 3);
/* Every line begins with `margin`. Frees. */
void print_table_end(FILE *out, print_table *table, const char *margin);
void print_table_free(print_table *table);

/* A JSON string with its quotes. */
void print_json_string(FILE *out, const char *text);
/* JSON text as it is, indented for reading; every further line begins with `margin`. */
void print_json_pretty(FILE *out, const char *json, size_t length, const char *margin);
/* A JSON number, or null for WFSM_NEVER. */
void print_json_time(FILE *out, int64_t ms);
/* A JSON array of the words of a space-separated list. */
void print_json_words(FILE *out, const char *words);
/* The strings of a JSON array, joined. New, to be freed. */
char *print_joined(const char *json, size_t length, const char *between);
#endif
