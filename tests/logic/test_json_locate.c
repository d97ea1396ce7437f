#include "logic_support.h"

void setUp(void)
{
    support_begin();
}

void tearDown(void)
{
    support_end();
}

static const char text[] = "{ \"a\": [1, {\"b/c~d\": \"]}\\\"\",\n"
                           "  \"\\u00e9\": true}],\n"
                           "  \"\": { \"x\" :\n"
                           "     [[], {}, null] } }";

static const struct {
    const char *pointer;
    bool key;
    int32_t line; /* 0: it is not there */
    int32_t column;
} places[] = {
    {"", false, 1, 1},
    {"", true, 1, 1},
    {"/a", false, 1, 8},
    {"/a", true, 1, 3},
    {"/a/0", false, 1, 9},
    {"/a/1", false, 1, 12},
    {"/a/1", true, 1, 12},
    {"/a/1/b~1c~0d", false, 1, 22},
    {"/a/1/b~1c~0d", true, 1, 13},
    {"/a/1/\xC3\xA9", false, 2, 13},
    {"/a/1/\xC3\xA9", true, 2, 3},
    {"//x", false, 4, 6},
    {"//x", true, 3, 9},
    {"//x/2", false, 4, 15},
    {"/a/2", false, 0, 0},
    {"/a/01x", false, 0, 0},
    {"/a/-", false, 0, 0},
    {"/a/99999999999999999999999", false, 0, 0},
    {"/b", false, 0, 0},
    {"/a/0/x", false, 0, 0},
    {"a", false, 0, 0},
    {"/a/1/b", false, 0, 0},
};

static void places_are_found(void)
{
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        int32_t line = 0, column = 0;
        bool found = wf_json_locate(text, sizeof text - 1, places[i].pointer, places[i].key,
                                    &line, &column);

        TEST_ASSERT_EQUAL_MESSAGE(places[i].line != 0, found, places[i].pointer);
        TEST_ASSERT_EQUAL_MESSAGE(places[i].line, line, places[i].pointer);
        TEST_ASSERT_EQUAL_MESSAGE(places[i].column, column, places[i].pointer);
    }
}

static void find(wf_json_finder *finder, size_t i)
{
    int32_t line = 0, column = 0;
    bool found = wf_json_find(finder, places[i].pointer, places[i].key, &line, &column);

    TEST_ASSERT_EQUAL_MESSAGE(places[i].line != 0, found, places[i].pointer);
    TEST_ASSERT_EQUAL_MESSAGE(places[i].line, line, places[i].pointer);
    TEST_ASSERT_EQUAL_MESSAGE(places[i].column, column, places[i].pointer);
}

/* Whatever was found before: each place after each other one. */
static void one_finder_finds_all_places(void)
{
    const size_t count = sizeof places / sizeof *places;
    wf_json_finder finder = {.text = text, .length = sizeof text - 1};

    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < count; j++) {
            find(&finder, i);
            find(&finder, j);
        }
}

/* It is meant for well-formed text; with any other it must still end, inside of the
 * text. */
static void cut_text_is_harmless(void)
{
    for (size_t length = 0; length < sizeof text; length++) {
        char *copy = wf_copy_text(&memory.allocator, text, length);
        int32_t line, column;

        for (size_t i = 0; i < sizeof places / sizeof *places; i++)
            wf_json_locate(copy, length, places[i].pointer, false, &line, &column);
        wf_free(&memory.allocator, copy);
    }
}

static void ill_formed_text_is_harmless(void)
{
    static const char *const texts[] = {"[[\0,1]", "[}]]", "{\"a\":[{\0", "[,,:]", "{\"b\" 1"};
    int32_t line, column;

    for (int i = 0; i < 5; i++) {
        TEST_ASSERT_FALSE(wf_json_locate(texts[i], 7, "/1/0/5", false, &line, &column));
        TEST_ASSERT_FALSE(wf_json_locate(texts[i], 7, "/c/0", false, &line, &column));
    }
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(places_are_found);
    RUN_TEST(one_finder_finds_all_places);
    RUN_TEST(cut_text_is_harmless);
    RUN_TEST(ill_formed_text_is_harmless);
    return UNITY_END() != 0;
}
