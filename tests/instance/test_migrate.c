/* An instance continues under another document. */
#include <stdlib.h>
#include <string.h>
#include <unity.h>
#include <wfsm/audit.h>
#include "support.h"
#include "ids/ids.h"
#include "../given.h"

/* Quotes are written as apostrophes. */
static const char *const first =
    "{'wfsm':1,'id':'task','version':'1','initial':'plan','context':{'n':1,'old':'x'},"
    "'states':{"
    "'plan':{'on':{'GO':'work','CHECK':{'actions':{'type':'assign','params':{'n':5}}}}},"
    "'work':{'initial':'code','on':{'PAUSE':'rest','OUT':'gone'},'states':{"
    "'code':{'after':{'100':'test','900':'test'},'invoke':{'src':'coder','input':{'var':'"
    "context.n'}},"
    "'entry':{'type':'raise','params':{'event':'LATER','delay':500,'id':'l'}},'on':{'TEST':'"
    "test'}},"
    "'test':{'invoke':{'id':'check','src':'tester'}},"
    "'h':{'type':'history'}}},"
    "'rest':{'on':{'BACK':'work.h'}},'gone':{}}}";

static const char *const second =
    "{'wfsm':1,'id':'task','version':'2','initial':'design','context':{'n':0,'fresh':[1]},"
    "'schemas':{'context':{'type':'object','properties':{'n':{'maximum':50}}}},"
    "'migrate':[{'from':['0','1'],'states':{'plan':'design','work':'#build','rest':'pause'},"
    "'assign':{'n':{'*':[{'var':'context.n'},10]},'note':{'var':'context.old'}}}],"
    "'states':{'design':{'on':{'GO':'#build'}},'pause':{'on':{'BACK':'both.build.h'}},"
    "'both':{'type':'parallel','states':{'watch':{'initial':'on','states':{'on':{'invoke':{'"
    "src':'watcher'}}}},"
    "'build':{'id':'build','initial':'code','on':{'PAUSE':'#pause'},'states':{"
    "'code':{'after':{'100':'test','300':'test'},'invoke':{'src':'coder'},'on':{'TEST':'test','"
    "LATER':'test'}},"
    "'test':{'invoke':{'id':'check','src':'other'}},"
    "'h':{'type':'history'}}}}}}}";

/* What else an instance has: a deep history, budgets, failures, an effect that nobody took. */
static const char *const rich =
    "{'wfsm':1,'id':'rich','version':'1','initial':'box','budgets':{'tokens':{'limit':100},"
    "'spent':{'limit':9,'counts':'claims'},'old':{'limit':5}},'states':{"
    "'box':{'initial':'one','on':{'OUT':'out','SAY':{'actions':{'type':'emit','params':{'event':"
    "'said','data':{'n':[1]}}}}},'states':{'one':{'initial':'p','states':{'p':{'on':{'IN':'q'}},"
    "'q':{}}},'two':{},'deep':{'type':'history','history':'deep'},'h':{'type':'history'}}},"
    "'out':{'on':{'BACK':'box.deep','NEAR':'box.h'},'invoke':{'id':'fix','src':'fixer','input':{"
    "'n':[1,'x']},'onError':{'target':'out','reenter':true}}}}}";

/* Of the new document: the budgets, what q is, and the invocations of "out". */
#define RICHER(budgets, q, fixer)                                                                \
    "{'wfsm':1,'id':'rich','version':'2','initial':'box','budgets':" budgets                     \
    ",'migrate':[{'from':['1']}],'states':{'box':{'initial':'one','states':{'one':{'initial':"   \
    "'p','states':{'p':{'on':{'IN':'q'}},'q':" q "}},'two':{},'deep':{'type':'history',"         \
    "'history':'deep'},'h':{'type':'history'}}},'out':{'on':{'BACK':'box.deep','NEAR':'box.h'}," \
    "'invoke':" fixer "}}}"
#define OTHER_BUDGETS "{'tokens':{'limit':7},'spent':{'limit':9},'fresh':{'limit':1}}"
#define FIXER "{'id':'fix','src':'fixer','onError':{'target':'out','reenter':true}}"

static wfsm_error *error;
static wfsm_machine *one, *two;
static wfsm_store *memory;
#define IDS(text) ids_in(memory, text)
static wfsm_instance *instance;
static char diagnostics[1000];

static wfsm_machine *load_document(const char *document, const wfsm_allocator *allocator)
{
    char *text = malloc(strlen(document) + 1);
    wfsm_machine *machine = NULL;
    for (size_t i = 0; i <= strlen(document); i++)
        text[i] = document[i] == '\'' ? '"' : document[i];
    TEST_ASSERT_EQUAL_INT32_MESSAGE(
        WFSM_OK, wfsm_machine_load(&machine, text, strlen(text), NULL, allocator, error),
        wfsm_error_message(error));
    free(text);
    return machine;
}

void setUp(void)
{
    error = wfsm_error_new(NULL);
    one = load_document(first, NULL);
    two = load_document(second, NULL);
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wfsm_memory_open(&memory, NULL, error));
    TEST_ASSERT_EQUAL_INT32(
        WFSM_OK, wfsm_instance_start(&instance, one, START("i", .store = memory), 0, error));
}

void tearDown(void)
{
    wfsm_instance_free(instance);
    wfsm_store_free(memory);
    wfsm_machine_unref(one);
    wfsm_machine_unref(two);
    wfsm_error_free(error);
}

static void send(const char *event, int64_t now)
{
    int32_t outcome = 0;
    TEST_ASSERT_EQUAL_INT32(WFSM_OK,
                            wfsm_instance_send(instance, EVENT(event), now, &outcome, error));
    TEST_ASSERT_EQUAL_INT32_MESSAGE(WFSM_TAKEN, outcome, event);
}

static void migrate(int64_t now)
{
    int32_t outcome = 0;
    TEST_ASSERT_EQUAL_INT32(WFSM_OK,
                            wfsm_instance_can_migrate(instance, two, NULL, now, error));
    TEST_ASSERT_EQUAL_INT32_MESSAGE(
        WFSM_OK, wfsm_instance_migrate(&instance, two, NULL, now, &outcome, error),
        wfsm_error_message(error));
    TEST_ASSERT_EQUAL_INT32(WFSM_TAKEN, outcome);
}

static int32_t note_diagnostic(void *user, const wfsm_audit_diagnostic *diagnostic)
{
    (void)user;
    strncat(diagnostics, diagnostic->message, sizeof diagnostics - strlen(diagnostics) - 2);
    strcat(diagnostics, "\n");
    return WFSM_OK;
}

/* What is stored says the same: loading, and the journal run again. */
static void expect_sound(void)
{
    wfsm_audit_counts counts = {.size = sizeof counts};
    wfsm_instance *again = NULL;
    TEST_ASSERT_EQUAL_INT32_MESSAGE(WFSM_OK,
                                    wfsm_instance_load(&again, NULL, memory, NULL, "i", error),
                                    wfsm_error_message(error));
    char *left = bytes_of(instance), *right = bytes_of(again);
    TEST_ASSERT_EQUAL_STRING(left, right);
    free(left);
    free(right);
    wfsm_instance_free(again);
    diagnostics[0] = '\0';
    TEST_ASSERT_EQUAL_INT32(
        WFSM_OK, wfsm_store_audit(memory, NULL, note_diagnostic, NULL, &counts, error));
    TEST_ASSERT_EQUAL_STRING("", diagnostics);
    TEST_ASSERT_EQUAL_UINT64(wfsm_instance_revision(instance), counts.records);
}

static void expect_json(const char *expected, const char *found)
{
    TEST_ASSERT_EQUAL_STRING(expected, found);
}

static void states_and_context_go_along(void)
{
    size_t length;
    send("CHECK", 1);
    migrate(2);
    expect_json("[\"design\"]", wfsm_instance_configuration(instance, &length));
    expect_json("{\"n\":50,\"fresh\":[1],\"note\":\"x\",\"old\":\"x\"}",
                wfsm_instance_context(instance, &length));
    TEST_ASSERT_EQUAL_UINT64(3, wfsm_instance_revision(instance));
    TEST_ASSERT_EQUAL_PTR(two, wfsm_instance_machine(instance));
    expect_sound();
    send("GO", 3);
    expect_sound();
}

static void work_goes_on_under_its_id(void)
{
    size_t length;
    int32_t outcome = 0;
    send("GO", 10);
    TEST_ASSERT_EQUAL_INT32(
        WFSM_OK, wfsm_instance_claim(instance, IDS("i/2/1"), "me", 20, &outcome, error));
    migrate(50);
    expect_json("[\"both.watch.on\",\"both.build.code\"]",
                wfsm_instance_configuration(instance, &length));
    expect_json(
        IDS("[{\"id\":\"i/2/1\",\"src\":\"coder\",\"state\":\"both.build.code\",\"status\":"
            "\"running\",\"invoke\":\"both.build.code\",\"attempt\":1,\"claimed\":20,\"due\":null,"
            "\"owner\":\"me\","
            "\"input\":1},{\"id\":\"i/4/1\",\"src\":\"watcher\",\"state\":\"both.watch.on\","
            "\"status\":\"pending\",\"invoke\":\"both.watch.on\",\"attempt\":0,\"due\":50,"
            "\"input\":null}]"),
        wfsm_instance_invocations(instance, &length));
    expect_json("[{\"event\":\"LATER\",\"due\":510,\"id\":\"l\"},{\"event\":"
                "\"after.100.both.build.code\",\"due\":110},{\"event\":"
                "\"after.300.both.build.code\",\"due\":350}]",
                wfsm_instance_timers(instance, &length));
    expect_sound();
    TEST_ASSERT_EQUAL_INT32(
        WFSM_OK,
        wfsm_instance_result(instance, RESULT(IDS("i/2/1"), .output = "7", .length = 1), 60,
                             &outcome, error));
    expect_sound();
}

static void work_that_nobody_claimed_goes_on_too(void)
{
    size_t length;
    send("GO", 10);
    wfsm_instance_free(instance);
    TEST_ASSERT_EQUAL_INT32(WFSM_OK,
                            wfsm_instance_load(&instance, one, memory, NULL, "i", error));
    migrate(50);
    TEST_ASSERT_NOT_NULL(strstr(wfsm_instance_invocations(instance, &length),
                                IDS("\"id\":\"i/2/1\",\"src\":\"coder\",\"state\":"
                                    "\"both.build.code\",\"status\":\"pending\"")));
    expect_sound();
}

/* Another agent has to do it: the invocation is withdrawn, and a new one is made. */
static void work_of_another_agent_begins_again(void)
{
    size_t length;
    send("GO", 10);
    send("TEST", 11);
    migrate(12);
    TEST_ASSERT_NULL(strstr(wfsm_instance_invocations(instance, &length), IDS("i/3/1")));
    TEST_ASSERT_NOT_NULL(strstr(wfsm_instance_invocations(instance, &length), "\"other\""));
    expect_sound();
}

static void what_a_history_remembers_goes_along(void)
{
    size_t length;
    send("GO", 1);
    send("TEST", 2);
    send("PAUSE", 3);
    migrate(4);
    expect_json("[\"pause\"]", wfsm_instance_configuration(instance, &length));
    send("BACK", 5);
    expect_json("[\"both.watch.on\",\"both.build.test\"]",
                wfsm_instance_configuration(instance, &length));
    expect_sound();
}

static void expect_denied(wfsm_machine *machine, const char *why)
{
    int32_t outcome;
    char *before = bytes_of(instance);
    TEST_ASSERT_EQUAL_INT32(
        WFSM_DENIED, wfsm_instance_migrate(&instance, machine, NULL, 9, &outcome, error));
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(wfsm_error_message(error), why),
                                 wfsm_error_message(error));
    TEST_ASSERT_EQUAL_INT32(WFSM_DENIED,
                            wfsm_instance_can_migrate(instance, machine, NULL, 9, error));
    char *after = bytes_of(instance);
    TEST_ASSERT_EQUAL_STRING(before, after);
    free(before);
    free(after);
}

static void expect_refusal(const char *document, const char *why)
{
    wfsm_machine *machine = load_document(document, NULL);
    expect_denied(machine, why);
    wfsm_machine_unref(machine);
}

static void each_refusal_has_its_reason(void)
{
    expect_denied(one, "under this document already");
    expect_refusal("{'id':'other','initial':'plan','migrate':[{}],'states':{'plan':{}}}",
                   "an instance of \"task\"");
    expect_refusal("{'id':'task','initial':'plan','states':{'plan':{}}}",
                   "no entry for version \"1\"");
    expect_refusal(
        "{'id':'task','initial':'plan','migrate':[{'from':'0'}],'states':{'plan':{}}}",
        "no entry for version \"1\"");
    expect_refusal("{'id':'task','initial':'a','migrate':[{}],'states':{'a':{}}}",
                   "no state for \"plan\"");
    expect_refusal("{'id':'task','initial':'a','migrate':[{'states':{'plan':'b'}}],"
                   "'states':{'a':{},'b':{'type':'final'}}}",
                   "would have ended");
    expect_refusal(
        "{'id':'task','initial':'plan','migrate':[{'assign':{'n':{'throw':'no n'}}}],"
        "'states':{'plan':{}}}",
        "`assign` of `migrate`: no n");
    expect_refusal("{'id':'task','initial':'plan','migrate':[{}],'schemas':{'context':{"
                   "'required':['missing']}},'states':{'plan':{}}}",
                   "would not fit");
    expect_refusal("{'id':'task','initial':'plan','migrate':[{}],'states':{'plan':{"
                   "'invoke':{'src':'x','input':{'throw':'none'}}}}}",
                   "an invocation cannot be made: none");
}

static void an_instance_that_ended_stays(void)
{
    wfsm_machine *ending =
        load_document("{'id':'task','initial':'a','states':{'a':{'type':'final'}}}", NULL);
    wfsm_instance_free(instance);
    TEST_ASSERT_EQUAL_INT32(
        WFSM_OK, wfsm_instance_start(&instance, ending, START("e", .store = memory), 0, error));
    expect_denied(two, "has ended");
    wfsm_machine_unref(ending);
}

/* Its states are those of another document. */
static void an_older_checkpoint_cannot_be_restored(void)
{
    int32_t outcome;
    TEST_ASSERT_EQUAL_INT32(
        WFSM_OK, wfsm_instance_checkpoint(instance, CHECKPOINT("c"), 1, &outcome, error));
    migrate(2);
    expect_sound();
    TEST_ASSERT_EQUAL_INT32(WFSM_DENIED,
                            wfsm_instance_restore(instance, FROM("c"), 3, &outcome, error));
    TEST_ASSERT_EQUAL_UINT64(3, wfsm_instance_revision(instance));
}

static int32_t fork_of(const char *checkpoint, const char *id)
{
    wfsm_instance *fork = NULL;
    int32_t status =
        wfsm_instance_fork(&fork, instance, checkpoint ? FROM(checkpoint) : NULL, id, 9, error);
    wfsm_instance_free(fork);
    return status;
}

/* A fork continues under the document of its source, and is migrated by itself. */
static void forks_continue_under_their_own_document(void)
{
    wfsm_audit_counts counts = {.size = sizeof counts};
    wfsm_instance *before = NULL;
    int32_t outcome;
    send("GO", 1);
    TEST_ASSERT_EQUAL_INT32(
        WFSM_OK, wfsm_instance_checkpoint(instance, CHECKPOINT("c"), 1, &outcome, error));
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, fork_of("c", "before"));
    migrate(2);
    TEST_ASSERT_EQUAL_INT32(WFSM_DENIED, fork_of("c", "none"));
    TEST_ASSERT_EQUAL_INT32(WFSM_DENIED, fork_of("", "none"));
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, fork_of(NULL, "after"));
    TEST_ASSERT_EQUAL_INT32(WFSM_OK,
                            wfsm_instance_load(&before, one, memory, NULL, "before", error));
    TEST_ASSERT_EQUAL_INT32(WFSM_OK,
                            wfsm_instance_migrate(&before, two, NULL, 10, &outcome, error));
    wfsm_instance_free(before);
    TEST_ASSERT_EQUAL_INT32(
        WFSM_OK, wfsm_instance_delete_checkpoint(instance, "c", 11, &outcome, error));
    TEST_ASSERT_EQUAL_INT32(WFSM_OK,
                            wfsm_store_audit(memory, NULL, NULL, NULL, &counts, error));
    TEST_ASSERT_EQUAL_UINT64(0, counts.diagnostics);
    TEST_ASSERT_EQUAL_UINT64(3, counts.instances);
}

static void a_second_handle_learns_of_it(void)
{
    int32_t outcome;
    wfsm_instance *other = NULL;
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wfsm_instance_load(&other, one, memory, NULL, "i", error));
    migrate(2);
    TEST_ASSERT_EQUAL_INT32(WFSM_CONFLICT,
                            wfsm_instance_send(other, EVENT("GO"), 3, &outcome, error));
    wfsm_instance_free(other);
    TEST_ASSERT_EQUAL_INT32(WFSM_DENIED,
                            wfsm_instance_load(&other, one, memory, NULL, "i", error));
}

/* "rich", with a remembered state, one failure, an invocation and an effect. */
static void begin_rich(void)
{
    size_t length;
    char id[64];
    wfsm_instance_free(instance);
    wfsm_store_free(memory);
    wfsm_machine_unref(one);
    one = load_document(rich, NULL);
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wfsm_memory_open(&memory, NULL, error));
    TEST_ASSERT_EQUAL_INT32(
        WFSM_OK, wfsm_instance_start(&instance, one, START("i", .store = memory), 0, error));
    send("IN", 1);
    send("SAY", 1);
    send("OUT", 1);
    const char *at = strstr(wfsm_instance_invocations(instance, &length), "\"id\":\"");
    TEST_ASSERT_EQUAL_INT(1, sscanf(at, "\"id\":\"%63[^\"]", id));
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wfsm_instance_claim(instance, id, "me", 2, NULL, error));
    TEST_ASSERT_EQUAL_INT32(
        WFSM_OK,
        wfsm_instance_failure(instance, FAILURE(id, .failure_class = "exit", .message = "no"),
                              3, NULL, error));
}

static void migrate_to(const char *document)
{
    int32_t outcome = 0;
    wfsm_machine *next = load_document(document, NULL);
    TEST_ASSERT_EQUAL_INT32_MESSAGE(
        WFSM_OK, wfsm_instance_migrate(&instance, next, NULL, 4, &outcome, error),
        wfsm_error_message(error));
    wfsm_machine_unref(next);
    expect_sound();
}

static void deep_histories_budgets_and_failures_go_along(void)
{
    size_t length;
    begin_rich();
    migrate_to(RICHER(OTHER_BUDGETS, "{}", FIXER));
    TEST_ASSERT_NOT_NULL(strstr(wfsm_instance_failures(instance, &length),
                                "\"invoke\":\"fix\",\"signature\":\"exit: no\",\"count\":1"));
    expect_json("{\"tokens\":{\"used\":0,\"limit\":7,\"left\":7},"
                "\"spent\":{\"used\":1,\"limit\":9,\"left\":8},"
                "\"fresh\":{\"used\":0,\"limit\":1,\"left\":1}}",
                wfsm_instance_budgets(instance, 5, &length));
    send("BACK", 6);
    expect_json("[\"box.one.q\"]", wfsm_instance_configuration(instance, &length));
}

/* q has states of its own now, so that the history does not say which. */
static void a_history_that_is_no_configuration_is_cleared(void)
{
    size_t length;
    begin_rich();
    migrate_to(RICHER("{}", "{'initial':'r','states':{'r':{}}}", FIXER));
    send("BACK", 6);
    expect_json("[\"box.one.p\"]", wfsm_instance_configuration(instance, &length));
}

static void failures_of_what_is_gone_are_forgotten(void)
{
    size_t length;
    begin_rich();
    migrate_to(RICHER("{}", "{}", "[{'id':'other','src':'fixer','onError':'box'}]"));
    expect_json("[]", wfsm_instance_failures(instance, &length));
    TEST_ASSERT_NOT_NULL(strstr(wfsm_instance_invocations(instance, &length), "fixer"));
    send("NEAR", 6);
    expect_json("[\"box.one.p\"]", wfsm_instance_configuration(instance, &length));
}

/* Every allocation fails, one after the other. */
static void migrate_short(const char *document, uint64_t least)
{
    uint64_t n = 0;
    for (bool done = false; !done;) {
        scarce self = {.fail_at = 0};
        wfsm_allocator allocator = scarce_allocator(&self);
        wfsm_machine *own = load_document(document, &allocator);
        int32_t outcome;
        char *before = bytes_of(instance);
        self.fail_at = self.calls + ++n;
        int32_t status = wfsm_instance_migrate(&instance, own, NULL, 5, &outcome, error);
        done = status == WFSM_OK;
        if (!done) {
            TEST_ASSERT_EQUAL_INT32(WFSM_NO_MEMORY, status);
            char *after = bytes_of(instance);
            TEST_ASSERT_EQUAL_STRING(before, after);
            free(after);
        }
        free(before);
        if (done)
            expect_sound();
        wfsm_instance_free(done ? instance : NULL);
        if (done)
            instance = NULL;
        wfsm_machine_unref(own);
        TEST_ASSERT_EQUAL_INT64(0, self.living);
    }
    TEST_ASSERT_GREATER_THAN(least, n);
}

static void nothing_is_left_when_memory_or_the_store_fails(void)
{
    send("GO", 1);
    migrate_short(second, 20);
    begin_rich();
    migrate_short(RICHER(OTHER_BUDGETS, "{}", FIXER), 20);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(states_and_context_go_along);
    RUN_TEST(work_goes_on_under_its_id);
    RUN_TEST(work_that_nobody_claimed_goes_on_too);
    RUN_TEST(work_of_another_agent_begins_again);
    RUN_TEST(what_a_history_remembers_goes_along);
    RUN_TEST(each_refusal_has_its_reason);
    RUN_TEST(an_instance_that_ended_stays);
    RUN_TEST(an_older_checkpoint_cannot_be_restored);
    RUN_TEST(forks_continue_under_their_own_document);
    RUN_TEST(a_second_handle_learns_of_it);
    RUN_TEST(deep_histories_budgets_and_failures_go_along);
    RUN_TEST(a_history_that_is_no_configuration_is_cleared);
    RUN_TEST(failures_of_what_is_gone_are_forgotten);
    RUN_TEST(nothing_is_left_when_memory_or_the_store_fails);
    return UNITY_END() != 0;
}
