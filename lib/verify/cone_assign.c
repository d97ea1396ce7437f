/* verify/cone_assign.c: which parts of an assigned value count: those that rules read of its key, and those that
 * decide whether it fits the schema of the context. With a dotted key the rest of the object is there already, and fits. */
#include "verify/cone_expr.h"

#include <string.h>
#include "verify/schema_group.h"

enum { REFERENCES_MOST = 16 };

static const wf_schema *schema_of(const wf_cones *all, uint32_t slot)
{
    const wf_schema *context = all->machine->context_schema;
    const wf_name *key = &all->machine->keys.list[slot];
    bool forbidden = false;
    return context ? wf_schema_key(context, key->text, key->length, &forbidden) : NULL;
}

/* All of a value, in a way that no constants decide. */
static void all_of(wf_cones *all, wf_cone *cone)
{
    const wf_reading before = all->reading;
    if (!before.rule && cone)
        all->reading = cone->reader;
    wf_cone_whole(all, cone);
    wf_cone_vague(all, cone);
    all->reading = before;
}

/* ---- dotted keys ---- */

/* A new value of the place below fits whatever the other members are. False: they count, too. */
static bool is_alone(wf_cones *all, wf_cone *value, const wf_schema *schema,
                     const wf_name *keys, uint32_t depth, uint32_t references)
{
    bool alone = !schema || (!wf_schema_has_alternatives(schema) && !schema->max_members.set &&
                             references < REFERENCES_MOST);
    if (!schema || !alone)
        return alone;
    for (uint32_t i = 0; i < schema->all.count && alone; i++)
        alone = is_alone(all, value, schema->all.list[i], keys, depth, references + 1);
    if (schema->reference)
        alone = alone && is_alone(all, value, schema->reference, keys, depth, references + 1);
    const wf_schema *own = wf_schema_of_member(schema, keys->text, keys->length);
    if (depth > 1)
        return alone && is_alone(all, value, own, keys + 1, depth - 1, 0);
    wf_cone_fitting(all, value, own);
    return alone;
}

/* Something above it is checked against a schema elsewhere. */
static bool is_checked(const wf_cone *cone, const wf_name *keys, uint32_t depth)
{
    for (; depth > 0 && cone && !cone->fits; depth--, keys++)
        cone = wf_cone_member(cone, keys->text, keys->length);
    return depth > 0 && cone;
}

/* Setting a part of a key fails unless everything above it is an object. */
static wf_cone *wanted_of_place(wf_cones *all, const wf_target *target)
{
    const wf_schema *own = wf_schema_of_slot(all, target->slot);
    wf_cone *cone = wf_cone_slot(all, target->slot);
    if (!own || own->types != 1u << WF_OBJECT)
        wf_cone_kind(all, cone);
    for (uint32_t i = 0; i + 1 < target->depth && cone; i++) {
        cone = wf_cone_part_of(all, cone, target->keys[i].text, target->keys[i].length);
        wf_cone_kind(all, cone);
    }
    if (!cone)
        return NULL;
    const wf_name *last = &target->keys[target->depth - 1];
    wf_cone *part = (wf_cone *)wf_cone_member(cone, last->text, last->length);
    return !part && cone->whole ? cone : part;
}

static void want_within(wf_cones *all, wf_cone *value, const wf_target *target)
{
    const wf_schema *schema = schema_of(all, target->slot);
    wf_cone *slot = wf_cone_slot(all, target->slot);
    if (!slot || (!is_checked(slot, target->keys, target->depth) &&
                  is_alone(all, value, schema, target->keys, target->depth, 0)))
        return;
    all_of(all, slot);
    all_of(all, value);
}

/* ---- what has parts already ---- */

/* Each element may be what the schemas say of it, and nothing is said of several together. */
static bool are_elements_alone(wf_cones *all, wf_cone *list, const wf_schema *schema,
                               uint32_t references)
{
    bool alone = !wf_schema_has_alternatives(schema) && !schema->unique &&
                 !schema->prefix.set && references < REFERENCES_MOST;
    for (uint32_t i = 0; i < schema->all.count && alone; i++)
        alone = are_elements_alone(all, list, schema->all.list[i], references + 1);
    if (schema->reference)
        alone = alone && are_elements_alone(all, list, schema->reference, references + 1);
    if (schema->items)
        wf_cone_fitting(all, wf_cone_items(all, list), schema->items);
    return alone;
}

void wf_cone_split_list(wf_cones *all, wf_cone *list)
{
    const wf_cone_schema *fits = list->fits;
    bool alone = true;
    list->fits = NULL;
    for (; fits; fits = fits->next)
        alone &= are_elements_alone(all, list, fits->schema, 0);
    if (!alone)
        all_of(all, list);
}

void wf_cone_split_member(wf_cones *all, wf_cone *object, const char *key)
{
    const wf_name name = {key, (uint32_t)strlen(key), 0};
    const wf_cone_schema *fits = object->fits;
    bool alone = true;
    object->fits = NULL;
    for (; fits; fits = fits->next)
        alone &= is_alone(all, wf_cone_part_of(all, object, name.text, name.length),
                          fits->schema, &name, 1, 0);
    if (!alone)
        all_of(all, object);
}

/* ---- any key ---- */

wf_cone *wf_want_assigned(wf_cones *all, const wf_target *target, const wf_expr *value)
{
    const wf_expr *before = all->reading.rule;
    wf_cone *wanted = wf_cone_new(all, 0);
    if (!wanted)
        return NULL;
    wanted->passing = true;
    all->reading.rule = value;
    wf_cone_add(all, wanted,
                target->depth > 0 ? wanted_of_place(all, target) : all->slots[target->slot]);
    if (target->depth > 0)
        want_within(all, wanted, target);
    else
        wf_cone_fitting(all, wanted, schema_of(all, target->slot));
    all->reading.rule = before;
    return wanted;
}
