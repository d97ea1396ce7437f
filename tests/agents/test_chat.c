/* The words of two services: what is sent, and what is made of what comes. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unity.h>

#include "agents/chat.h"

static wfa_reply reply;
static wfa_error error;

void setUp(void)
{
    wfa_reply_begin(&reply, &wfa_anthropic, 100);
    error.message[0] = '\0';
}

void tearDown(void)
{
    wfa_reply_free(&reply);
}

static void begin(const wfa_dialect *dialect)
{
    tearDown();
    wfa_reply_begin(&reply, dialect, 100);
}

static int say(const char *data)
{
    return wfa_reply_event(&reply, data, strlen(data), &error);
}

static void assert_body(const wfa_dialect *dialect, const wfa_chat_request *request,
                        const char *expected)
{
    json_t *body = dialect->body(request);
    char *text = json_dumps(body, JSON_COMPACT);

    TEST_ASSERT_EQUAL_STRING(expected, text);
    free(text);
    json_decref(body);
}

static void test_bodies(void)
{
    wfa_chat_request request = {.model = "m",
                                .prompt = "p",
                                .max_tokens = 5,
                                .max_tokens_name = "max_completion_tokens",
                                .stream = 1};

    assert_body(&wfa_anthropic, &request,
                "{\"model\":\"m\",\"max_tokens\":5,\"stream\":true,\"messages\":"
                "[{\"role\":\"user\",\"content\":\"p\"}]}");
    assert_body(&wfa_openai, &request,
                "{\"model\":\"m\",\"stream\":true,\"messages\":[{\"role\":\"user\","
                "\"content\":\"p\"}],\"max_completion_tokens\":5,"
                "\"stream_options\":{\"include_usage\":true}}");
    request.system = "s";
    request.stream = 0;
    request.max_tokens = 0;
    assert_body(&wfa_openai, &request,
                "{\"model\":\"m\",\"stream\":false,\"messages\":[{\"role\":\"system\","
                "\"content\":\"s\"},{\"role\":\"user\",\"content\":\"p\"}]}");
    request.prompt = "\xFF";
    TEST_ASSERT_NULL(wfa_openai.body(&request));
    TEST_ASSERT_NULL(wfa_anthropic.body(&request));
}

/* One event each; the reply so far. */
typedef struct step {
    const char *event;
    const char *text;
    wfa_reply_state state;
    int over;
} step;

static void follow(const step *steps)
{
    for (; steps->event; steps++) {
        TEST_ASSERT_EQUAL_MESSAGE(0, say(steps->event), steps->event);
        TEST_ASSERT_EQUAL_STRING_MESSAGE(steps->text, reply.text.data ? reply.text.data : "",
                                         steps->event);
        TEST_ASSERT_EQUAL_MESSAGE(steps->state, reply.state, steps->event);
        TEST_ASSERT_EQUAL_MESSAGE(steps->over, reply.over, steps->event);
    }
}

static void test_anthropic(void)
{
    static const step steps[] = {
        {"{\"type\":\"message_start\",\"message\":{\"usage\":{\"input_tokens\":10,"
         "\"cache_creation_input_tokens\":2,\"cache_read_input_tokens\":3}}}",
         "", WFA_REPLY_OPEN, 0},
        {"{\"type\":\"content_block_start\",\"content_block\":{\"type\":\"thinking\","
         "\"text\":\"no\"}}",
         "", WFA_REPLY_OPEN, 0},
        {"{\"type\":\"content_block_delta\",\"delta\":{\"type\":\"thinking_delta\","
         "\"thinking\":\"no\"}}",
         "", WFA_REPLY_OPEN, 0},
        {"{\"type\":\"content_block_start\",\"content_block\":{\"type\":\"text\","
         "\"text\":\"a\"}}",
         "a", WFA_REPLY_OPEN, 0},
        {"{\"type\":\"content_block_delta\",\"delta\":{\"type\":\"text_delta\","
         "\"text\":\"b\"}}",
         "ab", WFA_REPLY_OPEN, 0},
        {"{\"type\":\"new_kind\"}", "ab", WFA_REPLY_OPEN, 0},
        {"{\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\"},"
         "\"usage\":{\"output_tokens\":7}}",
         "ab", WFA_REPLY_WHOLE, 0},
        {"{\"type\":\"message_stop\"}", "ab", WFA_REPLY_WHOLE, 1},
        {NULL, NULL, WFA_REPLY_OPEN, 0},
    };

    follow(steps);
    TEST_ASSERT_EQUAL(15, reply.input_tokens);
    TEST_ASSERT_EQUAL(7, reply.output_tokens);
}

static void test_openai(void)
{
    static const step steps[] = {
        {"{\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":null}}]}",
         "", WFA_REPLY_OPEN, 0},
        {"{\"choices\":[{\"index\":1,\"delta\":{\"content\":\"other\"}},"
         "{\"index\":0,\"delta\":{\"content\":\"a\"}}],\"error\":null}",
         "a", WFA_REPLY_OPEN, 0},
        {"{\"choices\":[{\"index\":0,\"delta\":{\"content\":\"b\"},\"finish_reason\":"
         "\"stop\"}],\"usage\":null}",
         "ab", WFA_REPLY_WHOLE, 0},
        {"{\"choices\":[],\"usage\":{\"prompt_tokens\":4,\"completion_tokens\":5}}", "ab",
         WFA_REPLY_WHOLE, 0},
        {"[DONE]", "ab", WFA_REPLY_WHOLE, 1},
        {NULL, NULL, WFA_REPLY_OPEN, 0},
    };

    begin(&wfa_openai);
    TEST_ASSERT_EQUAL(-1, reply.input_tokens);
    follow(steps);
    TEST_ASSERT_EQUAL(4, reply.input_tokens);
    TEST_ASSERT_EQUAL(5, reply.output_tokens);
}

static void test_a_refusal_stays_one(void)
{
    begin(&wfa_openai);
    TEST_ASSERT_EQUAL(0, say("{\"choices\":[{\"index\":0,\"delta\":{\"refusal\":\"no\"}}]}"));
    TEST_ASSERT_EQUAL(0, say("{\"choices\":[{\"index\":0,\"delta\":{},"
                             "\"finish_reason\":\"stop\"}]}"));
    TEST_ASSERT_EQUAL(WFA_REPLY_CUT, reply.state);
    TEST_ASSERT_EQUAL_STRING("refusal", reply.why);
}

static void test_failures(void)
{
    static const struct {
        const wfa_dialect *dialect;
        const char *event, *failure_class, *why;
    } cases[] = {
        {&wfa_anthropic,
         "{\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\","
         "\"message\":\"busy\"}}",
         "network", "overloaded_error: busy"},
        {&wfa_anthropic, "{\"type\":\"error\",\"error\":{\"type\":\"authentication_error\"}}",
         "auth", "authentication_error"},
        {&wfa_anthropic, "{\"type\":\"error\"}", "other", "an error without words"},
        {&wfa_openai,
         "{\"error\":{\"type\":\"x\",\"code\":\"invalid_api_key\","
         "\"message\":\"m\"}}",
         "auth", "x: m"},
        {&wfa_openai, "{\"error\":\"words\"}", "other", "words"},
        {&wfa_openai, "{\"error\":{\"message\":\"\\ud83d\\ude00\"}}", "other",
         "\xF0\x9F\x98\x80"},
    };
    size_t index;

    for (index = 0; index < sizeof cases / sizeof *cases; index++) {
        begin(cases[index].dialect);
        TEST_ASSERT_EQUAL(0, say(cases[index].event));
        TEST_ASSERT_EQUAL(WFA_REPLY_FAILED, reply.state);
        TEST_ASSERT_EQUAL(1, reply.over);
        TEST_ASSERT_EQUAL_STRING(cases[index].failure_class, reply.failure_class);
        TEST_ASSERT_EQUAL_STRING(cases[index].why, reply.why);
    }
}

static void test_what_cannot_be_read(void)
{
    static const struct {
        const char *event, *message;
    } cases[] = {
        {"{broken", "an event of the stream is not JSON: a syntax error at byte"},
        {"{\"a\":", "it ends too early"},
        {"{\"a\":\"\xFF\"}", "invalid UTF-8"},
        {"[]", "is not a JSON object"},
        {"", "is not JSON"},
        {"{\"type\":\"content_block_delta\",\"delta\":{\"type\":\"text_delta\",\"text\":\""
         "0123456789012345678901234567890123456789012345678901234567890123456789012345678901"
         "23456789012345678901234567890123456789\"}}",
         "longer than 100 bytes"},
    };
    size_t index;

    for (index = 0; index < sizeof cases / sizeof *cases; index++) {
        begin(&wfa_anthropic);
        TEST_ASSERT_EQUAL_MESSAGE(-1, say(cases[index].event), cases[index].event);
        TEST_ASSERT_NOT_NULL_MESSAGE(strstr(error.message, cases[index].message),
                                     error.message);
    }
}

static void test_whole_replies(void)
{
    static const char message[] = "{\"type\":\"message\",\"content\":[{\"type\":\"text\","
                                  "\"text\":\"a\"}],\"stop_reason\":\"max_tokens\"}";

    TEST_ASSERT_EQUAL(0, wfa_reply_whole(&reply, message, sizeof message - 1, &error));
    TEST_ASSERT_EQUAL(WFA_REPLY_CUT, reply.state);
    TEST_ASSERT_EQUAL_STRING("max_tokens", reply.why);
    TEST_ASSERT_EQUAL(-1, wfa_reply_whole(&reply, "{}", 2, &error));
    begin(&wfa_openai);
    TEST_ASSERT_EQUAL(-1, wfa_reply_whole(&reply, "{}", 2, &error));
    TEST_ASSERT_EQUAL_STRING("the reply is not a chat completion", error.message);
}

static void test_error_texts(void)
{
    static const char *const none[] = {"", "x", "{}", "[1]", "{\"error\":3}", "\xFF"};
    static const char *const ends[] = {"{\"error\":\"12345\\u00f6\"}",
                                       "{\"error\":\"123456\\u00f6\"}"};
    char text[8];
    size_t index;

    for (index = 0; index < sizeof none / sizeof *none; index++) {
        wfa_reply_error_text(none[index], strlen(none[index]), text, sizeof text);
        TEST_ASSERT_EQUAL_STRING("", text);
    }
    wfa_reply_error_text(ends[0], strlen(ends[0]), text, sizeof text);
    TEST_ASSERT_EQUAL_STRING("12345\xC3\xB6", text);
    wfa_reply_error_text(ends[1], strlen(ends[1]), text, sizeof text);
    TEST_ASSERT_EQUAL_STRING("123456", text); /* not half of a character */
}

static uint32_t next_number(void)
{
    static uint32_t state = 88172645;

    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    return state;
}

/* Whatever comes, the reply is in one of its states, and within its limit. */
static void test_mutated_events(void)
{
    static const char *const seeds[] = {
        "{\"type\":\"content_block_delta\",\"delta\":{\"type\":\"text_delta\",\"text\":\"b\"}}",
        "{\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\"},\"usage\":{}}",
        "{\"choices\":[{\"index\":0,\"delta\":{\"content\":\"b\"},\"finish_reason\":\"stop\"}]}",
        "{\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"busy\"}}"};
    static const char bytes[] = "{}[]\",:\\0123456789-truefalsnl\xFF\xC3";
    char event[200];
    int round;

    for (round = 0; round < 10000; round++) {
        size_t length, changes = next_number() % 4;
        if (round % 50 == 0)
            begin(round % 100 ? &wfa_openai : &wfa_anthropic);
        strcpy(event, seeds[next_number() % 4]);
        length = strlen(event);
        while (changes-- > 0)
            event[next_number() % length] = bytes[next_number() % (sizeof bytes - 1)];
        if (wfa_reply_event(&reply, event, length - next_number() % 2, &error) != 0)
            TEST_ASSERT_NOT_EQUAL('\0', error.message[0]);
        TEST_ASSERT_TRUE(reply.text.length <= reply.limit);
        TEST_ASSERT_TRUE(reply.state != WFA_REPLY_FAILED || reply.failure_class);
    }
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_bodies);
    RUN_TEST(test_anthropic);
    RUN_TEST(test_openai);
    RUN_TEST(test_a_refusal_stays_one);
    RUN_TEST(test_failures);
    RUN_TEST(test_what_cannot_be_read);
    RUN_TEST(test_whole_replies);
    RUN_TEST(test_error_texts);
    RUN_TEST(test_mutated_events);
    return UNITY_END() != 0;
}
