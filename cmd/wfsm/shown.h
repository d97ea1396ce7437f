/*
 * shown.h: printing for people. Ids, events, errors, answers of agents and names of files come from
 * anybody. What is printed here cannot move the cursor, set a colour, end a line or turn text around:
 * see wfsm_text_escape(). The command and the hosts print with nothing else; tests/abi/prints.py checks
 * that.
 */
#ifndef WFSM_SHOWN_H
#define WFSM_SHOWN_H

#include <jansson.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#if defined(__GNUC__)
#define SHOWN_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define SHOWN_PRINTF(text, first)
#endif

/* As printf() and the like. What a %s stands for stays on its line. Widths count code points. Of the
 * conversions only %s, %c, %f and those of integers are known. */
void shown_printf(const char *format, ...) SHOWN_PRINTF(1, 2);
void shown_fprintf(FILE *out, const char *format, ...) SHOWN_PRINTF(2, 3);
void shown_vfprintf(FILE *out, const char *format, va_list arguments) SHOWN_PRINTF(2, 0);
/* A text of several lines, JSON for example. */
void shown_text(FILE *out, const char *text, size_t length);
void shown_fputs(const char *text, FILE *out);
/* The same to stdout, with a line break behind it. */
void shown_puts(const char *text);
/* As json_dumpf(); stays JSON of the same value. */
int shown_json(const json_t *value, FILE *out, size_t flags);
/* An escaped copy on one line, to be freed; NULL when out of memory. */
char *shown_line(const char *text, size_t length);
#endif
