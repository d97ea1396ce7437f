#include "wfsm/serve.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "wfsm/asked.h"
#include "wfsm/owned.h"

enum { BATCH = 100 };

/* A page looks at so many instances at most, and continues on the next one. */
typedef struct page {
    const serve_request *asked;
    serve_answer *answer;
    wfsm_store *store;
    stored_head heads[BATCH];
    size_t count; /* of heads */
    size_t shown, looked_at, loaded;
    int64_t left;   /* ms for loading */
    char last[256]; /* the last one that was looked at */
    bool more, late;
    cli_text *out;
} page;

static const char *field(const page *self, const char *name)
{
    return serve_get(self->asked, name);
}

/* ---- the filters ---- */

static const struct {
    const char *name, *label, *hint;
} filters[] = {{"machine", "machine", ""},
               {"state", "state", ""},
               {"tag", "tag", ""},
               {"owner", "owner", "- for nobody"},
               {"project", "project", ""},
               {"where", "attribute", "amount>1000"},
               {"waits", "waiting for", "a person's name, or *"},
               {"stuck", "no change for (minutes)", "60"}};

static void add_input(cli_text *out, size_t index, const char *value)
{
    html_raw(out, "<label>%s<input name=\"%s\" placeholder=\"%s\" value=\"",
             filters[index].label, filters[index].name, filters[index].hint);
    html_text(out, value);
    html_raw(out, "\"></label>\n");
}

/* Of conditions there may be several: behind those that are given is room for the next. */
static void add_conditions(cli_text *out, const serve_request *asked, size_t index)
{
    for (size_t i = 0; i < asked->count; i++)
        if (strcmp(asked->fields[i].name, "where") == 0 && asked->fields[i].value.length > 0)
            add_input(out, index, asked->fields[i].value.data);
    add_input(out, index, "");
}

static void add_form(cli_text *out, const serve_request *asked)
{
    static const char *const words[] = {"", "running", "done"};
    const char *status = serve_get(asked, "status");
    html_raw(out, "<form method=\"get\" action=\"/\" role=\"search\">\n");
    for (size_t i = 0; i < sizeof filters / sizeof *filters; i++)
        if (strcmp(filters[i].name, "where") == 0)
            add_conditions(out, asked, i);
        else
            add_input(out, i, serve_get(asked, filters[i].name));
    html_raw(out, "<label>status<select name=\"status\">");
    for (size_t i = 0; i < 3; i++)
        html_raw(out, "<option value=\"%s\"%s>%s</option>", words[i],
                 strcmp(status, words[i]) == 0 ? " selected" : "",
                 *words[i] ? words[i] : "any");
    html_raw(out, "</select></label>\n<button>Filter</button>\n</form>\n");
}

/* Those that the store knows; WHERE is the last of them. */
static int index_of(const char *name)
{
    static const char *const names[SELECTION_OPTIONS] = {"machine", "tag",     "status",
                                                         "owner",   "project", "where"};
    int i = 0;
    while (i < SELECTION_OPTIONS && strcmp(names[i], name) != 0)
        i++;
    return i;
}

static bool take_filter(selection *which, const serve_request *asked, const serve_field *given)
{
    int index = index_of(given->name);
    const char *value = given->value.data;
    bool is_where = strcmp(given->name, "where") == 0;
    if (index == SELECTION_OPTIONS || given->value.length == 0 ||
        (!is_where && value != serve_get(asked, given->name)))
        return true;
    if (strcmp(given->name, "owner") == 0 && strcmp(value, "-") == 0)
        value = "";
    return selection_take(which, index, value);
}

/* A number of minutes. */
static bool is_count(const char *text)
{
    size_t length = strspn(text, "0123456789");
    return text[length] == '\0' && length <= 9;
}

static bool take_filters(selection *which, const serve_request *asked)
{
    bool fine = is_count(serve_get(asked, "stuck"));
    for (size_t i = 0; i < asked->count && fine; i++)
        fine = take_filter(which, asked, &asked->fields[i]);
    return fine;
}

/* ---- the filters that look into instances ---- */

static bool is_in_state(const serve_state *at, const char *state)
{
    size_t index, length = strlen(state);
    const json_t *one;
    bool is = false;
    json_array_foreach(at->paths, index, one)
    {
        const char *path = json_string_value(one);
        is = is || (strncmp(path, state, length) == 0 &&
                    (path[length] == '\0' || path[length] == '.'));
    }
    return is;
}

static bool asks_person(const json_t *asked, const char *person)
{
    const json_t *people = json_object_get(json_object_get(asked, "input"), "people"), *one;
    size_t index;
    bool is = strcmp(person, "*") == 0 || !json_is_array(people);
    json_array_foreach(people, index, one)
    {
        is = is || (json_is_string(one) && strcmp(json_string_value(one), person) == 0);
    }
    return is;
}

static bool waits_for(page *self, const stored_head *head, const char *person)
{
    int64_t began = owned_clock();
    json_t *all = asked_of(self->store, head), *one;
    size_t index;
    bool waits = false;
    self->left -= owned_clock() - began;
    self->loaded++;
    json_array_foreach(all, index, one) waits = waits || asks_person(one, person);
    json_decref(all);
    return waits;
}

static bool is_stuck(const stored_head *head, const char *minutes)
{
    return head->status != WFSM_DONE &&
           owned_clock() - head->updated >= strtoll(minutes, NULL, 10) * 60000;
}

static bool is_wanted(page *self, const stored_head *head, const serve_state *at)
{
    const char *state = field(self, "state"), *person = field(self, "waits"),
               *stuck = field(self, "stuck");
    if (*state && (!at || !is_in_state(at, state)))
        return false;
    if (*stuck && !is_stuck(head, stuck))
        return false;
    return !*person || (at && at->asks && waits_for(self, head, person));
}

/* ---- the rows ---- */

static int32_t keep(void *user, const wfsm_row *row)
{
    page *self = user;
    if (self->count == BATCH)
        return WFSM_CORRUPT;
    stored_head_copy(&self->heads[self->count++], row->head);
    return WFSM_OK;
}

static void add_states(cli_text *out, const serve_state *at)
{
    size_t index;
    const json_t *one;
    if (!at)
        html_raw(out, "?");
    else
        json_array_foreach(at->paths, index, one)
        {
            html_raw(out, index > 0 ? " " : "");
            html_text(out, json_string_value(one));
        }
}

static void add_row(page *self, const stored_head *head, const serve_state *at)
{
    cli_text *out = self->out;
    html_raw(out, "<tr><td>");
    serve_link(out, "/instance", "id", head->id);
    html_raw(out, "</td><td>");
    serve_link(out, "/machine", "name", head->machine);
    html_raw(out, "</td><td>");
    add_states(out, at);
    html_raw(out, "</td><td>%s</td><td class=\"n\">%" PRIu64 "</td><td>",
             at && at->stopped ? "stopped" : stored_status(head), head->revision);
    serve_ago(out, head->updated);
    html_raw(out, "</td><td>");
    html_text(out, head->owner);
    html_raw(out, "</td><td>");
    html_text(out, head->tags);
    html_raw(out, "</td></tr>\n");
}

static void look_at(page *self, const stored_head *head)
{
    const serve_state *at = serve_state_known(self->asked->self->states, head);
    if (is_wanted(self, head, at)) {
        serve_sum_head(self->answer, head->id, head->token, head->owner);
        add_row(self, head, at);
        self->shown++;
    }
    snprintf(self->last, sizeof self->last, "%s", head->id);
    self->looked_at++;
}

static void free_batch(page *self)
{
    while (self->count > 0)
        stored_head_free(&self->heads[--self->count]);
}

static bool is_full(const page *self)
{
    return self->shown == SERVE_PAGE || self->looked_at >= SERVE_MOST_SEEN ||
           (self->loaded > 0 && self->left < 0);
}

/* The first ones in any case, so that there is an end. */
static bool fetch(page *self)
{
    int64_t began = owned_clock();
    bool all =
        serve_states_fetch(self->asked->self->states, self->store, self->heads, self->count,
                           self->looked_at > 0 ? began + self->left : INT64_MAX);
    self->left -= owned_clock() - began;
    return all;
}

static int32_t add_batch(page *self, wfsm_query *query, wfsm_error *error)
{
    query->after = *self->last ? self->last : NULL;
    query->limit = BATCH;
    int32_t status = wfsm_store_list(self->store, query, keep, self, error);
    size_t i = 0;
    self->late = status == WFSM_OK && !fetch(self);
    for (; i < self->count && !self->late && !is_full(self) && status == WFSM_OK; i++)
        look_at(self, &self->heads[i]);
    self->more = self->count == BATCH || i < self->count;
    free_batch(self);
    return status;
}

static int32_t add_rows(page *self, wfsm_query *query, wfsm_error *error)
{
    int32_t status = WFSM_OK;
    self->more = true;
    while (self->more && !self->late && !is_full(self) && status == WFSM_OK)
        status = add_batch(self, query, error);
    return status;
}

static void add_next(page *self)
{
    if (!self->more)
        return;
    html_raw(self->out, "<p><a rel=\"next\" href=\"/?");
    for (size_t i = 0; i < self->asked->count; i++) {
        const serve_field *one = &self->asked->fields[i];
        if (strcmp(one->name, "after") == 0 || one->value.length == 0)
            continue;
        serve_encode(self->out, one->name);
        html_raw(self->out, "=");
        serve_encode(self->out, one->value.data);
        html_raw(self->out, "&amp;");
    }
    html_raw(self->out, "after=");
    serve_encode(self->out, self->last);
    html_raw(self->out, "\">More</a></p>\n");
}

static void add_table(page *self, wfsm_query *query, serve_answer *answer)
{
    wfsm_error *error = cli_need(wfsm_error_new(NULL));
    html_raw(self->out, "<div class=\"wide\"><table><caption class=\"dim\">Instances</caption>"
                        "<thead><tr><th scope=\"col\">id</th><th scope=\"col\">machine</th>"
                        "<th scope=\"col\">state</th><th scope=\"col\">status</th><th "
                        "scope=\"col\">revision</th><th scope=\"col\">changed</th><th "
                        "scope=\"col\">owner</th><th scope=\"col\">tags</th></tr></thead>\n"
                        "<tbody>\n");
    int32_t status = add_rows(self, query, error);
    html_raw(self->out, "</tbody></table></div>\n");
    if (self->shown == 0)
        html_raw(self->out, "<p>None%s.</p>\n", self->more ? " so far" : "");
    add_next(self);
    answer->sum = serve_sum(answer->sum, &self->more, sizeof self->more);
    serve_end(answer);
    if (status != WFSM_OK)
        serve_fail(answer, status == WFSM_INVALID ? 400 : 503, wfsm_error_message(error));
    wfsm_error_free(error);
}

void serve_list(const serve_request *asked, serve_answer *answer)
{
    selection which = {0};
    page self = {.asked = asked, .answer = answer, .out = &answer->body};
    snprintf(self.last, sizeof self.last, "%s", serve_get(asked, "after"));
    self.left = SERVE_LOADS_MS;
    if (!take_filters(&which, asked)) {
        serve_fail(
            answer, 400,
            "a filter is wrong: an attribute is NAME=VALUE, or with !=, <, <=, > or >=; a "
            "status is running or done; the minutes are a number");
    } else if ((self.store = serve_open(asked->self, answer))) {
        wfsm_query query = selection_query(&which);
        serve_begin(&answer->body, asked->self, "instances");
        html_raw(&answer->body, "<h1>Instances</h1>\n");
        add_form(&answer->body, asked);
        add_table(&self, &query, answer);
    }
    wfsm_store_free(self.store);
    selection_free(&which);
}
