#include "wfsm/cli.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "wfsm/shown.h"

/* As much as a machine document may have. */
static const size_t most_bytes = (size_t)64 << 20;

void cli_say(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    shown_fputs("wfsm: ", stderr);
    shown_vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
}

int cli_misused(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    shown_fputs("wfsm: ", stderr);
    shown_vfprintf(stderr, format, arguments);
    shown_fputs(" (see wfsm --help)\n", stderr);
    va_end(arguments);
    return CLI_USAGE;
}

void cli_say_error(const char *about, const wfsm_error *error)
{
    const char *pointer = wfsm_error_pointer(error);
    const char *message = wfsm_error_message(error);
    /* Errors of a store name its file themselves. */
    size_t length = strlen(about);
    bool named = strncmp(message, about, length) == 0 && message[length] == ':';
    cli_say("%s%s%s%s%s%s", named ? "" : about, named ? "" : ": ", message,
            *pointer ? " (at " : "", pointer, *pointer ? ")" : "");
}

void *cli_need(void *block)
{
    if (!block) {
        cli_say("out of memory");
        exit(CLI_FAILED);
    }
    return block;
}

int cli_finish(int code)
{
    if (fflush(stdout) == 0 && !ferror(stdout))
        return code;
    cli_say("cannot write to the standard output: %s", strerror(errno));
    return CLI_FAILED;
}

static int match(const cli_args *args, const char *argument, const char **value)
{
    for (int i = 0; args->options[i].name; i++) {
        size_t length = strlen(args->options[i].name);
        if (strncmp(argument, args->options[i].name, length) != 0)
            continue;
        if (argument[length] == '\0' || argument[length] == '=') {
            *value = argument[length] == '=' ? argument + length + 1 : NULL;
            return i;
        }
    }
    return CLI_BAD;
}

static int option(cli_args *args, const char *argument)
{
    int found = match(args, argument, &args->value);
    if (found == CLI_BAD) {
        cli_misused("unknown option %s", argument);
        return CLI_BAD;
    }
    const cli_option *known = &args->options[found];
    if (!known->takes_value && args->value) {
        cli_misused("%s takes no value", known->name);
        return CLI_BAD;
    }
    if (known->takes_value && !args->value) {
        if (args->next == args->count) {
            cli_misused("%s needs a value", known->name);
            return CLI_BAD;
        }
        args->value = args->list[args->next++];
    }
    return found;
}

int cli_next(cli_args *args)
{
    if (args->next == args->count)
        return CLI_END;
    const char *argument = args->list[args->next++];
    if (!args->only_operands && strcmp(argument, "--") == 0) {
        args->only_operands = true;
        return cli_next(args);
    }
    if (!args->only_operands && argument[0] == '-' && argument[1] != '\0')
        return option(args, argument);
    args->value = argument;
    return CLI_OPERAND;
}

void cli_text_add(cli_text *text, const char *bytes, size_t length)
{
    size_t need = text->length + length + 1;
    if (need > text->capacity) {
        text->capacity = need < 256 ? 256 : 2 * need;
        text->data = cli_need(realloc(text->data, text->capacity));
    }
    if (length > 0)
        memcpy(text->data + text->length, bytes, length);
    text->length += length;
    text->data[text->length] = '\0';
}

void cli_text_free(cli_text *text)
{
    free(text->data);
    *text = (cli_text){0};
}

static bool read_all(FILE *file, const char *path, cli_text *text)
{
    char block[65536];
    size_t got;
    cli_text_add(text, "", 0);
    while ((got = fread(block, 1, sizeof block, file)) > 0) {
        cli_text_add(text, block, got);
        if (text->length > most_bytes) {
            cli_say("%s: longer than %zu bytes", path, most_bytes);
            return false;
        }
    }
    if (ferror(file))
        cli_say("%s: %s", path, strerror(errno));
    return !ferror(file);
}

bool cli_read_file(const char *path, cli_text *text)
{
    if (strcmp(path, "-") == 0)
        return read_all(stdin, "-", text);
    FILE *file = fopen(path, "rb");
    if (!file) {
        cli_say("%s: %s", path, strerror(errno));
        return false;
    }
    bool fine = read_all(file, path, text);
    fclose(file);
    return fine;
}
