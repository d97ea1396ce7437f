/* Repeated failures: how often an invocation of the machine has failed in a row with the same
 * signature. This is how a machine detects a loop without progress. */
#include "step/step.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "base/error.h"
#include "base/invariant.h"
#include "base/memory.h"

/* ---- signatures ---- */

/* Bytes of a long signature that are kept. A hash of the whole replaces the rest. */
enum { KEPT = WF_SIGNATURE_BYTES - 20 };

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_space(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static bool is_hex(char c)
{
    return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

/* The length of a number at the beginning, hexadecimal digits included: line numbers, times,
 * addresses, digests. */
static size_t number_length(const char *text)
{
    size_t length = 0;
    if (!is_digit(text[0]))
        return 0;
    while (is_hex(text[length]) || (length == 1 && text[0] == '0' && text[1] == 'x'))
        length++;
    return length;
}

static size_t space_length(const char *text)
{
    size_t length = 0;
    while (is_space(text[length]))
        length++;
    return length;
}

/* Replaces each number by "#" and white space by one blank, in place. The text never gets
 * longer. */
static void normalise(char *text)
{
    char *out = text;
    while (*text != '\0') {
        size_t number = number_length(text), space = space_length(text);
        if (number > 0)
            *out++ = '#';
        else if (space > 0)
            *out++ = ' ';
        else
            *out++ = *text++;
        text += number > 0 ? number : space;
    }
    *out = '\0';
}

const char *wf_signature(wf_step *step, uint32_t failure_class, const char *message)
{
    const char *name = wf_class_name(failure_class);
    size_t length = strlen(name), size = strlen(message);
    char *text = wf_arena_take(&step->arena, length + size + 3);
    if (!text)
        return NULL;
    memcpy(text, name, length);
    memcpy(text + length, ": ", 2);
    memcpy(text + length + 2, message, size + 1);
    normalise(text + length + 2);
    return text;
}

/* The greatest length, up to this one, that does not split a character. */
static size_t cut(const char *text, size_t length)
{
    while (length > 0 && ((unsigned char)text[length] & 0xC0) == 0x80)
        length--;
    return length;
}

static void fit(char out[WF_SIGNATURE_BYTES], const char *text)
{
    size_t length = strlen(text);
    if (length < WF_SIGNATURE_BYTES) {
        memcpy(out, text, length + 1);
        return;
    }
    size_t kept = cut(text, KEPT);
    memcpy(out, text, kept);
    snprintf(out + kept, WF_SIGNATURE_BYTES - kept, " %08" PRIx32 "%08" PRIx32,
             wf_hash_kept(text, length), (uint32_t)length);
}

/* ---- counting ---- */

/* The place of the entry of an invocation, or the count. */
static size_t find(const wf_list *repeats, uint32_t invoke)
{
    size_t i = 0;
    while (i < repeats->count && wf_repeat_at(repeats, i)->invoke != invoke)
        i++;
    return i;
}

/* An invocation that has failed again becomes the last of the list. */
int32_t wf_failures_count(wf_step *step)
{
    const wf_list *repeats = &step->snapshot->extras->repeats;
    char signature[WF_SIGNATURE_BYTES] = "";
    wf_repeat made = {.invoke = step->ended_invoke};
    int32_t status = WFSM_OK;
    size_t found = find(repeats, made.invoke);
    if (made.invoke == WF_NONE || (!step->ended_signature && repeats->count == 0))
        return WFSM_OK;
    step->repeated = wf_absent();
    if (step->ended_signature)
        fit(signature, step->ended_signature);
    if (found < repeats->count) {
        const wf_repeat *before = wf_repeat_at(repeats, found);
        if (strcmp(before->signature.as.text, signature) == 0)
            made.count = before->count;
        status = wf_draft_remove(step, WF_REPEATS, found);
    }
    made.count += made.count < UINT32_MAX;
    made.signature = wf_string_z(signature);
    WF_INVARIANT(made.count > 0 && made.signature.length < WF_SIGNATURE_BYTES);
    return status == WFSM_OK && step->ended_signature ? wf_draft_add(step, WF_REPEATS, &made)
                                                      : status;
}

int32_t wf_failures_reset(wf_step *step)
{
    int32_t status = WFSM_OK;
    step->repeated = wf_absent();
    while (status == WFSM_OK && step->snapshot->extras->repeats.count > 0)
        status = wf_draft_remove(step, WF_REPEATS, step->snapshot->extras->repeats.count - 1);
    return status;
}

/* ---- the value of `failure` in expressions ---- */

static wf_value failure_value(wf_step *step)
{
    const wf_list *repeats = &step->snapshot->extras->repeats;
    if (repeats->count == 0)
        return wf_null();
    wf_member *members = wf_arena_take(&step->arena, 3 * sizeof *members);
    const wf_repeat *last = wf_repeat_at(repeats, repeats->count - 1);
    wf_value signature =
        wf_string_copy(&step->arena, last->signature.as.text, last->signature.length);
    const wf_name *id = &step->machine->invokes[last->invoke].id;
    if (!members || signature.type == WF_ABSENT)
        return wf_null();
    wf_member_set(&members[0], "invoke", 6, wf_string(id->text, id->length));
    wf_member_set(&members[1], "signature", 9, signature);
    wf_member_set(&members[2], "count", 5, wf_number(last->count));
    return wf_object(members, 3);
}

const wf_value *wf_step_failure_seen(wf_step *step)
{
    if (step->repeated.type == WF_ABSENT)
        step->repeated = failure_value(step);
    return &step->repeated;
}
