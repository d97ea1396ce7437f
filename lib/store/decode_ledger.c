/* store/decode_ledger.c: outstanding invocations. Their ids ascend, so that none can be listed
 * twice. */
#include "store/decode_parts.h"

#include <string.h>
#include "base/memory.h"

enum {
    REVISION,
    ORDINAL,
    INVOKE,
    STATE,
    AGENT,
    STATUS,
    ATTEMPT,
    DUE,
    CLAIMED,
    RETRY_COUNT,
    RETRY_REASON,
    OWNER,
    VOTES,
    POOL,
    ITEMS,
    RESULT,
    INPUT
};
/* In the order in which they are written. */
static const char *const keys[] = {
    "revision", "ordinal", "invoke",  "state",       "agent",        "status",
    "attempt",  "due",     "claimed", "retry_count", "retry_reason", "owner",
    "votes",    "pool",    "items",   "result",      "input",        NULL};

/* ---- what never changes ---- */

static bool takes_agent(const wfsm_machine *machine, const wf_invoke *invoke, uint32_t agent)
{
    for (uint32_t i = 0; i < invoke->srcs.count; i++)
        if (machine->lists[invoke->srcs.first + i] == agent)
            return true;
    return false;
}

static uint32_t find_invoke(const wf_decoder *decoder, const wf_fields *fields)
{
    const wf_value *id = wf_field(fields, INVOKE, WF_STRING);
    uint32_t state = wf_state_of(decoder, fields->found[STATE]);
    if (!id || state == WF_NONE)
        return WF_NONE;
    wf_span own = decoder->machine->states[state].invokes;
    for (uint32_t i = own.first; i < own.first + own.count; i++)
        if (strcmp(decoder->machine->invokes[i].id.text, id->as.text) == 0)
            return i;
    return WF_NONE;
}

static int32_t read_names(const wf_decoder *decoder, const wf_fields *fields,
                          wf_invocation *made)
{
    const wfsm_machine *machine = decoder->machine;
    const wf_value *agent = wf_field(fields, AGENT, WF_STRING);
    made->invoke = find_invoke(decoder, fields);
    if (made->invoke == WF_NONE)
        return wf_corrupt(decoder, "its state has no such \"invoke\"");
    made->agent = WF_NONE;
    if (agent)
        made->agent = wf_names_find(&machine->agents, agent->as.text, agent->length);
    if (!takes_agent(machine, &machine->invokes[made->invoke], made->agent))
        return wf_corrupt(decoder, "the document does not allow this \"agent\"");
    return WFSM_OK;
}

/* ---- what changes ---- */

static int32_t read_numbers(const wf_decoder *decoder, const wf_fields *fields,
                            wf_invocation *made)
{
    int64_t revision, ordinal, attempt;
    int32_t status = wf_need_number(decoder, fields, REVISION, 1, &revision);
    if (status == WFSM_OK)
        status = wf_need_number(decoder, fields, ORDINAL, 1, &ordinal);
    if (status == WFSM_OK)
        status = wf_need_number(decoder, fields, ATTEMPT, 0, &attempt);
    if (status != WFSM_OK)
        return status;
    if (ordinal > UINT32_MAX || attempt > UINT32_MAX)
        return wf_corrupt(decoder, "\"ordinal\" and \"attempt\" must be below 2^32");
    made->revision = (uint64_t)revision;
    made->ordinal = (uint32_t)ordinal;
    made->attempt = (uint32_t)attempt;
    return WFSM_OK;
}

static uint8_t status_of(const wf_value *word)
{
    wf_invocation made = {.status = WF_PENDING};
    for (; word && made.status <= WF_ITEM_FAILED; made.status++)
        if (strcmp(word->as.text, wf_invocation_status_name(&made)) == 0)
            return made.status;
    return 0;
}

static int32_t read_status(const wf_decoder *decoder, const wf_fields *fields,
                           wf_invocation *made)
{
    made->status = status_of(wf_field(fields, STATUS, WF_STRING));
    if (made->status == 0)
        return wf_corrupt(decoder, "expected \"pending\", \"running\", \"done\" or "
                                   "\"failed\" as \"status\"");
    if (made->status == WF_RUNNING && made->attempt == 0)
        return wf_corrupt(decoder, "an invocation that runs has at least one attempt");
    made->due = WFSM_NEVER;
    if (wf_invocation_ended(made) && fields->found[DUE])
        return wf_corrupt(decoder, "an invocation that has ended is not due");
    if (made->status == WF_PENDING || fields->found[DUE])
        return wf_need_number(decoder, fields, DUE, 0, &made->due);
    return WFSM_OK;
}

/* An attempt was claimed by an owner, and not in the future. */
static int32_t read_claim(const wf_decoder *decoder, const wf_fields *fields,
                          wf_invocation *made)
{
    const wf_value *owner = fields->found[OWNER];
    bool claimed = made->attempt > 0;
    if (claimed != (fields->found[CLAIMED] != NULL) || (owner && !claimed))
        return wf_corrupt(decoder, "\"claimed\" and \"owner\" belong to an attempt");
    if (claimed) {
        int32_t status = wf_need_number(decoder, fields, CLAIMED, 0, &made->claimed);
        if (status != WFSM_OK)
            return status;
    }
    if (made->claimed > decoder->snapshot->now)
        return wf_corrupt(decoder, "it was claimed in the future");
    if ((owner && owner->type != WF_STRING) || (!owner && made->status == WF_RUNNING))
        return wf_corrupt(decoder, "expected a string as \"owner\"");
    return !owner ? WFSM_OK : wf_keep(decoder, owner, &made->owner, &made->owner_block);
}

/* The count of retries follows from the attempts. */
static int32_t read_retry(const wf_decoder *decoder, const wf_fields *fields,
                          wf_invocation *made)
{
    const wf_value *reason = fields->found[RETRY_REASON];
    const wf_value *count = fields->found[RETRY_COUNT];
    int64_t failed = (int64_t)made->attempt - (made->status != WF_PENDING);
    int64_t number = 0;
    made->reason = WF_CLASSES;
    if (!reason && !count)
        return WFSM_OK;
    if (reason && reason->type == WF_STRING)
        made->reason = wf_class_find(reason->as.text, reason->length);
    if (made->reason == WF_CLASSES)
        return wf_corrupt(decoder, "expected a class of failures as \"retry_reason\"");
    if (!wf_is_number(count, &number) || number != failed)
        return wf_corrupt(decoder, "\"retry_count\" contradicts \"attempt\"");
    return WFSM_OK;
}

static int32_t read_pool(const wf_decoder *decoder, const wf_fields *fields,
                         wf_invocation *made)
{
    const wf_value *pool = fields->found[POOL];
    made->pool = wf_null();
    if (!pool)
        return WFSM_OK;
    if (pool->type != WF_OBJECT || !wf_placement_read(pool, &made->priority))
        return wf_corrupt(decoder, "\"pool\" is not a priority, phase and group");
    return wf_keep(decoder, pool, &made->pool, &made->pool_block);
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
static int32_t read_votes(const wf_decoder *decoder, const wf_fields *fields,
                          wf_invocation *made)
{
    const wf_value *votes = fields->found[VOTES];
    made->votes = wf_null();
    if (!votes)
        return WFSM_OK;
    bool good = votes->type == WF_ARRAY && votes->length > 0 &&
                wf_is_person(&decoder->machine->agents.list[made->agent]);
    for (uint32_t i = 0; good && i < votes->length; i++)
        good = is_vote(&votes->as.items[i]);
    if (!good)
        return wf_corrupt(decoder, "\"votes\" are not votes of people");
    return wf_keep(decoder, votes, &made->votes, &made->votes_block);
}

/* ---- the ledger ---- */

static int compare(const wf_invocation *a, uint64_t revision, uint32_t ordinal)
{
    if (a->revision != revision)
        return a->revision < revision ? -1 : 1;
    return (a->ordinal > ordinal) - (a->ordinal < ordinal);
}

/* A known invocation keeps its input. The record has only what can change. */
static int32_t update(const wf_decoder *decoder, wf_invocation *known, wf_invocation *made,
                      const wf_value *input)
{
    if (decoder->record == 0)
        return wf_corrupt(decoder, "it is listed twice");
    if (input || made->pool.type != WF_NULL || made->set != 0 ||
        known->invoke != made->invoke || known->agent != made->agent ||
        wf_invocation_ended(known))
        return wf_corrupt(decoder, "an invocation changed what it is");
    made->set = known->set;
    made->of = known->of;
    made->need = known->need;
    made->most = known->most;
    int32_t status = wf_check_item(decoder, made);
    if (status != WFSM_OK)
        return status;
    wf_free(decoder->snapshot->allocator, known->owner_block);
    wf_free(decoder->snapshot->allocator, known->votes_block);
    made->input = known->input;
    made->input_block = known->input_block;
    made->pool = known->pool;
    made->pool_block = known->pool_block;
    made->priority = known->priority;
    *known = *made;
    return WFSM_OK;
}

static int32_t append(const wf_decoder *decoder, wf_invocation *made, const wf_value *input)
{
    wf_ledger *ledger = &wf_own_extras(decoder->snapshot)->ledger;
    const wf_invocation *last = ledger->count > 0 ? &ledger->list[ledger->count - 1] : NULL;
    uint64_t most = decoder->record > 0 ? decoder->record : decoder->snapshot->revision;
    if (last && compare(last, made->revision, made->ordinal) >= 0)
        return wf_corrupt(decoder, "ids must ascend");
    if (made->revision > most || (decoder->record > 0 && made->revision != most))
        return wf_corrupt(decoder, "its id is of another revision");
    if (!input)
        return wf_corrupt(decoder, "\"input\" is missing");
    int32_t status = wf_check_item(decoder, made);
    if (status != WFSM_OK)
        return status;
    wf_invocation *list = wf_grow(decoder->snapshot->allocator, ledger->list, &ledger->capacity,
                                  ledger->count + 1, sizeof *list);
    if (!list)
        return wf_no_memory(decoder->error);
    ledger->list = list;
    status = wf_keep(decoder, input, &made->input, &made->input_block);
    if (status == WFSM_OK)
        list[ledger->count++] = *made;
    return status;
}

static int32_t place(const wf_decoder *decoder, wf_invocation *made, const wf_value *input)
{
    wf_ledger *ledger = &wf_own_extras(decoder->snapshot)->ledger;
    size_t known = wf_ledger_find(ledger, made->revision, made->ordinal);
    return known < ledger->count ? update(decoder, &ledger->list[known], made, input)
                                 : append(decoder, made, input);
}

int32_t wf_decode_invocation(wf_decoder *decoder, const wf_value *object)
{
    wf_invocation made = {0};
    wf_fields fields;
    int32_t status = wf_read_fields(decoder, object, keys, &fields);
    if (status == WFSM_OK)
        status = read_names(decoder, &fields, &made);
    if (status == WFSM_OK)
        status = read_numbers(decoder, &fields, &made);
    if (status == WFSM_OK)
        status = read_status(decoder, &fields, &made);
    if (status == WFSM_OK)
        status = read_retry(decoder, &fields, &made);
    if (status == WFSM_OK)
        status = read_claim(decoder, &fields, &made);
    if (status == WFSM_OK)
        status = read_pool(decoder, &fields, &made);
    if (status == WFSM_OK)
        status = read_votes(decoder, &fields, &made);
    if (status == WFSM_OK)
        status = wf_read_items(decoder, fields.found[ITEMS], &made);
    if (status == WFSM_OK)
        status = wf_read_result(decoder, fields.found[RESULT], &made);
    if (status == WFSM_OK)
        status = place(decoder, &made, fields.found[INPUT]);
    if (status != WFSM_OK) {
        wf_free(decoder->snapshot->allocator, made.owner_block);
        wf_free(decoder->snapshot->allocator, made.pool_block);
        wf_free(decoder->snapshot->allocator, made.votes_block);
        wf_free(decoder->snapshot->allocator, made.result_block);
    }
    return status;
}

static bool names(const wf_value *id, const wf_invocation *self)
{
    int64_t revision, ordinal;
    return id->type == WF_ARRAY && id->length == 2 &&
           wf_is_number(&id->as.items[0], &revision) &&
           wf_is_number(&id->as.items[1], &ordinal) && (uint64_t)revision == self->revision &&
           ordinal == self->ordinal;
}

/* Both lists are in ascending order, so one pass is enough. */
int32_t wf_clear_invocations(wf_decoder *decoder, const wf_value *ids)
{
    wf_ledger *ledger = &wf_own_extras(decoder->snapshot)->ledger;
    uint32_t at = 0;
    size_t kept = 0;
    for (size_t i = 0; i < ledger->count; i++) {
        if (at < ids->length && names(&ids->as.items[at], &ledger->list[i])) {
            wf_free(decoder->snapshot->allocator, ledger->list[i].input_block);
            wf_free(decoder->snapshot->allocator, ledger->list[i].owner_block);
            wf_free(decoder->snapshot->allocator, ledger->list[i].pool_block);
            wf_free(decoder->snapshot->allocator, ledger->list[i].votes_block);
            wf_free(decoder->snapshot->allocator, ledger->list[i].result_block);
            at++;
        } else {
            ledger->list[kept++] = ledger->list[i];
        }
    }
    ledger->count = kept;
    if (at < ids->length)
        return wf_corrupt(decoder, "\"invocations_cleared\" names one that is not there");
    return WFSM_OK;
}
