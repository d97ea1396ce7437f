/* What all parts of decoding need: members, numbers, lists, errors. */
#include "store/decode_parts.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
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
    if (decoder->list != NULL)
        snprintf(where, sizeof where, ", %s %" PRIu32, decoder->list, decoder->index);
    return wf_fail(decoder->error, WFSM_CORRUPT, "stored bytes of \"%.60s\": %s%s: %s",
                   decoder->stored->instance, what, where, message);
}

const wf_value *wf_member_of(const wf_value *object, const char *key, enum wf_type type)
{
    const wf_value *found =
        object->type == WF_OBJECT ? wf_value_get_z(object, key) : NULL;
    return found != NULL && found->type == type ? found : NULL;
}

static const char *type_name(enum wf_type type)
{
    static const char *const names[] = {"nothing",  "null",     "a boolean", "a number",
                                        "a string", "an array", "an object"};
    return names[type];
}

int32_t wf_need(const wf_decoder *decoder, const wf_value *object, const char *key,
                enum wf_type type, const wf_value **found)
{
    *found = wf_member_of(object, key, type);
    if (*found != NULL)
        return WFSM_OK;
    return wf_corrupt(decoder, "expected %s as \"%s\"", type_name(type), key);
}

bool wf_is_number(const wf_value *value, int64_t *number)
{
    if (value == NULL || value->type != WF_NUMBER || !(value->as.number >= 0) ||
        value->as.number > (double)WF_NUMBER_MOST ||
        floor(value->as.number) < value->as.number)
        return false;
    *number = (int64_t)value->as.number;
    return true;
}

int32_t wf_need_number(const wf_decoder *decoder, const wf_value *object, const char *key,
                       int64_t least, int64_t *number)
{
    if (wf_is_number(wf_member_of(object, key, WF_NUMBER), number) && *number >= least)
        return WFSM_OK;
    return wf_corrupt(decoder, "expected a whole number from %" PRId64 " to 2^53 as \"%s\"",
                      least, key);
}

int32_t wf_need_text(const wf_decoder *decoder, const wf_value *object, const char *key,
                     const char *text)
{
    const wf_value *found = wf_member_of(object, key, WF_STRING);
    if (found != NULL && strcmp(found->as.text, text) == 0)
        return WFSM_OK;
    return wf_corrupt(decoder, "expected \"%s\" as \"%s\"", text, key);
}

static bool is_listed(const char *key, const char *const *keys)
{
    for (; *keys != NULL; keys++)
        if (strcmp(key, *keys) == 0)
            return true;
    return false;
}

int32_t wf_only(const wf_decoder *decoder, const wf_value *object, const char *const *keys)
{
    if (object->type != WF_OBJECT)
        return wf_corrupt(decoder, "expected an object");
    for (uint32_t i = 0; i < object->length; i++)
        if (!is_listed(object->as.members[i].key, keys))
            return wf_corrupt(decoder, "unknown key \"%s\"", object->as.members[i].key);
    return WFSM_OK;
}

uint32_t wf_state_of(const wf_decoder *decoder, const wf_value *path)
{
    if (path == NULL || path->type != WF_STRING)
        return WF_NONE;
    return wf_names_find(&decoder->machine->paths, path->as.text, path->length);
}

int32_t wf_keep(const wf_decoder *decoder, const wf_value *value, wf_value *copy,
                void **block)
{
    if (wf_value_copy(decoder->snapshot->allocator, value, copy, block))
        return WFSM_OK;
    return wf_no_memory(decoder->error);
}

int32_t wf_decode_list(wf_decoder *decoder, const wf_value *object, const char *key,
                       wf_decode *each)
{
    const wf_value *list;
    int32_t status = wf_need(decoder, object, key, WF_ARRAY, &list);
    if (status != WFSM_OK)
        return status;
    decoder->list = key;
    for (uint32_t i = 0; i < list->length && status == WFSM_OK; i++) {
        decoder->index = i;
        status = each(decoder, &list->as.items[i]);
    }
    decoder->list = NULL;
    return status;
}

int32_t wf_decode_parse(wf_decoder *decoder, wf_value *value)
{
    const wf_stored *stored = decoder->stored;
    int32_t status = wf_json_parse(&decoder->arena, stored->text, stored->length, value,
                                   decoder->error);
    if (status == WFSM_OK && value->type != WF_OBJECT)
        return wf_corrupt(decoder, "expected a JSON object");
    if (status == WFSM_OK || status == WFSM_NO_MEMORY)
        return status;
    return wf_corrupt(decoder, "no JSON: %s", wfsm_error_message(decoder->error));
}

int32_t wf_decode_part(wf_decoder *decoder, const wf_value *object, const char *key,
                           enum wf_type type, bool required, wf_decode *decode)
{
    const wf_value *found = NULL;
    if (!required && wf_value_get_z(object, key) == NULL)
        return WFSM_OK;
    int32_t status = wf_need(decoder, object, key, type, &found);
    return status == WFSM_OK ? decode(decoder, found) : status;
}

int32_t wf_decode_number(const wf_decoder *decoder, const wf_value *object,
                           const char *key, int64_t least, uint64_t *number)
{
    int64_t found = 0;
    int32_t status = wf_need_number(decoder, object, key, least, &found);
    if (status == WFSM_OK && found > WF_COUNT_MOST)
        return wf_corrupt(decoder, "no instance can have come to this \"%s\"", key);
    *number = (uint64_t)found;
    return status;
}

int32_t wf_decode_head(wf_decoder *decoder, const wf_value *object)
{
    int64_t format, now;
    int32_t status = wf_need_number(decoder, object, "format", 1, &format);
    if (status == WFSM_OK && format > WF_FORMAT)
        return wf_fail(decoder->error, WFSM_VERSION,
                       "\"%.60s\" is stored in format %" PRId64
                       ", this library knows those up to %d",
                       decoder->stored->instance, format, WF_FORMAT);
    if (status == WFSM_OK)
        status = wf_need_number(decoder, object, "now", 0, &now);
    if (status != WFSM_OK)
        return status;
    if (now < decoder->snapshot->now)
        return wf_corrupt(decoder, "time runs back");
    decoder->snapshot->now = now;
    return WFSM_OK;
}

int32_t wf_decode_document(wf_decoder *decoder, const wf_value *object)
{
    const wfsm_machine *machine = decoder->machine;
    int32_t status = wf_need_text(decoder, object, "fingerprint", machine->fingerprint);
    return status == WFSM_OK ? wf_need_text(decoder, object, "machine", machine->id.text)
                             : status;
}
