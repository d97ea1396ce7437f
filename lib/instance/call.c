/* instance/call.c: what a callback reads from its call, and the answer it leaves there.
 */
#include <stdio.h>
#include <string.h>

#include "base/invariant.h"
#include "base/utf8.h"
#include "instance/call.h"
#include "logic/json.h"
#include "machine/model.h"

static unsigned bit(int answer)
{
    return 1U << (unsigned)answer;
}

/* The answers that each kind of callback may give. The engine adds those of a probe. */
static unsigned usual_answers(int kind)
{
    switch (kind) {
    case WF_CALL_GUARD:
        return bit(WF_ANSWER_ALLOW) | bit(WF_ANSWER_FAILED);
    case WF_CALL_ACTION:
        return bit(WF_ANSWER_PATCH) | bit(WF_ANSWER_FAILED);
    case WF_CALL_AGENT:
        return bit(WF_ANSWER_DONE) | bit(WF_ANSWER_FAILED);
    default:
        return 0;
    }
}

void wf_call_init(wfsm_call *call, int kind, const wfsm_allocator *allocator)
{
    memset(call, 0, sizeof *call);
    call->kind = kind;
    call->allocator = allocator;
    call->allowed = usual_answers(kind);
    wf_buffer_init(&call->params.buffer, allocator);
    wf_buffer_init(&call->context.buffer, allocator);
    wf_buffer_init(&call->event.buffer, allocator);
    wf_buffer_init(&call->input.buffer, allocator);
    wf_buffer_init(&call->schema.buffer, allocator);
    wf_buffer_init(&call->usage, allocator);
    wf_buffer_init(&call->signature, allocator);
    wf_buffer_init(&call->text, allocator);
}

void wf_call_fini(wfsm_call *call)
{
    wf_buffer_fini(&call->params.buffer);
    wf_buffer_fini(&call->context.buffer);
    wf_buffer_fini(&call->event.buffer);
    wf_buffer_fini(&call->input.buffer);
    wf_buffer_fini(&call->schema.buffer);
    wf_buffer_fini(&call->usage);
    wf_buffer_fini(&call->signature);
    wf_buffer_fini(&call->text);
}

void wf_call_clear(wfsm_call *call)
{
    wf_buffer_clear(&call->params.buffer);
    wf_buffer_clear(&call->context.buffer);
    wf_buffer_clear(&call->event.buffer);
    wf_buffer_clear(&call->input.buffer);
    wf_buffer_clear(&call->schema.buffer);
    wf_buffer_clear(&call->usage);
    wf_buffer_clear(&call->signature);
    wf_buffer_clear(&call->text);
    call->alive = false;
    call->retry_after = 0;
    call->answer = WF_ANSWER_NONE;
    call->unusable = false;
    call->yes = 0;
    call->failure_class = WF_CLASS_OTHER;
}

const char *wfsm_call_name(const wfsm_call *call)
{
    return call ? call->name : NULL;
}

const char *wfsm_call_instance(const wfsm_call *call)
{
    return call ? call->instance : NULL;
}

int64_t wfsm_call_now(const wfsm_call *call)
{
    return call ? call->now : 0;
}

const char *wfsm_call_id(const wfsm_call *call)
{
    return call ? call->id : NULL;
}

int32_t wfsm_call_attempt(const wfsm_call *call)
{
    return call ? call->attempt : 0;
}

int32_t wfsm_call_lost(const wfsm_call *call)
{
    return call ? call->lost : 0;
}

const char *wfsm_call_state(const wfsm_call *call)
{
    return call ? call->state : NULL;
}

int64_t wfsm_call_claimed(const wfsm_call *call)
{
    return call ? call->claimed : 0;
}

int64_t wfsm_call_timeout(const wfsm_call *call)
{
    return call ? call->timeout : 0;
}

static const char *borrow(const char *text, size_t text_length, size_t *length)
{
    if (length)
        *length = text ? text_length : 0;
    return text;
}

/* Most callbacks read few of the texts, so each is made when it is first read. */
static const char *text_of(wf_call_text *text, size_t *length)
{
    if (!text->value)
        return borrow(NULL, 0, length);
    if (text->buffer.length == 0)
        wf_json_write(&text->buffer, text->value);
    if (text->buffer.failed) {
        wf_buffer_clear(&text->buffer); /* the next attempt may have memory */
        return borrow(NULL, 0, length);
    }
    return borrow(text->buffer.data, text->buffer.length, length);
}

const char *wfsm_call_params(wfsm_call *call, size_t *length)
{
    return call ? text_of(&call->params, length) : borrow(NULL, 0, length);
}

const char *wfsm_call_context(wfsm_call *call, size_t *length)
{
    return call ? text_of(&call->context, length) : borrow(NULL, 0, length);
}

const char *wfsm_call_event(wfsm_call *call, size_t *length)
{
    return call ? text_of(&call->event, length) : borrow(NULL, 0, length);
}

const char *wfsm_call_input(wfsm_call *call, size_t *length)
{
    return call ? text_of(&call->input, length) : borrow(NULL, 0, length);
}

const char *wfsm_call_schema(wfsm_call *call, size_t *length)
{
    return call ? text_of(&call->schema, length) : borrow(NULL, 0, length);
}

const char *wfsm_call_record(wfsm_call *call, size_t *length)
{
    return call ? borrow(call->record, call->record_length, length) : borrow(NULL, 0, length);
}

const char *wfsm_call_log(wfsm_call *call, size_t *length)
{
    return call ? borrow(call->log, call->log_length, length) : borrow(NULL, 0, length);
}

static bool may_answer(const wfsm_call *call, int answer)
{
    return call && (call->allowed & bit(answer)) != 0;
}

static bool has_answer(const wfsm_call *call)
{
    return call->answer != WF_ANSWER_NONE && !call->unusable;
}

/* The first answer counts. If it cannot be kept, the call has no answer. */
static int32_t answer_text(wfsm_call *call, int answer, const char *text, size_t length)
{
    WF_INVARIANT(may_answer(call, answer));
    if (has_answer(call))
        return WFSM_EXISTS;
    call->unusable = false;
    call->answer = WF_ANSWER_NONE;
    wf_buffer_clear(&call->text);
    wf_buffer_add(&call->text, text, length);
    if (call->text.failed) {
        wf_buffer_clear(&call->text);
        return WFSM_NO_MEMORY;
    }
    call->answer = answer;
    return WFSM_OK;
}

static int32_t answer_bare(wfsm_call *call, int answer)
{
    if (!may_answer(call, answer))
        return WFSM_INVALID;
    if (has_answer(call))
        return WFSM_EXISTS;
    wf_buffer_clear(&call->text);
    call->unusable = false;
    call->answer = answer;
    return WFSM_OK;
}

int32_t wfsm_call_allow(wfsm_call *call, int32_t yes)
{
    int32_t status = answer_bare(call, WF_ANSWER_ALLOW);

    if (status == WFSM_OK)
        call->yes = yes != 0;
    return status;
}

int32_t wfsm_call_patch(wfsm_call *call, const char *json, size_t length)
{
    if (!may_answer(call, WF_ANSWER_PATCH) || !json)
        return WFSM_INVALID;
    return answer_text(call, WF_ANSWER_PATCH, json, length);
}

static int32_t check_json(const wfsm_call *call, const char *json, size_t length,
                          wfsm_error *error)
{
    wf_arena arena;
    wf_value value;
    int32_t status;

    wf_arena_init(&arena, call->allocator, 0);
    status = wf_json_parse(&arena, json, length, &value, error);
    wf_arena_fini(&arena);
    return status;
}

/* An agent that does not look at the status is not to be waited for. One that does may answer
 * again. */
static int32_t unusable(wfsm_call *call, const char *json, size_t length)
{
    wfsm_error *error = wfsm_error_new(call->allocator);
    char message[600];
    int32_t why, status;

    if (!error)
        return WFSM_NO_MEMORY;
    why = check_json(call, json, length, error);
    snprintf(message, sizeof message, "unusable answer: %s", wfsm_error_message(error));
    wfsm_error_free(error);
    status = answer_text(call, WF_ANSWER_FAILED, message, strlen(message));
    if (status != WFSM_OK)
        return status;
    call->failure_class = WF_CLASS_SCHEMA;
    call->unusable = true;
    return why;
}

int32_t wfsm_call_done(wfsm_call *call, const char *json, size_t length)
{
    int32_t status;

    if (!may_answer(call, WF_ANSWER_DONE) || !json)
        return WFSM_INVALID;
    if (has_answer(call))
        return WFSM_EXISTS;
    status = check_json(call, json, length, NULL);
    if (status == WFSM_NO_MEMORY)
        return status;
    if (status != WFSM_OK)
        return unusable(call, json, length);
    return answer_text(call, WF_ANSWER_DONE, json, length);
}

/* Messages often quote what a broken program printed; a record holds UTF-8 only. */
static void replace_foreign_bytes(char *text, size_t length)
{
    if (wf_utf8_valid(text, length))
        return;
    for (size_t i = 0; i < length; i++) {
        if ((unsigned char)text[i] >= 0x80)
            text[i] = '?';
    }
}

/* Only the failures of agents have a class. */
static uint32_t class_of(const wfsm_call *call, const char *name)
{
    if (name)
        return wf_class_find(name, strlen(name));
    return call && call->kind != WF_CALL_AGENT ? WF_CLASS_OTHER : WF_CLASSES;
}

int32_t wfsm_call_failed(wfsm_call *call, const char *failure_class, const char *message)
{
    uint32_t class_number = class_of(call, failure_class);
    const char *text = message ? message : "";
    int32_t status;

    if (!may_answer(call, WF_ANSWER_FAILED) || class_number >= WF_CLASSES)
        return WFSM_INVALID;
    status = answer_text(call, WF_ANSWER_FAILED, text, strlen(text));
    if (status != WFSM_OK)
        return status;
    if (call->text.length > 0)
        replace_foreign_bytes(call->text.data, call->text.length);
    call->failure_class = class_number;
    return WFSM_OK;
}

int32_t wfsm_call_gone(wfsm_call *call)
{
    return answer_bare(call, WF_ANSWER_GONE);
}

int32_t wfsm_call_unsure(wfsm_call *call)
{
    return answer_bare(call, WF_ANSWER_UNSURE);
}
