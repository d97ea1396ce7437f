/*
 * cli.h: what all commands of wfsm share: exit codes, messages, options, files. Running out
 * of memory ends the program with a message; a command has nothing better to do.
 */
#ifndef WFSM_CLI_H
#define WFSM_CLI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <wfsm/wfsm.h>

enum cli_exit {
    CLI_OK = 0,
    CLI_FAILED = 1,   /* the machine, the store or the file is not as it should be */
    CLI_BAD_LINE = 2, /* simulate: a line of the input is not as it should be */
    CLI_USAGE = 64    /* EX_USAGE of sysexits.h */
};

#if defined(__GNUC__)
#define CLI_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define CLI_PRINTF(text, first)
#endif

typedef struct cli_command {
    const char *name;
    const char *summary; /* for wfsm --help */
    const char *help;    /* for wfsm NAME --help */
    int (*run)(int count, char **list); /* arguments behind the name; gives the exit code */
} cli_command;

/* "wfsm: …" and a line break, to stderr. */
void cli_say(const char *format, ...) CLI_PRINTF(1, 2);
/* The same, with a hint at --help; gives CLI_USAGE. */
int cli_misused(const char *format, ...) CLI_PRINTF(1, 2);
/* The message and the place of an error; `about` names what it is about. */
void cli_say_error(const char *about, const wfsm_error *error);
/* The block, or the end of the program if it is NULL. */
void *cli_need(void *block);
/* What was printed is written out; `code`, or CLI_FAILED with a message if it could not be. */
int cli_finish(int code);

/* Options may stand before and behind operands, until "--"; values as "--name value" or
 * "--name=value". The list of options ends with a NULL name. */
typedef struct cli_option {
    const char *name; /* with its dashes */
    bool takes_value;
} cli_option;

typedef struct cli_args {
    int count;
    char **list;
    const cli_option *options;
    int next;            /* starts at 0 */
    bool only_operands;  /* behind "--" */
    const char *value;   /* of the option, or the operand itself */
} cli_args;

enum cli_arg { CLI_END = -1, CLI_OPERAND = -2, CLI_BAD = -3 };
/* The number of the option that comes next, or one of these. After CLI_BAD an error
 * is printed. */
int cli_next(cli_args *args);

/* A growing text, NUL-terminated once something was added. */
typedef struct cli_text {
    char *data;
    size_t length, capacity;
} cli_text;
void cli_text_add(cli_text *text, const char *bytes, size_t length);
void cli_text_free(cli_text *text);

/* Reads a whole file ("-" is stdin). False after printing an error. */
bool cli_read_file(const char *path, cli_text *text);
#endif
