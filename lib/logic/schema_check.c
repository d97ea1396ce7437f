/* logic/schema_check.c: checks a value, and says where and why it does not fit. */
#include "logic/schema_check.h"

#include <math.h>
#include "base/invariant.h"
#include "base/names.h"

static bool type_fits(uint8_t types, const wf_value *value)
{
    if (types >> value->type & 1)
        return true;
    return types >> WF_INTEGER_TYPE & 1 && value->type == WF_NUMBER &&
           value->as.number == floor(value->as.number);
}

static int32_t check_type(wf_checker *c, const wf_schema *schema, const wf_value *value,
                          const wf_place *at)
{
    char expected[WF_EXPECTED_BYTES];

    if (!schema->types || type_fits(schema->types, value))
        return WFSM_OK;
    wf_describe_types(schema->types, expected);
    return wf_mismatch(c, schema, "type", at, value, expected);
}

static int32_t check_options(wf_checker *c, const wf_schema *schema, const char *keyword,
                             const wf_value *options, const wf_value *value, const wf_place *at)
{
    char expected[WF_EXPECTED_BYTES];

    if (wf_check_spend(c, options->length / 16))
        return WFSM_LIMIT;
    for (uint32_t i = 0; i < options->length; i++)
        if (wf_value_equal_within(&options->as.items[i], value, &c->steps))
            return WFSM_OK;
    if (!c->steps)
        return wf_check_spend(c, 1);
    wf_describe_options(options, expected);
    return wf_mismatch(c, schema, keyword, at, value, expected);
}

static int32_t check_fixed(wf_checker *c, const wf_schema *schema, const wf_value *value,
                           const wf_place *at)
{
    int32_t status = WFSM_OK;

    if (schema->constant) {
        wf_value only = {.type = WF_ARRAY, .length = 1, .as.items = schema->constant};

        status = check_options(c, schema, "const", &only, value, at);
    }
    if (!status && schema->options)
        status = check_options(c, schema, "enum", schema->options, value, at);
    return status;
}

/* How many of the alternatives fit, at most `enough`. */
static int32_t count_fits(wf_checker *c, const wf_schema_list *of, const wf_value *value,
                          const wf_place *at, uint32_t enough, uint32_t *fits)
{
    wfsm_error *error = c->error;
    int32_t status = WFSM_OK;

    *fits = 0;
    c->error = NULL;
    for (uint32_t i = 0; i < of->count && *fits < enough && status != WFSM_LIMIT; i++) {
        status = wf_check(c, of->list[i], value, at);
        *fits += status == WFSM_OK;
    }
    c->error = error;
    if (status == WFSM_LIMIT)
        return wf_fail(c->error, WFSM_LIMIT, "too many steps to check this schema");
    return WFSM_OK;
}

static int32_t check_any(wf_checker *c, const wf_schema *schema, const wf_value *value,
                         const wf_place *at)
{
    uint32_t fits;
    int32_t status = count_fits(c, &schema->any, value, at, 1, &fits);

    if (status || fits)
        return status;
    return wf_mismatch_number(c, schema, "anyOf", at, value, "what at least one of ",
                              schema->any.count, " schemas allows");
}

static int32_t check_one(wf_checker *c, const wf_schema *schema, const wf_value *value,
                         const wf_place *at)
{
    uint32_t fits;
    int32_t status = count_fits(c, &schema->one, value, at, 2, &fits);

    if (status || fits == 1)
        return status;
    return wf_mismatch_number(c, schema, "oneOf", at, value, "what exactly one of ",
                              schema->one.count,
                              fits ? " schemas allows (more do)" : " schemas allows");
}

static int32_t check_not(wf_checker *c, const wf_schema *schema, const wf_value *value,
                         const wf_place *at)
{
    wf_schema_list only = {&schema->negated, 1, true};
    uint32_t fits;
    int32_t status = count_fits(c, &only, value, at, 1, &fits);

    if (status || !fits)
        return status;
    return wf_mismatch(c, schema, "not", at, value, "anything but what this schema allows");
}

static int32_t check_combined(wf_checker *c, const wf_schema *schema, const wf_value *value,
                              const wf_place *at)
{
    int32_t status = WFSM_OK;

    if (schema->reference)
        status = wf_check(c, schema->reference, value, at);
    for (uint32_t i = 0; i < schema->all.count && !status; i++)
        status = wf_check(c, schema->all.list[i], value, at);
    if (!status && schema->any.set)
        status = check_any(c, schema, value, at);
    if (!status && schema->one.set)
        status = check_one(c, schema, value, at);
    if (!status && schema->negated)
        status = check_not(c, schema, value, at);
    return status;
}

int32_t wf_check(wf_checker *c, const wf_schema *schema, const wf_value *value,
                 const wf_place *at)
{
    int32_t status = wf_check_spend(c, 1);

    WF_INVARIANT(!schema->reference_text || schema->reference); /* resolved when compiled */
    if (!status && c->depth >= WF_CHECK_DEPTH)
        return wf_fail_at(c->error, at, WFSM_LIMIT,
                          "schemas refer to each other deeper than %d levels", WF_CHECK_DEPTH);
    if (!status && schema->never)
        return wf_mismatch(c, schema, "", at, value, "nothing");
    c->depth++;
    if (!status)
        status = check_type(c, schema, value, at);
    if (!status)
        status = check_fixed(c, schema, value, at);
    if (!status)
        status = wf_check_parts(c, schema, value, at);
    if (!status)
        status = check_combined(c, schema, value, at);
    c->depth--;
    return status;
}

static int32_t check_root(const wf_schema *schema, const wf_value *value, uint32_t *steps,
                          wfsm_error *error)
{
    wf_checker c = {error, *steps, 0};
    wf_place root = {0};
    int32_t status = wf_check(&c, schema, value, &root);

    WF_INVARIANT(c.depth == 0);
    WF_INVARIANT(c.error == error); /* alternatives are tried without one */
    *steps = c.steps;
    return status;
}

int32_t wf_schema_check(const wf_schema *schema, const wf_value *value, wfsm_error *error)
{
    uint32_t steps = WF_CHECK_STEPS;

    return check_root(schema, value, &steps, error);
}

int32_t wf_schema_check_within(const wf_schema *schema, const wf_value *value, uint32_t *steps)
{
    return check_root(schema, value, steps, NULL);
}

int32_t wf_schema_explain(const wf_schema *schema, const wf_member *member, wfsm_error *error)
{
    wf_checker c = {error, WF_CHECK_STEPS, 0};
    wf_place root = {0}, at = {&root, member->key, member->length, 0};

    return wf_check(&c, schema, &member->value, &at);
}

const wf_schema *wf_schema_key(const wf_schema *schema, const char *key, size_t length,
                               bool *forbidden)
{
    const wf_schema *found;

    /* A schema may be nothing but a reference, and references may run in circles. */
    for (int i = 0; i < 16 && schema->reference && !schema->properties; i++)
        schema = schema->reference;
    found = wf_schema_find(schema, key, length, wf_hash(key, length));
    if (!found)
        found = schema->additional;
    *forbidden = schema->never || (found && found->never);
    return found;
}

const wf_value *wf_schema_source(const wf_schema *schema)
{
    return schema->source;
}
