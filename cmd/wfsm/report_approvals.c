/* Every vote of the journal, also those that did not count. */
#include <inttypes.h>
#include <string.h>
#include "wfsm/print.h"
#include "wfsm/record.h"
#include "wfsm/report.h"

static bool counts(const char *verdict)
{
    return strcmp(verdict, "counted") == 0 || strcmp(verdict, "decided") == 0;
}

void report_approval(report *run, const wfsm_row *row, const json_t *record)
{
    cli_text *out = &run->approvals;
    const json_t *input = json_object_get(record, "input");
    const json_t *vote = json_object_get(input, "data");
    const char *verdict = record_string(input, "verdict");
    char time[PRINT_TIME_BYTES];
    if (strcmp(record_string(input, "kind"), "approval") != 0)
        return;
    html_raw(out,
             "<tr><td class=\"n\"><a href=\"#r%" PRIu64 "\">%" PRIu64
             "</a></td><td>%s</td><td>",
             row->revision, row->revision, print_time(row->now, time));
    html_text(out, record_string(vote, "by"));
    html_raw(out, "</td><td>");
    html_text(out, record_string(vote, "decision"));
    html_raw(out, "</td><td>");
    html_text(out, record_string(vote, "reason"));
    html_raw(out, "</td><td class=\"%s\">", counts(verdict) ? "" : "bad");
    html_text(out, verdict);
    html_raw(out, "</td><td class=\"dim\">");
    html_text(out, record_string(vote, "invocation"));
    html_raw(out, "<br><code>");
    html_text(out, record_string(vote, "digest"));
    html_raw(out, "</code></td></tr>\n");
}
