/* The inputs of a journal that is replayed, and the answers of its host. */
#include "instance/replay_parts.h"

#include <string.h>
#include "base/error.h"
#include "instance/instance.h"
#include "logic/json.h"
#include "store/decode.h"

/* ---- the host's answers ---- */

static const wf_value *next_answer(wf_replay *replay, const char *kind, const char *name)
{
    const wf_value *list = wf_replay_member(&replay->record, "host");
    if (!list || list->type != WF_ARRAY || replay->next_answer >= list->length)
        return NULL;
    const wf_value *answer = &list->as.items[replay->next_answer++];
    return strcmp(wf_replay_text(answer, kind), name) == 0 ? answer : NULL;
}

/* If the recorded answer is missing, the step fails, and its record differs. */
int32_t wf_replay_guard(void *user, const wf_guard *guard, const wf_value *params, bool *yes,
                        const char **message)
{
    wf_replay *replay = user;
    const wf_value *answer =
        next_answer(replay, "guard", replay->step.machine->guards.list[guard->host].text);
    (void)params;
    if (!answer || wf_replay_member(answer, "failed")) {
        if (answer && wf_replay_member(answer, "message"))
            *message = wf_replay_text(answer, "message");
        return WFSM_HOST;
    }
    wf_value said = wf_replay_value(answer, "answer");
    *yes = wf_value_truth(&said);
    return WFSM_OK;
}

int32_t wf_replay_action(void *user, uint32_t function, const wf_value *params, wf_value *patch,
                         const char **message)
{
    wf_replay *replay = user;
    const wf_value *answer =
        next_answer(replay, "action", replay->step.machine->functions.list[function].text);
    (void)params;
    if (!answer || wf_replay_member(answer, "failed")) {
        if (answer && wf_replay_member(answer, "message"))
            *message = wf_replay_text(answer, "message");
        return WFSM_HOST;
    }
    wf_value said = wf_replay_value(answer, "answer");
    if (said.type == WF_OBJECT)
        *patch = said;
    return WFSM_OK;
}

/* ---- the inputs ---- */

static bool is_running(const wf_value *made)
{
    return strcmp(wf_replay_text(made, "status"), "running") == 0;
}

static bool is_about(const wf_value *entry, const wf_invocation *made)
{
    wf_value revision = wf_replay_value(entry, "revision"),
             ordinal = wf_replay_value(entry, "ordinal");
    return revision.type == WF_NUMBER && revision.as.number == (double)made->revision &&
           ordinal.type == WF_NUMBER && ordinal.as.number == made->ordinal;
}

/* The list has the order of the ledger, in which the step reads it for each priority. So the
 * next one is most often the one after the last. */
static bool was_claimed(void *user, const wfsm_machine *machine, const wf_invocation *made)
{
    wf_replay *replay = user;
    const wf_value *set = wf_replay_member(&replay->record, "invocations");
    (void)machine;
    for (uint32_t i = 0; set && set->type == WF_ARRAY && i < set->length; i++) {
        uint32_t at = replay->asked % set->length;
        if (is_about(&set->as.items[at], made))
            return is_running(&set->as.items[at]);
        replay->asked = at + 1;
    }
    return false;
}

/* The record leaves an owner out that is the same as before. */
static const char *owner_of(const wf_replay *replay, const wf_value *entry)
{
    const wf_list *ledger = &replay->snapshot.extras->ledger;
    const char *owner = wf_replay_text(entry, "owner");
    size_t i = 0;
    while (i < ledger->count && !is_about(entry, wf_invocation_at(ledger, i)))
        i++;
    if (owner[0] != '\0' || i == ledger->count ||
        wf_invocation_at(ledger, i)->owner.type != WF_STRING)
        return owner;
    return wf_invocation_at(ledger, i)->owner.as.text;
}

void wf_replay_grant(wf_replay *replay)
{
    const wf_value *set = wf_replay_member(&replay->record, "invocations");
    replay->step.grant = (wf_grant){UINT32_MAX, replay, was_claimed};
    replay->step.owner = "";
    replay->asked = 0;
    for (uint32_t i = 0; set && set->type == WF_ARRAY && i < set->length; i++)
        if (is_running(&set->as.items[i]))
            replay->step.owner = owner_of(replay, &set->as.items[i]);
}

/* The place of the invocation in the ledger, or its length. */
static size_t invocation_of(const wf_replay *replay, const wf_value *input)
{
    return wf_ledger_find_id(&replay->snapshot.extras->ledger, replay->id,
                             wf_replay_text(input, "invocation"));
}

/* What the ids of the first step build on. */
static void begin_first(wf_replay *replay, const wf_value *input)
{
    const wf_value *parent = wf_replay_member(input, "parent");
    const wf_value *start = wf_replay_member(input, "start");
    bool numbered = start && start->type == WF_NUMBER && start->as.number >= 0 &&
                    start->as.number <= (double)WF_NUMBER_MOST;
    const wf_beginning by = {parent ? wf_replay_text(parent, "invocation") : NULL,
                             wf_replay_text(input, "session"),
                             numbered ? (uint64_t)start->as.number : 0};
    wf_step_first(&replay->step, &by);
}

static int32_t run_start(wf_replay *replay, const wf_value *input, int32_t *outcome)
{
    const wf_value *given = wf_replay_member(input, "input");
    const wf_value *parent = wf_replay_member(input, "parent");
    const wf_value none = wf_absent();
    if (parent && !wf_is_parent(parent))
        return wf_replay_wrong(replay, "the parent of a child is malformed");
    if (parent && !wf_snapshot_set_parent(&replay->snapshot, parent))
        return WFSM_NO_MEMORY;
    begin_first(replay, input);
    return wf_step_start(&replay->step, given ? given : &none, outcome);
}

static int32_t run_event(wf_replay *replay, const wf_value *input, int32_t *outcome)
{
    wf_value name = wf_replay_value(input, "event"), data = wf_replay_value(input, "data"),
             id = wf_replay_value(input, "id");
    if (name.type != WF_STRING)
        return wf_replay_wrong(replay, "an event has no name");
    *outcome = WFSM_ENDED;
    if (replay->snapshot.status == WFSM_DONE)
        return WFSM_OK;
    return wf_step_event(&replay->step, &name, &data, &id, outcome);
}

static int32_t run_due(wf_replay *replay, const wf_value *input, int32_t *outcome)
{
    bool fired = false;
    (void)input;
    int32_t status = wf_step_due(&replay->step, &fired, outcome);
    return status == WFSM_OK && !fired ? wf_replay_wrong(replay, "nothing was due then")
                                       : status;
}

static int32_t run_stop(wf_replay *replay, const wf_value *input, int32_t *outcome)
{
    (void)input;
    if (replay->snapshot.status == WFSM_DONE)
        return wf_replay_wrong(replay, "it had ended already");
    return wf_step_stop(&replay->step, outcome);
}

static int32_t run_patch(wf_replay *replay, const wf_value *input, int32_t *outcome)
{
    wf_value patch = wf_replay_value(input, "patch");
    if (patch.type != WF_OBJECT)
        return wf_replay_wrong(replay, "a patch is not an object");
    return wf_step_patch(&replay->step, &patch, outcome);
}

static int32_t run_checkpoint(wf_replay *replay, const wf_value *input, int32_t *outcome)
{
    (void)replay;
    (void)input;
    *outcome = WFSM_TAKEN;
    return WFSM_OK;
}

static int32_t run_delete(wf_replay *replay, const wf_value *input, int32_t *outcome)
{
    *outcome = WFSM_TAKEN;
    if (!wf_replay_find(replay, wf_replay_text(input, "id")) && !replay->cut)
        return wf_replay_wrong(replay, "there was no such checkpoint");
    return WFSM_OK;
}

/* The state in the record of a fork or of a restore, as it is written there. */
static int32_t read_part(wf_replay *replay, const wf_value *input, const char *instance,
                         wf_snapshot *from)
{
    const wf_value *checkpoint = wf_replay_member(input, "checkpoint");
    char digest[WF_DIGEST_HEX];
    wf_buffer *text = &replay->full;
    wf_buffer_clear(text);
    wf_json_write(text, wf_replay_member(input, "snapshot"));
    if (text->failed)
        return WFSM_NO_MEMORY;
    wf_stored stored = {instance, checkpoint ? wf_replay_text(input, "checkpoint") : NULL,
                        text->data, text->length, NULL};
    int32_t status = wf_snapshot_read(from, &stored, digest, NULL);
    wf_value revision = wf_replay_value(input, "revision");
    if (status == WFSM_NO_MEMORY)
        return status;
    if (status != WFSM_OK || from->status != WFSM_RUNNING || revision.type != WF_NUMBER ||
        revision.as.number != (double)from->revision)
        return wf_replay_wrong(replay, "the state that it begins with is malformed");
    return WFSM_OK;
}

/* An earlier state of this instance, without the effects, which it still has. */
static int32_t read_restored(wf_replay *replay, const wf_value *input, wf_snapshot *from)
{
    const wf_kept *kept = wf_replay_find(replay, wf_replay_text(input, "id"));
    if (!wf_replay_member(input, "snapshot"))
        return wf_replay_wrong(replay, "a restore does not have its state");
    int32_t status = read_part(replay, input, replay->id, from);
    if (status == WFSM_OK &&
        (from->revision > replay->snapshot.revision || from->extras->outbox.count > 0))
        return wf_replay_wrong(replay, "the restored state is not one of an earlier revision");
    if (status == WFSM_OK && kept && kept->revision != from->revision)
        return wf_replay_wrong(replay, "the restored state is not that of the checkpoint");
    if (status == WFSM_OK && !kept && !replay->cut && wf_replay_member(input, "id"))
        return wf_replay_wrong(replay, "there was no such checkpoint");
    return status;
}

static int32_t run_restore(wf_replay *replay, const wf_value *input, int32_t *outcome)
{
    wf_snapshot from;
    if (!wf_snapshot_init(&from, replay->machine, &replay->allocator))
        return WFSM_NO_MEMORY;
    int32_t status = read_restored(replay, input, &from);
    if (status == WFSM_OK)
        status = wf_step_restore(&replay->step, &from, outcome);
    wf_snapshot_fini(&from);
    return status;
}

/* The budgets, which are newer than the checkpoint that was forked. */
static int32_t take_budgets(wf_replay *replay, const wf_value *input, wf_snapshot *from)
{
    const wf_value *budgets = wf_replay_member(input, "budgets");
    if (!budgets || wf_budgets_read(from, budgets))
        return WFSM_OK;
    return wf_replay_wrong(replay, "the fork has no such budgets");
}

static int32_t run_fork(wf_replay *replay, const wf_value *input, int32_t *outcome)
{
    bool present = !wf_replay_member(input, "checkpoint") && !wf_replay_member(input, "past");
    wf_snapshot from;
    if (!wf_replay_member(input, "snapshot"))
        return wf_replay_wrong(replay, "a fork does not name its source");
    if (!wf_snapshot_init(&from, replay->machine, &replay->allocator))
        return WFSM_NO_MEMORY;
    int32_t status = read_part(replay, input, wf_replay_text(input, "source"), &from);
    if (status == WFSM_OK)
        status = take_budgets(replay, input, &from);
    begin_first(replay, input);
    if (status == WFSM_OK)
        status = wf_step_fork(&replay->step, &from, present, outcome);
    wf_snapshot_fini(&from);
    return status;
}

static int32_t run_migrate(wf_replay *replay, const wf_value *input, int32_t *outcome)
{
    if (!replay->left || strcmp(wf_replay_text(input, "from"), replay->left->fingerprint) != 0)
        return wf_replay_wrong(replay, "a migration leads from another document to this one");
    return wf_step_migrate(&replay->step, &replay->before, outcome);
}

/* What the agent reported besides its answer. */
static int32_t take_report(wf_replay *replay, const wf_value *input)
{
    const wf_value *usage = wf_replay_member(input, "usage");
    const wf_value *after = wf_replay_member(input, "retry_after");
    const wf_value *descendants = wf_replay_member(input, "descendants");
    wf_report *report = &replay->step.report;
    for (uint32_t i = 0; usage && usage->type == WF_OBJECT && i < usage->length; i++) {
        const wf_value *amount = &usage->as.members[i].value;
        if (amount->type != WF_NUMBER || !(amount->as.number >= 0) ||
            amount->as.number > (double)WF_NUMBER_MOST)
            return wf_replay_wrong(replay, "usage must be whole numbers");
    }
    if (usage && usage->type == WF_OBJECT)
        report->usage = usage;
    if (wf_replay_text(input, "signature")[0] != '\0')
        report->signature = wf_replay_text(input, "signature");
    if (after && after->type == WF_NUMBER && after->as.number >= 0 &&
        after->as.number <= (double)WF_NUMBER_MOST)
        report->retry_after = (int64_t)after->as.number;
    if (descendants && descendants->type == WF_NUMBER && descendants->as.number >= 0 &&
        descendants->as.number <= (double)WF_NUMBER_MOST)
        report->descendants = (uint64_t)descendants->as.number;
    return WFSM_OK;
}

/* Votes are the only answer of people. */
static int32_t check_answer(wf_replay *replay, const wf_value *input)
{
    const wf_invocation *self =
        wf_invocation_at(&replay->snapshot.extras->ledger, invocation_of(replay, input));
    if (wf_is_person(&replay->machine->agents.list[self->agent]))
        return wf_replay_wrong(replay, "people were asked, and something else has answered");
    return take_report(replay, input);
}

static int32_t run_result(wf_replay *replay, const wf_value *input, int32_t *outcome)
{
    wf_value output = wf_replay_value(input, "output");
    int32_t status = check_answer(replay, input);
    if (status != WFSM_OK)
        return status;
    return wf_step_result(&replay->step, invocation_of(replay, input), &output, outcome);
}

static int32_t run_failure(wf_replay *replay, const wf_value *input, int32_t *outcome)
{
    wf_value word = wf_replay_value(input, "class");
    uint32_t failure_class =
        word.type == WF_STRING ? wf_class_find(word.as.text, word.length) : WF_CLASSES;
    if (failure_class == WF_CLASSES)
        return wf_replay_wrong(replay, "there is no such failure class");
    int32_t status = check_answer(replay, input);
    if (status != WFSM_OK)
        return status;
    return wf_step_failed(&replay->step, invocation_of(replay, input), failure_class,
                          wf_replay_text(input, "message"), outcome);
}

static int32_t run_claim(wf_replay *replay, const wf_value *input, int32_t *outcome)
{
    int32_t status = take_report(replay, input);
    if (status != WFSM_OK)
        return status;
    return wf_step_claim(&replay->step, invocation_of(replay, input),
                         wf_replay_text(input, "owner"), outcome);
}

static int32_t run_cancel(wf_replay *replay, const wf_value *input, int32_t *outcome)
{
    return wf_step_cancel(&replay->step, invocation_of(replay, input),
                          wf_replay_text(input, "message"), outcome);
}

static int32_t run_retry(wf_replay *replay, const wf_value *input, int32_t *outcome)
{
    return wf_step_retry(&replay->step, invocation_of(replay, input), outcome);
}

/* Who owns the invocation after the step: the record says it if it is somebody else. */
static const char *next_owner(const wf_replay *replay, const wf_invocation *probed)
{
    const wf_value *set = wf_replay_member(&replay->record, "invocations");
    const char *owner = probed->owner.type == WF_STRING ? probed->owner.as.text : "";
    for (uint32_t i = 0; set && set->type == WF_ARRAY && i < set->length; i++)
        if (is_about(&set->as.items[i], probed) && wf_replay_member(&set->as.items[i], "owner"))
            owner = wf_replay_text(&set->as.items[i], "owner");
    return owner;
}

static int32_t run_probe(wf_replay *replay, const wf_value *input, int32_t *outcome)
{
    const char *answer = wf_replay_text(input, "answer");
    size_t index = invocation_of(replay, input);
    const wf_invocation *probed = wf_invocation_at(&replay->snapshot.extras->ledger, index);
    return wf_step_probed(&replay->step, index, strcmp(answer, "running") == 0,
                          strcmp(answer, "gone") == 0, next_owner(replay, probed), outcome);
}

/* The verdict on an invocation that was over depended on older records, so it is read from this
 * record. The other verdicts are computed again. */
static int32_t run_approval(wf_replay *replay, const wf_value *input, int32_t *outcome)
{
    const wf_value data = wf_replay_value(input, "data");
    int told = wf_verdict_find(wf_replay_text(input, "verdict")), verdict = told;
    *outcome = WFSM_ENDED;
    if (told == WF_VERDICTS)
        return wf_replay_wrong(replay, "there is no such verdict");
    if (replay->snapshot.status == WFSM_DONE)
        return WFSM_OK;
    int32_t status = wf_step_approval(&replay->step, &data, told, &verdict, outcome);
    if (status == WFSM_OK && verdict != told)
        return wf_replay_wrong(replay, "a vote had another verdict");
    return status;
}

/* A post that could not be taken: only its record says why, and nothing has changed. */
static int32_t run_refused(wf_replay *replay, const wf_value *input, int32_t *outcome)
{
    const wf_value *failure = wf_replay_member(&replay->record, "failure");
    const char *told = wf_replay_text(&replay->record, "outcome");
    static const int32_t outcomes[] = {WFSM_FAILED, WFSM_STALE, WFSM_BLOCKED, WFSM_ENDED};
    (void)input;
    for (size_t i = 0; i < sizeof outcomes / sizeof *outcomes; i++)
        if (strcmp(told, wfsm_outcome_name(outcomes[i])) == 0)
            *outcome = outcomes[i];
    if (!failure)
        return WFSM_OK;
    for (int32_t status = WFSM_NO_MEMORY; status <= WFSM_HOST; status++)
        if (strcmp(wf_replay_text(failure, "status"), wfsm_status_name(status)) == 0)
            replay->step.failure = status;
    replay->step.message = wf_replay_text(failure, "message");
    return WFSM_OK;
}

typedef struct input_kind {
    const char *name;
    bool about_invocation;
    int32_t (*run)(wf_replay *replay, const wf_value *input, int32_t *outcome);
} input_kind;

static const input_kind kinds[] = {{"start", false, run_start},
                                   {"fork", false, run_fork},
                                   {"event", false, run_event},
                                   {"approval", false, run_approval},
                                   {"timer", false, run_due},
                                   {"timeout", false, run_due},
                                   {"budget", false, run_due},
                                   {"stop", false, run_stop},
                                   {"patch", false, run_patch},
                                   {"checkpoint", false, run_checkpoint},
                                   {"delete_checkpoint", false, run_delete},
                                   {"restore", false, run_restore},
                                   {"migrate", false, run_migrate},
                                   {"result", true, run_result},
                                   {"failure", true, run_failure},
                                   {"claim", true, run_claim},
                                   {"cancel", true, run_cancel},
                                   {"retry", true, run_retry},
                                   {"post", false, run_refused},
                                   {"probe", true, run_probe}};

int32_t wf_replay_input(wf_replay *replay, const wf_value *input, int32_t *outcome)
{
    const char *name = wf_replay_text(input, "kind");
    bool first = replay->snapshot.revision == 0;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (strcmp(kinds[i].name, name) != 0)
            continue;
        if (first != (kinds[i].run == run_start || kinds[i].run == run_fork))
            return wf_replay_wrong(replay,
                                   "the first record, and no other, is a start or a fork");
        if (kinds[i].about_invocation &&
            invocation_of(replay, input) == replay->snapshot.extras->ledger.count)
            return wf_replay_wrong(replay, "no such invocation was outstanding then");
        return kinds[i].run(replay, input, outcome);
    }
    return wf_replay_wrong(replay, "the input is of an unknown kind");
}
