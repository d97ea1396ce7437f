#include "cycle.h"

#include <string.h>

enum state {
    IDLE,
    ANALYZING,
    ORCHESTRATING,
    AGENT_WORKING,
    AGENT_COMPLETE,
    AWAITING_APPROVAL,
    APPROVED,
    REJECTED,
    TESTING,
    TESTS_PASS,
    TESTS_FAIL,
    FIXING,
    ESCALATED,
    COMPLETING,
    COMPLETED,
    ERROR,
    ABORTED,
    RECOVERING
};

enum event {
    START,
    ANALYSIS_COMPLETE,
    SPAWN_AGENT,
    AGENT_DONE,
    ENTER_TEST_PHASE,
    TESTS_FAILED,
    START_FIX,
    FIX_COMPLETE,
    ALL_TESTS_PASS,
    TESTS_PASSED_CONTINUE,
    WORKFLOW_COMPLETE,
    FINALIZE,
    ROUTE_NEXT,
    NEEDS_APPROVAL,
    ALL_COMPLETE,
    APPROVE,
    REJECT,
    CONTINUE,
    MAX_RETRIES_EXCEEDED,
    FAILURE,
    ABORT,
    START_RECOVERY,
    RESTORE_CHECKPOINT
};

enum { NOBODY, TESTER };

const uint8_t cycle_events[CYCLE] = {
    START,
    ANALYSIS_COMPLETE,
    SPAWN_AGENT,
    AGENT_DONE,
    ENTER_TEST_PHASE,
    TESTS_FAILED,
    START_FIX,
    FIX_COMPLETE,
    ALL_TESTS_PASS,
    TESTS_PASSED_CONTINUE,
    WORKFLOW_COMPLETE,
    FINALIZE,
};

const char *const cycle_names[CYCLE] = {
    "START",
    "ANALYSIS_COMPLETE",
    "SPAWN_AGENT",
    "AGENT_DONE",
    "ENTER_TEST_PHASE",
    "TESTS_FAILED",
    "START_FIX",
    "FIX_COMPLETE",
    "ALL_TESTS_PASS",
    "TESTS_PASSED_CONTINUE",
    "WORKFLOW_COMPLETE",
    "FINALIZE",
};

void cycle_start(cycle_state *self)
{
    memset(self, 0, sizeof *self);
    self->suggested = 1;
    self->max_retries = 3;
    self->agent = TESTER;
}

static bool to(cycle_state *self, enum state state)
{
    self->state = (uint8_t)state;
    self->revision++;
    return true;
}

static bool from_orchestrating(cycle_state *self, uint8_t event)
{
    if (event == SPAWN_AGENT && (self->queued > 0 || self->suggested > 0))
        return to(self, AGENT_WORKING);
    if (event == WORKFLOW_COMPLETE && self->queued == 0)
        return to(self, COMPLETING);
    return false;
}

static bool from_agent_complete(cycle_state *self, uint8_t event)
{
    switch (event) {
    case ROUTE_NEXT:
        return !self->complete && !self->needs_approval && to(self, ORCHESTRATING);
    case NEEDS_APPROVAL:
        return self->needs_approval && to(self, AWAITING_APPROVAL);
    case ALL_COMPLETE:
        return self->complete && to(self, COMPLETING);
    case ENTER_TEST_PHASE:
        return self->agent == TESTER && to(self, TESTING);
    default:
        return false;
    }
}

static bool from_tests_fail(cycle_state *self, uint8_t event)
{
    if (event == START_FIX && self->retries < self->max_retries) {
        self->retries++;
        return to(self, FIXING);
    }
    return event == MAX_RETRIES_EXCEEDED && self->retries >= self->max_retries &&
           to(self, ESCALATED);
}

static bool from_completed(cycle_state *self, uint8_t event)
{
    if (event != START)
        return false;
    self->retries = 0;
    return to(self, ANALYZING);
}

static bool from_anywhere(cycle_state *self, uint8_t event)
{
    if (event == FAILURE && self->state != ERROR && self->state != ABORTED)
        return to(self, ERROR);
    return event == ABORT && self->state != ABORTED && self->state != COMPLETED &&
           to(self, ABORTED);
}

__attribute__((noinline)) bool cycle_send(cycle_state *self, uint8_t event)
{
    if (event == FAILURE || event == ABORT)
        return from_anywhere(self, event);
    switch ((enum state)self->state) {
    case IDLE:
        return event == START && to(self, ANALYZING);
    case ANALYZING:
        return event == ANALYSIS_COMPLETE && to(self, ORCHESTRATING);
    case ORCHESTRATING:
        return from_orchestrating(self, event);
    case AGENT_WORKING:
        return event == AGENT_DONE && to(self, AGENT_COMPLETE);
    case AGENT_COMPLETE:
        return from_agent_complete(self, event);
    case AWAITING_APPROVAL:
        return (event == APPROVE && to(self, APPROVED)) ||
               (event == REJECT && to(self, REJECTED));
    case APPROVED:
    case REJECTED:
        return event == CONTINUE && to(self, ORCHESTRATING);
    case TESTING:
        return (event == ALL_TESTS_PASS && to(self, TESTS_PASS)) ||
               (event == TESTS_FAILED && to(self, TESTS_FAIL));
    case TESTS_PASS:
        return event == TESTS_PASSED_CONTINUE && to(self, ORCHESTRATING);
    case TESTS_FAIL:
        return from_tests_fail(self, event);
    case FIXING:
        return event == FIX_COMPLETE && to(self, TESTING);
    case COMPLETING:
        return event == FINALIZE && to(self, COMPLETED);
    case COMPLETED:
        return from_completed(self, event);
    case ERROR:
        return event == START_RECOVERY && to(self, RECOVERING);
    case RECOVERING:
        return event == RESTORE_CHECKPOINT && to(self, IDLE);
    case ESCALATED:
    case ABORTED:
        break;
    }
    return false;
}
