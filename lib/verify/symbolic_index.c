/* verify/symbolic_index.c: parts of a container that is seen, by a key that is a term: the key is compared
 * with each one that is there. */
#include "verify/symbolic_eval.h"

#include <string.h>

enum { ELEMENTS_MOST = 64 };

/* Whether the key is equal to that of the member, or element, at a place. */
static int32_t is_at(wf_symbolic *self, const wf_expr *rule, const wf_value *container,
                     uint32_t place, const wf_value *key, wf_run *run, bool *yes)
{
    const wf_member *member =
        container->type == WF_OBJECT ? &container->as.members[place] : NULL;
    const wf_value own = member ? wf_string(member->key, member->length) : wf_number(place);
    wf_value same;
    int32_t status = wf_symbolic_same(self, rule, key, &own, run, &same);
    return status == WFSM_OK ? wf_decide_truth(self, rule, 6, &same, yes) : status;
}

/* *place is one of the first `count`, or `count`: it is none of them. */
static int32_t find(wf_symbolic *self, const wf_expr *rule, const wf_value *container,
                    uint32_t count, const wf_value *key, wf_run *run, uint32_t *place)
{
    bool yes = false;
    int32_t status = WFSM_OK;
    for (*place = 0; *place < count; ++*place) {
        status = is_at(self, rule, container, *place, key, run, &yes);
        if (yes || status != WFSM_OK)
            return status;
    }
    return WFSM_OK;
}

bool wf_symbolic_has_places(const wf_value *container)
{
    return container->type == WF_OBJECT ||
           (container->type == WF_ARRAY && container->length <= ELEMENTS_MOST);
}

int32_t wf_symbolic_part(wf_symbolic *self, const wf_expr *rule, const wf_value *container,
                         const wf_value *key, wf_run *run, wf_value *result)
{
    uint32_t place = 0;
    int32_t status = find(self, rule, container, container->length, key, run, &place);
    if (status != WFSM_OK)
        return status;
    if (place == container->length)
        *result = wf_absent();
    else
        *result = container->type == WF_OBJECT ? container->as.members[place].value
                                               : container->as.items[place];
    return WFSM_OK;
}

/* ---- with ---- */

static int32_t with_item(const wf_value *list, uint32_t place, const wf_value *value,
                         wf_run *run, wf_value *result)
{
    uint32_t count = list->length + (place == list->length);
    wf_value *items = wf_arena_take(run->scope->arena, count * sizeof *items);
    if (!items)
        return WFSM_NO_MEMORY;
    if (list->length > 0)
        memcpy(items, list->as.items, list->length * sizeof *items);
    items[place] = *value;
    *result = wf_array(items, count);
    return result->type == WF_ABSENT ? WFSM_LIMIT : WFSM_OK;
}

static int32_t with_member(const wf_value *object, uint32_t place, const wf_value *value,
                           wf_run *run, wf_value *result)
{
    wf_member *members = wf_arena_take(run->scope->arena, object->length * sizeof *members);
    if (!members)
        return WFSM_NO_MEMORY;
    memcpy(members, object->as.members, object->length * sizeof *members);
    members[place].value = *value;
    *result = wf_object(members, object->length);
    return result->type == WF_ABSENT ? WFSM_LIMIT : WFSM_OK;
}

bool wf_symbolic_changes_part(const wf_value *operands, uint32_t count)
{
    wf_term term;
    return count == 3 && wf_symbolic_has_places(&operands[0]) &&
           !wf_symbolic_term(&operands[0], &term) && wf_symbolic_term(&operands[1], &term);
}

/* A member that is new has a key that is not known, so that the object is a term. */
int32_t wf_symbolic_with(wf_symbolic *self, const wf_expr *rule, const wf_value *operands,
                         wf_run *run, wf_value *result)
{
    const wf_value *container = &operands[0];
    bool object = container->type == WF_OBJECT;
    uint32_t place = 0, count = container->length + !object;
    int32_t status = find(self, rule, container, count, &operands[1], run, &place);
    if (status != WFSM_OK)
        return status;
    if (object && place == count)
        return wf_symbolic_apply(self, rule, operands, 3, run, result);
    if (place == count)
        return wf_symbolic_fails(run);
    return object ? with_member(container, place, &operands[2], run, result)
                  : with_item(container, place, &operands[2], run, result);
}
