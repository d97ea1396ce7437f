/* Guards as people write them. */
#include "draw/rule_text.h"

#include <string.h>
#include <unity.h>
#include "base/memory.h"
#include "logic/json.h"

static wfsm_allocator allocator;

void setUp(void)
{
    wf_allocator_init(&allocator, NULL);
}

void tearDown(void)
{
}

static void check(const char *rule, const char *expected)
{
    wf_arena arena;
    wf_buffer out;
    wf_value value;
    wf_arena_init(&arena, &allocator, 0);
    wf_buffer_init(&out, &allocator);
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wf_json_parse(&arena, rule, strlen(rule), &value, NULL));
    wf_rule_text(&out, &value);
    TEST_ASSERT_EQUAL_STRING(expected, out.data);
    wf_buffer_fini(&out);
    wf_arena_fini(&arena);
}

/* JSON with ' for ", which is easier to read here. */
static const char *json(const char *text)
{
    static char copy[256];
    TEST_ASSERT_LESS_THAN(sizeof copy, strlen(text));
    strcpy(copy, text);
    for (char *at = copy; *at != '\0'; at++)
        if (*at == '\'')
            *at = '"';
    return copy;
}

static void check_all(const char *const cases[][2], size_t count)
{
    for (size_t i = 0; i < count; i++)
        check(json(cases[i][0]), cases[i][1]);
}

static void test_operators(void)
{
    static const char *const cases[][2] = {
        {"{'===':[{'var':'context.round'},3]}", "context.round === 3"},
        {"{'!':{'var':'context.x'}}", "not context.x"},
        {"{'<=':[{'children_in':['review','reading']},1]}",
         "children of review in reading <= 1"},
        {"{'children_in':['review']}", "children of review"},
        {"{'!':[{'var':'context.x'}]}", "not context.x"},
        {"{'and':[{'var':'a'},{'var':'b'},{'var':'c'}]}", "a and b and c"},
        {"{'in':[{'var':'event.data.class'},['network','timeout']]}",
         "event.data.class in ['network', 'timeout']"},
        {"{'>':[{'length':{'var':'context.l'}},0]}", "length(context.l) > 0"},
        {"{'<':[1,{'var':'n'},3]}", "1 < n < 3"},
        {"{'in_state':'finalize.awaiting'}", "in finalize.awaiting"},
        {"{'!':{'in_state':['#finalize']}}", "not in #finalize"},
        {"{'-':[{'var':'a'}]}", "-(a)"},
        {"{'max':[1,{'+':[{'var':'a'},2]}]}", "max(1, a + 2)"},
        {"{'if':[{'var':'a'},1,null]}", "if(a, 1, null)"},
        {"{'some':[{'var':'context.l'},{'===':[{'var':''},1]}]}", "some(context.l, it === 1)"},
        {"{'or':[{'var':'a'}]}", "or(a)"},
        {"{'missing':['a','b']}", "missing('a', 'b')"},
        {"{'>':[{'val':['context','n']},0]}", "context.n > 0"},
        {"{'val':['context','a.b']}", "val('context', 'a.b')"},
        {"{'val':[[2],'n']}", "val([2], 'n')"},
        {"{'val':['l',0]}", "l.0"},
        {"{'val':'n'}", "n"},
        {"{'exists':['context','n']}", "exists('context', 'n')"},
        {"{'\?\?':[{'var':'a'},{'var':'b'},1]}", "a \?\? b \?\? 1"},
        {"{'try':[{'/':[1,{'var':'a'}]},0]}", "try(1 / a, 0)"},
        {"{'max':{'var':'l'}}", "max(l)"},
    };
    check_all(cases, sizeof cases / sizeof *cases);
}

static void test_parentheses_where_they_are_needed(void)
{
    static const char *const cases[][2] = {
        {"{'and':[{'or':[{'var':'a'},{'var':'b'}]},{'!':{'var':'c'}}]}", "(a or b) and not c"},
        {"{'or':[{'and':[{'var':'a'},{'var':'b'}]},{'var':'c'}]}", "a and b or c"},
        {"{'!':{'===':[{'var':'a'},1]}}", "not (a === 1)"},
        {"{'-':[1,{'-':[2,3]}]}", "1 - (2 - 3)"},
        {"{'*':[{'+':[1,2]},3]}", "(1 + 2) * 3"},
        {"{'===':[{'===':[1,1]},true]}", "(1 === 1) === true"},
    };
    check_all(cases, sizeof cases / sizeof *cases);
}

static void test_variables(void)
{
    static const char *const cases[][2] = {
        {"{'var':['a.b']}", "a.b"},
        {"{'===':[{'var':['event.data.mode','append']},'x']}",
         "event.data.mode ?? 'append' === 'x'"},
        {"{'var':{'cat':['context.',{'var':'context.k'}]}}", "var(cat('context.', context.k))"},
        {"{'var':1}", "var(1)"},
        {"{'var':[]}", "var()"},
        {"{'var':[{'var':'a'},0]}", "var(a, 0)"},
    };
    check_all(cases, sizeof cases / sizeof *cases);
}

/* The truth of a value is the value only where nothing but its truth counts. */
static void test_truth(void)
{
    static const char *const cases[][2] = {
        {"{'!!':{'var':'a'}}", "a"},
        {"{'and':[{'!!':{'var':'a'}},{'!!':[{'var':'b'}]}]}", "a and b"},
        {"{'===':[{'!!':{'var':'a'}},true]}", "!!(a) === true"},
        {"{'max':[{'!!':{'var':'a'}}]}", "max(!!(a))"},
    };
    check_all(cases, sizeof cases / sizeof *cases);
}

static void test_data(void)
{
    static const char *const cases[][2] = {
        {"{'literal':{'var':'a'}}", "{\"var\":\"a\"}"},
        {"{'preserve':{'var':'a'}}", "{\"var\":\"a\"}"},
        {"{'==':[{'a':1,'b':[2]},{'a':{'var':'b'}}]}",
         "{\"a\":1,\"b\":[2]} == {\"a\":{\"var\":\"b\"}}"},
        {"{'in':[1.5,[1,[2,true]]]}", "1.5 in [1, [2, true]]"},
    };
    check_all(cases, sizeof cases / sizeof *cases);
}

static void test_strings_with_quotes_stay_json(void)
{
    check("{\"==\":[\"it's\",\"\\\\\"]}", "\"it's\" == \"\\\\\"");
}

static void test_deep_rules_are_cut(void)
{
    char rule[20 * 8 + 8] = "";
    char expected[16 * 5 + 32] = "";
    for (int i = 0; i < 20; i++)
        strcat(rule, "{\"max\":");
    strcat(rule, "1");
    for (int i = 0; i < 20; i++)
        strcat(rule, "}");
    for (int i = 0; i < 16; i++)
        strcat(expected, "max(");
    strcat(expected, "…");
    for (int i = 0; i < 16; i++)
        strcat(expected, ")");
    check(rule, expected);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_operators);
    RUN_TEST(test_parentheses_where_they_are_needed);
    RUN_TEST(test_variables);
    RUN_TEST(test_truth);
    RUN_TEST(test_data);
    RUN_TEST(test_strings_with_quotes_stay_json);
    RUN_TEST(test_deep_rules_are_cut);
    return UNITY_END() != 0;
}
