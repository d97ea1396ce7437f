#include "wfsm/verify_print.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { NOTE = 3 };

/* ---- progress ---- */

void verify_progress_begin(verify_progress *progress, int64_t now)
{
    *progress = (verify_progress){isatty(STDERR_FILENO) != 0, now};
}

void verify_print_progress(const verify_progress *progress, const wfsm_verify_counts *counts)
{
    if (!progress->terminal)
        return;
    fprintf(stderr,
            "\r\033[K%" PRIu64 " states, %" PRIu64 " waiting, %" PRIu64 " moves, depth %" PRIu64
            ", %" PRIu64 " MiB",
            counts->states, counts->waiting, counts->moves, counts->depth,
            counts->memory >> 20);
    fflush(stderr);
}

void verify_progress_end(const verify_progress *progress)
{
    if (progress->terminal)
        fputs("\r\033[K", stderr);
}

/* ---- text ---- */

const char *verify_severity(const wfsm_verify_finding *finding)
{
    static const char *const names[] = {"note", "error", "warning"};
    return names[finding->severity == 1 || finding->severity == 2 ? finding->severity : 0];
}

static void print_story(const char *story)
{
    while (*story) {
        size_t length = strcspn(story, "\n");
        printf("    %.*s\n", (int)length, story);
        story += length + (story[length] == '\n');
    }
}

static void print_finding(size_t number, const char *file, const wfsm_verify_finding *finding)
{
    printf("%zu. %s:%d:%d: %s: %s [%s]\n", number, file, (int)finding->line,
           (int)finding->column, verify_severity(finding), finding->message, finding->rule);
    if (finding->severity == NOTE)
        return;
    print_story(finding->story);
    if (finding->steps >= 0 && !finding->replayed)
        puts("    (run with the whole context it went otherwise: it may be no real way)");
}

/* Notes have a way, too, but it is not shown: --script does. */
static void print_findings(const wfsm_verification *found, const char *file, bool notes)
{
    wfsm_verify_finding finding = {.size = sizeof finding};
    for (size_t i = 0; wfsm_verification_get(found, i, &finding) == WFSM_OK; i++)
        if ((finding.severity == NOTE) == notes)
            print_finding(i + 1, file, &finding);
}

static void print_properties(const wfsm_verification *found)
{
    wfsm_verify_property property = {.size = sizeof property};
    for (size_t i = 0; wfsm_verification_property(found, i, &property) == WFSM_OK; i++)
        printf("%-9s  %s: %s\n", wfsm_verdict_name(property.verdict), property.kind,
               property.name);
}

static void print_counts(const wfsm_verification *found)
{
    wfsm_verify_counts counts = {.size = sizeof counts};
    wfsm_verification_counts(found, &counts);
    printf("%" PRIu64 " states, %" PRIu64 " moves, depth %" PRIu64 ", %" PRIu64 " KiB\n",
           counts.states, counts.moves, counts.depth, counts.memory >> 10);
}

void verify_print_text(const wfsm_verification *found, const char *file)
{
    const char *note;
    print_findings(found, file, false);
    print_properties(found);
    print_findings(found, file, true);
    for (size_t i = 0; (note = wfsm_verification_note(found, i)); i++)
        printf("note: %s\n", note);
    print_counts(found);
    if (*wfsm_verification_bound(found))
        printf("not everything was tried: %s\n", wfsm_verification_bound(found));
    printf("%s: %s\n", file, wfsm_verdict_name(wfsm_verification_verdict(found)));
}

bool verify_print_script(const wfsm_verification *found, size_t index)
{
    wfsm_verify_finding finding = {.size = sizeof finding};
    if (wfsm_verification_get(found, index, &finding) != WFSM_OK || !*finding.script)
        return false;
    fputs(finding.script, stdout);
    return true;
}

/* ---- JSON ---- */

static json_t *finding_json(const wfsm_verify_finding *finding)
{
    return cli_need(json_pack("{s:s s:s s:s? s:s s:s s:s s:i s:i s:i s:b s:s s:s}", "severity",
                              verify_severity(finding), "rule", finding->rule, "property",
                              finding->property, "message", finding->message, "state",
                              finding->state, "pointer", finding->pointer, "line",
                              (int)finding->line, "column", (int)finding->column, "steps",
                              (int)finding->steps, "replayed", (int)finding->replayed, "story",
                              finding->story, "script", finding->script));
}

static json_t *findings_json(const wfsm_verification *found)
{
    json_t *list = cli_need(json_array());
    wfsm_verify_finding finding = {.size = sizeof finding};
    for (size_t i = 0; wfsm_verification_get(found, i, &finding) == WFSM_OK; i++)
        json_array_append_new(list, finding_json(&finding));
    return list;
}

static json_t *properties_json(const wfsm_verification *found)
{
    json_t *list = cli_need(json_array());
    wfsm_verify_property property = {.size = sizeof property};
    for (size_t i = 0; wfsm_verification_property(found, i, &property) == WFSM_OK; i++)
        json_array_append_new(
            list, cli_need(json_pack("{s:s s:s s:s s:s}", "name", property.name, "kind",
                                     property.kind, "description", property.description,
                                     "verdict", wfsm_verdict_name(property.verdict))));
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

static void print_whole(json_t *whole)
{
    json_dumpf(cli_need(whole), stdout, JSON_INDENT(2));
    putchar('\n');
    json_decref(whole);
}

void verify_print_json(const wfsm_verification *found)
{
    wfsm_verify_counts counts = {.size = sizeof counts};
    wfsm_verification_counts(found, &counts);
    print_whole(json_pack("{s:s s:s s:I s:I s:I s:I s:I s:I s:o s:o s:o}", "verdict",
                          wfsm_verdict_name(wfsm_verification_verdict(found)), "bound",
                          wfsm_verification_bound(found), "states", (json_int_t)counts.states,
                          "moves", (json_int_t)counts.moves, "depth", (json_int_t)counts.depth,
                          "edges", (json_int_t)counts.edges, "memory",
                          (json_int_t)counts.memory, "keyBytes", (json_int_t)counts.key_bytes,
                          "findings", findings_json(found), "properties",
                          properties_json(found), "notes", notes_json(found)));
}
