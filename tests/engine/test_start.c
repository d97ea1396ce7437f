/* What wfsm_engine_start() refuses, and how it says so. */
#include <string.h>

#include "world.h"

static wfsm_engine *engine;

void setUp(void)
{
    world_open();
    engine = engine_of("one", 0);
    add_machine(engine, "{\"wfsm\":1,\"id\":\"m\",\"initial\":\"s\",\"schemas\":{\"context\":{"
                        "\"type\":\"object\",\"properties\":{\"n\":{\"type\":\"number\"}}}},"
                        "\"states\":{\"s\":{}}}");
    start(engine, "m", "taken", 0);
}

void tearDown(void)
{
    wfsm_engine_free(engine);
    world_close();
}

typedef struct refusal {
    const char *machine, *id, *input;
    int64_t now;
    int32_t status;
    const char *sentence;
} refusal;

static void each_cause_has_its_sentence(void)
{
    char longest[300];
    const refusal cases[] = {
        {NULL, "x", NULL, 0, WFSM_INVALID, "the name of the machine is NULL"},
        {"m", NULL, NULL, 0, WFSM_INVALID, "the id of the new instance is NULL"},
        {"m", "", NULL, 0, WFSM_INVALID, "the id of the new instance is empty"},
        {"m", longest, NULL, 0, WFSM_INVALID,
         "the id of the new instance has 299 bytes; it may have 255"},
        {"m", "\xff", NULL, 0, WFSM_INVALID, "the id of the new instance is not UTF-8"},
        {"m", "x", NULL, -1, WFSM_INVALID, "the time is negative"},
        {"n", "x", NULL, 0, WFSM_NOT_FOUND, "no machine \"n\" was added"},
        {"m", "taken", NULL, 0, WFSM_EXISTS, "there is an instance \"taken\" already"},
        {"m", "x", "{", 0, WFSM_SYNTAX, "end"},
        {"m", "x", "[1]", 0, WFSM_SEMANTIC, "the input must be a JSON object"},
        {"m", "x", "{\"n\":\"a\"}", 0, WFSM_SEMANTIC, "context"},
    };

    memset(longest, 'a', sizeof longest);
    longest[299] = '\0';
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const refusal *c = &cases[i];
        size_t length = c->input ? strlen(c->input) : 0;

        STATUS(c->status,
               wfsm_engine_start(engine, c->machine, c->id, c->input, length, c->now, error));
        TEST_ASSERT_NOT_NULL_MESSAGE(strstr(wfsm_error_message(error), c->sentence),
                                     wfsm_error_message(error));
    }
    STATUS(WFSM_INVALID, wfsm_engine_start(engine, "m", "x", NULL, 3, 0, error));
    TEST_ASSERT_EQUAL_STRING("the input is NULL, but its length is not 0",
                             wfsm_error_message(error));
    STATUS(WFSM_INVALID, wfsm_engine_start(NULL, "m", "x", NULL, 0, 0, error));
    TEST_ASSERT_EQUAL_STRING("no engine", wfsm_error_message(error));
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(each_cause_has_its_sentence);
    return UNITY_END() != 0;
}
