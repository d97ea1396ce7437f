#include <stdlib.h>
#include <string.h>
#include "wfsm/commands.h"
#include "wfsm/report.h"
#include "wfsm/shown.h"

static const char help[] =
    "usage: wfsm report [--steps N] STORE ID > RUN.html\n"
    "\n"
    "Writes the run of an instance of a store as one self-contained HTML page\n"
    "without scripts: the chart with the visited and the active states, the invocations\n"
    "and how long they took, every step with its changes, the checkpoints and the context.\n"
    "Changes nothing.\n"
    "\n"
    "  --steps N   the number of steps in the table, counted from the last; the default is\n"
    "              1000. The rest of the page covers the whole journal\n"
    "\n"
    "Exit codes: 0 success; 1 the instance does not exist, or the store cannot be read; 64\n"
    "the command line is wrong.\n";

enum { STEPS = 1000 };

typedef struct request {
    const char *store, *id;
    uint64_t steps;
} request;

static bool read_steps(const char *text, uint64_t *steps)
{
    char *end;
    long number = strtol(text, &end, 10);
    if (*end || end == text || number < 0)
        return false;
    *steps = (uint64_t)number;
    return true;
}

static int parse(request *asked, int count, char **list)
{
    static const cli_option options[] = {{"--steps", true}, {NULL, false}};
    cli_args args = {.count = count, .list = list, .options = options};
    int found;
    while ((found = cli_next(&args)) != CLI_END) {
        if (found == CLI_BAD)
            return CLI_USAGE;
        if (found == 0 && !read_steps(args.value, &asked->steps))
            return cli_misused("--steps takes a number, not %s", args.value);
        if (found != CLI_OPERAND)
            continue;
        if (asked->id)
            return cli_misused("report does not take %s", args.value);
        *(asked->store ? &asked->id : &asked->store) = args.value;
    }
    return asked->id ? CLI_OK : cli_misused("report needs a store and an id");
}

static int32_t write_page(cli_text *out, report *run, wfsm_store *store, wfsm_error *error)
{
    int32_t status = report_read(run, store, error);
    if (status != WFSM_OK)
        return status;
    html_begin(out, run->head->id, "", "");
    report_summary(out, run);
    status = report_body(out, run, store, error);
    html_end(out);
    return status;
}

static int run(int count, char **list)
{
    request asked = {.steps = STEPS};
    int code = parse(&asked, count, list);
    if (code != CLI_OK)
        return code;
    stored_head head = {0};
    cli_text page = {0};
    wfsm_error *error = cli_need(wfsm_error_new(NULL));
    wfsm_store *store = stored_open(asked.store);
    int32_t status = WFSM_NOT_FOUND;
    if (store && stored_find(store, asked.store, asked.id, &head)) {
        report about = {.head = &head};
        about.from = head.revision > asked.steps ? head.revision - asked.steps + 1 : head.first;
        status = write_page(&page, &about, store, error);
        if (status == WFSM_OK)
            shown_text(stdout, page.data, page.length);
        else
            cli_say_error(asked.store, error);
        report_free(&about);
    }
    cli_text_free(&page);
    stored_head_free(&head);
    wfsm_store_free(store);
    wfsm_error_free(error);
    return cli_finish(status == WFSM_OK ? CLI_OK : CLI_FAILED);
}

const cli_command cmd_report = {"report", "writes the run of an instance as HTML", help, run};
