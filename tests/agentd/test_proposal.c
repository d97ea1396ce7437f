/* The format of proposal.md, and its repairs (003-63 to 65, 168, 175). */
#include "agentd/proposal.h"
#include "agents/each_fault.h"

#include <stdlib.h>
#include <string.h>

static const char *const sections[] = {"Why", "What Changes", "Impact", NULL};

#define GOOD "# Log in\n\n## Why\n\nx\n\n## What Changes\n\ny\n\n## Impact\n\nz\n"

static proposal_check made;
static host_error error;

void setUp(void)
{
    memset(&made, 0, sizeof made);
}

void tearDown(void)
{
    proposal_check_clear(&made);
}

static void look(const char *text)
{
    proposal_check_clear(&made);
    TEST_ASSERT_EQUAL(
        0, proposal_check_text(&made, "log-in", text, strlen(text), sections, &error));
}

static const char *said(const json_t *list, size_t index)
{
    const char *text = json_string_value(json_array_get(list, index));

    return text ? text : "nothing";
}

/* 003-43: what is good stays as it is. */
static void test_what_is_good(void)
{
    static const char *const texts[] = {
        GOOD,
        "# T\n## Impact\n1\n## More\n## What Changes\n### A\n- a\n## Why\nw\n",
        "---\ntitle: x\n# no: heading\n---\n\n# T\n## Why ##\nw\n##  What Changes\nc\n## Impact\n```\ncode\n```\n",
        "# T\n```\n# Why\n## Impact\n```\n## Why\nw\n## What Changes\nc\n## Impact\ni\n",
        "# T\n## Why\nw\n### why:\nx\n## What Changes\nc\n## Impact\ni\n",
    };
    size_t index;

    for (index = 0; index < sizeof texts / sizeof *texts; index++) {
        look(texts[index]);
        TEST_ASSERT_EQUAL_MESSAGE(0, json_array_size(made.problems), said(made.problems, 0));
        TEST_ASSERT_EQUAL_MESSAGE(0, json_array_size(made.repaired), said(made.repaired, 0));
        TEST_ASSERT_EQUAL_STRING(texts[index], made.text.data);
        TEST_ASSERT_EQUAL(strlen(texts[index]), made.text.length);
    }
}

/* 003-65, 003-168: what can mean one thing only is put right, and told. */
static const struct {
    const char *text, *fresh, *said;
} repairs[] = {
    {"\xEF\xBB\xBF" GOOD, GOOD, "the byte order mark is gone"},
    {"# T\r\n## Why\r\nw\r\n## What Changes\r\nc\r\n## Impact\r\ni\r\n",
     "# T\n## Why\nw\n## What Changes\nc\n## Impact\ni\n", "lines end with a newline only"},
    {"# T\n## Why\nw\n## What Changes\nc\n## Impact\ni",
     "# T\n## Why\nw\n## What Changes\nc\n## Impact\ni\n", "the last line ends with a newline"},
    {"```markdown\n" GOOD "```\n", GOOD, "the code fence around the whole text is gone"},
    {"\n\n````md\n" GOOD "````\n\n", GOOD, "the code fence around the whole text is gone"},
    {"# T\n## why\nw\n## What Changes\nc\n## Impact\ni\n",
     "# T\n## Why\nw\n## What Changes\nc\n## Impact\ni\n", "line 2: '## why' is '## Why'"},
    {"# T\n##Why\nw\n## What Changes\nc\n## Impact\ni\n",
     "# T\n## Why\nw\n## What Changes\nc\n## Impact\ni\n", "line 2: '##Why' is '## Why'"},
    {"# T\n### Why\nw\n## What Changes\nc\n## Impact\ni\n",
     "# T\n## Why\nw\n## What Changes\nc\n## Impact\ni\n", "line 2: '### Why' is '## Why'"},
    {"# T\n## **Why:**\nw\n## What Changes\nc\n## Impact\ni\n",
     "# T\n## Why\nw\n## What Changes\nc\n## Impact\ni\n", "line 2: '## **Why:**' is '## Why'"},
    {"# T\n## Why:\nw\n## What Changes\nc\n## Impact\ni\n",
     "# T\n## Why\nw\n## What Changes\nc\n## Impact\ni\n", "line 2: '## Why:' is '## Why'"},
    {"# T\n# Why\nw\n# WHAT CHANGES\nc\n## Impact\ni\n",
     "# T\n## Why\nw\n## What Changes\nc\n## Impact\ni\n", "line 2: '# Why' is '## Why'"},
    {"## Why\nw\n## What Changes\nc\n## Impact\ni\n",
     "# log-in\n\n## Why\nw\n## What Changes\nc\n## Impact\ni\n",
     "the title '# log-in' was missing"},
    {"---\na: b\n---\n# Why\nw\n## What Changes\nc\n## Impact\ni\n",
     "---\na: b\n---\n# log-in\n\n## Why\nw\n## What Changes\nc\n## Impact\ni\n",
     "line 4: '# Why' is '## Why'"},
};

static void test_repairs(void)
{
    size_t index;

    for (index = 0; index < sizeof repairs / sizeof *repairs; index++) {
        look(repairs[index].text);
        TEST_ASSERT_EQUAL_MESSAGE(0, json_array_size(made.problems), said(made.problems, 0));
        TEST_ASSERT_EQUAL_STRING(repairs[index].fresh, made.text.data);
        TEST_ASSERT_EQUAL_STRING(repairs[index].said, said(made.repaired, 0));
        /* Repaired once, it is good. */
        look(repairs[index].fresh);
        TEST_ASSERT_EQUAL_MESSAGE(0, json_array_size(made.repaired), said(made.repaired, 0));
    }
}

/* 003-44, 003-64, 003-168: what is left invalid is a person's, or the author's, business. */
static const struct {
    const char *text, *said;
} problems[] = {
    {"", "it is empty"},
    {" \n\t\r\n", "it is empty"},
    {"\xff\xfe", "it is not UTF-8 text"},
    {"# T\n## What Changes\nc\n## Impact\ni\n", "the section '## Why' is missing"},
    {"# T\n## Whys\nw\n## What Changes\nc\n## Impact\ni\n", "the section '## Why' is missing"},
    {"# T\n```\n## Why\n```\nw\n## What Changes\nc\n## Impact\ni\n",
     "the section '## Why' is missing"},
    {"# T\n<!-- \n## Why\n-->\nw\n## What Changes\nc\n## Impact\ni\n",
     "the section '## Why' is missing"},
    /* Which of the two? */
    {"# T\n## why\nw\n### WHY\nw\n## What Changes\nc\n## Impact\ni\n",
     "the section '## Why' is missing"},
    {"# T\n## Why\n\n## What Changes\nc\n## Impact\ni\n",
     "line 2: there is nothing below '## Why'"},
    {"# T\n## Why\n### More\n<!-- later -->\n## What Changes\nc\n## Impact\ni\n",
     "line 2: there is nothing below '## Why'"},
    {"# T\n## Why\nw\n## What Changes\nc\n## Impact\n",
     "line 6: there is nothing below '## Impact'"},
    {"# T\n## Why\nw\n## What Changes\nc\n## Impact\ni\n## Why\nv\n",
     "line 8: a second '## Why'; the first is in line 2"},
};

static void test_problems(void)
{
    size_t index;

    for (index = 0; index < sizeof problems / sizeof *problems; index++) {
        look(problems[index].text);
        TEST_ASSERT_EQUAL_MESSAGE(1, json_array_size(made.problems), problems[index].text);
        TEST_ASSERT_EQUAL_STRING(problems[index].said, said(made.problems, 0));
    }
}

static void test_all_problems_are_told(void)
{
    look("Here is the proposal you asked for.\n");
    TEST_ASSERT_EQUAL(3, json_array_size(made.problems));
    TEST_ASSERT_EQUAL_STRING("the section '## Impact' is missing", said(made.problems, 2));
}

static void test_what_is_too_long(void)
{
    size_t length = PROPOSAL_MOST_BYTES + 1;
    char *text = malloc(length);

    TEST_ASSERT_NOT_NULL(text);
    memset(text, 'x', length);
    TEST_ASSERT_EQUAL(0, proposal_check_text(&made, "x", text, length, sections, &error));
    TEST_ASSERT_EQUAL_STRING("1048577 bytes are more than the 1048576 allowed",
                             said(made.problems, 0));
    free(text);
}

/* 003-175: the names are the configuration's; without any every text with a title is good. */
static void test_other_sections(void)
{
    static const char *const none[] = {NULL}, *const other[] = {"Ziel und Größe", NULL};
    static const char text[] = "# T\n## ziel und Größe\ny\n";

    TEST_ASSERT_EQUAL(0, proposal_check_text(&made, "x", "hello\n", 6, none, &error));
    TEST_ASSERT_EQUAL(0, json_array_size(made.problems));
    TEST_ASSERT_EQUAL_STRING("# x\n\nhello\n", made.text.data);
    proposal_check_clear(&made);
    TEST_ASSERT_EQUAL(0, proposal_check_text(&made, "x", text, strlen(text), other, &error));
    TEST_ASSERT_EQUAL(0, json_array_size(made.problems));
    TEST_ASSERT_EQUAL_STRING("# T\n## Ziel und Größe\ny\n", made.text.data);
}

static const char everything[] = "\xEF\xBB\xBF```md\r\n##why\r\nw\r\n# What changes:\r\n```";

static void test_bytes_cut_off_anywhere(void)
{
    size_t length;

    for (length = 0; length < sizeof everything; length++) {
        char *text = malloc(length + 1);
        TEST_ASSERT_NOT_NULL(text);
        memcpy(text, everything, length);
        proposal_check_clear(&made);
        TEST_ASSERT_EQUAL(0, proposal_check_text(&made, "x", text, length, sections, &error));
        TEST_ASSERT_NOT_EQUAL(0, json_array_size(made.problems));
        free(text);
    }
}

static void prepare(void)
{
    memset(&error, 0, sizeof error);
}

static int work(void)
{
    int status;

    proposal_check_clear(&made);
    status =
        proposal_check_text(&made, "x", everything, sizeof everything - 1, sections, &error);
    if (status == 0)
        TEST_ASSERT_EQUAL(2, json_array_size(made.problems));
    return status;
}

static void check(int status)
{
    TEST_ASSERT_EQUAL(-1, status);
    TEST_ASSERT_EQUAL_STRING("out of memory", error.message);
}

static void test_out_of_memory(void)
{
    TEST_ASSERT_GREATER_THAN(5, each_fault(FAULT_ERROR, prepare, work, check));
}

/* The lists are jansson's. */
static int left;

static void *scarce(size_t bytes)
{
    return left-- > 0 ? malloc(bytes) : NULL;
}

static void test_out_of_memory_in_the_lists(void)
{
    int failed = 1, count;

    json_set_alloc_funcs(scarce, free);
    for (count = 0; failed; count++) {
        proposal_check_clear(&made);
        left = count;
        failed = proposal_check_text(&made, "x", everything, sizeof everything - 1, sections,
                                     &error) != 0;
    }
    proposal_check_clear(&made);
    json_set_alloc_funcs(malloc, free);
    TEST_ASSERT_GREATER_THAN(8, count);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_what_is_good);
    RUN_TEST(test_repairs);
    RUN_TEST(test_problems);
    RUN_TEST(test_all_problems_are_told);
    RUN_TEST(test_what_is_too_long);
    RUN_TEST(test_other_sections);
    RUN_TEST(test_bytes_cut_off_anywhere);
    RUN_TEST(test_out_of_memory);
    RUN_TEST(test_out_of_memory_in_the_lists);
    return UNITY_END() != 0;
}
