/* The parts of the page that are not large enough for a file of their own, and their order. */
#include <inttypes.h>
#include <stdlib.h>
#include "wfsm/print.h"
#include "wfsm/report.h"

static void fact(cli_text *out, const char *name, const char *value)
{
    if (!*value)
        return;
    html_raw(out, "<dt>%s</dt><dd>", name);
    html_text(out, value);
    html_raw(out, "</dd>");
}

void report_summary(cli_text *out, const report *run)
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
    if (run->earlier.length > 0)
        html_raw(out, "<p>%s</p>\n", run->earlier.data);
    else if (run->from > run->head->first)
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

int32_t report_body(cli_text *out, report *run, wfsm_store *store, wfsm_error *error)
{
    html_raw(out, "<h2>Chart</h2>\n<p class=\"dim\">Amber is active, green was visited or "
                  "taken; [?] has a guard: point at it.</p>\n");
    report_chart(out, run);
    html_raw(out, "<h2>Work</h2>\n");
    report_work(out, run);
    add_approvals(out, run);
    html_raw(out, "<h2>Steps</h2>\n");
    add_steps(out, run);
    int32_t status = add_checkpoints(out, run, store, error);
    html_raw(out, "<h2>Context</h2>\n<pre>");
    html_json(out, run->context);
    html_raw(out, "</pre>\n");
    return status;
}
