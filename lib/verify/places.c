#include "verify/places.h"

static const wf_list *list_of(const wf_snapshot *snapshot, int kind)
{
    return kind == WF_TIMERS ? &snapshot->extras->timers : &snapshot->extras->ledger;
}

static wf_entry_id id_at(const wf_snapshot *snapshot, int kind, size_t place)
{
    if (kind == WF_TIMERS)
        return (wf_entry_id){wf_timer_at(&snapshot->extras->timers, place)->number, 0};
    const wf_invocation *work = wf_invocation_at(&snapshot->extras->ledger, place);
    return (wf_entry_id){work->revision, work->ordinal};
}

/* The place in the list of the run, or WF_NONE. */
static uint32_t find(const wf_snapshot *snapshot, int kind, wf_entry_id id)
{
    for (uint32_t i = 0; i < list_of(snapshot, kind)->count; i++) {
        wf_entry_id other = id_at(snapshot, kind, i);
        if (other.number == id.number && other.ordinal == id.ordinal)
            return i;
    }
    return WF_NONE;
}

void wf_places_begin(wf_places *places, const wfsm_allocator *allocator)
{
    *places = (wf_places){0};
    wf_arena_init(&places->arena, allocator, 0);
}

void wf_places_end(wf_places *places)
{
    wf_arena_fini(&places->arena);
}

wf_input wf_places_input(const wf_places *places, const wf_snapshot *snapshot,
                         const wf_input *input)
{
    wf_input own = *input;
    int kind = input->kind == WF_INPUT_TIMER ? WF_TIMERS : WF_LEDGER;
    if (input->kind != WF_INPUT_TIMER && !wf_input_has_work(input))
        return own;
    own.place = input->place < places->count[kind]
                    ? find(snapshot, kind, places->ids[kind][input->place])
                    : WF_NONE;
    return own;
}

static bool is_known(const wf_places *places, int kind, wf_entry_id id)
{
    for (uint32_t i = 0; i < places->count[kind]; i++)
        if (places->ids[kind][i].number == id.number &&
            places->ids[kind][i].ordinal == id.ordinal)
            return true;
    return false;
}

/* Those that are left, in the order of the key before, and then the new ones. */
static uint32_t *unsorted(wf_places *places, const wf_snapshot *snapshot, int kind)
{
    uint32_t count = (uint32_t)list_of(snapshot, kind)->count, at = 0;
    uint32_t *list = wf_arena_take(&places->arena, (count + 1u) * sizeof *list);
    for (uint32_t i = 0; list && i < places->count[kind]; i++) {
        uint32_t place = find(snapshot, kind, places->ids[kind][i]);
        if (place != WF_NONE)
            list[at++] = place;
    }
    for (uint32_t i = 0; list && i < count; i++)
        if (!is_known(places, kind, id_at(snapshot, kind, i)))
            list[at++] = i;
    return list;
}

static bool sort(wf_places *places, const wf_snapshot *snapshot, const wf_key_order *found,
                 int kind)
{
    uint32_t count = (uint32_t)list_of(snapshot, kind)->count;
    const uint32_t *before = unsorted(places, snapshot, kind);
    uint32_t *order = wf_arena_take(&places->arena, (count + 1u) * sizeof *order);
    wf_entry_id *ids = wf_arena_take(&places->arena, (count + 1u) * sizeof *ids);
    if (!before || !order || !ids)
        return false;
    bool fits = found->from[kind] && found->count[kind] == count;
    for (uint32_t i = 0; i < count; i++) {
        order[i] = before[fits ? found->from[kind][i] : i];
        ids[i] = id_at(snapshot, kind, order[i]);
    }
    places->order.from[kind] = order;
    places->order.count[kind] = places->count[kind] = count;
    places->ids[kind] = ids;
    return true;
}

bool wf_places_after(wf_places *places, const wf_snapshot *snapshot, const wf_key_order *found)
{
    return sort(places, snapshot, found, WF_TIMERS) && sort(places, snapshot, found, WF_LEDGER);
}

bool wf_places_keep(wf_places *places, const wf_snapshot *snapshot)
{
    for (int k = 0; k < WF_ORDERED_KINDS; k++) {
        uint32_t count = places->count[k];
        places->kept[k] = wf_arena_take(&places->arena, (count + 1u) * sizeof(uint32_t));
        places->kept_count[k] = count;
        for (uint32_t i = 0; places->kept[k] && i < count; i++)
            places->kept[k][i] = find(snapshot, k, places->ids[k][i]);
    }
    return !places->arena.failed;
}

/* The step has set them again in the order of the checkpoint's list. Some may have gone since. */
bool wf_places_go_back(wf_places *places, uint64_t revision, uint64_t timer)
{
    for (int k = 0; k < WF_ORDERED_KINDS; k++) {
        uint32_t count = places->kept_count[k];
        places->count[k] = 0;
        places->ids[k] = wf_arena_take(&places->arena, (count + 1u) * sizeof(wf_entry_id));
        for (uint32_t i = 0; places->ids[k] && i < count; i++) {
            const uint32_t next = places->kept[k][i] + 1;
            places->ids[k][places->count[k]++] =
                k == WF_TIMERS ? (wf_entry_id){timer + next, 0} : (wf_entry_id){revision, next};
        }
    }
    return !places->arena.failed;
}
