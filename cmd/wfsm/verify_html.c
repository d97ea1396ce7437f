/* The result of a verification on one page. Without its script the page shows the same, but does not
 * mark the steps of a trace in the chart. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "wfsm/report.h"
#include "wfsm/shown.h"
#include "wfsm/verify_html.h"
#include "wfsm/verify_print.h"

enum { NOTE = 3 };

typedef struct page {
    cli_text out;
    const wfsm_verification *found;
    wfsm_machine *machine;
    const char *file, *options;
} page;

/* ---- the verdict ---- */

static const char *sentence(int32_t verdict)
{
    switch (verdict) {
    case WFSM_VIOLATED:
        return "Something is wrong. Each error has a shortest run that shows it.";
    case WFSM_HOLDS:
        return "Everything that can happen was tried, and no run violates anything.";
    default:
        return "Nothing was found, but not everything was tried:";
    }
}

static void add_verdict(page *self)
{
    cli_text *out = &self->out;
    wfsm_verify_counts counts = {.size = sizeof counts};
    int32_t verdict = wfsm_verification_verdict(self->found);
    const char *word = wfsm_verdict_name(verdict);
    wfsm_verification_counts(self->found, &counts);
    html_raw(out, "<h1>");
    html_text(out, wfsm_machine_id(self->machine));
    html_raw(out, " <span class=\"badge %s\">%s</span></h1>\n<p class=\"sub\">", word, word);
    html_text(out, self->file);
    html_raw(out, " · %" PRIu64 " states, %" PRIu64 " moves, depth %" PRIu64 "</p>\n<p>%s ",
             counts.states, counts.moves, counts.depth, sentence(verdict));
    html_text(out, wfsm_verification_bound(self->found));
    html_raw(out, "</p>\n");
}

/* ---- the chart ---- */

static void add_chart(page *self)
{
    size_t length = 0;
    const char *text = wfsm_machine_document(self->machine, &length);
    report about = {.document = json_loadb(text, length, JSON_ALLOW_NUL, NULL)};
    html_raw(&self->out,
             "<section class=\"chart\"><h2>Chart</h2>\n<p class=\"dim\">"
             "<span class=\"legend live\"><i class=\"now\"></i> now "
             "<i class=\"seen\"></i> before, in this run </span>"
             "<span class=\"legend\"><i class=\"never\"></i> never taken, in no run</span>"
             " [?] has a guard: point at it.</p>\n");
    if (about.document) {
        about.marks = verify_html_marks(self->found);
        report_chart(&self->out, &about);
    } else {
        html_raw(&self->out, "<p>The document has numbers that cannot be shown here.</p>\n");
    }
    html_raw(&self->out, "</section>\n");
    json_decref(about.marks);
    json_decref(about.document);
}

/* ---- diagnostics ---- */

static void add_play(page *self, size_t number)
{
    html_raw(&self->out,
             "<p class=\"dim hand\">The same by hand: <code>wfsm verify --script %zu", number);
    html_text(&self->out, self->options);
    html_raw(&self->out, " ");
    html_text(&self->out, self->file);
    html_raw(&self->out, " | wfsm simulate --by-hand ");
    html_text(&self->out, self->file);
    html_raw(&self->out, "</code></p>\n");
}

static void add_trace(page *self, size_t number, const wfsm_verify_diagnostic *diagnostic)
{
    verify_html_trace(&self->out, diagnostic, self->machine);
    if (!diagnostic->replayed)
        html_raw(&self->out,
                 "<p class=\"bad\">With the whole context this run ends elsewhere: it may "
                 "not be possible.</p>\n");
    add_play(self, number);
}

static void add_diagnostic(page *self, size_t number, const wfsm_verify_diagnostic *diagnostic)
{
    cli_text *out = &self->out;
    const char *severity = verify_severity(diagnostic);
    html_raw(out,
             "<article id=\"d%zu\"><h3><span class=\"badge %s\">%s</span> %zu. "
             "<a class=\"say\" href=\"#d%zu\">",
             number, severity, severity, number, number);
    html_text(out, diagnostic->message);
    html_raw(out, "</a></h3>\n<p class=\"dim\">line %d, column %d · %s</p>\n",
             (int)diagnostic->line, (int)diagnostic->column, diagnostic->rule);
    if (diagnostic->steps >= 0)
        add_trace(self, number, diagnostic);
    html_raw(out, "</article>\n");
}

static const char player[] =
    "<nav class=\"live\" aria-label=\"steps of the run\">"
    "<button type=\"button\" id=\"first\">first</button> "
    "<button type=\"button\" id=\"back\">← back</button> "
    "<button type=\"button\" id=\"on\">on →</button> "
    "<button type=\"button\" id=\"last\">last</button> "
    "<span id=\"place\" role=\"status\"></span> <span class=\"dim\">The arrow keys do the same.</span>"
    "</nav>\n";

static void add_diagnostics(page *self)
{
    wfsm_verify_diagnostic diagnostic = {.size = sizeof diagnostic};
    if (wfsm_verification_count(self->found) == 0)
        return;
    html_raw(&self->out, "<h2>What was found</h2>\n%s", player);
    for (size_t i = 0; wfsm_verification_get(self->found, i, &diagnostic) == WFSM_OK; i++)
        add_diagnostic(self, i + 1, &diagnostic);
}

/* ---- properties ---- */

/* The number of the diagnostic that is about a property; 0: none. */
static size_t number_of(const page *self, const char *property)
{
    wfsm_verify_diagnostic diagnostic = {.size = sizeof diagnostic};
    for (size_t i = 0; wfsm_verification_get(self->found, i, &diagnostic) == WFSM_OK; i++)
        if (diagnostic.property && strcmp(diagnostic.property, property) == 0)
            return i + 1;
    return 0;
}

static void add_reason(page *self, const wfsm_verify_property *property)
{
    cli_text *out = &self->out;
    size_t number = number_of(self, property->name);
    if (number > 0)
        html_raw(out, "see <a href=\"#d%zu\">diagnostic %zu</a>", number, number);
    else if (property->verdict == WFSM_UNDECIDED)
        html_text(out, wfsm_verification_bound(self->found));
    else if (property->vacuous)
        html_raw(out, "what it is about never happens, so that it says nothing");
    else if (strcmp(property->kind, "reachable") == 0)
        html_raw(out, "some run comes there");
    else
        html_raw(out, "no run violates it");
}

static void add_property(page *self, const wfsm_verify_property *property)
{
    cli_text *out = &self->out;
    const char *word = property->vacuous ? "vacuous" : wfsm_verdict_name(property->verdict);
    html_raw(out, "<tr><td><span class=\"badge %s\">%s</span></td><td>", word, word);
    html_text(out, property->name);
    html_raw(out, " <span class=\"dim\">%s</span>", property->kind);
    if (*property->description) {
        html_raw(out, "<br><span class=\"dim\">");
        html_text(out, property->description);
        html_raw(out, "</span>");
    }
    html_raw(out, "</td><td>");
    add_reason(self, property);
    html_raw(out, "</td></tr>\n");
}

static void add_properties(page *self)
{
    wfsm_verify_property property = {.size = sizeof property};
    if (wfsm_verification_property(self->found, 0, &property) != WFSM_OK)
        return;
    html_raw(&self->out, "<h2>Properties</h2>\n<table id=\"properties\"><tr><th>verdict</th>"
                         "<th>property</th><th>why</th></tr>\n");
    for (size_t i = 0; wfsm_verification_property(self->found, i, &property) == WFSM_OK; i++)
        add_property(self, &property);
    html_raw(&self->out, "</table>\n");
}

static void add_notes(page *self)
{
    const char *note;
    if (!wfsm_verification_note(self->found, 0))
        return;
    html_raw(&self->out, "<h2>What was abstracted or left out</h2>\n<ul id=\"notes\">\n");
    for (size_t i = 0; (note = wfsm_verification_note(self->found, i)); i++) {
        html_raw(&self->out, "<li>");
        html_text(&self->out, note);
        html_raw(&self->out, "</li>\n");
    }
    html_raw(&self->out, "</ul>\n");
}

void verify_print_html(FILE *out, const wfsm_verification *found, wfsm_machine *machine,
                       const char *file, const char *options)
{
    page self = {
        .found = found, .machine = machine, .file = file, .options = options ? options : ""};
    html_begin(&self.out, wfsm_machine_id(machine), verify_html_hashes, verify_html_style);
    add_verdict(&self);
    html_raw(&self.out, "<div class=\"beside\">\n");
    add_chart(&self);
    html_raw(&self.out, "<section>\n");
    add_diagnostics(&self);
    add_properties(&self);
    html_raw(&self.out, "</section></div>\n");
    verify_html_seen(&self.out, found);
    add_notes(&self);
    cli_text_add(&self.out, verify_html_script, strlen(verify_html_script));
    html_end(&self.out);
    shown_text(out, self.out.data, self.out.length);
    cli_text_free(&self.out);
}
