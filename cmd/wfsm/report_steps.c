/* One row of the table of steps. */
#include <inttypes.h>
#include <string.h>
#include "wfsm/print.h"
#include "wfsm/record.h"
#include "wfsm/report.h"

static void add_input(cli_text *out, const json_t *record)
{
    cli_text words = {0};
    const json_t *data = json_object_get(json_object_get(record, "input"), "data");
    record_input(&words, record);
    html_text(out, words.data ? words.data : "");
    cli_text_free(&words);
    if (!data)
        return;
    html_raw(out, "<details><summary>data</summary><pre>");
    html_json(out, data);
    html_raw(out, "</pre></details>");
}

static void add_transitions(cli_text *out, const json_t *record)
{
    size_t index;
    const json_t *transition;
    json_array_foreach(json_object_get(record, "transitions"), index, transition)
    {
        cli_text to = {0};
        record_joined(&to, json_object_get(transition, "to"), ", ");
        html_raw(out, index > 0 ? "<br><code>" : "<code>");
        html_text(out, record_string(transition, "from"));
        html_raw(out, to.data ? " → " : " stays");
        html_text(out, to.data ? to.data : "");
        html_raw(out, "</code>");
        cli_text_free(&to);
    }
}

static void add_why(cli_text *out, const json_t *what, const char *kind)
{
    if (!what)
        return;
    html_raw(out, "<div class=\"bad\">");
    const char *message = record_string(what, "message");
    html_text(out, record_string(what, kind));
    html_raw(out, *message ? ": " : "");
    html_text(out, message);
    html_raw(out, "</div>");
}

static void add_errors(cli_text *out, const json_t *errors)
{
    size_t index;
    const json_t *error;
    json_array_foreach(errors, index, error)
    {
        html_raw(out, "<div class=\"bad\">");
        html_text(out, json_is_string(error) ? json_string_value(error) : "?");
        html_raw(out, "</div>");
    }
}

void report_failures(cli_text *out, const json_t *record)
{
    add_why(out, json_object_get(record, "failure"), "status");
    add_why(out, json_object_get(record, "failed"), "class");
    add_errors(out, json_object_get(record, "errors"));
}

static void add_key(cli_text *out, const char *key, const json_t *before, const json_t *after)
{
    html_raw(out, "<dt>");
    html_text(out, key);
    html_raw(out, "</dt><dd><code>");
    if (before) {
        html_raw(out, "<span class=\"was\">");
        html_json(out, before);
        html_raw(out, "</span> ");
    }
    html_json(out, after);
    html_raw(out, "</code></dd>");
}

void report_changes(cli_text *out, const json_t *before, const json_t *after)
{
    const char *key;
    json_t *value;
    cli_text list = {0};
    json_object_foreach((json_t *)after, key, value)
    {
        const json_t *old = json_object_get(before, key);
        if (!old || !json_equal(old, value))
            add_key(&list, key, old, value);
    }
    json_object_foreach((json_t *)before, key, value)
    {
        if (!json_object_get(after, key))
            add_key(&list, key, value, NULL);
    }
    if (list.data)
        html_raw(out, "<dl>");
    cli_text_add(out, list.data ? list.data : "", list.length);
    if (list.data)
        html_raw(out, "</dl>");
    cli_text_free(&list);
}

void report_step(report *run, const wfsm_row *row, const json_t *record, const json_t *before)
{
    cli_text *out = &run->steps;
    char time[PRINT_TIME_BYTES];
    cli_text states = {0};
    record_joined(&states, json_object_get(record, "configuration"), ", ");
    html_raw(out,
             "<tr id=\"r%" PRIu64 "\"><td class=\"n\">%" PRIu64
             "</td><td class=\"n\"><span title=\"%s\">+",
             row->revision, row->revision, print_time(row->now, time));
    html_duration(out, row->now - run->began);
    html_raw(out, "</span></td><td>");
    add_input(out, record);
    html_raw(out, "</td><td>");
    html_text(out, record_string(record, "outcome"));
    html_raw(out, "</td><td>");
    add_transitions(out, record);
    html_raw(out, "</td><td>");
    html_text(out, states.data ? states.data : "");
    html_raw(out, "</td><td>");
    report_failures(out, record);
    report_changes(out, before, run->context);
    html_raw(out, "</td></tr>\n");
    cli_text_free(&states);
}
