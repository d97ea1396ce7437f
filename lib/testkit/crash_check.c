/* testkit/crash_check.c: the invariants of a run. */
#include "crash.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <wfsm/audit.h>

static void report(tk_run *run, const char *message)
{
    const wfsm_testkit_violation violation = {
        .size = sizeof violation,
        .fault = run->fault,
        .at = run->at,
        .line = run->line <= run->options->count ? run->line : 0,
        .message = message,
    };
    if (run->broken) /* only the first violation of a run is reported: the others follow from it */
        return;
    run->counts->violations++;
    run->broken = true;
    if (run->options->violated && !run->ended)
        run->ended = run->options->violated(run->options->user, &violation);
}

bool tk_must(tk_run *run, bool holds, const char *format, ...)
{
    char message[512];
    va_list arguments;
    run->counts->invariants++;
    if (holds)
        return true;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    report(run, message);
    return false;
}

static void add(tk_text *out, const char *name, const char *json, size_t length)
{
    tk_text_add(out, "%s ", name);
    if (json)
        tk_text_bytes(out, json, length);
    else
        out->failed = true;
    tk_text_bytes(out, "\n", 1);
}

void tk_describe(tk_run *run, tk_text *out)
{
    const struct {
        const char *name;
        const char *(*ask)(wfsm_instance *instance, size_t *length);
    } questions[] = {
        {"configuration", wfsm_instance_configuration},
        {"context", wfsm_instance_context},
        {"output", wfsm_instance_output},
        {"timers", wfsm_instance_timers},
        {"invocations", wfsm_instance_invocations},
    };
    tk_text_add(out, "revision %" PRIu64 "\nstatus %d\n", wfsm_instance_revision(run->instance),
                (int)wfsm_instance_status(run->instance));
    for (size_t i = 0; i < sizeof questions / sizeof *questions; i++) {
        size_t length = 0;
        const char *json = questions[i].ask(run->instance, &length);
        add(out, questions[i].name, json, length);
    }
}

int32_t tk_acknowledged(tk_run *run)
{
    uint64_t revision = wfsm_instance_revision(run->instance);
    if (revision <= run->acknowledged)
        return WFSM_OK;
    run->acknowledged = revision;
    if (run->witness)
        run->ended = run->witness->note(run->witness->user, revision, 0);
    return run->ended;
}

/* When an effect is delivered, the commit that made it must be in the store. */
static void check_effect(tk_run *run, uint64_t number, const char *effect, size_t length)
{
    wfsm_head head = {.size = sizeof head};
    const char *wanted = tk_reference_effect(run->reference, number);
    int32_t status = wfsm_store_head(run->inner, wfsm_instance_id(run->instance), &head, NULL);
    tk_must(run, status == WFSM_OK && head.effects >= number,
            "effect %" PRIu64 " was delivered without its commit", number);
    tk_must(run, number <= run->delivered + 1,
            "effect %" PRIu64 " was delivered after effect %" PRIu64, number, run->delivered);
    if (run->learning)
        return;
    tk_must(run, wanted && strlen(wanted) == length && memcmp(wanted, effect, length) == 0,
            "effect %" PRIu64 " is %.*s; without faults it was %.150s", number,
            (int)(length < 150 ? length : 150), effect, wanted ? wanted : "not there");
}

int32_t tk_delivered(tk_run *run, uint64_t number, const char *effect, size_t length)
{
    check_effect(run, number, effect, length);
    if (run->learning && number > run->delivered)
        tk_reference_add_effect(run->reference, effect, length);
    if (number > run->delivered)
        run->delivered = number;
    if (run->witness && !run->broken)
        run->ended = run->witness->note(run->witness->user,
                                        wfsm_instance_revision(run->instance), number);
    return run->ended;
}

static int32_t add_record(void *user, const wfsm_row *row)
{
    tk_text_add(user, "%" PRIu64 " %s ", row->revision, row->id ? row->id : "");
    tk_text_bytes(user, row->text, row->length);
    tk_text_bytes(user, "\n", 1);
    return WFSM_OK;
}

static void compare(tk_run *run, const char *what, tk_text *now, tk_text *wanted)
{
    size_t at = 0;
    if (run->learning) {
        *wanted = *now;
        *now = (tk_text){0};
        return;
    }
    const char *got = tk_text_read(now), *want = tk_text_read(wanted);
    for (size_t i = 0; got[i] && got[i] == want[i]; i++)
        at = got[i] == '\n' ? i + 1 : at;
    tk_must(run, now->length == wanted->length && strcmp(got, want) == 0,
            "%s differs from the run without faults: %.*s instead of %.*s", what,
            (int)(strcspn(got + at, "\n") % 200), got + at,
            (int)(strcspn(want + at, "\n") % 200), want + at);
}

static int32_t note_diagnostic(void *user, const wfsm_audit_diagnostic *diagnostic)
{
    tk_must(user, false, "the audit reports, at revision %" PRIu64 ": %s", diagnostic->revision,
            diagnostic->message);
    return WFSM_OK;
}

static void check_audit(tk_run *run)
{
    wfsm_audit_counts counts = {.size = sizeof counts};
    int32_t status = wfsm_store_audit(run->inner, wfsm_instance_id(run->instance),
                                      note_diagnostic, run, &counts, run->error);
    tk_must(run, status == WFSM_OK, "the audit ends with %s: %s", wfsm_status_name(status),
            wfsm_error_message(run->error));
    tk_must(run, counts.records > 0, "the audit found no record");
}

static void check_head(tk_run *run, const char *id)
{
    wfsm_head head = {.size = sizeof head};
    int32_t status = wfsm_store_head(run->inner, id, &head, run->error);
    if (!tk_must(run, status == WFSM_OK, "the head cannot be read: %s",
                 wfsm_status_name(status)))
        return;
    tk_must(run, head.acknowledged == head.effects,
            "%" PRIu64 " effects were made and %" PRIu64 " acknowledged", head.effects,
            head.acknowledged);
    tk_must(run, head.revision >= run->acknowledged,
            "the store is at revision %" PRIu64 ", and %" PRIu64 " was acknowledged",
            head.revision, run->acknowledged);
    tk_must(run, run->delivered == run->reference->effect_count,
            "%" PRIu64 " of %" PRIu64 " effects were delivered", run->delivered,
            run->reference->effect_count);
}

void tk_check_end(tk_run *run)
{
    tk_text journal = {0}, final = {0};
    const char *id = wfsm_instance_id(run->instance);
    tk_describe(run, &final);
    compare(run, "the state", &final, &run->reference->final);
    int32_t status =
        wfsm_store_records(run->inner, id, 1, UINT64_MAX, add_record, &journal, run->error);
    tk_must(run, status == WFSM_OK, "the journal cannot be read: %s", wfsm_status_name(status));
    compare(run, "the journal", &journal, &run->reference->journal);
    check_head(run, id);
    check_audit(run);
    if (journal.failed || final.failed)
        run->ended = WFSM_NO_MEMORY;
    tk_text_free(&journal);
    tk_text_free(&final);
}
