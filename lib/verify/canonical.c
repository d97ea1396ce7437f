/* verify/canonical.c: the abstraction of values. What is outside the cone of influence is replaced by
 * a representative, so that states that differ only there are one state. */
#include <math.h>
#include "base/memory.h"
#include "verify/cone_find.h"
#include "verify/explorer.h"

typedef struct reading {
    wf_explorer *explorer;
    uint32_t slot; /* WF_NONE: it is not a key of the context */
} reading;

static const wf_name *name_of(const reading *in)
{
    return in->slot == WF_NONE ? in->explorer->beyond
                               : &in->explorer->machine->keys.list[in->slot];
}

static uint32_t below(uint32_t place, const char *key, uint32_t length)
{
    return (place ^ wf_hash(key, length)) * 0x9E3779B1u + 1;
}

/* True and false values have different representatives: guards see the difference. So have values of which arithmetic
 * makes something else. Of numbers that are only added or multiplied, only the very large ones differ. */
static uint32_t place_of(wf_explorer *explorer, uint32_t place, const wf_value *value,
                         const wf_cone *wanted)
{
    const uint32_t own = place * 2 + wf_value_truth(value);
    if (!wanted || !wanted->number)
        return own;
    if (value->type != WF_NUMBER || !wf_cone_is_of_kind(wanted))
        return below(own, "number", 6) +
               (uint32_t)wf_data_number_class(value, &explorer->step.arena);
    const double number = value->as.number;
    return below(place, "added", 5) + (fabs(number) < WF_VERY_LARGE ? 0 : number > 0 ? 1 : 2);
}

static wf_value representative(wf_explorer *explorer, uint32_t place, const wf_value *value,
                               const wf_cone *wanted)
{
    const uint32_t own = place_of(explorer, place, value, wanted);
    if (value->type <= WF_BOOLEAN)
        return *value;
    for (size_t i = 0; i < explorer->representative_count; i++)
        if (explorer->representatives[i].place == own &&
            explorer->representatives[i].type == value->type)
            return explorer->representatives[i].value;
    explorer->intern.missing |= explorer->intern.frozen;
    if (explorer->intern.frozen)
        return wf_absent();
    wf_representative *list = wf_grow(explorer->allocator, explorer->representatives,
                                      &explorer->representative_capacity,
                                      explorer->representative_count + 1, sizeof *list);
    if (!list)
        return wf_absent();
    explorer->representatives = list;
    list[explorer->representative_count++] =
        (wf_representative){own, value->type, wf_value_clone(&explorer->arena, value)};
    return list[explorer->representative_count - 1].value;
}

/* ---- numbers ---- */

static bool is_tried(const wf_explorer *explorer, double number)
{
    for (uint32_t i = 0; i < explorer->tried_count; i++)
        if (explorer->tried[i] == number)
            return true;
    return false;
}

static bool is_beyond(const wf_explorer *explorer, double number)
{
    return fabs(number) > explorer->number_most && !is_tried(explorer, number);
}

static void note_numbers(wf_explorer *explorer, const wf_value *value)
{
    if (value->type == WF_NUMBER && is_beyond(explorer, value->as.number) &&
        explorer->tried_count < WF_TRIED_MOST)
        explorer->tried[explorer->tried_count++] = value->as.number;
    for (uint32_t i = 0; value->type == WF_ARRAY && i < value->length; i++)
        note_numbers(explorer, &value->as.items[i]);
    for (uint32_t i = 0; value->type == WF_OBJECT && i < value->length; i++)
        note_numbers(explorer, &value->as.members[i].value);
}

static void note_classes(wf_explorer *explorer, const wf_data_classes *data)
{
    for (uint32_t i = 0; i < data->count; i++)
        note_numbers(explorer, &data->list[i]);
}

void wf_note_tried(wf_explorer *explorer)
{
    for (size_t i = 0; i < explorer->outside_count; i++)
        note_classes(explorer, &explorer->outside[i].data);
    for (uint32_t i = 0; i < explorer->machine->invoke_count; i++)
        note_classes(explorer, &explorer->results[i]);
}

/* ---- any value ---- */

static wf_value canonical(const reading *in, const wf_value *value, const wf_cone *wanted,
                          uint32_t place);

static wf_value canonical_list(const reading *in, const wf_value *value, const wf_cone *wanted,
                               uint32_t place)
{
    wf_arena *arena = &in->explorer->step.arena;
    wf_value *items = wf_arena_take(arena, (value->length + 1u) * sizeof *items);
    if (!items)
        return wf_absent();
    if ((double)value->length > in->explorer->length_most)
        in->explorer->beyond = name_of(in);
    for (uint32_t i = 0; i < value->length; i++)
        items[i] = canonical(in, &value->as.items[i], wanted->items, place + 1);
    return wf_array(items, value->length);
}

static wf_value canonical_object(const reading *in, const wf_value *value,
                                 const wf_cone *wanted, uint32_t place)
{
    wf_arena *arena = &in->explorer->step.arena;
    wf_member *members = wf_arena_take(arena, (value->length + 1u) * sizeof *members);
    if (!members)
        return wf_absent();
    for (uint32_t i = 0; i < value->length; i++) {
        const wf_member *from = &value->as.members[i];
        members[i] = *from;
        members[i].value =
            canonical(in, &from->value, wf_cone_member(wanted, from->key, from->length),
                      below(place, from->key, from->length));
    }
    return wf_object(members, value->length);
}

static wf_value canonical(const reading *in, const wf_value *value, const wf_cone *wanted,
                          uint32_t place)
{
    wf_term term;
    if (in->explorer->symbolic && wf_symbolic_term(value, &term))
        return wanted ? *value : wf_symbolic_fresh(in->explorer->symbolic, NULL);
    if (!wanted || wf_cone_is_of_kind(wanted)) /* a representative has the same type */
        return representative(in->explorer, place, value, wanted);
    if (value->type == WF_NUMBER && is_beyond(in->explorer, value->as.number))
        in->explorer->beyond = name_of(in);
    if (value->type == WF_ARRAY && (double)value->length > in->explorer->length_most)
        in->explorer->beyond = name_of(in);
    if (wanted->whole || wanted->constant_count > 0 || wanted->fits)
        return *value;
    if (value->type == WF_ARRAY && (wanted->length || wanted->items))
        return canonical_list(in, value, wanted, place);
    if (value->type == WF_OBJECT)
        return canonical_object(in, value, wanted, place);
    return wanted->length ? *value : representative(in->explorer, place, value, wanted);
}

wf_value wf_canonical(wf_explorer *explorer, uint32_t slot, const wf_value *value,
                      const wf_cone *wanted)
{
    const reading in = {explorer, slot};
    return canonical(&in, value, wanted, slot * 7919 + 1);
}

/* What an item has ended with. Where all of them must end, and nobody looks at it, a failure is like a
 * result. */
static void canonical_end(wf_explorer *explorer, wf_invocation *work)
{
    const reading in = {explorer, WF_NONE};
    const bool done = work->status == WF_ITEM_DONE;
    const wf_cone *wanted =
        done ? explorer->of_items[work->invoke] : explorer->of_failed[work->invoke];
    work->result = canonical(&in, &work->result, wanted, work->invoke * 104729 + !done);
    work->attempt = 0;
    if (work->need == 0 && explorer->unseen[work->invoke]) {
        work->status = WF_ITEM_DONE;
        work->result = wf_null();
    }
}

void wf_canonical_work(wf_explorer *explorer, wf_invocation *work)
{
    uint32_t most = explorer->attempts_most[work->invoke];
    work->attempt = work->attempt < most ? work->attempt : most;
    if (wf_invocation_ended(work))
        canonical_end(explorer, work);
    else if (!explorer->claims)
        work->status = WF_PENDING; /* an attempt that waits and one that is running */
}
