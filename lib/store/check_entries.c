/* store/check_entries.c: what an entry that was read must be beyond its types: ids ascend, so that
 * none is listed twice, and the members agree with each other and with the document. */
#include "store/decode_parts.h"

#include <string.h>

/* The last entry of a list; NULL if it is empty. */
static const void *last_of(const wf_list *list)
{
    return list->count > 0 ? list->entries[list->count - 1] : NULL;
}

/* An object with exactly these members. */
static bool has_only(const wf_value *object, const char *const *keys)
{
    uint32_t count = 0;
    while (keys[count] && wf_value_get_z(object, keys[count]))
        count++;
    return !keys[count] && object->length == count;
}

/* The name of an event, the first member of `object`; NULL if there is none. */
static const char *event_of(const wf_value *object)
{
    const wf_value *event = wf_value_get_z(object, "event");
    return event && event->type == WF_STRING && event->length > 0 ? event->as.text : NULL;
}

/* The revision in an id: of this record, or of one before the snapshot. */
static bool is_own(const wf_decoder *decoder, uint64_t revision)
{
    return decoder->record > 0 ? revision == decoder->record
                               : revision <= decoder->snapshot->revision;
}

/* ---- timers ---- */

/* Whether this is the event of an `after` of the state. */
static bool belongs(const wfsm_machine *machine, uint32_t state, const char *event)
{
    wf_span after = machine->states[state].after;
    for (uint32_t i = after.first; i < after.first + after.count; i++)
        if (strcmp(machine->events.list[machine->afters[i].event].text, event) == 0)
            return true;
    return false;
}

static int32_t check_timer(const wf_decoder *decoder, const wf_timer *made)
{
    static const char *const after[] = {"event", NULL};
    static const char *const delayed[] = {"event", "data", "id", NULL};
    const wf_extras *extras = decoder->snapshot->extras;
    const wf_timer *last = last_of(&extras->timers);
    const char *event = event_of(&made->raised);
    uint64_t least = decoder->record > 0 ? decoder->timers_before : 0;
    if (!event || !has_only(&made->raised, made->state == WF_NONE ? delayed : after))
        return wf_corrupt(decoder, "expected an event's name, data and id as \"raised\"");
    if (made->state != WF_NONE && !belongs(decoder->machine, made->state, event))
        return wf_corrupt(decoder, "its state raises no \"%s\"", event);
    if (made->number <= least || (last && made->number <= last->number) ||
        made->number > extras->singles.timer_number)
        return wf_corrupt(decoder, "its number is out of order, or greater than the last");
    return WFSM_OK;
}

/* ---- invocations ---- */

static bool takes_agent(const wfsm_machine *machine, const wf_invocation *made)
{
    wf_span srcs = machine->invokes[made->invoke].srcs;
    for (uint32_t i = 0; i < srcs.count; i++)
        if (machine->lists[srcs.first + i] == made->agent)
            return true;
    return false;
}

static const wf_value *text_in(const wf_value *object, const char *key)
{
    const wf_value *found = wf_value_get_z(object, key);
    return found && found->type == WF_STRING ? found : NULL;
}

static bool is_vote(const wf_value *vote)
{
    const wf_value *by = text_in(vote, "by"), *decision = text_in(vote, "decision"),
                   *at = wf_value_get_z(vote, "at");
    return by && decision && at && at->type == WF_NUMBER &&
           (strcmp(decision->as.text, "approve") == 0 ||
            strcmp(decision->as.text, "reject") == 0);
}

/* Only the invocation of a person has votes. */
static bool are_votes(const wf_decoder *decoder, const wf_invocation *made)
{
    const wf_value *votes = &made->votes;
    bool good = votes->length > 0 && wf_is_person(&decoder->machine->agents.list[made->agent]);
    for (uint32_t i = 0; good && i < votes->length; i++)
        good = is_vote(&votes->as.items[i]);
    return votes->type == WF_NULL || good;
}

/* An attempt was claimed by an owner, and not in the future. */
static int32_t check_attempt(const wf_decoder *decoder, const wf_invocation *made)
{
    uint32_t failed = made->attempt - (made->status != WF_PENDING);
    bool claimed = made->attempt > 0;
    if (made->status != WF_PENDING && made->attempt == 0 && !wf_invocation_ended(made))
        return wf_corrupt(decoder, "an invocation that runs has at least one attempt");
    if (!claimed && (made->claimed != 0 || made->owner.type != WF_NULL))
        return wf_corrupt(decoder, "\"claimed\" and \"owner\" belong to an attempt");
    if (made->status == WF_RUNNING && made->owner.type != WF_STRING)
        return wf_corrupt(decoder, "expected a string as \"owner\"");
    if (made->claimed > decoder->snapshot->now)
        return wf_corrupt(decoder, "it was claimed in the future");
    if (made->reason == WF_CLASSES  ? made->retry_count != 0
        : wf_invocation_ended(made) ? made->retry_count > made->attempt
                                    : made->retry_count != failed)
        return wf_corrupt(decoder, "\"retry_count\" contradicts \"attempt\"");
    if (wf_invocation_ended(made) ? made->due != WFSM_NEVER
                                  : made->status == WF_PENDING && made->due == WFSM_NEVER)
        return wf_corrupt(decoder, "\"due\" contradicts \"status\"");
    return WFSM_OK;
}

static int32_t check_item(const wf_decoder *decoder, const wf_invocation *made)
{
    bool items = decoder->machine->invokes[made->invoke].items != NULL;
    bool ended = wf_invocation_ended(made);
    if (items != (made->set != 0))
        return wf_corrupt(decoder, "\"set\" contradicts its \"invoke\"");
    if (items ? made->need > made->of || made->ordinal < made->set ||
                    made->ordinal - made->set >= made->of
              : made->of + made->need + made->most > 0)
        return wf_corrupt(decoder,
                          "\"set\", \"of\", \"need\" and \"most\" contradict each other");
    if (ended && !items)
        return wf_corrupt(decoder, "only an item is kept after its end");
    if (!ended && made->result.type != WF_NULL)
        return wf_corrupt(decoder, "only an item that has ended has a \"result\"");
    return WFSM_OK;
}

static int32_t check_new(const wf_decoder *decoder, const wf_invocation *made)
{
    const wf_invocation *last = last_of(&decoder->snapshot->extras->ledger);
    if (made->state != decoder->machine->invokes[made->invoke].state)
        return wf_corrupt(decoder, "its state has no such \"invoke\"");
    if (!takes_agent(decoder->machine, made))
        return wf_corrupt(decoder, "the document does not allow this \"agent\"");
    if (last && (made->revision < last->revision ||
                 (made->revision == last->revision && made->ordinal <= last->ordinal)))
        return wf_corrupt(decoder, "ids must ascend");
    if (!is_own(decoder, made->revision))
        return wf_corrupt(decoder, "its id is of another revision");
    return WFSM_OK;
}

static int32_t check_invocation(const wf_decoder *decoder, wf_invocation *made,
                                const wf_invocation *before)
{
    int32_t status = before ? WFSM_OK : check_new(decoder, made);
    if (status == WFSM_OK && before && wf_invocation_ended(before))
        return wf_corrupt(decoder, "an item that has ended never changes");
    if (status == WFSM_OK)
        status = check_attempt(decoder, made);
    if (status == WFSM_OK)
        status = check_item(decoder, made);
    if (status == WFSM_OK && !are_votes(decoder, made))
        return wf_corrupt(decoder, "\"votes\" are not votes of people");
    if (status == WFSM_OK && made->pool.type == WF_OBJECT &&
        !wf_placement_read(&made->pool, &made->priority))
        return wf_corrupt(decoder, "\"pool\" is not a priority, phase and group");
    return status;
}

/* ---- effects, failures, budgets ---- */

/* A record has only the effects that its own step made, numbered on from the last one. */
static int32_t check_effect(wf_decoder *decoder, const wf_effect *made)
{
    static const char *const keys[] = {"event", "data", NULL};
    const wf_extras *extras = decoder->snapshot->extras;
    const wf_effect *last = last_of(&extras->outbox);
    if (!event_of(&made->emit) || !has_only(&made->emit, keys))
        return wf_corrupt(decoder, "expected an event's name and data as \"emit\"");
    if (!is_own(decoder, made->revision))
        return wf_corrupt(decoder, "its id is of another revision");
    if (made->number > extras->singles.effect_number ||
        (decoder->record > 0 && made->number != ++decoder->effects_before))
        return wf_corrupt(decoder, "its number is out of order");
    if (last && (made->number != last->number + 1 || made->revision < last->revision ||
                 (made->revision == last->revision && made->ordinal <= last->ordinal)))
        return wf_corrupt(decoder, "it does not follow the one before");
    return WFSM_OK;
}

static int32_t check_repeat(const wf_decoder *decoder, const wf_repeat *made,
                            const void *before)
{
    const wf_list *repeats = &decoder->snapshot->extras->repeats;
    if (made->signature.length >= WF_SIGNATURE_BYTES ||
        strlen(made->signature.as.text) != made->signature.length)
        return wf_corrupt(decoder, "\"signature\" is too long");
    for (size_t i = 0; i < repeats->count && !before; i++)
        if (wf_repeat_at(repeats, i)->invoke == made->invoke)
            return wf_corrupt(decoder, "it is listed twice");
    return WFSM_OK;
}

static int32_t check_budget(const wf_decoder *decoder, const wf_spent *made)
{
    bool time = decoder->machine->budgets[made->budget].counts == WF_COUNT_TIME;
    if (time ? made->used != 0 : made->since != 0)
        return wf_corrupt(decoder, "a budget of time has \"since\", others have \"used\"");
    if (made->since > decoder->snapshot->now)
        return wf_corrupt(decoder, "a budget counts from a time in the future");
    return WFSM_OK;
}

int32_t wf_check_entry(wf_decoder *decoder, int kind, void *made, const void *before)
{
    switch (kind) {
    case WF_TIMERS:
        return before ? wf_corrupt(decoder, "a timer never changes")
                      : check_timer(decoder, made);
    case WF_LEDGER:
        return check_invocation(decoder, made, before);
    case WF_OUTBOX:
        return check_effect(decoder, made);
    case WF_REPEATS:
        return check_repeat(decoder, made, before);
    default:
        return check_budget(decoder, made);
    }
}

/* ---- sets of items ---- */

static bool follows(const wf_invocation *first, const wf_invocation *self, uint32_t place)
{
    return self->revision == first->revision && self->ordinal == first->set + place &&
           self->set == first->set && self->of == first->of && self->need == first->need &&
           self->most == first->most && self->invoke == first->invoke;
}

/* Neither enough items are done nor so many have failed that the invocation would have
 * ended. */
static bool is_open(const wf_list *ledger, size_t at)
{
    const wf_invocation *first = wf_invocation_at(ledger, at);
    uint32_t done = wf_ledger_set_count(ledger, at, WF_ITEM_DONE);
    uint32_t failed = wf_ledger_set_count(ledger, at, WF_ITEM_FAILED);
    if (first->need == 0)
        return done + failed < first->of;
    return done < first->need && first->need <= first->of - failed;
}

int32_t wf_check_sets(const wf_decoder *decoder)
{
    const wf_list *ledger = &decoder->snapshot->extras->ledger;
    for (size_t i = 0; i < ledger->count;) {
        const wf_invocation *first = wf_invocation_at(ledger, i);
        uint32_t length = first->set != 0 ? first->of : 1;
        if (first->set != 0 && (first->ordinal != first->set || length > ledger->count - i))
            return wf_corrupt(decoder, "items of an invocation are missing");
        for (uint32_t k = 0; first->set != 0 && k < length; k++)
            if (!follows(first, wf_invocation_at(ledger, i + k), k))
                return wf_corrupt(decoder, "items of an invocation are missing");
        if (first->set != 0 && !is_open(ledger, i))
            return wf_corrupt(decoder, "enough items have ended to end the invocation");
        i += length;
    }
    return WFSM_OK;
}
