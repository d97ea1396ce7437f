#include "show.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "coordinator.h"
#include <wfsm/agents.h>
#include "journal.h"
#include "said.h"
#include "shared/progress_line.h"
#include "wfsm/shown.h"

/* Of a proposal or an opinion on it; `status` has all of it. */
enum { MOST_LINES = 40 };

/* A record and where it is shown. */
typedef struct view {
    wfsm_progress *progress;
    const char *id;
    int64_t now;
    const json_t *record;
} view;

static const char *text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));

    return text ? text : "";
}

static void say(const view *at, int32_t tone, const char *mark, const char *text)
{
    host_progress_line(at->progress, at->now, at->id, tone, "    %s%s", mark, text);
}

/* Prints at most so many lines of a text of an agent. */
static void say_lines(const view *at, int32_t tone, const char *text, int most)
{
    char line[512];

    for (; *text && most > 0; most--) {
        size_t length = strcspn(text, "\n");
        (void)snprintf(line, sizeof line, "%.*s", (int)(length < 500 ? length : 500), text);
        say(at, tone, "  | ", line);
        text += length + (text[length] == '\n');
    }
}

static int32_t tone_of(const char *event)
{
    static const char *const good[] = {"review_approved", "tests_passed", NULL};
    static const char *const bad[] = {"review_schema_invalid",
                                      "review_changes_requested",
                                      "tester_schema_invalid",
                                      "tests_failed",
                                      "aborted_by_operator",
                                      "max_iterations_reached",
                                      NULL};
    size_t index;

    for (index = 0; good[index]; index++)
        if (strcmp(good[index], event) == 0)
            return WFSM_TONE_GOOD;
    for (index = 0; bad[index]; index++)
        if (strcmp(bad[index], event) == 0)
            return WFSM_TONE_BAD;
    return strncmp(event, "error.", 6) == 0 ? WFSM_TONE_BAD : WFSM_TONE_PLAIN;
}

static void show_transition(const view *at)
{
    char from[HOST_STATE_SIZE], to[HOST_STATE_SIZE], note[HOST_STATE_SIZE];
    const char *event = journal_event(at->record);
    const json_t *round = json_object_get(json_object_get(at->record, "set"), "round");
    wfsm_progress_change change;

    if (!host_record_states(at->record, from, to) || strcmp(from, to) == 0)
        return;
    if (json_number_value(round) > 0)
        (void)snprintf(note, sizeof note, "[%s] round %.0f", event, json_number_value(round));
    else
        (void)snprintf(note, sizeof note, "[%s]", event);
    change = (wfsm_progress_change){.size = sizeof change,
                                    .instance = at->id,
                                    .from = *from ? from : NULL,
                                    .to = to,
                                    .note = note,
                                    .tone = tone_of(event)};
    wfsm_progress_transition(at->progress, at->now, &change);
}

static void show_must_fix(const view *at, const json_t *list)
{
    char line[512];
    size_t index;
    json_t *item;

    json_array_foreach(list, index, item)
    {
        const char *file = text_of(item, "file");
        if (*file)
            (void)snprintf(line, sizeof line, "%s:%lld: %.*s", file,
                           (long long)json_number_value(json_object_get(item, "line")), 400,
                           text_of(item, "message"));
        else
            (void)snprintf(line, sizeof line, "%.*s", 500, text_of(item, "message"));
        say_lines(at, WFSM_TONE_BAD, line, 1);
    }
}

static void show_said(const view *at, const json_t *discussion)
{
    const json_t *said = json_array_get(discussion, json_array_size(discussion) - 1);
    char *text;

    if (!json_is_object(said))
        return;
    text = said_text(said);
    host_progress_line(at->progress, at->now, at->id, WFSM_TONE_PLAIN,
                       "    %s says:", text_of(said, "agent"));
    say_lines(at, WFSM_TONE_PLAIN, text ? text : "", MOST_LINES);
    free(text);
}

static void show_coder(const view *at, const json_t *coder)
{
    if (!json_is_object(coder))
        return;
    host_progress_line(at->progress, at->now, at->id, WFSM_TONE_PLAIN, "    coder: %.400s",
                       text_of(coder, "summary"));
}

static void show_review(const view *at, const json_t *review)
{
    if (!json_is_object(review))
        return;
    if (json_is_false(json_object_get(review, "valid"))) {
        host_progress_line(at->progress, at->now, at->id, WFSM_TONE_BAD,
                           "    reviewer: no valid answer: %.400s", text_of(review, "message"));
        return;
    }
    host_progress_line(at->progress, at->now, at->id, WFSM_TONE_PLAIN,
                       "    reviewer: %s: %.400s", text_of(review, "decision"),
                       text_of(review, "summary"));
    show_must_fix(at, json_object_get(review, "must_fix"));
}

static void show_command(const view *at, const json_t *result)
{
    const json_t *argv = json_object_get(result, "argv");
    const json_t *code = json_object_get(result, "exit_code");
    int fine = json_is_integer(code) && json_integer_value(code) == 0;
    char line[512] = "$";
    size_t index, used;

    for (index = 0; index < json_array_size(argv); index++) {
        used = strlen(line);
        (void)snprintf(line + used, sizeof line - used, " %s",
                       json_string_value(json_array_get(argv, index)));
    }
    used = strlen(line);
    (void)snprintf(line + used, sizeof line - used, ": %s", text_of(result, "reason"));
    say(at, fine ? WFSM_TONE_PLAIN : WFSM_TONE_BAD, "", line);
    if (!fine)
        say_lines(at, WFSM_TONE_QUIET, text_of(result, "tail"), 12);
}

static void show_tests(const view *at, const json_t *tests)
{
    size_t index;
    json_t *result;

    if (!json_is_object(tests))
        return;
    if (json_is_false(json_object_get(tests, "valid")))
        host_progress_line(at->progress, at->now, at->id, WFSM_TONE_BAD,
                           "    tester: no valid answer: %.400s", text_of(tests, "message"));
    else if (json_array_size(json_object_get(tests, "results")) == 0)
        host_progress_line(at->progress, at->now, at->id, WFSM_TONE_PLAIN, "    tester: %.400s",
                           text_of(tests, "summary"));
    json_array_foreach(json_object_get(tests, "results"), index, result)
        show_command(at, result);
}

static void show_failure(const view *at)
{
    const json_t *input = json_object_get(at->record, "input");
    int failed = strcmp(text_of(input, "kind"), "failure") == 0;

    if (failed && strcmp(text_of(at->record, "outcome"), "retry") == 0)
        host_progress_line(at->progress, at->now, at->id, WFSM_TONE_BAD,
                           "    failed (%s), tries again: %.400s", text_of(input, "class"),
                           text_of(input, "message"));
}

/* The agents that begin to work with this commit. */
static void show_work(const view *at)
{
    const json_t *made = json_object_get(at->record, "invocations"), *one;
    const char *answer =
        text_of(json_object_get(at->record, "input"), "answer"); /* of a probe */
    const char *still = strcmp(answer, "running") == 0 ? "still " : "";
    char again[64] = "";
    size_t index;

    json_array_foreach(made, index, one)
    {
        double attempt = json_number_value(json_object_get(one, "attempt"));
        if (strcmp(text_of(one, "status"), "running") != 0 ||
            strcmp(text_of(one, "agent"), "workspace") == 0)
            continue;
        if (attempt > 1)
            (void)snprintf(again, sizeof again, ", attempt %.0f", attempt);
        if (strcmp(text_of(one, "agent"), "commands") == 0)
            host_progress_line(at->progress, at->now, at->id, WFSM_TONE_QUIET,
                               "    the commands are run%s", again);
        else
            host_progress_line(at->progress, at->now, at->id, WFSM_TONE_QUIET,
                               "    %s is %sat work%s", text_of(one, "agent"), still, again);
    }
}

static void show_record(const view *at)
{
    const json_t *set = json_object_get(at->record, "set");

    show_said(at, json_object_get(set, "discussion"));
    show_coder(at, json_object_get(set, "coder"));
    show_review(at, json_object_get(set, "review"));
    show_tests(at, json_object_get(set, "tests"));
    show_failure(at);
    show_transition(at);
    show_work(at);
}

int32_t show_commit(void *user, wfsm_call *call)
{
    size_t length;
    const char *text = wfsm_call_record(call, &length);
    json_t *record = text ? json_loadb(text, length, 0, NULL) : NULL;
    view at = {user, wfsm_call_instance(call), wfsm_call_now(call), record};

    if (record)
        show_record(&at);
    json_decref(record);
    return WFSM_OK;
}

int32_t show_effect(void *user, wfsm_call *call)
{
    (void)user;
    (void)call;
    return WFSM_OK;
}

/* ---- the end ---- */

/* 1: approved, but not in the project: a person has to bring it there. */
static int is_left(const task *shown)
{
    return strcmp(text_of(json_object_get(shown->context, "landed"), "status"), "left") == 0;
}

int outcome_code(const task *shown)
{
    if (shown->awaiting)
        return END_WAITS;
    return strcmp(host_stored_text(shown, "outcome"), "approved") == 0 && !is_left(shown)
               ? END_FINE
               : END_OTHER;
}

static void show_open(const json_t *list)
{
    size_t index;
    json_t *item;

    json_array_foreach(list, index, item)
        shown_printf("  must fix (%s): %.*s\n", text_of(item, "source"),
                     (int)strcspn(text_of(item, "message"), "\n"), text_of(item, "message"));
}

/* Where an approved change is, and what a person can do if that is not the project. */
static void show_landed(const task *shown)
{
    const json_t *landed = json_object_get(shown->context, "landed");
    const json_t *place = json_object_get(shown->context, "place");

    if (!is_left(shown))
        return;
    shown_printf("  not yet in %s: %s\n", text_of(place, "project"),
                 text_of(landed, "message"));
    shown_printf("    %s\n", text_of(landed, "command"));
}

void show_outcome(const task *shown, const char *id)
{
    const json_t *failure = json_object_get(shown->context, "failure");

    shown_printf("%s: %s", id, host_stored_text(shown, "outcome"));
    if (host_stored_number(shown, "round") > 0)
        shown_printf(" after %lld of %lld rounds",
                     (long long)host_stored_number(shown, "round"),
                     (long long)host_stored_number(shown, "maxRounds"));
    if (*host_stored_text(shown, "cause"))
        shown_printf(", the last one: %s", host_stored_text(shown, "cause"));
    shown_printf("\n");
    if (json_is_object(failure))
        shown_printf("  %s failed (%s): %s\n", text_of(failure, "agent"),
                     text_of(failure, "class"), text_of(failure, "message"));
    show_open(json_object_get(shown->context, "mustFix"));
    show_landed(shown);
    if (shown->awaiting) {
        said_print(shown);
        shown_printf("  `coordinator confirm %s` implements it, `coordinator followup %s "
                     "--message TEXT` has it discussed again\n",
                     id, id);
    }
}
