/* The date of an archived spec (003-137, 003-176). */
#include "agentd/spec_date.h"
#include "agents/each_fault.h"

#include <string.h>

void setUp(void)
{
}

void tearDown(void)
{
}

#define NEW "archived: 2026-01-21\n"

static const struct {
    const char *text, *dated;
} cases[] = {
    /* Front matter of its own. */
    {"# S\n", "---\n" NEW "---\n\n# S\n"},
    {"", "---\n" NEW "---\n\n"},
    {"---\nno end\n", "---\n" NEW "---\n\n---\nno end\n"},
    {"----\na: b\n---\n", "---\n" NEW "---\n\n----\na: b\n---\n"},
    {" ---\na: b\n---\n", "---\n" NEW "---\n\n ---\na: b\n---\n"},
    /* The last key. */
    {"---\n---\n# S\n", "---\n" NEW "---\n# S\n"},
    {"---\ntitle: x\n---\n# S\narchived: no\n",
     "---\ntitle: x\n" NEW "---\n# S\narchived: no\n"},
    {"--- \ntitle: x\n---", "--- \ntitle: x\n" NEW "---"},
    {"---\ntext: |\n  archived: no\n---\n", "---\ntext: |\n  archived: no\n" NEW "---\n"},
    {"---\nunarchived: no\n---\n", "---\nunarchived: no\n" NEW "---\n"},
    /* Instead of what is there. */
    {"---\narchived: 2025-12-31\nb: c\n---\nx", "---\n" NEW "b: c\n---\nx"},
    {"---\na: b\narchived:\n---\n", "---\na: b\n" NEW "---\n"},
    {"---\narchived:\n  - x\n  - y\nb: c\n---\n", "---\n" NEW "b: c\n---\n"},
    {"---\narchived:\n- x\nb:\n  c: d\n---\n", "---\n" NEW "b:\n  c: d\n---\n"},
    {"---\narchived: 2025-12-31\n---\n", "---\n" NEW "---\n"},
    /* Bytes of other systems. */
    {"\xEF\xBB\xBF# S\n", "\xEF\xBB\xBF---\n" NEW "---\n\n# S\n"},
    {"\xEF\xBB\xBF---\na: b\n---\n", "\xEF\xBB\xBF---\na: b\n" NEW "---\n"},
    {"---\r\na: b\r\n---\r\n# S\r\n", "---\r\na: b\r\narchived: 2026-01-21\r\n---\r\n# S\r\n"},
    {"# S\r\n", "---\r\narchived: 2026-01-21\r\n---\r\n\r\n# S\r\n"},
};

static void test_dates(void)
{
    size_t index;

    for (index = 0; index < sizeof cases / sizeof *cases; index++) {
        host_text dated = {.data = NULL}, again = {.data = NULL};
        TEST_ASSERT_EQUAL(
            0, spec_date(&dated, cases[index].text, strlen(cases[index].text), "2026-01-21"));
        TEST_ASSERT_EQUAL_STRING(cases[index].dated, dated.data);
        /* Dated twice is dated once. */
        TEST_ASSERT_EQUAL(0, spec_date(&again, dated.data, dated.length, "2026-01-21"));
        TEST_ASSERT_EQUAL_STRING(cases[index].dated, again.data);
        host_text_free(&dated);
        host_text_free(&again);
    }
}

static host_text made;

static void prepare(void)
{
    host_text_free(&made);
}

static int work(void)
{
    return spec_date(&made, "x\n", 2, "2026-01-21");
}

static void check(int status)
{
    TEST_ASSERT_EQUAL(-1, status);
}

static void test_out_of_memory(void)
{
    TEST_ASSERT_EQUAL(1, each_fault(FAULT_ERROR, prepare, work, check));
    host_text_free(&made);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_dates);
    RUN_TEST(test_out_of_memory);
    return UNITY_END() != 0;
}
