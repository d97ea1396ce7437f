/* Drawings of machines as text, byte for byte for small ones. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unity.h>
#include <wfsm/tools.h>

void setUp(void)
{
}

void tearDown(void)
{
}

static wfsm_machine *load(const char *text)
{
    wfsm_machine *machine = NULL;
    wfsm_error *error = wfsm_error_new(NULL);
    int32_t status = wfsm_machine_load(&machine, text, strlen(text), NULL, NULL, error);
    TEST_ASSERT_EQUAL_INT32_MESSAGE(WFSM_OK, status, wfsm_error_message(error));
    wfsm_error_free(error);
    return machine;
}

static void check(int32_t format, const char *document, const char *expected)
{
    wfsm_machine *machine = load(document);
    char *text = NULL;
    size_t length = 0;
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wfsm_machine_graph(machine, format, &text, &length, NULL));
    TEST_ASSERT_EQUAL_STRING(expected, text);
    TEST_ASSERT_EQUAL_size_t(strlen(expected), length);
    wfsm_text_free(machine, text);
    wfsm_machine_unref(machine);
}

static void contains(int32_t format, const char *document, const char *expected)
{
    wfsm_machine *machine = load(document);
    char *text = NULL;
    size_t length = 0;
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wfsm_machine_graph(machine, format, &text, &length, NULL));
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(text, expected), text);
    wfsm_text_free(machine, text);
    wfsm_machine_unref(machine);
}

static const char small[] =
    "{\"id\":\"m\",\"initial\":\"a\",\"states\":{"
    "\"a\":{\"initial\":\"b\",\"on\":{\"go\":{\"target\":\"z\",\"guard\":\"ready\"}},"
    "\"states\":{\"h\":{\"type\":\"history\",\"target\":\"b\"},\"b\":{}}},"
    "\"z\":{\"type\":\"final\"}}}";

static void test_mermaid_of_a_small_machine(void)
{
    check(WFSM_MERMAID, small,
          "stateDiagram-v2\n"
          "    state \"a\" as s1 {\n"
          "        state \"H h\" as s2\n"
          "        state \"b\" as s3\n"
          "        [*] --> s3\n"
          "    }\n"
          "    state \"z\" as s4\n"
          "    s4 --> [*]\n"
          "    [*] --> s1\n"
          "    s1 --> s4 : go [ready]\n"
          "    s2 --> s3\n");
}

static void test_dot_of_a_small_machine(void)
{
    check(WFSM_DOT, small,
          "digraph \"m\" {\n"
          "    compound=true; fontname=\"Helvetica\"; fontsize=12;\n"
          "    node [shape=box, style=rounded, fontname=\"Helvetica\", fontsize=12];\n"
          "    edge [fontname=\"Helvetica\", fontsize=10];\n"
          "    subgraph cluster_0 {\n"
          "        style=\"rounded\"; label=\"m\";\n"
          "        i0 [shape=point, width=0.12];\n"
          "        subgraph cluster_1 {\n"
          "            style=\"rounded\"; label=\"a\";\n"
          "            i1 [shape=point, width=0.12];\n"
          "            s2 [shape=circle, label=\"H\", tooltip=\"a.h\"];\n"
          "            s3 [label=\"b\"];\n"
          "        }\n"
          "        s4 [peripheries=2, style=\"rounded,filled\", fillcolor=gray95, "
          "label=\"z\"];\n"
          "    }\n"
          "    i0 -> i1 [style=bold, label=\"\", lhead=cluster_1];\n"
          "    i1 -> s3 [style=bold, label=\"\"];\n"
          "    i1 -> s4 [label=\"go\\n[ready]\", ltail=cluster_1];\n"
          "    s2 -> s3 [style=bold, label=\"\"];\n"
          "}\n");
}

static const char regions[] =
    "{\"id\":\"m\",\"type\":\"parallel\",\"on\":{\"x\":{\"guard\":{\"!\":1},"
    "\"actions\":\"f\"}},\"states\":{"
    "\"r\":{},\"s\":{\"initial\":\"t\",\"states\":{\"t\":{}}}}}";

static void test_regions_stand_apart_and_the_root_gets_a_box(void)
{
    check(WFSM_MERMAID, regions,
          "stateDiagram-v2\n"
          "    state \"m<br>x [not 1]\" as s0 {\n"
          "        state \"r\" as s1\n"
          "        --\n"
          "        state \"s\" as s2 {\n"
          "            state \"t\" as s3\n"
          "            [*] --> s3\n"
          "        }\n"
          "    }\n");
    contains(WFSM_DOT, regions, "subgraph cluster_2 {\n            style=\"rounded,dashed\"");
    contains(WFSM_DOT, regions, "    i0 -> i2 [style=bold, lhead=cluster_2];\n");
}

/* A label cannot end its statement, its string or the drawing. */
static void test_labels_are_escaped(void)
{
    static const char document[] =
        "{\"id\":\"q\\\"\\\\ \\n}\",\"initial\":\"a\",\"states\":{"
        "\"a\":{\"on\":{\"x:y;%%{\\\"--> <b>#1\":{\"target\":\"ü\"}}},\"ü\":{}}}";
    contains(WFSM_MERMAID, document, " : x#58;y#59;#37;#37;#123;#34;--#62; #60;b#62;#35;1\n");
    contains(WFSM_MERMAID, document, "state \"ü\" as s2");
    contains(WFSM_DOT, document, "digraph \"q\\\"\\\\ \\\\u000a}\" {");
    contains(WFSM_DOT, document, "label=\"x:y;%%{\\\"--> <b>#1\"");
}

static void test_labels_of_events_guards_and_agents(void)
{
    static const char document[] =
        "{\"id\":\"m\",\"initial\":\"a\",\"context\":{\"n\":0},\"states\":{"
        "\"a\":{\"invoke\":{\"id\":\"w\",\"src\":{\"var\":\"context.n\"},"
        "\"srcs\":[\"one\",\"two\"],\"onDone\":\"b\"},\"after\":{\"500\":\"b\"},"
        "\"always\":{\"target\":\"b\",\"guard\":{\"==\":[{\"var\":\"context.n\"},1]}}},"
        "\"b\":{\"initial\":\"c\",\"onDone\":\"a\",\"states\":{\"c\":{\"type\":\"final\"}}}}}";
    contains(WFSM_DOT, document, "label=\"a\\ninvoke one | two\"");
    contains(WFSM_DOT, document, "label=\"after 500 ms\"");
    contains(WFSM_DOT, document, "label=\"done.invoke.w\"");
    contains(WFSM_DOT, document, "label=\"done\", constraint=false, ltail=cluster_2");
    contains(WFSM_DOT, document, "label=\"always\\n[context.n == 1]\"");
    contains(WFSM_MERMAID, document, "state \"a<br>invoke one | two\" as s1");
}

static void test_long_guards_are_cut(void)
{
    static const char document[] =
        "{\"id\":\"m\",\"initial\":\"a\",\"states\":{\"a\":{\"on\":{\"x\":{\"target\":\"b\","
        "\"guard\":\"äaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
        "aaaaaaaaaaaaaaaaaaaa\""
        "}}},\"b\":{}}}";
    contains(WFSM_MERMAID, document,
             " : x [äaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
             "aaaaaaaaaaaaaaaaaaaa…]\n");
}

/* Arrows from a box to what is inside it would be hidden by Mermaid. */
static void test_mermaid_writes_transitions_into_the_own_box(void)
{
    static const char document[] =
        "{\"id\":\"m\",\"initial\":\"a\",\"on\":{\"stop\":\".b\"},\"states\":{\"a\":{},"
        "\"b\":{}}}";
    contains(WFSM_MERMAID, document, "state \"m<br>stop → b\" as s0 {");
    contains(WFSM_DOT, document, "    a0 -> s2 [label=\"stop\"];\n");
    contains(WFSM_DOT, document, "label=\"any state of m\"];\n");
}

static void test_dot_of_a_long_guard_takes_several_lines(void)
{
    static const char document[] =
        "{\"id\":\"m\",\"initial\":\"a\",\"context\":{\"first\":0,\"second\":0},\"states\":{"
        "\"a\":{\"on\":{\"x\":{\"target\":\"b\",\"guard\":{\"and\":["
        "{\"<\":[{\"var\":\"context.first\"},{\"var\":\"context.second\"}]},"
        "{\"var\":\"event.data\"}]}}}},\"b\":{\"on\":{\"y\":\"a\"}}}}";
    contains(WFSM_DOT, document,
             "label=\"x\\n[context.first < context.second\\nand event.data]\"");
    contains(WFSM_DOT, document, "s2 -> s1 [label=\"y\", constraint=false];");
}

static void test_dot_colours_what_a_driver_stops_at(void)
{
    static const char document[] =
        "{\"id\":\"m\",\"initial\":\"a\",\"states\":{\"a\":{\"tags\":[\"awaiting_input\"]},"
        "\"b\":{\"tags\":[\"terminal\",\"error\"]},\"c\":{\"initial\":\"d\",\"tags\":"
        "\"terminal\","
        "\"states\":{\"d\":{}}},\"e\":{\"tags\":[\"other\"]}}}";
    contains(WFSM_DOT, document, "s1 [style=\"rounded,filled\", fillcolor=lightyellow, label");
    contains(WFSM_DOT, document, "s2 [style=\"rounded,filled\", fillcolor=mistyrose, label");
    contains(WFSM_DOT, document, "style=\"rounded,filled\"; fillcolor=gray95; label=\"c\"");
    contains(WFSM_DOT, document, "s5 [label=\"e\"]");
}

typedef struct meter {
    long live; /* blocks that were not released */
    long left; /* allocations that still succeed; below 0: all */
} meter;

static bool may(meter *self)
{
    return self->left < 0 || self->left-- > 0;
}

static void *meter_allocate(void *user, size_t bytes)
{
    meter *self = user;
    void *block = may(self) ? malloc(bytes) : NULL;
    self->live += block != NULL;
    return block;
}

static void *meter_resize(void *user, void *block, size_t bytes)
{
    meter *self = user;
    if (!may(self))
        return NULL;
    self->live += !block;
    return realloc(block, bytes);
}

static void meter_release(void *user, void *block)
{
    meter *self = user;
    self->live -= block != NULL;
    free(block);
}

static void draw_with_failures(const wfsm_machine *machine, meter *self, int32_t format)
{
    char *text = NULL;
    size_t length = 0;
    int32_t status = WFSM_NO_MEMORY;
    long before = self->live, allowed = 0;
    for (; status == WFSM_NO_MEMORY; allowed++) {
        self->left = allowed;
        status = wfsm_machine_graph(machine, format, &text, &length, NULL);
        TEST_ASSERT_EQUAL(before + (status == WFSM_OK), self->live);
    }
    self->left = -1;
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, status);
    TEST_ASSERT_GREATER_THAN(3, allowed);
    wfsm_text_free(machine, text);
    TEST_ASSERT_EQUAL(before, self->live);
}

static void run_out_of_memory(const char *document, int32_t format)
{
    meter self = {0, -1};
    wfsm_allocator allocator = {sizeof allocator, &self, meter_allocate, meter_resize,
                                meter_release};
    wfsm_machine *machine = NULL;
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wfsm_machine_load(&machine, document, strlen(document),
                                                       NULL, &allocator, NULL));
    draw_with_failures(machine, &self, format);
    wfsm_machine_unref(machine);
    TEST_ASSERT_EQUAL(0, self.live);
}

static void test_running_out_of_memory(void)
{
    run_out_of_memory(regions, WFSM_MERMAID);
    run_out_of_memory(regions, WFSM_DOT);
    run_out_of_memory("{\"id\":\"m\",\"states\":{\"a\":{\"on\":{\"x\":{\"guard\":{\"in_state\":"
                      "\"a\"},\"target\":\"a\"}}}}}",
                      WFSM_PROMELA);
}

static void test_wrong_arguments(void)
{
    wfsm_machine *machine = load(small);
    char *text = NULL;
    size_t length = 0;
    TEST_ASSERT_EQUAL_INT32(WFSM_INVALID,
                            wfsm_machine_graph(NULL, WFSM_DOT, &text, &length, NULL));
    TEST_ASSERT_EQUAL_INT32(WFSM_INVALID, wfsm_machine_graph(machine, 4, &text, &length, NULL));
    TEST_ASSERT_EQUAL_INT32(WFSM_INVALID,
                            wfsm_machine_graph(machine, WFSM_DOT, NULL, &length, NULL));
    TEST_ASSERT_NULL(text);
    wfsm_text_free(machine, NULL);
    wfsm_text_free(NULL, NULL);
    wfsm_machine_unref(machine);
}

static void test_names_that_a_machine_asks_its_host_for(void)
{
    wfsm_machine *machine =
        load("{\"id\":\"m\",\"initial\":\"a\",\"states\":{\"a\":{\"entry\":[\"f\",\"g\",\"f\"],"
             "\"invoke\":{\"id\":\"w\",\"src\":\"agent\"},"
             "\"on\":{\"x\":{\"guard\":{\"type\":\"ok\"},\"target\":\"b\"}}},\"b\":{}}}");
    TEST_ASSERT_EQUAL_STRING("ok", wfsm_machine_uses(machine, WFSM_USES_GUARDS, 0));
    TEST_ASSERT_NULL(wfsm_machine_uses(machine, WFSM_USES_GUARDS, 1));
    TEST_ASSERT_EQUAL_STRING("f", wfsm_machine_uses(machine, WFSM_USES_ACTIONS, 0));
    TEST_ASSERT_EQUAL_STRING("g", wfsm_machine_uses(machine, WFSM_USES_ACTIONS, 1));
    TEST_ASSERT_NULL(wfsm_machine_uses(machine, WFSM_USES_ACTIONS, 2));
    TEST_ASSERT_EQUAL_STRING("agent", wfsm_machine_uses(machine, WFSM_USES_AGENTS, 0));
    TEST_ASSERT_NULL(wfsm_machine_uses(machine, 4, 0));
    TEST_ASSERT_NULL(wfsm_machine_uses(NULL, WFSM_USES_AGENTS, 0));
    wfsm_machine_unref(machine);
}

static void refuses(const char *document, int32_t expected, const char *why)
{
    wfsm_machine *machine = load(document);
    wfsm_error *error = wfsm_error_new(NULL);
    char *text = NULL;
    size_t length = 0;
    TEST_ASSERT_EQUAL_INT32(expected,
                            wfsm_machine_graph(machine, WFSM_PROMELA, &text, &length, error));
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(wfsm_error_message(error), why),
                                 wfsm_error_message(error));
    wfsm_error_free(error);
    wfsm_machine_unref(machine);
}

static void test_promela(void)
{
    const char *chart =
        "{\"id\":\"m\",\"states\":{\"a\":{\"entry\":{\"type\":\"raise\",\"params\":{\"event\":"
        "\"x\"}},\"on\":{\"x\":{\"target\":\"b\",\"guard\":{\"and\":[{\"!\":{\"in_state\":"
        "\"b\"}},true]}}},\"invoke\":{\"src\":\"s\"},\"after\":{\"5\":\"b\"}},\"b\":{}}}";
    contains(WFSM_PROMELA, chart, "#define STATES 3\n");
    contains(WFSM_PROMELA, chart, "/* in[2]: b */\n");
    contains(WFSM_PROMELA, chart, "-> ok = (!(in[2]) && 1)\n");
    contains(WFSM_PROMELA, chart, "/* done.invoke.a */\n");
    contains(WFSM_PROMELA, chart, "/* error.invoke.a */\n");
    contains(WFSM_PROMELA, chart, "/* after.5.a */\n");
    contains(WFSM_PROMELA, chart, "raise_first[1] = 0; raise_count[1] = 1;\n");
}

/* Any name below a prefix may come, and an exact one does not fit below itself. */
static void test_promela_offers_a_name_for_each_prefix(void)
{
    const char *chart = "{\"id\":\"m\",\"states\":{\"a\":{\"on\":{\"b\":\"c\",\"b.*\":\"c\","
                        "\"d.*\":\"c\",\"d.other\":\"c\"}},\"c\":{}}}";
    contains(WFSM_PROMELA, chart, "/* b.other */\n");
    contains(WFSM_PROMELA, chart, "/* d.other */\n");
    contains(WFSM_PROMELA, chart, "/* d.other.other */\n");
    contains(WFSM_PROMELA, chart, "/* other */\n");
}

/* Nobody outside may send them. */
static void test_promela_offers_no_reserved_name(void)
{
    wfsm_machine *machine = load(
        "{\"id\":\"m\",\"states\":{\"a\":{\"on\":{\"go\":\"b\",\"wfsm.x\":\"b\",\"wfsm.y.*\":\"b\","
        "\"error.z\":\"b\"}},\"b\":{}}}");
    char *text = NULL;
    size_t length = 0;
    TEST_ASSERT_EQUAL_INT32(WFSM_OK,
                            wfsm_machine_graph(machine, WFSM_PROMELA, &text, &length, NULL));
    TEST_ASSERT_NOT_NULL(strstr(text, " /* go */\n"));
    TEST_ASSERT_NULL(strstr(text, " /* wfsm."));
    TEST_ASSERT_NULL(strstr(text, " /* error."));
    wfsm_text_free(machine, text);
    wfsm_machine_unref(machine);
}

/* What it cannot say is refused, with the state. */
static void test_promela_is_for_charts_without_data(void)
{
    refuses("{\"id\":\"m\",\"states\":{\"a\":{\"on\":{\"x\":{\"guard\":{\"var\":\"event.data\"}"
            "}}}}}",
            WFSM_SEMANTIC, "state \"a\": has a guard");
    refuses("{\"id\":\"m\",\"states\":{\"a\":{\"on\":{\"x\":{\"guard\":\"host\"}}}}}",
            WFSM_SEMANTIC, "asks a guard of the host");
    refuses("{\"id\":\"m\",\"states\":{\"a\":{\"entry\":\"host\"}}}", WFSM_SEMANTIC,
            "state \"a\": has an action");
    refuses(
        "{\"id\":\"m\",\"states\":{\"a\":{\"exit\":{\"type\":\"raise\",\"params\":{\"event\":"
        "\"x\",\"delay\":0}}}}}",
        WFSM_SEMANTIC, "raises an event later");
}

static void test_promela_has_bounds(void)
{
    static char document[8192] = "{\"id\":\"m\",\"states\":{\"a\":{}";
    for (int i = 0; i < 260; i++)
        sprintf(document + strlen(document), ",\"s%d\":{}", i);
    strcat(document, "}}");
    refuses(document, WFSM_LIMIT, "at most 250 states");
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_mermaid_of_a_small_machine);
    RUN_TEST(test_dot_of_a_small_machine);
    RUN_TEST(test_regions_stand_apart_and_the_root_gets_a_box);
    RUN_TEST(test_labels_are_escaped);
    RUN_TEST(test_labels_of_events_guards_and_agents);
    RUN_TEST(test_long_guards_are_cut);
    RUN_TEST(test_mermaid_writes_transitions_into_the_own_box);
    RUN_TEST(test_dot_of_a_long_guard_takes_several_lines);
    RUN_TEST(test_dot_colours_what_a_driver_stops_at);
    RUN_TEST(test_running_out_of_memory);
    RUN_TEST(test_wrong_arguments);
    RUN_TEST(test_names_that_a_machine_asks_its_host_for);
    RUN_TEST(test_promela);
    RUN_TEST(test_promela_offers_a_name_for_each_prefix);
    RUN_TEST(test_promela_offers_no_reserved_name);
    RUN_TEST(test_promela_is_for_charts_without_data);
    RUN_TEST(test_promela_has_bounds);
    return UNITY_END() != 0;
}
