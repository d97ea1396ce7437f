/* wfsm_store_replay(): a journal under another document. */
#include <stdlib.h>
#include <string.h>
#include <unity.h>
#include <wfsm/audit.h>
#include <wfsm/compact.h>
#include "ids/ids.h"
#include "support.h"
#include "../given.h"

/* Quotes are written as apostrophes. The parts that a new document changes are arguments. */
#define TASK(guard, source, input, said, delay, more)                                          \
    "{'wfsm':1,'id':'task','initial':'plan','context':{'n':1" more                             \
    "},'restore':{'from':['plan'],'event':'BACK'},"                                            \
    "'states':{'plan':{'on':{'GO':{'target':'work','guard':" guard "},'SET':{'actions':{"      \
    "'type':'assign','params':{'n':{'var':'event.data'}}}},'ASK':{'guard':'allowed'}}},"       \
    "'work':{'invoke':{'src':'" source "','input':" input ",'onDone':{'target':'wait',"        \
    "'actions':{'type':'emit','params':{'event':'said','data':" said "}}}}},"                  \
    "'wait':{'after':{'" delay "':'end'}},'end':{'type':'final'}}}"
#define OTHER_GUARD "{'!=':[{'var':'context.n'},7]}"
#define AS_IT_WAS TASK("{'>':[{'var':'context.n'},0]}", "coder", "1", "2", "100", "")

static wfsm_error *error;
static wfsm_store *memory;
static wfsm_functions *functions;
static wfsm_machine *old;
static wfsm_instance *instance;
static scarce supply;
static char why_it_ended[200];
#define IDS(text) ids_in(memory, text)

static wfsm_machine *load_document(const char *document)
{
    char *text = malloc(strlen(document) + 1);
    wfsm_machine *machine = NULL;
    for (size_t i = 0; i <= strlen(document); i++)
        text[i] = document[i] == '\'' ? '"' : document[i];
    TEST_ASSERT_EQUAL_INT32_MESSAGE(
        WFSM_OK, wfsm_machine_load(&machine, text, strlen(text), NULL, NULL, error),
        wfsm_error_message(error));
    free(text);
    return machine;
}

static int32_t allow(void *user, wfsm_call *call)
{
    (void)user;
    return wfsm_call_allow(call, 1);
}

void setUp(void)
{
    supply = (scarce){0};
    wfsm_allocator allocator = scarce_allocator(&supply);
    error = wfsm_error_new(NULL);
    old = load_document(AS_IT_WAS);
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wfsm_memory_open(&memory, &allocator, error));
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wfsm_functions_new(&functions, NULL, error));
    TEST_ASSERT_EQUAL_INT32(WFSM_OK,
                            wfsm_functions_add_guard(functions, "allowed", allow, NULL, error));
    TEST_ASSERT_EQUAL_INT32(
        WFSM_OK,
        wfsm_instance_start(&instance, old, START("i", .store = memory, .functions = functions),
                            0, error));
}

void tearDown(void)
{
    wfsm_instance_free(instance);
    wfsm_functions_free(functions);
    wfsm_store_free(memory);
    wfsm_machine_unref(old);
    wfsm_error_free(error);
    TEST_ASSERT_EQUAL_INT64(0, supply.living);
}

static void send(const char *event, const char *data, int64_t now)
{
    int32_t outcome = 0;
    const wfsm_event sent = {
        .size = sizeof sent, .name = event, .data = data, .length = data ? strlen(data) : 0};
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wfsm_instance_send(instance, &sent, now, &outcome, error));
    TEST_ASSERT_EQUAL_INT32_MESSAGE(WFSM_TAKEN, outcome, event);
}

/* Seven records, up to the end. */
static void live(void)
{
    int32_t outcome = 0;
    send("SET", "3", 5);
    send("ASK", NULL, 6);
    send("GO", NULL, 10);
    TEST_ASSERT_EQUAL_INT32(
        WFSM_OK, wfsm_instance_claim(instance, IDS("i/4/1"), "me", 20, &outcome, error));
    TEST_ASSERT_EQUAL_INT32(
        WFSM_OK,
        wfsm_instance_result(instance, RESULT(IDS("i/4/1"), .output = "7", .length = 1), 30,
                             &outcome, error));
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wfsm_instance_advance(instance, 130, NULL, NULL, error));
    TEST_ASSERT_EQUAL_INT32(WFSM_DONE, wfsm_instance_status(instance));
}

static int32_t keep_why(void *user, const wfsm_audit_diagnostic *diagnostic)
{
    wfsm_head head = {.size = sizeof head};
    (void)user;
    snprintf(why_it_ended, sizeof why_it_ended, "%s", diagnostic->message);
    return wfsm_store_head(memory, diagnostic->instance, &head, NULL);
}

static int32_t replay(wfsm_machine *machine, wfsm_replay *found)
{
    *found = (wfsm_replay){.size = sizeof *found, .machine = machine, .sink = keep_why};
    why_it_ended[0] = '\0';
    return wfsm_store_replay(memory, "i", found, error);
}

/* Under this document, `records` give the same, and then the replay ends (or not: why is ""). */
static void expect_at(int line, const char *document, uint64_t records, int32_t diverged,
                      const char *why)
{
    wfsm_replay found;
    wfsm_machine *machine = load_document(document);
    UNITY_TEST_ASSERT_EQUAL_INT32(WFSM_OK, replay(machine, &found), line,
                                  wfsm_error_message(error));
    wfsm_machine_unref(machine);
    UNITY_TEST_ASSERT_EQUAL_UINT64(records, found.records, line, wfsm_error_message(error));
    UNITY_TEST_ASSERT_EQUAL_UINT64(*why ? records + 1 : 0, found.revision, line, "revision");
    UNITY_TEST_ASSERT_EQUAL_INT32(diverged, found.diverged, line, "diverged");
    UNITY_TEST_ASSERT_EQUAL_STRING(why, why_it_ended, line, "why");
}
#define expect(document, records, why) expect_at(__LINE__, document, records, *(why) != 0, why)

static void its_own_document_gives_the_same(void)
{
    live();
    expect(AS_IT_WAS, 7, "");
}

static void what_nobody_sees_may_differ(void)
{
    live();
    expect(TASK(OTHER_GUARD, "coder", "1", "2", "100", ",'fresh':[]"), 7, "");
}

static void the_first_difference_is_told(void)
{
    live();
    expect(TASK("{'<':[{'var':'context.n'},3]}", "coder", "1", "2", "100", ""), 3,
           "outcome is \"blocked\"; in the journal \"taken\"");
    expect(TASK(OTHER_GUARD, "coder", "1", "3", "100", ""), 5,
           "effects[0].emit.data is 3; in the journal 2");
    expect(TASK(OTHER_GUARD, "coder", "1", "2", "500", ""), 6, "nothing was due then");
}

static void other_work_is_a_difference(void)
{
    live();
    expect(TASK(OTHER_GUARD, "other", "1", "2", "100", ""), 3,
           "invocations[0].agent is \"other\"; in the journal \"coder\"");
    expect(TASK(OTHER_GUARD, "coder", "9", "2", "100", ""), 3,
           "invocations[0].input is 9; in the journal 1");
}

static void a_missing_event_or_state_is_a_difference(void)
{
    live();
    expect("{'wfsm':1,'id':'task','initial':'plan','states':{'plan':{'on':{'SET':{'actions':"
           "[]}}}}}",
           2, "outcome is \"no_transition\"; in the journal \"taken\"");
    expect("{'wfsm':1,'id':'task','initial':'begin','states':{'begin':{}}}", 0,
           "configuration is [\"begin\"]; in the journal [\"plan\"]");
}

/* ---- states with other names ---- */

/* `plan` is now `design`, `work` is `build`, which has states of its own, and `wait` is part of a group. */
#define RENAMED(migrate)                                                                       \
    "{'wfsm':1,'id':'task','initial':'design','context':{'n':1},'migrate':[" migrate           \
    "],'states':{'end':{'type':'final'},"                                                      \
    "'late':{'initial':'wait','states':{'wait':{'after':{'100':'#task.end'}}}},"               \
    "'build':{'initial':'x','invoke':{'src':'coder','input':1,'onDone':{'target':'late.wait'," \
    "'actions':{'type':'emit','params':{'event':'said','data':2}}}},'states':{'x':{}}},"       \
    "'design':{'on':{'GO':'build','SET':{'actions':{"                                          \
    "'type':'assign','params':{'n':{'var':'event.data'}}}},'ASK':{'guard':'allowed'}}}}}"

static void states_that_migrate_renames_are_the_same(void)
{
    live();
    expect(RENAMED("{'states':{'plan':'design','work':'build','wait':'late.wait'}}"), 7, "");
}

static void a_state_that_migrate_does_not_name_is_not(void)
{
    live();
    expect(RENAMED("{'states':{'work':'build','wait':'late.wait'}}"), 0,
           "configuration is [\"design\"]; in the journal [\"plan\"]");
    expect(RENAMED("{'states':{'plan':'design','work':'build'}}"), 5,
           "configuration is [\"late.wait\"]; in the journal [\"wait\"]");
    expect(RENAMED("{'states':{'plan':'design','wait':'late.wait'}}"), 3,
           "configuration is [\"build.x\"]; in the journal [\"work\"]");
    expect(RENAMED("{'states':{'plan':'design','work':'late','wait':'late.wait'}}"), 3,
           "configuration is [\"build.x\"]; in the journal [\"work\"]");
}

/* The entry is for another version, so none is. */
static void an_entry_for_another_document_renames_nothing(void)
{
    live();
    expect(RENAMED("{'from':'7','states':{'plan':'design','work':'build','wait':'late.wait'}}"),
           0, "configuration is [\"design\"]; in the journal [\"plan\"]");
    expect(
        RENAMED("{'from':'7'},{'states':{'plan':'design','work':'build','wait':'late.wait'}}"),
        7, "");
}

/* The new document has nothing to enter where the journal has another state. */
static void two_states_that_become_one_agree(void)
{
    wfsm_machine *two = load_document("{'wfsm':1,'id':'two','initial':'a','states':{'a':{'on':{"
                                      "'GO':'b'}},'b':{'on':{'GO':'c'}},'c':{}}}");
    wfsm_machine *one = load_document(
        "{'wfsm':1,'id':'two','initial':'ab','migrate':[{'states':{'a':'ab','b':'ab'}}],'states':{"
        "'ab':{'on':{'GO':{}}},'c':{}}}");
    wfsm_replay found = {.size = sizeof found, .machine = one, .sink = keep_why};
    wfsm_instance_free(instance);
    TEST_ASSERT_EQUAL_INT32(
        WFSM_OK, wfsm_instance_start(&instance, two, START("j", .store = memory), 0, error));
    send("GO", NULL, 1);
    send("GO", NULL, 2);
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wfsm_store_replay(memory, "j", &found, error));
    TEST_ASSERT_EQUAL_UINT64(3, found.revision);
    TEST_ASSERT_EQUAL_STRING("configuration is [\"ab\"]; in the journal [\"c\"]", why_it_ended);
    wfsm_machine_unref(one);
    wfsm_machine_unref(two);
}

/* The journal has no answer for a guard that was not asked. */
static void a_new_function_of_the_host_has_no_answer(void)
{
    wfsm_replay found;
    live();
    wfsm_machine *machine = load_document(TASK("'allowed'", "coder", "1", "2", "100", ""));
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, replay(machine, &found));
    TEST_ASSERT_EQUAL_UINT64(4, found.revision);
    TEST_ASSERT_EQUAL_INT32(1, found.diverged);
    wfsm_machine_unref(machine);
}

static void a_restore_ends_it(void)
{
    int32_t outcome = 0;
    TEST_ASSERT_EQUAL_INT32(
        WFSM_OK, wfsm_instance_checkpoint(instance, CHECKPOINT("c"), 1, &outcome, error));
    TEST_ASSERT_EQUAL_INT32(WFSM_OK,
                            wfsm_instance_restore(instance, FROM("c"), 2, &outcome, error));
    expect_at(__LINE__, AS_IT_WAS, 2, 0, "a restore has a state of the old document");
}

static void a_fork_begins_with_a_foreign_state(void)
{
    wfsm_replay found = {.size = sizeof found, .machine = old};
    wfsm_instance *fork = NULL;
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wfsm_instance_fork(&fork, instance, NULL, "f", 1, error));
    wfsm_instance_free(fork);
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wfsm_store_replay(memory, "f", &found, error));
    TEST_ASSERT_EQUAL_UINT64(1, found.revision);
    TEST_ASSERT_EQUAL_INT32(0, found.diverged);
}

static int32_t refuse(void *user, const wfsm_audit_diagnostic *diagnostic)
{
    (void)user;
    (void)diagnostic;
    return WFSM_HOST;
}

static void wrong_arguments(void)
{
    wfsm_replay good = {.size = sizeof good, .machine = old}, sizeless = {.machine = old},
                idle = {.size = sizeof idle};
    const struct call {
        wfsm_store *store;
        const char *instance;
        wfsm_replay *replay;
        int32_t status;
    } calls[] = {{memory, "i", &good, WFSM_OK},          {memory, "x", &good, WFSM_NOT_FOUND},
                 {NULL, "i", &good, WFSM_INVALID},       {memory, NULL, &good, WFSM_INVALID},
                 {memory, "i", &sizeless, WFSM_INVALID}, {memory, "i", &idle, WFSM_INVALID},
                 {memory, "i", NULL, WFSM_INVALID}};
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        TEST_ASSERT_EQUAL_INT32(
            calls[i].status,
            wfsm_store_replay(calls[i].store, calls[i].instance, calls[i].replay, error));
}

static void the_answer_of_the_sink_is_returned(void)
{
    wfsm_machine *other = load_document("{'wfsm':1,'id':'x','initial':'a','states':{'a':{}}}");
    wfsm_replay asked = {.size = sizeof asked, .machine = other, .sink = refuse};
    TEST_ASSERT_EQUAL_INT32(WFSM_HOST, wfsm_store_replay(memory, "i", &asked, error));
    asked.machine = old;
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wfsm_store_replay(memory, "i", &asked, error));
    wfsm_machine_unref(other);
}

static void fail_every_allocation(const char *document, uint64_t revision)
{
    wfsm_replay found;
    int32_t status = WFSM_NO_MEMORY;
    wfsm_machine *other = load_document(document);
    for (uint64_t n = 1; status == WFSM_NO_MEMORY; n++) {
        supply.fail_at = supply.calls + n;
        status = replay(other, &found);
    }
    supply.fail_at = 0;
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, status);
    TEST_ASSERT_EQUAL_UINT64(revision, found.revision);
    wfsm_machine_unref(other);
}

static void every_allocation_may_fail(void)
{
    live();
    fail_every_allocation(TASK(OTHER_GUARD, "coder", "1", "3", "100", ""), 6);
    fail_every_allocation(
        RENAMED("{'states':{'plan':'design','work':'build','wait':'late.wait'}}"), 0);
    fail_every_allocation(RENAMED("{'states':{'plan':'design','work':'build'}}"), 6);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(its_own_document_gives_the_same);
    RUN_TEST(what_nobody_sees_may_differ);
    RUN_TEST(the_first_difference_is_told);
    RUN_TEST(other_work_is_a_difference);
    RUN_TEST(a_missing_event_or_state_is_a_difference);
    RUN_TEST(states_that_migrate_renames_are_the_same);
    RUN_TEST(a_state_that_migrate_does_not_name_is_not);
    RUN_TEST(an_entry_for_another_document_renames_nothing);
    RUN_TEST(two_states_that_become_one_agree);
    RUN_TEST(a_new_function_of_the_host_has_no_answer);
    RUN_TEST(a_restore_ends_it);
    RUN_TEST(a_fork_begins_with_a_foreign_state);
    RUN_TEST(wrong_arguments);
    RUN_TEST(the_answer_of_the_sink_is_returned);
    RUN_TEST(every_allocation_may_fail);
    return UNITY_END();
}
