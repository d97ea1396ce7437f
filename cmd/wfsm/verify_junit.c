/* JUnit's XML: a test case for each property, and one for each other kind of error. An undecided test
 * case has an error, so that a build server does not count it as passed. */
#include <stdlib.h>
#include <string.h>
#include "wfsm/html.h"
#include "wfsm/shown.h"
#include "wfsm/verify_print.h"

typedef struct junit {
    const wfsm_verification *found;
    const char *file;
    cli_text cases;
    size_t tests, failures, errors;
} junit;

/* XML has no U+FFFE and U+FFFF, in whatever form. */
static void add_text(cli_text *out, const char *text)
{
    static const char none[] = "\xef\xbf";
    const char *at = text;
    cli_text piece = {0};
    cli_text_add(&piece, "", 0);
    while ((at = strstr(text, none))) {
        bool bad = (unsigned char)at[2] >= 0xbe;
        cli_text_add(&piece, text, (size_t)(at - text) + (bad ? 0 : 2));
        if (bad)
            html_raw(&piece, "\\uff%x", (unsigned char)at[2] == 0xbe ? 0xfe : 0xff);
        text = at + (bad ? 3 : 2);
    }
    cli_text_add(&piece, text, strlen(text));
    html_line(out, piece.data, piece.length);
    cli_text_free(&piece);
}

static void begin_case(junit *self, const char *name, const char *more)
{
    self->tests++;
    html_raw(&self->cases, "  <testcase classname=\"");
    add_text(&self->cases, self->file);
    html_raw(&self->cases, "\" name=\"");
    add_text(&self->cases, name);
    html_raw(&self->cases, *more ? ": " : "");
    add_text(&self->cases, more);
    html_raw(&self->cases, "\"");
}

static void add_trace(cli_text *out, const char *trace)
{
    while (*trace) {
        size_t length = strcspn(trace, "\n");
        char *line = cli_need(strndup(trace, length));
        html_raw(out, "    ");
        add_text(out, line);
        html_raw(out, "\n");
        free(line);
        trace += length + (trace[length] == '\n');
    }
}

static void add_failure(junit *self, const wfsm_verify_diagnostic *diagnostic)
{
    self->failures++;
    html_raw(&self->cases, ">\n    <failure type=\"");
    add_text(&self->cases, diagnostic->rule);
    html_raw(&self->cases, "\" message=\"");
    add_text(&self->cases, diagnostic->message);
    html_raw(&self->cases, "\">");
    add_text(&self->cases, self->file);
    html_raw(&self->cases, ":%d:%d\n", (int)diagnostic->line, (int)diagnostic->column);
    add_trace(&self->cases, diagnostic->trace);
    html_raw(&self->cases, "</failure>\n  </testcase>\n");
}

/* Neither violated nor proved. */
static void add_undecided(junit *self)
{
    self->errors++;
    html_raw(&self->cases, ">\n    <error type=\"undecided\" message=\"");
    add_text(&self->cases, wfsm_verification_bound(self->found));
    html_raw(&self->cases, "\"/>\n  </testcase>\n");
}

static void add_fine(junit *self)
{
    html_raw(&self->cases, "/>\n");
}

/* ---- properties ---- */

static void add_property(junit *self, const wfsm_verify_property *property)
{
    wfsm_verify_diagnostic diagnostic = {.size = sizeof diagnostic};
    begin_case(self, property->kind, property->name);
    if (property->verdict == WFSM_UNDECIDED) {
        add_undecided(self);
        return;
    }
    for (size_t i = 0; wfsm_verification_get(self->found, i, &diagnostic) == WFSM_OK; i++)
        if (diagnostic.property && strcmp(diagnostic.property, property->name) == 0) {
            add_failure(self, &diagnostic);
            return;
        }
    add_fine(self);
}

/* ---- what is found without properties ---- */

static void add_rule(junit *self, const char *rule)
{
    wfsm_verify_diagnostic diagnostic = {.size = sizeof diagnostic};
    bool any = false;
    for (size_t i = 0; wfsm_verification_get(self->found, i, &diagnostic) == WFSM_OK; i++) {
        if (strcmp(diagnostic.rule, rule) != 0)
            continue;
        begin_case(self, rule, diagnostic.state);
        add_failure(self, &diagnostic);
        any = true;
    }
    if (any)
        return;
    begin_case(self, rule, "");
    if (*wfsm_verification_bound(self->found))
        add_undecided(self);
    else
        add_fine(self);
}

/* Warnings and notes fail nothing. */
static void add_warnings(cli_text *out, const junit *self)
{
    wfsm_verify_diagnostic diagnostic = {.size = sizeof diagnostic};
    html_raw(out, "  <system-out>");
    for (size_t i = 0; wfsm_verification_get(self->found, i, &diagnostic) == WFSM_OK; i++) {
        if (diagnostic.severity == 1)
            continue;
        add_text(out, self->file);
        html_raw(out, ":%d:%d: %s: ", (int)diagnostic.line, (int)diagnostic.column,
                 verify_severity(&diagnostic));
        add_text(out, diagnostic.message);
        html_raw(out, " [%s]\n", diagnostic.rule);
    }
    html_raw(out, "</system-out>\n");
}

static void begin_suites(cli_text *out, const junit *self)
{
    html_raw(out,
             "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
             "<testsuites name=\"wfsm verify\" tests=\"%zu\" failures=\"%zu\" errors=\"%zu\">\n"
             " <testsuite name=\"",
             self->tests, self->failures, self->errors);
    add_text(out, self->file);
    html_raw(out, "\" tests=\"%zu\" failures=\"%zu\" errors=\"%zu\" skipped=\"0\">\n",
             self->tests, self->failures, self->errors);
}

void verify_print_junit(FILE *out, const wfsm_verification *found, const char *file)
{
    static const char *const rules[] = {"start-fails", "step-fails", "deadlock", "livelock",
                                        "no-end"};
    wfsm_verify_property property = {.size = sizeof property};
    junit self = {.found = found, .file = file};
    cli_text text = {0};
    for (size_t i = 0; wfsm_verification_property(found, i, &property) == WFSM_OK; i++)
        add_property(&self, &property);
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        add_rule(&self, rules[i]);
    begin_suites(&text, &self);
    cli_text_add(&text, self.cases.data, self.cases.length);
    add_warnings(&text, &self);
    html_raw(&text, " </testsuite>\n</testsuites>\n");
    shown_text(out, text.data, text.length);
    cli_text_free(&text);
    cli_text_free(&self.cases);
}
