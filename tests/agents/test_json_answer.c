/* The answer of an agent in what it wrote. */
#include <stdlib.h>
#include <string.h>
#include <unity.h>

#include "agents/json_answer.h"

void setUp(void)
{
}

void tearDown(void)
{
}

typedef struct {
    const char *text;
    const char *answer; /* NULL: an error that contains `error` */
    const char *error;
} answer_case;

/* The text is copied without its NUL, so that reading beyond it is seen. */
static void check(const answer_case *one, wfa_answer_mode mode)
{
    size_t length = strlen(one->text), found_length = 0;
    char *text = malloc(length ? length : 1);
    const char *found = NULL;
    wfa_error error = {.status = WFSM_OK};
    int status;

    memcpy(text, one->text, length);
    status = wfa_answer_find(text, length, mode, &found, &found_length, &error);
    if (one->answer) {
        if (status != 0)
            TEST_FAIL_MESSAGE(error.message);
        TEST_ASSERT_EQUAL_MESSAGE(strlen(one->answer), found_length, one->text);
        TEST_ASSERT_EQUAL_STRING_LEN_MESSAGE(one->answer, found, found_length, one->text);
    } else {
        TEST_ASSERT_EQUAL_MESSAGE(-1, status, one->text);
        if (!strstr(error.message, one->error))
            TEST_ASSERT_EQUAL_STRING(one->error, error.message);
    }
    free(text);
}

static void test_whole(void)
{
    static const answer_case cases[] = {
        {"{}", "{}", NULL},
        {" \r\n\t{\"a\": [1, 2.5, {\"b\": \"}\"}]}\n\n", "{\"a\": [1, 2.5, {\"b\": \"}\"}]}",
         NULL},
        {"{\"a\":\"\xC3\xA9 \\u00e9 \\\"\"}", "{\"a\":\"\xC3\xA9 \\u00e9 \\\"\"}", NULL},
        {"", NULL, "stdout: expected one JSON object, found nothing"},
        {" \n ", NULL, "found nothing"},
        {"hello", NULL, "line 1: expected one JSON object, found 'hello'"},
        {"\n\n[1]", NULL, "line 3: expected one JSON object, found '[1]'"},
        {"\xFF\xFE\x01", NULL, "found '\?\?\?'"},
        {"{}{}", NULL, "line 1: expected one JSON object, found a second one"},
        {"{}\n{\"a\":1}\n", NULL, "line 2: expected one JSON object, found a second one"},
        {"{} thanks", NULL, "expected nothing behind the JSON object, found 6 more bytes"},
        {"{\"a\":1", NULL, "line 1: the JSON object that begins here is cut off"},
        {"{\"a\":", NULL, "cut off"},
        {"{", NULL, "cut off"},
        {"{\"a\":1,}", NULL, "found a broken one"},
        {"{\"a\":1,\"a\":2}", NULL, "duplicate object key"},
        {"{\"x\":{\"a\":1,\"b\":2,\"a\":3}}", NULL, "duplicate object key"},
        {"{\"a\":\"\xFF\"}", NULL, "unable to decode byte 0xff"},
        {"{\"a\":\"\xC0\xAF\"}", NULL, "unable to decode byte"},
        {"{\"a\":\"\xED\xA0\x80\"}", NULL, "unable to decode byte"},
        {"{\"a\":\"\\ud800\"}", NULL, "broken"},
        {"{\"a\":\"\\u0000\"}", NULL, "broken"},
        {"{\"a\":123456789012345678901234567890}", NULL, "too big integer"},
        {"{\"a\":1e999}", NULL, "real number overflow"},
        {"{'a':1}", NULL, "broken"},
        {"{\"a\":NaN}", NULL, "broken"},
        {"```json\n{}\n```", NULL, "found '```json"},
    };
    size_t index;

    for (index = 0; index < sizeof cases / sizeof cases[0]; index++)
        check(&cases[index], WFA_ANSWER_JSON);
}

static void test_last_block(void)
{
    static const answer_case cases[] = {
        {"{}", "{}", NULL},
        {"Sure!\n```json\n{\"a\": 1}\n```\nAnything else?", "{\"a\": 1}", NULL},
        {"I will answer {\"draft\":1}.\n\n{\"final\":{\"x\":{}}}", "{\"final\":{\"x\":{}}}",
         NULL},
        {"{\"a\":\"with } and { in \\\" it\"} bye", "{\"a\":\"with } and { in \\\" it\"}",
         NULL},
        {"struct {int a;} x = {1, 2}; {see below}\n{\"ok\":true}\n{as above}", "{\"ok\":true}",
         NULL},
        {"\xFF\xFE noise {\"ok\":true} \xFF", "{\"ok\":true}", NULL},
        {"it's \"quoted { \" {\"ok\":1}", "{\"ok\":1}", NULL},
        {"{{\"ok\":1}}", "{\"ok\":1}", NULL},
        {"{\"bad\":} then {\"good\":1}", "{\"good\":1}", NULL},
        {"", NULL, "expected a JSON object in the text, found none in 0 bytes"},
        {"no braces", NULL, "found none in 9 bytes"},
        {"[1,2]", NULL, "found none"},
        {"{see above}", NULL, "found none"},
        /* Not an earlier draft, and not a part, in place of a broken answer. */
        {"{\"draft\":1}\n{\"final\":1,}", NULL, "line 2: expected one JSON object, found"},
        {"{\"draft\":1}\n{\"final\":{\"inner\":1},\"x\":", NULL, "line 2: the JSON object"},
        {"{\"final\":{\"inner\":1},\"x\" 5}", NULL, "found a broken one"},
        {"{\"a\":1,\"a\":{\"inner\":2}}", NULL, "duplicate object key"},
        {"{\"a\":1}\n{\"a\":\"\xFF\"}", NULL, "unable to decode byte 0xff"},
    };
    size_t index;

    for (index = 0; index < sizeof cases / sizeof cases[0]; index++)
        check(&cases[index], WFA_ANSWER_LAST_BLOCK);
}

static char *nested(size_t depth)
{
    static const char open[] = "{\"a\":";
    char *text = malloc(depth * 6 + 2), *at = text;
    size_t index;

    for (index = 0; index < depth; index++, at += 5)
        memcpy(at, open, 5);
    *at++ = '1';
    for (index = 0; index < depth; index++)
        *at++ = '}';
    *at = '\0';
    return text;
}

static void test_depth(void)
{
    static const wfa_answer_mode modes[] = {WFA_ANSWER_JSON, WFA_ANSWER_LAST_BLOCK};
    size_t index;

    for (index = 0; index < 2; index++) {
        char *fits = nested(WFA_ANSWER_DEPTH), *deep = nested(WFA_ANSWER_DEPTH + 1);
        char *abyss = nested(100000);
        answer_case good = {fits, fits, NULL}, bad = {deep, NULL, "more than 128 objects"};
        answer_case worse = {abyss, NULL, "maximum parsing depth reached"};
        check(&good, modes[index]);
        check(&bad, modes[index]);
        check(&worse, modes[index]);
        free(fits);
        free(deep);
        free(abyss);
    }
}

/* A lot of each is decided, and quickly. */
static void test_hostile_repetitions(void)
{
    static const char *const pieces[] = {"{",       "{\"a\":",   "{\"",  "{\"a\":[",   "{}{",
                                         "{\"a\"}", "{\"a\":\"", "}{\"", "{ \"x\" \"", "\\\"{"};
    enum { BYTES = 1 << 16 };
    size_t index, at;
    char *text = malloc(BYTES);

    for (index = 0; index < sizeof pieces / sizeof pieces[0]; index++) {
        size_t size = strlen(pieces[index]);
        const char *found;
        wfa_error error;
        for (at = 0; at < BYTES; at++)
            text[at] = pieces[index][at % size];
        (void)wfa_answer_find(text, BYTES, WFA_ANSWER_LAST_BLOCK, &found, &at, &error);
        (void)wfa_answer_find(text, BYTES, WFA_ANSWER_JSON, &found, &at, &error);
    }
    free(text);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_whole);
    RUN_TEST(test_last_block);
    RUN_TEST(test_depth);
    RUN_TEST(test_hostile_repetitions);
    return UNITY_END() != 0;
}
