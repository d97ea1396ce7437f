#include "wfsm/crash_print.h"

#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>
#include "wfsm/shown.h"

/* More would only repeat the first. */
enum { MOST_SHOWN = 20 };

void crash_print_begin(crash_print *print, bool json, bool resumed)
{
    *print = (crash_print){.json = json, .resumed = resumed, .terminal = isatty(STDERR_FILENO)};
    print->violations = cli_need(json_array());
}

static void clear_line(const crash_print *print)
{
    if (print->terminal)
        shown_fprintf(stderr, "\r\033[K");
}

static json_t *violation_json(const wfsm_testkit_violation *violation)
{
    return cli_need(json_pack("{s:s, s:I, s:I, s:s}", "fault",
                              wfsm_testkit_fault_name(violation->fault), "call",
                              (json_int_t)violation->at, "line", (json_int_t)violation->line,
                              "message", violation->message));
}

int32_t crash_print_violation(crash_print *print, const wfsm_testkit_violation *violation)
{
    if (print->shown++ >= MOST_SHOWN)
        return WFSM_OK;
    if (print->json) {
        json_array_append_new(print->violations, violation_json(violation));
        return WFSM_OK;
    }
    clear_line(print);
    if (violation->fault == WFSM_TESTKIT_NONE)
        shown_fputs("without a fault", stdout);
    else
        shown_printf("%s at call %" PRIu64, wfsm_testkit_fault_name(violation->fault),
                     violation->at);
    if (violation->line > 0)
        shown_printf(", line %" PRIu64, violation->line);
    shown_printf(": %s\n", violation->message);
    return WFSM_OK;
}

int32_t crash_print_progress(crash_print *print, uint64_t done, uint64_t all)
{
    if (!print->terminal)
        return WFSM_OK;
    shown_fprintf(stderr, "\r%3d %% of the store's calls tried",
                  (int)(all ? done * 100 / all : 100));
    fflush(stderr);
    return WFSM_OK;
}

static void print_faults(const wfsm_testkit_crash_counts *counts)
{
    shown_printf("%" PRIu64 " calls of the store, %" PRIu64 " runs with faults\n",
                 counts->calls, counts->runs);
    shown_printf("faults: %" PRIu64 " fail, %" PRIu64 " drop, %" PRIu64 " lose, %" PRIu64
                 " delay, %" PRIu64 " cut-before, %" PRIu64 " cut-after\n",
                 counts->fail, counts->drop, counts->lose, counts->delay, counts->cut_before,
                 counts->cut_after);
}

static void print_text(const crash_print *print, const wfsm_testkit_crash_counts *counts)
{
    if (!print->resumed)
        print_faults(counts);
    else
        shown_printf("%" PRIu64 " calls of the store; the script has %sended\n", counts->calls,
                     counts->runs ? "" : "not ");
    shown_printf("%" PRIu64 " restarts, %" PRIu64 " invariants checked, violations: %" PRIu64
                 "\n",
                 counts->restarts, counts->invariants, counts->violations);
}

static void print_json(const crash_print *print, const wfsm_testkit_crash_counts *counts)
{
    json_t *faults = cli_need(
        json_pack("{s:I, s:I, s:I, s:I, s:I, s:I}", "fail", (json_int_t)counts->fail, "drop",
                  (json_int_t)counts->drop, "lose", (json_int_t)counts->lose, "delay",
                  (json_int_t)counts->delay, "cut-before", (json_int_t)counts->cut_before,
                  "cut-after", (json_int_t)counts->cut_after));
    json_t *all = cli_need(
        json_pack("{s:I, s:I, s:o, s:I, s:I, s:I, s:O}", "calls", (json_int_t)counts->calls,
                  "runs", (json_int_t)counts->runs, "faults", faults, "restarts",
                  (json_int_t)counts->restarts, "invariants", (json_int_t)counts->invariants,
                  "violations", (json_int_t)counts->violations, "found", print->violations));
    shown_json(all, stdout, JSON_INDENT(2));
    fputc('\n', stdout);
    json_decref(all);
}

void crash_print_end(crash_print *print, const wfsm_testkit_crash_counts *counts)
{
    clear_line(print);
    if (print->json)
        print_json(print, counts);
    else
        print_text(print, counts);
    json_decref(print->violations);
}
