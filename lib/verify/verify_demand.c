#include "verify/verify_demand.h"

#include <string.h>
#include "verify/verify_reads.h"

/* ---- growing ---- */

wf_demand *wf_demand_new(wf_demands *all, uint8_t depth)
{
    wf_demand *demand = wf_arena_zero(all->arena, sizeof *demand);
    if (!demand)
        all->failed = true;
    else
        demand->depth = depth;
    return demand;
}

static void set(wf_demands *all, const wf_demand *demand, bool *flag)
{
    all->changed |= !*flag && !demand->passing;
    *flag = true;
}

void wf_demand_whole(wf_demands *all, wf_demand *demand)
{
    if (demand)
        set(all, demand, &demand->whole);
}

void wf_demand_truth(wf_demands *all, wf_demand *demand)
{
    if (demand)
        set(all, demand, &demand->truth);
}

void wf_demand_order(wf_demands *all, wf_demand *demand)
{
    if (demand)
        set(all, demand, &demand->order);
}

void wf_demand_length(wf_demands *all, wf_demand *demand)
{
    if (demand)
        set(all, demand, &demand->length);
}

void wf_demand_fitting(wf_demands *all, wf_demand *demand, const wf_schema *schema)
{
    if (!demand || !schema)
        return;
    for (const wf_fit *fit = demand->fits; fit; fit = fit->next)
        if (fit->schema == schema)
            return;
    wf_fit *made = wf_arena_take(all->arena, sizeof *made);
    if (!made) {
        all->failed = true;
        return;
    }
    *made = (wf_fit){schema, demand->fits};
    demand->fits = made;
    all->changed |= !demand->passing;
}

void wf_demand_constant(wf_demands *all, wf_demand *demand, const wf_value *value)
{
    if (!demand)
        return;
    for (uint32_t i = 0; i < demand->constant_count; i++)
        if (wf_value_equal(&demand->constants[i], value))
            return;
    if (demand->constant_count == WF_DEMAND_CONSTANTS) {
        wf_demand_whole(all, demand);
        return;
    }
    demand->constants[demand->constant_count++] = *value;
    all->changed |= !demand->passing;
}

void wf_demand_link(wf_demands *all, wf_demand *demand, uint32_t link)
{
    if (!demand)
        return;
    for (uint32_t i = 0; i < demand->link_count; i++)
        if (demand->links[i] == link)
            return;
    if (demand->link_count == WF_DEMAND_LINKS) {
        demand->many = true;
        return;
    }
    demand->links[demand->link_count++] = (uint8_t)link;
    all->changed |= !demand->passing;
}

const wf_demand *wf_demand_member(const wf_demand *demand, const char *key, size_t length)
{
    for (const wf_demand_part *part = demand->parts; part; part = part->next)
        if (part->length == length && memcmp(part->key, key, length) == 0)
            return part->demand;
    return NULL;
}

/* Beyond a depth the whole is wanted, so that values that hold themselves come to an end. */
wf_demand *wf_demand_part_of(wf_demands *all, wf_demand *demand, const char *key,
                             uint32_t length)
{
    if (!demand)
        return NULL;
    for (wf_demand_part *part = demand->parts; part; part = part->next)
        if (part->length == length && memcmp(part->key, key, length) == 0)
            return part->demand;
    if (demand->depth >= WF_DEMAND_DEPTH) {
        wf_demand_whole(all, demand);
        return NULL;
    }
    wf_demand_part *part = wf_arena_zero(all->arena, sizeof *part);
    wf_demand *made = wf_demand_new(all, (uint8_t)(demand->depth + 1));
    if (!part || !made)
        return NULL;
    *part = (wf_demand_part){key, length, made, demand->parts};
    demand->parts = part;
    made->passing = demand->passing;
    all->changed |= !demand->passing;
    return made;
}

wf_demand *wf_demand_items(wf_demands *all, wf_demand *demand)
{
    if (!demand || demand->items)
        return demand ? demand->items : NULL;
    if (demand->depth >= WF_DEMAND_DEPTH) {
        wf_demand_whole(all, demand);
        return NULL;
    }
    demand->items = wf_demand_new(all, (uint8_t)(demand->depth + 1));
    all->changed |= !demand->passing;
    if (demand->items)
        demand->items->passing = demand->passing;
    return demand->items;
}

void wf_demand_add(wf_demands *all, wf_demand *to, const wf_demand *more)
{
    if (!to || !more || to == more)
        return;
    if (more->whole)
        wf_demand_whole(all, to);
    if (more->truth)
        wf_demand_truth(all, to);
    if (more->length)
        wf_demand_length(all, to);
    if (more->order)
        wf_demand_order(all, to);
    for (uint32_t i = 0; i < more->constant_count; i++)
        wf_demand_constant(all, to, &more->constants[i]);
    for (const wf_fit *fit = more->fits; fit; fit = fit->next)
        wf_demand_fitting(all, to, fit->schema);
    to->many |= more->many;
    for (uint32_t i = 0; i < more->link_count; i++)
        wf_demand_link(all, to, more->links[i]);
    for (const wf_demand_part *part = more->parts; part; part = part->next)
        wf_demand_add(all, wf_demand_part_of(all, to, part->key, part->length), part->demand);
    if (more->items)
        wf_demand_add(all, wf_demand_items(all, to), more->items);
}

wf_demand *wf_demand_slot(wf_demands *all, uint32_t slot)
{
    if (!all->slots[slot]) {
        all->slots[slot] = wf_demand_new(all, 0);
        all->changed = true;
    }
    return all->slots[slot];
}

/* ---- events ---- */

wf_demand *wf_demand_named(wf_demands *all, const char *name, uint32_t length)
{
    for (wf_named_demand *self = all->named; self; self = self->next)
        if (self->length == length && memcmp(self->name, name, length) == 0)
            return &self->demand;
    wf_named_demand *made = wf_arena_zero(all->arena, sizeof *made);
    if (!made) {
        all->failed = true;
        return NULL;
    }
    made->name = name;
    made->length = length;
    made->next = all->named;
    all->named = made;
    return &made->demand;
}

static bool matches(const wf_name *descriptor, const char *name, size_t length)
{
    if (descriptor->length == 1 && descriptor->text[0] == '*')
        return true;
    if (descriptor->length > 2 &&
        memcmp(descriptor->text + descriptor->length - 2, ".*", 2) == 0) {
        wf_name prefix = {descriptor->text, descriptor->length - 2, 0};
        return wf_prefix_matches(&prefix, name, length);
    }
    return descriptor->length == length && memcmp(descriptor->text, name, length) == 0;
}

bool wf_demands_match(const wf_demands *all, uint32_t descriptor, const char *name,
                      size_t length)
{
    return matches(&all->machine->descriptors[descriptor], name, length);
}

bool wf_demand_looks(const wf_demand *demand)
{
    return demand->whole || demand->truth || demand->length || demand->constant_count > 0 ||
           demand->parts || demand->items;
}

const wf_demand *wf_demands_of_event(wf_demands *all, const char *name, size_t length)
{
    wf_demand *sum = wf_demand_new(all, 0);
    if (!sum)
        return NULL;
    sum->passing = true;
    wf_demand_add(all, sum, &all->any);
    for (uint32_t i = 0; i < all->descriptor_count; i++)
        if (all->descriptors[i] && wf_demands_match(all, i, name, length))
            wf_demand_add(all, sum, all->descriptors[i]);
    for (const wf_named_demand *self = all->named; self; self = self->next)
        if (self->length == length && memcmp(self->name, name, length) == 0)
            wf_demand_add(all, sum, &self->demand);
    return all->failed || (!wf_demand_looks(sum) && !sum->fits) ? NULL : sum;
}
