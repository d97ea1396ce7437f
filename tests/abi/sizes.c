/* The structs in every size that a caller may pass. */
#include "sizes.h"

#include <string.h>

enum { ROOM = 1024, LATER = 24 };

const char sizes_document[] =
    "{\"id\": \"m\", \"initial\": \"a\", \"context\": {\"n\": 0},"
    " \"properties\": {\"p\": {\"never\": {\"in_state\": \"nowhere\"}}},"
    " \"states\": {\"a\": {\"invoke\": {\"id\": \"w\", \"src\": \"worker\", \"onDone\": "
    "\"b\"}},"
    "  \"b\": {\"type\": \"final\"}, \"nowhere\": {\"type\": \"final\"}}}";

wfsm_machine *machine;
wfsm_store *store;
wfsm_instance *instance;

void setUp(void)
{
    TEST_ASSERT_EQUAL(WFSM_OK, wfsm_machine_load(&machine, sizes_document,
                                                 strlen(sizes_document), NULL, NULL, NULL));
    TEST_ASSERT_EQUAL(WFSM_OK, wfsm_memory_open(&store, NULL, NULL));
    TEST_ASSERT_EQUAL(
        WFSM_OK, wfsm_instance_start(&instance, machine, START("i", .store = store), 1, NULL));
}

void tearDown(void)
{
    wfsm_instance_free(instance);
    wfsm_store_free(store);
    wfsm_machine_unref(machine);
}

wfsm_engine *an_engine(void)
{
    wfsm_engine *made = NULL;
    TEST_ASSERT_EQUAL(
        WFSM_OK, wfsm_engine_new(&made, store,
                                 &(wfsm_engine_options){.size = sizeof(wfsm_engine_options),
                                                        .session = "test"},
                                 NULL));
    return made;
}

int32_t no_row(void *user, const wfsm_row *row)
{
    (void)user;
    (void)row;
    return WFSM_OK;
}

static int32_t hand_in(take *taken, const void *full, size_t known, size_t size,
                       unsigned char tail)
{
    union {
        max_align_t aligned;
        unsigned char bytes[ROOM];
    } given;

    memset(given.bytes, tail, sizeof given.bytes);
    memcpy(given.bytes, full, known);
    memcpy(given.bytes, &size, sizeof size);
    return taken(given.bytes);
}

void takes(const char *name, take *taken, const void *full, size_t known, size_t least)
{
    TEST_ASSERT_EQUAL_MESSAGE(WFSM_OK, hand_in(taken, full, known, known, 0), name);
    TEST_ASSERT_EQUAL_MESSAGE(WFSM_OK, hand_in(taken, full, known, known + LATER, 0), name);
    TEST_ASSERT_EQUAL_MESSAGE(WFSM_OK, hand_in(taken, full, least, least, 0xff), name);
    TEST_ASSERT_NOT_EQUAL_MESSAGE(WFSM_OK, hand_in(taken, full, known, known + LATER, 1), name);
    TEST_ASSERT_NOT_EQUAL_MESSAGE(WFSM_OK, hand_in(taken, full, known, least - 1, 0), name);
    TEST_ASSERT_NOT_EQUAL_MESSAGE(WFSM_OK, hand_in(taken, full, known, 0, 0), name);
    TEST_ASSERT_NOT_EQUAL_MESSAGE(WFSM_OK, hand_in(taken, full, known, SIZE_MAX, 0), name);
}

void gives_but(const char *name, give *given, size_t known, size_t least, size_t hole)
{
    union {
        max_align_t aligned;
        unsigned char bytes[ROOM];
    } full, other;
    const size_t sizes[] = {known, least, known + LATER};

    memset(full.bytes, 0, sizeof full.bytes);
    memcpy(full.bytes, &known, sizeof known);
    TEST_ASSERT_EQUAL_MESSAGE(WFSM_OK, given(full.bytes), name);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        memset(other.bytes, 0xaa, sizeof other.bytes);
        memcpy(other.bytes, &sizes[i], sizeof sizes[i]);
        TEST_ASSERT_EQUAL_MESSAGE(WFSM_OK, given(other.bytes), name);
        TEST_ASSERT_EQUAL_MEMORY_MESSAGE(&sizes[i], other.bytes, sizeof sizes[i], name);
        for (size_t at = sizeof(size_t); at < ROOM; at++) {
            if (hole && at >= hole && at < hole + 4)
                continue;
            int wanted = at >= sizes[i] ? 0xaa : at < known ? full.bytes[at] : 0;
            TEST_ASSERT_EQUAL_HEX8_MESSAGE(wanted, other.bytes[at], name);
        }
    }
    memset(other.bytes, 0, sizeof other.bytes);
    TEST_ASSERT_EQUAL_MESSAGE(WFSM_INVALID, given(other.bytes), name);
    memset(other.bytes, 0xff, sizeof other.bytes);
    TEST_ASSERT_EQUAL_MESSAGE(WFSM_INVALID, given(other.bytes), name);
}

void gives(const char *name, give *given, size_t known, size_t least)
{
    gives_but(name, given, known, least, 0);
}
