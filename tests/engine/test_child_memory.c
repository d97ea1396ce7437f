/* Children that start at once are little in memory: the document of their machine is there once, not once for each. */
#include <stdio.h>
#include <string.h>

#include "world.h"
#include "../counting_allocator.h"

/* Bytes: of a document, and the most that a child may take, with its record and its first snapshot in the store. */
enum { CHILDREN = 400, DOCUMENT = 100000, PER_CHILD = 10000 };

static const char parent[] =
    "{\"wfsm\":1,\"id\":\"p\",\"initial\":\"wait\",\"context\":{\"list\":[]},\"states\":{"
    "\"wait\":{\"invoke\":{\"src\":{\"var\":\"item\"},\"srcs\":[\"machine:c\",\"machine:d\"],"
    "\"items\":{\"var\":\"context.list\"},\"input\":{},\"onDone\":\"done\"}},\"done\":{\"type\":\"final\"}}}";

static wfsm_engine *engine;

void setUp(void)
{
    wfsm_engine_options options = {
        .size = sizeof options, .session = "one", .allocator = &counting};

    error = wfsm_error_new(NULL);
    OK(wfsm_memory_open(&store, &counting, error));
    OK(wfsm_engine_new(&engine, store, &options, error));
}

void tearDown(void)
{
    wfsm_engine_free(engine);
    world_close();
    TEST_ASSERT_EQUAL_size_t(0, alive);
}

/* It waits for an event. Its document is long. */
static void add_child(const char *id)
{
    static char text[DOCUMENT + 200];
    int head = snprintf(text, sizeof text, "{\"wfsm\":1,\"id\":\"%s\",\"description\":\"", id);

    memset(text + head, *id, DOCUMENT);
    snprintf(text + head + DOCUMENT, sizeof text - (size_t)head - DOCUMENT,
             "\",\"initial\":\"work\",\"states\":{\"work\":{\"on\":{\"GO\":\"done\"}},"
             "\"done\":{\"type\":\"final\"}}}");
    add_machine(engine, text);
}

static void start_parent(void)
{
    char input[CHILDREN * 16 + 20] = "{\"list\":[";

    for (int i = 0; i < CHILDREN; i++)
        strcat(input, i % 2 ? "\"machine:c\"," : "\"machine:d\",");
    strcpy(input + strlen(input) - 1, "]}");
    OK(wfsm_engine_start(engine, "p", "x", input, strlen(input), 0, error));
}

/* ---- what is stored ---- */

static struct {
    char fingerprint[2][WF_DIGEST_HEX]; /* of c and d */
    size_t children[2];
    size_t documents;
} stored;

static int32_t see_head(void *user, const wfsm_row *row)
{
    int which = *row->head->machine - 'c';

    (void)user;
    if (which != 0 && which != 1)
        return WFSM_OK;
    stored.children[which]++;
    snprintf(stored.fingerprint[which], WF_DIGEST_HEX, "%s", row->head->fingerprint);
    return WFSM_OK;
}

/* The description is the machine's name, over and over. */
static int32_t see_document(void *user, const wfsm_row *row)
{
    const char *name = user;

    TEST_ASSERT_GREATER_THAN_size_t(DOCUMENT, row->length);
    TEST_ASSERT_EQUAL_CHAR(*name, row->text[DOCUMENT / 2]);
    stored.documents++;
    return WFSM_OK;
}

static void check_stored(void)
{
    memset(&stored, 0, sizeof stored);
    OK(wfsm_store_list(store, NULL, see_head, NULL, error));
    for (int i = 0; i < 2; i++) {
        char name[] = {(char)('c' + i), '\0'};

        TEST_ASSERT_EQUAL_size_t(CHILDREN / 2, stored.children[i]);
        OK(wfsm_store_document(store, stored.fingerprint[i], see_document, name, error));
    }
    TEST_ASSERT_EQUAL_size_t(2, stored.documents);
}

/* ---- the memory of a child ---- */

static void many_children_start_at_once(void)
{
    size_t before;

    add_machine(engine, parent);
    add_child("c");
    add_child("d");
    start_parent();
    before = peak = alive;
    run(engine, 0);
    TEST_ASSERT_LESS_OR_EQUAL_size_t(CHILDREN * PER_CHILD, peak - before);
    check_stored();
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(many_children_start_at_once);
    return UNITY_END() != 0;
}
