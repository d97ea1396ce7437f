#include "show.h"

#include <jansson.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "shared/text.h"
#include "shared/progress_line.h"
#include "wfsm/shown.h"

static const char *text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));

    return text ? text : "";
}

void show_begin(show *on, const char *id, int64_t now)
{
    memset(on, 0, sizeof *on);
    (void)wfsm_progress_new(
        &on->progress,
        &(wfsm_progress_options){.size = sizeof(wfsm_progress_options), .now = now}, NULL);
    on->id = id;
    on->now = now;
    on->symbols =
        wfsm_progress_is_terminal(on->progress) && wfsm_progress_is_unicode(on->progress);
}

void show_end(show *on)
{
    wfsm_progress_free(on->progress);
    on->progress = NULL;
}

void show_note(show *on, int32_t tone, const char *text)
{
    host_progress_line(on->progress, on->now, on->id, tone, "    %s", text);
}

/* ---- words ---- */

static const char *phase_known(const char *name)
{
    phase which;

    return phase_named(name, &which) == 0 ? phase_name(which) : "none";
}

static void print_phase(show *on, const char *name)
{
    on->phase = phase_known(name);
    shown_printf("%sCurrent state: phase=%s\n", on->symbols ? "📊 " : "", on->phase);
    (void)fflush(stdout);
}

void show_phase(show *on, const change *now)
{
    print_phase(on, now && now->has_phase ? phase_name(now->phase) : "none");
}

void show_start(const show *on, const char *verb, const char *workflow)
{
    shown_printf("%s%s %s workflow...\n", on->symbols ? "▶️  " : "", verb, workflow);
    (void)fflush(stdout);
}

static void print_plain(const char *format, va_list list)
{
    shown_vfprintf(stdout, format, list);
    shown_puts("");
}

void show_result(const show *on, show_mark mark, const char *format, ...)
{
    static const char *const marks[] = {"✅ ", "⚠️  ", "❌ "};
    va_list list;

    if (on->symbols)
        shown_fputs(marks[mark], stdout);
    va_start(list, format);
    print_plain(format, list);
    va_end(list);
}

void show_plain(const char *format, ...)
{
    va_list list;

    va_start(list, format);
    print_plain(format, list);
    va_end(list);
}

void show_line(const char *format, ...)
{
    va_list list;

    shown_fputs("   ", stdout);
    va_start(list, format);
    print_plain(format, list);
    va_end(list);
}

void show_problem(const change *now)
{
    const json_t *problem = json_object_get(now->stored.context, "problem"), *item;
    const char *agent = text_of(problem, "agent"), *class = text_of(problem, "class");
    size_t index;

    if (!json_is_object(problem))
        return;
    if (*agent)
        show_line("%s failed%s%s%s: %s", agent, *class ? " (" : "", class, *class ? ")" : "",
                  text_of(problem, "message"));
    else
        show_line("%s", text_of(problem, "message"));
    json_array_foreach(json_object_get(problem, "items"), index, item)
        show_line("- %s", json_string_value(item) ? json_string_value(item) : "?");
}

/* ---- commits ---- */

typedef struct view {
    show *on;
    const json_t *record;
    const char *machine;
    int child; /* of a workflow, not of the change itself */
    int64_t now;
} view;

static void show_transition(const view *at)
{
    char from[HOST_STATE_SIZE], to[HOST_STATE_SIZE];
    const json_t *set = json_object_get(at->record, "set");
    const json_t *count = json_object_get(set, "iterations");
    char note[64] = "", line[HOST_STATE_SIZE];

    if (!host_record_states(at->record, from, to) || !*from || !*to || strcmp(from, to) == 0)
        return;
    if (at->child && json_number_value(count) > 0)
        (void)snprintf(note, sizeof note, "iteration %.0f", json_number_value(count));
    (void)snprintf(line, sizeof line, "%s  %s", at->on->id, at->machine);
    wfsm_progress_transition(at->on->progress, at->now,
                             &(wfsm_progress_change){.size = sizeof(wfsm_progress_change),
                                                     .instance = line,
                                                     .from = from,
                                                     .to = to,
                                                     .note = *note ? note : NULL});
}

enum { PIECE_SIZE = 400 };

/* Leaves out workflows, which have commits of their own, and agents that take no time. */
static int is_worth_telling(const char *agent)
{
    static const char *const told[] = {"proposer", "challenger", "implementer", "reviewer",
                                       "checks"};
    size_t index;

    for (index = 0; index < sizeof told / sizeof *told; index++)
        if (strcmp(agent, told[index]) == 0)
            return 1;
    return 0;
}

/* What one of several pieces of work is about: " (specs)", " (implement specs/login.md)", or "". */
static void name_piece(const json_t *invocation, char piece[PIECE_SIZE])
{
    const json_t *input = json_object_get(invocation, "input");
    const json_t *specs = json_object_get(input, "specs");
    const char *agent = text_of(invocation, "agent"), *step = text_of(input, "step");
    const char *spec =
        json_array_size(specs) == 1 ? json_string_value(json_array_get(specs, 0)) : NULL;

    *piece = '\0';
    if (*step && (strcmp(agent, "proposer") == 0 || strcmp(agent, "implementer") == 0))
        (void)snprintf(piece, PIECE_SIZE, " (%s%s%s)", step, spec ? " " : "", spec ? spec : "");
}

static void show_one(const view *at, const json_t *invocation)
{
    char piece[PIECE_SIZE], again[64] = "";
    const char *agent = text_of(invocation, "agent");
    double attempt = json_number_value(json_object_get(invocation, "attempt"));

    name_piece(invocation, piece);
    if (attempt > 1)
        (void)snprintf(again, sizeof again, ", attempt %.0f", attempt);
    if (strcmp(agent, "checks") == 0)
        host_progress_line(at->on->progress, at->now, at->on->id, WFSM_TONE_QUIET,
                           "    tests and scan are run%s", again);
    else
        host_progress_line(at->on->progress, at->now, at->on->id, WFSM_TONE_QUIET,
                           "    %s is at work%s%s", agent, piece, again);
}

static void show_work(const view *at)
{
    const json_t *one;
    size_t index;

    json_array_foreach(json_object_get(at->record, "invocations"), index, one)
    {
        if (strcmp(text_of(one, "status"), "running") == 0 &&
            is_worth_telling(text_of(one, "agent")))
            show_one(at, one);
    }
}

static void show_check(const view *at, const json_t *result)
{
    char line[512] = "$";
    const json_t *word;
    size_t index, used;

    json_array_foreach(json_object_get(result, "argv"), index, word)
    {
        used = strlen(line);
        (void)snprintf(line + used, sizeof line - used, " %s", json_string_value(word));
    }
    used = strlen(line);
    (void)snprintf(line + used, sizeof line - used, ": %s", text_of(result, "reason"));
    show_note(at->on, WFSM_TONE_PLAIN, line);
}

static void show_answers(const view *at)
{
    const json_t *set = json_object_get(at->record, "set"), *one;
    const json_t *answer = json_object_get(json_object_get(at->record, "input"), "output");
    char line[512];
    size_t index;

    /* The record says of the context only what differs from the last answer. */
    if (*text_of(answer, "summary"))
        show_note(at->on, WFSM_TONE_PLAIN, text_of(answer, "summary"));
    json_array_foreach(json_object_get(answer, "results"), index, one) show_check(at, one);
    if (*text_of(set, "verdict")) {
        (void)snprintf(line, sizeof line, "verdict: %s", text_of(set, "verdict"));
        show_note(at->on, WFSM_TONE_PLAIN, line);
    }
}

static void show_failure(const view *at)
{
    const json_t *failed = json_object_get(at->record, "failed");
    const char *again =
        strcmp(text_of(at->record, "outcome"), "retry") == 0 ? ", tries again" : "";

    if (json_is_object(failed))
        host_progress_line(at->on->progress, at->now, at->on->id, WFSM_TONE_BAD,
                           "    failed (%s)%s: %.400s", text_of(failed, "class"), again,
                           text_of(failed, "message"));
}

/* Once each: a proposal is there as soon as its workflow has saved it. */
static void show_moved(const view *at)
{
    const json_t *set = json_object_get(at->record, "set");
    const char *moved = text_of(set, "phase");

    if (at->child && json_number_value(json_object_get(set, "step")) > 0)
        moved = phase_name(PHASE_PROPOSED);
    if (*moved && (!at->on->phase || strcmp(at->on->phase, moved) != 0))
        print_phase(at->on, moved);
}

static void show_record(const view *at)
{

    if (at->child)
        show_answers(at);
    show_failure(at);
    show_moved(at);
    if (at->child)
        show_transition(at);
    show_work(at);
}

int32_t show_commit(void *user, wfsm_call *call)
{
    show *on = user;
    size_t length;
    const char *text = wfsm_call_record(call, &length);
    json_t *record = text ? json_loadb(text, length, 0, NULL) : NULL;
    view at = {on, record, wfsm_call_name(call), strcmp(wfsm_call_instance(call), on->id) != 0,
               wfsm_call_now(call)};

    on->commits++;
    on->now = at.now;
    if (record)
        show_record(&at);
    json_decref(record);
    return WFSM_OK;
}
