/* store/record_lists.c: what a record says of timers, invocations and effects: only what
 * changed. */
#include "store/record_parts.h"

#include <inttypes.h>
#include "logic/json.h"

/* Timers and invocations are kept in the order of their numbers, so one pass over both lists
 * finds what only one of them has. */
static void write_timers_set(wf_buffer *out, const wf_step *step)
{
    const wf_timers *now = &step->snapshot->extras->timers, *before = &step->saved_timers;
    size_t old = 0;
    wf_write_key(out, "timers_set");
    wf_buffer_byte(out, '[');
    for (size_t i = 0; i < now->count; i++) {
        while (old < before->count && before->list[old].number < now->list[i].number)
            old++;
        if (old < before->count && before->list[old].number == now->list[i].number)
            continue;
        wf_write_comma(out);
        wf_write_timer(out, step->machine, &now->list[i]);
    }
    wf_buffer_byte(out, ']');
}

static void write_timers_cleared(wf_buffer *out, const wf_step *step)
{
    const wf_timers *now = &step->snapshot->extras->timers, *before = &step->saved_timers;
    size_t left = 0;
    wf_write_key(out, "timers_cleared");
    wf_buffer_byte(out, '[');
    for (size_t i = 0; i < before->count; i++) {
        while (left < now->count && now->list[left].number < before->list[i].number)
            left++;
        if (left < now->count && now->list[left].number == before->list[i].number)
            continue;
        wf_write_comma(out);
        wf_json_write_int(out, (int64_t)before->list[i].number);
    }
    wf_buffer_byte(out, ']');
}

static void write_timers(wf_buffer *out, const wf_step *step)
{
    if (!step->saved_all_timers)
        return;
    wf_write_key(out, "timer_number");
    wf_json_write_int(out, (int64_t)step->snapshot->extras->timer_number);
    write_timers_set(out, step);
    write_timers_cleared(out, step);
}

static bool is_before(const wf_invocation *a, const wf_invocation *b)
{
    return a->revision < b->revision || (a->revision == b->revision && a->ordinal < b->ordinal);
}

/* The invocation in the list with the id of `like`, or NULL. The search continues at *at,
 * where the last call ended. */
static const wf_invocation *find_in(const wf_ledger *ledger, const wf_invocation *like,
                                    size_t *at)
{
    while (*at < ledger->count && is_before(&ledger->list[*at], like))
        ++*at;
    return *at < ledger->count && !is_before(like, &ledger->list[*at]) ? &ledger->list[*at]
                                                                       : NULL;
}

static bool same_invocation(const wf_invocation *a, const wf_invocation *b)
{
    return a->status == b->status && a->attempt == b->attempt && a->due == b->due &&
           a->claimed == b->claimed && a->reason == b->reason &&
           a->owner_block == b->owner_block && a->votes_block == b->votes_block;
}

static void write_invocations(wf_buffer *out, const wf_step *step)
{
    const wf_ledger *now = &step->snapshot->extras->ledger, *before = &step->saved_ledger;
    size_t old_at = 0, left_at = 0;
    if (!step->saved_all_ledger)
        return;
    wf_write_key(out, "invocations_set");
    wf_buffer_byte(out, '[');
    for (size_t i = 0; i < now->count; i++) {
        const wf_invocation *old = find_in(before, &now->list[i], &old_at);
        if (old && same_invocation(old, &now->list[i]))
            continue;
        wf_write_comma(out);
        wf_write_invocation(out, step->machine, &now->list[i], old != NULL);
    }
    wf_buffer_byte(out, ']');
    wf_write_key(out, "invocations_cleared");
    wf_buffer_byte(out, '[');
    for (size_t i = 0; i < before->count; i++)
        if (!find_in(now, &before->list[i], &left_at)) {
            wf_write_comma(out);
            wf_buffer_format(out, "[%" PRIu64 ",%" PRIu32 "]", before->list[i].revision,
                             before->list[i].ordinal);
        }
    wf_buffer_byte(out, ']');
}

static void write_effects(wf_buffer *out, const wf_step *step)
{
    const wf_outbox *outbox = &step->snapshot->extras->outbox;
    if (outbox->count == step->saved_outbox)
        return;
    wf_write_key(out, "effects");
    wf_buffer_byte(out, '[');
    for (size_t i = step->saved_outbox; i < outbox->count; i++) {
        wf_write_comma(out);
        wf_write_effect(out, &outbox->list[i]);
    }
    wf_buffer_byte(out, ']');
}

void wf_write_list_changes(wf_buffer *out, const wf_step *step)
{
    write_timers(out, step);
    write_invocations(out, step);
    write_effects(out, step);
}
