/* Structs of an instance. */
#include "sizes.h"

/* An instance of its own for each call, because some of them end it. */
static wfsm_instance *fresh(void)
{
    wfsm_instance *made = NULL;
    TEST_ASSERT_EQUAL(WFSM_OK, wfsm_instance_start(&made, machine, START("r"), 1, NULL));
    return made;
}

static int32_t take_step_limits(const void *given)
{
    return wfsm_instance_set_limits(instance, given, NULL);
}

static int32_t take_result(const void *given)
{
    wfsm_instance *other = fresh();
    int32_t outcome = WFSM_STALE;
    int32_t status = wfsm_instance_result(other, given, 2, &outcome, NULL);
    wfsm_instance_free(other);
    TEST_ASSERT_TRUE(status != WFSM_OK || outcome == WFSM_ENDED);
    return status;
}

static int32_t take_report(const void *given)
{
    return take_result(RESULT("r/1/1", .report = given));
}

static int32_t take_failure(const void *given)
{
    wfsm_instance *other = fresh();
    int32_t outcome = WFSM_STALE;
    int32_t status = wfsm_instance_failure(other, given, 2, &outcome, NULL);
    wfsm_instance_free(other);
    TEST_ASSERT_TRUE(status != WFSM_OK || outcome != WFSM_STALE);
    return status;
}

static int32_t take_approval(const void *given)
{
    wfsm_instance *other = fresh();
    int32_t status = wfsm_instance_approve(other, given, 2, NULL, NULL);
    wfsm_instance_free(other);
    return status;
}

static int32_t take_start_options(const void *given)
{
    wfsm_instance *made = NULL;
    int32_t status = wfsm_instance_start(&made, machine, given, 1, NULL);
    TEST_ASSERT_EQUAL(status == WFSM_OK, made != NULL);
    wfsm_instance_free(made);
    return status;
}

static int32_t take_event(const void *given)
{
    int32_t can = wfsm_instance_can(instance, given, 1, NULL, NULL, NULL);
    int32_t sent = wfsm_instance_send(instance, given, 1, NULL, NULL);
    TEST_ASSERT_EQUAL(sent, can);
    return sent;
}

static int32_t take_send_list(const void *given)
{
    size_t done = 9;
    int32_t status = wfsm_instance_send_many(given, 1, &done, NULL);
    TEST_ASSERT_EQUAL(0, done);
    return status;
}

static int32_t take_checkpoint(const void *given)
{
    return wfsm_instance_checkpoint(instance, given, 1, NULL, NULL);
}

static int32_t take_restore_point(const void *given)
{
    return wfsm_instance_restore(instance, given, 1, NULL, NULL);
}

static int32_t give_past_head(void *to)
{
    return wfsm_instance_head(instance, to);
}

static int32_t give_preview(void *to)
{
    return wfsm_instance_can(instance, EVENT("E"), 1, NULL, to, NULL);
}

static int32_t give_step_limits(void *to)
{
    return wfsm_instance_limits(instance, to);
}

static void structs_that_are_handed_in(void)
{
    TAKES(wfsm_start_options, take_start_options, UP_TO(wfsm_start_options, length), .id = "s");
    TAKES(wfsm_step_limits, take_step_limits, UP_TO(wfsm_step_limits, step_bytes),
          .selections = 5);
    TAKES(wfsm_event, take_event, UP_TO(wfsm_event, length), .name = "E");
    TAKES(wfsm_send_list, take_send_list, ALL(wfsm_send_list), .count = 0);
    TAKES(wfsm_checkpoint, take_checkpoint, ALL(wfsm_checkpoint), .id = "c");
    TAKES(wfsm_restore_point, take_restore_point, UP_TO(wfsm_restore_point, revision),
          .checkpoint = "c");
    TAKES(wfsm_result, take_result, ALL(wfsm_result), .invocation = "r/1/1");
    TAKES(wfsm_failure, take_failure, ALL(wfsm_failure), .invocation = "r/1/1",
          .failure_class = "exit");
    TAKES(wfsm_approval, take_approval, UP_TO(wfsm_approval, id), .invocation = "r/1/1",
          .by = "a", .digest = "", .decision = WFSM_REJECT);
    TAKES(wfsm_report, take_report, UP_TO(wfsm_report, retry_after), .signature = "s");
}

static void structs_that_are_asked_for(void)
{
    gives_but("wfsm_head", give_past_head, sizeof(wfsm_head), UP_TO(wfsm_head, updated),
              UP_TO(wfsm_head, status));
    gives("wfsm_preview", give_preview, sizeof(wfsm_preview), NO_MORE);
    gives_but("wfsm_step_limits", give_step_limits, sizeof(wfsm_step_limits),
              UP_TO(wfsm_step_limits, step_bytes), UP_TO(wfsm_step_limits, descendants_in_all));
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(structs_that_are_handed_in);
    RUN_TEST(structs_that_are_asked_for);
    return UNITY_END() != 0;
}
