#include <unity.h>

const char *wfsm_version(void);

void setUp(void)
{
}

void tearDown(void)
{
}

static void the_version_is_three_numbers(void)
{
    TEST_ASSERT_EQUAL_STRING("0.1.0", wfsm_version());
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(the_version_is_three_numbers);
    return UNITY_END() != 0;
}
