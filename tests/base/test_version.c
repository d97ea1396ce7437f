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

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(the_version_is_that_of_the_build);
    return UNITY_END() != 0;
}
