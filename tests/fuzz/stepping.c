#include "stepping.h"

#include <stdlib.h>
#include <string.h>
#include "base/memory.h"
#include "instance/support.h"
#include "store/decode.h"
#include "../given.h"

/* ---- the known run ---- */

static void keep_revision(fuzz_run *run, wfsm_instance *instance)
{
    size_t length, index = (size_t)wfsm_instance_revision(instance) - 1;
    if (index >= RUN_MOST || run->snapshots[index])
        return;
    run->snapshots[index] = bytes_of(instance);
    const char *record = wfsm_instance_record(instance, &length);
    run->records[index] = malloc(length + 1);
    memcpy(run->records[index], record, length + 1);
    run->count = index + 1;
}

/* Their records have parts of the value that is there, in each way of saying so. */
#define ITEM "\"an item of a list, which is not written again\""
static const char *const patches[] = {
    "{\"new\":{\"list\":[" ITEM "," ITEM "],\"by\":{\"a\":" ITEM ",\"b\":1}}}",
    "{\"new\":{\"list\":[" ITEM "," ITEM ",{\"s\":" ITEM ",\"n\":1}],\"by\":{\"a\":" ITEM
    ",\"b\":1}}}",
    "{\"new\":{\"list\":[" ITEM "," ITEM ",{\"s\":" ITEM ",\"n\":2}],\"by\":{\"a\":" ITEM
    ",\"c\":2}}}",
    "{\"new\":{\"list\":[" ITEM ",{\"s\":" ITEM ",\"n\":2}],\"by\":{\"c\":2,\"a\":" ITEM "}}}"};

static void run_patches(fuzz_run *run, wfsm_instance *instance)
{
    int32_t outcome;
    for (size_t i = 0; i < sizeof patches / sizeof *patches; i++) {
        fuzz_expect(wfsm_instance_patch(instance, patches[i], strlen(patches[i]), 0, &outcome,
                                        NULL) == WFSM_OK,
                    "the known run is patched");
        keep_revision(run, instance);
    }
}

static void make_run(fuzz_run *run)
{
    wfsm_functions *functions = NULL;
    wfsm_store *store = NULL;
    wfsm_instance *instance = NULL;
    int32_t outcome;
    wfsm_machine_load(&run->machine, everything, strlen(everything), NULL, NULL, NULL);
    wfsm_functions_new(&functions, NULL, NULL);
    add_functions(functions, NULL);
    wfsm_memory_open(&store, NULL, NULL);
    fuzz_expect(wfsm_instance_start(&instance, run->machine,
                                    START(FUZZ_ID, .store = store, .functions = functions), 0,
                                    NULL) == WFSM_OK,
                "the known run starts");
    keep_revision(run, instance);
    run_patches(run, instance);
    for (int line = 0; line < SCRIPT_LENGTH; line++) {
        run_line(instance, line, &outcome, NULL);
        keep_revision(run, instance);
    }
    wfsm_instance_free(instance);
    wfsm_store_free(store);
    wfsm_functions_free(functions);
}

const fuzz_run *fuzz_the_run(void)
{
    static fuzz_run run;
    if (!run.machine)
        make_run(&run);
    return &run;
}

/* ---- steps ---- */

static int32_t say_yes(void *user, const wf_guard *guard, const wf_value *params, bool *yes,
                       const char **message)
{
    (void)user, (void)guard, (void)params, (void)message;
    *yes = true;
    return WFSM_OK;
}

static int32_t change_nothing(void *user, uint32_t function, const wf_value *params,
                              wf_value *patch, const char **message)
{
    (void)user, (void)function, (void)params, (void)message;
    *patch = wf_absent();
    return WFSM_OK;
}

static int32_t run_input(wf_step *step, const char *event, bool *changed)
{
    int32_t outcome = WFSM_NO_TRANSITION, status;
    bool fired = true;
    const wf_value nothing = wf_null();
    if (event) {
        wf_value name = wf_string_z(event);
        status = wf_step_event(step, &name, &nothing, &nothing, &outcome);
    } else {
        status = wf_step_due(step, &fired, &outcome);
    }
    *changed = status == WFSM_OK && fired &&
               (!event || outcome == WFSM_TAKEN || outcome == WFSM_FAILED);
    return status;
}

static void apply_to(wf_snapshot *before, const wf_step *step)
{
    wf_buffer record;
    char digest[WF_DIGEST_HEX];
    wf_member kind;
    wf_member_set(&kind, "kind", 4, wf_string_z("event"));
    wf_value input = wf_object(&kind, 1);
    const wf_record made = {&input, WFSM_TAKEN, fuzz_digest, false};
    wfsm_error *error = wfsm_error_new(NULL);
    memcpy(digest, fuzz_digest, sizeof digest);
    wf_buffer_init(&record, step->allocator);
    wf_record_write(&record, step, &made);
    const wf_stored stored = {FUZZ_ID, NULL, record.data, record.length, NULL};
    fuzz_accept(wf_record_apply(before, &stored, digest, error) == WFSM_OK, error, record.data);
    wfsm_error_free(error);
    wf_buffer_fini(&record);
}

static void check_step(wf_step *step, wf_snapshot *before)
{
    apply_to(before, step);
    fuzz_expect(wf_step_prepare(step) == WFSM_OK, "a step can be committed");
    wf_step_commit(step);
    char *left = fuzz_snapshot_text(before), *right = fuzz_snapshot_text(step->snapshot);
    fuzz_same(left, right, "a record says all that changed");
    fuzz_expect(fuzz_legal(step->snapshot), "a step ends in a legal configuration");
    free(left);
    free(right);
}

void fuzz_step(wf_snapshot *snapshot, const char *event, int64_t now)
{
    wf_step step;
    wf_snapshot before;
    char *text, *after;
    bool changed;
    if (snapshot->status != WFSM_RUNNING || now > WF_NUMBER_MOST)
        return;
    text = fuzz_snapshot_text(snapshot);
    fuzz_expect(
        fuzz_read(&before, snapshot->machine, snapshot->allocator, text, strlen(text), NULL),
        "a snapshot can be copied");
    fuzz_expect(wf_step_init(&step, snapshot, FUZZ_ID), "memory");
    step.host = (wf_host){NULL, say_yes, change_nothing};
    step.owner = "me";
    step.grant.slots = 1;
    fuzz_expect(wf_step_begin(&step, now) == WFSM_OK, "a step begins");
    run_input(&step, event, &changed);
    if (changed) {
        check_step(&step, &before);
    } else {
        wf_step_rollback(&step);
        after = fuzz_snapshot_text(snapshot);
        fuzz_same(text, after, "a dropped draft leaves nothing behind");
        free(after);
    }
    wf_step_fini(&step);
    wf_snapshot_fini(&before);
    free(text);
}

void fuzz_continue(wf_snapshot *snapshot)
{
    const wfsm_machine *machine = snapshot->machine;
    for (uint32_t i = 0; i < machine->events.count && i < 12; i++)
        fuzz_step(snapshot, machine->events.list[i].text, snapshot->now);
    for (int i = 0; i < 3; i++)
        fuzz_step(snapshot, NULL, wf_snapshot_deadline(snapshot, false));
}
