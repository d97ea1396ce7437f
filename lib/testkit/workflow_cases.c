/* testkit/workflow_cases.c: a workflow on the store, as the users of a store's author see
 * it. */
#include "cases.h"

#include <string.h>
#include <wfsm/audit.h>
#include <wfsm/instance.h>

static const char document[] =
    "{\"id\": \"lamp\", \"initial\": \"on\", \"context\": {\"n\": 0}, \"states\": {"
    "\"on\": {\"tags\": [\"lit\"], \"after\": {\"1000\": \"off\"}, \"on\": {\"ADD\": "
    "{\"actions\": ["
    "{\"type\": \"assign\", \"params\": {\"n\": {\"+\": [{\"var\": \"context.n\"}, 1]}}},"
    "{\"type\": \"emit\", \"params\": {\"event\": \"added\"}}]}}},"
    "\"off\": {\"type\": \"final\"}}}";

/* A workflow on a store that makes a planned call fail. */
typedef struct workflow {
    tk_suite *suite;
    wfsm_testkit_plan plan;
    wfsm_store *spoiled;
    wfsm_machine *machine;
    wfsm_instance *instance;
} workflow;

static int32_t start(workflow *self, tk_suite *suite)
{
    const wfsm_start_options options = {
        .size = sizeof options, .id = "lamp", .store = self->spoiled};
    return wfsm_instance_start(&self->instance, self->machine, &options, 0, suite->error);
}

static bool begin(workflow *self, tk_suite *suite)
{
    *self = (workflow){.suite = suite, .plan = {.size = sizeof self->plan}};
    return tk_status(suite, "compiling a machine", WFSM_OK,
                     wfsm_machine_load(&self->machine, document, sizeof document - 1, NULL,
                                       NULL, suite->error)) &&
           tk_status(
               suite, "wrapping the store", WFSM_OK,
               wfsm_testkit_wrap(&self->spoiled, suite->store, &self->plan, suite->error)) &&
           tk_status(suite, "starting an instance", WFSM_OK, start(self, suite));
}

static bool load(workflow *self)
{
    wfsm_instance_free(self->instance);
    self->instance = NULL;
    return tk_status(self->suite, "loading an instance", WFSM_OK,
                     wfsm_instance_load(&self->instance, self->machine, self->spoiled, NULL,
                                        "lamp", self->suite->error));
}

static int32_t ignore(void *user, const wfsm_audit_diagnostic *diagnostic)
{
    tk_holds(user, false, "the audit reports: %s", diagnostic->message);
    return WFSM_OK;
}

/* An audit must accept the journal. It audits this instance only, because a store with
 * broken paging would list forever. */
static void end(workflow *self)
{
    wfsm_audit_counts counts = {.size = sizeof counts};
    wfsm_instance_free(self->instance);
    wfsm_store_free(self->spoiled);
    tk_status(self->suite, "an audit", WFSM_OK,
              wfsm_store_audit(self->suite->store, "lamp", ignore, self->suite, &counts,
                               self->suite->error));
    wfsm_machine_unref(self->machine);
}

static void expect_send(workflow *self, const char *what, const char *id, int64_t now,
                        int32_t status, int32_t outcome)
{
    const wfsm_event event = {.size = sizeof event, .name = "ADD", .id = id};
    int32_t got = 0;
    tk_status(self->suite, what, status,
              wfsm_instance_send(self->instance, &event, now, &got, NULL));
    if (status == WFSM_OK)
        tk_string(self->suite, what, wfsm_outcome_name(outcome), wfsm_outcome_name(got));
}

static void expect_state(workflow *self, const char *what, uint64_t revision,
                         const char *context)
{
    size_t length = 0;
    const char *json = wfsm_instance_context(self->instance, &length);
    tk_number(self->suite, what, revision, wfsm_instance_revision(self->instance));
    tk_holds(self->suite, json && strlen(context) == length && !memcmp(json, context, length),
             "%s: expected the context %s, got %.*s", what, context, (int)length,
             json ? json : "");
}

static void spoil_next_commit(workflow *self, int32_t fault)
{
    self->plan.fault = fault;
    self->plan.at = self->plan.calls + 2; /* the first call asks whether the event is known */
}

static void a_workflow_is_saved_and_loaded(tk_suite *suite)
{
    workflow self;
    if (begin(&self, suite)) {
        for (int64_t now = 1; now <= 40; now++) {
            expect_send(&self, "an event", NULL, now, WFSM_OK, WFSM_TAKEN);
            if (now % 10 == 0 && !load(&self))
                break;
        }
        if (self.instance)
            expect_state(&self, "a workflow after 40 events", 41, "{\"n\":40}");
    }
    end(&self);
}

static void a_failed_write_leaves_the_workflow(tk_suite *suite)
{
    workflow self;
    if (begin(&self, suite)) {
        spoil_next_commit(&self, WFSM_TESTKIT_FAIL);
        expect_send(&self, "an event whose commit fails", "e", 1, WFSM_STORE_FAILED, 0);
        expect_state(&self, "a workflow after a commit that failed", 1, "{\"n\":0}");
        expect_send(&self, "the event tried again", "e", 2, WFSM_OK, WFSM_TAKEN);
        expect_state(&self, "a workflow after the event tried again", 2, "{\"n\":1}");
    }
    end(&self);
}

static void a_lost_answer_is_found_again(tk_suite *suite)
{
    workflow self;
    if (begin(&self, suite)) {
        spoil_next_commit(&self, WFSM_TESTKIT_LOSE);
        expect_send(&self, "an event whose answer is lost", "e", 1, WFSM_STORE_UNKNOWN, 0);
        expect_send(&self, "an event after a lost answer", "f", 2, WFSM_SEALED, 0);
        if (load(&self)) {
            expect_state(&self, "a workflow whose answer was lost", 2, "{\"n\":1}");
            expect_send(&self, "the event sent again", "e", 3, WFSM_OK, WFSM_DUPLICATE);
            expect_state(&self, "a workflow after the event sent again", 2, "{\"n\":1}");
        }
    }
    end(&self);
}

static void advance(workflow *self, const char *what, int64_t now, uint64_t wanted)
{
    int32_t fired = 0;
    tk_status(self->suite, what, WFSM_OK,
              wfsm_instance_advance(self->instance, now, &fired, NULL, NULL));
    tk_number(self->suite, what, wanted, (uint64_t)fired);
}

static void a_timer_fires_once_and_not_before(tk_suite *suite)
{
    workflow self;
    if (begin(&self, suite)) {
        advance(&self, "timers fired before the deadline", 999, 0);
        if (load(&self))
            advance(&self, "timers fired at the deadline", 1000, 1);
        if (self.instance && load(&self))
            advance(&self, "timers fired after a timer has fired", 5000, 0);
        if (self.instance)
            tk_number(suite, "the status of a workflow that has ended", WFSM_DONE,
                      (uint64_t)wfsm_instance_status(self.instance));
    }
    end(&self);
}

static void two_writers_lose_nothing(tk_suite *suite)
{
    workflow self;
    wfsm_instance *other = NULL;
    const wfsm_event event = {.size = sizeof event, .name = "ADD"};
    if (begin(&self, suite) && tk_status(suite, "loading an instance twice", WFSM_OK,
                                         wfsm_instance_load(&other, self.machine, self.spoiled,
                                                            NULL, "lamp", suite->error))) {
        expect_send(&self, "an event of the first writer", NULL, 1, WFSM_OK, WFSM_TAKEN);
        tk_status(suite, "an event of the second writer, at the same revision", WFSM_CONFLICT,
                  wfsm_instance_send(other, &event, 2, NULL, NULL));
        expect_state(&self, "a workflow of two writers", 2, "{\"n\":1}");
    }
    wfsm_instance_free(other);
    end(&self);
}

const tk_case tk_workflow_cases[] = {
    {"a_workflow_is_saved_and_loaded", a_workflow_is_saved_and_loaded, false},
    {"a_failed_write_leaves_the_workflow", a_failed_write_leaves_the_workflow, false},
    {"a_lost_answer_is_found_again", a_lost_answer_is_found_again, false},
    {"a_timer_fires_once_and_not_before", a_timer_fires_once_and_not_before, false},
    {"two_writers_lose_nothing", two_writers_lose_nothing, false},
    {NULL, NULL, false},
};
