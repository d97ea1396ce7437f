#include "verify/cone.h"

#include <string.h>
#include "verify/cone_find.h"
#include "base/invariant.h"

/* ---- growing ---- */

wf_cone *wf_cone_new(wf_cones *all, uint8_t depth)
{
    wf_cone *cone = wf_arena_zero(all->arena, sizeof *cone);
    if (!cone)
        all->failed = true;
    else
        cone->depth = depth;
    return cone;
}

static void note(const wf_cones *all, wf_cone *cone)
{
    if (!cone->reader.rule)
        cone->reader = all->reading;
}

static void set(wf_cones *all, wf_cone *cone, bool *flag)
{
    all->changed |= !*flag && !cone->passing;
    *flag = true;
    note(all, cone);
}

static void set_reading(wf_cones *all, const wf_cone *cone, wf_reading *self, wf_reading to)
{
    if (self->rule || !to.rule)
        return;
    all->changed |= !cone->passing;
    *self = to;
}

void wf_cone_vague(wf_cones *all, wf_cone *cone)
{
    if (cone)
        set_reading(all, cone, &cone->vague, all->reading);
}

void wf_cone_over(wf_cones *all, wf_cone *cone)
{
    if (!cone)
        return;
    if (cone->over.rule && cone->over.rule != all->reading.rule)
        set(all, cone, &cone->several);
    set_reading(all, cone, &cone->over, all->reading);
}

void wf_cone_counted(wf_cones *all, wf_cone *cone)
{
    if (cone)
        set(all, cone, &cone->counted);
}

void wf_cone_tested(wf_cones *all, wf_cone *cone, const wf_expr *rule, uint32_t operand)
{
    if (!cone)
        return;
    for (uint32_t i = 0; i < cone->test_count; i++)
        if (cone->tests[i].rule == rule && cone->tests[i].operand == operand)
            return;
    note(all, cone);
    if (cone->test_count == WF_CONE_TESTS) {
        wf_cone_vague(all, cone);
        return;
    }
    cone->tests[cone->test_count++] = (wf_cone_test){rule, operand};
    all->changed |= !cone->passing;
}

void wf_cone_unknown(wf_cones *all)
{
    if (!all->unknown.rule)
        all->unknown = all->reading;
}

void wf_cone_whole(wf_cones *all, wf_cone *cone)
{
    if (cone)
        set(all, cone, &cone->whole);
}

void wf_cone_truth(wf_cones *all, wf_cone *cone)
{
    if (cone)
        set(all, cone, &cone->truth);
}

void wf_cone_text(wf_cones *all, wf_cone *cone)
{
    if (cone)
        set(all, cone, &cone->text);
}

void wf_cone_kind(wf_cones *all, wf_cone *cone)
{
    if (cone)
        set(all, cone, &cone->kind);
}

void wf_cone_number(wf_cones *all, wf_cone *cone)
{
    wf_cone_kind(all, cone);
    if (cone)
        set(all, cone, &cone->number);
}

void wf_cone_order(wf_cones *all, wf_cone *cone)
{
    if (cone)
        set(all, cone, &cone->order);
}

void wf_cone_length(wf_cones *all, wf_cone *cone)
{
    if (cone)
        set(all, cone, &cone->length);
}

void wf_cone_fitting(wf_cones *all, wf_cone *cone, const wf_schema *schema)
{
    if (!cone || !schema)
        return;
    for (const wf_cone_schema *fit = cone->fits; fit; fit = fit->next)
        if (fit->schema == schema)
            return;
    wf_cone_schema *made = wf_arena_take(all->arena, sizeof *made);
    if (!made) {
        all->failed = true;
        return;
    }
    *made = (wf_cone_schema){schema, cone->fits};
    cone->fits = made;
    note(all, cone);
    all->changed |= !cone->passing;
}

bool wf_cone_has_constant(const wf_cone *cone, const wf_value *value)
{
    for (uint32_t i = 0; i < cone->constant_count; i++)
        if (wf_value_equal(&cone->constants[i], value))
            return true;
    return false;
}

void wf_cone_constant(wf_cones *all, wf_cone *cone, const wf_value *value)
{
    if (!cone || wf_cone_has_constant(cone, value))
        return;
    if (cone->constant_count == WF_CONE_CONSTANTS) {
        wf_cone_whole(all, cone);
        wf_cone_vague(all, cone);
        return;
    }
    cone->constants[cone->constant_count++] = *value;
    note(all, cone);
    all->changed |= !cone->passing;
}

void wf_cone_link(wf_cones *all, wf_cone *cone, uint32_t link)
{
    if (!cone)
        return;
    WF_INVARIANT(link < all->link_count);
    if (!all->direct && !cone->passing)
        wf_cone_vague(all, cone);
    cone->kept |= !all->links[link].known;
    all->changed |= !cone->passing && !all->links[link].is_used;
    all->links[link].is_used |= !cone->passing;
    for (uint32_t i = 0; i < cone->link_count; i++)
        if (cone->links[i] == link)
            return;
    if (cone->link_count == WF_CONE_LINKS) {
        cone->many = true;
        return;
    }
    cone->links[cone->link_count++] = (uint8_t)link;
    all->changed |= !cone->passing;
}

const wf_cone *wf_cone_member(const wf_cone *cone, const char *key, size_t length)
{
    for (const wf_cone_part *part = cone->parts; part; part = part->next)
        if (part->length == length && memcmp(part->key, key, length) == 0)
            return part->cone;
    return NULL;
}

/* Beyond a depth the whole value is in the cone, so that recursive values come to an end. */
wf_cone *wf_cone_part_of(wf_cones *all, wf_cone *cone, const char *key, uint32_t length)
{
    if (!cone)
        return NULL;
    for (wf_cone_part *part = cone->parts; part; part = part->next)
        if (part->length == length && memcmp(part->key, key, length) == 0)
            return part->cone;
    if (cone->depth >= WF_CONE_DEPTH) {
        wf_cone_whole(all, cone);
        wf_cone_vague(all, cone);
        return NULL;
    }
    wf_cone_part *part = wf_arena_zero(all->arena, sizeof *part);
    wf_cone *made = wf_cone_new(all, (uint8_t)(cone->depth + 1));
    if (!part || !made)
        return NULL;
    *part = (wf_cone_part){key, length, made, cone->parts};
    WF_INVARIANT(made->depth == cone->depth + 1);
    cone->parts = part;
    made->passing = cone->passing;
    all->changed |= !cone->passing;
    return made;
}

wf_cone *wf_cone_items(wf_cones *all, wf_cone *cone)
{
    if (!cone || cone->items)
        return cone ? cone->items : NULL;
    if (cone->depth >= WF_CONE_DEPTH) {
        wf_cone_whole(all, cone);
        wf_cone_vague(all, cone);
        return NULL;
    }
    cone->items = wf_cone_new(all, (uint8_t)(cone->depth + 1));
    all->changed |= !cone->passing;
    if (cone->items)
        cone->items->passing = cone->passing;
    return cone->items;
}

static void add_flags(wf_cones *all, wf_cone *to, const wf_cone *more)
{
    if (more->whole)
        wf_cone_whole(all, to);
    if (more->truth)
        wf_cone_truth(all, to);
    if (more->text)
        wf_cone_text(all, to);
    if (more->kind)
        wf_cone_kind(all, to);
    if (more->number)
        wf_cone_number(all, to);
    if (more->several)
        set(all, to, &to->several);
    if (more->counted)
        wf_cone_counted(all, to);
    if (more->searched)
        set(all, to, &to->searched);
    if (more->length)
        wf_cone_length(all, to);
    if (more->order)
        wf_cone_order(all, to);
}

static void add_readings(wf_cones *all, wf_cone *to, const wf_cone *more)
{
    set_reading(all, to, &to->vague, more->vague);
    if (to->over.rule && more->over.rule && to->over.rule != more->over.rule)
        set(all, to, &to->several);
    set_reading(all, to, &to->over, more->over);
}

void wf_cone_add(wf_cones *all, wf_cone *to, const wf_cone *more)
{
    if (!to || !more || to == more)
        return;
    wf_reading before = all->reading;
    if (more->reader.rule)
        all->reading = more->reader;
    add_flags(all, to, more);
    add_readings(all, to, more);
    for (uint32_t i = 0; i < more->constant_count; i++)
        wf_cone_constant(all, to, &more->constants[i]);
    for (uint32_t i = 0; i < more->test_count; i++)
        wf_cone_tested(all, to, more->tests[i].rule, more->tests[i].operand);
    for (const wf_cone_schema *fit = more->fits; fit; fit = fit->next)
        wf_cone_fitting(all, to, fit->schema);
    to->many |= more->many;
    for (uint32_t i = 0; i < more->link_count; i++)
        wf_cone_link(all, to, more->links[i]);
    for (const wf_cone_part *part = more->parts; part; part = part->next)
        wf_cone_add(all, wf_cone_part_of(all, to, part->key, part->length), part->cone);
    if (more->items)
        wf_cone_add(all, wf_cone_items(all, to), more->items);
    all->reading = before;
}

wf_cone *wf_cone_copy(wf_cones *all, const wf_cone *cone)
{
    wf_cone *made = wf_cone_new(all, cone->depth);
    if (made)
        made->passing = true;
    wf_cone_add(all, made, cone);
    return made;
}

wf_cone *wf_cone_slot(wf_cones *all, uint32_t slot)
{
    if (!all->slots[slot]) {
        all->slots[slot] = wf_cone_new(all, 0);
        all->changed = true;
    }
    return all->slots[slot];
}

/* ---- events ---- */

wf_cone *wf_cone_named(wf_cones *all, const char *name, uint32_t length)
{
    for (wf_named_cone *self = all->named; self; self = self->next)
        if (self->length == length && memcmp(self->name, name, length) == 0)
            return &self->cone;
    wf_named_cone *made = wf_arena_zero(all->arena, sizeof *made);
    if (!made) {
        all->failed = true;
        return NULL;
    }
    made->name = name;
    made->length = length;
    made->next = all->named;
    all->named = made;
    return &made->cone;
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

/* The descriptors of a list are one text, separated by spaces (load_events.c). As names may contain spaces, too, each
 * sequence of words is tried. */
bool wf_cones_match(const wf_cones *all, uint32_t descriptor, const char *name, size_t length)
{
    const wf_name *whole = &all->machine->descriptors[descriptor];
    for (uint32_t from = 0; from < whole->length; from++)
        for (uint32_t to = from + 1; to <= whole->length; to++) {
            const wf_name words = {whole->text + from, to - from, 0};
            const bool begins = from == 0 || whole->text[from - 1] == ' ';
            const bool ends = to == whole->length || whole->text[to] == ' ';
            if (begins && ends && matches(&words, name, length))
                return true;
        }
    return false;
}

bool wf_cone_is_relevant(const wf_cone *cone)
{
    return cone->whole || cone->truth || cone->text || cone->kind || cone->length ||
           cone->vague.rule || cone->constant_count > 0 || cone->parts || cone->items;
}

bool wf_cone_is_wanted(const wf_cone *cone)
{
    return cone->fits || wf_cone_is_relevant(cone);
}

bool wf_cone_is_of_kind(const wf_cone *cone)
{
    return (cone->kind || cone->text) && !cone->whole && !cone->truth && !cone->length &&
           !cone->fits && !cone->constant_count && !cone->link_count && !cone->parts &&
           !cone->items;
}

const wf_cone *wf_cones_of_event(wf_cones *all, const char *name, size_t length)
{
    wf_cone *sum = wf_cone_new(all, 0);
    if (!sum)
        return NULL;
    sum->passing = true;
    wf_cone_add(all, sum, &all->any);
    for (uint32_t i = 0; i < all->descriptor_count; i++)
        if (all->descriptors[i] && wf_cones_match(all, i, name, length))
            wf_cone_add(all, sum, all->descriptors[i]);
    for (const wf_named_cone *self = all->named; self; self = self->next)
        if (self->length == length && memcmp(self->name, name, length) == 0)
            wf_cone_add(all, sum, &self->cone);
    return all->failed || !wf_cone_is_wanted(sum) ? NULL : sum;
}

/* A failure is an event of its own, or the `error` of one item. */
const wf_cone *wf_cone_of_message(wf_cones *cones, const wf_invoke *invoke)
{
    const wf_names *events = &cones->machine->events;
    const wf_name *error = &events->list[invoke->error_event],
                  *done = &events->list[invoke->done_event];
    const wf_cone *failed = wf_cones_of_event(cones, error->text, error->length),
                  *all = wf_cones_of_event(cones, done->text, done->length),
                  *item = all && all->items ? wf_cone_member(all->items, "error", 5) : NULL;
    wf_cone *sum = wf_cone_new(cones, 0);
    if (!sum)
        return NULL;
    sum->passing = true;
    if (failed)
        wf_cone_add(cones, sum, wf_cone_member(failed, "message", 7));
    if (item)
        wf_cone_add(cones, sum, wf_cone_member(item, "message", 7));
    return wf_cone_is_wanted(sum) ? sum : NULL;
}
