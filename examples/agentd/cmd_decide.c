/* agentd approve, agentd reject: a person decides on a proposal or on an implementation. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "durable.h"
#include "shared/files.h"
#include "shared/person.h"
#include "shared/text.h"
#include "subject.h"
#include "texts.h"
#include "tree.h"
#include "workspace.h"

typedef struct decision {
    work *on;
    verdict word;
    const char *reason; /* or "" */
    const char *file;   /* the report */
    int code;           /* about code: the tree counts */
    char tree[WFSM_DIGEST_SIZE];
    char digest[WFSM_DIGEST_SIZE]; /* of the new report */
} decision;

/* ---- who, and on what ---- */

/* Agents are started with it. Their word comes as their answer. */
static int check_person(void)
{
    if (!host_person_is_agent())
        return END_DONE;
    print_error("an agent cannot decide for a person");
    return END_REFUSED;
}

static int refuse(const work *self, const char *why)
{
    print_error("%s: %s", self->run.id, why);
    return END_REFUSED;
}

static int check_subject(const decision *made)
{
    const work *self = made->on;
    const json_t *context = self->now.stored.context;

    if (!self->known || !self->now.has_phase)
        return refuse(self, "there is no such change, or no proposal yet");
    if (self->now.phase == PHASE_ARCHIVED)
        return refuse(self, "the phase is Archived; there is nothing left to decide");
    if (!self->now.resting)
        return refuse(self,
                      "its workflow is not done: the same command that began it continues");
    if (made->code && !json_is_true(json_object_get(context, "implemented")))
        return refuse(self, "the implementation is not finished");
    if (!made->code && host_stored_number(&self->now.stored, "step") < 3)
        return refuse(self, "the proposal is not finished");
    return END_DONE;
}

static void choose_word(decision *made, int approve)
{
    made->file = made->code ? "REVIEW.md" : "CHALLENGE.md";
    if (approve)
        made->word = VERDICT_APPROVED;
    else
        made->word = made->code ? VERDICT_NEEDS_CHANGES : VERDICT_NEEDS_REVISION;
}

/* ---- what is shown is what is decided on ---- */

static int show_code(decision *made, host_error *error)
{
    json_t *now = tree_read(&made->on->at, error);
    int done = now ? tree_digest(now, made->tree, error) : -1;

    if (done == 0)
        done = subject_show_code(made->on, now, error);
    json_decref(now);
    return done;
}

static int show_subject(decision *made)
{
    host_error why;
    int done = made->code ? show_code(made, &why) : subject_show_proposal(made->on, &why);

    return done == 0 ? END_DONE : host_failed(&why, END_STORE);
}

static int ask(const decision *made, const arguments *given)
{
    char question[CHANGE_ID_MOST + 64];

    (void)snprintf(question, sizeof question, "%s %s: %s?",
                   made->word == VERDICT_APPROVED ? "Approve" : "Reject", made->on->run.id,
                   verdict_name(made->word));
    return given->yes || host_person_agrees(question) ? END_DONE : END_PERSON;
}

/* Somebody may have written while the person was reading. */
static int check_same(decision *made)
{
    char digest[WFSM_DIGEST_SIZE];
    json_t *before = json_incref(made->on->found.now);
    host_error why;
    int code = work_look(made->on), same = code == END_DONE;

    if (same)
        same = json_equal(before, made->on->found.now);
    json_decref(before);
    if (same && made->code) {
        if (workspace_bind(&made->on->at, made->on->run.id, digest, &why) != 0)
            return host_failed(&why, END_STORE);
        same = strcmp(digest, made->tree) == 0;
    }
    if (code == END_DONE && !same)
        code = refuse(made->on, "files were changed while you were reading; look again");
    return code;
}

/* ---- the report ---- */

static int add(host_text *to, const char *text)
{
    return host_text_add(to, text, strlen(text));
}

/* In a comment, where no line counts as a verdict; so it must not end there. */
static int add_earlier(host_text *to, const decision *made)
{
    char *path = change_path(&made->on->at.in, made->on->run.id, made->file, NULL), *text, *end;
    size_t length;
    int done = 0;

    if (path && host_file_read(path, VERDICT_MOST_BYTES / 2, &text, &length, NULL) == 0) {
        while ((end = strstr(text, "-->")))
            end[2] = ' ';
        done = add(to, "\n<!-- The report before:\n\n");
        if (done == 0)
            done = host_text_add(to, text, length);
        if (done == 0)
            done = add(to, "\n-->\n");
        free(text);
    }
    free(path);
    return done;
}

/* A line of the reason must not count as the verdict. */
static int add_reason(host_text *to, const char *reason)
{
    int done = *reason ? add(to, "\n> ") : 0;

    for (; done == 0 && *reason; reason++) {
        done = host_text_add(to, *reason == '`' ? "'" : reason, 1);
        if (done == 0 && *reason == '\n')
            done = add(to, "> ");
    }
    return done;
}

static int make_report(host_text *to, const decision *made)
{
    if (add(to, "# Decision of ") != 0 || add(to, facts_person()) != 0 || add(to, "\n") != 0 ||
        add_reason(to, made->reason) != 0 || add(to, "\n\nVerdict: ") != 0 ||
        add(to, verdict_name(made->word)) != 0 || add(to, "\n") != 0)
        return -1;
    return add_earlier(to, made);
}

static int check_report(const decision *made, const host_text *text, host_error *error)
{
    verdict found;

    if (verdict_find("the reason", text->data, text->length,
                     made->code ? VERDICT_OF_REVIEW : VERDICT_OF_CHALLENGE, &found, error) != 0)
        return -1;
    return found == made->word ? 0 : host_fail(error, "the reason has a verdict of its own");
}

static int write_report(decision *made)
{
    host_text text = {.data = NULL};
    host_error why = {"out of memory"};
    char *path = change_path(&made->on->at.in, made->on->run.id, made->file, &why);
    int done = path ? make_report(&text, made) : -1;

    if (done == 0)
        done = check_report(made, &text, &why);
    if (done == 0)
        done = texts_keep(&made->on->at, made->on->run.id, made->file, &why);
    if (done == 0)
        done = durable_write(path, text.data, text.length, &why);
    if (done == 0)
        (void)wfsm_digest(text.data, text.length, made->digest);
    host_text_free(&text);
    free(path);
    return done == 0 ? END_DONE : host_failed(&why, END_STORE);
}

/* ---- recorded ---- */

static int record(decision *made)
{
    work *self = made->on;
    json_t *data =
        json_pack("{s:s, s:s, s:s, s:s, s:O, s:s?}", "verdict", verdict_name(made->word), "by",
                  facts_person(), "reason", made->reason, "digest", made->digest, "current",
                  self->found.current, "tree", made->code ? made->tree : NULL);
    int code = work_run(self, made->code ? "review_decided" : "challenge_decided", data);

    if (code == END_REFUSED)
        return refuse(self, "the decision does not apply in this phase");
    return code;
}

static int tell(const decision *made)
{
    const work *self = made->on;

    show_result(&self->run.show, made->word == VERDICT_APPROVED ? SHOW_DONE : SHOW_NEEDS,
                "%s by %s: phase=%s", verdict_name(made->word), facts_person(),
                phase_name(self->now.phase));
    show_line("Next: agentd %s %s",
              self->now.phase == PHASE_COMPLETE ? "archive"
              : self->now.phase == PHASE_PROPOSED || self->now.phase == PHASE_REJECTED ? "plan"
                                                                                       : "impl",
              self->run.id);
    return END_DONE;
}

static int decide(decision *made, const arguments *given)
{
    int code = check_subject(made);

    if (code == END_DONE)
        code = show_subject(made);
    if (code == END_DONE)
        code = ask(made, given);
    if (code == END_DONE)
        code = check_same(made);
    if (code == END_DONE)
        code = write_report(made);
    if (code == END_DONE)
        code = record(made);
    return code == END_DONE ? tell(made) : code;
}

static int command(const arguments *given, int approve)
{
    work self;
    decision made = {.on = &self, .reason = given->description ? given->description : ""};
    int code = check_person();

    if (code != END_DONE)
        return code;
    code = work_open(&self, given);
    if (code == END_DONE && self.known)
        code = work_own(&self);
    if (code == END_DONE) {
        made.code = self.now.has_phase && self.now.phase >= PHASE_IMPLEMENTING;
        choose_word(&made, approve);
        code = decide(&made, given);
    }
    work_close(&self);
    return code;
}

int cmd_approve(const arguments *given)
{
    return command(given, 1);
}

int cmd_reject(const arguments *given)
{
    if (given->description && *given->description)
        return command(given, 0);
    print_error("reject %s: expected a reason, which the agents get", given->id);
    return END_USAGE;
}
