#include <string.h>
#include <unity.h>

#include "wfsm/base.h"

void setUp(void)
{
}

void tearDown(void)
{
}

static void the_version_is_that_of_the_build(void)
{
    TEST_ASSERT_EQUAL_STRING(WF_VERSION, wfsm_version());
}

static void the_abi_is_that_of_the_headers(void)
{
    TEST_ASSERT_EQUAL(WFSM_ABI_VERSION, wfsm_abi_version());
}

static void how_it_was_built_can_be_read(void)
{
    static const char *const names[] = {
        "compiler=", "pointer_bits=", "assertions=", "sanitizers="};
    size_t count = sizeof names / sizeof *names;
    for (size_t i = 0; i < count; i++)
        TEST_ASSERT_EQUAL_STRING_LEN(names[i], wfsm_build_option(i), strlen(names[i]));
    TEST_ASSERT_NULL(wfsm_build_option(count));
    TEST_ASSERT_NULL(wfsm_build_option((size_t)-1));
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(the_version_is_that_of_the_build);
    RUN_TEST(the_abi_is_that_of_the_headers);
    RUN_TEST(how_it_was_built_can_be_read);
    return UNITY_END() != 0;
}
