/* A machine's chart, with how many of its instances are in each state. */
#include "wfsm/serve.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "wfsm/report.h"

enum { MOST_COUNTED = 5000 };

typedef struct counting {
    wfsm_store *store;
    stored_machines machines;
    many ids;
    json_t *states; /* by path: how many are there, and below it */
    size_t counted, done;
    report chart; /* of the newest document */
    int64_t newest;
} counting;

static void add_state(json_t *states, const char *path)
{
    char part[512];
    for (const char *at = path; at; at = strchr(at + 1, '.')) {
        const char *end = strchr(at + 1, '.');
        snprintf(part, sizeof part, "%.*s", end ? (int)(end - path) : (int)strlen(path), path);
        json_object_set_new(
            states, part, json_integer(json_integer_value(json_object_get(states, part)) + 1));
    }
}

static void count_states(counting *self, wfsm_instance *instance)
{
    size_t length, index;
    const char *text = wfsm_instance_configuration(instance, &length);
    json_t *active = json_loadb(text, length, 0, NULL), *one;
    json_array_foreach(active, index, one) add_state(self->states, json_string_value(one));
    json_decref(active);
}

static void keep_document(counting *self, const stored_head *head,
                          const stored_instance *loaded)
{
    size_t length;
    const char *text;
    if (self->chart.document && head->updated <= self->newest)
        return;
    text = wfsm_machine_document(loaded->machine, &length);
    json_decref(self->chart.document);
    self->chart.document = cli_need(json_loadb(text, length, 0, NULL));
    self->newest = head->updated;
}

static void count_one(counting *self, const char *path, const char *id)
{
    stored_head head = {0};
    stored_instance loaded = {0};
    if (stored_find(self->store, path, id, &head) &&
        stored_load_known(&loaded, self->store, &head, &self->machines)) {
        keep_document(self, &head, &loaded);
        self->counted++;
        self->done += head.status == WFSM_DONE;
        if (head.status != WFSM_DONE)
            count_states(self, loaded.instance);
    }
    stored_unload(&loaded);
    stored_head_free(&head);
}

static void add_counts(cli_text *out, const counting *self, const char *name)
{
    const char *path;
    json_t *number;
    html_raw(out, "<h2>Running instances by state</h2>\n<table><thead><tr><th scope=\"col\">"
                  "state</th><th scope=\"col\">instances</th></tr></thead><tbody>\n");
    json_object_foreach(self->states, path, number)
    {
        html_raw(out, "<tr><td><a href=\"/?machine=");
        serve_encode(out, name);
        html_raw(out, "&amp;status=running&amp;state=");
        serve_encode(out, path);
        html_raw(out, "\">");
        html_text(out, path);
        html_raw(out, "</a></td><td class=\"n\">%lld</td></tr>\n",
                 (long long)json_integer_value(number));
    }
    html_raw(out, "</tbody></table>\n<p class=\"dim\">%zu instances, %zu of them done%s.</p>\n",
             self->counted, self->done,
             self->ids.count == MOST_COUNTED ? "; only the first are counted" : "");
}

/* States with running instances are the active ones, and say how many. */
static void add_chart(cli_text *out, counting *self)
{
    self->chart.active = json_object();
    self->chart.visits = json_incref(self->states);
    self->chart.taken = json_object();
    self->chart.marks = json_object();
    const char *path;
    json_t *number;
    json_object_foreach(self->states, path, number)
        json_object_set_new(self->chart.active, path, json_true());
    html_raw(out, "<h2>Chart</h2>\n<p class=\"dim\">Amber: instances are there.</p>\n");
    report_chart(out, &self->chart);
}

void serve_machine(const serve_request *asked, serve_answer *answer)
{
    const char *name = serve_get(asked, "name");
    const wfsm_query query = {.size = sizeof query, .machine = name, .limit = MOST_COUNTED};
    counting self = {.store = *name ? serve_open(asked->self, answer) : NULL};
    if (!*name)
        serve_fail(answer, 400, "which machine?");
    if (!self.store)
        return;
    self.states = cli_need(json_object());
    if (!many_list(&self.ids, self.store, asked->self->store, &query))
        serve_fail(answer, 503, "the store cannot be read");
    else if (self.ids.count == 0)
        serve_fail(answer, 404, "no instance of this machine");
    for (size_t i = 0; i < self.ids.count; i++)
        count_one(&self, asked->self->store, self.ids.ids[i]);
    if (self.chart.document) {
        serve_begin(&answer->body, asked->self, name);
        html_raw(&answer->body, "<h1>");
        html_text(&answer->body, name);
        html_raw(&answer->body, "</h1>\n");
        add_chart(&answer->body, &self);
        add_counts(&answer->body, &self, name);
        serve_end(&answer->body);
    }
    json_decref(self.chart.document);
    json_decref(self.chart.active);
    json_decref(self.chart.visits);
    json_decref(self.chart.taken);
    json_decref(self.chart.marks);
    json_decref(self.states);
    many_free(&self.ids);
    stored_machines_free(&self.machines);
    wfsm_store_free(self.store);
}
