/*
 * The official test cases of jsonlogic.com, which are not part of this repository: the file
 * that WFSM_JSONLOGIC_CASES names, or the one beside the source tree. Skipped if there is none.
 */
#include <stdlib.h>
#include "logic_support.h"
#include "logic/expr.h"

static const char TITLE[] = "JsonLogic, the cases of jsonlogic.com";

void setUp(void)
{
    support_begin();
}

void tearDown(void)
{
    support_end();
}

static const char *cases_path(void)
{
    const char *path = getenv("WFSM_JSONLOGIC_CASES");

    return path ? path : OFFICIAL;
}

static void run_case(const wf_value *test)
{
    static const wf_value nothing = {.type = WF_NULL};
    const wf_value *data = wf_value_get_z(test, "data");
    wf_resolver resolver = {.arena = &arena};
    wf_scope scope = {.arena = &arena, .steps = WF_EVAL_STEPS};
    const wf_expr *expr;
    wf_value result;

    scope.data = data ? data : &nothing;
    TEST_ASSERT_EQUAL(WFSM_OK, wf_expr_compile(&expr, wf_value_get_z(test, "rule"), false,
                                               &resolver, NULL, error));
    TEST_ASSERT_EQUAL(WFSM_OK, wf_expr_eval(expr, &scope, &result));
    if (!wf_value_equal(wf_value_get_z(test, "result"), &result))
        TEST_FAIL_MESSAGE(json(test));
}

static void all_official_cases_pass(void)
{
    size_t length = 0;
    const char *text = read_file(cases_path(), &length);
    uint32_t cases = 0;
    wf_value list;

    TEST_ASSERT_NOT_NULL(text);
    list = parse_bytes(text, length);
    for (uint32_t i = 0; i < list.length; i++) {
        if (list.as.items[i].type == WF_OBJECT) {
            run_case(&list.as.items[i]);
            cases++;
        }
    }
    TEST_ASSERT_EQUAL(278, cases);
}

int main(void)
{
    FILE *file = fopen(cases_path(), "rb");

    if (!file) {
        printf("\n%-44s skipped, there is no file %s\n", TITLE, cases_path());
        return 77;
    }
    fclose(file);
    UNITY_BEGIN();
    RUN_TEST(all_official_cases_pass);
    int failures = UNITY_END();
    printf("\n%-44s %8s\n", TITLE, failures == 0 ? "278 pass" : "FAILED");
    return failures != 0;
}
