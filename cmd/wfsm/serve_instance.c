#include "wfsm/serve.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "wfsm/asked.h"
#include "wfsm/report.h"

enum { STEPS = 100 };

typedef struct showing {
    const serve_request *asked;
    const serve *self;
    const char *id;
    serve_answer *answer;
    cli_text *out;
} showing;

/* ---- forms ---- */

static void begin_form(const showing *at, const char *action)
{
    html_raw(at->out,
             "<form method=\"post\" action=\"/act\"><input type=\"hidden\" name=\"form\" "
             "value=\"%s\"><input type=\"hidden\" name=\"action\" value=\"%s\"><input "
             "type=\"hidden\" name=\"id\" value=\"",
             at->self->form, action);
    html_text(at->out, at->id);
    html_raw(at->out, "\">");
}

static void add_hidden(const showing *at, const char *name, const char *value)
{
    html_raw(at->out, "<input type=\"hidden\" name=\"%s\" value=\"", name);
    html_text(at->out, value);
    html_raw(at->out, "\">");
}

static void add_input(const showing *at, const char *label, const char *name, bool required)
{
    html_raw(at->out, "<label>%s<input name=\"%s\"%s></label>", label, name,
             required ? " required" : "");
}

static void end_form(const showing *at, const char *button, const char *sure)
{
    html_raw(at->out, "<button%s%s%s>%s</button></form>\n", *sure ? " data-sure=\"" : "", sure,
             *sure ? "\"" : "", button);
}

/* ---- what is asked of people ---- */

static void add_question(const showing *at, const json_t *asked)
{
    cli_text *out = at->out;
    char *input =
        cli_need(json_dumps(json_object_get(asked, "input"), JSON_INDENT(2) | JSON_ENCODE_ANY));
    html_raw(out, "<section class=\"asked\"><h3>");
    html_text(out, asked_text(asked, "id"));
    html_raw(out, "</h3>\n<pre>");
    html_whole(out, input); /* nobody approves what was cut */
    free(input);
    html_raw(out, "</pre>\n<p class=\"dim\">%zu of %lld approve, %zu of %lld reject</p>\n",
             asked_votes(asked, "approve"), (long long)asked_count(asked, "quorum"),
             asked_votes(asked, "reject"), (long long)asked_count(asked, "rejections"));
    if (!at->self->read_only) {
        begin_form(at, "vote");
        add_hidden(at, "invocation", asked_text(asked, "id"));
        add_hidden(at, "digest", asked_text(asked, "digest"));
        add_input(at, "reason", "reason", false);
        html_raw(out,
                 "<button class=\"yes\" name=\"decision\" value=\"approve\">Approve</button>"
                 "<button class=\"no\" name=\"decision\" value=\"reject\">Reject</button>"
                 "</form>\n");
    }
    html_raw(out, "</section>\n");
}

static void add_questions(const showing *at, wfsm_store *store, const stored_head *head)
{
    json_t *all = asked_of(store, head), *one;
    size_t index;
    if (json_array_size(all) > 0)
        html_raw(at->out, "<h2>Waiting for a decision</h2>\n");
    json_array_foreach(all, index, one) add_question(at, one);
    json_decref(all);
}

/* ---- what can be done ---- */

static void add_retries(const showing *at, const json_t *invocations)
{
    const json_t *one;
    size_t index;
    json_array_foreach(invocations, index, one)
    {
        if (json_integer_value(json_object_get(one, "attempt")) == 0)
            continue;
        begin_form(at, "retry");
        add_hidden(at, "invocation", asked_text(one, "id"));
        html_raw(at->out, "<span>");
        html_text(at->out, asked_text(one, "src"));
        html_raw(at->out, ", ");
        html_text(at->out, asked_text(one, "status"));
        html_raw(at->out, "</span>");
        end_form(at, "Retry now", "");
    }
}

static void add_actions(const showing *at, const stored_head *head, const json_t *invocations)
{
    if (at->self->read_only)
        return;
    html_raw(at->out, "<h2>Actions</h2>\n");
    if (head->status != WFSM_DONE) {
        begin_form(at, "post");
        add_input(at, "event", "event", true);
        add_input(at, "data (JSON)", "data", false);
        end_form(at, "Post", "");
        add_retries(at, invocations);
        begin_form(at, "stop");
        end_form(at, "Stop", "Stop this instance?");
    }
    begin_form(at, "restore");
    add_input(at, "checkpoint, or @REVISION", "checkpoint", true);
    end_form(at, "Restore", "Set this instance back?");
    begin_form(at, "fork");
    add_input(at, "new id", "to", true);
    add_input(at, "checkpoint, or @REVISION; empty: now", "checkpoint", false);
    end_form(at, "Fork", "");
}

static void add_diff(const showing *at, const stored_head *head)
{
    html_raw(at->out, "<form method=\"get\" action=\"/diff\">");
    add_hidden(at, "id", at->id);
    html_raw(
        at->out,
        "<label>from revision<input name=\"from\" type=\"number\" min=\"1\" value=\"%" PRIu64
        "\"></label><label>to revision<input name=\"to\" type=\"number\" min=\"1\" "
        "value=\"%" PRIu64 "\"></label><button>Compare</button></form>\n",
        head->revision > 1 ? head->revision - 1 : 1, head->revision);
}

/* ---- the page ---- */

static void add_json(const showing *at, const char *title, const char *text, size_t length)
{
    json_t *value = text ? json_loadb(text, length, JSON_DECODE_ANY, NULL) : NULL;
    if (json_array_size(value) > 0 || json_object_size(value) > 0) {
        html_raw(at->out, "<h2>%s</h2>\n<pre>", title);
        html_json(at->out, value);
        html_raw(at->out, "</pre>\n");
    }
    json_decref(value);
}

static void add_said(const showing *at)
{
    const char *said = serve_said(at->self, serve_get(at->asked, "said"));
    if (!said)
        return;
    html_raw(at->out, "<p class=\"said\" role=\"status\">");
    html_text(at->out, said);
    html_raw(at->out, "</p>\n");
}

/* The steps end at `to`. Which ones are shown is in the address. */
static void choose_steps(report *run, const showing *at)
{
    const stored_head *head = run->head;
    uint64_t to = strtoull(serve_get(at->asked, "to"), NULL, 10);
    run->to = to >= head->first && to < head->revision ? to : head->revision;
    run->from = run->to >= head->first + STEPS ? run->to - STEPS + 1 : head->first;
    if (run->from <= head->first)
        return;
    html_raw(&run->earlier, "<a href=\"/instance?id=");
    serve_encode(&run->earlier, at->id);
    html_raw(&run->earlier, "&amp;to=%" PRIu64 "#r%" PRIu64 "\">Earlier steps</a>",
             run->from - 1, run->from - 1);
}

static int32_t add_instance(const showing *at, wfsm_store *store, const stored_head *head,
                            wfsm_instance *instance, wfsm_error *error)
{
    report run = {.head = head, .most_work = STEPS};
    size_t length = 0;
    const char *text = wfsm_instance_invocations(instance, &length);
    json_t *invocations = text ? json_loadb(text, length, 0, NULL) : NULL;
    choose_steps(&run, at);
    int32_t status = report_read(&run, store, error);
    add_said(at);
    if (status == WFSM_OK) {
        report_summary(at->out, &run);
        add_questions(at, store, head);
        add_actions(at, head, invocations);
        add_diff(at, head);
        text = wfsm_instance_timers(instance, &length);
        add_json(at, "Timers", text, length);
        serve_family(at->answer, store, at->id, wfsm_instance_parent(instance));
        status = report_body(at->out, &run, store, error);
    }
    json_decref(invocations);
    report_free(&run);
    return status;
}

/* ---- what it depends on ---- */

static int32_t sum_post(void *user, const wfsm_row *row)
{
    serve_answer *answer = user;
    answer->sum = serve_sum(answer->sum, &row->number, sizeof row->number);
    return WFSM_OK;
}

static int32_t sum_checkpoint(void *user, const wfsm_row *row)
{
    serve_answer *answer = user;
    answer->sum = serve_sum(answer->sum, row->id, strlen(row->id));
    return WFSM_OK;
}

static void sum_up(const showing *at, wfsm_store *store, const stored_head *head)
{
    serve_sum_head(at->answer, head->id, head->token, head->owner);
    wfsm_store_inbox(store, head->id, 100, sum_post, at->answer, NULL);
    wfsm_store_checkpoints(store, head->id, sum_checkpoint, at->answer, NULL);
}

static void show_loaded(const showing *at, wfsm_store *store, const stored_head *head,
                        wfsm_instance *instance)
{
    wfsm_error *error = cli_need(wfsm_error_new(NULL));
    int32_t status = WFSM_OK;
    serve_begin(at->out, at->self, at->id);
    if (at->asked->asks_sum)
        serve_family(at->answer, store, at->id, wfsm_instance_parent(instance));
    else
        status = add_instance(at, store, head, instance, error);
    serve_end(at->answer);
    if (status != WFSM_OK)
        serve_fail(at->answer, 503, wfsm_error_message(error));
    wfsm_error_free(error);
}

static void show(const showing *at, wfsm_store *store)
{
    stored_head head = {0};
    stored_instance loaded = {0};
    if (!stored_find(store, at->self->store, at->id, &head)) {
        serve_fail(at->answer, 404, "there is no such instance");
    } else if (!stored_load(&loaded, store, &head)) {
        serve_fail(at->answer, 503, "the instance cannot be loaded; wfsm audit says why");
    } else {
        sum_up(at, store, &head);
        show_loaded(at, store, &head, loaded.instance);
    }
    stored_unload(&loaded);
    stored_head_free(&head);
}

void serve_instance(const serve_request *asked, serve_answer *answer)
{
    const showing at = {asked, asked->self, serve_get(asked, "id"), answer, &answer->body};
    wfsm_store *store = serve_open(asked->self, answer);
    if (store)
        show(&at, store);
    wfsm_store_free(store);
}

/* A difference stays as it is. */
void serve_diff(const serve_request *asked, serve_answer *answer)
{
    const char *id = serve_get(asked, "id");
    cli_text said = {0};
    if (asked->asks_sum)
        return;
    int code = serve_command((const char *const[]){"diff", "--", asked->self->store, id,
                                                   serve_get(asked, "from"),
                                                   serve_get(asked, "to"), NULL},
                             &said);
    serve_begin(&answer->body, asked->self, id);
    html_raw(&answer->body, "<h1>");
    serve_link(&answer->body, "/instance", "id", id);
    html_raw(&answer->body, "</h1>\n<pre%s>", code == CLI_OK ? "" : " class=\"bad\"");
    html_whole(&answer->body, said.data ? said.data : "nothing differs");
    html_raw(&answer->body, "</pre>\n");
    serve_end(answer);
    cli_text_free(&said);
}
