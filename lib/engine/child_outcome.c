/* engine/child_outcome.c: how a child workflow ended, as the answer of its parent's job. */
#include "engine/child_outcome.h"

#include "engine/engine.h"

bool wf_child_owes_effects(wfsm_engine *engine, wfsm_instance *child)
{
    const char *effect = NULL;

    return engine->deliver &&
           (wfsm_instance_next_effect(child, &effect, NULL, NULL, engine->failed) != WFSM_OK ||
            effect);
}

void wf_child_answer(wfsm_engine *engine, wf_job *job, int answer)
{
    job->answer = answer;
    job->retry_after = 0;
    wf_job_set(engine, job, WF_JOB_ANSWERED);
    wf_ask_soon(engine, job->entry);
}

int32_t wf_child_fail(wfsm_engine *engine, wf_job *job, uint32_t failure_class,
                      const char *message)
{
    wf_buffer_clear(&job->text);
    wf_buffer_text(&job->text, message);
    if (job->text.failed)
        wf_buffer_clear(&job->text); /* a failure without a message is better than none */
    job->failure_class = failure_class;
    wf_child_answer(engine, job, WF_ANSWER_FAILED);
    return WFSM_OK;
}

/* The parent used what its child used: budgets of the same names count it. */
static int32_t take_usage(wf_job *job, const wfsm_instance *child)
{
    const wfsm_machine *machine = wfsm_instance_machine(child);
    int32_t status = WFSM_OK;

    wf_buffer_clear(&job->usage);
    wf_buffer_clear(&job->signature);
    for (uint32_t i = 0; i < machine->budget_count && status == WFSM_OK; i++) {
        int64_t used = wf_instance_used(child, i);

        if (machine->budgets[i].counts == WF_COUNT_USAGE && used > 0)
            status = wf_usage_add(&job->usage, machine->budgets[i].name.text, used);
    }
    return status;
}

/* A final state with the tag `error` is a failure. Its output may give the class and a
 * message. */
static int32_t take_failure(wfsm_engine *engine, wf_job *job, const wf_value *output,
                            const char *text)
{
    const wf_value *word = output->type == WF_OBJECT ? wf_value_get_z(output, "class") : NULL;
    const wf_value *message =
        output->type == WF_OBJECT ? wf_value_get_z(output, "message") : NULL;
    uint32_t failure_class = word && word->type == WF_STRING
                                 ? wf_class_find(word->as.text, word->length)
                                 : WF_CLASSES;

    return wf_child_fail(engine, job,
                         failure_class < WF_CLASSES ? failure_class : WF_CLASS_OTHER,
                         message && message->type == WF_STRING ? message->as.text : text);
}

int32_t wf_child_take_end(wfsm_engine *engine, wf_job *job, wfsm_instance *child,
                          wfsm_error *error)
{
    size_t length = 0;
    const char *text = wfsm_instance_output(child, &length);

    WF_INVARIANT(job->child && wfsm_instance_status(child) == WFSM_DONE);
    job->descendants = 1 + wf_instance_descendants(child);
    if (!text || take_usage(job, child) != WFSM_OK)
        return wf_no_memory(error);
    if (wfsm_instance_stopped(child))
        return wf_child_fail(engine, job, WF_CLASS_CANCELED, "the child workflow was stopped");
    if (wfsm_instance_has_tag(child, "error"))
        return take_failure(engine, job, wf_instance_output(child), text);
    wf_buffer_clear(&job->text);
    wf_buffer_add(&job->text, text, length);
    if (job->text.failed)
        return wf_no_memory(error);
    wf_child_answer(engine, job, WF_ANSWER_DONE);
    return WFSM_OK;
}
