/* Lines for people. */
#include <stdlib.h>
#include <string.h>
#include <unity.h>

#include "agents/files.h"
#include "agents/fill.h"
#include "agents/progress.h"

static FILE *out;
static char *text;
static size_t length;

void setUp(void)
{
    out = open_memstream(&text, &length);
}

void tearDown(void)
{
    (void)fclose(out);
    free(text);
}

static void test_durations(void)
{
    static const struct {
        int64_t ms;
        const char *text;
    } cases[] = {
        {-5, "0ms"},          {0, "0ms"},          {999, "999ms"},
        {1000, "1.0s"},       {12345, "12.3s"},    {59999, "59.9s"},
        {60000, "1m00s"},     {245000, "4m05s"},   {7380000, "2h03m"},
        {86399999, "23h59m"}, {86400000, "1d00h"}, {INT64_MAX, "106751991167d07h"},
    };
    char found[WFA_DURATION_SIZE];
    size_t index;

    for (index = 0; index < sizeof cases / sizeof cases[0]; index++)
        TEST_ASSERT_EQUAL_STRING(cases[index].text, wfa_duration(cases[index].ms, found));
}

static void test_lines(void)
{
    wfa_progress progress;

    (void)setenv("LC_ALL", "C", 1);
    wfa_progress_begin(&progress, out, 1000);
    TEST_ASSERT_FALSE(progress.colour);
    wfa_progress_transition(&progress, 13345, "task-42", "plan", "build", "start_coder",
                            WFA_GOOD);
    wfa_progress_transition(&progress, 500, "task-42", NULL, "plan", NULL, WFA_PLAIN);
    wfa_progress_line(&progress, 1000, NULL, WFA_BAD, "%d\033[2J\n\xC3\xA9", 5);
    TEST_ASSERT_EQUAL_STRING("[    12.3s] task-42  plan -> build  start_coder\n"
                             "[     0.0s] task-42  plan\n"
                             "[     0.0s] 5?[2J\?\?\?\n",
                             text);
}

static void test_unicode_only_where_it_is_understood(void)
{
    static const struct {
        const char *all, *lang;
        int unicode;
    } cases[] = {
        {"C.UTF-8", "C", 1},         {"", "de_DE.utf8", 1}, {"C", "en_US.UTF-8", 0},
        {"de_DE.ISO-8859-1", "", 0}, {"", "", 0},           {"de_DE", "", 0},
    };
    wfa_progress progress;
    size_t index;

    (void)unsetenv("LC_CTYPE");
    for (index = 0; index < sizeof cases / sizeof cases[0]; index++) {
        (void)setenv("LC_ALL", cases[index].all, 1);
        (void)setenv("LANG", cases[index].lang, 1);
        wfa_progress_begin(&progress, out, 0);
        TEST_ASSERT_EQUAL_MESSAGE(cases[index].unicode, progress.unicode, cases[index].all);
    }
    progress.unicode = 1;
    wfa_progress_transition(&progress, 0, NULL, "a", "b", "\xC2\x9B\xC3\xA9", WFA_PLAIN);
    TEST_ASSERT_EQUAL_STRING("[     0.0s] a \xE2\x86\x92 b  ??\xC3\xA9\n", text);
}

static void test_colour(void)
{
    wfa_progress progress;

    wfa_progress_begin(&progress, out, 0);
    progress.colour = 1;
    wfa_progress_line(&progress, 0, "t", WFA_BAD, "no");
    wfa_progress_line(&progress, 0, "t", WFA_PLAIN, "yes");
    TEST_ASSERT_EQUAL_STRING("[     0.0s] t  \033[31mno\033[0m\n[     0.0s] t  yes\n", text);
}

/* The text behind the last erasure: what stands below now. */
static const char *below(void)
{
    const char *at, *found = NULL;

    for (at = text; (at = strstr(at, "\033[J")); at += 3)
        found = at + 3;
    return found;
}

static void test_bad_news_does_not_scroll_away(void)
{
    wfa_progress progress;
    int i;

    (void)setenv("LC_ALL", "C", 1);
    wfa_progress_begin(&progress, out, 0);
    progress.terminal = 1; /* of 24 lines */
    wfa_progress_live(&progress, "  coder  1s\n");
    wfa_progress_line(&progress, 0, "t", WFA_BAD, "it failed");
    TEST_ASSERT_EQUAL_STRING("[     0.0s] t  it failed\n  coder  1s\n", below());
    for (i = 0; i < 30; i++)
        wfa_progress_line(&progress, 0, "t", WFA_PLAIN, "on and on");
    TEST_ASSERT_EQUAL_STRING("[     0.0s] t  on and on\n[     0.0s] t  it failed\n"
                             "  coder  1s\n",
                             below());
    for (i = 0; i < 40; i++)
        wfa_progress_line(&progress, 1000, "t", i % 3 == 0 && i < 12 ? WFA_BAD : WFA_PLAIN,
                          "%d", i);
    TEST_ASSERT_EQUAL_STRING("[     1.0s] t  39\n[     1.0s] t  3\n[     1.0s] t  6\n"
                             "[     1.0s] t  9\n  coder  1s\n",
                             below());
    wfa_progress_live(&progress, "");
    TEST_ASSERT_EQUAL_STRING("", below());
    wfa_progress_end(&progress);
}

static void test_live_lines_fit_the_screen(void)
{
    char many[400] = "";
    wfa_progress progress;
    int i, lines = 0;
    const char *at;

    for (i = 0; i < 40; i++)
        (void)strcat(many, "line\n");
    wfa_progress_begin(&progress, out, 0);
    progress.terminal = 1;
    wfa_progress_live(&progress, "first\n");
    wfa_progress_live(&progress, many);
    for (at = below(); *at; at++)
        lines += *at == '\n';
    TEST_ASSERT_EQUAL_INT(WFA_LIVE_MOST, lines);
    wfa_progress_end(&progress);
}

static void test_file_names(void)
{
    static const struct {
        const char *id, *name;
    } cases[] = {
        {"task-42/3/0", "task-42+3+0"}, {"a+b", "a%2Bb"}, {"..", "%2E."}, {"a%2F", "a%252F"},
        {"\xC3\xA9 x", "%C3%A9%20x"},   {"", ""},
    };
    char name[WFA_FILE_NAME_SIZE], other[WFA_FILE_NAME_SIZE], id[1000];
    size_t index;

    for (index = 0; index < sizeof cases / sizeof cases[0]; index++) {
        wfa_file_name(cases[index].id, name);
        TEST_ASSERT_EQUAL_STRING(cases[index].name, name);
    }
    memset(id, '/', sizeof id);
    id[sizeof id - 1] = '\0';
    wfa_file_name(id, name);
    id[0] = 'x';
    id[1] = '\xFF';
    wfa_file_name(id, other);
    TEST_ASSERT_TRUE(strlen(name) < WFA_FILE_NAME_SIZE && strlen(other) < WFA_FILE_NAME_SIZE);
    TEST_ASSERT_TRUE(strcmp(name, other) != 0);
}

static void test_fill(void)
{
    static const wfa_mark marks[] = {{"{a}", "{b}"}, {"{b}", "B"}, {"{bb}", ""}, {NULL, NULL}};
    char *filled = wfa_fill("{a}{b}{bb}{c} {a {a}", marks);

    TEST_ASSERT_EQUAL_STRING("{b}B{c} {a {b}", filled);
    free(filled);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_durations);
    RUN_TEST(test_lines);
    RUN_TEST(test_unicode_only_where_it_is_understood);
    RUN_TEST(test_colour);
    RUN_TEST(test_bad_news_does_not_scroll_away);
    RUN_TEST(test_live_lines_fit_the_screen);
    RUN_TEST(test_file_names);
    RUN_TEST(test_fill);
    return UNITY_END() != 0;
}
