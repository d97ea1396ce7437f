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

const wf_value *wf_field(const wf_fields *fields, int key, enum wf_type type)
{
    const wf_value *found = fields->found[key];
    return found && found->type == type ? found : NULL;
}

static const char *type_name(enum wf_type type)
{
    static const char *const names[] = {"nothing",  "null",     "a boolean", "a number",
                                        "a string", "an array", "an object"};
    return names[type];
}

int32_t wf_need(const wf_decoder *decoder, const wf_fields *fields, int key, enum wf_type type,
                const wf_value **found)
{
    *found = wf_field(fields, key, type);
    if (*found)
        return WFSM_OK;
    return wf_corrupt(decoder, "expected %s as \"%s\"", type_name(type), fields->keys[key]);
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
    const wf_value *found = wf_field(fields, key, WF_STRING);
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

int32_t wf_read_fields(const wf_decoder *decoder, const wf_value *object,
                       const char *const *keys, wf_fields *fields)
{
    uint32_t next = 0;
    *fields = (wf_fields){.keys = keys};
    if (object->type != WF_OBJECT)
        return wf_corrupt(decoder, "expected an object");
    for (uint32_t i = 0; i < object->length; i++) {
        const wf_member *member = &object->as.members[i];
        uint32_t at = find_key(keys, member->key, next);
        if (!keys[at])
            at = find_key(keys, member->key, 0);
        if (!keys[at])
            return wf_corrupt(decoder, "unknown key \"%s\"", member->key);
        WF_INVARIANT(at < WF_FIELDS);
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

int32_t wf_keep(const wf_decoder *decoder, const wf_value *value, wf_value *copy, void **block)
{
    if (wf_value_copy(decoder->snapshot->allocator, value, copy, block))
        return WFSM_OK;
    return wf_no_memory(decoder->error);
}

int32_t wf_decode_list(wf_decoder *decoder, const wf_fields *fields, int key, wf_decode *each)
{
    const wf_value *list;
    int32_t status = wf_need(decoder, fields, key, WF_ARRAY, &list);
    if (status != WFSM_OK)
        return status;
    decoder->list = fields->keys[key];
    for (uint32_t i = 0; i < list->length && status == WFSM_OK; i++) {
        decoder->index = i;
        status = each(decoder, &list->as.items[i]);
    }
    decoder->list = NULL;
    return status;
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

static int32_t check_format(const wf_decoder *decoder, const wf_value *object)
{
    int64_t format;
    if (!wf_is_number(wf_value_get_z(object, "format"), &format) || format < 1)
        return wf_corrupt(decoder, "expected a whole number from 1 to 2^53 as \"format\"");
    if (format > WF_FORMAT)
        return wf_fail(decoder->error, WFSM_VERSION,
                       "\"%.60s\" is stored in format %" PRId64
                       ", this library knows those up to %d",
                       decoder->stored->instance, format, WF_FORMAT);
    return WFSM_OK;
}

int32_t wf_decode_parse(wf_decoder *decoder, const char *const *keys, wf_fields *fields)
{
    const wf_stored *stored = decoder->stored;
    wf_value object;
    int32_t status =
        wf_json_parse(decoder->arena, stored->text, stored->length, &object, decoder->error);
    if (status == WFSM_NO_MEMORY)
        return status;
    if (status != WFSM_OK)
        return wf_corrupt(decoder, "not JSON: %s", wfsm_error_message(decoder->error));
    if (object.type != WF_OBJECT)
        return wf_corrupt(decoder, "expected a JSON object");
    status = check_format(decoder, &object);
    return status == WFSM_OK ? wf_read_fields(decoder, &object, keys, fields) : status;
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

int32_t wf_decode_number(const wf_decoder *decoder, const wf_fields *fields, int key,
                         int64_t least, uint64_t *number)
{
    int64_t found = 0;
    int32_t status = wf_need_number(decoder, fields, key, least, &found);
    if (status == WFSM_OK && found > WF_COUNT_MOST)
        return wf_corrupt(decoder, "no instance can have reached this \"%s\"",
                          fields->keys[key]);
    *number = (uint64_t)found;
    return status;
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
