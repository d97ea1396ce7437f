/* Approvals: posts and events that are the votes of people. */
#include "instance/inner.h"

#include <string.h>
#include "base/invariant.h"
#include "base/error.h"
#include "logic/json.h"
#include "store/approve.h"

/* ---- an invocation that is not outstanding ---- */

typedef struct search {
    wfsm_instance *instance;
    const char *invocation, *by;
    wf_work work;
    bool read, made, voted; /* read: the record of its revision is there */
    int32_t status;
} search;

/* True if the id is of this instance and of a step that it has made. */
static bool read_id(search *self)
{
    const wfsm_instance *instance = self->instance;
    return wf_work_read(self->invocation, wf_instance_id(instance), &self->work) &&
           self->work.revision <= instance->snapshot.revision;
}

static const char *text_at(const wf_value *object, const char *key)
{
    const wf_value *text =
        object && object->type == WF_OBJECT ? wf_value_get_z(object, key) : NULL;
    return text && text->type == WF_STRING ? text->as.text : "";
}

/* A number that is left out is 0. */
static bool has_number(const wf_value *object, const char *key, uint64_t number)
{
    const wf_value *found = object->type == WF_OBJECT ? wf_value_get_z(object, key) : NULL;
    return found ? found->type == WF_NUMBER && found->as.number == (double)number : number == 0;
}

/* Finds out whether the record's step made the invocation, for a person. */
static void look_for_it(search *self, const wf_value *record)
{
    const wf_value *made = wf_value_get_z(record, "invocations");
    self->read = true;
    for (uint32_t i = 0; made && made->type == WF_ARRAY && i < made->length; i++) {
        const wf_value *one = &made->as.items[i];
        self->made |= has_number(one, "revision", self->work.revision) &&
                      has_number(one, "ordinal", self->work.ordinal) &&
                      has_number(one, "incarnation", self->work.incarnation);
    }
}

/* A vote that was taken. */
static void look_for_vote(search *self, const wf_value *record)
{
    const wf_value *input = wf_value_get_z(record, "input");
    const wf_value *data =
        input && input->type == WF_OBJECT ? wf_value_get_z(input, "data") : NULL;
    int verdict = wf_verdict_find(text_at(input, "verdict"));
    self->voted |= (verdict == WF_VERDICT_COUNTED || verdict == WF_VERDICT_DECIDED) &&
                   strcmp(text_at(input, "kind"), "approval") == 0 &&
                   strcmp(text_at(data, "invocation"), self->invocation) == 0 &&
                   strcmp(text_at(data, "by"), self->by) == 0;
}

static int32_t look(void *user, const wfsm_row *row)
{
    search *self = user;
    wf_arena arena;
    wf_value record;
    wf_arena_init(&arena, self->instance->snapshot.allocator, 0);
    self->status = wf_json_parse(&arena, row->text, row->length, &record, NULL);
    if (self->status == WFSM_OK && record.type == WF_OBJECT) {
        if (row->revision == self->work.revision)
            look_for_it(self, &record);
        look_for_vote(self, &record);
    }
    wf_arena_fini(&arena);
    return self->status;
}

/* UNKNOWN, LATE, or TWICE if the same person has voted on it. If the journal has been cut, or
 * there is none, an id that may have existed counts as late. */
static int32_t judge_gone(wfsm_instance *instance, const wf_value *given, int *verdict,
                          wfsm_error *error)
{
    search self = {.instance = instance};
    *verdict = WF_VERDICT_UNKNOWN;
    if (!wf_vote_names(given, &self.invocation, &self.by) || !read_id(&self))
        return WFSM_OK;
    *verdict = WF_VERDICT_LATE;
    if (!wf_instance_store(instance) || wf_instance_find_invocation(instance, self.invocation))
        return WFSM_OK;
    int32_t status =
        wfsm_store_records(wf_instance_store(instance), wf_instance_id(instance),
                           self.work.revision, instance->snapshot.revision, look, &self, error);
    if (self.voted)
        *verdict = WF_VERDICT_TWICE;
    else if (self.read && !self.made)
        *verdict = WF_VERDICT_UNKNOWN;
    return status;
}

/* ---- the input ---- */

static wf_value note_of(wfsm_instance *instance, const char *id, const wf_value *given,
                        int verdict)
{
    const char *const keys[] = {"id", "data", "verdict"};
    wf_value event_id = id ? wf_string_z(id) : wf_null();
    wf_value word = wf_string_z(wf_verdict_name(verdict));
    const wf_value *values[] = {id ? &event_id : NULL, given, &word};
    return wf_note_value(&instance->scratch->step.arena, "approval", keys, values, 3);
}

int32_t wf_run_approval(wfsm_instance *instance, const char *id, const wf_value *given,
                        wf_note *note, wfsm_error *error)
{
    int gone, verdict;
    int32_t status = judge_gone(instance, given, &gone, error);
    if (status != WFSM_OK)
        return status;
    verdict = gone;
    note->outcome = WFSM_ENDED;
    note->event_id = id;
    if (instance->snapshot.status != WFSM_DONE)
        status =
            wf_step_approval(&instance->scratch->step, given, gone, &verdict, &note->outcome);
    WF_INVARIANT(verdict < WF_VERDICTS); /* each has a word */
    if (status == WFSM_OK)
        note->input = note_of(instance, id, given, verdict);
    return status;
}

/* `text` must live until the commit. */
static int32_t give(wfsm_instance *instance, const wfsm_approval *given, wf_buffer *text,
                    wf_note *note, wfsm_error *error)
{
    wf_value data;
    wf_approval_write(text, given);
    int32_t status = text->failed
                         ? wf_no_memory(error)
                         : wf_instance_parse(instance, text->data, text->length, &data, error);
    return status == WFSM_OK ? wf_run_approval(instance, given->id, &data, note, error)
                             : status;
}

static int32_t approve(wfsm_instance *instance, const wfsm_approval *given, int64_t now,
                       int32_t *outcome, wfsm_error *error)
{
    wf_note note = {0};
    wf_buffer text;
    bool seen = false;
    int32_t status = wf_instance_begin(instance, now, error);
    if (status != WFSM_OK)
        return status;
    wf_buffer_init(&text, instance->snapshot.allocator);
    wf_step_origin(&instance->scratch->step, given->interface, given->sender);
    status = wf_instance_is_duplicate(instance, given->id, &seen, error);
    if (status == WFSM_OK && !seen)
        status = give(instance, given, &text, &note, error);
    if (status == WFSM_OK && !seen)
        status = wf_instance_commit_input(instance, &note, outcome, error);
    else
        wf_instance_drop(instance, status);
    if (outcome && seen)
        *outcome = WFSM_DUPLICATE;
    wf_buffer_fini(&text);
    return status;
}

int32_t wfsm_instance_approve(wfsm_instance *instance, const wfsm_approval *approval,
                              int64_t now, int32_t *outcome, wfsm_error *error)
{
    wfsm_approval given;
    int32_t status = wf_approval_check(&given, approval, error);
    if (status == WFSM_OK)
        status = wf_instance_ready(instance, error);
    return status == WFSM_OK ? approve(instance, &given, now, outcome, error) : status;
}
