/* testkit/crash.c: wfsm_testkit_crash() and wfsm_testkit_resume(). The first tries every
 * fault at every call of the store; the second runs in a process that may be killed. */
#include "crash.h"
#include "../base/invariant.h"

#include "../base/sized.h"

typedef struct crash {
    const wfsm_testkit_crash_options *options;
    wfsm_testkit_crash_counts counts;
    tk_reference reference;
    wfsm_error *error; /* of the workflow; planned faults fill it in, too */
    uint64_t random;
} crash;

static int32_t invalid(wfsm_error *error, const char *message)
{
    return wfsm_error_set(error, WFSM_INVALID, message);
}

static bool input_is_complete(const wfsm_testkit_input *input)
{
    if (!wf_struct_fits(input, sizeof *input, sizeof *input))
        return false;
    switch (input->kind) {
    case WFSM_TESTKIT_ADVANCE:
        return input->ms >= 0 && input->ms <= (int64_t)1 << 53;
    case WFSM_TESTKIT_RESTORE:
        return (input->name != NULL) != (input->revision != 0);
    case WFSM_TESTKIT_PATCH:
        return input->json != NULL;
    case WFSM_TESTKIT_APPROVE:
        return input->approval != NULL;
    case WFSM_TESTKIT_FAILURE:
        return input->name && input->failure_class;
    default:
        return input->kind >= WFSM_TESTKIT_EVENT && input->kind <= WFSM_TESTKIT_RETRY &&
               input->name;
    }
}

static int32_t check(const wfsm_testkit_crash_options *options,
                     const wfsm_testkit_crash_counts *counts, wfsm_error *error)
{
    if (!wf_struct_fits(options, sizeof *options, sizeof *options) || !options->machine ||
        !options->open || (options->count && !options->inputs))
        return invalid(error, "the options are of a wrong size, or not complete");
    if (!wf_struct_can_be_given(counts))
        return invalid(error, "the counts are of a wrong size");
    for (size_t i = 0; i < options->count; i++)
        if (!input_is_complete(options->inputs[i]))
            return invalid(error, "a line of the script is not complete");
    return WFSM_OK;
}

static int32_t begin(crash *self, const wfsm_testkit_crash_options *options, wfsm_error *error)
{
    *self = (crash){.options = options, .counts = {.size = sizeof self->counts}};
    self->random = options->seed * 2 + 1;
    self->error = wfsm_error_new(NULL);
    if (!self->error || !tk_reference_init(&self->reference, options->count))
        return wfsm_error_set(self->error ? self->error : error, WFSM_NO_MEMORY,
                              "out of memory");
    return WFSM_OK;
}

static void finish(crash *self, int32_t status, wfsm_testkit_crash_counts *counts,
                   wfsm_error *error)
{
    if (status && self->error)
        wfsm_error_set(error, status, wfsm_error_message(self->error));
    wfsm_error_free(self->error);
    tk_reference_free(&self->reference);
    wf_struct_give(counts, &self->counts, sizeof self->counts, sizeof counts->size);
}

static tk_run run_of(crash *self)
{
    return (tk_run){.options = self->options,
                    .counts = &self->counts,
                    .reference = &self->reference,
                    .error = self->error};
}

static void wipe(const crash *self)
{
    if (self->options->wipe)
        self->options->wipe(self->options->user);
}

static int32_t learn(crash *self)
{
    tk_run run = run_of(self);
    run.learning = true;
    wipe(self);
    int32_t status = tk_play(&run);
    self->counts.calls = run.plan.calls;
    const tk_reference *reference = &self->reference;
    bool failed = reference->journal.failed || reference->final.failed ||
                  reference->effects.failed || reference->places.failed;
    return status || !failed ? status : WFSM_NO_MEMORY;
}

/* ---- faults ---- */

static void count_faults(crash *self, int32_t fault, int32_t happened)
{
    uint64_t *const places[] = {NULL,
                                &self->counts.fail,
                                &self->counts.drop,
                                &self->counts.lose,
                                &self->counts.delay,
                                &self->counts.cut_before,
                                &self->counts.cut_after};
    if (happened) {
        WF_INVARIANT(fault > WFSM_TESTKIT_NONE && fault <= WFSM_TESTKIT_CUT_AFTER);
        ++*places[fault];
    }
}

static int32_t run_fault(crash *self, tk_run *run)
{
    int32_t second = run->second;
    WF_INVARIANT(run->plan.at > 0 &&
                 run->plan.at <= self->counts.calls); /* or it never happens */
    run->fault = run->plan.fault;
    run->at = run->plan.at;
    wipe(self);
    self->counts.runs++;
    int32_t status = tk_play(run);
    count_faults(self, run->fault, run->plan.happened > 0);
    count_faults(self, second, run->plan.happened > 1);
    return status;
}

static int32_t run_single(crash *self, uint64_t at, int32_t fault, uint64_t delay, bool *writes)
{
    tk_run run = run_of(self);
    run.plan.fault = fault;
    run.plan.at = at;
    run.plan.delay = delay;
    int32_t status = run_fault(self, &run);
    *writes = run.plan.wrote;
    return status;
}

/* For a read, a failure and a lost answer are the same. */
static int32_t run_call(crash *self, uint64_t at)
{
    bool writes = false;
    int32_t status = run_single(self, at, WFSM_TESTKIT_FAIL, 1, &writes);
    bool wrote = writes;
    for (int32_t fault = WFSM_TESTKIT_DROP; fault <= WFSM_TESTKIT_CUT_AFTER && !status;
         fault++) {
        bool alike = fault == WFSM_TESTKIT_DROP || fault == WFSM_TESTKIT_DELAY;
        uint64_t most = wrote && fault == WFSM_TESTKIT_DELAY ? 8 : 1;
        for (uint64_t delay = 1; delay <= most && !status && (wrote || !alike); delay *= 2)
            status = run_single(self, at, fault, delay, &writes);
    }
    return status;
}

static int32_t told(const crash *self, uint64_t done, uint64_t all)
{
    const wfsm_testkit_crash_options *options = self->options;
    return options->progress ? options->progress(options->user, done, all) : WFSM_OK;
}

static int32_t run_singles(crash *self)
{
    uint64_t calls = self->counts.calls, most = self->options->most;
    uint64_t every = most && most < calls ? (calls + most - 1) / most : 1;
    int32_t status = WFSM_OK;
    for (uint64_t at = 1 + self->options->seed % every; at <= calls && !status; at += every) {
        status = run_call(self, at);
        if (!status)
            status = told(self, at, calls + self->options->pairs);
    }
    return status;
}

/* xorshift64: reproducible everywhere, and random enough to choose calls. */
static uint64_t random_below(crash *self, uint64_t bound)
{
    uint64_t x = self->random;
    WF_INVARIANT(x != 0); /* 0 would stay */
    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
    self->random = x;
    return x % bound;
}

static int32_t run_pairs(crash *self)
{
    int32_t status = WFSM_OK;
    uint64_t calls = self->counts.calls;
    for (uint64_t i = 0; i < self->options->pairs && !status && calls; i++) {
        tk_run run = run_of(self);
        run.plan.fault = 1 + (int32_t)random_below(self, WFSM_TESTKIT_CUT_AFTER);
        run.plan.at = 1 + random_below(self, calls);
        run.plan.delay = 1 + random_below(self, 8);
        run.second = 1 + (int32_t)random_below(self, WFSM_TESTKIT_CUT_AFTER);
        run.second_gap = 1 + random_below(self, 12);
        status = run_fault(self, &run);
        if (!status)
            status = told(self, calls + i + 1, calls + self->options->pairs);
    }
    return status;
}

int32_t wfsm_testkit_crash(const wfsm_testkit_crash_options *options,
                           wfsm_testkit_crash_counts *counts, wfsm_error *error)
{
    crash self;
    int32_t status = check(options, counts, error);
    if (status)
        return status;
    status = begin(&self, options, error);
    if (!status)
        status = learn(&self);
    if (!status && !self.counts.violations)
        status = run_singles(&self);
    if (!status && !self.counts.violations)
        status = run_pairs(&self);
    if (options->wipe && self.error)
        wipe(&self);
    finish(&self, status, counts, error);
    return status;
}

/* ---- killed from outside ---- */

static int32_t open_memory(void *user, wfsm_store **store, wfsm_error *error)
{
    (void)user;
    return wfsm_memory_open(store, NULL, error);
}

/* Makes the reference in a memory store, without counting. */
static int32_t learn_in_memory(crash *self)
{
    wfsm_testkit_crash_options memory = *self->options;
    const wfsm_testkit_crash_options *given = self->options;
    memory.open = open_memory;
    memory.wipe = NULL;
    self->options = &memory;
    int32_t status = learn(self);
    self->options = given;
    self->counts = (wfsm_testkit_crash_counts){.size = sizeof self->counts,
                                               .violations = self->counts.violations};
    return status;
}

int32_t wfsm_testkit_resume(const wfsm_testkit_crash_options *options,
                            wfsm_testkit_witness *witness, wfsm_testkit_crash_counts *counts,
                            wfsm_error *error)
{
    crash self;
    int32_t status = check(options, counts, error);
    if (!status &&
        (!wf_struct_fits(witness, sizeof *witness, sizeof *witness) || !witness->note))
        status = invalid(error, "the witness is of a wrong size, or not complete");
    if (status)
        return status;
    status = begin(&self, options, error);
    if (!status)
        status = learn_in_memory(&self);
    tk_run run = run_of(&self);
    if (!status && !self.counts.violations) {
        run.witness = witness;
        run.acknowledged = witness->acknowledged;
        run.delivered = witness->delivered;
        status = tk_play(&run);
        self.counts.calls = run.plan.calls;
        self.counts.runs = !status && !run.broken;
    }
    if (run.error && !status) {
        witness->acknowledged = run.acknowledged;
        witness->delivered = run.delivered;
    }
    finish(&self, status, counts, error);
    return status;
}
