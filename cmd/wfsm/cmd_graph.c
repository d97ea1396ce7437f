#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <wfsm/tools.h>
#include "wfsm/commands.h"
#include "wfsm/document.h"
#include "wfsm/shown.h"

static const char help[] =
    "usage: wfsm graph [--format mermaid|dot|promela] [--output FILE] FILE\n"
    "\n"
    "Draws a machine document (- is the standard input): nested states, regions,\n"
    "histories, events, guards and invoked agents.\n"
    "\n"
    "  --format mermaid   a stateDiagram-v2 of Mermaid (the default)\n"
    "  --format dot       for Graphviz: wfsm graph --format dot FILE | dot -Tsvg\n"
    "  --format promela   a model for SPIN, for machines that do not depend on data\n"
    "  --output FILE      writes to a file instead of the standard output\n"
    "\n"
    "Exit codes: 0 success; 1 the machine has an error, or a file cannot be read or\n"
    "written; 64 the command line is wrong.\n";

typedef struct graph_request {
    const char *file, *output;
    int32_t format;
} graph_request;

static int32_t format_of(const char *name)
{
    if (strcmp(name, "mermaid") == 0)
        return WFSM_MERMAID;
    if (strcmp(name, "promela") == 0)
        return WFSM_PROMELA;
    return strcmp(name, "dot") == 0 ? WFSM_DOT : 0;
}

static int parse(graph_request *request, cli_args *args)
{
    int found;
    while ((found = cli_next(args)) != CLI_END) {
        if (found == CLI_BAD)
            return CLI_USAGE;
        if (found == CLI_OPERAND && request->file)
            return cli_misused("graph takes one file");
        if (found == CLI_OPERAND)
            request->file = args->value;
        else if (found == 0)
            request->format = format_of(args->value);
        else
            request->output = args->value;
        if (request->format == 0)
            return cli_misused("there is no format %s, only mermaid, dot and promela",
                               args->value);
    }
    return request->file ? CLI_OK : cli_misused("graph needs a file");
}

static int write_to(const char *path, const char *text, size_t length)
{
    if (!path) {
        shown_text(stdout, text, length);
        return cli_finish(CLI_OK);
    }
    FILE *file = fopen(path, "wb");
    bool fine = file && fwrite(text, 1, length, file) == length;
    if (file && fclose(file) != 0)
        fine = false;
    if (fine)
        return CLI_OK;
    cli_say("%s: %s", path, strerror(errno));
    return CLI_FAILED;
}

static int draw(const graph_request *request, const wfsm_machine *machine)
{
    char *text = NULL;
    size_t length = 0;
    wfsm_error *error = cli_need(wfsm_error_new(NULL));
    int code = CLI_FAILED;
    if (wfsm_machine_graph(machine, request->format, &text, &length, error) == WFSM_OK)
        code = write_to(request->output, text, length);
    else
        cli_say_error(request->file, error);
    wfsm_text_free(machine, text);
    wfsm_error_free(error);
    return code;
}

static int run(int count, char **list)
{
    static const cli_option options[] = {{"--format", true}, {"--output", true}, {NULL, false}};
    cli_args args = {.count = count, .list = list, .options = options};
    graph_request request = {.format = WFSM_MERMAID};
    int code = parse(&request, &args);
    if (code != CLI_OK)
        return code;
    wfsm_machine *machine = document_load(request.file);
    code = machine ? draw(&request, machine) : CLI_FAILED;
    wfsm_machine_unref(machine);
    return code;
}

const cli_command cmd_graph = {"graph", "draws a machine for Mermaid or Graphviz", help, run};
