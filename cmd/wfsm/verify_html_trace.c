/* The script of a trace is played on the real step, and each step becomes an element of a list. */
#include "wfsm/verify_html.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "wfsm/record.h"
#include "wfsm/report.h"
#include "wfsm/simulate_script.h"

typedef struct steps {
    cli_text *out;
    const char *trace; /* the lines of the trace that were not read yet */
    size_t number; /* of the next step */
    uint64_t revision; /* up to which records are read */
    int64_t waited; /* ms since the step before */
    json_t *context; /* after the last line */
    char *asked; /* the invocation that the last line votes on, or NULL */
    cli_text body, active; /* of the step at hand */
} steps;

/* ---- one line of a script ---- */

static void add_transition(cli_text *out, const json_t *transition)
{
    cli_text to = {0};
    cli_text_add(&to, "", 0);
    record_joined(&to, json_object_get(transition, "to"), ", ");
    const char *from = record_string(transition, "from");
    const char *event = record_string(transition, "event");
    char *name = report_edge(from, event, to.data);
    html_raw(out, "<code class=\"edge\" data-edge=\"");
    html_line(out, name, strlen(name));
    html_raw(out, "\">");
    html_text(out, *from ? from : "the machine");
    html_raw(out, " — ");
    html_text(out, *event ? event : "always");
    html_raw(out, to.length > 0 ? " → " : " → stays");
    html_text(out, to.data);
    html_raw(out, "</code>\n");
    free(name);
    cli_text_free(&to);
}

static int32_t add_record(void *user, const wfsm_row *row)
{
    steps *self = user;
    size_t index;
    const json_t *transition;
    json_t *record = json_loadb(row->text, row->length, JSON_ALLOW_NUL, NULL);
    json_array_foreach(json_object_get(record, "transitions"), index, transition)
        add_transition(&self->body, transition);
    report_failures(&self->body, record);
    json_decref(record);
    return WFSM_OK;
}

static void add_data(steps *self, sim_run *sim)
{
    size_t length = 0;
    const char *text = wfsm_instance_context(sim->instance, &length);
    json_t *context = text ? json_loadb(text, length, JSON_ALLOW_NUL, NULL) : NULL;
    if (!context)
        return;
    report_changes(&self->body, self->context, context);
    json_decref(self->context);
    self->context = context;
}

static void add_active(steps *self, sim_run *sim)
{
    size_t length = 0;
    const char *text = wfsm_instance_configuration(sim->instance, &length);
    self->active.length = 0;
    cli_text_add(&self->active, text ? text : "[]", text ? length : 2);
}

static void add_effect(steps *self, sim_run *sim)
{
    uint64_t last = wfsm_instance_revision(sim->instance);
    wfsm_store_records(sim->store, wfsm_instance_id(sim->instance), self->revision + 1, last,
                       add_record, self, sim->error);
    self->revision = last;
    if (sim->answer.status != WFSM_OK && sim->answer.message.length > 0) {
        html_raw(&self->body, "<div class=\"bad\">");
        html_text(&self->body, sim->answer.message.data);
        html_raw(&self->body, "</div>");
    }
    add_data(self, sim);
    add_active(self, sim);
}

/* ---- steps ---- */

static void end_step(steps *self)
{
    if (!self->body.data)
        return;
    html_raw(self->out, "<li data-active=\"");
    html_line(self->out, self->active.data, self->active.length);
    html_raw(self->out, "\">");
    cli_text_add(self->out, self->body.data, self->body.length);
    html_raw(self->out, "</li>\n");
    self->body.length = 0;
}

/* The line of the trace's text that has this number; `line` is what is said instead. */
static void add_heading(steps *self, const char *line)
{
    char number[32];
    int length = snprintf(number, sizeof number, "%3zu. ", self->number++);
    const char *at = self->trace;
    html_raw(&self->body, "<button type=\"button\">");
    while (*at && strncmp(at, number, (size_t)length) != 0) {
        if (strncmp(at, "    from here", 13) == 0)
            html_raw(&self->body, "<em>From here it repeats for ever.</em> ");
        at += strcspn(at, "\n");
        at += *at == '\n';
    }
    if (*at) {
        size_t rest = strcspn(at, "\n");
        html_line(&self->body, at + length, rest - (size_t)length);
        self->trace = at + rest;
    } else {
        html_text(&self->body, line);
    }
    html_raw(&self->body, "</button>\n");
}

static void add_waited(steps *self, const char *before, const char *after)
{
    if (self->waited == 0)
        return;
    html_raw(&self->body, "<span class=\"dim\">");
    html_text(&self->body, before);
    html_duration(&self->body, self->waited);
    html_text(&self->body, after);
    html_raw(&self->body, "</span>\n");
    self->waited = 0;
}

/* People who decide together are one step of a trace, and a line each of its script. */
static bool goes_on(steps *self, const json_t *input)
{
    const char *asked = record_string(json_object_get(input, "approve"), "invocation");
    bool same = self->asked && *asked && strcmp(self->asked, asked) == 0;
    free(self->asked);
    self->asked = cli_need(strdup(asked));
    return same;
}

static bool add_line(void *user, const cli_text *line, sim_run *sim)
{
    steps *self = user;
    json_t *input = cli_need(json_loadb(line->data, line->length, JSON_ALLOW_NUL, NULL));
    const json_t *wait = json_object_get(input, "advance");
    if (wait) {
        self->waited += json_integer_value(wait);
    } else {
        if (!goes_on(self, input)) {
            end_step(self);
            add_heading(self, line->data);
            add_waited(self, "", " later");
        }
        add_effect(self, sim);
    }
    json_decref(input);
    return true;
}

static void add_text(cli_text *out, const char *text)
{
    html_raw(out, "<pre>");
    html_text(out, text);
    html_raw(out, "</pre>\n");
}

/* The script plays the parent: what its children do is shown as text. */
static void add_children(cli_text *out, const char *trace)
{
    const char *at = strstr(trace, "\nchild of \"");
    if (at)
        add_text(out, at + 1);
}

void verify_html_trace(cli_text *out, const wfsm_verify_diagnostic *diagnostic,
                       wfsm_machine *machine)
{
    cli_text list = {0};
    steps self = {.out = &list, .trace = diagnostic->trace, .context = cli_need(json_object())};
    bool played = script_play(machine, diagnostic->script, add_line, &self);
    add_waited(&self, "then ", " pass, and nothing happens");
    end_step(&self);
    if (played && list.data) {
        html_raw(out, "<ol class=\"steps\">\n");
        cli_text_add(out, list.data, list.length);
        html_raw(out, "</ol>\n");
        add_children(out, diagnostic->trace);
    } else {
        add_text(out, diagnostic->trace);
    }
    json_decref(self.context);
    free(self.asked);
    cli_text_free(&self.body);
    cli_text_free(&self.active);
    cli_text_free(&list);
}
