/* machine/dispatch.c: the table that a state's events are looked up in. */
#include <stdlib.h>
#include "base/invariant.h"
#include "machine/load.h"

static int by_rank(const void *left, const void *right)
{
    const wf_offer *a = left, *b = right;

    if (a->rank != b->rank)
        return a->rank < b->rank ? -1 : 1;
    return a->order < b->order ? -1 : a->order > b->order;
}

/* Exact ones first, together by event, each in its order. */
static int by_event(const void *left, const void *right)
{
    const wf_offer *a = left, *b = right;

    if (a->event != b->event)
        return a->event < b->event ? -1 : 1;
    return a->order < b->order ? -1 : a->order > b->order;
}

typedef struct offers {
    wf_offer *list;
    size_t exact;   /* of them with an event, sorted by event */
    size_t generic; /* behind them, in order */
} offers;

static offers sort_offers(wf_load *load)
{
    offers all = {(wf_offer *)(void *)load->offers.data, 0, 0};
    size_t count = load->offers.count;

    if (!count)
        return all;
    qsort(all.list, count, sizeof *all.list, by_rank);
    for (size_t i = 0; i < count; i++)
        all.list[i].order = (uint32_t)i;
    qsort(all.list, count, sizeof *all.list, by_event);
    while (all.exact < count && all.list[all.exact].event != WF_NONE)
        all.exact++;
    all.generic = count - all.exact;
    return all;
}

static size_t same_event(const offers *all, size_t from)
{
    size_t to = from;

    while (to < all->exact && all->list[to].event == all->list[from].event)
        to++;
    return to;
}

static bool matches(wf_load *load, const wf_offer *offer, uint32_t event)
{
    const wf_name *name = &load->machine->events.list[event];

    return wf_prefix_matches(wf_vector_at(&load->prefixes, offer->prefix), name->text,
                             name->length);
}

/* An element of a list can name an event twice ("a" and "a.*"); once is enough. */
static void add_once(wf_load *load, uint32_t first, uint32_t transition)
{
    wf_candidate candidate = {transition, WF_NONE};
    size_t count = load->candidates.count;

    if (count > first &&
        ((wf_candidate *)wf_vector_at(&load->candidates, count - 1))->transition == transition)
        return;
    wf_load_push(load, &load->candidates, &candidate);
}

/* Merges what names the event with the prefixes that match it, by order. */
static wf_span merge(wf_load *load, const offers *all, size_t from, size_t to)
{
    const wf_offer *generic = all->list + all->exact;
    const wf_offer *end = generic + all->generic;
    uint32_t event = all->list[from].event;
    uint32_t first = (uint32_t)load->candidates.count;

    while ((from < to || generic < end) && !load->failed) {
        if (from < to && (generic == end || all->list[from].order < generic->order)) {
            add_once(load, first, all->list[from++].transition);
            continue;
        }
        if (matches(load, generic, event))
            add_once(load, first, generic->transition);
        generic++;
    }
    return (wf_span){first, (uint32_t)load->candidates.count - first};
}

static void add_handlers(wf_load *load, uint32_t state, const offers *all)
{
    uint32_t first = (uint32_t)load->handlers.count;

    for (size_t from = 0, to; from < all->exact && !load->failed; from = to) {
        wf_handler handler = {.event = all->list[from].event};

        to = same_event(all, from);
        WF_INVARIANT(to > from);
        handler.candidates = merge(load, all, from, to);
        wf_load_push(load, &load->handlers, &handler);
    }
    wf_load_state(load, state)->exact =
        (wf_span){first, (uint32_t)load->handlers.count - first};
}

static void add_generic(wf_load *load, uint32_t state, const offers *all)
{
    wf_span span = wf_load_reserve(load, &load->candidates, all->generic);

    for (uint32_t i = 0; i < span.count; i++) {
        const wf_offer *offer = &all->list[all->exact + i];

        WF_INVARIANT(offer->event == WF_NONE);
        *(wf_candidate *)wf_vector_at(&load->candidates, span.first + i) =
            (wf_candidate){offer->transition, offer->prefix};
    }
    wf_load_state(load, state)->generic = span;
}

/* Every event named here meets every prefix named here. */
static bool affordable(wf_load *load, uint32_t state, const offers *all)
{
    load->dispatch_work += (uint64_t)all->exact * all->generic + all->exact + all->generic;
    if (load->dispatch_work <= WF_DISPATCH_MAX)
        return true;
    wf_load_error_limit(load, &wf_load_source(load, state)->node,
                        "too many events beside too many prefixes in one state");
    load->dispatch_work = 0;
    return false;
}

void wf_load_dispatch(wf_load *load, uint32_t state)
{
    offers all = sort_offers(load);

    if (!affordable(load, state, &all))
        return;
    add_handlers(load, state, &all);
    add_generic(load, state, &all);
}
