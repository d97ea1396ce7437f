/* store/decode_items.c: items of invocations: what each says of its set, and whether each
 * set is complete. */
#include "store/decode_parts.h"

int32_t wf_read_items(const wf_decoder *decoder, const wf_value *items, wf_invocation *made)
{
    static const char *const words[] = {"first", "of", "need", "most", NULL};
    uint32_t *numbers[] = {&made->set, &made->of, &made->need, &made->most};
    wf_fields fields;
    if (!items)
        return WFSM_OK;
    if (items->type != WF_OBJECT)
        return wf_corrupt(decoder, "\"items\" is not an object");
    int32_t status = wf_read_fields(decoder, items, words, &fields);
    for (int i = 0; i < 4 && status == WFSM_OK; i++) {
        int64_t number = 0;
        status = wf_need_number(decoder, &fields, i, i < 2, &number);
        if (status == WFSM_OK && number > UINT32_MAX)
            return wf_corrupt(decoder, "a number of \"items\" is too large");
        *numbers[i] = (uint32_t)number;
    }
    if (status == WFSM_OK &&
        (made->of > WF_ITEMS || made->need > made->of || made->ordinal < made->set ||
         made->ordinal - made->set >= made->of))
        return wf_corrupt(decoder, "the numbers of \"items\" contradict each other");
    return status;
}

int32_t wf_read_result(const wf_decoder *decoder, const wf_value *result, wf_invocation *made)
{
    made->result = wf_null();
    if (wf_invocation_ended(made) != (result != NULL))
        return wf_corrupt(
            decoder, "only an item that has ended has a \"result\", and each of them does");
    return !result ? WFSM_OK : wf_keep(decoder, result, &made->result, &made->result_block);
}

int32_t wf_check_item(const wf_decoder *decoder, const wf_invocation *made)
{
    bool items = decoder->machine->invokes[made->invoke].items != NULL;
    if (items != (made->set != 0))
        return wf_corrupt(decoder, "\"items\" contradicts its \"invoke\"");
    if (wf_invocation_ended(made) && made->set == 0)
        return wf_corrupt(decoder, "only an item is kept after its end");
    return WFSM_OK;
}

/* ---- sets ---- */

static bool follows(const wf_invocation *first, const wf_invocation *self, uint32_t place)
{
    return self->revision == first->revision && self->ordinal == first->set + place &&
           self->set == first->set && self->of == first->of && self->need == first->need &&
           self->most == first->most && self->invoke == first->invoke;
}

static uint32_t count(const wf_invocation *first, uint8_t status)
{
    uint32_t found = 0;
    for (uint32_t i = 0; i < first->of; i++)
        found += first[i].status == status;
    return found;
}

/* Neither enough items are done nor so many have failed that the invocation would have
 * ended. */
static bool is_open(const wf_invocation *first)
{
    uint32_t done = count(first, WF_ITEM_DONE), failed = count(first, WF_ITEM_FAILED);
    if (first->need == 0)
        return done + failed < first->of;
    return done < first->need && first->need <= first->of - failed;
}

int32_t wf_check_sets(const wf_decoder *decoder)
{
    const wf_ledger *ledger = &decoder->snapshot->extras->ledger;
    for (size_t i = 0; i < ledger->count;) {
        const wf_invocation *first = &ledger->list[i];
        uint32_t length = first->set != 0 ? first->of : 1;
        if (first->set != 0 && (first->ordinal != first->set || length > ledger->count - i))
            return wf_corrupt(decoder, "items of an invocation are missing");
        for (uint32_t k = 0; first->set != 0 && k < length; k++)
            if (!follows(first, &first[k], k))
                return wf_corrupt(decoder, "items of an invocation are missing");
        if (first->set != 0 && !is_open(first))
            return wf_corrupt(decoder, "enough items have ended to end the invocation");
        i += length;
    }
    return WFSM_OK;
}
