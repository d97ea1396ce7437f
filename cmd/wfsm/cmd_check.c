#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include "wfsm/commands.h"
#include "wfsm/document.h"
#include "wfsm/shown.h"

static const char help[] =
    "usage: wfsm check [--json] FILE…\n"
    "\n"
    "Loads and lints machine documents, and prints errors, warnings and notes as\n"
    "FILE:LINE:COL: error|warning|note: message [rule]. A note tells that XState takes a\n"
    "transition, or other implementations of JsonLogic answer a rule, in another way.\n"
    "FILE may be - for the standard input.\n"
    "\n"
    "  --json   one JSON array of {file, line, column, severity, message, rule, pointer}\n"
    "\n"
    "Exit codes: 0 no errors (there may be warnings and notes); 1 errors, or a file cannot be read;\n"
    "64 the command line is wrong.\n";

typedef struct report {
    json_t *json; /* NULL: text */
    size_t errors;
} report;

static void add_json(json_t *list, const char *path, const wfsm_diagnostic *diagnostic)
{
    json_t *item = json_pack(
        "{s:s s:i s:i s:s s:s s:s s:s}", "file", path, "line", (int)diagnostic->line, "column",
        (int)diagnostic->column, "severity", document_severity(diagnostic), "message",
        diagnostic->message, "rule", diagnostic->rule, "pointer", diagnostic->pointer);
    json_array_append_new(list, cli_need(item));
}

static void add(report *all, const char *path, const wfsm_diagnostic *diagnostic)
{
    if (diagnostic->severity == 1)
        all->errors++;
    if (all->json)
        add_json(all->json, path, diagnostic);
    else
        document_print(stdout, path, diagnostic);
}

static void check(report *all, const char *path)
{
    cli_text text = {0};
    wfsm_diagnostics *diagnostics = NULL;
    wfsm_error *error = cli_need(wfsm_error_new(NULL));
    if (!cli_read_file(path, &text)) {
        all->errors++;
    } else if (wfsm_machine_check(&diagnostics, text.data, text.length, NULL, error) !=
               WFSM_OK) {
        cli_say_error(path, error);
        all->errors++;
    }
    for (size_t i = 0; i < wfsm_diagnostics_count(diagnostics); i++) {
        wfsm_diagnostic diagnostic = {.size = sizeof diagnostic};
        if (wfsm_diagnostics_get(diagnostics, i, &diagnostic) == WFSM_OK)
            add(all, path, &diagnostic);
    }
    wfsm_diagnostics_free(diagnostics);
    wfsm_error_free(error);
    cli_text_free(&text);
}

static int run(int count, char **list)
{
    static const cli_option options[] = {{"--json", false}, {NULL, false}};
    cli_args args = {.count = count, .list = list, .options = options};
    const char **files = cli_need(calloc((size_t)count + 1, sizeof *files));
    report all = {0};
    int number = 0, code = CLI_OK, found;
    while ((found = cli_next(&args)) != CLI_END && found != CLI_BAD) {
        if (found == CLI_OPERAND)
            files[number++] = args.value;
        else if (!all.json)
            all.json = cli_need(json_array());
    }
    if (found == CLI_BAD)
        code = CLI_USAGE;
    else if (number == 0)
        code = cli_misused("check needs a file");
    for (int i = 0; i < number && code == CLI_OK; i++)
        check(&all, files[i]);
    if (code == CLI_OK && all.json) {
        shown_json(all.json, stdout, JSON_INDENT(2));
        shown_fputs("\n", stdout);
    }
    if (code == CLI_OK)
        code = cli_finish(all.errors > 0 ? CLI_FAILED : CLI_OK);
    json_decref(all.json);
    free(files);
    return code;
}

const cli_command cmd_check = {"check", "loads and lints machine documents", help, run};
