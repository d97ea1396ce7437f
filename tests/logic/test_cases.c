/* The cases of tests/cases/logic: every operator, conversion and refusal as data. */
#include "logic_support.h"
#include "logic/expr.h"

typedef struct world {
    const wf_value *states;
    wf_names keys;
    wf_value slots[32];
    uint64_t active;
} world;

void setUp(void)
{
    support_begin();
}

void tearDown(void)
{
    support_end();
}

static const wf_value null_value = {.type = WF_NULL};

static uint32_t state_number(void *user, const char *path, size_t length)
{
    const world *w = user;

    for (uint32_t i = 0; w->states && i < w->states->length; i++) {
        const wf_value *name = &w->states->as.items[i];

        if (name->length == length && memcmp(name->as.text, path, length) == 0)
            return i;
    }
    return WF_NONE;
}

static void fill_context(world *w, const wf_value *context)
{
    for (uint32_t i = 0; context && i < context->length; i++) {
        const wf_member *member = &context->as.members[i];

        w->slots[wf_names_add(&w->keys, member->key, member->length)] = member->value;
    }
}

static void fill_active(world *w, const wf_value *active)
{
    for (uint32_t i = 0; active && i < active->length; i++) {
        const wf_value *name = &active->as.items[i];

        w->active |= (uint64_t)1 << state_number(w, name->as.text, name->length);
    }
}

static void check_refused(const wf_value *test, int32_t status, const char *label)
{
    TEST_ASSERT_EQUAL_MESSAGE(WFSM_SEMANTIC, status, label);
    TEST_ASSERT_EQUAL_STRING_MESSAGE(wf_value_get_z(test, "refused")->as.text,
                                     wfsm_error_message(error), label);
    TEST_ASSERT_EQUAL_STRING_MESSAGE(wf_value_get_z(test, "at")->as.text,
                                     wfsm_error_pointer(error), label);
}

static void check_evaluated(const wf_value *test, const wf_expr *expr, wf_scope *scope,
                            const char *label)
{
    const wf_value *fails = wf_value_get_z(test, "fails");
    const wf_value *expected = wf_value_get_z(test, "result");
    wf_value result;
    int32_t status = wf_expr_eval(expr, scope, &result);

    if (fails) {
        TEST_ASSERT_EQUAL_MESSAGE(WFSM_SEMANTIC, status, label);
        TEST_ASSERT_EQUAL_STRING_MESSAGE(fails->as.text, scope->failure, label);
        return;
    }
    TEST_ASSERT_EQUAL_MESSAGE(WFSM_OK, status, label);
    TEST_ASSERT_NOT_NULL_MESSAGE(expected, label);
    if (!wf_value_equal(expected, &result)) {
        fprintf(stderr, "%s\ngave %s\n", label, json(&result));
        TEST_FAIL_MESSAGE(label);
    }
}

static void run_case(const wf_value *test)
{
    const wf_value *context = wf_value_get_z(test, "context");
    const wf_value *data = wf_value_get_z(test, "data");
    world w = {.states = wf_value_get_z(test, "states")};
    wf_resolver resolver = {.arena = &arena, .user = &w};
    wf_scope scope = {
        .arena = &arena, .slots = w.slots, .active = &w.active, .steps = WF_EVAL_STEPS};
    char label[500];
    const wf_expr *expr;
    int32_t status;

    snprintf(label, sizeof label, "%s", json(test));
    wf_names_init(&w.keys, &memory.allocator);
    fill_context(&w, context);
    fill_active(&w, wf_value_get_z(test, "active"));
    resolver.keys = context ? &w.keys : NULL;
    resolver.state = w.states ? state_number : NULL;
    status = wf_expr_compile(&expr, wf_value_get_z(test, "rule"),
                             wf_value_get_z(test, "guard") != NULL, &resolver, NULL, error);
    scope.keys = &w.keys;
    scope.slot_count = w.keys.count;
    scope.event = wf_value_get_z(test, "event");
    scope.instance = wf_value_get_z(test, "instance");
    scope.data = context ? NULL : data ? data : &null_value;
    if (wf_value_get_z(test, "refused")) {
        check_refused(test, status, label);
    } else {
        TEST_ASSERT_EQUAL_MESSAGE(WFSM_OK, status, label);
        check_evaluated(test, expr, &scope, label);
    }
    wf_names_fini(&w.keys);
}

static void run_file(const char *path, uint32_t least)
{
    size_t length = 0;
    const char *text = read_file(path, &length);
    uint32_t cases = 0;
    wf_value list;

    TEST_ASSERT_NOT_NULL_MESSAGE(text, path);
    list = parse_bytes(text, length);
    for (uint32_t i = 0; i < list.length; i++) {
        if (list.as.items[i].type != WF_OBJECT)
            continue;
        run_case(&list.as.items[i]);
        cases++;
    }
    TEST_ASSERT_GREATER_OR_EQUAL(least, cases);
}

static void jsonlogic_as_the_reference_has_it(void)
{
    run_file(CASES "/jsonlogic.json", 200);
}

static void operands_as_the_newer_specification_has_them(void)
{
    run_file(CASES "/operands.json", 160);
}

static void what_wfsm_adds(void)
{
    run_file(CASES "/wfsm.json", 90);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(jsonlogic_as_the_reference_has_it);
    RUN_TEST(operands_as_the_newer_specification_has_them);
    RUN_TEST(what_wfsm_adds);
    return UNITY_END() != 0;
}
