/* store/where.c: the conditions of a query on attributes. lib/sqlite and lib/postgres say the same in SQL. */
#include "store/where.h"

#include <math.h>
#include <string.h>
#include "base/error.h"
#include "base/sized.h"
#include "base/utf8.h"
#include "logic/json.h"
#include "machine/model.h"
#include "store/store.h"

/* ---- checking ---- */

static void read_number(wfsm_condition *condition)
{
    size_t length = strlen(condition->value);
    double number = 0;
    size_t read = wf_number_parse(condition->value, length, &number);

    condition->is_number = read > 0 && read == length && isfinite(number);
    condition->number = condition->is_number ? number : 0;
}

static int32_t check_one(wfsm_condition *out, const wfsm_condition *given, wfsm_error *error)
{
    int32_t status;

    if (!wf_struct_check(out, sizeof *out, given, WF_SIZE_UP_TO(wfsm_condition, value)) ||
        out->comparison < WFSM_EQUAL || out->comparison > WFSM_GREATER_OR_EQUAL)
        return wf_fail(error, WFSM_INVALID, "a condition of query.where is not complete");
    out->size = sizeof *out;
    status = wf_store_check_id(out->name, "the name of an attribute", error);
    if (status == WFSM_OK && !wf_attribute_name(out->name, strlen(out->name)))
        status = wf_fail(error, WFSM_INVALID, "\"%.80s\" is not the name of an attribute",
                         out->name);
    if (status == WFSM_OK && (!out->value || (*out->value && !wf_id_valid(out->value))))
        status = wf_fail(error, WFSM_INVALID,
                         "the value of a condition must be at most 255 bytes of valid UTF-8");
    if (status == WFSM_OK)
        read_number(out);
    return status;
}

int32_t wf_where_check(wf_where *where, wfsm_query *query, wfsm_error *error)
{
    int32_t status = WFSM_OK;

    if (query->where_count > WFSM_ATTRIBUTES || (query->where_count > 0 && !query->where))
        return wf_fail(error, WFSM_INVALID, "query.where has no conditions, or more than %d",
                       WFSM_ATTRIBUTES);
    for (size_t i = 0; i < query->where_count && status == WFSM_OK; i++) {
        status = check_one(&where->list[i], query->where[i], error);
        where->pointers[i] = &where->list[i];
    }
    query->where = query->where_count > 0 ? where->pointers : NULL;
    return status;
}

/* ---- comparing ---- */

static int compare_numbers(double left, double right)
{
    return (left > right) - (left < right);
}

static int compare_texts(const wf_value *value, const char *text)
{
    if (value->type == WF_BOOLEAN)
        return strcmp(value->as.boolean ? "true" : "false", text);
    return strcmp(value->as.text, text);
}

static bool is_met_by(int32_t comparison, int order)
{
    switch (comparison) {
    case WFSM_EQUAL:
        return order == 0;
    case WFSM_NOT_EQUAL:
        return order != 0;
    case WFSM_LESS:
        return order < 0;
    case WFSM_LESS_OR_EQUAL:
        return order <= 0;
    case WFSM_GREATER:
        return order > 0;
    default:
        return order >= 0;
    }
}

static bool meets_one(const wf_value *value, const wfsm_condition *condition)
{
    bool asks_equality = condition->comparison <= WFSM_NOT_EQUAL;

    if (value->type == WF_NUMBER && condition->is_number)
        return is_met_by(condition->comparison,
                         compare_numbers(value->as.number, condition->number));
    if (value->type == WF_NUMBER)
        return condition->comparison == WFSM_NOT_EQUAL;
    return (asks_equality || !condition->is_number) &&
           is_met_by(condition->comparison, compare_texts(value, condition->value));
}

static bool meets_all(const wfsm_query *query, const wf_value *attributes)
{
    bool meets = true;

    for (size_t i = 0; i < query->where_count && meets; i++) {
        const wf_value *value = wf_value_get_z(attributes, query->where[i]->name);

        meets = value && meets_one(value, query->where[i]);
    }
    return meets;
}

int32_t wf_where_meets(const wfsm_query *query, const char *attributes,
                       const wfsm_allocator *allocator, bool *meets)
{
    wf_arena arena;
    wf_value value;
    int32_t status;

    wf_arena_init(&arena, allocator, 0);
    status = wf_json_parse(&arena, attributes, strlen(attributes), &value, NULL);
    if (status == WFSM_OK && value.type != WF_OBJECT)
        status = WFSM_CORRUPT;
    *meets = status == WFSM_OK && meets_all(query, &value);
    wf_arena_fini(&arena);
    return status == WFSM_OK || status == WFSM_NO_MEMORY ? status : WFSM_CORRUPT;
}
