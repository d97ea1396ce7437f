#include "wfsm/verify_print.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "wfsm/shown.h"

enum { NOTE = 3 };

/* ---- progress ---- */

static int64_t ms_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

void verify_progress_begin(verify_progress *progress)
{
    progress->terminal = isatty(STDERR_FILENO) != 0;
    progress->began = ms_now();
}

static void print_progress(const wfsm_verify_counts *counts)
{
    shown_fprintf(stderr,
                  "\r\033[K%" PRIu64 " states, %" PRIu64 " waiting, %" PRIu64
                  " moves, depth %" PRIu64 ", %" PRIu64 " MiB",
                  counts->states, counts->waiting, counts->moves, counts->depth,
                  counts->memory >> 20);
    fflush(stderr);
}

int32_t verify_progress_tell(void *user, const wfsm_verify_counts *counts)
{
    const verify_progress *self = user;
    if (self->terminal)
        print_progress(counts);
    return self->seconds > 0 && (uint64_t)(ms_now() - self->began) / 1000 >= self->seconds;
}

void verify_progress_end(const verify_progress *progress)
{
    if (progress->terminal)
        shown_fprintf(stderr, "\r\033[K");
}

/* ---- text ---- */

const char *verify_severity(const wfsm_verify_diagnostic *diagnostic)
{
    static const char *const names[] = {"note", "error", "warning"};
    return names[diagnostic->severity == 1 || diagnostic->severity == 2 ? diagnostic->severity
                                                                        : 0];
}

static void print_trace(const char *trace)
{
    while (*trace) {
        size_t length = strcspn(trace, "\n");
        shown_printf("    %.*s\n", (int)length, trace);
        trace += length + (trace[length] == '\n');
    }
}

static void print_diagnostic(size_t number, const char *file,
                             const wfsm_verify_diagnostic *diagnostic)
{
    shown_printf("%zu. %s:%d:%d: %s: %s [%s]\n", number, file, (int)diagnostic->line,
                 (int)diagnostic->column, verify_severity(diagnostic), diagnostic->message,
                 diagnostic->rule);
    if (diagnostic->severity == NOTE)
        return;
    print_trace(diagnostic->trace);
    if (diagnostic->steps >= 0 && !diagnostic->replayed)
        shown_puts(
            "    (with the whole context this trace ends elsewhere: it may not be possible)");
}

/* Notes have a trace, too. It is not shown, but --script prints it. */
static void print_diagnostics(const wfsm_verification *found, const char *file, bool notes)
{
    wfsm_verify_diagnostic diagnostic = {.size = sizeof diagnostic};
    for (size_t i = 0; wfsm_verification_get(found, i, &diagnostic) == WFSM_OK; i++)
        if ((diagnostic.severity == NOTE) == notes)
            print_diagnostic(i + 1, file, &diagnostic);
}

static void print_properties(const wfsm_verification *found)
{
    wfsm_verify_property property = {.size = sizeof property};
    for (size_t i = 0; wfsm_verification_property(found, i, &property) == WFSM_OK; i++)
        shown_printf("%-9s  %s: %s%s\n", wfsm_verdict_name(property.verdict), property.kind,
                     property.name,
                     property.vacuous ? " (vacuously: what it is about never happens)" : "");
}

static void print_counts(const wfsm_verification *found)
{
    wfsm_verify_counts counts = {.size = sizeof counts};
    wfsm_verification_counts(found, &counts);
    shown_printf("%" PRIu64 " states, %" PRIu64 " moves, depth %" PRIu64 ", %" PRIu64 " KiB\n",
                 counts.states, counts.moves, counts.depth, counts.memory >> 10);
}

void verify_print_text(const wfsm_verification *found, const char *file)
{
    const char *note;
    print_diagnostics(found, file, false);
    print_properties(found);
    print_diagnostics(found, file, true);
    for (size_t i = 0; (note = wfsm_verification_note(found, i)); i++)
        shown_printf("note: %s\n", note);
    print_counts(found);
    if (*wfsm_verification_bound(found))
        shown_printf("not everything was tried: %s\n", wfsm_verification_bound(found));
    shown_printf("%s: %s\n", file, wfsm_verdict_name(wfsm_verification_verdict(found)));
}

bool verify_print_script(FILE *out, const wfsm_verification *found, size_t index)
{
    wfsm_verify_diagnostic diagnostic = {.size = sizeof diagnostic};
    if (wfsm_verification_get(found, index, &diagnostic) != WFSM_OK || !*diagnostic.script)
        return false;
    shown_fputs(diagnostic.script, out);
    return true;
}

/* ---- JSON ---- */

static json_t *diagnostic_json(const wfsm_verify_diagnostic *diagnostic)
{
    return cli_need(json_pack("{s:s s:s s:s? s:s s:s s:s s:i s:i s:i s:b s:s s:s}", "severity",
                              verify_severity(diagnostic), "rule", diagnostic->rule, "property",
                              diagnostic->property, "message", diagnostic->message, "state",
                              diagnostic->state, "pointer", diagnostic->pointer, "line",
                              (int)diagnostic->line, "column", (int)diagnostic->column, "steps",
                              (int)diagnostic->steps, "replayed", (int)diagnostic->replayed,
                              "trace", diagnostic->trace, "script", diagnostic->script));
}

static json_t *diagnostics_json(const wfsm_verification *found)
{
    json_t *list = cli_need(json_array());
    wfsm_verify_diagnostic diagnostic = {.size = sizeof diagnostic};
    for (size_t i = 0; wfsm_verification_get(found, i, &diagnostic) == WFSM_OK; i++)
        json_array_append_new(list, diagnostic_json(&diagnostic));
    return list;
}

static json_t *properties_json(const wfsm_verification *found)
{
    json_t *list = cli_need(json_array());
    wfsm_verify_property property = {.size = sizeof property};
    for (size_t i = 0; wfsm_verification_property(found, i, &property) == WFSM_OK; i++)
        json_array_append_new(
            list, cli_need(json_pack("{s:s s:s s:s s:s s:b}", "name", property.name, "kind",
                                     property.kind, "description", property.description,
                                     "verdict", wfsm_verdict_name(property.verdict), "vacuous",
                                     (int)property.vacuous)));
    return list;
}

/* null: not known, or there is nothing to see. */
static json_t *seen_json(int32_t seen)
{
    if (seen == WFSM_SEEN_ONCE)
        return json_true();
    return seen == WFSM_SEEN_NEVER ? json_false() : json_null();
}

static json_t *coverage_json(const wfsm_verification *found)
{
    json_t *list = cli_need(json_array());
    wfsm_verify_coverage one = {.size = sizeof one};
    for (size_t i = 0; wfsm_verification_coverage(found, i, &one) == WFSM_OK; i++)
        json_array_append_new(
            list, cli_need(json_pack(
                      "{s:s s:s s:s s:s s:b s:s s:i s:i s:o s:o s:o}", "state", one.state,
                      "event", one.event, "guard", one.guard, "target", one.target, "branch",
                      (int)one.branch, "pointer", one.pointer, "line", (int)one.line, "column",
                      (int)one.column, "taken", seen_json(one.taken), "true",
                      seen_json(one.was_true), "false", seen_json(one.was_false))));
    return list;
}

static json_t *notes_json(const wfsm_verification *found)
{
    json_t *list = cli_need(json_array());
    const char *note;
    for (size_t i = 0; (note = wfsm_verification_note(found, i)); i++)
        json_array_append_new(list, cli_need(json_string(note)));
    return list;
}

void verify_print_whole(FILE *out, json_t *whole)
{
    shown_json(cli_need(whole), out, JSON_INDENT(2));
    shown_fputs("\n", out);
    json_decref(whole);
}

void verify_print_json(FILE *out, const wfsm_verification *found)
{
    wfsm_verify_counts counts = {.size = sizeof counts};
    wfsm_verification_counts(found, &counts);
    verify_print_whole(
        out, json_pack("{s:s s:s s:I s:I s:I s:I s:I s:I s:o s:o s:o s:o}", "verdict",
                       wfsm_verdict_name(wfsm_verification_verdict(found)), "bound",
                       wfsm_verification_bound(found), "states", (json_int_t)counts.states,
                       "moves", (json_int_t)counts.moves, "depth", (json_int_t)counts.depth,
                       "edges", (json_int_t)counts.edges, "memory", (json_int_t)counts.memory,
                       "keyBytes", (json_int_t)counts.key_bytes, "diagnostics",
                       diagnostics_json(found), "properties", properties_json(found), "notes",
                       notes_json(found), "coverage", coverage_json(found)));
}
