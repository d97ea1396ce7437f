/* store/decode_parts.c: what all parts of decoding need: members, numbers, lists, errors. */
#include "store/decode_parts.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "base/invariant.h"
#include "logic/json.h"

int32_t wf_corrupt(const wf_decoder *decoder, const char *format, ...)
{
    char message[256], what[32] = "snapshot", where[64] = "";
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    if (decoder->record > 0)
        snprintf(what, sizeof what, "record %" PRIu64, decoder->record);
    if (decoder->list)
        snprintf(where, sizeof where, ", %s %" PRIu32, decoder->list, decoder->index);
    return wf_fail(decoder->error, WFSM_CORRUPT, "stored bytes of \"%.60s\": %s%s: %s",
                   decoder->stored->instance, what, where, message);
}

const wf_value *wf_found(const wf_fields *fields, int key, enum wf_type type)
{
    const wf_value *found = fields->found[key];
    return found && found->type == type ? found : NULL;
}

const char *wf_type_name(enum wf_type type)
{
    static const char *const names[] = {"nothing",  "null",     "a boolean", "a number",
                                        "a string", "an array", "an object"};
    return names[type];
}

int32_t wf_need(const wf_decoder *decoder, const wf_fields *fields, int key, enum wf_type type,
                const wf_value **found)
{
    *found = wf_found(fields, key, type);
    if (*found)
        return WFSM_OK;
    return wf_corrupt(decoder, "expected %s as \"%s\"", wf_type_name(type), fields->keys[key]);
}

bool wf_is_number(const wf_value *value, int64_t *number)
{
    if (!value || value->type != WF_NUMBER || !(value->as.number >= 0) ||
        value->as.number > (double)WF_NUMBER_MOST || floor(value->as.number) < value->as.number)
        return false;
    *number = (int64_t)value->as.number;
    return true;
}

int32_t wf_need_number(const wf_decoder *decoder, const wf_fields *fields, int key,
                       int64_t least, int64_t *number)
{
    if (wf_is_number(fields->found[key], number) && *number >= least)
        return WFSM_OK;
    return wf_corrupt(decoder, "expected a whole number from %" PRId64 " to 2^53 as \"%s\"",
                      least, fields->keys[key]);
}

int32_t wf_need_text(const wf_decoder *decoder, const wf_fields *fields, int key,
                     const char *text)
{
    const wf_value *found = wf_found(fields, key, WF_STRING);
    if (found && strcmp(found->as.text, text) == 0)
        return WFSM_OK;
    return wf_corrupt(decoder, "expected \"%s\" as \"%s\"", text, fields->keys[key]);
}

/* The number of a key, from `from` on; that of the NULL if it is not in the list. */
static uint32_t find_key(const char *const *keys, const char *key, uint32_t from)
{
    while (keys[from] && (*keys[from] != *key || strcmp(keys[from], key) != 0))
        from++;
    return from;
}

/* Keys in the order of the list are found fastest. */
static int32_t find_members(const wf_decoder *decoder, const wf_value *object,
                            wf_fields *fields)
{
    uint32_t next = 0;
    for (uint32_t i = 0; i < object->length; i++) {
        const wf_member *member = &object->as.members[i];
        uint32_t at = find_key(fields->keys, member->key, next);
        if (!fields->keys[at])
            at = find_key(fields->keys, member->key, 0);
        if (!fields->keys[at] || member->length == 0)
            return wf_corrupt(decoder, "unknown key \"%s\"", member->key);
        fields->found[at] = &member->value;
        next = at + 1;
    }
    return WFSM_OK;
}

uint32_t wf_state_of(const wf_decoder *decoder, const wf_value *path)
{
    if (!path || path->type != WF_STRING)
        return WF_NONE;
    return wf_names_find(&decoder->machine->paths, path->as.text, path->length);
}

void wf_decode_begin(wf_decoder *decoder)
{
    wf_arena_init(&decoder->own, decoder->snapshot->allocator, 0);
    decoder->arena =
        decoder->stored->reader ? &decoder->stored->reader->scratch : &decoder->own;
}

void wf_decode_end(wf_decoder *decoder)
{
    wf_arena_reset(decoder->arena);
    wf_arena_fini(&decoder->own);
}

/* Returns how many there are then. */
static uint32_t add_keys(wf_fields *fields, uint32_t count, const char *const *keys)
{
    for (; *keys; keys++) {
        fields->found[count] = NULL;
        fields->keys[count++] = *keys;
    }
    return count;
}

int32_t wf_read_fields(const wf_decoder *decoder, const wf_value *object,
                       const char *const *keys, wf_fields *fields)
{
    fields->keys[add_keys(fields, 0, keys)] = NULL;
    if (object->type != WF_OBJECT)
        return wf_corrupt(decoder, "expected an object");
    return find_members(decoder, object, fields);
}

static int32_t check_format(wf_decoder *decoder, const wf_value *object)
{
    if (!wf_is_number(wf_value_get_z(object, "format"), &decoder->format) ||
        decoder->format < 1)
        return wf_corrupt(decoder, "expected a whole number from 1 to 2^53 as \"format\"");
    if (decoder->format > WF_FORMAT)
        return wf_fail(decoder->error, WFSM_VERSION,
                       "\"%.60s\" is stored in format %" PRId64
                       ", this library knows those up to %d",
                       decoder->stored->instance, decoder->format, WF_FORMAT);
    return WFSM_OK;
}

/* Adds the keys of everything to those that `fields` already has. */
static void add_state_keys(wf_fields *fields, uint32_t count, bool record)
{
    /* No member has the key "". */
    static const char *const parts[2][WF_STATE_LISTS + 1] = {
        {"", "configuration", "histories", "context", "", "", NULL},
        {"from", "configuration", "histories", "set", "unset", "changed", NULL}};
    const wf_kind *singles = wf_kind_of(WF_KINDS);
    fields->state = count;
    count = add_keys(fields, count, parts[record]);
    for (int i = 0; i < WF_KINDS; i++) {
        const wf_kind *kind = wf_kind_of(i);
        const char *const keys[] = {record && kind->cleared ? kind->cleared : "", kind->name,
                                    NULL};
        count = add_keys(fields, count, keys);
    }
    fields->singles = count;
    for (uint32_t i = 0; i < singles->field_count; i++)
        count = add_keys(fields, count, (const char *const[]){singles->fields[i].name, NULL});
    WF_INVARIANT(count < WF_FIELDS);
    fields->keys[count] = NULL;
    fields->count = count;
}

int32_t wf_decode_parse(wf_decoder *decoder, const char *const *keys, wf_fields *fields)
{
    const wf_stored *stored = decoder->stored;
    wf_value object;
    if (fields->count == 0)
        add_state_keys(fields, add_keys(fields, 0, keys), decoder->record > 0);
    else
        memset(fields->found, 0, fields->count * sizeof *fields->found);
    int32_t status =
        wf_json_parse(decoder->arena, stored->text, stored->length, &object, decoder->error);
    if (status == WFSM_NO_MEMORY)
        return status;
    if (status != WFSM_OK)
        return wf_corrupt(decoder, "not JSON: %s", wfsm_error_message(decoder->error));
    if (object.type != WF_OBJECT)
        return wf_corrupt(decoder, "expected a JSON object");
    status = check_format(decoder, &object);
    return status == WFSM_OK ? find_members(decoder, &object, fields) : status;
}

int32_t wf_decode_part(wf_decoder *decoder, const wf_fields *fields, int key, enum wf_type type,
                       bool required, wf_decode *decode)
{
    const wf_value *found = NULL;
    if (!required && !fields->found[key])
        return WFSM_OK;
    int32_t status = wf_need(decoder, fields, key, type, &found);
    return status == WFSM_OK ? decode(decoder, found) : status;
}

int32_t wf_decode_now(wf_decoder *decoder, const wf_fields *fields)
{
    int64_t now = 0;
    int32_t status = wf_need_number(decoder, fields, WF_HEAD_NOW, 0, &now);
    if (status != WFSM_OK)
        return status;
    if (now < decoder->snapshot->now)
        return wf_corrupt(decoder, "time runs backwards");
    decoder->snapshot->now = now;
    return WFSM_OK;
}

int32_t wf_decode_document(const wf_decoder *decoder, const wf_fields *fields)
{
    const wfsm_machine *machine = decoder->machine;
    int32_t status = wf_need_text(decoder, fields, WF_HEAD_FINGERPRINT, machine->fingerprint);
    return status == WFSM_OK ? wf_need_text(decoder, fields, WF_HEAD_MACHINE, machine->id.text)
                             : status;
}
