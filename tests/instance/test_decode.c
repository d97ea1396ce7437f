/* Snapshots and records made by hand: a correct one, and all wrong variants of its parts. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unity.h>
#include "base/error.h"
#include "base/memory.h"
#include "store/decode.h"

static const char *const document =
    "{\"wfsm\":1,\"id\":\"thorough\",\"initial\":\"idle\",\"context\":{\"n\":1},"
    "\"budgets\":{\"tokens\":{\"limit\":10},\"time\":{\"limit\":5,\"counts\":\"time\"}},"
    "\"states\":{"
    "\"idle\":{\"on\":{\"GO\":\"work\",\"BACK\":\"work.deep\",\"SIDE\":\"work.left.shallow\"}},"
    "\"work\":{\"type\":\"parallel\",\"after\":{\"70\":\"idle\"},\"states\":{"
    "\"deep\":{\"type\":\"history\",\"history\":\"deep\",\"target\":\"left\"},"
    "\"flat\":{\"type\":\"history\",\"target\":\"left\"},"
    "\"left\":{\"initial\":\"a\",\"states\":{"
    "\"shallow\":{\"type\":\"history\",\"target\":\"a\"},"
    "\"a\":{\"initial\":\"x\",\"states\":{\"x\":{},\"y\":{}}},\"b\":{\"on\":{\"END\":\"#over\"}"
    "}}},"
    "\"right\":{\"initial\":\"run\",\"states\":{"
    "\"run\":{\"invoke\":[{\"id\":\"job\",\"src\":\"agent\",\"timeoutMs\":1000},"
    "{\"id\":\"more\",\"src\":\"other\"},"
    "{\"id\":\"map\",\"src\":\"agent\",\"items\":[1,2]}]},"
    "\"ran\":{\"type\":\"final\"}}}}},"
    "\"over\":{\"id\":\"over\",\"type\":\"final\"}}}";

static wfsm_error *error;
static wfsm_machine *machine;
static wfsm_allocator allocator;

void setUp(void)
{
    error = wfsm_error_new(NULL);
    wf_allocator_init(&allocator, NULL);
    TEST_ASSERT_EQUAL_INT32_MESSAGE(
        WFSM_OK, wfsm_machine_load(&machine, document, strlen(document), NULL, NULL, error),
        wfsm_error_message(error));
}

void tearDown(void)
{
    wfsm_machine_unref(machine);
    wfsm_error_free(error);
}

#define DIGEST "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define TIMER(number)                                                                          \
    "{\"number\":" number ",\"due\":170,\"raised\":{\"event\":\"t\",\"data\":null,\"id\":"     \
    "null}}"
#define AFTER(state, event)                                                                    \
    "{\"number\":2,\"due\":170,\"state\":\"" state "\",\"raised\":{\"event\":\"" event "\"}}"
#define WORK(id, invoke, agent, rest)                                                          \
    "{" id ",\"invoke\":\"" invoke "\",\"state\":\"work.right.run\",\"agent\":\"" agent        \
    "\"," rest "}"
#define FIRST "\"revision\":3,\"ordinal\":1"
#define SECOND "\"revision\":3,\"ordinal\":2"
#define PENDING "\"status\":\"pending\",\"attempt\":0,\"due\":90,\"input\":null"
#define RUNNING                                                                                \
    "\"status\":\"running\",\"attempt\":2,\"due\":1090,\"claimed\":90,\"retry_count\":1,"      \
    "\"retry_reason\":\"network\",\"owner\":\"me\",\"input\":{}"
#define NEED(count) ",\"need\":" count
#define SET(of, need) "\"set\":1,\"of\":" of need
#define ITEM(ordinal, set, rest)                                                               \
    WORK("\"revision\":3,\"ordinal\":" ordinal, "map", "agent", set "," rest)
#define ITEM_DONE                                                                              \
    "\"status\":\"done\",\"attempt\":1,\"claimed\":9,\"owner\":\"me\",\"result\":7,\"input\":" \
    "1"
#define ITEM_FAILED "\"status\":\"failed\",\"attempt\":0,\"result\":{},\"input\":1"
#define EFFECT(number, revision, ordinal)                                                      \
    "{\"number\":" number ",\"revision\":" revision ",\"ordinal\":" ordinal                    \
    ",\"emit\":{\"event\":\"e\",\"data\":[1]}}"

#define PARENT(attempt, depth)                                                                 \
    "{\"invocation\":\"up/1/1\",\"attempt\":" attempt ",\"depth\":" depth                      \
    ",\"descendants\":5,\"descendants_in_all\":9}"
#define BUDGETS(tokens, time) "{\"tokens\":{" tokens "},\"time\":{" time "}}"
#define SINCE "\"since\":50,\"limit\":5"
#define LIMITS(selections)                                                                     \
    "{\"selections\":" selections ",\"ruleSteps\":1000000,\"ruleBytes\":67108864,"             \
    "\"stepWork\":10000000,\"stepBytes\":25165824,\"descendants\":1000,"                       \
    "\"descendantsInAll\":100000}"
#define FAILED(invoke, signature, count)                                                       \
    "{\"invoke\":\"" invoke "\",\"signature\":" signature ",\"count\":" count "}"

/* A member and its JSON. NULL as JSON leaves it out. */
typedef struct part {
    const char *key, *json;
} part;

enum { PARTS = 22, CHANGES = 4 };
static const part right[PARTS] = {
    {"format", "1"},
    {"machine", "\"thorough\""},
    {"fingerprint", "F"},
    {"revision", "9"},
    {"now", "100"},
    {"limits", LIMITS("1000")},
    {"instance", "\"one\""},
    {"checkpoint", NULL},
    {"digest", "\"" DIGEST "\""},
    {"status", "\"running\""},
    {"parent", PARENT("1", "16")},
    {"timer_number", "5"},
    {"effect_number", "4"},
    {"output", NULL},
    {"configuration", "[\"work.left.a.x\",\"work.right.run\"]"},
    {"histories", "{\"work.deep\":[\"work.left.a.y\",\"work.right.ran\"],"
                  "\"work.flat\":[\"work.left\",\"work.right\"],"
                  "\"work.left.shallow\":[\"work.left.b\"]}"},
    {"context", "{\"n\":2,\"own\":[1.5,{\"a\":\"b\"}]}"},
    {"timers", "[" AFTER("work", "after.70.work") "," TIMER("4") "]"},
    {"invocations",
     "[" WORK(FIRST, "job", "agent", RUNNING) "," WORK(SECOND, "more", "other", PENDING) "]"},
    {"effects", "[" EFFECT("3", "4", "1") "," EFFECT("4", "4", "2") "]"},
    {"failures",
     "[" FAILED("more", "\"exit: code #\"", "7") "," FAILED("job", "\"s\"", "1") "]"},
    {"budgets", BUDGETS("\"used\":3,\"limit\":10,\"raised\":true", "\"since\":50,\"limit\":5")},
};

/* ---- building ---- */

static const part *find(const part *changes, const char *key)
{
    for (int i = 0; i < CHANGES && changes[i].key; i++)
        if (strcmp(changes[i].key, key) == 0)
            return &changes[i];
    return NULL;
}

static void add(char *text, size_t size, const part *one)
{
    size_t used = strlen(text);
    char own[80];
    snprintf(own, sizeof own, "\"%s\"", machine->fingerprint);
    if (one->json)
        snprintf(text + used, size - used, "%s\"%s\":%s", used > 1 ? "," : "", one->key,
                 strcmp(one->json, "F") == 0 ? own : one->json);
}

/* The members with the changes, and what is only in the changes at the end. */
static void build(char *text, size_t size, const part *parts, int count, const part *changes)
{
    strcpy(text, "{");
    for (int i = 0; i < count; i++) {
        const part *change = find(changes, parts[i].key);
        add(text, size, change ? change : &parts[i]);
    }
    for (int i = 0; i < CHANGES && changes[i].key; i++) {
        bool known = false;
        for (int k = 0; k < count; k++)
            known = known || strcmp(parts[k].key, changes[i].key) == 0;
        if (!known)
            add(text, size, &changes[i]);
    }
}

static int32_t read(wf_snapshot *snapshot, const part *changes, const char *checkpoint,
                    char digest[WF_DIGEST_HEX])
{
    char text[8192];
    build(text, sizeof text - WF_CHECKSUM_BYTES, right, PARTS, changes);
    wf_checksum_text(text, strlen(text), text + strlen(text));
    wf_stored stored = {"one", checkpoint, text, strlen(text), NULL};
    TEST_ASSERT_TRUE(wf_snapshot_init(snapshot, machine, &allocator));
    wfsm_error_set(error, WFSM_OK, "");
    return wf_snapshot_read(snapshot, &stored, digest, error);
}

static void expect(int32_t expected, int32_t status, const char *words, const part *change)
{
    char where[1024];
    snprintf(where, sizeof where, "%s = %s: %s", change->key,
             change->json ? change->json : "nothing", wfsm_error_message(error));
    TEST_ASSERT_EQUAL_INT32_MESSAGE(expected, status, where);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(wfsm_error_message(error), words), where);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(wfsm_error_message(error), "\"one\""), where);
}

/* ---- snapshots ---- */

static void test_what_is_right_is_read_and_written_again(void)
{
    const part nothing[CHANGES] = {{NULL, NULL}};
    char digest[WF_DIGEST_HEX], text[8192];
    wf_snapshot snapshot;
    wf_buffer out;
    build(text, sizeof text - WF_CHECKSUM_BYTES, right, PARTS, nothing);
    wf_checksum_text(text, strlen(text), text + strlen(text));
    TEST_ASSERT_EQUAL_INT32_MESSAGE(WFSM_OK, read(&snapshot, nothing, NULL, digest),
                                    wfsm_error_message(error));
    TEST_ASSERT_EQUAL_STRING(DIGEST, digest);
    wf_buffer_init(&out, &allocator);
    wf_snapshot_note note = {"one", NULL, snapshot.revision, digest};
    wf_snapshot_write(&out, &snapshot, &note);
    TEST_ASSERT_EQUAL_STRING(text, out.data);
    wf_buffer_fini(&out);
    wf_snapshot_fini(&snapshot);
}

static const struct {
    part changes[CHANGES];
    int32_t status;
    const char *words;
} snapshots[] = {
    {{{"format", "0"}}, WFSM_CORRUPT, "\"format\""},
    {{{"format", "2"}}, WFSM_VERSION, "format 2"},
    {{{"format", "1e300"}}, WFSM_CORRUPT, "\"format\""},
    {{{"format", "9007199254740992"}}, WFSM_VERSION, "format 9007199254740992"},
    {{{"format", "\"1\""}}, WFSM_CORRUPT, "\"format\""},
    {{{"machine", "\"other\""}}, WFSM_CORRUPT, "\"machine\""},
    {{{"fingerprint", "\"" DIGEST "\""}}, WFSM_CORRUPT, "\"fingerprint\""},
    {{{"revision", "0"}}, WFSM_CORRUPT, "\"revision\""},
    {{{"revision", "-1"}}, WFSM_CORRUPT, "\"revision\""},
    {{{"revision", "0.5"}}, WFSM_CORRUPT, "\"revision\""},
    {{{"revision", "1e300"}}, WFSM_CORRUPT, "\"revision\""},
    {{{"revision", "9007199254740993"}}, WFSM_CORRUPT, "2^53"},
    {{{"revision", "\"9\""}}, WFSM_CORRUPT, "\"revision\""},
    {{{"revision", "2"}}, WFSM_CORRUPT, "another revision"},
    {{{"now", "-1"}}, WFSM_CORRUPT, "\"now\""},
    {{{"limits", "{}"}}, WFSM_CORRUPT, "\"limits\""},
    {{{"limits", LIMITS("0")}}, WFSM_CORRUPT, "\"limits\""},
    {{{"limits", LIMITS("1.5")}}, WFSM_CORRUPT, "\"limits\""},
    {{{"limits", LIMITS("4294967296")}}, WFSM_CORRUPT, "\"limits\""},
    {{{"now", "89"}}, WFSM_CORRUPT, "claimed in the future"},
    {{{"instance", "\"two\""}}, WFSM_CORRUPT, "\"instance\""},
    {{{"checkpoint", "7"}}, WFSM_CORRUPT, "\"checkpoint\""},
    {{{"digest", "\"a\""}}, WFSM_CORRUPT, "\"digest\""},
    {{{"status", "\"runing\""}}, WFSM_CORRUPT, "\"status\""},
    {{{"status", "\"done\""}}, WFSM_CORRUPT, "\"status\""},
    {{{"more", "1"}}, WFSM_CORRUPT, "unknown key \"more\""},
    {{{"", "[]"}}, WFSM_CORRUPT, "unknown key \"\""},
    {{{"output", "1"}}, WFSM_CORRUPT, "output before the end"},

    {{{"configuration", "[]"}}, WFSM_CORRUPT, "configuration is not legal"},
    {{{"configuration", "[7]"}}, WFSM_CORRUPT, "expected paths"},
    {{{"configuration", "[\"nowhere\"]"}}, WFSM_CORRUPT, "expected paths"},
    {{{"configuration", "[\"\"]"}}, WFSM_CORRUPT, "expected paths"},
    {{{"configuration", "[\"work.left.a\",\"work.right.run\"]"}},
     WFSM_CORRUPT,
     "expected paths"},
    {{{"configuration", "[\"work.left.a.x\"]"}}, WFSM_CORRUPT, "configuration is not legal"},
    {{{"configuration", "[\"work.left.a.x\",\"work.left.b\",\"work.right.run\"]"}},
     WFSM_CORRUPT,
     "configuration is not legal"},
    {{{"configuration", "[\"idle\",\"work.left.a.x\",\"work.right.run\"]"}},
     WFSM_CORRUPT,
     "configuration is not legal"},
    {{{"configuration", "[\"work.left.shallow\",\"work.right.run\"]"}},
     WFSM_CORRUPT,
     "expected paths"},
    {{{"configuration", "[\"work.right.run\",\"work.left.a.x\"]"}},
     WFSM_CORRUPT,
     "document order"},
    {{{"configuration", "[\"work.left.b\",\"work.left.b\",\"work.right.run\"]"}},
     WFSM_CORRUPT,
     "document order"},
    {{{"configuration", "[\"idle\"]"}}, WFSM_CORRUPT, "timer belongs to a state"},
    {{{"configuration", "[\"idle\"]"}, {"timers", NULL}},
     WFSM_CORRUPT,
     "invocation belongs to a state"},
    {{{"configuration", "[\"over\"]"}, {"timers", NULL}, {"invocations", NULL}},
     WFSM_CORRUPT,
     "\"status\" contradicts"},
    {{{"configuration", "[\"over\"]"}, {"status", "\"done\""}, {"invocations", NULL}},
     WFSM_CORRUPT,
     "left after the end"},

    {{{"histories", "[]"}}, WFSM_CORRUPT, "\"histories\""},
    {{{"histories", "{}"}}, WFSM_CORRUPT, "\"histories\" is empty"},
    {{{"histories", "{\"work.left\":[]}"}}, WFSM_CORRUPT, "path of a history"},
    {{{"histories", "{\"work.nothing\":[]}"}}, WFSM_CORRUPT, "path of a history"},
    {{{"histories", "{\"work.deep\":1}"}}, WFSM_CORRUPT, "path of a history"},
    {{{"histories", "{\"work.left.shallow\":[\"work.right.run\"]}"}},
     WFSM_CORRUPT,
     "children of its parent"},
    {{{"histories", "{\"work.left.shallow\":[\"work.left.a.x\"]}"}},
     WFSM_CORRUPT,
     "children of its parent"},
    {{{"histories", "{\"work.left.shallow\":[\"work.left.shallow\"]}"}},
     WFSM_CORRUPT,
     "children of its parent"},
    {{{"histories", "{\"work.left.shallow\":[\"work.left.a\",\"work.left.b\"]}"}},
     WFSM_CORRUPT,
     "cannot be active together"},
    {{{"histories", "{\"work.flat\":[\"work.left\"]}"}},
     WFSM_CORRUPT,
     "cannot be active together"},
    {{{"histories", "{\"work.flat\":[\"work.right\",\"work.left\"]}"}},
     WFSM_CORRUPT,
     "document order"},
    {{{"histories", "{\"work.deep\":[\"work.left.a\",\"work.right.ran\"]}"}},
     WFSM_CORRUPT,
     "expected paths"},
    {{{"histories", "{\"work.deep\":[\"idle\"]}"}}, WFSM_CORRUPT, "expected paths"},
    {{{"histories", "{\"work.deep\":[\"work.right.ran\"]}"}},
     WFSM_CORRUPT,
     "cannot be active together"},
    {{{"histories", "{\"work.deep\":[\"work.left.a.x\",\"work.left.b\",\"work.right.ran\"]}"}},
     WFSM_CORRUPT,
     "cannot be active together"},

    {{{"status", "\"stopped\""}}, WFSM_CORRUPT, "left after the end"},
    {{{"parent", "1"}}, WFSM_CORRUPT, "\"parent\""},
    {{{"parent", "{}"}}, WFSM_CORRUPT, "\"parent\""},
    {{{"parent", PARENT("0", "1")}}, WFSM_CORRUPT, "\"parent\""},
    {{{"parent", PARENT("1.5", "1")}}, WFSM_CORRUPT, "\"parent\""},
    {{{"parent", PARENT("4294967296", "1")}}, WFSM_CORRUPT, "\"parent\""},
    {{{"parent", PARENT("1", "0")}}, WFSM_CORRUPT, "\"parent\""},
    {{{"parent", PARENT("1", "17")}}, WFSM_CORRUPT, "\"parent\""},
    {{{"parent", PARENT("1", "\"1\"")}}, WFSM_CORRUPT, "\"parent\""},
    {{{"parent", PARENT("1", "1,\"more\":1")}}, WFSM_CORRUPT, "\"parent\""},
    {{{"parent", "{\"invocation\":\"\",\"attempt\":1,\"depth\":1}"}},
     WFSM_CORRUPT,
     "\"parent\""},

    {{{"budgets", NULL}}, WFSM_CORRUPT, "\"budgets\""},
    {{{"budgets", "{}"}}, WFSM_CORRUPT, "\"budgets\""},
    {{{"budgets", "{\"tokens\":{\"used\":3,\"limit\":10}}"}}, WFSM_CORRUPT, "\"budgets\""},
    {{{"budgets", "{\"time\":{" SINCE "},\"tokens\":{\"used\":3,\"limit\":10}}"}},
     WFSM_CORRUPT,
     "out of order"},
    {{{"budgets", "{\"tokens\":{\"used\":3,\"limit\":10},\"more\":{" SINCE "}}"}},
     WFSM_CORRUPT,
     "a budget of the document"},
    {{{"budgets", "{\"tokens\":3,\"time\":{" SINCE "}}"}}, WFSM_CORRUPT, "an object"},
    {{{"budgets", BUDGETS("\"used\":-1,\"limit\":10", SINCE)}}, WFSM_CORRUPT, "\"used\""},
    {{{"budgets", BUDGETS("\"used\":0.5,\"limit\":10", SINCE)}}, WFSM_CORRUPT, "\"used\""},
    {{{"budgets", BUDGETS("\"used\":1e17,\"limit\":10", SINCE)}}, WFSM_CORRUPT, "\"used\""},
    {{{"budgets", BUDGETS("\"used\":1", SINCE)}}, WFSM_CORRUPT, "\"limit\""},
    {{{"budgets", BUDGETS("\"since\":1,\"limit\":1", SINCE)}}, WFSM_CORRUPT, "\"since\""},
    {{{"budgets", BUDGETS("\"used\":1,\"limit\":1,\"raised\":false", SINCE)}},
     WFSM_CORRUPT,
     "\"raised\""},
    {{{"budgets", BUDGETS("\"used\":1,\"limit\":1", "\"since\":101,\"limit\":1")}},
     WFSM_CORRUPT,
     "time in the future"},
    {{{"failures", "[1]"}}, WFSM_CORRUPT, "an object"},
    {{{"failures", "[" FAILED("nobody", "\"s\"", "1") "]"}}, WFSM_CORRUPT, "\"invoke\""},
    {{{"failures", "[" FAILED("job", "\"s\"", "1") "," FAILED("job", "\"t\"", "1") "]"}},
     WFSM_CORRUPT,
     "listed twice"},
    {{{"failures", "[]"}}, WFSM_CORRUPT, "\"failures\" is empty"},
    {{{"output", "null"}}, WFSM_CORRUPT, "says nothing"},
    {{{"failures", "[" FAILED("job", "7", "1") "]"}}, WFSM_CORRUPT, "\"signature\""},
    {{{"failures", "[" FAILED("job", "\"" DIGEST DIGEST "\"", "1") "]"}},
     WFSM_CORRUPT,
     "too long"},
    {{{"failures", "[" FAILED("job", "\"s\"", "0") "]"}}, WFSM_CORRUPT, "\"count\""},
    {{{"failures", "[" FAILED("job", "\"s\"", "4294967296") "]"}},
     WFSM_CORRUPT,
     "to 4294967295"},

    {{{"context", "[]"}}, WFSM_CORRUPT, "\"context\""},
    {{{"context", "{\"n\":1,\"n\":1}"}}, WFSM_CORRUPT, "every key once"},

    {{{"timer_number", "3"}}, WFSM_CORRUPT, "timers 1: its number"},
    {{{"timer_number", "9007199254740992"}}, WFSM_CORRUPT, "to 4503599627370496"},
    {{{"timer_number", "-1"}}, WFSM_CORRUPT, "\"timer_number\""},
    {{{"timers", "{}"}}, WFSM_CORRUPT, "\"timers\""},
    {{{"timers", "[1]"}}, WFSM_CORRUPT, "timers 0: expected an object"},
    {{{"timers", "[" TIMER("3") "," TIMER("3") "]"}}, WFSM_CORRUPT, "timers 1: its number"},
    {{{"timers", "[" TIMER("3") "," TIMER("2") "]"}}, WFSM_CORRUPT, "timers 1: its number"},
    {{{"timers", "[" TIMER("0") "]"}}, WFSM_CORRUPT, "\"number\""},
    {{{"timers", "[" TIMER("\"3\"") "]"}}, WFSM_CORRUPT, "\"number\""},
    {{{"timers", "[" AFTER("idle", "after.70.work") "]"}}, WFSM_CORRUPT, "raises no"},
    {{{"timers", "[" AFTER("work", "after.71.work") "]"}}, WFSM_CORRUPT, "raises no"},
    {{{"timers", "[" AFTER("nowhere", "after.70.work") "]"}}, WFSM_CORRUPT, "path of a state"},
    {{{"timers",
       "[{\"number\":2,\"due\":-5,\"raised\":{\"event\":\"t\",\"data\":1,\"id\":1}}]"}},
     WFSM_CORRUPT,
     "\"due\""},
    {{{"timers", "[{\"number\":2,\"due\":5,\"raised\":{\"event\":\"\",\"data\":1,\"id\":1}}]"}},
     WFSM_CORRUPT,
     "event's name"},
    {{{"timers", "[{\"number\":2,\"due\":5,\"raised\":{\"event\":\"t\",\"data\":1}}]"}},
     WFSM_CORRUPT,
     "event's name"},
    {{{"timers", "[{\"number\":2,\"due\":5,\"state\":\"work\","
                 "\"raised\":{\"event\":\"after.70.work\",\"data\":1}}]"}},
     WFSM_CORRUPT,
     "as \"raised\""},
    {{{"timers", "[{\"number\":2,\"due\":5,\"raised\":{\"event\":7,\"data\":1,\"id\":1}}]"}},
     WFSM_CORRUPT,
     "an event's name"},

    {{{"invocations", "[7]"}}, WFSM_CORRUPT, "invocations 0: expected an object"},
    {{{"invocations",
       "[" WORK(FIRST, "job", "agent", PENDING) "," WORK(FIRST, "more", "other", PENDING) "]"}},
     WFSM_CORRUPT,
     "invocations 1: ids must ascend"},
    {{{"invocations", "[" WORK(SECOND, "job", "agent", PENDING) "," WORK(FIRST, "more", "other",
                                                                         PENDING) "]"}},
     WFSM_CORRUPT,
     "ids must ascend"},
    {{{"invocations", "[" WORK(FIRST, "nothing", "agent", PENDING) "]"}},
     WFSM_CORRUPT,
     "an invoke of the document"},
    {{{"invocations", "[" WORK(FIRST, "job", "nobody", PENDING) "]"}},
     WFSM_CORRUPT,
     "\"agent\""},
    {{{"invocations", "[" WORK(FIRST, "job", "other", PENDING) "]"}},
     WFSM_CORRUPT,
     "\"agent\""},
    {{{"invocations", "[" WORK("\"revision\":10,\"ordinal\":1", "job", "agent", PENDING) "]"}},
     WFSM_CORRUPT,
     "another revision"},
    {{{"invocations", "[" WORK("\"revision\":3,\"ordinal\":0", "job", "agent", PENDING) "]"}},
     WFSM_CORRUPT,
     "\"ordinal\""},
    {{{"invocations",
       "[" WORK("\"revision\":3,\"ordinal\":4294967296", "job", "agent", PENDING) "]"}},
     WFSM_CORRUPT,
     "to 4294967295"},
    {{{"invocations", "[" WORK(FIRST, "job", "agent",
                               "\"status\":\"running\",\"attempt\":0,\"input\":null") "]"}},
     WFSM_CORRUPT,
     "at least one attempt"},
    {{{"invocations",
       "[" WORK(FIRST, "job", "agent",
                "\"status\":\"running\",\"attempt\":1,\"claimed\":90,\"input\":null") "]"}},
     WFSM_CORRUPT,
     "\"owner\""},
    {{{"invocations",
       "[" WORK(FIRST, "job", "agent",
                "\"status\":\"running\",\"attempt\":0,\"claimed\":9,\"owner\":\"me\","
                "\"input\":null") "]"}},
     WFSM_CORRUPT,
     "at least one attempt"},
    {{{"invocations",
       "[" WORK(FIRST, "job", "agent",
                "\"status\":\"running\",\"attempt\":1,\"claimed\":101,\"owner\":\"me\","
                "\"input\":null") "]"}},
     WFSM_CORRUPT,
     "in the future"},
    {{{"invocations", "[" WORK(FIRST, "job", "agent",
                               "\"status\":\"running\",\"attempt\":1,\"claimed\":9,\"owner\":7,"
                               "\"input\":null") "]"}},
     WFSM_CORRUPT,
     "\"owner\""},
    {{{"invocations", "[" WORK(FIRST, "job", "agent",
                               "\"status\":\"pending\",\"attempt\":0,\"due\":1,\"owner\":"
                               "\"me\",\"input\":null") "]"}},
     WFSM_CORRUPT,
     "\"owner\""},
    {{{"invocations", "[" WORK(FIRST, "job", "agent",
                               "\"status\":\"pending\",\"attempt\":0,\"input\":null") "]"}},
     WFSM_CORRUPT,
     "\"due\""},
    {{{"invocations",
       "[" WORK(FIRST, "job", "agent",
                "\"status\":\"waiting\",\"attempt\":0,\"due\":1,\"input\":null") "]"}},
     WFSM_CORRUPT,
     "\"status\""},
    {{{"invocations",
       "[" WORK(FIRST, "job", "agent", "\"status\":\"pending\",\"attempt\":0,\"due\":1") "]"}},
     WFSM_CORRUPT,
     "\"input\""},
    {{{"invocations",
       "[" WORK(
           FIRST, "job", "agent",
           "\"status\":\"pending\",\"attempt\":1,\"claimed\":1,\"due\":1,\"retry_count\":1,"
           "\"retry_reason\":\"weather\",\"input\":1") "]"}},
     WFSM_CORRUPT,
     "\"retry_reason\""},
    {{{"invocations",
       "[" WORK(
           FIRST, "job", "agent",
           "\"status\":\"pending\",\"attempt\":1,\"claimed\":1,\"due\":1,\"retry_count\":2,"
           "\"retry_reason\":\"network\",\"input\":1") "]"}},
     WFSM_CORRUPT,
     "\"retry_count\""},
    {{{"invocations",
       "[" WORK(
           FIRST, "job", "agent",
           "\"status\":\"pending\",\"attempt\":1,\"claimed\":1,\"due\":1,\"retry_count\":1,"
           "\"input\":1") "]"}},
     WFSM_CORRUPT,
     "\"retry_count\""},

    {{{"invocations", "[" ITEM("1", SET("2", NEED("1")),
                               PENDING) "," ITEM("2", SET("2", NEED("1")), ITEM_DONE) "]"}},
     WFSM_CORRUPT,
     "enough items"},
    {{{"invocations", "[" ITEM("1", SET("2", NEED("2")),
                               PENDING) "," ITEM("2", SET("2", NEED("2")), ITEM_FAILED) "]"}},
     WFSM_CORRUPT,
     "enough items"},
    {{{"invocations", "[" ITEM("1", SET("1", ""), ITEM_DONE) "]"}},
     WFSM_CORRUPT,
     "enough items"},
    {{{"invocations", "[" ITEM("1", SET("2", NEED("2")), PENDING) "]"}},
     WFSM_CORRUPT,
     "missing"},
    {{{"invocations", "[" ITEM("2", SET("2", NEED("2")), PENDING) "]"}},
     WFSM_CORRUPT,
     "missing"},
    {{{"invocations", "[" ITEM("1", SET("3", NEED("2")),
                               PENDING) "," ITEM("3", SET("3", NEED("2")), PENDING) "]"}},
     WFSM_CORRUPT,
     "missing"},
    {{{"invocations", "[" ITEM("1", SET("2", NEED("2")),
                               PENDING) "," ITEM("2", SET("2", NEED("1")), PENDING) "]"}},
     WFSM_CORRUPT,
     "missing"},
    {{{"invocations", "[" ITEM("3", SET("2", NEED("2")), PENDING) "]"}},
     WFSM_CORRUPT,
     "contradict each other"},
    {{{"invocations", "[" ITEM("1", SET("2", NEED("3")), PENDING) "]"}},
     WFSM_CORRUPT,
     "contradict each other"},
    {{{"invocations", "[" ITEM("1", SET("10001", NEED("3")), PENDING) "]"}},
     WFSM_CORRUPT,
     "to 10000"},
    {{{"invocations", "[" ITEM("1", SET("4294967296", NEED("3")), PENDING) "]"}},
     WFSM_CORRUPT,
     "to 10000"},
    {{{"invocations", "[" ITEM("1", "\"set\":{}", PENDING) "]"}}, WFSM_CORRUPT, "\"set\""},
    {{{"invocations", "[" ITEM("1", "\"set\":1", PENDING) "]"}}, WFSM_CORRUPT, "\"of\""},
    {{{"invocations", "[" ITEM("1", "\"set\":0,\"of\":1", PENDING) "]"}},
     WFSM_CORRUPT,
     "says nothing"},
    {{{"invocations", "[" WORK(FIRST, "map", "agent", PENDING) "]"}},
     WFSM_CORRUPT,
     "contradicts its \"invoke\""},
    {{{"invocations", "[" WORK(FIRST, "job", "agent", SET("1", NEED("1")) "," PENDING) "]"}},
     WFSM_CORRUPT,
     "contradicts its \"invoke\""},
    {{{"invocations", "[" WORK(FIRST, "job", "agent", ITEM_DONE) "]"}},
     WFSM_CORRUPT,
     "kept after its end"},
    {{{"invocations",
       "[" ITEM("1", SET("2", NEED("2")),
                "\"status\":\"done\",\"attempt\":0,\"result\":null,\"input\":1") "]"}},
     WFSM_CORRUPT,
     "\"result\""},
    {{{"invocations", "[" ITEM("1", SET("2", NEED("2")), "\"result\":1," PENDING) "]"}},
     WFSM_CORRUPT,
     "\"result\""},
    {{{"invocations",
       "[" ITEM("1", SET("2", NEED("2")),
                "\"status\":\"done\",\"attempt\":0,\"due\":1,\"result\":1,\"input\":1") "]"}},
     WFSM_CORRUPT,
     "\"due\""},
    {{{"invocations", "[" WORK(FIRST, "job", "agent", "\"pool\":{}," PENDING) "]"}},
     WFSM_CORRUPT,
     "\"pool\""},
    {{{"invocations",
       "[" WORK(FIRST, "job", "agent", "\"pool\":{\"priority\":\"urgent\"}," PENDING) "]"}},
     WFSM_CORRUPT,
     "\"pool\""},
    {{{"invocations",
       "[" WORK(FIRST, "job", "agent", "\"pool\":{\"group\":\"\"}," PENDING) "]"}},
     WFSM_CORRUPT,
     "\"pool\""},

    {{{"effect_number", "3"}}, WFSM_CORRUPT, "effects 1: its number"},
    {{{"effect_number", "5"}}, WFSM_CORRUPT, "last of the \"effects\" is missing"},
    {{{"effects", "[" EFFECT("4", "4", "1") "," EFFECT("3", "4", "2") "]"}},
     WFSM_CORRUPT,
     "does not follow"},
    {{{"effects", "[" EFFECT("2", "4", "1") "," EFFECT("4", "4", "2") "]"}},
     WFSM_CORRUPT,
     "does not follow"},
    {{{"effects", "[" EFFECT("4", "4", "1") "," EFFECT("4", "4", "2") "]"}},
     WFSM_CORRUPT,
     "does not follow"},
    {{{"effects", "[" EFFECT("3", "4", "2") "," EFFECT("4", "4", "2") "]"}},
     WFSM_CORRUPT,
     "does not follow"},
    {{{"effects", "[" EFFECT("3", "5", "1") "," EFFECT("4", "4", "1") "]"}},
     WFSM_CORRUPT,
     "does not follow"},
    {{{"effects", "[" EFFECT("4", "10", "1") "]"}}, WFSM_CORRUPT, "another revision"},
    {{{"effects", "[" EFFECT("4", "4", "0") "]"}}, WFSM_CORRUPT, "\"ordinal\""},
    {{{"effects", "[{\"number\":4,\"revision\":4,\"ordinal\":1,\"emit\":{\"event\":\"e\"}}]"}},
     WFSM_CORRUPT,
     "name and data"},
    {{{"effects", "[{\"number\":4,\"revision\":4,\"ordinal\":1,\"emit\":7}]"}},
     WFSM_CORRUPT,
     "\"emit\""},
};

static void test_every_wrong_part_of_a_snapshot_is_named(void)
{
    for (size_t i = 0; i < sizeof snapshots / sizeof *snapshots; i++) {
        char digest[WF_DIGEST_HEX];
        wf_snapshot snapshot;
        int32_t status = read(&snapshot, snapshots[i].changes, NULL, digest);
        expect(snapshots[i].status, status, snapshots[i].words, &snapshots[i].changes[0]);
        wf_snapshot_fini(&snapshot);
    }
}

static void test_items_may_wait_for_each_other(void)
{
    const part right_ones[][CHANGES] = {
        {{"invocations", "[" ITEM("1", SET("2", NEED("2")),
                                  PENDING) "," ITEM("2", SET("2", NEED("2")), ITEM_DONE) "]"}},
        {{"invocations",
          "[" ITEM("1", SET("2", ""), PENDING) "," ITEM("2", SET("2", ""), ITEM_FAILED) "]"}}};
    for (size_t i = 0; i < 2; i++) {
        char digest[WF_DIGEST_HEX];
        wf_snapshot snapshot;
        TEST_ASSERT_EQUAL_INT32_MESSAGE(WFSM_OK, read(&snapshot, right_ones[i], NULL, digest),
                                        wfsm_error_message(error));
        TEST_ASSERT_EQUAL_size_t(2, snapshot.extras->ledger.count);
        wf_snapshot_fini(&snapshot);
    }
}

/* Nothing of it: an empty list, for example. */
static bool may_be_missing(const char *key)
{
    static const char *const keys[] = {"parent",      "histories", "timers",
                                       "invocations", "effects",   "failures"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (strcmp(keys[i], key) == 0)
            return true;
    return false;
}

static void test_every_part_of_a_snapshot_must_be_there(void)
{
    for (int i = 0; i < PARTS; i++) {
        char digest[WF_DIGEST_HEX];
        const part without[CHANGES] = {{right[i].key, NULL}};
        wf_snapshot snapshot;
        int32_t status = read(&snapshot, without, NULL, digest);
        /* What they count contradicts the missing numbers. */
        bool number = strstr(right[i].key, "_number") != NULL;
        if (right[i].json && !may_be_missing(right[i].key))
            expect(WFSM_CORRUPT, status, number ? "its number" : right[i].key, &without[0]);
        else
            TEST_ASSERT_EQUAL_INT32(WFSM_OK, status);
        wf_snapshot_fini(&snapshot);
    }
}

static void test_a_checkpoint_is_the_one_that_was_asked_for(void)
{
    char digest[WF_DIGEST_HEX];
    const part named[CHANGES] = {{"checkpoint", "\"early\""}};
    const part unnamed[CHANGES] = {{"checkpoint", NULL}};
    const struct {
        const part *changes;
        const char *asked;
        int32_t status;
    } cases[] = {{named, "early", WFSM_OK},
                 {named, NULL, WFSM_OK},
                 {named, "late", WFSM_CORRUPT},
                 {unnamed, "early", WFSM_CORRUPT}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        wf_snapshot snapshot;
        TEST_ASSERT_EQUAL_INT32(cases[i].status,
                                read(&snapshot, cases[i].changes, cases[i].asked, digest));
        wf_snapshot_fini(&snapshot);
    }
}

/* ---- records: applied to the snapshot that is right ---- */

enum { MEMBERS = 6 };
static const part record[MEMBERS] = {
    {"format", "1"},
    {"revision", "10"},
    {"now", "110"},
    {"prev", "\"" DIGEST "\""},
    {"input", "{\"kind\":\"event\"}"},
    {"outcome", "\"taken\""},
};

#define MIGRATES "{\"kind\":\"migrate\"}"
#define NEW(ordinal) WORK("\"revision\":10,\"ordinal\":" ordinal, "job", "agent", PENDING)
#define UPDATE(rest) "{" FIRST "," rest "}"

static const struct {
    part changes[CHANGES];
    int32_t status;
    const char *words;
} records[] = {
    {{{"format", "2"}}, WFSM_VERSION, "format 2"},
    {{{"machine", "\"thorough\""}}, WFSM_CORRUPT, "only the first"},
    {{{"fingerprint", "F"}}, WFSM_CORRUPT, "only the first"},
    {{{"input", MIGRATES}}, WFSM_CORRUPT, "\"fingerprint\""},
    {{{"input", MIGRATES}, {"fingerprint", "F"}}, WFSM_CORRUPT, "\"machine\""},
    {{{"input", MIGRATES}, {"fingerprint", "\"x\""}, {"machine", "\"thorough\""}},
     WFSM_CORRUPT,
     "\"fingerprint\""},
    {{{"input", MIGRATES}, {"fingerprint", "F"}, {"machine", "\"x\""}},
     WFSM_CORRUPT,
     "\"machine\""},
    {{{"input", MIGRATES}, {"fingerprint", "F"}, {"machine", "\"thorough\""}},
     WFSM_CORRUPT,
     "\"limits\""},
    {{{"input", MIGRATES},
      {"fingerprint", "F"},
      {"machine", "\"thorough\""},
      {"limits", LIMITS("1000")}},
     WFSM_OK,
     ""},
    {{{"limits", LIMITS("7")}}, WFSM_OK, ""},
    {{{"limits", "7"}}, WFSM_CORRUPT, "\"limits\""},
    {{{"revision", "0"}}, WFSM_CORRUPT, "\"revision\""},
    {{{"revision", "9"}}, WFSM_CORRUPT, "record 10: it is record 9"},
    {{{"revision", "11"}}, WFSM_CORRUPT, "record 10: it is record 11"},
    {{{"now", "99"}}, WFSM_CORRUPT, "runs back"},
    {{{"prev", "\"\""}}, WFSM_CORRUPT, "\"prev\""},
    {{{"prev", NULL}}, WFSM_CORRUPT, "\"prev\""},
    {{{"input", NULL}}, WFSM_CORRUPT, "\"input\""},
    {{{"input", "{}"}}, WFSM_CORRUPT, "\"kind\""},
    {{{"outcome", "\"fine\""}}, WFSM_CORRUPT, "outcome"},
    {{{"more", "1"}}, WFSM_CORRUPT, "unknown key \"more\""},
    {{{"", "[]"}}, WFSM_CORRUPT, "unknown key \"\""},
    {{{"status", "\"done\""}}, WFSM_CORRUPT, "contradicts"},
    {{{"output", "1"}}, WFSM_CORRUPT, "output before the end"},
    {{{"output", "1"}, {"status", "\"done\""}}, WFSM_CORRUPT, "contradicts"},
    {{{"output", "1"}, {"status", "7"}}, WFSM_CORRUPT, "\"status\""},
    {{{"output", "null"}, {"status", "\"stopped\""}}, WFSM_CORRUPT, "left after the end"},
    {{{"status", "\"stopped\""}}, WFSM_CORRUPT, "left after the end"},
    {{{"parent", PARENT("1", "1")}}, WFSM_CORRUPT, "\"parent\" never changes"},
    {{{"budgets", "{}"}}, WFSM_CORRUPT, "\"budgets\""},
    {{{"budgets", "{\"nothing\":{\"used\":1,\"limit\":1}}"}},
     WFSM_CORRUPT,
     "a budget of the document"},
    {{{"failures", "[]"}}, WFSM_CORRUPT, "\"failures\" is empty"},
    {{{"failures", "[{\"invoke\":\"job\",\"count\":2}]"}}, WFSM_OK, ""},
    {{{"failures", "[{\"invoke\":\"job\",\"count\":null}]"}}, WFSM_CORRUPT, "\"count\""},
    {{{"failures_cleared", "[\"job\",\"more\"]"}}, WFSM_CORRUPT, "not there"},
    {{{"failures_cleared", "[\"more\"]"}, {"failures", "[" FAILED("more", "\"t\"", "1") "]"}},
     WFSM_OK,
     ""},
    {{{"budgets", "{\"time\":{\"used\":1,\"limit\":1}}"}}, WFSM_CORRUPT, "\"used\""},
    {{{"budgets", "{\"tokens\":{\"used\":-1,\"limit\":1}}"}}, WFSM_CORRUPT, "\"used\""},
    {{{"failures", "[" FAILED("nobody", "\"s\"", "1") "]"}}, WFSM_CORRUPT, "\"invoke\""},
    {{{"failures", "[" FAILED("job", "\"s\"", "1.5") "]"}}, WFSM_CORRUPT, "\"count\""},
    {{{"failures", "7"}}, WFSM_CORRUPT, "\"failures\""},
    {{{"configuration", "[\"work.left.b\"]"}}, WFSM_CORRUPT, "not legal"},
    {{{"configuration", "[\"idle\"]"}}, WFSM_CORRUPT, "not active"},
    {{{"histories", "{\"work.flat\":[\"work.left\"]}"}},
     WFSM_CORRUPT,
     "cannot be active together"},
    {{{"set", "[]"}}, WFSM_CORRUPT, "\"set\""},
    {{{"unset", "[\"n\"]"}}, WFSM_CORRUPT, "\"unset\""},
    {{{"unset", "{\"n\":1}"}}, WFSM_CORRUPT, "\"unset\", found \"n\""},
    {{{"unset", "{\"m\":null}"}}, WFSM_CORRUPT, "\"unset\", found \"m\""},
    {{{"timers", "[]"}}, WFSM_CORRUPT, "\"timers\" is empty"},
    {{{"timers_cleared", "[]"}}, WFSM_CORRUPT, "\"timers_cleared\""},
    {{{"timer_number", "4"}}, WFSM_CORRUPT, "\"timer_number\""},
    {{{"timer_number", "5"}, {"timers", "[" TIMER("5") "]"}},
     WFSM_CORRUPT,
     "timers 0: its number"},
    {{{"timer_number", "6"}, {"timers", "[" TIMER("7") "]"}},
     WFSM_CORRUPT,
     "timers 0: its number"},
    {{{"timer_number", "7"}, {"timers", "[" TIMER("6") "," TIMER("6") "]"}},
     WFSM_CORRUPT,
     "timers 1: its number"},
    {{{"timer_number", "6"}, {"timers_cleared", "[3]"}}, WFSM_CORRUPT, "not there"},
    {{{"timer_number", "6"}, {"timers_cleared", "[2,2]"}}, WFSM_CORRUPT, "not there"},
    {{{"timer_number", "6"}, {"timers_cleared", "[4,2]"}}, WFSM_CORRUPT, "not there"},
    {{{"timer_number", "6"}, {"timers_cleared", "[\"2\"]"}}, WFSM_CORRUPT, "a whole number"},
    {{{"timer_number", "6"}, {"timers_cleared", "[2.5]"}}, WFSM_CORRUPT, "a whole number"},
    {{{"invocations", "[]"}}, WFSM_CORRUPT, "\"invocations\" is empty"},
    {{{"invocations_cleared", "[]"}}, WFSM_CORRUPT, "\"invocations_cleared\""},
    {{{"invocations_cleared", "[[3,3]]"}}, WFSM_CORRUPT, "not there"},
    {{{"invocations_cleared", "[[3,1],[3,1]]"}}, WFSM_CORRUPT, "not there"},
    {{{"invocations_cleared", "[3]"}}, WFSM_CORRUPT, "an array of two numbers"},
    {{{"invocations_cleared", "[[3,1,1]]"}}, WFSM_CORRUPT, "an array of two numbers"},
    {{{"invocations", "[" NEW("1") "," NEW("1") "]"}}, WFSM_CORRUPT, "ids must ascend"},
    {{{"invocations", "[" NEW("2") "," NEW("1") "]"}}, WFSM_CORRUPT, "ids must ascend"},
    {{{"invocations", "[" WORK("\"revision\":9,\"ordinal\":1", "job", "agent", PENDING) "]"}},
     WFSM_CORRUPT,
     "another revision"},
    {{{"invocations", "[" WORK(FIRST, "job", "agent", PENDING) "]"}},
     WFSM_CORRUPT,
     "\"input\" never changes"},
    {{{"invocations",
       "[" WORK(SECOND, "job", "agent", "\"status\":\"pending\",\"attempt\":0,\"due\":1") "]"}},
     WFSM_CORRUPT,
     "\"invoke\" never changes"},
    {{{"effects", "[" EFFECT("4", "10", "1") "]"}}, WFSM_CORRUPT, "out of order"},
    {{{"effects", "[" EFFECT("6", "10", "1") "]"}}, WFSM_CORRUPT, "out of order"},
    {{{"effects", "[" EFFECT("5", "9", "1") "]"}}, WFSM_CORRUPT, "another revision"},
    {{{"effect_number", "6"},
      {"effects", "[" EFFECT("5", "10", "2") "," EFFECT("6", "10", "2") "]"}},
     WFSM_CORRUPT,
     "does not follow"},

    {{{"set", "{\"n\":3}"}}, WFSM_OK, ""},
    {{{"unset", "{\"n\":null}"}, {"set", "{\"k\":3}"}}, WFSM_OK, ""},
    {{{"timer_number", "7"},
      {"timers", "[" TIMER("6") "," TIMER("7") "]"},
      {"timers_cleared", "[2,4]"}},
     WFSM_OK,
     ""},
    {{{"invocations",
       "[" UPDATE("\"status\":\"pending\",\"due\":1,\"retry_count\":2") "," NEW("1") "]"},
      {"invocations_cleared", "[[3,2]]"}},
     WFSM_OK,
     ""},
    {{{"effect_number", "6"},
      {"effects", "[" EFFECT("5", "10", "1") "," EFFECT("6", "10", "3") "]"}},
     WFSM_OK,
     ""},
    {{{"effect_number", "5"}}, WFSM_CORRUPT, "\"effect_number\""},
};

static void test_records(void)
{
    const part nothing[CHANGES] = {{NULL, NULL}};
    for (size_t i = 0; i < sizeof records / sizeof *records; i++) {
        char digest[WF_DIGEST_HEX], text[4096];
        wf_snapshot snapshot;
        TEST_ASSERT_EQUAL_INT32(WFSM_OK, read(&snapshot, nothing, NULL, digest));
        build(text, sizeof text - 2, record, MEMBERS, records[i].changes);
        strcat(text, "}");
        wf_stored stored = {"one", NULL, text, strlen(text), NULL};
        int32_t status = wf_record_apply(&snapshot, &stored, digest, error);
        if (records[i].status != WFSM_OK)
            expect(records[i].status, status, records[i].words, &records[i].changes[0]);
        else
            TEST_ASSERT_EQUAL_INT32_MESSAGE(WFSM_OK, status, wfsm_error_message(error));
        wf_snapshot_fini(&snapshot);
    }
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_what_is_right_is_read_and_written_again);
    RUN_TEST(test_every_wrong_part_of_a_snapshot_is_named);
    RUN_TEST(test_items_may_wait_for_each_other);
    RUN_TEST(test_every_part_of_a_snapshot_must_be_there);
    RUN_TEST(test_a_checkpoint_is_the_one_that_was_asked_for);
    RUN_TEST(test_records);
    return UNITY_END() != 0;
}
