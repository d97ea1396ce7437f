/* A person at the client decides. The client shows what it is about, and a model has no say. */
#include "wfsm/mcp.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "wfsm/asked.h"
#include "wfsm/shown.h"

enum { MOST_SHOWN = 64 * 1024 };

/* ---- what it is about ---- */

static void add(cli_text *text, const char *words)
{
    cli_text_add(text, words, strlen(words));
}

/* Line by line, so that nothing in it can hide or turn round what follows. */
static void add_lines(cli_text *text, char *lines)
{
    char *rest = NULL;
    for (char *line = strtok_r(lines, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        char *escaped = cli_need(shown_line(line, strlen(line)));
        add(text, escaped);
        add(text, "\n");
        free(escaped);
    }
}

static void add_votes(cli_text *text, const json_t *asked)
{
    char line[128];
    snprintf(line, sizeof line, "Votes so far: %zu of %lld approve, %zu of %lld reject.\n",
             asked_votes(asked, "approve"), (long long)asked_count(asked, "quorum"),
             asked_votes(asked, "reject"), (long long)asked_count(asked, "rejections"));
    add(text, line);
}

static json_t *message_of(const json_t *asked)
{
    cli_text text = {0};
    char *input =
        cli_need(json_dumps(json_object_get(asked, "input"), JSON_INDENT(2) | JSON_ENCODE_ANY));
    char *heading =
        cli_need(shown_line(asked_text(asked, "id"), strlen(asked_text(asked, "id"))));
    json_t *message = NULL;
    add(&text, "Your decision on ");
    add(&text, heading);
    add(&text, ":\n");
    add_lines(&text, input);
    add_votes(&text, asked);
    if (text.length <= MOST_SHOWN)
        message = json_stringn(text.data, text.length);
    free(heading);
    free(input);
    cli_text_free(&text);
    return message;
}

/* ---- the question ---- */

static void put_question(mcp *self, const json_t *request, const json_t *asked, json_t *task)
{
    json_t *message = message_of(asked), *question;
    mcp_question *made;
    if (!message && task) {
        mcp_task_wait(self, request, json_string_value(task));
        return;
    }
    if (!message) {
        mcp_answer(self, request,
                   mcp_result("what it is about is too large to be shown here; the person can "
                              "use wfsm approvals and wfsm approve",
                              true));
        return;
    }
    made = cli_need(calloc(1, sizeof *made));
    made->id = ++self->last_question;
    made->request = json_deep_copy(request);
    made->about = json_deep_copy(asked);
    made->task = json_incref(task);
    made->next = self->questions;
    self->questions = made;
    question = cli_need(json_pack(
        "{s:s, s:I, s:s, s:{s:o, s:{s:s, s:{s:{s:s, s:[s, s]}, s:{s:s}}, s:[s]}}}", "jsonrpc",
        "2.0", "id", made->id, "method", "elicitation/create", "params", "message", message,
        "requestedSchema", "type", "object", "properties", "decision", "type", "string", "enum",
        "approve", "reject", "reason", "type", "string", "required", "decision"));
    if (task)
        json_object_set_new(
            json_object_get(question, "params"), "_meta",
            json_pack("{s:{s:O}}", "io.modelcontextprotocol/related-task", "taskId", task));
    mcp_write(self, question);
}

static const json_t *choose(const json_t *all, const char *invocation)
{
    if (invocation)
        return asked_find(all, invocation);
    return json_array_size(all) == 1 ? json_array_get(all, 0) : NULL;
}

static void found(mcp *self, mcp_run *run, int code)
{
    json_t *all = code == 0 ? json_loadb(run->said.data, run->said.length, 0, NULL) : NULL;
    const json_t *asked = choose(all, json_string_value(run->about));
    if (code != 0)
        mcp_tell(self, run, code);
    else if (!asked)
        mcp_answer(self, run->request,
                   mcp_result(json_array_size(all) > 1
                                  ? "it asks more than one thing; name the invocation"
                                  : "it does not ask anybody, or not that",
                              true));
    else
        put_question(self, run->request, asked, NULL);
    json_decref(all);
}

void mcp_ask(mcp *self, const json_t *request, const json_t *arguments)
{
    bool fine;
    const char *id = mcp_text(self, request, arguments, "id");
    const char *invocation =
        id ? mcp_optional(self, request, arguments, "invocation", &fine) : NULL;
    mcp_run *run;
    if (!id || !fine)
        return;
    if (!self->can_ask) {
        mcp_answer(
            self, request,
            mcp_result("this client cannot ask a person (elicitation); the person can use "
                       "wfsm approvals and wfsm approve",
                       true));
        return;
    }
    run = mcp_start(self, request,
                    (const char *const[]){"approvals", "--json", "--", self->store, id, NULL},
                    NULL);
    if (run) {
        run->about = invocation ? json_string(invocation) : NULL;
        run->done = found;
    }
}

/* Of several things that it asks, the first. */
static void found_for_task(mcp *self, mcp_run *run, int code)
{
    json_t *all = code == 0 ? json_loadb(run->said.data, run->said.length, 0, NULL) : NULL;
    const json_t *asked = json_array_get(all, 0);
    if (asked)
        put_question(self, run->request, asked, run->about);
    else
        mcp_task_wait(self, run->request, json_string_value(run->about));
    json_decref(all);
}

void mcp_ask_for_task(mcp *self, const json_t *request, const char *id)
{
    mcp_run *run = mcp_start(
        self, request,
        (const char *const[]){"approvals", "--json", "--", self->store, id, NULL}, NULL);
    if (run) {
        run->about = json_string(id);
        run->done = found_for_task;
    }
}

/* ---- the decision ---- */

/* A vote that was refused is in what the commands say; the task goes its way all the same. */
static void wait_for_task(mcp *self, mcp_run *run, int code)
{
    (void)code;
    mcp_task_wait(self, run->request, json_string_value(run->about));
}

static void decide(mcp *self, const mcp_question *question, const char *decision,
                   const char *reason)
{
    const char *const words[] = {decision,
                                 "--by",
                                 self->person,
                                 reason ? "--reason" : "--",
                                 reason ? reason : self->store,
                                 reason ? "--" : asked_text(question->about, "id"),
                                 reason ? self->store : asked_text(question->about, "digest"),
                                 reason ? asked_text(question->about, "id") : NULL,
                                 reason ? asked_text(question->about, "digest") : NULL,
                                 NULL};
    mcp_run *run = mcp_start(self, question->request, words, NULL);
    if (run && question->task) {
        run->about = json_incref(question->task);
        run->done = wait_for_task;
    } else if (run)
        run->done = mcp_tell;
}

/* An answer that is not of the schema decides nothing. */
static void judge(mcp *self, const mcp_question *question, const json_t *message)
{
    const json_t *result = json_object_get(message, "result");
    const json_t *content = json_object_get(result, "content");
    const char *action = json_string_value(json_object_get(result, "action"));
    const char *decision = json_string_value(json_object_get(content, "decision"));
    const char *reason = json_string_value(json_object_get(content, "reason"));
    if (action && strcmp(action, "accept") == 0 && decision &&
        (strcmp(decision, "approve") == 0 || strcmp(decision, "reject") == 0))
        decide(self, question, decision, reason && *reason ? reason : NULL);
    else if (question->task)
        mcp_task_wait(self, question->request, json_string_value(question->task));
    else
        mcp_answer(self, question->request, mcp_result("the person has decided nothing", true));
}

static void free_question(mcp_question *question)
{
    json_decref(question->request);
    json_decref(question->about);
    json_decref(question->task);
    free(question);
}

void mcp_answered(mcp *self, const json_t *message)
{
    const json_t *id = json_object_get(message, "id");
    mcp_question **at = &self->questions, *question;
    while (*at && (!json_is_integer(id) || (*at)->id != json_integer_value(id)))
        at = &(*at)->next;
    if (!*at)
        return; /* a question that was never put, or is answered */
    question = *at;
    *at = question->next;
    judge(self, question, message);
    free_question(question);
}

void mcp_withdraw(mcp *self, const json_t *request)
{
    mcp_question **at = &self->questions;
    while (*at) {
        mcp_question *question = *at;
        if (!json_equal(question->request, request)) {
            at = &question->next;
            continue;
        }
        *at = question->next;
        mcp_write(self,
                  json_pack("{s:s, s:s, s:{s:I}}", "jsonrpc", "2.0", "method",
                            "notifications/cancelled", "params", "requestId", question->id));
        free_question(question);
    }
}

void mcp_forget_questions(mcp *self)
{
    while (self->questions) {
        mcp_question *next = self->questions->next;
        free_question(self->questions);
        self->questions = next;
    }
}
