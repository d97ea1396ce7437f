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

/* Removes the entry of an invocation. Returns how often it had failed with this signature. */
static uint32_t take(wf_repeats *repeats, uint32_t invoke, const char *signature)
{
    size_t i = 0;
    while (i < repeats->count && repeats->list[i].invoke != invoke)
        i++;
    if (i == repeats->count)
        return 0;
    bool same = strcmp(repeats->list[i].signature, signature) == 0;
    uint32_t count = same ? repeats->list[i].count : 0;
    repeats->count--;
    memmove(&repeats->list[i], &repeats->list[i + 1],
            (repeats->count - i) * sizeof *repeats->list);
    return count;
}

static int32_t add(wf_step *step, const wf_repeat *made)
{
    wf_repeats *repeats = &wf_own_extras(step->snapshot)->repeats;
    WF_INVARIANT(made->count > 0 && made->signature[WF_SIGNATURE_BYTES - 1] == '\0');
    wf_repeat *list = wf_grow(step->allocator, repeats->list, &repeats->capacity,
                              repeats->count + 1, sizeof *list);
    if (!list)
        return wf_no_memory(step->error);
    repeats->list = list;
    list[repeats->count++] = *made;
    return WFSM_OK;
}

int32_t wf_failures_count(wf_step *step)
{
    wf_repeat made = {.invoke = step->ended_invoke};
    if (step->ended_invoke == WF_NONE ||
        (!step->ended_signature && step->snapshot->extras->repeats.count == 0))
        return WFSM_OK;
    int32_t status = wf_draft_repeats(step);
    if (status != WFSM_OK)
        return status;
    if (step->ended_signature)
        fit(made.signature, step->ended_signature);
    uint32_t before =
        take(&wf_own_extras(step->snapshot)->repeats, made.invoke, made.signature);
    made.count = before < UINT32_MAX ? before + 1 : before;
    return step->ended_signature ? add(step, &made) : WFSM_OK;
}

int32_t wf_failures_reset(wf_step *step)
{
    if (step->snapshot->extras->repeats.count == 0)
        return WFSM_OK;
    int32_t status = wf_draft_repeats(step);
    if (status == WFSM_OK)
        wf_own_extras(step->snapshot)->repeats.count = 0;
    return status;
}

/* ---- the value of `failure` in expressions ---- */

static wf_value failure_value(wf_step *step)
{
    const wf_repeats *repeats = &step->snapshot->extras->repeats;
    if (repeats->count == 0)
        return wf_null();
    wf_member *members = wf_arena_take(&step->arena, 3 * sizeof *members);
    const wf_repeat *last = &repeats->list[repeats->count - 1];
    wf_value signature = wf_string_copy(&step->arena, last->signature, strlen(last->signature));
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
