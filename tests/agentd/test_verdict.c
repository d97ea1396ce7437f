/* The verdicts of CHALLENGE.md and REVIEW.md (003-70 to 72, 115 to 117, 180). */
#include "agentd/verdict.h"
#include "agents/each_fault.h"
#include "hosts/workspace.h"

static host_error error;
static char path[256];

void setUp(void)
{
    workspace_make_fast();
    strcpy(path, in_workspace("CHALLENGE.md"));
}

void tearDown(void)
{
    workspace_remove();
}

static int find(const char *text, verdict_of of, verdict *found)
{
    memset(&error, 0, sizeof error);
    return verdict_find("X.md", text, strlen(text), of, found, &error);
}

/* 003-70, 003-71, 003-72; 003-115, 003-116, 003-117; and no report takes the other's words. */
static void test_the_words(void)
{
    static const struct {
        verdict_of of;
        int allowed[VERDICTS];
    } kinds[] = {{VERDICT_OF_CHALLENGE, {0, 1, 1, 1, 0, 0}},
                 {VERDICT_OF_REVIEW, {0, 1, 0, 0, 1, 1}}};
    char text[64];
    size_t kind;
    int index;
    verdict found;

    for (kind = 0; kind < 2; kind++)
        for (index = 1; index < VERDICTS; index++) {
            (void)snprintf(text, sizeof text, "Verdict: %s\n", verdict_name((verdict)index));
            TEST_ASSERT_EQUAL_MESSAGE(kinds[kind].allowed[index] ? 0 : -1,
                                      find(text, kinds[kind].of, &found), text);
            TEST_ASSERT_EQUAL(kinds[kind].allowed[index] ? index : VERDICT_NONE, (int)found);
        }
}

static void test_names(void)
{
    verdict which;
    int index;

    for (index = 0; index < VERDICTS; index++) {
        TEST_ASSERT_EQUAL(0, verdict_named(verdict_name((verdict)index), &which));
        TEST_ASSERT_EQUAL(index, which);
    }
    TEST_ASSERT_EQUAL(-1, verdict_named("approved", &which));
    TEST_ASSERT_EQUAL(-1, verdict_named("APPROVED ", &which));
}

static void test_how_it_is_dressed(void)
{
    static const char *const texts[] = {
        "Verdict: REJECTED",
        "verdict: REJECTED\n",
        "VERDICT : REJECTED\n",
        "Verdict:REJECTED\r\n",
        "\xEF\xBB\xBFVerdict: REJECTED\n",
        "---\nverdict: REJECTED\n---\n# Challenge\n",
        "# Challenge\n\ngaps…\n\n**Verdict**: REJECTED\n",
        "**Verdict: REJECTED**\n",
        "**Verdict:** **REJECTED**\n",
        "## Verdict: REJECTED\n",
        "- Verdict: `REJECTED`  \n",
        "> *Verdict:* _REJECTED_\n",
        "## Verdict\n\nREJECTED\n",
        "## Verdict:\r\n\r\n**REJECTED**\r\n",
        "**Verdict**\n\n- REJECTED\n",
        "Verdicts are many. The verdict is below.\n\nVerdict: REJECTED\n",
        "Say it so:\n\n```\nVerdict: APPROVED\n```\n\nVerdict: REJECTED\n",
        "~~~md\n```\nVerdict: APPROVED\n~~~\nVerdict: REJECTED\n",
        "````\n```\nVerdict: APPROVED\n````\nVerdict: REJECTED\n",
        "<!-- Verdict: APPROVED, NEEDS_REVISION or REJECTED -->\nVerdict: REJECTED\n",
        "<!--\nVerdict: APPROVED\n```\n-->\nVerdict: REJECTED\n",
        "Verdict: REJECTED <!-- at last -->\n",
        "`x` and ```inline``` are no fences\nVerdict: REJECTED\n",
    };
    verdict found;
    size_t index;

    for (index = 0; index < sizeof texts / sizeof *texts; index++) {
        TEST_ASSERT_EQUAL_MESSAGE(0, find(texts[index], VERDICT_OF_CHALLENGE, &found),
                                  texts[index]);
        TEST_ASSERT_EQUAL_MESSAGE(VERDICT_REJECTED, found, texts[index]);
    }
}

/* 003-180: nothing is assumed, and the place is named. */
static void test_what_is_no_verdict(void)
{
    static const struct {
        const char *text, *said;
    } cases[] = {
        {"", "X.md: no verdict: expected a line \"Verdict: \" and APPROVED, NEEDS_REVISION or "
             "REJECTED"},
        {"APPROVED\n", "no verdict"},
        {"I would say APPROVED.\n", "no verdict"},
        {"The verdict: APPROVED\n", "no verdict"},
        {"Verdicts: APPROVED\n", "no verdict"},
        {"```\nVerdict: APPROVED\n```\n", "no verdict"},
        {"```\nVerdict: APPROVED\n", "no verdict"},
        {"<!-- Verdict: APPROVED\n", "no verdict"},
        {"\n\nVerdict: approved\n",
         "X.md:3: expected APPROVED, NEEDS_REVISION or REJECTED, found "
         "'approved'"},
        {"Verdict: Approved\n", "found 'Approved'"},
        {"Verdict: APPROVED.\n", "found 'APPROVED.'"},
        {"Verdict: APPROVED, with notes\n", "found 'APPROVED, with notes'"},
        {"Verdict: APPROVED / NEEDS_REVISION / REJECTED\n", "found 'APPROVED / NEEDS"},
        {"Verdict: NOT APPROVED\n", "found 'NOT APPROVED'"},
        {"Verdict: APPROVED\nVerdict: REJECTED\n",
         "X.md:2: a second verdict; the first is in line 1"},
        {"Verdict: APPROVED\n\n## Verdict\nAPPROVED\n", "X.md:4: a second verdict"},
        {"## Verdict\n", "X.md:1: a heading for a verdict, and none below it"},
        {"## Verdict\n\n## Verdict: APPROVED\n", "X.md:3: expected"},
        {"## Verdict\n\nIt is fine.\n", "X.md:3: expected APPROVED"},
        {"Verdict: \033[2JAPPROVED\n", "found '?[2JAPPROVED'"},
        {"Verdict: \xd0\x90PPROVED\n", "found '??PPROVED'"},
    };
    verdict found;
    size_t index;

    for (index = 0; index < sizeof cases / sizeof *cases; index++) {
        TEST_ASSERT_EQUAL_MESSAGE(-1, find(cases[index].text, VERDICT_OF_CHALLENGE, &found),
                                  cases[index].text);
        TEST_ASSERT_EQUAL(VERDICT_NONE, found);
        TEST_ASSERT_NOT_NULL_MESSAGE(strstr(error.message, cases[index].said), error.message);
    }
}

static void test_bytes_of_any_kind(void)
{
    static const char zeros[] = "Verdict: APPRO\0VED\n";
    verdict found;

    TEST_ASSERT_EQUAL(
        -1, verdict_find("X.md", zeros, sizeof zeros - 1, VERDICT_OF_REVIEW, &found, &error));
    TEST_ASSERT_EQUAL(-1, verdict_find("X.md", "\0\0\n", 3, VERDICT_OF_REVIEW, &found, &error));
    TEST_ASSERT_EQUAL_STRING("X.md: no verdict: expected a line \"Verdict: \" and APPROVED, "
                             "NEEDS_CHANGES or MAJOR_ISSUES",
                             error.message);
}

static void test_files(void)
{
    verdict found;

    TEST_ASSERT_EQUAL(-1, verdict_read(path, VERDICT_OF_CHALLENGE, &found, &error));
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(error.message, "CHALLENGE.md: No such file"),
                                 error.message);
    (void)write_text("CHALLENGE.md", "Verdict: NEEDS_REVISION\n");
    TEST_ASSERT_EQUAL(0, verdict_read(path, VERDICT_OF_CHALLENGE, &found, &error));
    TEST_ASSERT_EQUAL(VERDICT_NEEDS_REVISION, found);
    TEST_ASSERT_EQUAL(-1, verdict_read(workspace, VERDICT_OF_CHALLENGE, &found, &error));
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(error.message, "not a regular file"), error.message);
}

/* It is not even read. */
static void test_a_file_of_50_megabytes(void)
{
    verdict found;

    (void)write_text("CHALLENGE.md", "Verdict: APPROVED\n");
    TEST_ASSERT_EQUAL(0, truncate(path, 50 * 1024 * 1024));
    TEST_ASSERT_EQUAL(-1, verdict_read(path, VERDICT_OF_CHALLENGE, &found, &error));
    TEST_ASSERT_NOT_NULL_MESSAGE(
        strstr(error.message, "CHALLENGE.md: 52428800 bytes are more than the 4194304 allowed"),
        error.message);
    TEST_ASSERT_EQUAL(VERDICT_NONE, found);
}

static void prepare(void)
{
    memset(&error, 0, sizeof error);
    (void)write_text("CHALLENGE.md", "Verdict: REJECTED\n");
}

static int read_it(void)
{
    verdict found = VERDICT_NONE;
    int status = verdict_read(path, VERDICT_OF_CHALLENGE, &found, &error);

    return status == 0 && found != VERDICT_REJECTED ? 1 : status;
}

static void check(int status)
{
    TEST_ASSERT_NOT_EQUAL(1, status);
    TEST_ASSERT_EQUAL(status != 0, error.message[0] != '\0');
}

static void test_every_call_can_fail(void)
{
    TEST_ASSERT_GREATER_THAN(2, each_fault(FAULT_ERROR, prepare, read_it, check));
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_the_words);
    RUN_TEST(test_names);
    RUN_TEST(test_how_it_is_dressed);
    RUN_TEST(test_what_is_no_verdict);
    RUN_TEST(test_bytes_of_any_kind);
    RUN_TEST(test_files);
    RUN_TEST(test_a_file_of_50_megabytes);
    RUN_TEST(test_every_call_can_fail);
    return UNITY_END() != 0;
}
