/* verify/test_cases.c: a small set of runs that meets all that the search has met. The goals that were
 * met last are taken first: a long run meets most of what lies on its way. */
#include "verify/verification.h"

#include <stdlib.h>
#include "base/error.h"
#include "verify/concretize.h"

typedef struct goal {
    uint32_t number;
    uint32_t order; /* of the state from which it was met; 0: a start */
} goal;

typedef struct writer {
    wfsm_verification *report;
    wf_search *from;
    uint8_t *met; /* by point, by all cases so far */
    wf_coverage last; /* what the run at hand meets */
} writer;

static int later_first(const void *a, const void *b)
{
    const goal *one = a, *other = b;
    if (one->order != other->order)
        return one->order > other->order ? -1 : 1;
    return one->number < other->number ? -1 : one->number > other->number;
}

static goal *goals_of(const wf_search *from, wf_arena *arena, size_t *count)
{
    const wf_coverage *coverage = &from->explorer.coverage;
    const uint32_t most = coverage->count * WF_MET_ALL;
    goal *list = wf_arena_take(arena, (most + 1u) * sizeof *list);
    *count = 0;
    for (uint32_t i = 0; list && i < most; i++)
        if (coverage->first[i].met)
            list[(*count)++] = (goal){i, coverage->first[i].state + 1}; /* WF_NONE + 1 is 0 */
    if (list)
        qsort(list, *count, sizeof *list, later_first);
    return list;
}

static bool is_met(const uint8_t *met, uint32_t number)
{
    return (met[number / WF_MET_ALL] >> number % WF_MET_ALL & 1) != 0;
}

static bool add_case(writer *self, const wf_concrete *concrete)
{
    wfsm_verification *report = self->report;
    wf_test_case *made = &report->cases[report->case_count];
    const uint32_t points = self->last.count;
    made->script =
        wf_arena_text(&report->arena, concrete->script.data, concrete->script.length);
    made->met = wf_arena_take(&report->arena, points + 1u);
    if (!made->script || !made->met)
        return false;
    memcpy(made->met, self->last.met, points);
    for (uint32_t i = 0; i < points; i++)
        self->met[i] |= made->met[i];
    report->case_count++;
    return true;
}

static void note_step(void *user, size_t move, const wf_input *input,
                      const wf_snapshot *snapshot)
{
    bool *started = user;
    (void)move, (void)input, (void)snapshot;
    *started = true;
}

/* A run whose start fails is no case: there is no instance of which anything could be said.
 * What the run with values does not meet is left: an abstraction found it, or symbols did. */
static int32_t run_case(writer *self, const wf_trace *trace, uint32_t number)
{
    const wfsm_allocator *allocator = self->report->arena.allocator;
    bool started = false;
    wf_concrete concrete = {
        .same = true, .coverage = &self->last, .stepped = note_step, .user = &started};
    wf_buffer_init(&concrete.text, allocator);
    wf_buffer_init(&concrete.script, allocator);
    int32_t status = wf_concretize(self->from, trace, &concrete);
    if (status == WFSM_OK && started && concrete.same && wf_coverage_has(&self->last, number) &&
        !add_case(self, &concrete))
        status = WFSM_NO_MEMORY;
    wf_buffer_fini(&concrete.text);
    wf_buffer_fini(&concrete.script);
    return status;
}

static int32_t write_case(writer *self, uint32_t number)
{
    wf_arena *arena = &self->report->arena;
    wf_trace trace;
    bool values = true;
    int32_t status = wf_trace_to_goal(self->from, number, arena, &trace);
    if (status == WFSM_OK && self->from->symbolic)
        status = wf_trace_values(self->from, &trace, arena, &values);
    if (status == WFSM_OK && values)
        status = run_case(self, &trace, number);
    wf_trace_free(self->from, &trace);
    return status == WFSM_NOT_FOUND ? WFSM_OK : status;
}

static int32_t write_from(writer *self, wf_search *from)
{
    size_t count;
    const goal *goals = goals_of(from, &self->report->arena, &count);
    int32_t status = goals ? WFSM_OK : WFSM_NO_MEMORY;
    self->from = from;
    for (size_t i = 0; i < count && status == WFSM_OK; i++)
        if (!is_met(self->met, goals[i].number))
            status = write_case(self, goals[i].number);
    return status;
}

/* True if the other cases meet all that this one does. */
static bool is_spare(const wfsm_verification *report, size_t number, uint32_t points)
{
    for (uint32_t p = 0; p < points; p++) {
        uint8_t left = report->cases[number].met[p];
        for (size_t i = 0; i < report->case_count && left != 0; i++)
            if (i != number)
                left &= (uint8_t)~report->cases[i].met[p];
        if (left != 0)
            return false;
    }
    return true;
}

/* The longest come first, and are kept. */
static void drop_spare(wfsm_verification *report, uint32_t points)
{
    for (size_t i = report->case_count; i-- > 0;) {
        if (!is_spare(report, i, points))
            continue;
        for (size_t k = i + 1; k < report->case_count; k++)
            report->cases[k - 1] = report->cases[k];
        report->case_count--;
    }
}

int32_t wf_test_cases_write(wfsm_verification *report, wf_search *from, wf_search *symbolic)
{
    const uint32_t points = from->explorer.coverage.count;
    writer self = {.report = report};
    self.met = wf_arena_zero(&report->arena, points + 1u);
    report->cases =
        wf_arena_zero(&report->arena, (points * WF_MET_ALL + 1u) * sizeof *report->cases);
    if (!self.met || !report->cases ||
        !wf_coverage_init(&self.last, report->machine, &report->arena))
        return WFSM_NO_MEMORY;
    int32_t status = write_from(&self, from);
    if (status == WFSM_OK && symbolic)
        status = write_from(&self, symbolic);
    drop_spare(report, points);
    return status;
}
