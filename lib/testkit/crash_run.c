/* testkit/crash_run.c: a run, line by line. It recovers from each fault as a careful
 * program would. */
#include "crash.h"
#include "../base/invariant.h"

#include <inttypes.h>

static const char *id_of(const tk_run *run)
{
    return run->options->instance ? run->options->instance : "sim";
}

static int32_t end(tk_run *run, int32_t status)
{
    run->ended = status;
    return status;
}

static int32_t open_store(tk_run *run)
{
    WF_INVARIANT(!run->inner && !run->store);
    int32_t status = run->options->open(run->options->user, &run->inner, run->error);
    if (!status)
        status = wfsm_testkit_wrap(&run->store, run->inner, &run->plan, run->error);
    return status ? end(run, status) : WFSM_OK;
}

static void close_store(tk_run *run)
{
    wfsm_instance_free(run->instance);
    wfsm_store_free(run->store);
    wfsm_store_free(run->inner);
    run->instance = NULL;
    run->inner = run->store = NULL;
}

/* ---- recovery ---- */

static int32_t load(tk_run *run)
{
    return wfsm_instance_load(&run->instance, run->options->machine, run->store,
                              run->options->functions, id_of(run), run->error);
}

static int32_t start(tk_run *run)
{
    tk_must(run, run->acknowledged == 0,
            "the instance is gone, and revision %" PRIu64 " was acknowledged",
            run->acknowledged);
    int32_t happened = run->plan.happened;
    const wfsm_start_options options = {.size = sizeof options,
                                        .id = id_of(run),
                                        .store = run->store,
                                        .functions = run->options->functions};
    int32_t status =
        wfsm_instance_start(&run->instance, run->options->machine, &options, 0, run->error);
    bool own = status && run->learning && run->plan.happened == happened;
    return own ? end(run, status) : status;
}

/* Finds the line for the store's revision. What was acknowledged must be stored. */
static void find_place(tk_run *run)
{
    uint64_t revision = wfsm_instance_revision(run->instance);
    uint64_t last = run->reference->lines[run->reference->count].after;
    tk_must(run, revision >= run->acknowledged,
            "revision %" PRIu64 " was acknowledged, and the store is at %" PRIu64,
            run->acknowledged, revision);
    tk_must(run, revision <= last,
            "the store is at revision %" PRIu64 ", and the script leads to %" PRIu64, revision,
            last);
    run->line = tk_reference_line(run->reference, revision);
}

static int32_t enter(tk_run *run)
{
    int32_t status = load(run);
    if (status == WFSM_NOT_FOUND)
        status = start(run);
    if (status == WFSM_EXISTS)
        status = load(run);
    if (!status && !run->learning)
        find_place(run);
    return status;
}

static void come_back(tk_run *run)
{
    run->counts->restarts++;
    if (!run->plan.dead) {
        wfsm_instance_free(run->instance);
        run->instance = NULL;
        return;
    }
    wfsm_instance_free(run->instance);
    wfsm_store_free(run->store);
    run->instance = NULL;
    run->store = NULL;
    if (run->options->cut)
        run->options->cut(run->options->user);
    close_store(run);
    run->plan.dead = 0;
    open_store(run);
}

static void arm_second(tk_run *run)
{
    if (run->second == WFSM_TESTKIT_NONE || run->plan.happened != 1)
        return;
    run->plan.fault = run->second;
    run->plan.at = run->plan.calls + run->second_gap;
    run->second = WFSM_TESTKIT_NONE;
    /* The second fault is still to come. */
    WF_INVARIANT(run->plan.at > run->plan.calls);
}

/* True if the run can recover from the status: a fault was planned, or another handle
 * committed. */
static void recover(tk_run *run, int32_t status)
{
    bool planned = run->plan.happened > run->handled;
    bool sealed =
        status == WFSM_STORE_UNKNOWN || status == WFSM_CONFLICT || status == WFSM_SEALED;
    run->handled = run->plan.happened;
    arm_second(run);
    if (run->plan.dead || (sealed && (run->plan.happened || run->witness)))
        come_back(run);
    else if (run->witness && !planned)
        end(run, status);
    else
        tk_must(run, planned, "without a fault, the store answers %s: %s",
                wfsm_status_name(status), wfsm_error_message(run->error));
}

/* ---- the run ---- */

static int32_t step(tk_run *run)
{
    if (!run->instance)
        return enter(run);
    int32_t status = tk_play_line(run);
    if (!status)
        run->line++;
    return status;
}

static void play_lines(tk_run *run)
{
    uint64_t attempts = 0, most = 20 * (run->options->count + 10);
    while (!run->ended && !run->broken &&
           (!run->instance || run->line <= run->options->count)) {
        int32_t status = step(run);
        if (status == WFSM_NO_MEMORY)
            end(run, status);
        else if (status && !run->ended)
            recover(run, status);
        tk_must(run, ++attempts < most, "the run does not end");
    }
}

/* Checks the end through a new handle, after all delayed commits are done. */
static void look_back(tk_run *run)
{
    run->plan.at = 0;
    wfsm_instance_free(run->instance);
    wfsm_store_free(run->store);
    run->instance = NULL;
    run->store = NULL;
    int32_t status = wfsm_instance_load(&run->instance, run->options->machine, run->inner,
                                        run->options->functions, id_of(run), run->error);
    if (tk_must(run, status == WFSM_OK, "at the end, the instance cannot be loaded: %s, %s",
                wfsm_status_name(status), wfsm_error_message(run->error)))
        tk_check_end(run);
}

int32_t tk_play(tk_run *run)
{
    run->plan.size = sizeof run->plan;
    if (!open_store(run))
        play_lines(run);
    if (!run->ended && !run->broken)
        look_back(run);
    close_store(run);
    return run->ended;
}
