/* Inputs about invocations: claims, results, failures, answers of probes. */
#include "instance/inner.h"

#include <string.h>
#include "base/error.h"
#include "base/utf8.h"
#include "logic/json.h"

size_t wf_instance_invocation_count(const wfsm_instance *instance)
{
    return instance->snapshot.more->ledger.count;
}

const wf_invocation *wf_instance_invocation(const wfsm_instance *instance, size_t index)
{
    return index < instance->snapshot.more->ledger.count ? &instance->snapshot.more->ledger.list[index]
                                                   : NULL;
}

const wf_invocation *wf_instance_find_invocation(const wfsm_instance *instance,
                                                 const char *id)
{
    char own[WF_INVOCATION_ID_BYTES];
    for (size_t i = 0; i < instance->snapshot.more->ledger.count; i++) {
        wf_instance_invocation_id(instance, &instance->snapshot.more->ledger.list[i], own);
        if (strcmp(own, id) == 0)
            return &instance->snapshot.more->ledger.list[i];
    }
    return NULL;
}

struct work;

/* One of these inputs: its name in the record, the name of what it says, and its step. */
typedef struct work_kind {
    const char *name, *says;
    int32_t (*run)(wfsm_instance *instance, size_t index, const struct work *self,
                   wf_note *note, wf_value *said, wfsm_error *error);
} work_kind;

typedef struct work {
    const work_kind *kind;
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
               ? wf_step_result(&instance->desk->step, index, said, &note->outcome)
               : status;
}

static int32_t run_failure(wfsm_instance *instance, size_t index, const work *self,
                           wf_note *note, wf_value *said, wfsm_error *error)
{
    const char *message = self->text != NULL ? self->text : "";
    (void)error;
    *said = wf_string_z(message);
    uint32_t number = wf_class_find(self->failure_class, strlen(self->failure_class));
    return wf_step_failed(&instance->desk->step, index, number, message,
                          &note->outcome);
}

static int32_t run_probed(wfsm_instance *instance, size_t index, const work *self,
                          wf_note *note, wf_value *said, wfsm_error *error)
{
    static const char *const words[] = {"", "running", "gone", "unsure"};
    (void)error;
    *said = wf_string_z(words[self->answer]);
    return wf_step_probed(&instance->desk->step, index,
                          self->answer == WF_PROBE_RUNNING,
                          self->answer == WF_PROBE_GONE, self->text, &note->outcome);
}

static int32_t run_claim(wfsm_instance *instance, size_t index, const work *self,
                         wf_note *note, wf_value *said, wfsm_error *error)
{
    (void)error;
    *said = wf_string_z(self->text);
    return wf_step_claim(&instance->desk->step, index, self->text, &note->outcome);
}

static const work_kind result_kind = {"result", "output", run_result};
static const work_kind failure_kind = {"failure", "message", run_failure};
static const work_kind claim_kind = {"claim", "owner", run_claim};
static const work_kind probe_kind = {"probe", "answer", run_probed};

static wf_value note_value(wfsm_instance *instance, const work *self, const wf_value *said)
{
    const char *const keys[] = {"invocation", "class", self->kind->says};
    wf_value id = wf_string_z(self->invocation);
    wf_value failure_class = wf_string_z(self->failure_class != NULL ? self->failure_class : "");
    const wf_value *values[] = {&id, self->failure_class != NULL ? &failure_class : NULL,
                                said};
    return wf_note_value(&instance->desk->step.arena, self->kind->name, keys, values,
                         3);
}

static int32_t work_input(wfsm_instance *instance, const work *self, int64_t now,
                          int32_t *outcome, wfsm_error *error)
{
    wf_note note = {0};
    wf_value said = wf_null();
    if (self->invocation == NULL)
        return wf_fail(error, WFSM_INVALID, "the invocation's id is NULL");
    int32_t status = wf_instance_ready(instance, error);
    if (status != WFSM_OK)
        return status;
    const wf_invocation *found = wf_instance_find_invocation(instance, self->invocation);
    if (outcome != NULL)
        *outcome = WFSM_STALE;
    if (found == NULL)
        return WFSM_OK;
    size_t index = (size_t)(found - instance->snapshot.more->ledger.list);
    status = wf_instance_begin(instance, now, error);
    if (status != WFSM_OK)
        return status;
    status = self->kind->run(instance, index, self, &note, &said, error);
    if (status == WFSM_OK && note.outcome != WFSM_STALE) {
        note.input = note_value(instance, self, &said);
        return wf_instance_commit_input(instance, &note, outcome, error);
    }
    return wf_instance_drop(instance, status);
}

int32_t wfsm_instance_result(wfsm_instance *instance, const char *invocation,
                             const char *output, size_t length, int64_t now,
                             int32_t *outcome, wfsm_error *error)
{
    work self = {.kind = &result_kind, .invocation = invocation, .text = output,
                 .length = length};
    return work_input(instance, &self, now, outcome, error);
}

int32_t wfsm_instance_failure(wfsm_instance *instance, const char *invocation,
                              const char *failure_class, const char *message, int64_t now,
                              int32_t *outcome, wfsm_error *error)
{
    work self = {.kind = &failure_kind, .invocation = invocation, .text = message};
    if (failure_class == NULL ||
        wf_class_find(failure_class, strlen(failure_class)) == WF_CLASSES)
        return wf_fail(error, WFSM_INVALID, "no such failure class");
    if (message != NULL && !wf_utf8_valid(message, strlen(message)))
        return wf_fail(error, WFSM_INVALID, "the message is not UTF-8");
    self.failure_class = failure_class;
    return work_input(instance, &self, now, outcome, error);
}

int32_t wfsm_instance_claim(wfsm_instance *instance, const char *invocation,
                            const char *owner, int64_t now, int32_t *outcome,
                            wfsm_error *error)
{
    work self = {.kind = &claim_kind, .invocation = invocation, .text = owner};
    if (!wf_id_valid(owner))
        return wf_fail(error, WFSM_INVALID, "an owner is 1 to 255 bytes of UTF-8");
    return work_input(instance, &self, now, outcome, error);
}

int32_t wf_instance_probed(wfsm_instance *instance, const char *invocation, int32_t answer,
                           const char *owner, int64_t now, int32_t *outcome,
                           wfsm_error *error)
{
    work self = {.kind = &probe_kind, .invocation = invocation, .text = owner, .answer = answer};
    return work_input(instance, &self, now, outcome, error);
}
