/* Inputs about invocations: claims, results, failures, answers of probes. */
#include "instance/inner.h"

#include <string.h>
#include "base/invariant.h"
#include "base/error.h"
#include "base/sized.h"
#include "base/utf8.h"
#include "logic/json.h"

size_t wf_instance_invocation_count(const wfsm_instance *instance)
{
    return instance->snapshot.extras->ledger.count;
}

const wf_invocation *wf_instance_invocation(const wfsm_instance *instance, size_t index)
{
    return index < instance->snapshot.extras->ledger.count
               ? wf_invocation_at(&instance->snapshot.extras->ledger, index)
               : NULL;
}

const wf_invocation *wf_instance_invocation_of(const wfsm_instance *instance,
                                               const wf_work *work)
{
    const wf_list *ledger = &instance->snapshot.extras->ledger;
    size_t found = wf_ledger_find_work(ledger, work);
    return found < ledger->count ? wf_invocation_at(ledger, found) : NULL;
}

const wf_invocation *wf_instance_find_invocation(const wfsm_instance *instance, const char *id)
{
    const wf_list *ledger = &instance->snapshot.extras->ledger;
    size_t found = wf_ledger_find_id(ledger, wfsm_instance_id(instance), id);
    return found < ledger->count ? wf_invocation_at(ledger, found) : NULL;
}

bool wf_instance_items_full(const wfsm_instance *instance, const wf_invocation *invocation)
{
    const wf_list *ledger = &instance->snapshot.extras->ledger;
    return wf_ledger_set_full(
        ledger, wf_ledger_find(ledger, invocation->revision, invocation->ordinal));
}

bool wf_instance_refuses(const wfsm_instance *instance, int64_t now)
{
    return wf_budget_refusing(&instance->snapshot, now) != WF_NONE;
}

struct work;

/* One of these inputs: its kind in the record, the key of its data there, and its step. */
typedef struct work_kind {
    const char *name, *says;
    bool answers; /* it says what the work has come to */
    int32_t (*run)(wfsm_instance *instance, size_t index, const struct work *self,
                   wf_note *note, wf_value *said, wfsm_error *error);
} work_kind;

typedef struct work {
    const work_kind *kind;
    const wfsm_report *report; /* as the caller gave it; NULL: none */
    const char *invocation;
    const char *text; /* output as JSON, a message, or an owner; may be NULL */
    size_t length;
    const char *failure_class; /* NULL: none */
    int32_t answer;            /* enum wf_probe */
} work;

static int32_t run_result(wfsm_instance *instance, size_t index, const work *self,
                          wf_note *note, wf_value *said, wfsm_error *error)
{
    int32_t status = wf_instance_parse(instance, self->text, self->length, said, error);
    return status == WFSM_OK
               ? wf_step_result(&instance->scratch->step, index, said, &note->outcome)
               : status;
}

static int32_t run_failure(wfsm_instance *instance, size_t index, const work *self,
                           wf_note *note, wf_value *said, wfsm_error *error)
{
    const char *message = self->text ? self->text : "";
    (void)error;
    *said = wf_string_z(message);
    uint32_t number = wf_class_find(self->failure_class, strlen(self->failure_class));
    return wf_step_failed(&instance->scratch->step, index, number, message, &note->outcome);
}

static int32_t run_probed(wfsm_instance *instance, size_t index, const work *self,
                          wf_note *note, wf_value *said, wfsm_error *error)
{
    static const char *const words[] = {"", "running", "gone", "unsure"};
    (void)error;
    WF_INVARIANT(self->answer >= WF_PROBE_RUNNING && self->answer <= WF_PROBE_UNSURE);
    *said = wf_string_z(words[self->answer]);
    return wf_step_probed(&instance->scratch->step, index, self->answer == WF_PROBE_RUNNING,
                          self->answer == WF_PROBE_GONE, self->text, &note->outcome);
}

static int32_t run_claim(wfsm_instance *instance, size_t index, const work *self, wf_note *note,
                         wf_value *said, wfsm_error *error)
{
    (void)error;
    *said = wf_string_z(self->text);
    return wf_step_claim(&instance->scratch->step, index, self->text, &note->outcome);
}

static int32_t run_cancel(wfsm_instance *instance, size_t index, const work *self,
                          wf_note *note, wf_value *said, wfsm_error *error)
{
    const char *message = self->text ? self->text : "";
    (void)error;
    *said = wf_string_z(message);
    return wf_step_cancel(&instance->scratch->step, index, message, &note->outcome);
}

static int32_t run_retry(wfsm_instance *instance, size_t index, const work *self, wf_note *note,
                         wf_value *said, wfsm_error *error)
{
    (void)self;
    (void)error;
    *said = wf_absent();
    return wf_step_retry(&instance->scratch->step, index, &note->outcome);
}

static const work_kind retry_kind = {"retry", "", false, run_retry};
static const work_kind cancel_kind = {"cancel", "message", false, run_cancel};
static const work_kind result_kind = {"result", "output", true, run_result};
static const work_kind failure_kind = {"failure", "message", true, run_failure};
static const work_kind claim_kind = {"claim", "owner", false, run_claim};
static const work_kind probe_kind = {"probe", "answer", false, run_probed};

static wf_value note_value(wfsm_instance *instance, const work *self, const wf_value *said)
{
    const char *const keys[] = {"invocation", "class",       self->kind->says, "usage",
                                "signature",  "retry_after", "descendants"};
    const wf_report *report = &instance->scratch->step.report;
    wf_value id = wf_string_z(self->invocation);
    wf_value failure_class = wf_string_z(self->failure_class ? self->failure_class : "");
    wf_value signature = wf_string_z(report->signature ? report->signature : "");
    wf_value after = wf_number((double)report->retry_after);
    wf_value descendants = wf_number((double)report->descendants);
    const wf_value *values[] = {&id,
                                self->failure_class ? &failure_class : NULL,
                                said->type == WF_ABSENT ? NULL : said,
                                report->usage,
                                report->signature ? &signature : NULL,
                                report->retry_after > 0 ? &after : NULL,
                                report->descendants > 0 ? &descendants : NULL};
    return wf_note_value(&instance->scratch->step.arena, self->kind->name, keys, values, 7);
}

/* ---- what an agent reports besides its answer ---- */

static bool is_usage(const wf_value *usage)
{
    for (uint32_t i = 0; usage->type == WF_OBJECT && i < usage->length; i++) {
        const wf_value *amount = &usage->as.members[i].value;
        if (amount->type != WF_NUMBER || !(amount->as.number >= 0) ||
            amount->as.number > (double)WF_NUMBER_MOST ||
            (double)(int64_t)amount->as.number < amount->as.number)
            return false;
    }
    return usage->type == WF_OBJECT;
}

static int32_t take_usage(wfsm_instance *instance, const wfsm_report *report, wfsm_error *error)
{
    wf_value *usage = wf_arena_take(&instance->scratch->step.arena, sizeof *usage);
    if (!usage)
        return wf_no_memory(error);
    int32_t status =
        wf_instance_parse(instance, report->usage, report->usage_length, usage, error);
    if (status == WFSM_OK && !is_usage(usage))
        return wf_fail(error, WFSM_INVALID,
                       "usage is an object of whole numbers from 0 to 2^53");
    instance->scratch->step.report.usage = usage;
    return status;
}

static int32_t take_report(wfsm_instance *instance, const wfsm_report *given, wfsm_error *error)
{
    wfsm_report report;
    wf_report *taken = &instance->scratch->step.report;
    if (!given)
        return WFSM_OK;
    if (!wf_struct_check(&report, sizeof report, given,
                         WF_SIZE_UP_TO(wfsm_report, retry_after)) ||
        report.retry_after < 0 || report.retry_after > WF_NUMBER_MOST ||
        report.descendants > (uint64_t)WF_NUMBER_MOST ||
        (report.signature && (report.signature[0] == '\0' ||
                              !wf_utf8_valid(report.signature, strlen(report.signature)))))
        return wf_fail(error, WFSM_INVALID,
                       "the size, the signature or the time of the report is wrong");
    taken->retry_after = report.retry_after;
    taken->descendants = report.descendants;
    taken->signature = report.signature;
    return report.usage ? take_usage(instance, &report, error) : WFSM_OK;
}

static bool asks_people(const wfsm_instance *instance, const wf_invocation *self)
{
    return wf_is_person(&instance->snapshot.machine->agents.list[self->agent]);
}

/* By a budget. An answer that a guard blocks is consumed like one that nothing handles. */
static bool is_refused(const work *self, int32_t outcome)
{
    return outcome == WFSM_BLOCKED && (self->kind == &claim_kind || self->kind == &retry_kind);
}

static int32_t work_input(wfsm_instance *instance, const work *self, int64_t now,
                          int32_t *outcome, wfsm_error *error)
{
    wf_note note = {0};
    wf_value said = wf_null();
    if (!self->invocation)
        return wf_fail(error, WFSM_INVALID, "the invocation's id is NULL");
    int32_t status = wf_instance_ready(instance, error);
    if (status != WFSM_OK)
        return status;
    const wf_invocation *found = wf_instance_find_invocation(instance, self->invocation);
    if (outcome)
        *outcome = WFSM_STALE;
    if (!found)
        return WFSM_OK;
    if (self->kind->answers && asks_people(instance, found))
        return wf_fail(error, WFSM_DENIED,
                       "\"%.200s\" asks people; use wfsm_approve() for their votes",
                       self->invocation);
    size_t index =
        wf_ledger_find(&instance->snapshot.extras->ledger, found->revision, found->ordinal);
    status = wf_instance_begin(instance, now, error);
    if (status != WFSM_OK)
        return status;
    status = take_report(instance, self->report, error);
    if (status == WFSM_OK)
        status = self->kind->run(instance, index, self, &note, &said, error);
    if (status == WFSM_OK && outcome)
        *outcome = note.outcome;
    if (status == WFSM_OK && note.outcome != WFSM_STALE && !is_refused(self, note.outcome)) {
        note.input = note_value(instance, self, &said);
        return wf_instance_commit_input(instance, &note, outcome, error);
    }
    return wf_instance_drop(instance, status);
}

int32_t wfsm_instance_result(wfsm_instance *instance, const wfsm_result *result, int64_t now,
                             int32_t *outcome, wfsm_error *error)
{
    wfsm_result given;
    if (!wf_struct_check(&given, sizeof given, result, WF_SIZE_UP_TO(wfsm_result, report)))
        return wf_fail(error, WFSM_INVALID, "the result, or its size, is not set");
    work self = {.kind = &result_kind,
                 .report = given.report,
                 .invocation = given.invocation,
                 .text = given.output,
                 .length = given.length};
    return work_input(instance, &self, now, outcome, error);
}

int32_t wf_failure_check(const wfsm_failure *failure, wfsm_error *error)
{
    const char *name = failure->failure_class, *message = failure->message;

    if (!name || wf_class_find(name, strlen(name)) == WF_CLASSES)
        return wf_fail(error, WFSM_INVALID, "no such failure class");
    if (message && !wf_utf8_valid(message, strlen(message)))
        return wf_fail(error, WFSM_INVALID, "the message is not UTF-8");
    return WFSM_OK;
}

int32_t wfsm_instance_failure(wfsm_instance *instance, const wfsm_failure *failure, int64_t now,
                              int32_t *outcome, wfsm_error *error)
{
    wfsm_failure given;
    if (!wf_struct_check(&given, sizeof given, failure, WF_SIZE_UP_TO(wfsm_failure, report)))
        return wf_fail(error, WFSM_INVALID, "the failure, or its size, is not set");
    work self = {.kind = &failure_kind,
                 .report = given.report,
                 .invocation = given.invocation,
                 .text = given.message,
                 .failure_class = given.failure_class};
    if (wf_failure_check(&given, error) != WFSM_OK)
        return WFSM_INVALID;
    return work_input(instance, &self, now, outcome, error);
}

int32_t wfsm_instance_cancel(wfsm_instance *instance, const char *invocation,
                             const char *message, int64_t now, int32_t *outcome,
                             wfsm_error *error)
{
    work self = {.kind = &cancel_kind, .invocation = invocation, .text = message};
    if (message && !wf_utf8_valid(message, strlen(message)))
        return wf_fail(error, WFSM_INVALID, "the message is not UTF-8");
    return work_input(instance, &self, now, outcome, error);
}

int32_t wfsm_instance_retry(wfsm_instance *instance, const char *invocation, int64_t now,
                            int32_t *outcome, wfsm_error *error)
{
    work self = {.kind = &retry_kind, .invocation = invocation};
    return work_input(instance, &self, now, outcome, error);
}

int32_t wfsm_instance_claim(wfsm_instance *instance, const char *invocation, const char *owner,
                            int64_t now, int32_t *outcome, wfsm_error *error)
{
    work self = {.kind = &claim_kind, .invocation = invocation, .text = owner};
    if (!wf_id_valid(owner))
        return wf_fail(error, WFSM_INVALID, "an owner is 1 to 255 bytes of UTF-8");
    return work_input(instance, &self, now, outcome, error);
}

int32_t wf_instance_claim_child(wfsm_instance *instance, const char *invocation,
                                const char *owner, uint64_t descendants, int64_t now,
                                wfsm_error *error)
{
    const wfsm_report report = {.size = sizeof report, .descendants = descendants};
    work self = {
        .kind = &claim_kind, .report = &report, .invocation = invocation, .text = owner};
    return work_input(instance, &self, now, NULL, error);
}

int32_t wf_instance_probed(wfsm_instance *instance, const char *invocation, int32_t answer,
                           const char *owner, int64_t now, int32_t *outcome, wfsm_error *error)
{
    work self = {
        .kind = &probe_kind, .invocation = invocation, .text = owner, .answer = answer};
    return work_input(instance, &self, now, outcome, error);
}
