/* logic/expr_differs.c: rules that json-logic-js, json-logic-engine or the community's suites
 * answer differently, as far as their constants and operators tell. What depends on data alone is
 * in doc/jsonlogic.md. */
#include "logic/expr_compile.h"

#include <math.h>
#include <string.h>

/* What an operand is known to give. */
enum {
    GIVES_NULL = 1,
    GIVES_BOOLEAN = 2,
    GIVES_NUMBER = 4,
    GIVES_TEXT = 8,
    GIVES_LIST = 16,
    GIVES_OBJECT = 32,
    GIVES_CONTAINER = GIVES_LIST | GIVES_OBJECT
};

typedef struct names {
    const char *words; /* operators, with a space behind each */
    unsigned gives;
} names;

static const names results[] = {
    {"map filter merge missing missing_some ", GIVES_LIST},
    {"cat substr ", GIVES_TEXT},
    {"+ - * / % min max length ", GIVES_NUMBER},
    {"== != === !== < <= > >= ! !! in all some none exists ", GIVES_BOOLEAN},
};

static bool is_named(const wf_expr *rule, const char *words)
{
    size_t length = strlen(rule->op->name), word;

    for (; *words; words += word + 1) {
        word = strcspn(words, " ");
        if (word == length && memcmp(words, rule->op->name, length) == 0)
            return true;
    }
    return false;
}

static unsigned constant_gives(const wf_value *value)
{
    switch (value->type) {
    case WF_NULL:
        return GIVES_NULL;
    case WF_BOOLEAN:
        return GIVES_BOOLEAN;
    case WF_NUMBER:
        return GIVES_NUMBER;
    case WF_STRING:
        return GIVES_TEXT;
    case WF_ARRAY:
        return GIVES_LIST;
    case WF_OBJECT:
        return GIVES_OBJECT;
    default:
        return 0;
    }
}

/* 0: it is not known. */
static unsigned gives(const wf_expr *expr)
{
    if (expr->node == WF_NODE_CONSTANT)
        return constant_gives(&expr->as.constant);
    if (expr->node == WF_NODE_ARRAY)
        return GIVES_LIST;
    if (expr->node == WF_NODE_OBJECT)
        return GIVES_OBJECT;
    for (size_t i = 0; expr->node == WF_NODE_RULE && i < sizeof results / sizeof *results; i++)
        if (is_named(expr, results[i].words))
            return results[i].gives;
    return 0;
}

static bool operand_gives(const wf_expr *rule, uint32_t index, unsigned kinds)
{
    return index < rule->count && (gives(&rule->as.list[index]) & kinds) != 0;
}

static bool any_gives(const wf_expr *rule, unsigned kinds)
{
    for (uint32_t i = 0; i < rule->count; i++)
        if (operand_gives(rule, i, kinds))
            return true;
    return false;
}

/* The operand, if it is a constant of that type; else NULL. */
static const wf_value *constant_of(const wf_expr *rule, uint32_t index, enum wf_type type)
{
    const wf_expr *expr = index < rule->count ? &rule->as.list[index] : NULL;

    return expr && expr->node == WF_NODE_CONSTANT && expr->as.constant.type == type
               ? &expr->as.constant
               : NULL;
}

static bool is_no_number(const wf_compiler *c, const wf_value *text)
{
    wf_scope scope = {.arena = c->to->arena, .steps = WF_FOLD_STEPS};
    wf_run run = {.scope = &scope};
    double number;

    return wf_to_number(&run, text, &number) == WFSM_OK && isnan(number);
}

static bool has_word(const wf_compiler *c, const wf_expr *rule)
{
    for (uint32_t i = 0; i < rule->count; i++) {
        const wf_value *text = constant_of(rule, i, WF_STRING);

        if (text && is_no_number(c, text))
            return true;
    }
    return false;
}

static bool always(const wf_compiler *c, const wf_expr *rule)
{
    (void)c;
    (void)rule;
    return true;
}

static bool has_three(const wf_compiler *c, const wf_expr *rule)
{
    (void)c;
    return rule->count > 2;
}

static bool has_none(const wf_compiler *c, const wf_expr *rule)
{
    (void)c;
    return rule->count == 0;
}

static bool has_four(const wf_compiler *c, const wf_expr *rule)
{
    (void)c;
    return rule->count > 3;
}

static bool has_two(const wf_compiler *c, const wf_expr *rule)
{
    (void)c;
    return rule->count == 2;
}

static bool has_one(const wf_compiler *c, const wf_expr *rule)
{
    (void)c;
    return rule->count == 1 && rule->mode == WF_MODE_LISTED;
}

/* Of a list that is not known to be one, too: every variable may be one. */
static bool spreads(const wf_compiler *c, const wf_expr *rule)
{
    unsigned known = 0;

    (void)c;
    if (rule->mode != WF_MODE_SPREAD)
        return false;
    known = gives(&rule->as.list[0]);
    return !known || known == GIVES_LIST;
}

static bool spreads_list(const wf_compiler *c, const wf_expr *rule)
{
    (void)c;
    return rule->mode == WF_MODE_SPREAD && operand_gives(rule, 0, GIVES_LIST);
}

/* Lists whose elements may be false. The keys that are missing are not. */
static bool negates_list(const wf_compiler *c, const wf_expr *rule)
{
    const wf_expr *operand = &rule->as.list[0];

    (void)c;
    return rule->mode == WF_MODE_SPREAD && operand->node == WF_NODE_RULE &&
           is_named(operand, " map filter merge ");
}

static bool has_container(const wf_compiler *c, const wf_expr *rule)
{
    (void)c;
    return any_gives(rule, GIVES_CONTAINER);
}

static bool seeks_container(const wf_compiler *c, const wf_expr *rule)
{
    (void)c;
    return rule->mode == WF_MODE_LISTED && operand_gives(rule, 0, GIVES_CONTAINER);
}

static bool seeks_in_scalar(const wf_compiler *c, const wf_expr *rule)
{
    (void)c;
    return operand_gives(rule, 1, GIVES_NUMBER | GIVES_BOOLEAN | GIVES_OBJECT);
}

static bool compares_texts(const wf_compiler *c, const wf_expr *rule)
{
    return has_three(c, rule) && any_gives(rule, GIVES_TEXT);
}

static bool compares_word(const wf_compiler *c, const wf_expr *rule)
{
    return any_gives(rule, GIVES_NUMBER) && has_word(c, rule);
}

static bool compares_null(const wf_compiler *c, const wf_expr *rule)
{
    (void)c;
    return any_gives(rule, GIVES_NULL);
}

static bool counts_word(const wf_compiler *c, const wf_expr *rule)
{
    if (rule->mode == WF_MODE_SPREAD)
        return false;
    return any_gives(rule, GIVES_CONTAINER) || has_word(c, rule);
}

static bool converts(const wf_compiler *c, const wf_expr *rule)
{
    const wf_value *text;
    bool empty = false;

    (void)c;
    for (uint32_t i = 0; i < rule->count; i++)
        if ((text = constant_of(rule, i, WF_STRING)) != NULL)
            empty = empty || text->length == 0;
    return empty || any_gives(rule, GIVES_NULL | GIVES_BOOLEAN);
}

static bool has_no_number(const wf_compiler *c, const wf_expr *rule)
{
    (void)c;
    return rule->mode == WF_MODE_LISTED &&
           any_gives(rule, GIVES_NULL | GIVES_BOOLEAN | GIVES_TEXT | GIVES_CONTAINER);
}

static bool divides_by_zero(const wf_compiler *c, const wf_expr *rule)
{
    (void)c;
    for (uint32_t i = 1; i < rule->count; i++) {
        const wf_value *number = constant_of(rule, i, WF_NUMBER);

        if (number && number->as.number == 0)
            return true;
    }
    return false;
}

static bool goes_through_scalar(const wf_compiler *c, const wf_expr *rule)
{
    (void)c;
    return operand_gives(rule, 0, GIVES_BOOLEAN | GIVES_NUMBER | GIVES_TEXT | GIVES_OBJECT);
}

static bool goes_through_null(const wf_compiler *c, const wf_expr *rule)
{
    (void)c;
    return operand_gives(rule, 0, GIVES_NULL) || operand_gives(rule, 1, GIVES_NULL);
}

static bool is_empty_object(const wf_expr *rule, uint32_t index)
{
    const wf_value *object = constant_of(rule, index, WF_OBJECT);

    return object && object->length == 0;
}

static bool asks_empty_object(const wf_compiler *c, const wf_expr *rule)
{
    (void)c;
    for (uint32_t i = 0; i < rule->count; i++)
        if (is_empty_object(rule, i))
            return true;
    return false;
}

/* Only every second operand is a condition, and the last one is none. */
static bool chooses_empty_object(const wf_compiler *c, const wf_expr *rule)
{
    (void)c;
    for (uint32_t i = 0; i + 1 < rule->count; i += 2)
        if (is_empty_object(rule, i))
            return true;
    return false;
}

static bool constant_nests(const wf_value *value)
{
    for (uint32_t i = 0; i < value->length; i++) {
        const wf_value *part = value->type == WF_ARRAY    ? &value->as.items[i]
                               : value->type == WF_OBJECT ? &value->as.members[i].value
                                                          : NULL;

        if (part && (constant_gives(part) & GIVES_CONTAINER))
            return true;
    }
    return false;
}

/* It is a container that has another one in it. */
static bool nests(const wf_expr *expr)
{
    const wf_expr *parts = expr->node == WF_NODE_ARRAY    ? expr->as.list
                           : expr->node == WF_NODE_OBJECT ? expr->as.object.list
                                                          : NULL;

    if (expr->node == WF_NODE_CONSTANT)
        return constant_nests(&expr->as.constant);
    for (uint32_t i = 0; parts && i < expr->count; i++)
        if (gives(&parts[i]) & GIVES_CONTAINER)
            return true;
    return false;
}

static bool merges_nested(const wf_expr *expr)
{
    if (expr->node != WF_NODE_RULE || expr->mode != WF_MODE_LISTED ||
        !is_named(expr, " merge "))
        return false;
    for (uint32_t i = 0; i < expr->count; i++)
        if (operand_gives(expr, i, GIVES_OBJECT) || nests(&expr->as.list[i]))
            return true;
    return false;
}

static bool accumulates_nested(const wf_compiler *c, const wf_expr *rule)
{
    (void)c;
    for (uint32_t i = 1; i < rule->count; i++)
        if (nests(&rule->as.list[i]) || merges_nested(&rule->as.list[i]))
            return true;
    return false;
}

static bool needs_no_number(const wf_compiler *c, const wf_expr *rule)
{
    const wf_value *text = constant_of(rule, 0, WF_STRING);

    return operand_gives(rule, 0, GIVES_CONTAINER) || (text && is_no_number(c, text));
}

static bool cuts_no_text(const wf_compiler *c, const wf_expr *rule)
{
    (void)c;
    return rule->mode == WF_MODE_LISTED &&
           operand_gives(rule, 0, GIVES_NUMBER | GIVES_BOOLEAN | GIVES_NULL | GIVES_CONTAINER);
}

static bool cuts_to_text(const wf_compiler *c, const wf_expr *rule)
{
    const wf_value *text = constant_of(rule, 2, WF_STRING);

    (void)c;
    return text && strchr(text->as.text, '-');
}

static bool measures_nothing(const wf_compiler *c, const wf_expr *rule)
{
    const wf_value *text = constant_of(rule, 0, WF_STRING);

    (void)c;
    return rule->mode == WF_MODE_SPREAD && text && text->length == 0;
}

/* Characters beyond U+FFFF begin with such a byte, and are two units of UTF-16. */
static bool has_surrogates(const wf_compiler *c, const wf_expr *rule)
{
    (void)c;
    for (uint32_t i = 0; i < rule->count; i++) {
        const wf_value *text = constant_of(rule, i, WF_STRING);

        for (uint32_t at = 0; text && at < text->length; at++)
            if ((unsigned char)text->as.text[at] >= 0xf0)
                return true;
    }
    return false;
}

static bool throws_object(const wf_compiler *c, const wf_expr *rule)
{
    return c->trying > 0 && any_gives(rule, GIVES_OBJECT);
}

static bool is_dots(const wf_compiler *c, const wf_expr *rule)
{
    const wf_value *path = constant_of(rule, 0, WF_STRING);

    (void)c;
    return path && path->length > 0 && strspn(path->as.text, ".") == path->length;
}

static bool may_throw(const wf_compiler *c, const wf_expr *rule)
{
    const wf_expr *fallback = rule->count > 1 ? &rule->as.list[1] : NULL;

    (void)c;
    return fallback && fallback->node == WF_NODE_RULE &&
           is_named(fallback, " throw + - * / % ");
}

typedef struct difference {
    const char *words;
    bool (*applies)(const wf_compiler *c, const wf_expr *rule);
    const char *message;
} difference;

static const difference differences[] = {
    {" - / % ", has_three,
     "every operand counts; json-logic-js ignores those after the second"},
    {" == != === !== > >= ", has_three,
     "every operand is compared with the next; json-logic-js ignores those after the second"},
    {" < <= ", has_four,
     "every operand is compared with the next; json-logic-js ignores those after the third"},
    {" == != < <= > >= ", compares_texts,
     "all texts are compared as texts; json-logic-engine converts the third to a number"},
    {" === !== ", has_container,
     "lists and objects are equal if their content is; in json-logic-js and json-logic-engine "
     "two of them never are"},
    {" in ", seeks_container,
     "a list or object is found by its content; json-logic-js and json-logic-engine never find it"},
    {" == != < <= > >= ", has_container,
     "a list or object is an error here; json-logic-js converts it to text. Use \"===\""},
    {" == != < <= > >= ", compares_word,
     "a text that is no number is an error beside a number; in json-logic-js the comparison is "
     "false, and \"!=\" true"},
    {" == != ", compares_null,
     "null equals 0 and false; in json-logic-js it equals null only. Use \"===\""},
    {" + - * / % ", counts_word,
     "an operand that is no number is an error; json-logic-js reads the beginning of a text, or "
     "gives null"},
    {" + * ", converts,
     "null, false and \"\" are 0, and true is 1; json-logic-js takes them for no number"},
    {" min max ", has_no_number,
     "an operand that is no number is an error; json-logic-js converts it"},
    {" / % ", divides_by_zero,
     "a division by zero is an error; in json-logic-js it gives null"},
    {" * ", has_one, "one operand is converted to a number; json-logic-js returns it as it is"},
    {" / ", has_one, "one is divided by the operand; json-logic-js gives null"},
    {" + - * / % min max merge cat in substr ", spreads,
     "if this gives a list, its elements are the operands; json-logic-js takes the list as one "
     "operand"},
    {" var ", spreads_list,
     "the list is the path and its default; json-logic-js takes it as the path"},
    {" var ", is_dots,
     "a path of dots has as many empty keys; in json-logic-js it has one more"},
    {" var ", may_throw,
     "the default is evaluated only if it is needed; elsewhere it always is, and may fail"},
    {" ! ", negates_list,
     "the truth of the list is meant; json-logic-engine takes that of its first element"},
    {" ! !! and or ", asks_empty_object, "{} is false; in json-logic-js it is true"},
    {" if ?: ", chooses_empty_object, "{} is false; in json-logic-js it is true"},
    {" map filter reduce all some none ", goes_through_scalar,
     "what is no list is an error, except null; elsewhere it has no elements, or those of the text"},
    {" map filter all some none ", goes_through_null,
     "null has no elements, and a body may be null; the community's suites make both an error"},
    {" and or ", has_none,
     "without operands it is null; in the community's suites it is false"},
    {" reduce ", has_two,
     "without a third operand it starts with the first element; json-logic-js starts with null"},
    {" reduce ", accumulates_nested,
     "what is accumulated may hold lists and objects; in json-logic-engine that is an error "
     "unless maxDepth allows it"},
    {" in ", seeks_in_scalar,
     "a haystack that is no list and no text is an error; in json-logic-js nothing is in it"},
    {" missing missing_some ", always,
     "null and \"\" are missing; in json-logic-engine only what is not there is"},
    {" missing_some ", needs_no_number,
     "the first operand must be a number, or it is an error; elsewhere it is never reached"},
    {" substr ", cuts_no_text, "what is no text is an error; json-logic-js converts it"},
    {" substr ", cuts_to_text,
     "the length is converted to a number; json-logic-js and json-logic-engine join it to one as "
     "text"},
    {" length ", measures_nothing,
     "the length of \"\" is 0; in json-logic-engine it is an error"},
    {" < <= > >= substr slice length ", has_surrogates,
     "texts are counted and compared by code points; elsewhere by UTF-16 units"},
    {" throw ", throws_object,
     "\"try\" shows all of the object; in json-logic-engine it shows the type only"},
    {" log ", always, "it only returns its operand; json-logic-engine does not have it"},
};

static void tell(const wf_compiler *c, const wf_place *place, const char *message)
{
    if (c->to->differs)
        c->to->differs(c->to->user, place, message);
}

void wf_differs_rule(const wf_compiler *c, const wf_expr *rule, const wf_place *place)
{
    for (size_t i = 0; c->to->differs && i < sizeof differences / sizeof *differences; i++)
        if (is_named(rule, differences[i].words) && differences[i].applies(c, rule))
            tell(c, place, differences[i].message);
}

void wf_differs_visit(const wf_compiler *c, uint32_t climb, const wf_place *place)
{
    const wf_nest *nest = c->nest;

    while (nest && climb--)
        nest = nest->outer;
    if (nest && strcmp(nest->op->name, "map") != 0 && strcmp(nest->op->name, "filter") != 0)
        tell(
            c, place,
            "the index and the list are there in every body; in json-logic-engine only in those "
            "of \"map\" and \"filter\"");
}

/* In actions such templates are ordinary: what they write is wfsm's alone. */
void wf_differs_template(const wf_compiler *c, const wf_expr *object, const wf_place *place)
{
    if (c->guard && c->rules > 0 && object->node == WF_NODE_OBJECT)
        tell(
            c, place,
            "the object is a template; json-logic-engine refuses it in a rule, and json-logic-js "
            "leaves it unevaluated");
}
