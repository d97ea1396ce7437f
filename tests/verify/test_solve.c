/*
 * The solver: the cases of tests/cases/solve, and random conjunctions. No values may satisfy what it
 * calls unsatisfiable, and its models are checked again here.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unity.h>
#include "failing_allocator.h"
#include "base/buffer.h"
#include "logic/expr_tree.h"
#include "logic/json.h"
#include "logic/schema.h"
#include "verify/solve.h"
#include "read_file.h"

enum { MOST_LITERALS = 8, SYMBOLS = 3, SAMPLES = 80 };

static failing memory;
static wf_arena arena;
static wf_terms terms;
static wfsm_error *error;

void setUp(void)
{
    failing_init(&memory, -1);
    error = wfsm_error_new(NULL);
    wf_arena_init(&arena, &memory.allocator, 0);
    TEST_ASSERT_TRUE(wf_terms_init(&terms, &memory.allocator));
}

void tearDown(void)
{
    wf_terms_fini(&terms);
    wf_arena_fini(&arena);
    wfsm_error_free(error);
    TEST_ASSERT_EQUAL(0, memory.alive);
}

/* ---- terms from rules ---- */

static wf_term symbols[SYMBOLS];
static const char names[] = "xyz";

static wf_term term_of_path(const wf_value *path)
{
    const char *at = path->as.text;
    const char *name = strchr(names, *at);
    TEST_ASSERT_NOT_NULL_MESSAGE(name, path->as.text);
    wf_term term = symbols[name - names];
    while (at[1] == '.') {
        size_t length = strcspn(at + 2, ".");
        term = wf_term_member(&terms, term, at + 2, length);
        at += 1 + length;
    }
    return term;
}

static wf_term term_of(const wf_value *rule);

/* The body is compiled as a part of the rule. */
static wf_term over(const wf_value *rule, const wf_operator *op, const wf_value *given)
{
    const wf_resolver resolver = {.arena = &terms.arena};
    const wf_expr *expr;
    wf_term operands[2] = {term_of(&given->as.items[0])};
    TEST_ASSERT_EQUAL_MESSAGE(WFSM_OK,
                              wf_expr_compile(&expr, rule, true, &resolver, NULL, error),
                              wfsm_error_message(error));
    if (given->length > 2)
        operands[1] = term_of(&given->as.items[2]);
    return wf_term_over(&terms, op, &expr->as.list[1], operands, given->length - 1);
}

static wf_term term_of(const wf_value *rule)
{
    const wf_operator *op = wf_rule_operator(rule);
    if (!op)
        return wf_term_known(&terms, rule);
    if (op->shape == WF_SHAPE_BODY || op->shape == WF_SHAPE_REDUCE)
        return over(rule, op, &rule->as.members[0].value);
    const wf_value *given = &rule->as.members[0].value;
    uint32_t count = given->type == WF_ARRAY ? given->length : 1;
    const wf_value *list = given->type == WF_ARRAY ? given->as.items : given;
    wf_term operands[8];
    if (strcmp(op->name, "var") == 0)
        return term_of_path(given);
    for (uint32_t i = 0; i < count; i++)
        operands[i] = term_of(&list[i]);
    return wf_term_apply(&terms, op, operands, count);
}

static wf_term symbol_of(const wf_value *schema, uint32_t number)
{
    const wf_place root = {0};
    const wf_schema *compiled;
    TEST_ASSERT_EQUAL_MESSAGE(WFSM_OK,
                              wf_schema_compile(&compiled, schema, &arena, &root, error),
                              wfsm_error_message(error));
    return wf_term_symbol(&terms, &compiled, 1, number);
}

/* ---- values of terms ---- */

/* By plain recursion. */
static int32_t value_of(wf_term term, const wf_model *model, wf_value *value)
{
    const wf_term_node node = *wf_term_at(&terms, term);
    wf_value operands[8];
    if (node.kind == WF_TERM_SYMBOL) {
        for (uint32_t i = 0; i < model->count; i++)
            if (model->symbols[i] == term)
                *value = model->values[i];
        return WFSM_OK;
    }
    for (uint32_t i = 0; i < node.count; i++) {
        int32_t status = value_of(node.operands[i], model, &operands[i]);
        if (status != WFSM_OK)
            return status;
    }
    return wf_term_compute(&terms, term, operands, &arena, value);
}

static bool satisfies(const wf_model *model, const wf_literal *literals, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        wf_value value = wf_null();
        int32_t status = value_of(literals[i].term, model, &value);
        if (!wf_literal_holds(&literals[i], status, &value))
            return false;
    }
    return true;
}

static bool is_allowed(const wf_model *model)
{
    for (uint32_t i = 0; i < model->count; i++) {
        const wf_term_node *node = wf_term_at(&terms, model->symbols[i]);
        if (wf_schema_check(node->schemas[0], &model->values[i], NULL) != WFSM_OK)
            return false;
    }
    return true;
}

/* ---- cases ---- */

static uint32_t add_literals(wf_literal *list, uint32_t count, const wf_value *rules,
                             uint8_t kind)
{
    for (uint32_t i = 0; rules && i < rules->length; i++) {
        TEST_ASSERT_LESS_THAN(MOST_LITERALS, count);
        list[count++] = (wf_literal){.kind = kind, .term = term_of(&rules->as.items[i])};
    }
    return count;
}

static void check_case(const wf_value *one)
{
    static const char *const words[] = {"unsat", "sat", "unknown"};
    const wf_value *of = wf_value_get_z(one, "symbols");
    const char *what = wf_value_get_z(one, "what")->as.text;
    wf_literal literals[MOST_LITERALS];
    wf_model model;
    for (uint32_t i = 0; i < of->length; i++)
        symbols[strchr(names, of->as.members[i].key[0]) - names] =
            symbol_of(&of->as.members[i].value, i);
    uint32_t count = add_literals(literals, 0, wf_value_get_z(one, "true"), WF_IS_TRUE);
    count = add_literals(literals, count, wf_value_get_z(one, "false"), WF_IS_FALSE);
    count = add_literals(literals, count, wf_value_get_z(one, "fails"), WF_FAILS);
    enum wf_solved solved = wf_solve(&terms, literals, count, 2, &arena, &model);
    const char *is = wf_value_get_z(one, "is")->as.text;
    if (strcmp(is, "possible") == 0) /* there are values, which the solver need not find */
        TEST_ASSERT_NOT_EQUAL_MESSAGE(WF_UNSAT, solved, what);
    else
        TEST_ASSERT_EQUAL_STRING_MESSAGE(is, words[solved], what);
    if (solved == WF_SAT) {
        TEST_ASSERT_TRUE_MESSAGE(is_allowed(&model), what);
        TEST_ASSERT_TRUE_MESSAGE(satisfies(&model, literals, count), what);
    }
}

static void test_cases(void)
{
    wf_buffer text;
    wf_value all;
    wf_buffer_init(&text, &memory.allocator);
    read_file(CASES, &text);
    TEST_ASSERT_EQUAL_MESSAGE(WFSM_OK,
                              wf_json_parse(&arena, text.data, text.length, &all, error),
                              wfsm_error_message(error));
    TEST_ASSERT_GREATER_THAN(20, all.length);
    for (uint32_t i = 0; i < all.length; i++)
        check_case(&all.as.items[i]);
    wf_buffer_fini(&text);
}

/* ---- random conjunctions ---- */

static uint32_t state;

static uint32_t below(uint32_t most)
{
    state = state * 1664525u + 1013904223u;
    return (state >> 8) % most;
}

#define HAS_NUMBER                                                                             \
    "{\"type\": \"object\", \"required\": [\"a\"], \"properties\": {\"a\": {\"type\": "        \
    "\"integer\"}}}"

static const char *const schemas[] = {
    "{}",
    "{\"type\": \"number\"}",
    "{\"type\": \"integer\", \"minimum\": 0, \"maximum\": 6}",
    "{\"type\": \"number\", \"minimum\": -1, \"maximum\": 1}",
    "{\"type\": \"string\"}",
    "{\"enum\": [\"a\", \"b\", 1, null]}",
    "{\"type\": [\"boolean\", \"null\"]}",
    HAS_NUMBER,
    "{\"type\": \"array\", \"items\": {\"type\": \"number\"}, \"maxItems\": 3}",
    "{\"type\": \"string\", \"maxLength\": 3}",
    "{\"anyOf\": [{\"type\": \"integer\", \"minimum\": 3}, {\"type\": \"string\"}]}",
};
static const char *const constants[] = {"0",     "1",     "2",          "-1",   "0.5",   "3",
                                        "\"a\"", "\"b\"", "\"10\"",     "\"\"", "null",  "true",
                                        "false", "[]",    "[1, \"a\"]", "{}",   "1e300", "0.1"};

#define ANY(list) ((list)[below(sizeof(list) / sizeof *(list))])

static wf_value parsed(const char *text)
{
    wf_value value = wf_null();
    TEST_ASSERT_EQUAL_MESSAGE(WFSM_OK, wf_json_parse(&arena, text, strlen(text), &value, error),
                              text);
    return value;
}

static wf_term random_term(uint32_t depth)
{
    static const char *const operators[] = {"+",   "-",  "*",  "/",  "%",   "min",    "max",
                                            "<",   "<=", ">",  ">=", "==",  "!=",     "===",
                                            "!==", "!",  "!!", "in", "cat", "substr", "length"};
    wf_term operands[2];
    wf_value value;
    switch (depth == 0 ? below(4) : 2 + below(5)) {
    case 0:
    case 1:
        return symbols[below(SYMBOLS)];
    case 2:
        return wf_term_member(&terms, symbols[below(SYMBOLS)], below(2) ? "a" : "1", 1);
    case 3:
        value = parsed(ANY(constants));
        return wf_term_known(&terms, &value);
    default:
        break;
    }
    const char *name = ANY(operators);
    const wf_operator *op = wf_operator_find(name, strlen(name));
    operands[0] = random_term(depth - 1);
    operands[1] = random_term(depth - 1);
    return wf_term_apply(&terms, op, operands, op->most == 1 ? 1 : 2);
}

static wf_value random_value(void)
{
    static const char *const more[] = {
        "4",      "5",   "6",      "7.25",       "-0.25",       "\"c\"",          "\"ab\"",
        "\"1\"",  "[1]", "[0, 2]", "{\"a\": 1}", "{\"a\": -3}", "{\"a\": \"a\"}", "[[1], 2, 3]",
        "\"0.5\""};
    if (below(4) == 0)
        return wf_number(ldexp((double)below(1000), (int)below(40) - 20));
    return parsed(below(2) ? ANY(more) : ANY(constants));
}

static uint32_t random_literals(wf_literal *list)
{
    uint32_t count = 1 + below(4);
    for (uint32_t i = 0; i < SYMBOLS; i++) {
        wf_value schema = parsed(ANY(schemas));
        symbols[i] = symbol_of(&schema, i);
    }
    for (uint32_t i = 0; i < count; i++) {
        uint8_t kind = (uint8_t)(below(8) ? below(2) : WF_FAILS + below(2));
        list[i] = (wf_literal){.kind = kind, .term = random_term(1 + below(2))};
    }
    return count;
}

static void check_samples(const wf_literal *literals, uint32_t count, uint32_t seed)
{
    char message[64];
    wf_value values[SYMBOLS];
    wf_model sample = {.symbols = symbols, .values = values, .count = SYMBOLS};
    snprintf(message, sizeof message, "seed %u", (unsigned)seed);
    for (uint32_t i = 0; i < SAMPLES; i++) {
        for (uint32_t k = 0; k < SYMBOLS; k++)
            values[k] = random_value();
        if (is_allowed(&sample))
            TEST_ASSERT_FALSE_MESSAGE(satisfies(&sample, literals, count), message);
    }
}

/* WFSM_SOLVE_CASES sets how many. */
static uint32_t how_many(void)
{
    const char *text = getenv("WFSM_SOLVE_CASES");
    return text ? (uint32_t)strtoul(text, NULL, 10) : 2000;
}

/* WF_REFUTE finds the same contradictions as effort 0, and its models are right. */
static void check_refutation(const wf_literal *literals, uint32_t count, uint32_t seed)
{
    char message[32];
    wf_model model;
    snprintf(message, sizeof message, "seed %u", (unsigned)seed);
    bool proof = wf_solve(&terms, literals, count, 0, &arena, NULL) == WF_UNSAT;
    enum wf_solved quick = wf_solve(&terms, literals, count, WF_REFUTE, &arena, &model);
    TEST_ASSERT_EQUAL_MESSAGE(proof, quick == WF_UNSAT, message);
    if (quick == WF_SAT)
        TEST_ASSERT_TRUE_MESSAGE(satisfies(&model, literals, count), message);
}

static void test_random_conjunctions(void)
{
    const uint32_t cases = how_many();
    uint32_t found[3] = {0};
    for (uint32_t seed = 1; seed <= cases; seed++) {
        wf_literal literals[MOST_LITERALS];
        wf_model model;
        state = seed * 2654435761u;
        uint32_t count = random_literals(literals);
        enum wf_solved solved = wf_solve(&terms, literals, count, 1, &arena, &model);
        found[solved]++;
        if (solved == WF_SAT) {
            TEST_ASSERT_TRUE(is_allowed(&model));
            TEST_ASSERT_TRUE(satisfies(&model, literals, count));
        } else if (solved == WF_UNSAT) {
            check_samples(literals, count, seed);
        }
        check_refutation(literals, count, seed);
        wf_arena_reset(&arena);
        wf_terms_fini(&terms);
        TEST_ASSERT_TRUE(wf_terms_init(&terms, &memory.allocator));
    }
    printf("unsatisfiable %u, satisfiable %u, unknown %u\n", (unsigned)found[0],
           (unsigned)found[1], (unsigned)found[2]);
    TEST_ASSERT_GREATER_THAN(cases / 20, found[WF_UNSAT]);
    TEST_ASSERT_LESS_THAN(cases / 20, found[WF_UNKNOWN]);
}

/* ---- random literals about the elements of one list ---- */

static const char *const elements[] = {"0", "1", "2", "\"a\"", "null", "{\"k\": 1}"};

static void write_body(wf_buffer *text, uint32_t depth)
{
    static const char *const parts[] = {
        "{\"<\": [{\"var\": \"\"}, 1]}",       "{\">=\": [{\"var\": \"\"}, 1]}",
        "{\"===\": [{\"var\": \"\"}, \"a\"]}", "{\"!==\": [{\"var\": \"k\"}, 1]}",
        "{\"+\": [{\"var\": \"\"}, 0]}",       "{\"var\": \"\"}"};
    static const char *const chains[] = {"and", "or", "!"};
    if (depth == 0 || below(3) == 0) {
        wf_buffer_text(text, ANY(parts));
        return;
    }
    const char *op = ANY(chains);
    wf_buffer_text(text, "{\"");
    wf_buffer_text(text, op);
    wf_buffer_text(text, "\": [");
    write_body(text, depth - 1);
    if (*op != '!') {
        wf_buffer_text(text, ", ");
        write_body(text, depth - 1);
    }
    wf_buffer_text(text, "]}");
}

static void write_list(wf_buffer *text)
{
    if (below(3) > 0) {
        wf_buffer_text(text, "{\"var\": \"x\"}");
        return;
    }
    wf_buffer_text(text, below(2) ? "{\"filter\": [{\"var\": \"x\"}, "
                                  : "{\"map\": [{\"var\": \"x\"}, ");
    write_body(text, 0);
    wf_buffer_text(text, "]}");
}

static wf_literal literal_about_elements(void)
{
    static const char *const operators[] = {"{\"all\": [", "{\"some\": [", "{\"some\": [",
                                            "{\"filter\": ["};
    const uint8_t kinds[] = {WF_IS_TRUE, WF_IS_TRUE, WF_IS_FALSE, WF_FAILS};
    wf_buffer text;
    wf_buffer_init(&text, &memory.allocator);
    wf_buffer_text(&text, ANY(operators));
    write_list(&text);
    wf_buffer_text(&text, ", ");
    write_body(&text, 2);
    wf_buffer_text(&text, "]}");
    wf_buffer_byte(&text, '\0');
    const wf_value rule = parsed(text.data);
    wf_buffer_fini(&text);
    return (wf_literal){.kind = ANY(kinds), .term = term_of(&rule)};
}

/* Every list of up to three of the elements. */
static void check_lists(const wf_literal *literals, uint32_t count, uint32_t seed)
{
    const uint32_t most = sizeof elements / sizeof *elements;
    char message[64];
    wf_value items[3], list;
    wf_model sample = {.symbols = symbols, .values = &list, .count = 1};
    snprintf(message, sizeof message, "seed %u", (unsigned)seed);
    for (uint32_t i = 0; i < most * most * most; i++) {
        uint32_t rest = i;
        for (uint32_t k = 0; k < 3; k++, rest /= most)
            items[k] = parsed(elements[rest % most]);
        for (uint32_t length = 0; length <= 3; length++) {
            list = wf_array(items, length);
            TEST_ASSERT_FALSE_MESSAGE(satisfies(&sample, literals, count), message);
        }
    }
}

static void test_random_literals_about_elements(void)
{
    const uint32_t cases = how_many() / 10;
    const wf_value list = parsed("{\"type\": \"array\"}");
    uint32_t contradictions = 0;
    for (uint32_t seed = 1; seed <= cases; seed++) {
        wf_literal literals[MOST_LITERALS];
        state = seed * 2654435761u;
        uint32_t count = 1 + below(3);
        symbols[0] = symbol_of(&list, 0);
        for (uint32_t i = 0; i < count; i++)
            literals[i] = literal_about_elements();
        if (wf_solve(&terms, literals, count, 1, &arena, NULL) == WF_UNSAT) {
            contradictions++;
            check_lists(literals, count, seed);
        }
        check_refutation(literals, count, seed);
        wf_terms_fini(&terms);
        TEST_ASSERT_TRUE(wf_terms_init(&terms, &memory.allocator));
    }
    printf("%u of %u are contradictions\n", (unsigned)contradictions, (unsigned)cases);
    TEST_ASSERT_GREATER_THAN(cases / 20, contradictions);
}

/* ---- comparisons of sums that some values make true ---- */

static const struct {
    const char *schema;
    double least, most;
    bool whole;
} ranges[] = {
    {"{\"type\": \"integer\", \"minimum\": 0, \"maximum\": 1000000}", 0, 1000000, true},
    {"{\"type\": \"number\", \"minimum\": 0, \"maximum\": 1}", 0, 1, false},
    {"{\"type\": \"number\", \"minimum\": -50, \"maximum\": 1000}", -50, 1000, false},
    {"{\"type\": \"integer\", \"minimum\": -3, \"maximum\": 9007199254740992}", -3,
     9007199254740992.0, true},
};

static wf_value number_in(uint32_t kind)
{
    double least = ranges[kind].least, most = ranges[kind].most;
    double part = (below(1u << 20) + below(1u << 20) / 1048576.0) / 1048576.0;
    double number = below(6) == 0   ? least
                    : below(6) == 0 ? most
                                    : fmin(most, least + part * (most - least));
    return wf_number(ranges[kind].whole ? floor(number) : number);
}

static wf_term random_sum(uint32_t depth)
{
    static const char *const operators[] = {"+", "-", "+", "-", "*", "/"};
    static const double numbers[] = {1, 2, 0.1, 100, -1, 0.01, 3};
    const char *name = ANY(operators);
    wf_value number = wf_number(ANY(numbers));
    if (depth == 0 || below(5) == 0)
        return below(3) ? symbols[below(SYMBOLS)] : wf_term_known(&terms, &number);
    wf_term operands[3] = {random_sum(depth - 1), random_sum(depth - 1), random_sum(depth - 1)};
    return wf_term_apply(&terms, wf_operator_find(name, 1), operands,
                         name[0] == '/' ? 2 : 2 + below(2));
}

/* Of two sums, or of a sum with the value that it has. False if it has none. */
static bool true_comparison(const wf_model *model, wf_literal *made)
{
    static const char *const operators[] = {"<", "<=", "===", ">"};
    const char *name = ANY(operators);
    wf_term sides[2] = {random_sum(1 + below(3)), random_sum(1 + below(3))};
    wf_value value = wf_null();
    if (below(2) && value_of(sides[0], model, &value) == WFSM_OK)
        sides[1] = wf_term_known(&terms, &value);
    *made = (wf_literal){
        .kind = WF_IS_TRUE,
        .term = wf_term_apply(&terms, wf_operator_find(name, strlen(name)), sides, 2)};
    if (value_of(made->term, model, &value) != WFSM_OK)
        return false;
    if (!value.as.boolean)
        made->kind = WF_IS_FALSE;
    return true;
}

static void test_what_is_true_of_sums_is_no_contradiction(void)
{
    const uint32_t cases = how_many();
    for (uint32_t seed = 1; seed <= cases; seed++) {
        wf_literal literals[MOST_LITERALS];
        wf_value values[SYMBOLS];
        wf_model found, model = {.symbols = symbols, .values = values, .count = SYMBOLS};
        char message[64];
        uint32_t count = 0;
        state = seed * 2654435761u;
        snprintf(message, sizeof message, "seed %u", (unsigned)seed);
        for (uint32_t i = 0; i < SYMBOLS; i++) {
            uint32_t kind = below(sizeof ranges / sizeof *ranges);
            const wf_value schema = parsed(ranges[kind].schema);
            symbols[i] = symbol_of(&schema, i);
            values[i] = number_in(kind);
        }
        for (uint32_t i = 0; i < 4; i++)
            count += true_comparison(&model, &literals[count]);
        TEST_ASSERT_TRUE_MESSAGE(is_allowed(&model), message);
        TEST_ASSERT_TRUE_MESSAGE(satisfies(&model, literals, count), message);
        TEST_ASSERT_NOT_EQUAL_MESSAGE(
            WF_UNSAT, wf_solve(&terms, literals, count, 0, &arena, &found), message);
        wf_arena_reset(&arena);
        wf_terms_fini(&terms);
        TEST_ASSERT_TRUE(wf_terms_init(&terms, &memory.allocator));
    }
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_cases);
    RUN_TEST(test_random_conjunctions);
    RUN_TEST(test_random_literals_about_elements);
    RUN_TEST(test_what_is_true_of_sums_is_no_contradiction);
    return UNITY_END();
}
