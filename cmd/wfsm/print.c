#include "wfsm/print.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "wfsm/shown.h"

const char *print_time(int64_t ms, char out[PRINT_TIME_BYTES])
{
    const int64_t from = 100000000000, until = 253402300799999;
    struct tm parts;
    time_t seconds = (time_t)(ms / 1000);
    if (ms == WFSM_NEVER)
        snprintf(out, PRINT_TIME_BYTES, "never");
    else if (ms < from || ms > until || !gmtime_r(&seconds, &parts))
        snprintf(out, PRINT_TIME_BYTES, "%" PRId64, ms);
    else {
        size_t length = strftime(out, PRINT_TIME_BYTES, "%Y-%m-%dT%H:%M:%S", &parts);
        snprintf(out + length, PRINT_TIME_BYTES - length, ".%03dZ", (int)(ms % 1000));
    }
    return out;
}

void print_table_add(print_table *table, const char *cell)
{
    if (table->count == table->capacity) {
        table->capacity = table->capacity > 0 ? 2 * table->capacity : 64;
        table->cells = cli_need(realloc(table->cells, table->capacity * sizeof *table->cells));
    }
    table->cells[table->count++] = cli_need(shown_line(cell, strlen(cell)));
}

void print_table_addf(print_table *table, const char *format, ...)
{
    char cell[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(cell, sizeof cell, format, arguments);
    va_end(arguments);
    print_table_add(table, cell);
}

/* Code points; good enough for a terminal. */
static size_t width_of(const char *text)
{
    size_t width = 0;
    for (; *text; text++)
        width += ((unsigned char)*text & 0xc0) != 0x80;
    return width;
}

static void print_row(FILE *out, const print_table *table, size_t row, const size_t *widths,
                      const char *margin)
{
    char **cells = table->cells + row * table->columns;
    size_t columns = table->columns;
    while (columns > 0 && *cells[columns - 1] == '\0')
        columns--;
    shown_fputs(margin, out);
    for (size_t i = 0; i < columns; i++) {
        fputs(cells[i], out); /* escaped when it was added */
        if (i + 1 == columns)
            break;
        for (size_t w = width_of(cells[i]); w < widths[i] + 2; w++)
            fputc(' ', out);
    }
    fputc('\n', out);
}

void print_table_end(FILE *out, print_table *table, const char *margin)
{
    size_t *widths = cli_need(calloc(table->columns, sizeof *widths));
    for (size_t i = 0; i < table->count; i++) {
        size_t width = width_of(table->cells[i]);
        if (width > widths[i % table->columns])
            widths[i % table->columns] = width;
    }
    for (size_t row = 0; row < table->count / table->columns; row++)
        print_row(out, table, row, widths, margin);
    free(widths);
    print_table_free(table);
}

void print_table_free(print_table *table)
{
    for (size_t i = 0; i < table->count; i++)
        free(table->cells[i]);
    free(table->cells);
    *table = (print_table){.columns = table->columns};
}

void print_json_string(FILE *out, const char *text)
{
    json_t *string = json_string(text);
    if (!string) /* not UTF-8 */
        string = cli_need(json_string("?"));
    shown_json(string, out, JSON_ENCODE_ANY);
    json_decref(string);
}

void print_json_time(FILE *out, int64_t ms)
{
    if (ms == WFSM_NEVER)
        shown_fputs("null", out);
    else
        shown_fprintf(out, "%" PRId64, ms);
}

void print_json_words(FILE *out, const char *words)
{
    char *copy = cli_need(strdup(words));
    char *rest = copy, *word;
    bool first = true;
    fputc('[', out);
    while ((word = strtok_r(rest, " ", &rest))) {
        shown_fputs(first ? "" : ", ", out);
        print_json_string(out, word);
        first = false;
    }
    fputc(']', out);
    free(copy);
}

char *print_joined(const char *json, size_t length, const char *between)
{
    cli_text text = {0};
    size_t index;
    const json_t *item;
    json_t *list = json ? json_loadb(json, length, 0, NULL) : NULL;
    cli_text_add(&text, "", 0);
    json_array_foreach(list, index, item)
    {
        if (index > 0)
            cli_text_add(&text, between, strlen(between));
        const char *value = json_string_value(item);
        cli_text_add(&text, value ? value : "?", value ? strlen(value) : 1);
    }
    json_decref(list);
    return text.data;
}
