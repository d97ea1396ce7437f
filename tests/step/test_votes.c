/* step/votes.c and step/people.c: what people are asked, and how they answer. */
#include <unity.h>
#include "world.h"

static const char *const document =
    "{'id':'m','context':{'got':null},'initial':'a','states':{'a':{'invoke':{'src':'person',"
    "'input':{'question':'ship?','quorum':2,'people':['ann','bob','cyd']},"
    "'onDone':{'target':'b','actions':{'type':'assign','params':{'got':{'var':'event.data."
    "approved'}}}}}},'b':{}}}";

static int cast(world *w, const char *by, const char *decision, bool other)
{
    char digest[WF_DIGEST_HEX];
    wf_member members[4];
    int verdict = 0;
    int32_t outcome = 0;
    TEST_ASSERT_TRUE(wf_approval_digest(&wf_invocation_at(world_ledger(w), 0)->input,
                                        &w->machine->allocator, digest));
    if (other)
        digest[0] = digest[0] == '0' ? '1' : '0';
    wf_member_set(&members[0], "invocation", 10, wf_string_z("i/1/1"));
    wf_member_set(&members[1], "by", 2, wf_string_z(by));
    wf_member_set(&members[2], "digest", 6, wf_string_z(digest));
    wf_member_set(&members[3], "decision", 8, wf_string_z(decision));
    const wf_value given = wf_object(members, 4);
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wf_step_begin(&w->step, 0));
    int32_t status = wf_step_approval(&w->step, &given, WF_VERDICT_UNKNOWN, &verdict, &outcome);
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, status);
    world_commit(w);
    return verdict;
}

static int vote(world *w, const char *by, bool other)
{
    return cast(w, by, "approve", other);
}

static void a_quorum_decides(void)
{
    world w;
    world_open(&w, document);
    world_start(&w);
    TEST_ASSERT_EQUAL_INT32(WFSM_STALE, world_claim(&w, 0));
    TEST_ASSERT_EQUAL_INT(WF_VERDICT_COUNTED, vote(&w, "ann", false));
    TEST_ASSERT_EQUAL_INT(WF_VERDICT_TWICE, vote(&w, "ann", false));
    TEST_ASSERT_EQUAL_INT(WF_VERDICT_NOT_ASKED, vote(&w, "eve", false));
    TEST_ASSERT_EQUAL_INT(WF_VERDICT_CHANGED, vote(&w, "bob", true));
    TEST_ASSERT_TRUE(world_in(&w, "a"));
    TEST_ASSERT_EQUAL_INT(WF_VERDICT_DECIDED, vote(&w, "bob", false));
    world_expect_context(&w, "{'got':true}");
    world_close(&w);
}

/* Nobody else can vote. */
static void a_vote_of_all_that_decides_nothing_is_a_rejection(void)
{
    world w;
    world_open(
        &w,
        "{'id':'m','context':{'got':null,'yes':null},'initial':'a','states':{'a':{'invoke':{"
        "'src':'person','input':{'people':['ann','bob','cyd'],'quorum':3,'rejections':2},"
        "'onDone':{'target':'b','actions':{'type':'assign','params':{'got':{'map':[{'var':"
        "'event.data.votes'},{'cat':[{'var':'by'},{'var':'decision'}]}]},'yes':{'var':"
        "'event.data.approved'}}}}}},'b':{}}}");
    world_start(&w);
    TEST_ASSERT_EQUAL_INT(WF_VERDICT_COUNTED, cast(&w, "bob", "approve", false));
    TEST_ASSERT_EQUAL_INT(WF_VERDICT_COUNTED, cast(&w, "ann", "reject", false));
    TEST_ASSERT_EQUAL_INT(WF_VERDICT_DECIDED, cast(&w, "cyd", "approve", false));
    TEST_ASSERT_TRUE(world_in(&w, "b"));
    world_expect_context(&w, "{'got':['bobapprove','annreject','cydapprove'],'yes':false}");
    world_close(&w);
}

static void what_a_person_is_asked_is_checked(void)
{
    world w;
    world_open(&w, document);
    wf_value good = world_value(&w, "{'people':['ann','bob'],'quorum':2}");
    wf_value many = world_value(&w, "{'people':['ann'],'quorum':2}");
    wf_value twice = world_value(&w, "{'people':['ann','ann'],'quorum':2}");
    wf_value none = world_value(&w, "{'rejections':0}");
    TEST_ASSERT_NULL(wf_approval_error(&good));
    TEST_ASSERT_NOT_NULL(wf_approval_error(&many));
    TEST_ASSERT_NOT_NULL(wf_approval_error(&twice));
    TEST_ASSERT_NOT_NULL(wf_approval_error(&none));
    TEST_ASSERT_EQUAL_UINT32(2, wf_approval_count(&good, "quorum"));
    TEST_ASSERT_EQUAL_UINT32(1, wf_approval_count(&good, "rejections"));
    TEST_ASSERT_TRUE(wf_approval_asks(&good, "bob"));
    TEST_ASSERT_FALSE(wf_approval_asks(&good, "eve"));
    world_close(&w);
}

static void each_verdict_has_a_name(void)
{
    for (int i = 0; i < WF_VERDICTS; i++)
        TEST_ASSERT_EQUAL_INT(i, wf_verdict_find(wf_verdict_name(i)));
    TEST_ASSERT_EQUAL_INT(WF_VERDICTS, wf_verdict_find("other"));
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(a_quorum_decides);
    RUN_TEST(a_vote_of_all_that_decides_nothing_is_a_rejection);
    RUN_TEST(what_a_person_is_asked_is_checked);
    RUN_TEST(each_verdict_has_a_name);
    return UNITY_END() != 0;
}
