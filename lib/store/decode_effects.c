/* store/decode_effects.c: effects. They are numbered without a gap, up to the last that was
 * made. */
#include "store/decode_parts.h"

#include "base/memory.h"

enum { NUMBER, REVISION, ORDINAL, EMIT };
static const char *const effect_keys[] = {"number", "revision", "ordinal", "emit", NULL};
enum { EVENT };
static const char *const emit_keys[] = {"event", "data", NULL};

static int32_t check_emit(const wf_decoder *decoder, const wf_value *emit)
{
    const wf_value *event;
    wf_fields fields;
    int32_t status = wf_read_fields(decoder, emit, emit_keys, &fields);
    if (status == WFSM_OK)
        status = wf_need(decoder, &fields, EVENT, WF_STRING, &event);
    if (status == WFSM_OK && (event->length == 0 || emit->length != 2))
        return wf_corrupt(decoder, "expected an event's name and data as \"emit\"");
    return status;
}

static bool follows(const wf_effect *before, const wf_effect *self)
{
    if (self->number != before->number + 1)
        return false;
    return self->revision > before->revision ||
           (self->revision == before->revision && self->ordinal > before->ordinal);
}

/* A record has only the effects that its own step made, numbered on from the last one. */
static int32_t check_order(const wf_decoder *decoder, const wf_effect *made)
{
    const wf_snapshot *snapshot = decoder->snapshot;
    const wf_outbox *outbox = &snapshot->extras->outbox;
    uint64_t most = decoder->record > 0 ? decoder->record : snapshot->revision;
    if (made->revision > most || (decoder->record > 0 && made->revision != most))
        return wf_corrupt(decoder, "its id is of another revision");
    if (decoder->record > 0 ? made->number != snapshot->extras->effect_number + 1
                            : made->number > snapshot->extras->effect_number)
        return wf_corrupt(decoder, "its number is out of order");
    if (outbox->count > 0 && !follows(&outbox->list[outbox->count - 1], made))
        return wf_corrupt(decoder, "it does not follow the one before");
    return WFSM_OK;
}

static int32_t append(const wf_decoder *decoder, wf_effect *made, const wf_value *emit)
{
    wf_extras *extras = wf_own_extras(decoder->snapshot);
    wf_outbox *outbox = &extras->outbox;
    wf_effect *list = wf_grow(decoder->snapshot->allocator, outbox->list, &outbox->capacity,
                              outbox->count + 1, sizeof *list);
    if (!list)
        return wf_no_memory(decoder->error);
    outbox->list = list;
    int32_t status = wf_keep(decoder, emit, &made->value, &made->block);
    if (status != WFSM_OK)
        return status;
    list[outbox->count++] = *made;
    if (decoder->record > 0)
        extras->effect_number = made->number;
    return WFSM_OK;
}

int32_t wf_decode_effect(wf_decoder *decoder, const wf_value *object)
{
    const wf_value *emit;
    int64_t number, revision, ordinal;
    wf_fields fields;
    int32_t status = wf_read_fields(decoder, object, effect_keys, &fields);
    if (status == WFSM_OK)
        status = wf_need_number(decoder, &fields, NUMBER, 1, &number);
    if (status == WFSM_OK)
        status = wf_need_number(decoder, &fields, REVISION, 1, &revision);
    if (status == WFSM_OK)
        status = wf_need_number(decoder, &fields, ORDINAL, 1, &ordinal);
    if (status == WFSM_OK)
        status = wf_need(decoder, &fields, EMIT, WF_OBJECT, &emit);
    if (status == WFSM_OK)
        status = check_emit(decoder, emit);
    if (status != WFSM_OK)
        return status;
    if (ordinal > UINT32_MAX)
        return wf_corrupt(decoder, "\"ordinal\" must be below 2^32");
    wf_effect made = {.number = (uint64_t)number,
                      .revision = (uint64_t)revision,
                      .ordinal = (uint32_t)ordinal};
    status = check_order(decoder, &made);
    return status == WFSM_OK ? append(decoder, &made, emit) : status;
}
