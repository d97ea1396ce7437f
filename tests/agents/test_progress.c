/* Lines for people. */
#include <stdlib.h>
#include <string.h>
#include <unity.h>

#include <wfsm/wfsm.h>

#include "agents/files.h"
#include "agents/fill.h"
#include "agents/progress_lines.h"

static FILE *out;
static char *text;
static size_t length;

static wfsm_progress *progress;

static void put(void *user, const char *bytes, size_t count)
{
    (void)user;
    (void)fwrite(bytes, 1, count, out);
    (void)fflush(out);
}

static void begin(int64_t now)
{
    wfsm_progress_options options = {
        .size = sizeof options, .now = now, .descriptor = -1, .write = put};

    wfsm_progress_free(progress);
    TEST_ASSERT_EQUAL(WFSM_OK, wfsm_progress_new(&progress, &options, NULL));
}

static void change(const char *instance, const char *from, const char *to, const char *note,
                   int64_t now)
{
    wfsm_progress_change made = {.size = sizeof made,
                                 .instance = instance,
                                 .from = from,
                                 .to = to,
                                 .note = note,
                                 .tone = WFSM_TONE_GOOD};

    wfsm_progress_transition(progress, now, &made);
}

static const char *number(int value)
{
    static char digits[16];

    (void)snprintf(digits, sizeof digits, "%d", value);
    return digits;
}

void setUp(void)
{
    progress = NULL;
    out = open_memstream(&text, &length);
}

void tearDown(void)
{
    wfsm_progress_free(progress);
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
    char found[WFSM_DURATION_SIZE];
    size_t index;

    for (index = 0; index < sizeof cases / sizeof cases[0]; index++)
        TEST_ASSERT_EQUAL_STRING(cases[index].text,
                                 wfsm_progress_duration(cases[index].ms, found));
}

static void test_lines(void)
{

    (void)setenv("LC_ALL", "C", 1);
    begin(1000);
    TEST_ASSERT_FALSE(progress->colour);
    change("task-42", "plan", "build", "start_coder", 13345);
    change("task-42", NULL, "plan", NULL, 500);
    wfsm_progress_line(progress, 1000, NULL, WFSM_TONE_BAD, "5\033[2J\n\xC3\xA9");
    TEST_ASSERT_EQUAL_STRING("[    12.3s] task-42  plan -> build  start_coder\n"
                             "[     0.0s] task-42  plan\n"
                             "[     0.0s] 5\\u001b[2J\\u000a\?\?\n",
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
    size_t index;

    (void)unsetenv("LC_CTYPE");
    for (index = 0; index < sizeof cases / sizeof cases[0]; index++) {
        (void)setenv("LC_ALL", cases[index].all, 1);
        (void)setenv("LANG", cases[index].lang, 1);
        begin(0);
        TEST_ASSERT_EQUAL_MESSAGE(cases[index].unicode, progress->unicode, cases[index].all);
    }
    progress->unicode = 1;
    change(NULL, "a", "b", "\xC2\x9B\xC3\xA9", 0);
    TEST_ASSERT_EQUAL_STRING("[     0.0s] a \xE2\x86\x92 b  \\u009b\xC3\xA9\n", text);
}

static void test_colour(void)
{

    begin(0);
    progress->colour = 1;
    wfsm_progress_line(progress, 0, "t", WFSM_TONE_BAD, "no");
    wfsm_progress_line(progress, 0, "t", WFSM_TONE_PLAIN, "yes");
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
    int i;

    (void)setenv("LC_ALL", "C", 1);
    begin(0);
    progress->terminal = 1; /* of 24 lines */
    wfsm_progress_live(progress, "  coder  1s\n");
    wfsm_progress_line(progress, 0, "t", WFSM_TONE_BAD, "it failed");
    TEST_ASSERT_EQUAL_STRING("[     0.0s] t  it failed\n  coder  1s\n", below());
    for (i = 0; i < 30; i++)
        wfsm_progress_line(progress, 0, "t", WFSM_TONE_PLAIN, "on and on");
    TEST_ASSERT_EQUAL_STRING("[     0.0s] t  on and on\n[     0.0s] t  it failed\n"
                             "  coder  1s\n",
                             below());
    for (i = 0; i < 40; i++)
        wfsm_progress_line(progress, 1000, "t",
                           i % 3 == 0 && i < 12 ? WFSM_TONE_BAD : WFSM_TONE_PLAIN, number(i));
    TEST_ASSERT_EQUAL_STRING("[     1.0s] t  39\n[     1.0s] t  3\n[     1.0s] t  6\n"
                             "[     1.0s] t  9\n  coder  1s\n",
                             below());
    wfsm_progress_live(progress, "");
    TEST_ASSERT_EQUAL_STRING("", below());
}

static void test_live_lines_fit_the_screen(void)
{
    char many[400] = "";
    int i, lines = 0;
    const char *at;

    for (i = 0; i < 40; i++)
        (void)strcat(many, "line\n");
    begin(0);
    progress->terminal = 1;
    wfsm_progress_live(progress, "first\n");
    wfsm_progress_live(progress, many);
    for (at = below(); *at; at++)
        lines += *at == '\n';
    TEST_ASSERT_EQUAL_INT(WFA_MOST_LIVE, lines);
}

/* Everything accepts NULL and options of another version; nothing is written then. */
/* ---- hostile text ---- */

static const struct {
    unsigned first, last;
} hostile[] = {{1, 0x1F},        {0x7F, 0x9F},     {0x61C, 0x61C},
               {0x200E, 0x200F}, {0x2028, 0x202E}, {0x2066, 0x2069}};

/* Adds one character, as UTF-8. */
static void encode(char *to, unsigned code)
{
    char bytes[4] = {(char)code};

    if (code >= 0x800) {
        bytes[0] = (char)(0xE0 | code >> 12);
        bytes[1] = (char)(0x80 | (code >> 6 & 0x3F));
        bytes[2] = (char)(0x80 | (code & 0x3F));
    } else if (code >= 0x80) {
        bytes[0] = (char)(0xC0 | code >> 6);
        bytes[1] = (char)(0x80 | (code & 0x3F));
    }
    (void)strcat(to, bytes);
}

/* What is written here for a terminal: colours, cursor up, erase below. */
static size_t own_sequence(const char *at)
{
    size_t number = at[0] == '\033' && at[1] == '[' ? strspn(at + 2, "0123456789") : 0;

    return at[0] == '\033' && at[1] == '[' && at[2 + number] && strchr("mAJ", at[2 + number])
               ? number + 3
               : 0;
}

static unsigned code_at(const char *at, size_t *bytes)
{
    const unsigned char *byte = (const unsigned char *)at;

    *bytes = *byte < 0x80 ? 1 : *byte < 0xE0 ? 2 : *byte < 0xF0 ? 3 : 4;
    TEST_ASSERT_TRUE_MESSAGE(*byte < 0x80 || *byte >= 0xC2, "half a character");
    for (size_t index = 1; index < *bytes; index++)
        TEST_ASSERT_EQUAL_HEX8_MESSAGE(0x80, byte[index] & 0xC0, "half a character");
    if (*bytes == 3)
        return (byte[0] & 0xFu) << 12 | (byte[1] & 0x3Fu) << 6 | (byte[2] & 0x3Fu);
    return *bytes == 2 ? (byte[0] & 0x1Fu) << 6 | (byte[1] & 0x3Fu) : *byte;
}

static void expect_harmless(const char *forged)
{
    const char *at;
    size_t bytes, index;

    TEST_ASSERT_GREATER_THAN(0, length);
    for (at = text; *at; at += bytes) {
        bytes = own_sequence(at);
        if (bytes > 0)
            continue;
        unsigned code = code_at(at, &bytes);
        for (index = 0; index < sizeof hostile / sizeof *hostile; index++)
            TEST_ASSERT_FALSE_MESSAGE(code != '\n' && code >= hostile[index].first &&
                                          code <= hostile[index].last,
                                      text);
    }
    TEST_ASSERT_NULL(strstr(text, forged));
    (void)fclose(out);
    free(text);
    out = open_memstream(&text, &length);
}

static void begin_at_terminal(int unicode)
{
    begin(0);
    progress->terminal = progress->colour = 1;
    progress->unicode = unicode;
}

static void through_everything(const char *evil)
{
    char lines[512];

    wfsm_progress_line(progress, 1, evil, WFSM_TONE_BAD, evil);
    wfsm_progress_line(progress, 1, NULL, WFSM_TONE_GOOD, evil);
    change(evil, evil, evil, evil, 1);
    change(NULL, NULL, evil, NULL, 1);
    wfsm_progress_note(progress, evil, evil);
    (void)snprintf(lines, sizeof lines, "%s\n x %s\n", evil, evil);
    wfsm_progress_live(progress, lines);
    wfsm_progress_live(progress, NULL);
}

static void test_every_hostile_character(void)
{
    for (int unicode = 0; unicode < 2; unicode++) {
        begin_at_terminal(unicode);
        for (size_t index = 0; index < sizeof hostile / sizeof *hostile; index++)
            for (unsigned code = hostile[index].first; code <= hostile[index].last; code++) {
                char evil[64] = "a";

                encode(evil, code);
                (void)strcat(evil, "[31mFORGED");
                through_everything(evil);
                expect_harmless("\033[31mFORGED");
            }
    }
}

/* Cut at every place where a buffer may end. */
static void test_no_half_characters(void)
{
    char many[3200] = "";

    begin_at_terminal(1);
    for (int index = 0; index < 790; index++)
        (void)strcat(many, "\xF0\x9F\x98\x80");
    for (int skipped = 0; skipped < 4; skipped++) {
        char shifted[3210];

        (void)snprintf(shifted, sizeof shifted, "%.*s%s", skipped, "xxx", many);
        for (int index = 0; index < 30; index++)
            through_everything(shifted);
        wfsm_progress_live(progress, "one\ntwo\n");
        for (int index = 0; index < 30; index++)
            wfsm_progress_line(progress, 1, NULL, WFSM_TONE_PLAIN, "x");
        expect_harmless("FORGED");
    }
}

static void test_null(void)
{
    wfsm_progress_options options = {.size = 3};
    wfsm_progress_change empty = {.size = 3};

    TEST_ASSERT_EQUAL(WFSM_INVALID, wfsm_progress_new(NULL, NULL, NULL));
    TEST_ASSERT_EQUAL(WFSM_INVALID, wfsm_progress_new(&progress, &options, NULL));
    TEST_ASSERT_EQUAL(0, wfsm_progress_is_terminal(NULL));
    TEST_ASSERT_EQUAL(0, wfsm_progress_is_unicode(NULL));
    wfsm_progress_live(NULL, "x");
    wfsm_progress_line(NULL, 0, "t", WFSM_TONE_PLAIN, "x");
    wfsm_progress_transition(NULL, 0, &empty);
    begin(0);
    TEST_ASSERT_EQUAL(0, wfsm_progress_is_terminal(progress));
    (void)wfsm_progress_is_unicode(progress);
    wfsm_progress_line(progress, 0, "t", WFSM_TONE_PLAIN, NULL);
    wfsm_progress_transition(progress, 0, &empty);
    wfsm_progress_transition(progress, 0, NULL);
    wfsm_progress_live(progress, "only on a terminal");
    (void)fflush(out);
    TEST_ASSERT_EQUAL_STRING("", text);
    wfsm_progress_free(NULL);
}

/* Cut at the ends of the screen and of what is kept. */
static void test_long_lines(void)
{
    char longest[3000], *at;
    int columns = 0;

    memset(longest, 'x', sizeof longest);
    for (at = longest; at < longest + sizeof longest - 4; at += 2)
        memcpy(at, "\xC3\xA9", 2);
    longest[sizeof longest - 2] = '\n';
    longest[sizeof longest - 1] = '\0';
    begin(0);
    progress->terminal = progress->unicode = progress->colour = 1;
    wfsm_progress_line(progress, 0, "t", WFSM_TONE_BAD, longest);
    wfsm_progress_line(progress, 0, "t", 77, "of no tone");
    TEST_ASSERT_NOT_NULL(strstr(text, "t  of no tone\n"));
    wfsm_progress_live(progress, "short\n");
    wfsm_progress_live(progress, longest);
    wfsm_progress_live(progress, longest);
    for (at = strstr(below(), "\xC3\xA9"); at && *at; at++)
        columns += ((unsigned char)*at & 0xC0) != 0x80;
    TEST_ASSERT_GREATER_THAN(20, columns);
    TEST_ASSERT_LESS_THAN(300, columns);
    wfsm_progress_live(progress, NULL);
    TEST_ASSERT_EQUAL_STRING("", below());
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

static int32_t work(void *user, wfsm_call *call)
{
    (void)user;
    return wfsm_call_done(call, "1", 1);
}

/* A misspelt agent is the diagnostic that an engine has. */
static void test_diagnostics(void)
{
    static const char document[] =
        "{\"id\":\"m\",\"initial\":\"a\",\"states\":{\"a\":{\"invoke\":{\"src\":\"codre\"}}}}";
    wfsm_engine_options options = {.size = sizeof options, .session = "one"};
    wfsm_machine *machine = NULL;
    wfsm_engine *engine = NULL;
    wfsm_store *store = NULL;

    begin(0);
    TEST_ASSERT_EQUAL(WFSM_OK, wfsm_memory_open(&store, NULL, NULL));
    TEST_ASSERT_EQUAL(WFSM_OK, wfsm_engine_new(&engine, store, &options, NULL));
    TEST_ASSERT_EQUAL(
        WFSM_OK, wfsm_machine_load(&machine, document, strlen(document), NULL, NULL, NULL));
    TEST_ASSERT_EQUAL(WFSM_OK, wfsm_engine_add_machine(engine, machine, NULL));
    TEST_ASSERT_EQUAL(WFSM_OK, wfsm_engine_add_agent(engine, "coder", work, NULL, NULL));
    TEST_ASSERT_EQUAL(
        WFSM_OK, wfsm_engine_on_diagnostic(engine, wfsm_progress_diagnostic, progress, NULL));
    TEST_ASSERT_EQUAL(WFSM_OK, wfsm_engine_start(engine, "m", "t", NULL, 0, 0, NULL));
    TEST_ASSERT_EQUAL(WFSM_OK, wfsm_engine_run(engine, 0, NULL));
    TEST_ASSERT_EQUAL_INT(0, progress->told);
    TEST_ASSERT_EQUAL(WFSM_OK, wfsm_engine_run(engine, 61000, NULL));
    TEST_ASSERT_EQUAL_PTR(text, strstr(text, "[    61.0s] t  the invocation \"t/"));
    TEST_ASSERT_NOT_NULL(strstr(text, "waits for the agent \"codre\", which nobody has had"));
    TEST_ASSERT_EQUAL_INT(1, progress->kept[0].number); /* it stays in sight */
    wfsm_engine_free(engine);
    wfsm_machine_unref(machine);
    wfsm_store_free(store);
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
    RUN_TEST(test_every_hostile_character);
    RUN_TEST(test_no_half_characters);
    RUN_TEST(test_null);
    RUN_TEST(test_long_lines);
    RUN_TEST(test_file_names);
    RUN_TEST(test_fill);
    RUN_TEST(test_diagnostics);
    return UNITY_END() != 0;
}
