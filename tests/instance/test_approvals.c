/* Approvals: votes of people are taken or refused, stored, and replayed. */
#include <stdlib.h>
#include <string.h>
#include <unity.h>
#include <wfsm/audit.h>
#include <wfsm/compact.h>
#include "instance/instance.h"
#include "store/store.h"
#include "support.h"
#include "ids/ids.h"
#include "../given.h"

/* Quotes are written as apostrophes. */
static const char *const release =
    "{'wfsm':1,'id':'release','version':'1','initial':'ask','context':{'diff':'+x','refused':[]"
    "},"
    "'restore':{'from':['ask','shipped','dropped'],'event':'BACK'},"
    "'states':{'ask':{"
    "'invoke':{'src':'person','input':{'diff':{'var':'context.diff'},'quorum':2,"
    "'people':['ada','bob','eve']},"
    "'onDone':[{'guard':{'var':'event.data.approved'},'target':'shipped',"
    "'actions':{'type':'assign','params':{'answer':{'var':'event.data'}}}},"
    "{'target':'dropped','actions':{'type':'assign','params':{'answer':{'var':'event.data'}}}}]"
    "},"
    "'after':{'60000':'dropped'},"
    "'on':{'EDIT':{'target':'ask','reenter':true,'actions':{'type':'assign','params':"
    "{'diff':'+y'}}}}},"
    "'shipped':{'on':{'END':'end'}},'dropped':{},'end':{'type':'final'}},"
    "'on':{'error.approval':{'actions':{'type':'assign','params':{'refused':{'merge':["
    "{'var':'context.refused'},[{'var':'event.data.reason'}]]}}}}}}";

static wfsm_error *error;
static wfsm_machine *machine;
static wfsm_store *memory;
#define IDS(text) ids_in(memory, text)
static wfsm_instance *instance;
static char id[64], digest[WFSM_DIGEST_SIZE];
static uint64_t posted;

static wfsm_machine *load_document(const char *document)
{
    char *text = malloc(strlen(document) + 1);
    wfsm_machine *made = NULL;
    for (size_t i = 0; i <= strlen(document); i++)
        text[i] = document[i] == '\'' ? '"' : document[i];
    wfsm_machine_load(&made, text, strlen(text), NULL, NULL, error);
    free(text);
    return made;
}

static void begin(const char *document)
{
    machine = load_document(document);
    posted = 0;
    TEST_ASSERT_NOT_NULL_MESSAGE(machine, wfsm_error_message(error));
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wfsm_memory_open(&memory, NULL, error));
    TEST_ASSERT_EQUAL_INT32(
        WFSM_OK,
        wfsm_instance_start(&instance, machine, START("i", .store = memory), 1000, error));
}

void setUp(void)
{
    error = wfsm_error_new(NULL);
    begin(release);
}

static void end(void)
{
    wfsm_instance_free(instance);
    wfsm_store_free(memory);
    wfsm_machine_unref(machine);
    instance = NULL;
    memory = NULL;
    machine = NULL;
}

void tearDown(void)
{
    end();
    wfsm_error_free(error);
}

static void again(const char *document)
{
    end();
    begin(document);
}

/* ---- asking ---- */

static const char *member(const char *key, const char *list, char *into, size_t room)
{
    const char *at = strstr(list, key);
    size_t length;
    TEST_ASSERT_NOT_NULL_MESSAGE(at, list);
    at += strlen(key);
    length = strcspn(at, "\"");
    TEST_ASSERT_TRUE(length < room);
    memcpy(into, at, length);
    into[length] = '\0';
    return into;
}

/* The id and the digest of what a person is asked now. */
static void look(void)
{
    size_t length;
    const char *list = wfsm_instance_invocations(instance, &length);
    member("\"id\":\"", list, id, sizeof id);
    member("\"digest\":\"", list, digest, sizeof digest);
}

static int32_t cast_full(const char *invocation, const char *by, const char *decision,
                         const char *about, const char *event_id)
{
    char reason[100];
    int32_t outcome = 0;
    snprintf(reason, sizeof reason, "as %s says", by);
    const wfsm_approval vote = {.size = sizeof vote,
                                .invocation = invocation,
                                .by = by,
                                .digest = about,
                                .decision = strcmp(decision, "approve") == 0 ? WFSM_APPROVE
                                                                             : WFSM_REJECT,
                                .reason = reason,
                                .id = event_id};
    TEST_ASSERT_EQUAL_INT32_MESSAGE(
        WFSM_OK, wfsm_instance_approve(instance, &vote, 2000, &outcome, error),
        wfsm_error_message(error));
    return outcome;
}

static int32_t cast(const char *by, const char *decision)
{
    return cast_full(id, by, decision, digest, NULL);
}

static int32_t keep_text(void *user, const wfsm_row *row)
{
    snprintf(user, 4000, "%.*s", (int)row->length, row->text);
    return WFSM_OK;
}

static void expect_record(const char *part)
{
    static char text[4000];
    uint64_t last = wfsm_instance_revision(instance);
    TEST_ASSERT_EQUAL_INT32(
        WFSM_OK, wfsm_store_records(memory, "i", last, last, keep_text, text, error));
    if (!strstr(text, part))
        TEST_ASSERT_EQUAL_STRING(part, text);
}

static void expect_verdict(const char *verdict)
{
    char part[64];
    snprintf(part, sizeof part, "\"verdict\":\"%s\"", verdict);
    expect_record(part);
}

static void expect_state(const char *path)
{
    char expected[64];
    size_t length;
    snprintf(expected, sizeof expected, "[\"%s\"]", path);
    TEST_ASSERT_EQUAL_STRING(expected, wfsm_instance_configuration(instance, &length));
}

static void expect_context(const char *part)
{
    size_t length;
    const char *text = wfsm_instance_context(instance, &length);
    if (!strstr(text, part))
        TEST_ASSERT_EQUAL_STRING(part, text);
}

static int32_t found_diagnostic(void *user, const wfsm_audit_diagnostic *diagnostic)
{
    (void)user;
    TEST_FAIL_MESSAGE(diagnostic->message);
    return WFSM_OK;
}

/* Run again from its journal it is the same; loaded, too. */
static void audit(void)
{
    wfsm_audit_counts counts = {.size = sizeof counts};
    char *before = bytes_of(instance), *after;
    TEST_ASSERT_EQUAL_INT32_MESSAGE(
        WFSM_OK, wfsm_store_audit(memory, NULL, found_diagnostic, NULL, &counts, error),
        wfsm_error_message(error));
    wfsm_instance_free(instance);
    instance = NULL;
    TEST_ASSERT_EQUAL_INT32_MESSAGE(
        WFSM_OK, wfsm_instance_load(&instance, machine, memory, NULL, "i", error),
        wfsm_error_message(error));
    after = bytes_of(instance);
    TEST_ASSERT_EQUAL_STRING(before, after);
    free(before);
    free(after);
}

/* A post that no public call makes: somebody has written it into the store. */
static int32_t consume(int32_t kind, const char *name, const char *data)
{
    const wfsm_post post = {.size = sizeof post,
                            .instance = "i",
                            .name = name,
                            .data = data,
                            .length = strlen(data),
                            .kind = kind,
                            .interface = WFSM_INTERFACE_POST};
    int32_t outcome = 0;
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, memory->vtable.post(memory->self, &post, error));
    const wfsm_row row = {.size = sizeof row,
                          .instance = "i",
                          .name = name,
                          .number = ++posted,
                          .text = data,
                          .length = strlen(data),
                          .kind = kind};
    TEST_ASSERT_EQUAL_INT32(WFSM_OK,
                            wf_instance_consume(&instance, &row, NULL, 2000, &outcome, error));
    return outcome;
}

/* ---- votes that count ---- */

static void test_a_quorum_approves(void)
{
    look();
    TEST_ASSERT_EQUAL_STRING(IDS("i/1/1"), id);
    TEST_ASSERT_EQUAL_INT32(WFSM_TAKEN, cast("ada", "approve"));
    expect_verdict("counted");
    expect_state("ask");
    audit();
    TEST_ASSERT_EQUAL_INT32(WFSM_TAKEN, cast("eve", "approve"));
    expect_verdict("decided");
    expect_state("shipped");
    expect_context("\"answer\":{\"approved\":true,\"reason\":\"as eve says\",\"digest\":\"");
    expect_context("\"votes\":[{\"by\":\"ada\",\"decision\":\"approve\",\"at\":2000,"
                   "\"reason\":\"as ada says\"},{\"by\":\"eve\"");
    audit();
}

static void test_one_rejection_is_enough(void)
{
    look();
    cast("ada", "approve");
    TEST_ASSERT_EQUAL_INT32(WFSM_TAKEN, cast("bob", "reject"));
    expect_verdict("decided");
    expect_state("dropped");
    expect_context("\"approved\":false,\"reason\":\"as bob says\"");
    audit();
}

static void test_the_digest_is_that_of_the_input(void)
{
    static const char input[] =
        "{\"diff\":\"+x\",\"quorum\":2,\"people\":[\"ada\",\"bob\",\"eve\"]}";
    char expected[WFSM_DIGEST_SIZE];
    look();
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wfsm_digest(input, sizeof input - 1, expected));
    TEST_ASSERT_EQUAL_STRING(expected, digest);
    TEST_ASSERT_EQUAL_INT32(WFSM_INVALID, wfsm_digest(NULL, 1, expected));
    TEST_ASSERT_EQUAL_INT32(WFSM_INVALID, wfsm_digest(input, 1, NULL));
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wfsm_digest(NULL, 0, expected));
    TEST_ASSERT_EQUAL_STRING("0e5751c026e543b2e8ab2eb06099daa1"
                             "d1e5df47778f7787faab45cdf12fe3a8",
                             expected);
}

/* ---- votes that do not ---- */

static void expect_refusal(int32_t outcome, const char *verdict)
{
    char part[64];
    TEST_ASSERT_EQUAL_INT32(WFSM_TAKEN, outcome); /* the document listens */
    expect_verdict(verdict);
    snprintf(part, sizeof part, "\"%s\"]", verdict);
    expect_context(part);
}

static void test_refusals(void)
{
    char other[WFSM_DIGEST_SIZE];
    look();
    strcpy(other, digest);
    other[5] = other[5] == '0' ? '1' : '0';
    expect_refusal(cast_full(id, "ada", "approve", other, NULL), "changed");
    expect_refusal(cast_full(id, "ada", "approve", "", NULL), "changed");
    expect_refusal(cast("mallory", "approve"), "not_asked");
    expect_refusal(cast_full(IDS("i/1/2"), "ada", "approve", digest, NULL), "unknown");
    expect_refusal(cast_full(IDS("i/99/1"), "ada", "approve", digest, NULL), "unknown");
    expect_refusal(cast_full(IDS("i/01/1"), "ada", "approve", digest, NULL), "unknown");
    expect_refusal(cast_full(IDS("j/1/1"), "ada", "approve", digest, NULL), "unknown");
    expect_refusal(cast_full("", "ada", "approve", digest, NULL), "unknown");
    TEST_ASSERT_EQUAL_INT32(WFSM_TAKEN, cast("ada", "approve"));
    expect_refusal(cast("ada", "approve"), "twice");
    expect_refusal(cast("ada", "reject"), "twice");
    expect_state("ask");
    audit();
    TEST_ASSERT_EQUAL_INT32(WFSM_TAKEN, cast("bob", "approve"));
    expect_state("shipped");
    expect_refusal(cast("bob", "approve"), "twice");
    expect_refusal(cast("ada", "reject"), "twice");
    expect_refusal(cast("eve", "approve"), "late");
    expect_state("shipped");
    audit();
}

static void test_data_of_any_kind(void)
{
    static const char *const kinds[] = {
        "null",
        "7",
        "{\"invocation\":\"i/1/1\",\"by\":\"ada\",\"decision\":\"maybe\",\"digest\":\"\"}",
        "{\"invocation\":\"i/1/1\",\"by\":\"\",\"decision\":\"approve\",\"digest\":\"\"}",
        "[]",
        "{}",
        "{\"invocation\":1,\"by\":\"a\",\"decision\":\"approve\","
        "\"digest\":\"\"}",
        "{\"invocation\":\"i/1/1\",\"by\":\"a\",\"decision\":\"approve\","
        "\"digest\":\"\",\"reason\":7}"};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        expect_refusal(consume(WFSM_POST_APPROVAL, "approval", IDS(kinds[i])), "malformed");
    }
    audit();
}

/* ---- what pretends to be a decision ---- */

/* An approval that nobody has given, by the events that it would lead to. */
static void test_forged_events(void)
{
    static const char *const names[] = {"done.invoke.0.ask", "done.invoke.ask", "done.state.p",
                                        "error.invoke.ask",  "error.approval",  "error.mine",
                                        "after.60000.ask",   "wfsm.approval",   "wfsm.x"};
    static const char yes[] = "{\"approved\":true}";
    char *before = bytes_of(instance);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const wfsm_event *event = EVENT(names[i], .data = yes, .length = strlen(yes));
        int32_t outcome = 0, number = wfsm_machine_event(machine, names[i]);
        TEST_ASSERT_EQUAL_INT32(WFSM_INVALID,
                                wfsm_instance_send(instance, event, 2000, &outcome, error));
        TEST_ASSERT_NOT_NULL(strstr(wfsm_error_message(error), "from outside"));
        TEST_ASSERT_EQUAL_INT32(
            WFSM_INVALID, wfsm_instance_send(instance, EVENT(names[i]), 2000, &outcome, error));
        TEST_ASSERT_EQUAL_INT32(
            WFSM_INVALID, wfsm_instance_can(instance, event, 2000, &outcome, NULL, error));
        TEST_ASSERT_EQUAL_INT32(WFSM_INVALID, wfsm_store_post(memory, "i", names[i], NULL, yes,
                                                              strlen(yes), 2000, error));
        if (number < 0)
            continue;
        TEST_ASSERT_EQUAL_INT32(
            WFSM_INVALID, wfsm_instance_send_number(instance, number, 2000, &outcome, error));
    }
    char *after = bytes_of(instance);
    TEST_ASSERT_EQUAL_STRING(before, after);
    free(before);
    free(after);
}

/* The fast path, which looks at no names, sends none of them either. */
static void test_forged_events_by_number(void)
{
    static const char *const names[] = {"done.state.s", "error.x", "after.5.s", "wfsm.x"};
    again("{'id':'m','initial':'s','states':{'s':{'on':{'done.state.s':'t','error.x':'t',"
          "'after.5.s':'t','wfsm.x':'t','go':'t'}},'t':{}}}");
    wfsm_instance_free(instance);
    instance = NULL;
    TEST_ASSERT_EQUAL_INT32(WFSM_OK,
                            wfsm_instance_start(&instance, machine, START("i"), 0, error));
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        int32_t outcome = 0, number = wfsm_machine_event(machine, names[i]);
        const wfsm_send_list list = {
            .size = sizeof list, .instances = &instance, .numbers = &number, .count = 1};
        TEST_ASSERT_GREATER_OR_EQUAL_INT32(0, number);
        TEST_ASSERT_EQUAL_INT32(
            WFSM_INVALID, wfsm_instance_send_number(instance, number, 0, &outcome, error));
        TEST_ASSERT_EQUAL_INT32(WFSM_INVALID, wfsm_instance_send_many(&list, 0, NULL, error));
    }
    expect_state("s");
    TEST_ASSERT_EQUAL_STRING("[\"go\"]", wfsm_instance_events(instance, &(size_t){0}));
}

/* A result is no way around the quorum, nor is a failure. A cancellation gives no answer. */
static void test_no_answer_but_votes(void)
{
    static const char yes[] = "{\"approved\":true}";
    int32_t outcome = 0;
    look();
    const wfsm_result result = {
        .size = sizeof result, .invocation = id, .output = yes, .length = strlen(yes)};
    const wfsm_failure failure = {
        .size = sizeof failure, .invocation = id, .failure_class = "other"};
    TEST_ASSERT_EQUAL_INT32(WFSM_DENIED,
                            wfsm_instance_result(instance, &result, 2000, &outcome, error));
    TEST_ASSERT_NOT_NULL(strstr(wfsm_error_message(error), "wfsm_approve"));
    TEST_ASSERT_EQUAL_INT32(WFSM_DENIED,
                            wfsm_instance_failure(instance, &failure, 2000, &outcome, error));
    expect_state("ask");
    TEST_ASSERT_EQUAL_UINT64(1, wfsm_instance_revision(instance));
}

/* It is consumed, so that it does not stay in front of the others, and changes nothing. */
static void test_a_forged_post_in_the_store(void)
{
    TEST_ASSERT_EQUAL_INT32(
        WFSM_FAILED, consume(WFSM_POST_EVENT, "done.invoke.0.ask", "{\"approved\":true}"));
    TEST_ASSERT_EQUAL_INT32(WFSM_FAILED, consume(WFSM_POST_EVENT, "after.60000.ask", "null"));
    expect_record("\"failure\":{\"status\":\"INVALID\"");
    expect_state("ask");
    audit();
}

static void test_votes_that_are_none(void)
{
    const wfsm_approval good = {.size = sizeof good,
                                .instance = "i",
                                .invocation = IDS("i/1/1"),
                                .by = "ada",
                                .digest = "",
                                .decision = WFSM_APPROVE};
    wfsm_approval bad[7];
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        bad[i] = good;
    bad[0].size = 0;
    bad[1].invocation = NULL;
    bad[2].by = "";
    bad[3].digest = NULL;
    bad[4].decision = 3;
    bad[5].reason = "\xff";
    bad[6].id = "";
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        TEST_ASSERT_EQUAL_INT32(WFSM_INVALID, wfsm_approve(memory, &bad[i], 2000, error));
        TEST_ASSERT_EQUAL_INT32(WFSM_INVALID,
                                wfsm_instance_approve(instance, &bad[i], 2000, NULL, error));
    }
    TEST_ASSERT_EQUAL_INT32(WFSM_INVALID, wfsm_approve(memory, NULL, 2000, error));
    TEST_ASSERT_EQUAL_INT32(WFSM_INVALID, wfsm_approve(memory, &good, -1, error));
    TEST_ASSERT_EQUAL_INT32(WFSM_INVALID, wfsm_approve(NULL, &good, 2000, error));
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wfsm_approve(memory, &good, 2000, error));
}

/* Who approved the old content has not approved the new. */
static void test_content_that_changed(void)
{
    char old_id[64], old_digest[WFSM_DIGEST_SIZE];
    int32_t outcome;
    look();
    strcpy(old_id, id);
    strcpy(old_digest, digest);
    cast("ada", "approve");
    wfsm_instance_send(instance, EVENT("EDIT"), 2000, &outcome, error);
    look();
    TEST_ASSERT_TRUE(strcmp(old_digest, digest) != 0);
    expect_refusal(cast_full(old_id, "bob", "approve", old_digest, NULL), "late");
    expect_refusal(cast_full(id, "bob", "approve", old_digest, NULL), "changed");
    TEST_ASSERT_EQUAL_INT32(WFSM_TAKEN, cast("ada", "approve")); /* her old vote is gone */
    expect_verdict("counted");
    audit();
}

static void test_a_deadline(void)
{
    int32_t fired, outcome;
    look();
    cast("ada", "approve");
    TEST_ASSERT_EQUAL_INT32(WFSM_OK,
                            wfsm_instance_advance(instance, 61000, &fired, &outcome, error));
    expect_state("dropped");
    expect_refusal(cast("bob", "approve"), "late");
    expect_refusal(cast("ada", "approve"), "twice");
    audit();
}

static void test_after_the_end(void)
{
    int32_t outcome = 0;
    look();
    cast("ada", "approve");
    cast("bob", "approve");
    wfsm_instance_send(instance, EVENT("END"), 2000, &outcome, error);
    TEST_ASSERT_EQUAL_INT32(WFSM_ENDED, outcome);
    TEST_ASSERT_EQUAL_INT32(WFSM_ENDED, cast("eve", "approve"));
}

/* One post is taken once, whatever it says. */
static void test_the_same_post_twice(void)
{
    uint64_t revision;
    look();
    TEST_ASSERT_EQUAL_INT32(WFSM_TAKEN, cast_full(id, "ada", "approve", digest, "post-1"));
    revision = wfsm_instance_revision(instance);
    TEST_ASSERT_EQUAL_INT32(WFSM_DUPLICATE, cast_full(id, "ada", "approve", digest, "post-1"));
    TEST_ASSERT_EQUAL_UINT64(revision, wfsm_instance_revision(instance));
    expect_record("\"id\":\"post-1\"");
    audit();
}

/* A document that does not listen is not moved, and the journal tells all the same. */
static void test_nobody_listens(void)
{
    again("{'wfsm':1,'id':'m','initial':'a','states':{'a':{'invoke':{'src':'person.legal',"
          "'input':{'what':'it'},'onDone':'b'}},'b':{}}}");
    look();
    TEST_ASSERT_EQUAL_INT32(WFSM_NO_TRANSITION, cast_full(id, "x", "approve", "no", NULL));
    expect_verdict("changed");
    TEST_ASSERT_EQUAL_INT32(WFSM_TAKEN, cast("anybody", "approve"));
    expect_state("b");
    TEST_ASSERT_EQUAL_INT32(WFSM_NO_TRANSITION, cast("anybody", "approve"));
    expect_verdict("twice");
    audit();
}

/* ---- the rest of the life of an invocation ---- */

static void test_no_program_is_approved(void)
{
    int32_t outcome;
    again("{'wfsm':1,'id':'m','initial':'a','states':{'a':{'invoke':[{'id':'x','src':'person'},"
          "{'id':'y','src':'personnel'}]}}}");
    look();
    TEST_ASSERT_EQUAL_INT32(WFSM_NO_TRANSITION,
                            cast_full(IDS("i/1/2"), "ada", "approve", digest, NULL));
    expect_verdict("not_asked");
    TEST_ASSERT_EQUAL_INT32(
        WFSM_OK, wfsm_instance_claim(instance, IDS("i/1/1"), "me", 2000, &outcome, error));
    TEST_ASSERT_EQUAL_INT32(WFSM_STALE, outcome);
    TEST_ASSERT_EQUAL_INT32(
        WFSM_OK, wfsm_instance_claim(instance, IDS("i/1/2"), "me", 2000, &outcome, error));
    TEST_ASSERT_EQUAL_INT32(WFSM_TAKEN, outcome);
}

/* Votes belong to what was asked: asked again, everybody votes again. */
static void test_restore_asks_again(void)
{
    int32_t outcome;
    look();
    cast("ada", "approve");
    TEST_ASSERT_EQUAL_INT32(
        WFSM_OK, wfsm_instance_checkpoint(instance, CHECKPOINT("half"), 2000, &outcome, error));
    cast("bob", "approve");
    expect_state("shipped");
    TEST_ASSERT_EQUAL_INT32_MESSAGE(
        WFSM_OK, wfsm_instance_restore(instance, FROM("half"), 3000, &outcome, error),
        wfsm_error_message(error));
    expect_refusal(cast("bob", "approve"), "twice");
    look();
    TEST_ASSERT_EQUAL_INT32(WFSM_TAKEN, cast("bob", "approve"));
    expect_verdict("counted");
    audit();
}

static void test_migration_keeps_votes(void)
{
    static const char head[] = "{'migrate':[{'from':'1'}],";
    char *next = malloc(strlen(release) + sizeof head);
    wfsm_machine *second;
    int32_t outcome;
    sprintf(next, "%s%s", head, release + 1);
    memcpy(strstr(next, "'version':'1'"), "'version':'2'", 13);
    second = load_document(next);
    free(next);
    TEST_ASSERT_NOT_NULL_MESSAGE(second, wfsm_error_message(error));
    look();
    cast("ada", "approve");
    TEST_ASSERT_EQUAL_INT32_MESSAGE(
        WFSM_OK, wfsm_instance_migrate(&instance, second, NULL, 2000, &outcome, error),
        wfsm_error_message(error));
    wfsm_machine_unref(machine);
    machine = second;
    audit();
    expect_refusal(cast("ada", "approve"), "twice");
    TEST_ASSERT_EQUAL_INT32(WFSM_TAKEN, cast("bob", "approve"));
    expect_state("shipped");
    audit();
}

/* What was cut away from the journal cannot be asked: what may have been is late. */
static void test_a_journal_that_was_cut(void)
{
    wfsm_compaction how = {.size = sizeof how};
    wfsm_compacted cut = {.size = sizeof cut};
    int32_t outcome;
    look();
    cast("ada", "approve");
    cast("bob", "approve");
    for (int i = 0; i < 40; i++)
        wfsm_instance_patch(instance, "{\"n\":\"012345678901234567890123456789\"}", 38, 2000,
                            &outcome, error);
    for (int i = 0; i < 200; i++)
        wfsm_instance_patch(instance, "{\"n\":\"012345678901234567890123456780\"}", 38, 2000,
                            &outcome, error);
    TEST_ASSERT_EQUAL_INT32_MESSAGE(WFSM_OK, wfsm_store_compact(memory, "i", &how, &cut, error),
                                    wfsm_error_message(error));
    TEST_ASSERT_GREATER_THAN_UINT64(3, cut.first);
    expect_refusal(cast("ada", "approve"), "late");
    expect_refusal(cast_full(IDS("i/2/1"), "ada", "approve", digest, NULL), "late");
    expect_refusal(cast_full(IDS("i/999/1"), "ada", "approve", digest, NULL), "unknown");
    audit();
}

/* Without memory a vote changes nothing, and is taken as ever afterwards. */
static void test_out_of_memory(void)
{
    static const char *const people[] = {"ada", "ada", "mallory", "eve", "bob"};
    scarce self = {0};
    wfsm_allocator allocator = scarce_allocator(&self);
    wfsm_machine *own = NULL;
    char *text = malloc(strlen(release) + 1);
    uint64_t failures = 0;
    for (size_t i = 0; i <= strlen(release); i++)
        text[i] = release[i] == '\'' ? '"' : release[i];
    end();
    TEST_ASSERT_EQUAL_INT32(
        WFSM_OK, wfsm_machine_load(&own, text, strlen(text), NULL, &allocator, error));
    free(text);
    machine = own;
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wfsm_memory_open(&memory, &allocator, error));
    TEST_ASSERT_EQUAL_INT32(
        WFSM_OK,
        wfsm_instance_start(&instance, machine, START("i", .store = memory), 1000, error));
    look();
    for (size_t i = 0; i < sizeof people / sizeof *people; i++) {
        int32_t status = WFSM_NO_MEMORY, outcome = 0;
        char *before = bytes_of(instance);
        const wfsm_approval vote = {.size = sizeof vote,
                                    .invocation = id,
                                    .by = people[i],
                                    .digest = digest,
                                    .decision = WFSM_APPROVE};
        for (uint64_t at = 1; status == WFSM_NO_MEMORY; at++) {
            self.fail_at = self.calls + at;
            status = wfsm_instance_approve(instance, &vote, 2000, &outcome, error);
            failures += status == WFSM_NO_MEMORY;
            if (status == WFSM_NO_MEMORY) {
                char *after = bytes_of(instance);
                TEST_ASSERT_EQUAL_STRING(before, after);
                free(after);
            }
        }
        TEST_ASSERT_EQUAL_INT32(WFSM_OK, status);
        self.fail_at = 0;
        free(before);
    }
    TEST_ASSERT_GREATER_THAN_UINT64(10, failures);
    expect_state("shipped");
    audit();
    end();
    TEST_ASSERT_EQUAL_INT64(0, self.living);
}

/* ---- what is stored, and was changed ---- */

typedef struct bending {
    const char *from, *to;
    char text[4000];
} bending;

static int bend(void *user, int kind, wfsm_row *row)
{
    bending *self = user;
    const char *at = kind == ROW_RECORD ? strstr(row->text, "\"votes\":") : NULL;
    const char *found = at ? strstr(at, self->from) : NULL;
    if (!found)
        return 1;
    row->length =
        (size_t)snprintf(self->text, sizeof self->text, "%.*s%s%s", (int)(found - row->text),
                         row->text, self->to, found + strlen(self->from));
    row->text = self->text;
    return 1;
}

static void test_approvals_that_are_none(void)
{
    static const char *const changes[][2] = {
        {"[{\"by\":\"ada\"", "[{\"by\":7"},
        {"\"decision\":\"approve\"", "\"decision\":\"x\""},
        {"\"at\":2000", "\"at\":\"2000\""},
        {"[{\"by\"", "[7,{\"by\""},
        {"[{\"by\":\"ada\",\"decision\":\"approve\",\"at\":2000,\"reason\":\"as ada says\"}]",
         "[]"},
        {"[{\"by\":\"ada\",\"decision\":\"approve\",\"at\":2000,\"reason\":\"as ada says\"}]",
         "null"}};
    look();
    cast("ada", "approve");
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        bending change = {.from = changes[i][0], .to = changes[i][1]};
        flaky between = {.inner = memory, .bend = bend, .user = &change};
        wfsm_store *bent = NULL;
        wfsm_instance *loaded = NULL;
        TEST_ASSERT_EQUAL_INT32(WFSM_OK, flaky_open(&bent, &between, NULL, error));
        TEST_ASSERT_EQUAL_INT32_MESSAGE(
            WFSM_CORRUPT, wfsm_instance_load(&loaded, machine, bent, NULL, "i", error),
            changes[i][1]);
        TEST_ASSERT_NOT_EQUAL('\0', change.text[0]);
        wfsm_store_free(bent);
    }
}

static void test_inputs_that_ask_nobody(void)
{
    static const char *const inputs[] = {"{'quorum':0}",
                                         "{'quorum':1.5}",
                                         "{'quorum':'2'}",
                                         "{'rejections':1001}",
                                         "{'people':'ada'}",
                                         "{'people':['ada',7]}",
                                         "{'people':['ada','ada']}",
                                         "{'people':['ada'],'quorum':2}",
                                         "{'people':[]}",
                                         "{'people':['']}"};
    for (size_t i = 0; i < sizeof inputs / sizeof *inputs; i++) {
        char document[300];
        snprintf(document, sizeof document,
                 "{'wfsm':1,'id':'m','initial':'a','states':{'a':{'invoke':{'src':'person',"
                 "'input':%s},'on':{'error.execution':'b'}},'b':{}}}",
                 inputs[i]);
        again(document);
        expect_state("b");
    }
}

static void test_what_a_person_has_not(void)
{
    static const char *const keys[] = {"'timeoutMs':5", "'retry':[]", "'heartbeatMs':5",
                                       "'onUnknown':'retry'", "'pool':{}"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        char document[200];
        snprintf(document, sizeof document,
                 "{'wfsm':1,'id':'m','initial':'a','states':{'a':{'invoke':{'src':'person',"
                 "%s}}}}",
                 keys[i]);
        TEST_ASSERT_NULL_MESSAGE(load_document(document), keys[i]);
        TEST_ASSERT_NOT_NULL(strstr(wfsm_error_message(error), "a person has no"));
    }
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_forged_events);
    RUN_TEST(test_forged_events_by_number);
    RUN_TEST(test_no_answer_but_votes);
    RUN_TEST(test_a_forged_post_in_the_store);
    RUN_TEST(test_approvals_that_are_none);
    RUN_TEST(test_a_quorum_approves);
    RUN_TEST(test_one_rejection_is_enough);
    RUN_TEST(test_the_digest_is_that_of_the_input);
    RUN_TEST(test_refusals);
    RUN_TEST(test_data_of_any_kind);
    RUN_TEST(test_content_that_changed);
    RUN_TEST(test_a_deadline);
    RUN_TEST(test_after_the_end);
    RUN_TEST(test_the_same_post_twice);
    RUN_TEST(test_nobody_listens);
    RUN_TEST(test_no_program_is_approved);
    RUN_TEST(test_restore_asks_again);
    RUN_TEST(test_migration_keeps_votes);
    RUN_TEST(test_a_journal_that_was_cut);
    RUN_TEST(test_out_of_memory);
    RUN_TEST(test_votes_that_are_none);
    RUN_TEST(test_inputs_that_ask_nobody);
    RUN_TEST(test_what_a_person_has_not);
    return UNITY_END() != 0;
}
