/* A machine's chart, with how many of its instances are in each state. */
#include "wfsm/serve.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "wfsm/owned.h"
#include "wfsm/report.h"

enum { BATCH = 1000 };

typedef struct counting {
    serve *self;
    serve_answer *answer;
    wfsm_store *store;
    stored_head heads[BATCH];
    size_t count; /* of heads */
    char last[256];
    json_t *states; /* by path: how many are there, and below it */
    size_t counted, done;
    int64_t left; /* ms for loading */
    bool more, late;
    report chart; /* of the newest document */
    char *fingerprint;
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

static void count_states(counting *self, const stored_head *head)
{
    const serve_state *at = serve_state_known(self->self->states, head);
    size_t index;
    const json_t *one;
    if (at)
        json_array_foreach(at->paths, index, one)
            add_state(self->states, json_string_value(one));
}

static void count_one(counting *self, const stored_head *head)
{
    serve_sum_head(self->answer, head->id, head->token, "");
    self->counted++;
    self->done += head->status == WFSM_DONE;
    if (head->status != WFSM_DONE)
        count_states(self, head);
    if (!self->fingerprint || head->updated > self->newest) {
        free(self->fingerprint);
        self->fingerprint = cli_need(strdup(head->fingerprint));
        self->newest = head->updated;
    }
    snprintf(self->last, sizeof self->last, "%s", head->id);
}

/* ---- its instances ---- */

static int32_t keep(void *user, const wfsm_row *row)
{
    counting *self = user;
    if (self->count == BATCH)
        return WFSM_CORRUPT;
    stored_head_copy(&self->heads[self->count++], row->head);
    return WFSM_OK;
}

static void free_heads(counting *self)
{
    while (self->count > 0)
        stored_head_free(&self->heads[--self->count]);
}

static int32_t list(counting *self, const char *name, uint64_t limit, wfsm_error *error)
{
    const wfsm_query query = {.size = sizeof query,
                              .machine = name,
                              .after = *self->last ? self->last : NULL,
                              .limit = limit};
    return wfsm_store_list(self->store, &query, keep, self, error);
}

/* The first page of a slow store does not come to all of them, but a later one does. */
static bool fetch(counting *self)
{
    int64_t began = owned_clock();
    bool all = serve_states_fetch(self->self->states, self->store, self->heads, self->count,
                                  self->counted > 0 ? began + self->left : INT64_MAX);
    self->left -= owned_clock() - began;
    return all;
}

static int32_t count_batch(counting *self, const char *name, wfsm_error *error)
{
    int32_t status = list(self, name, BATCH, error);
    self->late = status == WFSM_OK && !fetch(self);
    for (size_t i = 0; i < self->count && status == WFSM_OK && !self->late; i++)
        count_one(self, &self->heads[i]);
    self->more = self->count > 0;
    free_heads(self);
    return status;
}

static int32_t count_all(counting *self, const char *name, wfsm_error *error)
{
    int32_t status;
    do
        status = count_batch(self, name, error);
    while (status == WFSM_OK && self->more && !self->late && self->counted < SERVE_MOST_SEEN);
    if (status == WFSM_OK && self->more)
        status = list(self, name, 1, error);
    self->more = self->count > 0;
    free_heads(self);
    return status;
}

static int32_t read_document(void *user, const wfsm_row *row)
{
    counting *self = user;
    self->chart.document = json_loadb(row->text, row->length, 0, NULL);
    return WFSM_OK;
}

/* ---- the page ---- */

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
             self->counted, self->done, self->more ? "; only the first are counted" : "");
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

static void add_page(counting *self, const char *name)
{
    cli_text *out = &self->answer->body;
    serve_begin(out, self->self, name);
    html_raw(out, "<h1>");
    html_text(out, name);
    html_raw(out, "</h1>\n");
    add_chart(out, self);
    add_counts(out, self, name);
    serve_end(self->answer);
}

static void show(counting *self, const char *name)
{
    wfsm_error *error = cli_need(wfsm_error_new(NULL));
    int32_t status = count_all(self, name, error);
    if (status == WFSM_OK && self->fingerprint)
        status =
            wfsm_store_document(self->store, self->fingerprint, read_document, self, error);
    if (status != WFSM_OK)
        serve_fail(self->answer, status == WFSM_INVALID ? 400 : 503, wfsm_error_message(error));
    else if (self->counted == 0)
        serve_fail(self->answer, 404, "no instance of this machine");
    else
        add_page(self, name);
    wfsm_error_free(error);
}

static void free_counting(counting *self)
{
    json_decref(self->chart.document);
    json_decref(self->chart.active);
    json_decref(self->chart.visits);
    json_decref(self->chart.taken);
    json_decref(self->chart.marks);
    json_decref(self->states);
    free(self->fingerprint);
    wfsm_store_free(self->store);
    free(self);
}

void serve_machine(const serve_request *asked, serve_answer *answer)
{
    const char *name = serve_get(asked, "name");
    counting *self = cli_need(calloc(1, sizeof *self));
    self->self = asked->self;
    self->answer = answer;
    self->left = SERVE_LOADS_MS;
    self->states = cli_need(json_object());
    if (!*name)
        serve_fail(answer, 400, "which machine?");
    else if ((self->store = serve_open(asked->self, answer)))
        show(self, name);
    free_counting(self);
}
