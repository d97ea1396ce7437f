#include "world.h"

#include <string.h>
#include <unity.h>
#include "base/buffer.h"
#include "logic/json.h"

enum { TEXT = 1 << 13 };

void setUp(void)
{
}

void tearDown(void)
{
}

static size_t quote(char text[TEXT], const char *from)
{
    size_t length = strlen(from);
    TEST_ASSERT_LESS_THAN(TEXT, length);
    for (size_t i = 0; i <= length; i++)
        text[i] = from[i] == '\'' ? '"' : from[i];
    return length;
}

static int32_t answer_guard(void *user, const wf_guard *guard, const wf_value *params,
                            bool *yes, const char **message)
{
    world *self = user;
    (void)guard, (void)params, (void)message;
    self->guards++;
    *yes = self->guard_answer;
    return self->guard_status;
}

static int32_t answer_action(void *user, uint32_t function, const wf_value *params,
                             wf_value *patch, const char **message)
{
    world *self = user;
    (void)function, (void)params, (void)patch;
    self->actions++;
    *message = "the host is tired";
    return self->action_status;
}

void world_open(world *self, const char *document)
{
    char text[TEXT];
    wfsm_error *error = wfsm_error_new(NULL);
    size_t length = quote(text, document);
    memset(self, 0, sizeof *self);
    if (wfsm_machine_load(&self->machine, text, length, NULL, NULL, error))
        TEST_FAIL_MESSAGE(wfsm_error_message(error));
    wfsm_error_free(error);
    TEST_ASSERT_TRUE(
        wf_snapshot_init(&self->snapshot, self->machine, &self->machine->allocator));
    TEST_ASSERT_TRUE(wf_step_init(&self->step, &self->snapshot, "i"));
    self->step.host = (wf_host){self, answer_guard, answer_action};
    wf_arena_init(&self->arena, &self->machine->allocator, 1 << 20);
}

void world_close(world *self)
{
    wf_step_fini(&self->step);
    wf_snapshot_fini(&self->snapshot);
    wf_arena_fini(&self->arena);
    wfsm_machine_unref(self->machine);
}

wf_value world_value(world *self, const char *json)
{
    char text[TEXT];
    wf_value value = wf_absent();
    size_t length = quote(text, json);
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wf_json_parse(&self->arena, text, length, &value, NULL));
    return value;
}

void world_commit(world *self)
{
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wf_step_prepare(&self->step));
    wf_step_commit(&self->step);
}

int32_t world_finish(world *self, int32_t status, int32_t outcome)
{
    bool changed =
        outcome != WFSM_NO_TRANSITION && outcome != WFSM_BLOCKED && outcome != WFSM_STALE;
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, status);
    if (changed)
        world_commit(self);
    else
        wf_step_rollback(&self->step);
    return outcome;
}

static void begin(world *self)
{
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wf_step_begin(&self->step, self->snapshot.now));
}

int32_t world_start(world *self)
{
    const wf_value input = wf_absent();
    int32_t outcome = 0;
    begin(self);
    int32_t status = wf_step_start(&self->step, &input, &outcome);
    return world_finish(self, status, outcome);
}

int32_t world_send_data(world *self, const char *event, const char *json)
{
    const wf_value name = wf_string_z(event), data = world_value(self, json), id = wf_null();
    int32_t outcome = 0;
    begin(self);
    int32_t status = wf_step_event(&self->step, &name, &data, &id, &outcome);
    return world_finish(self, status, outcome);
}

int32_t world_send(world *self, const char *event)
{
    return world_send_data(self, event, "null");
}

int32_t world_advance(world *self, int64_t now)
{
    bool fired = false;
    int32_t outcome = WFSM_NO_TRANSITION;
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wf_step_begin(&self->step, now));
    int32_t status = wf_step_due(&self->step, &fired, &outcome);
    if (fired && outcome == WFSM_NO_TRANSITION) { /* the timer is used up */
        TEST_ASSERT_EQUAL_INT32(WFSM_OK, status);
        world_commit(self);
        return outcome;
    }
    return world_finish(self, status, outcome);
}

int32_t world_claim(world *self, size_t invocation)
{
    int32_t outcome = 0;
    begin(self);
    int32_t status = wf_step_claim(&self->step, invocation, "me", &outcome);
    return world_finish(self, status, outcome);
}

int32_t world_result(world *self, size_t invocation, const char *json)
{
    const wf_value output = world_value(self, json);
    int32_t outcome = 0;
    begin(self);
    int32_t status = wf_step_result(&self->step, invocation, &output, &outcome);
    return world_finish(self, status, outcome);
}

int32_t world_fail(world *self, size_t invocation, uint32_t failure_class, const char *message)
{
    int32_t outcome = 0;
    begin(self);
    int32_t status = wf_step_failed(&self->step, invocation, failure_class, message, &outcome);
    return world_finish(self, status, outcome);
}

uint32_t world_state(const world *self, const char *path)
{
    uint32_t state = wf_machine_find(self->machine, path, strlen(path));
    TEST_ASSERT_NOT_EQUAL_UINT32(WF_NONE, state);
    return state;
}

bool world_in(const world *self, const char *path)
{
    return wf_set_has(self->snapshot.active, world_state(self, path));
}

void world_expect_value(world *self, const char *json, const wf_value *value)
{
    wf_buffer text;
    wf_value expected = world_value(self, json);
    if (wf_value_equal(&expected, value))
        return;
    wf_buffer_init(&text, &self->machine->allocator);
    wf_json_write(&text, value);
    wf_buffer_add(&text, "", 1);
    TEST_ASSERT_EQUAL_STRING(json, text.data);
    wf_buffer_fini(&text);
    TEST_FAIL_MESSAGE("the values differ");
}

void world_expect_context(world *self, const char *json)
{
    wf_value context = wf_snapshot_context(&self->snapshot, &self->arena);
    world_expect_value(self, json, &context);
}

const wf_list *world_timers(const world *self)
{
    return &self->snapshot.extras->timers;
}

const wf_list *world_ledger(const world *self)
{
    return &self->snapshot.extras->ledger;
}
