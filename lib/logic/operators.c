/* logic/operators.c: the operators by name. */
#include "logic/expr_tree.h"

#include <string.h>

/* For the table. */
enum {
    ONE = WF_SINGLE_IS_ONE,
    SPREADS = WF_SINGLE_SPREADS,
    NONE = WF_SINGLE_IS_NONE,
    ANY = WF_ANY_NUMBER
};

static const wf_operator operators[] = {
    {"var", WF_SHAPE_VAR, ONE, 0, 2, wf_op_var},
    {"val", WF_SHAPE_VAL, ONE, 0, ANY, wf_op_val},
    {"exists", WF_SHAPE_VAL, ONE, 0, ANY, wf_op_exists},
    {"missing", WF_SHAPE_KEYS, ONE, 0, ANY, wf_op_missing},
    {"missing_some", WF_SHAPE_KEYS, NONE, 2, 2, wf_op_missing_some},
    {"if", WF_SHAPE_PLAIN, NONE, 0, ANY, wf_op_if},
    {"?:", WF_SHAPE_PLAIN, NONE, 0, ANY, wf_op_if},
    {"==", WF_SHAPE_PLAIN, NONE, 2, ANY, wf_op_equal},
    {"===", WF_SHAPE_PLAIN, NONE, 2, ANY, wf_op_same},
    {"!=", WF_SHAPE_PLAIN, NONE, 2, ANY, wf_op_not_equal},
    {"!==", WF_SHAPE_PLAIN, NONE, 2, ANY, wf_op_not_same},
    {"!", WF_SHAPE_PLAIN, ONE, 0, 1, wf_op_not},
    {"!!", WF_SHAPE_PLAIN, ONE, 0, 1, wf_op_truth},
    {"or", WF_SHAPE_PLAIN, NONE, 0, ANY, wf_op_or},
    {"and", WF_SHAPE_PLAIN, NONE, 0, ANY, wf_op_and},
    {"??", WF_SHAPE_PLAIN, NONE, 0, ANY, wf_op_coalesce},
    {"try", WF_SHAPE_TRY, ONE, 1, ANY, wf_op_try},
    {"throw", WF_SHAPE_LIVE, ONE, 0, 1, wf_op_throw},
    {">", WF_SHAPE_PLAIN, NONE, 2, ANY, wf_op_greater},
    {">=", WF_SHAPE_PLAIN, NONE, 2, ANY, wf_op_greater_equal},
    {"<", WF_SHAPE_PLAIN, NONE, 2, ANY, wf_op_less},
    {"<=", WF_SHAPE_PLAIN, NONE, 2, ANY, wf_op_less_equal},
    {"max", WF_SHAPE_PLAIN, SPREADS, 1, ANY, wf_op_max},
    {"min", WF_SHAPE_PLAIN, SPREADS, 1, ANY, wf_op_min},
    {"+", WF_SHAPE_PLAIN, SPREADS, 0, ANY, wf_op_plus},
    {"-", WF_SHAPE_PLAIN, SPREADS, 1, ANY, wf_op_minus},
    {"*", WF_SHAPE_PLAIN, SPREADS, 0, ANY, wf_op_times},
    {"/", WF_SHAPE_PLAIN, SPREADS, 1, ANY, wf_op_divide},
    {"%", WF_SHAPE_PLAIN, SPREADS, 2, ANY, wf_op_modulo},
    {"map", WF_SHAPE_BODY, NONE, 2, 2, wf_op_map},
    {"filter", WF_SHAPE_BODY, NONE, 2, 2, wf_op_filter},
    {"reduce", WF_SHAPE_REDUCE, NONE, 2, 3, wf_op_reduce},
    {"all", WF_SHAPE_BODY, NONE, 2, 2, wf_op_all},
    {"some", WF_SHAPE_BODY, NONE, 2, 2, wf_op_some},
    {"none", WF_SHAPE_BODY, NONE, 2, 2, wf_op_none},
    {"merge", WF_SHAPE_PLAIN, SPREADS, 0, ANY, wf_op_merge},
    {"in", WF_SHAPE_PLAIN, SPREADS, 2, 2, wf_op_in},
    {"cat", WF_SHAPE_PLAIN, SPREADS, 0, ANY, wf_op_cat},
    {"substr", WF_SHAPE_PLAIN, SPREADS, 2, 3, wf_op_substr},
    {"log", WF_SHAPE_PLAIN, ONE, 1, 1, wf_op_log},
    {"in_state", WF_SHAPE_STATE, ONE, 1, 1, NULL},
    {"children_in", WF_SHAPE_CHILDREN, NONE, 2, 2, NULL},
    {"literal", WF_SHAPE_LITERAL, ONE, 0, ANY, NULL},
    {"preserve", WF_SHAPE_LITERAL, ONE, 0, ANY, NULL}, /* another name */
    {"length", WF_SHAPE_PLAIN, ONE, 1, 1, wf_op_length},
    {"slice", WF_SHAPE_PLAIN, ONE, 2, 3, wf_op_slice},
    {"get", WF_SHAPE_PLAIN, ONE, 2, 3, wf_op_get},
    {"with", WF_SHAPE_PLAIN, ONE, 3, 3, wf_op_with},
};

const wf_operator wf_known_missing = {"missing", WF_SHAPE_PLAIN,     ONE, 0,
                                      ANY,       wf_op_known_missing};
const wf_operator wf_known_missing_some = {
    "missing_some", WF_SHAPE_PLAIN, NONE, 2, ANY, wf_op_known_missing_some};

const wf_operator *wf_operator_find(const char *name, size_t length)
{
    for (size_t i = 0; i < sizeof operators / sizeof *operators; i++)
        if (strlen(operators[i].name) == length && memcmp(operators[i].name, name, length) == 0)
            return &operators[i];
    return NULL;
}

const wf_operator *wf_rule_operator(const wf_value *source)
{
    if (source->type != WF_OBJECT || source->length != 1)
        return NULL;
    return wf_operator_find(source->as.members[0].key, source->as.members[0].length);
}

bool wf_is_rule(const wf_value *source)
{
    return wf_rule_operator(source) != NULL;
}
