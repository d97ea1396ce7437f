/* Invocations: a table, and a bar for each attempt over the time of the run. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "wfsm/record.h"
#include "wfsm/report.h"

enum { BAR_WIDTH = 360, BAR_HEIGHT = 14 };

static int64_t time_of(const json_t *object, const char *key, int64_t otherwise)
{
    const json_t *value = json_object_get(object, key);
    return value ? (int64_t)json_integer_value(value) : otherwise;
}

static int place(const report *run, int64_t time)
{
    int64_t span = run->now > run->began ? run->now - run->began : 1;
    return (int)((time - run->began) * BAR_WIDTH / span);
}

static void add_bar(cli_text *out, const report *run, const char *class, int64_t from,
                    int64_t to)
{
    int x = place(run, from), end = place(run, to);
    html_raw(out, "<rect class=\"%s\" x=\"%d\" y=\"2\" width=\"%d\" height=\"%d\"/>", class, x,
             end > x + 2 ? end - x : 2, BAR_HEIGHT - 4);
}

/* What waits is a thin grey, what worked is green, failed red, still at work amber. */
static void add_bars(cli_text *out, const report *run, const json_t *work)
{
    size_t index;
    const json_t *attempt;
    html_raw(out, "<svg width=\"%d\" height=\"%d\" role=\"img\" aria-label=\"when\">",
             BAR_WIDTH + 2, BAR_HEIGHT);
    int64_t created = time_of(work, "created", run->began);
    int64_t ended = time_of(work, "ended", run->now);
    html_raw(out, "<rect class=\"wait\" x=\"%d\" y=\"6\" width=\"%d\" height=\"2\"/>",
             place(run, created), place(run, ended) - place(run, created) + 1);
    json_array_foreach(json_object_get(work, "attempts"), index, attempt)
    {
        const char *how = record_string(attempt, "how");
        const char *class = !*how                      ? "bar open"
                            : strcmp(how, "done") == 0 ? "bar"
                                                       : "bar failed";
        add_bar(out, run, class, time_of(attempt, "claimed", created),
                time_of(attempt, "ended", run->now));
    }
    html_raw(out, "</svg>");
}

/* People make no attempts: they take their time. */
static int64_t worked(const report *run, const json_t *work)
{
    int64_t sum = 0;
    size_t index;
    const json_t *attempt;
    if (strcmp(record_string(work, "how"), "decided") == 0)
        return time_of(work, "ended", run->now) - time_of(work, "created", run->now);
    json_array_foreach(json_object_get(work, "attempts"), index, attempt) sum +=
        time_of(attempt, "ended", run->now) - time_of(attempt, "claimed", run->now);
    return sum;
}

/* "2, after network" */
static void add_attempts(cli_text *out, const json_t *work)
{
    size_t count = json_array_size(json_object_get(work, "attempts"));
    const char *reason = record_string(work, "retry_reason");
    html_raw(out, "%zu", count);
    if (count > 1 && *reason) {
        html_raw(out, " <span class=\"dim\">after ");
        html_text(out, reason);
        html_raw(out, "</span>");
    }
}

static void add_asked(cli_text *out, const json_t *work)
{
    html_raw(out, "<details><summary>asked, answered</summary><pre>");
    html_json(out, json_object_get(work, "input"));
    html_raw(out, "</pre><pre>");
    html_json(out, json_object_get(work, "output"));
    html_raw(out, "</pre></details>");
}

static bool is_at_work(const json_t *work)
{
    const json_t *attempts = json_object_get(work, "attempts");
    size_t count = json_array_size(attempts);
    return count > 0 && !json_object_get(json_array_get(attempts, count - 1), "ended");
}

static void add_row(cli_text *out, const report *run, const json_t *work)
{
    const char *how = record_string(work, "how");
    html_raw(out, "<tr><td><strong>");
    html_text(out, record_string(work, "agent"));
    html_raw(out, "</strong><br><span class=\"dim\">");
    html_text(out, record_string(work, "id"));
    html_raw(out, "</span></td><td>");
    html_text(out, record_string(work, "state"));
    html_raw(out, "</td><td class=\"n\">");
    html_duration(out, worked(run, work));
    html_raw(out, "</td><td>");
    add_attempts(out, work);
    html_raw(out, "</td><td%s>",
             *how && strcmp(how, "done") != 0 && strcmp(how, "decided") != 0 ? " class=\"bad\""
                                                                             : "");
    html_text(out, *how ? how : is_at_work(work) ? "at work" : "waiting");
    html_raw(out, "</td><td>");
    add_bars(out, run, work);
    if (json_object_get(work, "usage")) {
        html_raw(out, "<code>");
        html_json(out, json_object_get(work, "usage"));
        html_raw(out, "</code>");
    }
    add_asked(out, work);
    html_raw(out, "</td></tr>\n");
}

void report_work(cli_text *out, const report *run)
{
    const char *id;
    json_t *work;
    size_t count = json_object_size(run->work), index = 0;
    size_t skipped = run->most_work > 0 && count > run->most_work ? count - run->most_work : 0;
    if (count == 0) {
        html_raw(out, "<p class=\"dim\">Nobody was asked for anything.</p>\n");
        return;
    }
    if (skipped > 0)
        html_raw(out, "<p class=\"dim\">The first %zu are left out.</p>\n", skipped);
    html_raw(out, "<div class=\"wide\"><table><tr><th>agent</th><th>state</th><th>worked</th>"
                  "<th>attempts</th><th>ended</th><th>when</th></tr>\n");
    json_object_foreach(run->work, id, work)
    {
        if (index++ >= skipped)
            add_row(out, run, work);
    }
    html_raw(out, "</table></div>\n");
}
