/* What a compiled expression promises beyond its results. */
#include "logic_support.h"
#include "logic/expr.h"

static wf_names keys;
static wf_resolver resolver;
static wf_value slots[16];
static wf_scope scope;
static uint32_t read_slots[16];
static int reads, whole_reads;

static void note_read(void *user, uint32_t slot, bool whole)
{
    (void)user;
    if (whole)
        whole_reads++;
    else
        read_slots[reads++] = slot;
}

static uint32_t two_states(void *user, const char *path, size_t length)
{
    (void)user;
    if (length == 1 && path[0] == 'a')
        return 3;
    return length == 1 && path[0] == 'b' ? 70 : WF_NONE;
}

void setUp(void)
{
    support_begin();
    wf_names_init(&keys, &memory.allocator);
    memset(slots, 0, sizeof slots);
    reads = whole_reads = 0;
    resolver =
        (wf_resolver){.arena = &arena, .keys = &keys, .state = two_states, .reads = note_read};
    scope = (wf_scope){.arena = &arena,
                       .slots = slots,
                       .keys = &keys,
                       .slot_count = 16,
                       .steps = WF_EVAL_STEPS};
}

void tearDown(void)
{
    wf_names_fini(&keys);
    support_end();
}

static const wf_expr *compile(const char *rule)
{
    wf_value source = parse(rule);
    const wf_expr *expr = NULL;

    if (wf_expr_compile(&expr, &source, false, &resolver, NULL, error))
        TEST_FAIL_MESSAGE(wfsm_error_message(error));
    return expr;
}

static void what_is_an_operator(void)
{
    static const char *const names[] = {
        "var", "missing", "missing_some", "if",       "?:",      "==",    "===",    "!=",
        "!==", "!",       "!!",           "or",       "and",     ">",     ">=",     "<",
        "<=",  "max",     "min",          "+",        "-",       "*",     "/",      "%",
        "map", "reduce",  "filter",       "all",      "none",    "some",  "merge",  "in",
        "cat", "substr",  "log",          "in_state", "literal", "throw", "length", "slice",
        "get", "with",    "val",          "exists",   "??",      "try"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char text[40];
        wf_value rule;

        snprintf(text, sizeof text, "{\"%s\":1}", names[i]);
        rule = parse(text);
        TEST_ASSERT_TRUE_MESSAGE(wf_is_rule(&rule), names[i]);
        snprintf(text, sizeof text, "{\"%sx\":1}", names[i]);
        rule = parse(text);
        TEST_ASSERT_FALSE_MESSAGE(wf_is_rule(&rule), names[i]);
    }
}

static void check_constant(const char *rule, const char *expected)
{
    wf_value value;

    TEST_ASSERT_TRUE_MESSAGE(wf_expr_constant(compile(rule), &value), rule);
    TEST_ASSERT_EQUAL_STRING(expected, json(&value));
}

static void check_variable(const char *rule)
{
    wf_value value;

    TEST_ASSERT_FALSE_MESSAGE(wf_expr_constant(compile(rule), &value), rule);
}

static void what_depends_on_nothing_is_folded(void)
{
    check_constant("{\"a\":[1,{\"b\":\"c\"}]}", "{\"a\":[1,{\"b\":\"c\"}]}");
    check_constant("{\"+\":[1,{\"*\":[2,3]}]}", "7");
    check_constant("{\"map\":[[1,2],{\"+\":[{\"var\":\"\"},1]}]}", "[2,3]");
    check_constant("{\"reduce\":[[1,2],{\"var\":\"accumulator\"},5]}", "5");
    check_constant("{\"x\":{\"cat\":[\"a\",\"b\"]},\"y\":1}", "{\"x\":\"ab\",\"y\":1}");
    check_constant("{\"literal\":{\"var\":\"context\"}}", "{\"var\":\"context\"}");
    check_variable("{\"var\":\"context.a\"}");
    check_variable("{\"var\":\"instance\"}");
    check_variable("{\"map\":[[1],{\"in_state\":\"a\"}]}");
    check_variable("{\"map\":[[1],{\"throw\":1}]}");
    check_variable("{\"try\":[{\"throw\":1},2]}");
    check_constant("{\"try\":[{\"with\":[1,2,3]},2]}", "2");
    check_variable("{\"missing\":[\"context.a\"]}");
    check_variable("[1,{\"var\":\"event\"}]");
}

static void constants_outlive_their_source(void)
{
    wf_arena parsed;
    wf_value source, value;
    const wf_expr *expr;
    static const char text[] = "{\"get\":[{\"var\":[\"context.k\",\"dflt\"]},{\"a\":[\"x\"]}]}";

    wf_arena_init(&parsed, &memory.allocator, 0);
    TEST_ASSERT_EQUAL(WFSM_OK, wf_json_parse(&parsed, text, sizeof text - 1, &source, NULL));
    TEST_ASSERT_EQUAL(WFSM_OK, wf_expr_compile(&expr, &source, true, &resolver, NULL, error));
    wf_arena_fini(&parsed);
    TEST_ASSERT_EQUAL(WFSM_OK, wf_expr_eval(expr, &scope, &value));
    TEST_ASSERT_EQUAL_STRING("null", json(&value));
}

static void reading_a_key_makes_its_slot(void)
{
    compile("[{\"var\":\"context.a\"},{\"var\":\"context.b.c\"},{\"missing\":\"context."
            "d\"}]");
    TEST_ASSERT_EQUAL(3, keys.count);
    TEST_ASSERT_EQUAL_UINT32(0, wf_names_find(&keys, "a", 1));
    TEST_ASSERT_EQUAL_UINT32(1, wf_names_find(&keys, "b", 1));
    TEST_ASSERT_EQUAL_UINT32(2, wf_names_find(&keys, "d", 1));
    TEST_ASSERT_EQUAL(3, reads);
    TEST_ASSERT_EQUAL_UINT32(1, read_slots[1]);
    TEST_ASSERT_EQUAL(0, whole_reads);
}

static void reading_everything_is_told(void)
{
    static const char *const rules[] = {"{\"var\":\"\"}",
                                        "{\"var\":[]}",
                                        "{\"var\":\"context\"}",
                                        "{\"var\":{\"var\":\"event.data\"}}",
                                        "{\"missing\":{\"var\":\"event.data\"}}",
                                        "{\"missing_some\":[1,{\"var\":\"event.data\"}]}"};

    for (int i = 0; i < 6; i++) {
        compile(rules[i]);
        TEST_ASSERT_EQUAL_MESSAGE(i + 1, whole_reads, rules[i]);
    }
    compile("{\"map\":[{\"var\":\"event.data\"},{\"var\":\"\"}]}");
    compile("{\"map\":[{\"var\":\"event.data\"},{\"var\":{\"var\":\"x\"}}]}");
    TEST_ASSERT_EQUAL(6, whole_reads);
    TEST_ASSERT_EQUAL(0, reads);
}

static void slots_beyond_the_count_are_absent(void)
{
    const wf_expr *expr = compile("[{\"var\":\"context.a\"},{\"var\":[\"context.b.c\",2]}]");
    wf_value value;

    slots[0] = wf_number(1);
    scope.slot_count = 0;
    TEST_ASSERT_EQUAL(WFSM_OK, wf_expr_eval(expr, &scope, &value));
    TEST_ASSERT_EQUAL_STRING("[null,2]", json(&value));
}

static void states_are_bits(void)
{
    const wf_expr *a = compile("{\"in_state\":\"a\"}"), *b = compile("{\"in_state\":\"b\"}");
    uint64_t active[2] = {1u << 3, 0};
    bool in;

    TEST_ASSERT_EQUAL(WFSM_OK, wf_expr_test(a, &scope, &in));
    TEST_ASSERT_FALSE(in);
    scope.active = active;
    TEST_ASSERT_EQUAL(WFSM_OK, wf_expr_test(a, &scope, &in));
    TEST_ASSERT_TRUE(in);
    TEST_ASSERT_EQUAL(WFSM_OK, wf_expr_test(b, &scope, &in));
    TEST_ASSERT_FALSE(in);
    active[1] = 1u << 6;
    TEST_ASSERT_EQUAL(WFSM_OK, wf_expr_test(b, &scope, &in));
    TEST_ASSERT_TRUE(in);
}

static void guards_over_data_allocate_nothing(void)
{
    static const char rules[][200] = {
        "{\"<\":[{\"var\":\"context.n\"},3]}",
        "{\"and\":[{\"<=\":[1,{\"var\":\"context.n\"},3]},"
        "{\"==\":[{\"var\":\"event.data.k\"},\"go\"]},{\"in_state\":\"a\"}]}",
        "{\"if\":[{\"!\":{\"var\":\"context.f\"}},"
        "{\">\":[{\"+\":[{\"var\":\"context.n\"},1]},3]},"
        "{\"in\":[{\"var\":\"event.type\"},[\"E\",\"F\"]]}]}",
        "{\"some\":[{\"var\":\"context.l\"},"
        "{\"===\":[{\"var\":\"x.0\"},{\"literal\":2}]}]}",
    };
    wf_value event = parse("{\"type\":\"E\",\"data\":{\"k\":\"go\"}}");
    uint64_t active = 1u << 3;
    const wf_expr *compiled[4];
    size_t total;
    bool result;

    for (int i = 0; i < 4; i++)
        compiled[i] = compile(rules[i]);
    slots[wf_names_find(&keys, "n", 1)] = wf_number(2);
    slots[wf_names_find(&keys, "f", 1)] = wf_boolean(true);
    slots[wf_names_find(&keys, "l", 1)] = parse("[{\"x\":[1]},{\"x\":[2]}]");
    scope.event = &event;
    scope.active = &active;
    total = arena.total;
    for (int i = 0; i < 4; i++) {
        TEST_ASSERT_EQUAL(WFSM_OK, wf_expr_test(compiled[i], &scope, &result));
        TEST_ASSERT_TRUE_MESSAGE(result, rules[i]);
    }
    TEST_ASSERT_EQUAL(total, arena.total);
}

/* Hostile rules: each must end soon, as a limit of steps, of depth or of weight. */
static const char hostile[][400] = {
    "{\"reduce\":[{\"var\":\"context.l\"},{\"merge\":[{\"var\":\"accumulator\"},"
    "{\"var\":\"accumulator\"}]},[1,2]]}",
    "{\"reduce\":[{\"var\":\"context.l\"},{\"cat\":[{\"var\":\"accumulator\"},"
    "{\"var\":\"accumulator\"}]},\"ab\"]}",
    "{\"reduce\":[{\"var\":\"context.l\"},[{\"var\":\"accumulator\"},"
    "{\"var\":\"accumulator\"}],[1]]}",
    "{\"reduce\":[{\"var\":\"context.l\"},[{\"var\":\"accumulator\"}],1]}",
    "{\"reduce\":[{\"var\":\"context.l\"},{\"with\":[{\"var\":\"accumulator\"},0,"
    "{\"var\":\"accumulator\"}]},[1]]}",
    "{\"map\":[{\"var\":\"context.l\"},{\"map\":[{\"literal\":[1,2,3,4,5,6,7,8,9,10]},"
    "{\"map\":[{\"literal\":[1,2,3,4,5,6,7,8,9,10]},{\"map\":[{\"literal\":"
    "[1,2,3,4,5,6,7,8,9,10]},{\"map\":[{\"literal\":[1,2,3,4,5,6,7,8,9,10]},"
    "{\"cat\":[0.1,0.2,0.3]}]}]}]}]}]}",
};

static wf_value ones(uint32_t count)
{
    wf_value *items = wf_arena_take(&arena, count * sizeof *items);

    for (uint32_t i = 0; i < count; i++)
        items[i] = wf_number(1);
    return wf_array(items, count);
}

static void hostile_rules_end_in_a_limit(void)
{
    for (size_t i = 0; i < sizeof hostile / sizeof *hostile; i++) {
        const wf_expr *expr = compile(hostile[i]);
        wf_value value;

        slots[0] = ones(1000);
        scope.steps = WF_EVAL_STEPS;
        scope.failure = NULL;
        TEST_ASSERT_EQUAL_MESSAGE(WFSM_LIMIT, wf_expr_eval(expr, &scope, &value), hostile[i]);
        TEST_ASSERT_NOT_NULL(scope.failure);
    }
}

static void steps_are_what_the_caller_gives(void)
{
    const wf_expr *expr =
        compile("{\"some\":[{\"var\":\"context.l\"},{\"!\":[{\"var\":\"\"}]}]}");
    bool result;

    slots[0] = ones(100);
    scope.steps = 150;
    TEST_ASSERT_EQUAL(WFSM_LIMIT, wf_expr_test(expr, &scope, &result));
    TEST_ASSERT_EQUAL(0, scope.steps);
    TEST_ASSERT_EQUAL(WFSM_LIMIT, wf_expr_test(expr, &scope, &result));
    scope.steps = 1000;
    TEST_ASSERT_EQUAL(WFSM_OK, wf_expr_test(expr, &scope, &result));
    TEST_ASSERT_FALSE(result);
    TEST_ASSERT_LESS_THAN(800, scope.steps);
}

static void the_arena_bounds_the_output(void)
{
    const wf_expr *expr = compile("{\"map\":[{\"var\":\"context.l\"},{\"cat\":[\"abcdefgh\","
                                  "{\"var\":\"\"}]}]}");
    wf_arena small;
    wf_value value;

    slots[0] = ones(100);
    wf_arena_init(&small, &memory.allocator, 3000);
    scope.arena = &small;
    TEST_ASSERT_EQUAL(WFSM_LIMIT, wf_expr_eval(expr, &scope, &value));
    TEST_ASSERT_EQUAL_STRING("its values take too much memory", scope.failure);
    wf_arena_fini(&small);
}

static void folding_is_bounded(void)
{
    wf_value value;

    scope.steps = 100;
    check_variable("{\"reduce\":[[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20],"
                   "{\"cat\":[{\"var\":\"accumulator\"},{\"var\":\"accumulator\"}]},"
                   "\"0123456789\"]}");
    TEST_ASSERT_EQUAL(WFSM_OK, wf_expr_eval(compile("[1,{\"+\":[1,1]}]"), &scope, &value));
}

static void the_deepest_rule_can_be_evaluated(void)
{
    static char text[4096];
    size_t length = 0;
    wf_value value;

    slots[wf_names_add(&keys, "n", 1)] = wf_number(3);
    for (int i = 0; i < WF_MAX_DEPTH - 1; i++)
        length += (size_t)sprintf(text + length, "{\"!\":");
    length += (size_t)sprintf(text + length, "{\"var\":\"context.n\"}");
    memset(text + length, '}', WF_MAX_DEPTH - 1);
    TEST_ASSERT_EQUAL(WFSM_OK, wf_expr_eval(compile(text), &scope, &value));
    TEST_ASSERT_EQUAL_STRING("true", json(&value));
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(what_is_an_operator);
    RUN_TEST(what_depends_on_nothing_is_folded);
    RUN_TEST(constants_outlive_their_source);
    RUN_TEST(reading_a_key_makes_its_slot);
    RUN_TEST(reading_everything_is_told);
    RUN_TEST(slots_beyond_the_count_are_absent);
    RUN_TEST(states_are_bits);
    RUN_TEST(guards_over_data_allocate_nothing);
    RUN_TEST(hostile_rules_end_in_a_limit);
    RUN_TEST(steps_are_what_the_caller_gives);
    RUN_TEST(the_arena_bounds_the_output);
    RUN_TEST(folding_is_bounded);
    RUN_TEST(the_deepest_rule_can_be_evaluated);
    return UNITY_END() != 0;
}
