/* The result of a gate, for people and for programs. */
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include "wfsm/gate.h"
#include "wfsm/html.h"
#include "wfsm/sarif.h"
#include "wfsm/shown.h"

static const char *severity_word(const gate_diagnostic *one)
{
    static const char *const words[] = {
        [GATE_NOTE] = "note", [GATE_WARNING] = "warning", [GATE_ERROR] = "error"};
    return words[one->severity];
}

static bool gate_allows(const gate *self)
{
    return !gate_refuses(self) && self->verdict != WFSM_UNDECIDED;
}

static const char *verdict_of(const gate *self)
{
    if (gate_refuses(self))
        return "must not be deployed";
    return self->verdict == WFSM_UNDECIDED ? "undecided" : "may be deployed";
}

/* "3 instances, such as a, b, c"; "" if it is about none. To be freed. */
static char *examples_of(const gate_diagnostic *one)
{
    cli_text text = {0};
    char counted[60];
    snprintf(counted, sizeof counted, "%" PRIu64 " instance%s%s", one->count,
             one->count == 1 ? "" : "s", one->count > GATE_EXAMPLES ? ", such as " : ": ");
    cli_text_add(&text, one->count > 0 ? counted : "", one->count > 0 ? strlen(counted) : 0);
    for (size_t i = 0; i < GATE_EXAMPLES && one->examples[i]; i++) {
        cli_text_add(&text, ", ", i > 0 ? 2 : 0);
        cli_text_add(&text, one->examples[i], strlen(one->examples[i]));
    }
    return text.data;
}

static void print_diagnostic(const gate *self, const gate_diagnostic *one)
{
    char *examples = examples_of(one);
    shown_printf("%s:%d:%d: %s: %s%s%s [%s]\n", self->file, one->line, one->column,
                 severity_word(one), one->message, *examples ? "; " : "", examples, one->rule);
    free(examples);
}

void gate_print_text(const gate *self)
{
    for (int severity = GATE_ERROR; severity >= GATE_NOTE; severity--)
        for (size_t i = 0; i < self->count; i++)
            if ((int)self->diagnostics[i].severity == severity)
                print_diagnostic(self, &self->diagnostics[i]);
    if (self->more > 0)
        shown_printf("and %" PRIu64 " more\n", self->more);
    shown_printf("verification: %s\n", wfsm_verdict_name(self->verdict));
    shown_printf("instances: %" PRIu64 ", of which %" PRIu64 " are running: %" PRIu64
                 " under this document, %" PRIu64 " can be migrated, %" PRIu64 " cannot\n",
                 self->instances, self->living, self->there, self->movable, self->staying);
    shown_printf("journals replayed: %" PRIu64 ", of which %" PRIu64 " give the same, %" PRIu64
                 " diverge, %" PRIu64 " end at a state of the old document\n",
                 self->replayed, self->same, self->diverging,
                 self->replayed - self->same - self->diverging);
    shown_printf("%s: %s\n", self->file, verdict_of(self));
}

/* ---- JSON ---- */

static json_t *diagnostic_json(const gate_diagnostic *one)
{
    json_t *examples = cli_need(json_array());
    for (size_t i = 0; i < GATE_EXAMPLES && one->examples[i]; i++)
        json_array_append_new(examples, cli_need(json_string(one->examples[i])));
    return cli_need(json_pack("{s:s s:s s:s s:i s:i s:I s:o}", "severity", severity_word(one),
                              "rule", one->rule, "message", one->message, "line", one->line,
                              "column", one->column, "instances", (json_int_t)one->count,
                              "examples", examples));
}

static json_t *diagnostics_json(const gate *self)
{
    json_t *list = cli_need(json_array());
    for (size_t i = 0; i < self->count; i++)
        json_array_append_new(list, diagnostic_json(&self->diagnostics[i]));
    return list;
}

void gate_print_json(FILE *out, const gate *self)
{
    json_t *instances =
        json_pack("{s:I s:I s:I s:I s:I}", "all", (json_int_t)self->instances, "running",
                  (json_int_t)self->living, "there", (json_int_t)self->there, "movable",
                  (json_int_t)self->movable, "staying", (json_int_t)self->staying);
    json_t *replays =
        json_pack("{s:I s:I s:I}", "journals", (json_int_t)self->replayed, "same",
                  (json_int_t)self->same, "diverging", (json_int_t)self->diverging);
    verify_print_whole(out,
                       json_pack("{s:b s:s s:o s:o s:I s:o}", "deploy", (int)gate_allows(self),
                                 "verification", wfsm_verdict_name(self->verdict), "instances",
                                 instances, "replays", replays, "more", (json_int_t)self->more,
                                 "diagnostics", diagnostics_json(self)));
}

/* ---- SARIF ---- */

static json_t *result_json(const gate *self, const gate_diagnostic *one)
{
    char *examples = examples_of(one);
    cli_text text = {0};
    cli_text_add(&text, one->message, strlen(one->message));
    cli_text_add(&text, "; ", *examples ? 2 : 0);
    cli_text_add(&text, examples, strlen(examples));
    json_t *result = cli_need(json_pack(
        "{s:s s:s s:{s:s} s:[o]}", "ruleId", one->rule, "level", severity_word(one), "message",
        "text", text.data, "locations", sarif_location(self->file, one->line, one->column)));
    cli_text_free(&text);
    free(examples);
    return result;
}

void gate_print_sarif(FILE *out, const gate *self)
{
    json_t *results = cli_need(json_array());
    for (size_t i = 0; i < self->count; i++)
        json_array_append_new(results, result_json(self, &self->diagnostics[i]));
    json_t *run = cli_need(json_pack("{s:b}", "executionSuccessful", 1));
    verify_print_whole(out, sarif_whole("wfsm gate", run, results));
}

/* ---- a page ---- */

static void add_row(cli_text *out, const gate_diagnostic *one)
{
    char *examples = examples_of(one);
    html_raw(out, "<tr><td%s>%s</td><td>%s</td><td>",
             one->severity == GATE_ERROR ? " class=\"bad\"" : "", severity_word(one),
             one->rule);
    html_text(out, one->message);
    html_raw(out, "</td><td>");
    html_text(out, examples);
    html_raw(out, "</td></tr>\n");
    free(examples);
}

static void add_diagnostics(cli_text *out, const gate *self)
{
    html_raw(out, "<h2>What was found</h2>\n");
    if (self->count == 0) {
        html_raw(out, "<p>Nothing.</p>\n");
        return;
    }
    html_raw(out, "<div class=\"wide\"><table><tr><th>severity</th><th>rule</th><th>what</th>"
                  "<th>where</th></tr>\n");
    for (int severity = GATE_ERROR; severity >= GATE_NOTE; severity--)
        for (size_t i = 0; i < self->count; i++)
            if ((int)self->diagnostics[i].severity == severity)
                add_row(out, &self->diagnostics[i]);
    html_raw(out, "</table></div>\n");
    if (self->more > 0)
        html_raw(out, "<p>And %" PRIu64 " more.</p>\n", self->more);
}

static void add_count(cli_text *out, const char *what, uint64_t count)
{
    html_raw(out, "<tr><th>%s</th><td class=\"n\">%" PRIu64 "</td></tr>\n", what, count);
}

static void add_counts(cli_text *out, const gate *self)
{
    html_raw(out, "<h2>Instances</h2>\n<div class=\"wide\"><table>\n");
    add_count(out, "all", self->instances);
    add_count(out, "running", self->living);
    add_count(out, "under this document already", self->there);
    add_count(out, "can be migrated", self->movable);
    add_count(out, "cannot be migrated", self->staying);
    html_raw(out, "</table></div>\n<h2>Journals replayed under this document</h2>\n"
                  "<div class=\"wide\"><table>\n");
    add_count(out, "replayed", self->replayed);
    add_count(out, "give the same", self->same);
    add_count(out, "diverge", self->diverging);
    html_raw(out, "</table></div>\n");
}

void gate_print_html(FILE *out, const gate *self)
{
    cli_text page = {0};
    html_begin(&page, self->file, "", "");
    html_raw(&page, "<h1>");
    html_text(&page, self->file);
    html_raw(&page, " <strong class=\"%s\">%s</strong></h1>\n<p>Verification: %s.</p>\n",
             gate_allows(self) ? "good" : "bad", verdict_of(self),
             wfsm_verdict_name(self->verdict));
    add_diagnostics(&page, self);
    add_counts(&page, self);
    html_end(&page);
    shown_text(out, page.data, page.length);
    cli_text_free(&page);
}
