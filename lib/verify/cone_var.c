/* verify/cone_var.c: the cone of what a variable leads to: a key of the context, the event, an element
 * of a list. */
#include "verify/cone_expr.h"

#include <math.h>
#include <string.h>
#include "logic/schema_tree.h"
#include "verify/exactness.h"

typedef const wf_cone_env *env_of;

bool wf_path_part_is(const wf_path_part *part, const char *key)
{
    return part->length == strlen(key) && memcmp(part->key, key, part->length) == 0;
}

bool wf_var_is_same(const wf_var *a, const wf_var *b)
{
    if (a->origin != b->origin || a->slot != b->slot || a->climb != b->climb ||
        a->count != b->count)
        return false;
    for (uint32_t i = 0; i < a->count; i++)
        if (strcmp(a->parts[i].key, b->parts[i].key) != 0)
            return false;
    return true;
}

wf_cone *wf_cone_down(wf_cones *all, wf_cone *cone, const wf_path_part *parts, uint32_t count)
{
    for (uint32_t i = 0; i < count && cone; i++)
        cone = wf_cone_part_of(all, cone, parts[i].key, parts[i].length);
    return cone;
}

/* A number leads to an element of a list, or to the member of an object that has it as its name, unless the schemas
 * exclude one of them. */
static void add_down(wf_cones *all, wf_cone *cone, const wf_schema_group *said,
                     const wf_path_part *parts, uint32_t count, const wf_cone *wanted)
{
    if (!cone || count == 0) {
        wf_cone_add(all, cone, wanted);
        return;
    }
    const uint32_t types = wf_schema_group_types(said);
    const bool number = parts->index != WF_NONE;
    if (number && types & 1u << WF_ARRAY) {
        const wf_schema_group items = wf_schema_group_every_item(said);
        wf_cone_order(all, cone);
        add_down(all, wf_cone_items(all, cone), &items, parts + 1, count - 1, wanted);
    }
    if (!number || types & 1u << WF_OBJECT) {
        const wf_schema_group member = wf_schema_group_member(said, parts->key, parts->length);
        add_down(all, wf_cone_part_of(all, cone, parts->key, parts->length), &member, parts + 1,
                 count - 1, wanted);
    }
}

/* The same of a value of which no schema is known. */
static void add_at(wf_cones *all, wf_cone *cone, const wf_path_part *parts, uint32_t count,
                   const wf_cone *wanted)
{
    add_down(all, cone, &(wf_schema_group){.count = 0}, parts, count, wanted);
}

/* ---- the event ---- */

/* All of a value, in a way that no constants decide. */
static void all_of(wf_cones *all, wf_cone *cone)
{
    wf_cone_whole(all, cone);
    wf_cone_vague(all, cone);
}

static void read_whole_event(wf_cones *all, env_of env)
{
    all_of(all, env->event);
    all_of(all, &all->origin);
    all_of(all, &all->type);
    all_of(all, &all->id);
}

/* All that a value can be is tried, if it is one of a list. */
static void read_data(wf_cones *all, const wf_var *var, const wf_cone *wanted, env_of env)
{
    wf_cone bare = *wanted;
    if (env->pinned && wf_var_is_same(env->pinned->as.var, var)) {
        bare.vague = (wf_reading){0};
        bare.text = bare.kind = bare.number = false;
        bare.fits = NULL;
    }
    if (wf_cone_is_wanted(&bare))
        add_at(all, env->event, var->parts + 1, var->count - 1, &bare);
}

static void read_event(wf_cones *all, const wf_var *var, const wf_cone *wanted, env_of env)
{
    if (var->count == 0)
        read_whole_event(all, env);
    else if (wf_path_part_is(&var->parts[0], "origin"))
        add_at(all, &all->origin, var->parts + 1, var->count - 1, wanted);
    else if (wf_path_part_is(&var->parts[0], "data"))
        read_data(all, var, wanted, env);
    else if (wf_path_part_is(&var->parts[0], "type"))
        add_at(all, &all->type, var->parts + 1, var->count - 1, wanted);
    else if (wf_path_part_is(&var->parts[0], "id"))
        add_at(all, &all->id, var->parts + 1, var->count - 1, wanted);
}

/* ---- the context ---- */

static bool has_one_type(const wf_schema *schema)
{
    return schema->types != 0 && (schema->types & (schema->types - 1)) == 0;
}

/* Of a key that is not there at first the value is null until it is assigned. */
const wf_schema *wf_schema_of_slot(const wf_cones *all, uint32_t slot)
{
    const wf_schema *context = all->machine->context_schema;
    const wf_name *key = &all->machine->keys.list[slot];
    bool forbidden = false;
    if (!context || all->machine->initial[slot].type == WF_ABSENT)
        return NULL;
    return wf_schema_key(context, key->text, key->length, &forbidden);
}

wf_schema_group wf_schema_of_part(const wf_schema *own, const wf_path_part *parts,
                                  uint32_t count, bool *present)
{
    wf_schema_group group = {.count = 0};
    wf_schema_group_add(&group, own);
    for (uint32_t i = 0; i < count; i++) {
        if (parts[i].index != WF_NONE)
            return (wf_schema_group){.count = 0}; /* a list may have it, too */
        *present = *present && wf_schema_group_types(&group) == 1u << WF_OBJECT &&
                   wf_schema_group_requires(&group, parts[i].key, parts[i].length);
        group = wf_schema_group_member(&group, parts[i].key, parts[i].length);
    }
    return group;
}

static bool takes_null(const wf_schema *schema)
{
    const wf_value nothing = wf_null();
    return wf_schema_check(schema, &nothing, NULL) == WFSM_OK;
}

/* What the schema of a key does not imply of a part of its value: the schemas that are left of `fits`. */
static wf_cone_schema *not_implied(wf_cones *all, const wf_schema *own,
                                   const wf_path_part *parts, uint32_t count,
                                   const wf_cone_schema *fits)
{
    bool present = true;
    const wf_schema_group group = wf_schema_of_part(own, parts, count, &present);
    wf_cone_schema *left = NULL;
    for (; fits; fits = fits->next) {
        if (wf_schema_group_implies(&group, fits->schema) &&
            (present || takes_null(fits->schema)))
            continue;
        wf_cone_schema *one = wf_arena_take(all->arena, sizeof *one);
        all->failed |= !one;
        if (!one)
            return NULL;
        *one = (wf_cone_schema){fits->schema, left};
        left = one;
    }
    return left;
}

void wf_cone_of_slot(wf_cones *all, uint32_t slot, const wf_path_part *parts, uint32_t count,
                     const wf_cone *wanted)
{
    const wf_schema *own = wf_schema_of_slot(all, slot);
    wf_cone bare = *wanted;
    if (own && bare.fits)
        bare.fits = not_implied(all, own, parts, count, bare.fits);
    if (own && count == 0 && has_one_type(own)) {
        if (bare.number && own->types == 1u << WF_STRING)
            wf_cone_vague(all,
                          wf_cone_slot(all, slot)); /* texts that are numbers, and others */
        bare.text = false;
        bare.kind = bare.number && !wf_schema_bounds_number(own);
    }
    wf_schema_group said = {.count = 0};
    wf_schema_group_add(&said, own);
    if (wf_cone_is_wanted(&bare))
        add_down(all, wf_cone_slot(all, slot), &said, parts, count, &bare);
}

/* Whether the start brings keys that the document does not name. */
static bool starts_with_other_keys(const wf_cones *all)
{
    bool other = !all->inputs;
    for (uint32_t i = 0; all->inputs && i < all->input_count; i++)
        for (uint32_t k = 0; all->inputs[i].type == WF_OBJECT && k < all->inputs[i].length;
             k++) {
            const wf_member *member = &all->inputs[i].as.members[k];
            other |= wf_names_find(&all->machine->keys, member->key, member->length) == WF_NONE;
        }
    return other;
}

/* A function of the host may add them, too, unless the schema forbids other keys. */
static bool may_have_other_keys(const wf_cones *all)
{
    const wfsm_machine *machine = all->machine;
    bool forbidden = false;
    if (machine->context_schema)
        (void)wf_schema_key(machine->context_schema, "\1", 1, &forbidden);
    return !forbidden && (machine->functions.count > 0 || starts_with_other_keys(all));
}

/* A rule may read anything: everything is in the cone. */
static void everything(wf_cones *all, env_of env)
{
    if (!all->everything)
        all->changed = true;
    all->everything = true;
    all->other_keys |= may_have_other_keys(all);
    if (all->other_keys)
        wf_cone_unknown(all);
    for (uint32_t slot = 0; slot < all->machine->keys.count; slot++)
        all_of(all, wf_cone_slot(all, slot));
    read_whole_event(all, env);
}

/* The instance, too. */
static void read_root(wf_cones *all, env_of env)
{
    everything(all, env);
    all->clock = all->spent_time = true;
    wf_cone_unknown(all);
}

/* ---- bodies and counts ---- */

/* Where a body stands that is so many bodies further out. */
static env_of outer_env(env_of env, uint32_t climb)
{
    for (; climb > 0 && env->outer; climb--)
        env = env->outer;
    return env;
}

/* The place of an element in its list, or the list as well. */
static void read_visit(wf_cones *all, const wf_var *var, env_of env)
{
    wf_cone_order(all, env->list);
    wf_cone_length(all, env->list);
    wf_cone_vague(all, env->list);
    if (var->origin != WF_FROM_POSITION)
        all_of(all, env->list);
}

static bool is_only_compared(const wf_cone *wanted)
{
    return !wanted->vague.rule && !wanted->fits && !wanted->link_count;
}

/* How far rounds must be counted. What is left of them is counted up to the limit. */
static void note_rounds(wf_cones *all, const wf_cone *wanted)
{
    all->used_vague |= !is_only_compared(wanted);
    for (uint32_t k = 0; k < wanted->constant_count; k++)
        if (wanted->constants[k].type == WF_NUMBER)
            all->used_most = fmax(all->used_most, wanted->constants[k].as.number);
}

/* Of what agents use, it is tried whether something is left. */
static bool is_count_tried(wf_cones *all, const wf_var *var, const wf_cone *wanted)
{
    const wfsm_machine *machine = all->machine;
    for (uint32_t i = 0; var->count == 2 && i < machine->budget_count; i++) {
        const wf_budget *self = &machine->budgets[i];
        if (!wf_path_part_is(&var->parts[0], self->name.text))
            continue;
        if (self->counts == WF_COUNT_ROUNDS && wf_path_part_is(&var->parts[1], "used"))
            note_rounds(all, wanted);
        bool zero = wf_path_part_is(&var->parts[1], "left") && is_only_compared(wanted);
        for (uint32_t k = 0; k < wanted->constant_count; k++)
            zero &=
                wanted->constants[k].type == WF_NUMBER && wanted->constants[k].as.number == 0;
        return self->counts == WF_COUNT_ROUNDS || wf_path_part_is(&var->parts[1], "limit") ||
               (zero && self->counts == WF_COUNT_USAGE);
    }
    return false;
}

/* The limit of a budget is known. */
static bool reads_spent_time(const wf_cones *all, const wf_var *var)
{
    const bool limit = var->count == 2 && wf_path_part_is(&var->parts[1], "limit");
    bool found = false;
    for (uint32_t i = 0; i < all->machine->budget_count && !limit; i++) {
        const wf_budget *self = &all->machine->budgets[i];
        found |= self->counts == WF_COUNT_TIME &&
                 (var->count == 0 || wf_path_part_is(&var->parts[0], self->name.text));
    }
    return found;
}

/* How far repeated failures must be counted. */
static void note_failures(wf_cones *all, const wf_var *var, const wf_cone *wanted)
{
    if (var->count > 0 && !wf_path_part_is(&var->parts[0], "count"))
        return;
    all->failures_vague |= var->count != 1 || !is_only_compared(wanted);
    for (uint32_t k = 0; k < wanted->constant_count; k++)
        if (wanted->constants[k].type == WF_NUMBER)
            all->failures_most = fmax(all->failures_most, wanted->constants[k].as.number);
        else
            all->failures_vague = true;
}

/* Which invocation failed, and how often: whatever the signatures are. */
static bool is_of_count(const wf_var *var)
{
    return var->count == 1 && (wf_path_part_is(&var->parts[0], "count") ||
                               wf_path_part_is(&var->parts[0], "invoke"));
}

void wf_cone_of_var(wf_cones *all, const wf_var *var, const wf_cone *wanted, env_of here)
{
    env_of env = outer_env(here, var->climb);
    switch (var->origin) {
    case WF_FROM_SLOT:
        wf_cone_of_slot(all, var->slot, var->parts, var->count, wanted);
        break;
    case WF_FROM_EVENT:
        read_event(all, var, wanted, env);
        break;
    case WF_FROM_INSTANCE:
        all->clock = true;
        wf_cone_unknown(all);
        break;
    case WF_FROM_FAILURE:
        all->failure = true;
        note_failures(all, var, wanted);
        if (!is_of_count(var)) {
            all->signature = true;
            wf_cone_unknown(all);
        }
        break;
    case WF_FROM_BUDGETS:
        all->spent_time |= reads_spent_time(all, var);
        if (!is_count_tried(all, var, wanted))
            wf_cone_unknown(all);
        break;
    case WF_FROM_DATA:
    case WF_FROM_CURRENT:
        add_at(all, env->element, var->parts, var->count, wanted);
        break;
    case WF_FROM_ROOT:
        read_root(all, env);
        break;
    case WF_FROM_CONTEXT:
        everything(all, env);
        break;
    case WF_FROM_PAIR:
        all_of(all, env->element);
        break;
    case WF_FROM_POSITION:
    case WF_FROM_ITERATED:
    case WF_FROM_VISIT:
        read_visit(all, var, env);
        break;
    default:
        break;
    }
}

/* A path that is computed may lead to anything. */
void wf_cone_of_any_path(wf_cones *all, const wf_expr *rule, env_of env)
{
    uint32_t climb = rule->mode > WF_MODE_SCOPED ? rule->mode - (uint32_t)WF_MODE_SCOPED : 0;
    if (rule->env == WF_ENV_ROOT)
        read_root(all, env);
    else
        all_of(all, outer_env(env, climb)->element);
}
