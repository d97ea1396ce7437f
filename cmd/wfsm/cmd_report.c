#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "wfsm/commands.h"
#include "wfsm/print.h"
#include "wfsm/report.h"
#include "wfsm/shown.h"

static const char help[] =
    "usage: wfsm report [--steps N] STORE ID > RUN.html\n"
    "\n"
    "Writes the run of an instance of an SQLite store as one self-contained HTML page\n"
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

static void fact(cli_text *out, const char *name, const char *value)
{
    if (!*value)
        return;
    html_raw(out, "<dt>%s</dt><dd>", name);
    html_text(out, value);
    html_raw(out, "</dd>");
}

static void add_summary(cli_text *out, const report *run)
{
    const stored_head *head = run->head;
    char time[PRINT_TIME_BYTES], number[32];
    html_raw(out, "<h1>");
    html_text(out, head->id);
    html_raw(out, "</h1>\n<p class=\"sub\">%s after ", stored_status(head));
    html_duration(out, head->updated - head->created);
    html_raw(out, "</p>\n<dl>");
    fact(out, "machine", head->machine);
    snprintf(number, sizeof number, "%" PRIu64, head->revision);
    fact(out, "revision", number);
    fact(out, "started", print_time(head->created, time));
    fact(out, "last change", print_time(head->updated, time));
    if (head->status != WFSM_DONE && head->deadline != WFSM_NEVER)
        fact(out, "wants to be called", print_time(head->deadline, time));
    fact(out, "owner", head->owner);
    fact(out, "tags", head->tags);
    fact(out, "document", head->fingerprint);
    html_raw(out, "</dl>\n");
}

static void add_steps(cli_text *out, const report *run)
{
    if (run->from > run->head->first)
        html_raw(out,
                 "<p class=\"dim\">The steps before revision %" PRIu64
                 " are left out (--steps).</p>\n",
                 run->from);
    else if (run->head->first > 1)
        html_raw(out,
                 "<p class=\"dim\">The journal was compacted: it begins at revision %" PRIu64
                 ".</p>\n",
                 run->head->first);
    html_raw(out, "<div class=\"wide\"><table><tr><th>#</th><th>time</th><th>input</th>"
                  "<th>outcome</th><th>transitions</th><th>states</th><th>changes</th></tr>\n");
    cli_text_add(out, run->steps.data ? run->steps.data : "", run->steps.length);
    html_raw(out, "</table></div>\n");
}

static void add_approvals(cli_text *out, const report *run)
{
    if (!run->approvals.data)
        return;
    html_raw(out, "<h2>Approvals</h2>\n<div class=\"wide\"><table><tr><th>#</th><th>time</th>"
                  "<th>by</th><th>decision</th><th>reason</th><th>what became of it</th>"
                  "<th>invocation, digest</th></tr>\n");
    cli_text_add(out, run->approvals.data, run->approvals.length);
    html_raw(out, "</table></div>\n");
}

static int32_t add_checkpoint(void *user, const wfsm_row *row)
{
    cli_text *out = user;
    char time[PRINT_TIME_BYTES];
    json_t *artifacts = json_loadb(row->text, row->length, 0, NULL);
    html_raw(out, "<tr><td>");
    html_text(out, row->id);
    html_raw(out,
             "</td><td class=\"n\"><a href=\"#r%" PRIu64 "\">%" PRIu64
             "</a></td><td>%s</td><td>",
             row->revision, row->revision, print_time(row->now, time));
    if (json_array_size(artifacts) > 0)
        html_json(out, artifacts);
    html_raw(out, "</td></tr>\n");
    json_decref(artifacts);
    return WFSM_OK;
}

static int32_t add_checkpoints(cli_text *out, const report *run, wfsm_store *store,
                               wfsm_error *error)
{
    cli_text rows = {0};
    int32_t status = wfsm_store_checkpoints(store, run->head->id, add_checkpoint, &rows, error);
    if (rows.data) {
        html_raw(out, "<h2>Checkpoints</h2>\n<table><tr><th>name</th><th>revision</th>"
                      "<th>time</th><th>artifacts</th></tr>\n");
        cli_text_add(out, rows.data, rows.length);
        html_raw(out, "</table>\n");
    }
    cli_text_free(&rows);
    return status;
}

static int32_t write_page(cli_text *out, report *run, wfsm_store *store, wfsm_error *error)
{
    int32_t status = report_read(run, store, error);
    if (status != WFSM_OK)
        return status;
    html_begin(out, run->head->id, "", "");
    add_summary(out, run);
    html_raw(out, "<h2>Chart</h2>\n<p class=\"dim\">Amber is active, green was visited or "
                  "taken; [?] has a guard: point at it.</p>\n");
    report_chart(out, run);
    html_raw(out, "<h2>Work</h2>\n");
    report_work(out, run);
    add_approvals(out, run);
    html_raw(out, "<h2>Steps</h2>\n");
    add_steps(out, run);
    status = add_checkpoints(out, run, store, error);
    html_raw(out, "<h2>Context</h2>\n<pre>");
    html_json(out, run->context);
    html_raw(out, "</pre>\n");
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
