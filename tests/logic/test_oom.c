/* Every allocation fails once. Each time the status is NO_MEMORY, and nothing leaks. */
#include "logic/expr.h"
#include "logic/schema.h"
#include "logic_support.h"

void setUp(void)
{
    support_begin();
}

void tearDown(void)
{
    support_end();
}

static const char text[] =
    "{\"rule\":{\"map\":[{\"var\":\"context.list\"},{\"cat\":[\"item "
    "\",{\"var\":\"a.b.c\"},"
    "{\"+\":[1,2]},{\"missing\":[\"x\",\"y\"]}]}]},"
    "\"template\":[{\"a\":{\"var\":\"\"},\"b\":{\"with\":[{\"var\":\"context.list\"},0,"
    "1]}},"
    "{\"var\":{\"cat\":[\"context.\",\"list\"]}},{\"reduce\":[[1,2],{\"var\":\"\"},0]},"
    "{\"merge\":[[1],{\"filter\":[[1,0],{\"var\":\"\"}]}]},{\"substr\":[\"abcdef\",1,2]"
    "},"
    "{\"===\":[[1.5,2],{\"var\":\"event.type\"}]}],"
    "\"schema\":{\"type\":\"object\",\"properties\":{\"a\":{\"$ref\":\"#/$defs/x\"}},"
    "\"$defs\":{\"x\":{\"anyOf\":[{\"enum\":[1,2]},{\"prefixItems\":[true]}]}}}}";

static int32_t compile_and_eval(const wf_value *source, wf_names *keys)
{
    wf_resolver resolver = {.arena = &arena, .keys = keys};
    wf_value slots[2] = {0}, result;
    wf_scope scope = {.arena = &arena, .slots = slots, .keys = keys, .steps = WF_EVAL_STEPS};
    const wf_expr *expr;
    int32_t status = wf_expr_compile(&expr, source, false, &resolver, NULL, error);

    if (status)
        return status;
    slots[0] = wf_array(slots + 1, 1);
    slots[1] = wf_null();
    scope.slot_count = keys->count < 2 ? keys->count : 2;
    return wf_expr_eval(expr, &scope, &result);
}

static int32_t everything(wf_names *keys)
{
    wf_value document;
    const wf_schema *schema;
    int32_t status = wf_json_parse(&arena, text, sizeof text - 1, &document, error);

    if (!status)
        status = compile_and_eval(wf_value_get_z(&document, "rule"), keys);
    if (!status)
        status = compile_and_eval(wf_value_get_z(&document, "template"), keys);
    if (!status)
        status = wf_schema_compile(&schema, wf_value_get_z(&document, "schema"), &arena, NULL,
                                   error);
    return status;
}

/* One round; an arena of many small chunks, so that many things can fail. */
static int32_t run(failing *source, long left)
{
    wf_names keys;
    int32_t status;

    wf_arena_fini(&arena);
    wf_names_init(&keys, &memory.allocator);
    source->left = left;
    status = everything(&keys);
    source->left = -1;
    wf_names_fini(&keys);
    return status;
}

static void run_all(failing *source, long least)
{
    long failures = 0;

    while (run(source, failures) == WFSM_NO_MEMORY) {
        TEST_ASSERT_EQUAL(WFSM_NO_MEMORY, wf_arena_error(&arena, error));
        failures++;
    }
    TEST_ASSERT_EQUAL(WFSM_OK, run(source, -1));
    TEST_ASSERT_EQUAL(WFSM_OK, run(source, failures));
    TEST_ASSERT_GREATER_OR_EQUAL(least, failures);
}

static void wfsms_own_memory(void)
{
    run_all(&memory, 5);
}

/* Text of many parts, so that what is kept meanwhile grows; long strings and numbers.
 */
static const char *long_text(void)
{
    static char out[40000];
    size_t length = 0;

    for (int i = 0; i < 300; i++)
        length += (size_t)snprintf(out + length, sizeof out - length,
                                   "%c\"a key of some length %d\":[\"%0*d\\n\",%d]",
                                   i ? ',' : '{', i, i % 90 + 1, 7, i * 1000003);
    snprintf(out + length, sizeof out - length, "}");
    return out;
}

static int32_t read_long(const char *from, wf_value *value)
{
    wf_arena_fini(&arena);
    return wf_json_parse(&arena, from, strlen(from), value, error);
}

/* No byte of a string or number is lost when memory is short while it is read. */
static void what_is_read_is_whole_or_refused(void)
{
    const char *from = long_text();
    long failures = 0;
    wf_value value;
    int32_t status;

    do {
        memory.left = failures++;
        status = read_long(from, &value);
        memory.left = -1;
    } while (status == WFSM_NO_MEMORY);
    TEST_ASSERT_EQUAL(WFSM_OK, status);
    TEST_ASSERT_EQUAL_STRING(from, json(&value));
    TEST_ASSERT_GREATER_THAN(5, failures);
}

/* A limit of bytes fails at every single request, not only at every chunk. */
static void every_request_of_an_arena(void)
{
    wf_names keys;
    int32_t status = WFSM_LIMIT;
    size_t limit = 16;

    for (; status == WFSM_LIMIT && limit < 100000; limit += 16) {
        wf_arena_reset(&arena);
        arena.limit = limit;
        wf_names_init(&keys, &memory.allocator);
        status = everything(&keys);
        wf_names_fini(&keys);
    }
    TEST_ASSERT_EQUAL(WFSM_OK, status);
    TEST_ASSERT_GREATER_THAN(4000, limit);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(wfsms_own_memory);
    RUN_TEST(what_is_read_is_whole_or_refused);
    RUN_TEST(every_request_of_an_arena);
    return UNITY_END() != 0;
}
