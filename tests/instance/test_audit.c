/* The audit replays journals, and reports rows that were changed. */
#include "support.h"
#include "../given.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unity.h>
#include <wfsm/audit.h>

static wfsm_error *error;
static wfsm_machine *machine;
static wfsm_functions *functions;
static wfsm_store *memory;
static char diagnostics[4000]; /* one a line */

void setUp(void)
{
    error = wfsm_error_new(NULL);
    diagnostics[0] = '\0';
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wfsm_machine_load(&machine, everything, strlen(everything),
                                                       NULL, NULL, error));
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wfsm_functions_new(&functions, NULL, error));
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, add_functions(functions, error));
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wfsm_memory_open(&memory, NULL, error));
}

void tearDown(void)
{
    wfsm_store_free(memory);
    wfsm_functions_free(functions);
    wfsm_machine_unref(machine);
    wfsm_error_free(error);
}

static void run_script(const char *id, int lines)
{
    wfsm_instance *instance = NULL;
    int32_t outcome;
    TEST_ASSERT_EQUAL_INT32(
        WFSM_OK, wfsm_instance_start(&instance, machine,
                                     START(id, .store = memory, .functions = functions,
                                           .input = "{\"n\":1}", .length = 7),
                                     0, error));
    for (int line = 0; line < lines; line++)
        TEST_ASSERT_EQUAL_INT32(WFSM_OK, run_line(instance, line, &outcome, error));
    wfsm_instance_free(instance);
}

static int32_t note(void *user, const wfsm_audit_diagnostic *diagnostic)
{
    size_t used = strlen(diagnostics);
    (void)user;
    snprintf(diagnostics + used, sizeof diagnostics - used, "%s@%d: %s\n", diagnostic->instance,
             (int)diagnostic->revision, diagnostic->message);
    return WFSM_OK;
}

static wfsm_audit_counts audit(wfsm_store *store, const char *id)
{
    wfsm_audit_counts counts = {.size = sizeof counts};
    TEST_ASSERT_EQUAL_INT32_MESSAGE(WFSM_OK,
                                    wfsm_store_audit(store, id, note, NULL, &counts, error),
                                    wfsm_error_message(error));
    return counts;
}

/* Every input comes out again, byte for byte, wherever the script ends. */
static void test_replay_gives_every_record_again(void)
{
    char id[16];
    for (int lines = 0; lines <= SCRIPT_LENGTH; lines++) {
        snprintf(id, sizeof id, "i%02d", lines);
        run_script(id, lines);
    }
    wfsm_audit_counts counts = audit(memory, NULL);
    TEST_ASSERT_EQUAL_STRING("", diagnostics);
    TEST_ASSERT_EQUAL_UINT64(SCRIPT_LENGTH + 1, counts.instances);
    TEST_ASSERT_EQUAL_UINT64(0, counts.diagnostics);
    TEST_ASSERT_GREATER_THAN_UINT64(400, counts.records);
    TEST_ASSERT_GREATER_THAN_UINT64(20, counts.checkpoints);
}

/* ---- a store whose rows are changed on the way out ---- */

typedef struct changing {
    flaky base; /* its inner store is asked */
    wfsm_store_vtable real;
    uint64_t revision;  /* of the record that is changed, 0: the snapshot */
    const char *old, *new; /* of the same length */
    wfsm_row_sink sink;
    void *user;
} changing;

static int32_t change(void *user, const wfsm_row *row)
{
    changing *self = user;
    wfsm_row copy = *row;
    char *text = malloc(row->length + 1);
    memcpy(text, row->text, row->length);
    text[row->length] = '\0';
    char *at = row->revision == self->revision ? strstr(text, self->old) : NULL;
    if (at)
        memcpy(at, self->new, strlen(self->new));
    copy.text = text;
    int32_t status = self->sink(self->user, &copy);
    free(text);
    return status;
}

/* In what is listed: the name, the artifacts, or (revision set) the revision of `old`. */
static int32_t change_listed(void *user, const wfsm_row *row)
{
    changing *self = user;
    wfsm_row copy = *row;
    char text[200];
    snprintf(text, sizeof text, "%.*s", (int)row->length, row->text);
    char *at = self->new ? strstr(text, self->old) : NULL;
    if (at)
        memcpy(at, self->new, strlen(self->new));
    copy.text = text;
    if (strcmp(row->id, self->old) == 0 && self->revision != 0)
        copy.revision = self->revision;
    else if (strcmp(row->id, self->old) == 0)
        copy.id = self->new;
    return self->sink(self->user, &copy);
}

static int32_t changed_records(void *user, const char *id, uint64_t from, uint64_t to,
                               wfsm_row_sink sink, void *sink_user, wfsm_error *failed)
{
    changing *self = user;
    self->sink = sink;
    self->user = sink_user;
    return self->real.records(&self->base, id, from, to, change, self, failed);
}

static int32_t changed_checkpoints(void *user, const char *id, wfsm_row_sink sink,
                                   void *sink_user, wfsm_error *failed)
{
    changing *self = user;
    self->sink = sink;
    self->user = sink_user;
    return self->real.checkpoints(&self->base, id, change_listed, self, failed);
}

/* In the records of an instance, or with `listed` in the list of its checkpoints. */
static void find_in(const char *id, bool listed, const changing *what, const char *expected)
{
    changing self = *what;
    wfsm_store *plain = NULL, *store = NULL;
    diagnostics[0] = '\0';
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, flaky_open(&plain, &self.base, NULL, error));
    self.real = plain->vtable;
    wfsm_store_vtable vtable = plain->vtable;
    if (listed)
        vtable.checkpoints = changed_checkpoints;
    else
        vtable.records = changed_records;
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wfsm_store_new(&store, &vtable, &self, NULL, error));
    wfsm_audit_counts counts = audit(store, id);
    TEST_ASSERT_EQUAL_STRING(expected, diagnostics);
    TEST_ASSERT_EQUAL_UINT64(1, counts.diagnostics);
    wfsm_store_free(store);
    wfsm_store_free(plain);
}

static void find_change(uint64_t revision, const char *old, const char *new,
                        const char *expected)
{
    changing what = {.base = {.inner = memory}, .revision = revision, .old = old, .new = new};
    find_in("one", false, &what, expected);
}

/* The list of checkpoints is what the records say: names, artifacts, which is the newest. */
static void test_a_changed_list_of_checkpoints_is_found(void)
{
    run_script("one", 26);
    changing artifact = {.base = {.inner = memory}, .old = "file1", .new = "file2"};
    find_in("one", true, &artifact,
            "one@4: the artifacts of the checkpoint \"early\" are not those of its record\n");
    changing newest = {.base = {.inner = memory}, .old = "early", .revision = 99};
    find_in("one", true, &newest, "one@99: the checkpoint \"early\" was made by record 4\n");
    changing other = {.base = {.inner = memory}, .old = "early", .new = "other"};
    find_in("one", true, &other, "one@4: no record keeps the checkpoint \"other\"\n");
}

static void test_a_changed_fork_is_found(void)
{
    wfsm_instance *source = NULL, *fork = NULL;
    run_script("one", 10);
    TEST_ASSERT_EQUAL_INT32(
        WFSM_OK, wfsm_instance_load(&source, machine, memory, functions, "one", error));
    TEST_ASSERT_EQUAL_INT32(WFSM_OK,
                            wfsm_instance_fork(&fork, source, FROM("early"), "two", 9, error));
    wfsm_instance_free(source);
    wfsm_instance_free(fork);
    const struct {
        const char *old, *new, *expected;
    } cases[] = {
        {"\"context\":{\"n\":2", "\"context\":{\"n\":3",
         "two@1: the state that it begins with is malformed\n"},
        {"\"source\":\"one\"", "\"source\":\"two\"",
         "two@1: the state that it begins with is malformed\n"},
        {"\"checkpoint\":\"early\"", "\"checkpoint\":\"other\"",
         "two@1: the state that it begins with is malformed\n"},
        {"\"one\",\"revision\":4", "\"one\",\"revision\":5",
         "two@1: the state that it begins with is malformed\n"},
        {"\"snapshot\":", "\"snapsh0t\":", "two@1: a fork does not name its source\n"},
        {"\"fork\"", "\"f0rk\"", "two@1: the input is of an unknown kind\n"},
        {"\"set\":{\"n\":2", "\"set\":{\"n\":3",
         "two@1: the same input does not give this record\n"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        changing what = {
            .base = {.inner = memory}, .revision = 1, .old = cases[i].old, .new = cases[i].new};
        find_in("two", false, &what, cases[i].expected);
    }
}

static void test_a_changed_restore_is_found(void)
{
    static const char malformed[] = "one@14: the state that it begins with is malformed\n";
    static const struct {
        const char *old, *new, *expected;
    } cases[] = {
        {"\"context\":{\"n\":2", "\"context\":{\"n\":3", malformed},
        {"\"instance\":\"one\"", "\"instance\":\"two\"", malformed},
        {"\"restore\",\"revision\":2", "\"restore\",\"revision\":3", malformed},
        {"\"restore\",\"revision\":2", "\"restore\",\"rev1sion\":2", malformed},
        {"\"snapshot\":", "\"snapsh0t\":", "one@14: a restore does not have its state\n"},
        {"\"set\":{\"n\":2", "\"set\":{\"n\":3",
         "one@14: the same input does not give this record\n"},
    };
    wfsm_instance *instance = NULL;
    int32_t outcome;
    run_script("one", 13);
    TEST_ASSERT_EQUAL_INT32(
        WFSM_OK, wfsm_instance_load(&instance, machine, memory, functions, "one", error));
    /* The record of the restore has the keys that it changes. */
    TEST_ASSERT_EQUAL_INT32(
        WFSM_OK, wfsm_instance_patch(instance, "{\"n\":9}", 7, 850, &outcome, error));
    TEST_ASSERT_EQUAL_INT32_MESSAGE(
        WFSM_OK, wfsm_instance_restore(instance, AT(2), 900, &outcome, error),
        wfsm_error_message(error));
    TEST_ASSERT_EQUAL_UINT64(14, wfsm_instance_revision(instance));
    wfsm_instance_free(instance);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        find_change(14, cases[i].old, cases[i].new, cases[i].expected);
}

static void test_changed_rows_are_found(void)
{
    run_script("one", 20);
    find_change(2, "\"n\":2", "\"n\":3", "one@2: the same input does not give this record\n");
    find_change(2, "INC", "GO ", "one@2: the same input does not give this record\n");
    find_change(1, "\"start\"", "\"event\"",
                "one@1: the first record, and no other, is a start or a fork\n");
    find_change(5, "\"format\"", "\"formal\"",
                "one@5: the same input does not give this record\n");
    find_change(1, "\"fingerprint\"", "\"fingerprinT\"", "one@1: the record is malformed\n");
    find_change(3, "{\"format", "[\"format", "one@3: the record is malformed\n");
}

/* Inputs that cannot have been, each in a record that was sound. */
static void test_inputs_that_cannot_have_been_are_found(void)
{
    static const struct {
        uint64_t revision;
        const char *old, *new, *expected;
    } cases[] = {
        {4, "\"kind\":\"checkpoint\"", "\"kind\":\"timer\"     ", "nothing was due then"},
        {33, "\"kind\":\"delete_checkpoint\"", "\"kind\":\"stop\"             ",
         "it had ended already"},
        {33, "\"kind\":\"delete_checkpoint\"", "\"kind\":\"restore\"          ",
         "a restore does not have its state"},
        {21, "\"patch\":{\"n\":5,\"new\":{\"k\":\"v\"}}", "\"patch\":[5                    ]",
         "a patch is not an object"},
        {29, "\"id\":\"late\"", "\"id\":\"lost\"", "there was no such checkpoint"},
        {30, "\"id\":\"early\"", "\"id\":\"other\"", "there was no such checkpoint"},
        {11, "\"class\":\"network\"", "\"class\":\"networX\"",
         "there is no such failure class"},
        {11, "\"class\":\"network\"", "\"class\":        7", "there is no such failure class"},
        {11, "\"one/7/1-", "\"one/8/1-", "no such invocation was outstanding then"},
        {11, "{\"tokens\":7,\"heat\":1}", "{\"tokens\":-7        }",
         "usage must be whole numbers"},
        {11, "{\"tokens\":7,\"heat\":1}", "{\"tokens\":9e99      }",
         "usage must be whole numbers"},
        {11, "{\"tokens\":7,\"heat\":1}", "{\"tokens\":\"7\"       }",
         "usage must be whole numbers"},
        {11, "{\"tokens\":7,\"heat\":1}", "[7                  ]",
         "the same input does not give this record"},
        {11, "\"retry_after\":60", "\"retry_after\":-6",
         "the same input does not give this record"},
        {11, "\"retry_after\":60", "\"retry_after\":\"\"",
         "the same input does not give this record"},
        {13, "{\"no\":1}", "[      ]", "the same input does not give this record"},
        {13, "\"one/7/1-", "\"one/8/1-", "no such invocation was outstanding then"},
        {7, "\"incarnation\":", "\"incarnatioN\":", "the same input does not give this record"},
        {2, "\"host\":[", "\"hosT\":[", "the same input does not give this record"},
        {2, "\"host\":[{\"action\":\"note\",\"answer\":{\"note\":\"noted\",\"extra\":[true]}}]",
         "\"host\":                                                           7",
         "the same input does not give this record"},
        {2, "\"action\":\"note\"", "\"action\":\"nota\"",
         "the same input does not give this record"},
        {5, "\"action\":\"broken\"", "\"action\":\"brokes\"",
         "the same input does not give this record"},
        {5, "\"message\":\"out of paint\"}]", "\"massage\":\"out of paint\"}]",
         "the same input does not give this record"},
        {7, "\"guard\":\"allowed\"", "\"guard\":\"allowes\"",
         "the same input does not give this record"},
        {24, "\"owner\":\"you\"", "\"owner\":\"\"   ",
         "the same input does not give this record"},
        {23, "\"kind\":\"restore\"", "\"kind\":\"stop\"   ",
         "the same input does not give this record"},
    };
    run_script("one", SCRIPT_LENGTH);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char expected[200];
        snprintf(expected, sizeof expected, "one@%d: %s\n", (int)cases[i].revision,
                 cases[i].expected);
        find_change(cases[i].revision, cases[i].old, cases[i].new, expected);
    }
}

/* ---- a store in whose inbox posts wait that it should have refused ---- */

static const char *const posts[] = {"b", NULL, "e1", "zz", "a", "damaged"};

static int32_t forged_inbox(void *user, const char *id, uint64_t limit, wfsm_row_sink sink,
                            void *sink_user, wfsm_error *failed)
{
    const changing *self = user;
    (void)limit;
    (void)failed;
    for (uint64_t i = 0; i < self->revision; i++) {
        const wfsm_row post = {.size = sizeof post,
                               .instance = id,
                               .id = posts[i],
                               .name = "INC",
                               .text = "null",
                               .length = 4,
                               .number = i + 1};
        if (posts[i] && strcmp(posts[i], "damaged") == 0)
            return WFSM_CORRUPT; /* after the others, as stores do */
        int32_t status = sink(sink_user, &post);
        if (status != WFSM_OK)
            return status;
    }
    return WFSM_OK;
}

static void find_among(uint64_t count, uint64_t expected_diagnostics, const char *expected)
{
    changing self = {.base = {.inner = memory}, .revision = count};
    wfsm_store *plain = NULL, *store = NULL;
    diagnostics[0] = '\0';
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, flaky_open(&plain, &self.base, NULL, error));
    wfsm_store_vtable vtable = plain->vtable;
    vtable.inbox = forged_inbox;
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wfsm_store_new(&store, &vtable, &self, NULL, error));
    wfsm_audit_counts counts = audit(store, NULL);
    TEST_ASSERT_EQUAL_STRING(expected, diagnostics);
    TEST_ASSERT_EQUAL_UINT64(expected_diagnostics, counts.diagnostics);
    wfsm_store_free(store);
    wfsm_store_free(plain);
}

static void test_a_post_of_a_taken_event_is_found(void)
{
    wfsm_instance *instance = NULL;
    int32_t outcome;
    TEST_ASSERT_EQUAL_INT32(
        WFSM_OK, wfsm_instance_start(&instance, machine,
                                     START("one", .store = memory, .functions = functions,
                                           .input = "{\"n\":1}", .length = 7),
                                     0, error));
    TEST_ASSERT_EQUAL_INT32(
        WFSM_OK, wfsm_instance_send(instance, EVENT("INC", .id = "e1"), 1, &outcome, error));
    wfsm_instance_free(instance);
    find_among(0, 0, "");
    find_among(2, 0, "");
    find_among(3, 1, "one@2: its event \"e1\" waits in the inbox, and would be taken again\n");
    find_among(6, 2,
               "one@0: what is stored of it cannot be read\n"
               "one@2: its event \"e1\" waits in the inbox, and would be taken again\n");
}

static void test_unknown_instance(void)
{
    wfsm_audit_counts counts = {.size = sizeof counts};
    TEST_ASSERT_EQUAL_INT32(WFSM_NOT_FOUND,
                            wfsm_store_audit(memory, "none", note, NULL, &counts, error));
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_replay_gives_every_record_again);
    RUN_TEST(test_changed_rows_are_found);
    RUN_TEST(test_inputs_that_cannot_have_been_are_found);
    RUN_TEST(test_a_changed_list_of_checkpoints_is_found);
    RUN_TEST(test_a_changed_fork_is_found);
    RUN_TEST(test_a_changed_restore_is_found);
    RUN_TEST(test_a_post_of_a_taken_event_is_found);
    RUN_TEST(test_unknown_instance);
    return UNITY_END() != 0;
}
