/* Hostile and odd text: every error names what was expected, what was found and where. */
#include "logic/json_scan.h"
#include "logic_support.h"

void setUp(void)
{
    support_begin();
}

void tearDown(void)
{
    support_end();
}

static void check_same(const char *text, const char *expected)
{
    wf_value value = parse(text);

    TEST_ASSERT_EQUAL_STRING(expected, json(&value));
}

static void what_is_read_can_be_written(void)
{
    check_same(" [ 1 , -2.50 , true , false , null ] ", "[1,-2.5,true,false,null]");
    check_same("{\"b\":1,\"a\":{\"\":[]},\"c\":{}}", "{\"b\":1,\"a\":{\"\":[]},\"c\":{}}");
    check_same("\"\\u00e9\\ud83d\\ude00\\/\"", "\"\xC3\xA9\xF0\x9F\x98\x80/\"");
    check_same("\"\\b\\f\\n\\r\\t\\\"\\\\\\u0001\\u001f\\u007f\"",
               "\"\\b\\f\\n\\r\\t\\\"\\\\\\u0001\\u001f\x7F\"");
    check_same("[-0,-0.0,0e9]", "[0,0,0]");
    check_same("[9007199254740992,-9007199254740992]", "[9007199254740992,-9007199254740992]");
    check_same("3.0", "3");
}

static void numbers_that_are_written_can_be_read(void)
{
    /* As an integer, 10^20 would be refused when it is read again. */
    check_same("[1e20,1e21,-1.5e300,1e-7,5e-324,1.7976931348623157e308]",
               "[1e+20,1e+21,-1.5e+300,1e-7,5e-324,1.7976931348623157e+308]");
    check_same("[4503599627370495.5,123456.789,0.1]", "[4503599627370495.5,123456.789,0.1]");
}

static const struct refusal {
    const char *text;
    int32_t status;
    const char *message;
    const char *pointer;
    int32_t line;
    int32_t column;
} refusals[] = {
    {"", WFSM_SYNTAX, "expected a JSON value, found the end of the text", "", 1, 1},
    {" \n ", WFSM_SYNTAX, "expected a JSON value, found the end of the text", "", 2, 2},
    {"\xEF\xBB\xBF{}", WFSM_SYNTAX, "expected a JSON value, found a byte order mark", "", 1, 1},
    {"1 2", WFSM_SYNTAX, "expected the end of the text, found '2'", "", 1, 3},
    {"{}x", WFSM_SYNTAX, "expected the end of the text, found 'x'", "", 1, 3},
    {"[1,,2]", WFSM_SYNTAX, "expected a JSON value, found ','", "/1", 1, 4},
    {"[1\n,\n nul]", WFSM_SYNTAX, "expected a JSON value, found 'n'", "/1", 3, 2},
    {"[1 2]", WFSM_SYNTAX, "expected \",\" or \"]\", found '2'", "/0", 1, 4},
    {"{\"k\":[true,false", WFSM_SYNTAX, "expected \",\" or \"]\", found the end of the text",
     "/k/1", 1, 17},
    {"{\"k\":{\"l\":1]}", WFSM_SYNTAX, "expected \",\" or \"}\", found ']'", "/k/l", 1, 12},
    {"{\"a\":1,}", WFSM_SYNTAX, "expected a key in double quotes, found '}'", "", 1, 8},
    {"{a:1}", WFSM_SYNTAX, "expected a key in double quotes, found 'a'", "", 1, 2},
    {"{\"a\" 1}", WFSM_SYNTAX, "expected \":\" after the key, found '1'", "/a", 1, 6},
    {"{\"a~/\":[01]}", WFSM_SYNTAX, "expected \",\" or \"]\", found '1'", "/a~0~1/0", 1, 10},
    {"1.", WFSM_SYNTAX, "expected a digit, found the end of the text", "", 1, 3},
    {"[1e]", WFSM_SYNTAX, "expected a digit, found ']'", "/0", 1, 4},
    {"-x", WFSM_SYNTAX, "expected a digit, found 'x'", "", 1, 2},
    {".5", WFSM_SYNTAX, "expected a JSON value, found '.'", "", 1, 1},
    {"NaN", WFSM_SYNTAX, "expected a JSON value, found 'N'", "", 1, 1},
    {"'a'", WFSM_SYNTAX, "expected a JSON value, found '''", "", 1, 1},
    {"\"a", WFSM_SYNTAX, "expected the closing quote of a string, found the end of the text",
     "", 1, 3},
    {"[\"a\tb\"]", WFSM_SYNTAX,
     "expected an escape for a control character, found the byte 0x09", "/0", 1, 4},
    {"[\"\xFF\"]", WFSM_SYNTAX, "expected well-formed UTF-8, found the byte 0xFF", "/0", 1, 3},
    {"\xC3\xA9", WFSM_SYNTAX, "expected a JSON value, found a character that is not ASCII", "",
     1, 1},
    {"\"\\u0000\"", WFSM_SYNTAX,
     "expected a valid escape (\\u0000 and lone surrogates are not), found '\\'", "", 1, 2},
    {"\"\\ud800x\"", WFSM_SYNTAX,
     "expected a valid escape (\\u0000 and lone surrogates are not), found '\\'", "", 1, 2},
    {"\"\\x41\"", WFSM_SYNTAX,
     "expected a valid escape (\\u0000 and lone surrogates are not), found '\\'", "", 1, 2},
    {"[{\"a\":1,\"b\":{\"c\":1,\"c\":1}}]", WFSM_SYNTAX,
     "expected every key once, found this one again", "/0/b/c", 1, 20},
    {"{\"x\":[1,{\"y/z\":9007199254740993}]}", WFSM_SEMANTIC,
     "expected an integer within \xC2\xB1"
     "2^53, found a larger one",
     "/x/1/y~1z", 1, 16},
    {"{\"x\":[1,\n{\"y\":99999999999999999999}, 3]}", WFSM_SEMANTIC,
     "expected an integer within \xC2\xB1"
     "2^53, found a larger one",
     "/x/1/y", 2, 6},
    {"[1,1e999]", WFSM_SEMANTIC,
     "expected an integer within \xC2\xB1"
     "2^53 or a finite number, found a larger one",
     "/1", 1, 4},
};

static void every_refusal_names_the_place(void)
{
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
        const struct refusal *r = &refusals[i];
        wf_value value;

        TEST_ASSERT_EQUAL_MESSAGE(
            r->status, wf_json_parse(&arena, r->text, strlen(r->text), &value, error), r->text);
        TEST_ASSERT_EQUAL_STRING_MESSAGE(r->message, wfsm_error_message(error), r->text);
        TEST_ASSERT_EQUAL_STRING_MESSAGE(r->pointer, wfsm_error_pointer(error), r->text);
        TEST_ASSERT_EQUAL_MESSAGE(r->line, wfsm_error_line(error), r->text);
        TEST_ASSERT_EQUAL_MESSAGE(r->column, wfsm_error_column(error), r->text);
        TEST_ASSERT_EQUAL(r->status,
                          wf_json_parse(&arena, r->text, strlen(r->text), &value, NULL));
    }
}

/* Many members are looked through in another way than a few. */
static void a_key_that_is_there_twice_is_found_among_many(void)
{
    char text[4000];
    wf_value value;
    int32_t column = 0;
    size_t length = (size_t)snprintf(text, sizeof text, "{");

    for (int i = 0; i < 100; i++) {
        if (i == 60)
            column = (int32_t)length + 1;
        length += (size_t)snprintf(text + length, sizeof text - length, "\"key%d\":%d,",
                                   i == 60 || i == 80 ? 40 : i, i);
    }
    snprintf(text + length, sizeof text - length, "\"\":{}}");
    TEST_ASSERT_EQUAL(WFSM_SYNTAX, wf_json_parse(&arena, text, strlen(text), &value, error));
    TEST_ASSERT_EQUAL_STRING("/key40", wfsm_error_pointer(error));
    TEST_ASSERT_EQUAL(column, wfsm_error_column(error));
    TEST_ASSERT_EQUAL(WFSM_SYNTAX, wf_json_parse(&arena, text, strlen(text), &value, NULL));
}

static void nul_bytes_are_no_json(void)
{
    static const char *const texts[] = {"\0", "1\0", "[1,\0002]", "\"a\0b\"", "{\"\0\":1}"};
    static const size_t lengths[] = {1, 2, 6, 5, 7};
    wf_value value;

    for (size_t i = 0; i < 5; i++)
        TEST_ASSERT_EQUAL(WFSM_SYNTAX,
                          wf_json_parse(&arena, texts[i], lengths[i], &value, error));
    TEST_ASSERT_EQUAL(WFSM_SYNTAX, wf_json_parse(&arena, NULL, 0, &value, error));
}

static int32_t parse_nested(size_t depth, char open, char close)
{
    static char text[2 * 3000];
    wf_value value;

    memset(text, open, depth);
    memset(text + depth, close, depth);
    return wf_json_parse(&arena, text, 2 * depth, &value, error);
}

static void deep_nesting_is_a_limit(void)
{
    TEST_ASSERT_EQUAL(WFSM_OK, parse_nested(WF_MAX_DEPTH, '[', ']'));
    TEST_ASSERT_EQUAL(WFSM_LIMIT, parse_nested(WF_MAX_DEPTH + 1, '[', ']'));
    TEST_ASSERT_EQUAL_STRING("nested deeper than 255 levels", wfsm_error_message(error));
    TEST_ASSERT_EQUAL(256, wfsm_error_column(error));
    TEST_ASSERT_EQUAL(WFSM_LIMIT, parse_nested(2047, '[', ']'));
    TEST_ASSERT_EQUAL(WFSM_LIMIT, parse_nested(3000, '[', ']'));
}

static void the_arena_limit_bounds_what_is_read(void)
{
    wf_value value;

    arena.limit = 100;
    TEST_ASSERT_EQUAL(WFSM_LIMIT,
                      wf_json_parse(&arena, "[[1],[2],[3],[4],[5]]", 21, &value, error));
}

static void a_failure_leaves_a_usable_error(void)
{
    wf_value value;
    char long_key[2000];

    memset(long_key, 'k', sizeof long_key);
    long_key[0] = '{';
    long_key[1] = '"';
    memcpy(long_key + sizeof long_key - 4, "\":x", 4);
    TEST_ASSERT_EQUAL(WFSM_SYNTAX,
                      wf_json_parse(&arena, long_key, strlen(long_key), &value, error));
    TEST_ASSERT_LESS_THAN(512, strlen(wfsm_error_pointer(error)));
}

/* What is read in one pass, another one looks at when something is wrong: they must be of one
 * mind about every text. */
static void look_again(const char *text, size_t length)
{
    wf_value value;
    wf_json_scan scan;
    int32_t status = wf_json_parse(&arena, text, length, &value, error);
    char shown[128];

    snprintf(shown, sizeof shown, "%.*s", (int)length, text);
    wf_json_scan_text(&scan, text, length, SIZE_MAX);
    if (scan.expected)
        TEST_ASSERT_EQUAL_INT32_MESSAGE(scan.too_deep ? WFSM_LIMIT : WFSM_SYNTAX, status,
                                        shown);
    else if (status == WFSM_SYNTAX)
        TEST_ASSERT_NOT_NULL_MESSAGE(strstr(wfsm_error_message(error), "every key once"),
                                     shown);
    wf_arena_reset(&arena);
}

static void reading_and_looking_agree(void)
{
    static const char *const texts[] = {
        "[0,-1,2.5,10e1,-0.5E-3,1e+2,120]",
        " {\"a\" : [ true , false , null ] , \"b\" : { } , \"a\" : [ ] } ",
        "\"a\\u00e9\\ud83d\\ude00\\n\xC3\xA9\xF0\x9F\x98\x80 \\\\ some longer plain text\"",
        "{\"key that is long\":\"text that is long\",\"\":{\"n\":9007199254740993}}",
    };
    static const char bytes[] = "\0 \n\x01\"\\/,:[]{}0129-+.eEtfnu\x7F\x80\xC3\xED\xFF";

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        size_t length = strlen(texts[i]);
        char text[128];

        for (size_t at = 0; at <= length; at++) {
            look_again(texts[i], at);
            for (size_t b = 0; b < sizeof bytes - 1; b++) {
                memcpy(text, texts[i], length);
                text[at] = bytes[b]; /* in the place of one, or behind all */
                look_again(text, at < length ? length : length + 1);
                memmove(text + at + 1, texts[i] + at, length - at); /* between two */
                look_again(text, length + 1);
            }
            memcpy(text, texts[i], at); /* without one */
            memcpy(text + at, texts[i] + at + 1, at < length ? length - at - 1 : 0);
            look_again(text, at < length ? length - 1 : length);
        }
    }
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(what_is_read_can_be_written);
    RUN_TEST(numbers_that_are_written_can_be_read);
    RUN_TEST(every_refusal_names_the_place);
    RUN_TEST(a_key_that_is_there_twice_is_found_among_many);
    RUN_TEST(nul_bytes_are_no_json);
    RUN_TEST(reading_and_looking_agree);
    RUN_TEST(deep_nesting_is_a_limit);
    RUN_TEST(the_arena_limit_bounds_what_is_read);
    RUN_TEST(a_failure_leaves_a_usable_error);
    return UNITY_END() != 0;
}
