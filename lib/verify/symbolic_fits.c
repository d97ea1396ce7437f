/* verify/symbolic_fits.c: whether a value fits a schema. If the value is built of terms, each of its parts is
 * asked about alone. */
#include "verify/symbolic_eval.h"

#include <string.h>
#include "base/memory.h"
#include "logic/schema_tree.h"
#include "verify/constraints.h"
#include "verify/explorer.h"
#include "verify/hiding.h"
#include "verify/schema_group.h"

/* The number of the schema among those that were asked about, from 1; 0 when out of memory. Where they are in
 * memory is no order: each run shall find the same. */
static uint16_t order_of(wf_symbolic *self, const wf_schema *schema)
{
    size_t i = 0;
    while (i < self->fitted_count && self->fitted[i] != schema)
        i++;
    if (i == self->fitted_count && i < UINT16_MAX) {
        const wf_schema **list = wf_grow(self->explorer->allocator, self->fitted,
                                         &self->fitted_capacity, i + 1, sizeof *list);
        if (!list)
            return 0;
        self->fitted = list;
        list[self->fitted_count++] = schema;
    }
    return (uint16_t)(i < UINT16_MAX ? i + 1 : i);
}

static int32_t term_fits(wf_symbolic *self, const wf_schema *schema, const wf_value *value)
{
    bool yes = true;
    wf_term term = wf_symbolic_of(self, value);
    if (term == WF_NONE)
        return WFSM_NO_MEMORY;
    if (wf_hiding_is_mismatch(self, term))
        return WFSM_SEMANTIC;
    if (wf_chain_fits(&self->terms, term, schema))
        return WFSM_OK;
    const wf_literal literal = {
        .kind = WF_FITS, .order = order_of(self, schema), .term = term, .schema = schema};
    if (literal.order == 0)
        return WFSM_NO_MEMORY;
    int32_t status = wf_decide(self, schema, 33, &literal, &yes);
    return status != WFSM_OK ? status : yes ? WFSM_OK : WFSM_SEMANTIC;
}

/* ---- the parts of a value ---- */

/* It says only which parts there are, and what each of them is. */
static bool asks_parts(const wf_schema *schema)
{
    return !schema->never && !schema->options && !schema->constant && !schema->reference &&
           !schema->unique;
}

static bool is_between(const wf_bound *least, const wf_bound *most, uint32_t count)
{
    return (!least->set || count >= least->value) && (!most->set || count <= most->value);
}

static bool has_required(const wf_schema *schema, const wf_value *object)
{
    bool all = true;
    for (uint32_t i = 0; schema->required && i < schema->required->length && all; i++)
        all = wf_value_get_z(object, schema->required->as.items[i].as.text) != NULL;
    return all;
}

static int32_t members_fit(wf_symbolic *self, const wf_schema *schema, const wf_value *object)
{
    if (!has_required(schema, object) ||
        !is_between(&schema->min_members, &schema->max_members, object->length))
        return WFSM_SEMANTIC;
    int32_t status = WFSM_OK;
    for (uint32_t i = 0; i < object->length && status == WFSM_OK; i++) {
        const wf_member *member = &object->as.members[i];
        const wf_schema *own = wf_schema_of_member(schema, member->key, member->length);
        if (own)
            status = wf_symbolic_fits(self, own, &member->value);
    }
    return status;
}

static int32_t elements_fit(wf_symbolic *self, const wf_schema *schema, const wf_value *list)
{
    if (!is_between(&schema->min_items, &schema->max_items, list->length))
        return WFSM_SEMANTIC;
    int32_t status = WFSM_OK;
    for (uint32_t i = 0; i < list->length && status == WFSM_OK; i++) {
        const wf_schema *own = wf_schema_of_element(schema, i);
        if (own)
            status = wf_symbolic_fits(self, own, &list->as.items[i]);
    }
    return status;
}

static int32_t parts_fit(wf_symbolic *self, const wf_schema *schema, const wf_value *value)
{
    if (schema->types && !(schema->types >> value->type & 1))
        return WFSM_SEMANTIC;
    return value->type == WF_OBJECT ? members_fit(self, schema, value)
                                    : elements_fit(self, schema, value);
}

/* ---- alternatives ---- */

/* Whether so many of them fit. At most `enough` that fit are looked for. */
static int32_t so_many_fit(wf_symbolic *self, const wf_schema_list *of, const wf_value *value,
                           uint32_t enough, uint32_t wanted)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < of->count && count < enough; i++) {
        int32_t status = wf_symbolic_fits(self, of->list[i], value);
        if (status != WFSM_OK && status != WFSM_SEMANTIC)
            return status;
        count += status == WFSM_OK;
    }
    return count == wanted ? WFSM_OK : WFSM_SEMANTIC;
}

static int32_t alternatives_fit(wf_symbolic *self, const wf_schema *schema,
                                const wf_value *value)
{
    const wf_schema_list negated = {.list = &schema->negated, .count = 1};
    int32_t status = WFSM_OK;
    for (uint32_t i = 0; i < schema->all.count && status == WFSM_OK; i++)
        status = wf_symbolic_fits(self, schema->all.list[i], value);
    if (status == WFSM_OK && schema->any.set)
        status = so_many_fit(self, &schema->any, value, 1, 1);
    if (status == WFSM_OK && schema->one.set)
        status = so_many_fit(self, &schema->one, value, 2, 1);
    if (status == WFSM_OK && schema->negated)
        status = so_many_fit(self, &negated, value, 1, 0);
    return status;
}

int32_t wf_symbolic_fits(void *user, const wf_schema *schema, const wf_value *value)
{
    wf_term term;
    if (!wf_symbolic_within(value))
        return wf_schema_check(schema, value, NULL);
    if (wf_symbolic_term(value, &term) || !asks_parts(schema))
        return term_fits(user, schema, value);
    int32_t status = parts_fit(user, schema, value);
    return status == WFSM_OK ? alternatives_fit(user, schema, value) : status;
}
