#include "instance/replay.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "base/error.h"
#include "base/memory.h"
#include "instance/instance.h"
#include "logic/json.h"
#include "store/decode.h"

static int32_t wrong(wf_replay *replay, const char *message)
{
    replay->wrong = message;
    return WFSM_CORRUPT;
}

static const wf_value *member(const wf_value *object, const char *key)
{
    return object->type == WF_OBJECT ? wf_value_get_z(object, key) : NULL;
}

/* "" if it is missing. */
static const char *text_of(const wf_value *object, const char *key)
{
    const wf_value *found = member(object, key);
    return found != NULL && found->type == WF_STRING ? found->as.text : "";
}

static wf_value value_of(const wf_value *object, const char *key)
{
    const wf_value *found = member(object, key);
    return found != NULL ? *found : wf_null();
}

/* ---- the host's answers ---- */

static const wf_value *next_answer(wf_replay *replay, const char *kind, const char *name)
{
    const wf_value *list = member(&replay->record, "host");
    if (list == NULL || list->type != WF_ARRAY || replay->next_answer >= list->length)
        return NULL;
    const wf_value *answer = &list->as.items[replay->next_answer++];
    return strcmp(text_of(answer, kind), name) == 0 ? answer : NULL;
}

/* Without the answer that it wants the step fails, and its record shows it. */
static int32_t answer_guard(void *user, uint32_t guard, const wf_value *params, bool *yes,
                            const char **message)
{
    wf_replay *replay = user;
    const wf_value *answer =
        next_answer(replay, "guard", replay->step.machine->guards.list[guard].text);
    (void)params;
    if (answer == NULL || member(answer, "failed") != NULL) {
        if (answer != NULL && member(answer, "message") != NULL)
            *message = text_of(answer, "message");
        return WFSM_HOST;
    }
    wf_value said = value_of(answer, "answer");
    *yes = wf_value_truth(&said);
    return WFSM_OK;
}

static int32_t answer_action(void *user, uint32_t function, const wf_value *params,
                             wf_value *patch, const char **message)
{
    wf_replay *replay = user;
    const wf_value *answer =
        next_answer(replay, "action", replay->step.machine->functions.list[function].text);
    (void)params;
    if (answer == NULL || member(answer, "failed") != NULL) {
        if (answer != NULL && member(answer, "message") != NULL)
            *message = text_of(answer, "message");
        return WFSM_HOST;
    }
    wf_value said = value_of(answer, "answer");
    if (said.type == WF_OBJECT)
        *patch = said;
    return WFSM_OK;
}

/* ---- life ---- */

void wf_replay_init(wf_replay *replay, const char *id, const wfsm_allocator *allocator)
{
    memset(replay, 0, sizeof *replay);
    replay->allocator = *allocator;
    snprintf(replay->id, sizeof replay->id, "%s", id);
    wf_arena_init(&replay->arena, &replay->allocator, 0);
    wf_buffer_init(&replay->written, &replay->allocator);
    wf_buffer_init(&replay->full, &replay->allocator);
}

static bool make_state(wf_replay *replay, wfsm_machine *machine)
{
    if (!wf_snapshot_init(&replay->snapshot, machine, &replay->allocator))
        return false;
    if (!wf_step_init(&replay->step, &replay->snapshot, replay->id)) {
        wf_snapshot_fini(&replay->snapshot);
        return false;
    }
    replay->step.host = (wf_host){replay, answer_guard, answer_action};
    return true;
}

bool wf_replay_enter(wf_replay *replay, wfsm_machine *machine)
{
    wfsm_machine *left = replay->machine;
    wf_step_fini(&replay->step);
    wf_snapshot_move(&replay->before, &replay->snapshot);
    replay->machine = wfsm_machine_ref(machine);
    bool made = make_state(replay, machine) &&
                (left == NULL || wf_migrate_ready(&replay->snapshot, &replay->before));
    replay->left = left;
    return made;
}

/* What a migration came from is not needed any more. */
static void forget_before(wf_replay *replay)
{
    wf_snapshot_fini(&replay->before);
    wfsm_machine_unref(replay->left);
    replay->left = NULL;
}

static void free_kept(wf_replay *replay, const wf_kept *kept)
{
    wf_free(&replay->allocator, kept->id);
    wf_free(&replay->allocator, kept->text);
    wf_free(&replay->allocator, kept->artifacts);
    wfsm_machine_unref(kept->machine);
}

void wf_replay_fini(wf_replay *replay)
{
    for (size_t i = 0; i < replay->kept_count; i++)
        free_kept(replay, &replay->kept[i]);
    wf_free(&replay->allocator, replay->kept);
    wf_step_fini(&replay->step);
    wf_snapshot_fini(&replay->snapshot);
    forget_before(replay);
    wfsm_machine_unref(replay->machine);
    wf_arena_fini(&replay->arena);
    wf_buffer_fini(&replay->written);
    wf_buffer_fini(&replay->full);
}

/* ---- checkpoints ---- */

static wf_kept *find_kept(const wf_replay *replay, const char *id)
{
    for (size_t i = 0; i < replay->kept_count; i++)
        if (strcmp(replay->kept[i].id, id) == 0)
            return &replay->kept[i];
    return NULL;
}

const wf_kept *wf_replay_checkpoint(const wf_replay *replay, const char *id)
{
    return find_kept(replay, id);
}

static wf_kept *new_kept(wf_replay *replay, const char *id)
{
    wf_kept *list = wf_grow(&replay->allocator, replay->kept, &replay->kept_capacity,
                            replay->kept_count + 1, sizeof *list);
    if (list == NULL)
        return NULL;
    replay->kept = list;
    wf_kept *made = &list[replay->kept_count];
    *made = (wf_kept){.id = wf_copy_text(&replay->allocator, id, strlen(id))};
    if (made->id == NULL)
        return NULL;
    replay->kept_count++;
    return made;
}

/* The artifacts of a checkpoint's input as the store has them; NULL when out of memory. */
static char *copy_artifacts(wf_replay *replay, const wf_value *input)
{
    const wf_value *list = member(input, "artifacts");
    wf_buffer out;
    if (list == NULL)
        return wf_copy_text(&replay->allocator, "[]", 2);
    wf_buffer_init(&out, &replay->allocator);
    wf_json_write(&out, list);
    char *copy = out.failed ? NULL : wf_copy_text(&replay->allocator, out.data, out.length);
    wf_buffer_fini(&out);
    return copy;
}

static int32_t keep_checkpoint(wf_replay *replay, const wf_value *input)
{
    const char *id = text_of(input, "id");
    wf_kept *kept = find_kept(replay, id);
    if (kept == NULL)
        kept = new_kept(replay, id);
    char *text = wf_copy_text(&replay->allocator, replay->full.data, replay->full.length);
    char *artifacts = copy_artifacts(replay, input);
    if (kept == NULL || text == NULL || artifacts == NULL) {
        wf_free(&replay->allocator, text);
        wf_free(&replay->allocator, artifacts);
        return WFSM_NO_MEMORY;
    }
    wf_free(&replay->allocator, kept->text);
    wf_free(&replay->allocator, kept->artifacts);
    kept->text = text;
    kept->length = replay->full.length;
    kept->artifacts = artifacts;
    wfsm_machine_unref(kept->machine);
    kept->machine = wfsm_machine_ref(replay->machine);
    kept->revision = replay->snapshot.revision + 1;
    return WFSM_OK;
}

static void forget_checkpoint(wf_replay *replay, const char *id)
{
    wf_kept *kept = find_kept(replay, id);
    free_kept(replay, kept);
    *kept = replay->kept[--replay->kept_count];
}

/* ---- the inputs ---- */

/* Invocations that the step claimed by itself stand in the record with their owner. */
static void grant_slots(wf_replay *replay)
{
    const wf_value *set = member(&replay->record, "invocations_set");
    uint64_t revision = replay->snapshot.revision + 1;
    replay->step.free_slots = 0;
    replay->step.owner = "";
    for (uint32_t i = 0; set != NULL && set->type == WF_ARRAY && i < set->length; i++) {
        const wf_value *made = &set->as.items[i];
        wf_value own = value_of(made, "revision");
        if (strcmp(text_of(made, "status"), "running") != 0)
            continue;
        replay->step.owner = text_of(made, "owner");
        if (own.type == WF_NUMBER && (uint64_t)own.as.number == revision)
            replay->step.free_slots++;
    }
}

/* The place of the invocation in the ledger, or its length. */
static size_t invocation_of(const wf_replay *replay, const wf_value *input)
{
    const wf_ledger *ledger = &replay->snapshot.ledger;
    char id[WF_INVOCATION_ID_BYTES];
    for (size_t i = 0; i < ledger->count; i++) {
        snprintf(id, sizeof id, "%s/%" PRIu64 "/%" PRIu32, replay->id,
                 ledger->list[i].revision, ledger->list[i].ordinal);
        if (strcmp(id, text_of(input, "invocation")) == 0)
            return i;
    }
    return ledger->count;
}

static int32_t run_start(wf_replay *replay, const wf_value *input, int32_t *outcome)
{
    const wf_value *given = member(input, "input");
    const wf_value none = wf_absent();
    return wf_step_start(&replay->step, given != NULL ? given : &none, outcome);
}

static int32_t run_event(wf_replay *replay, const wf_value *input, int32_t *outcome)
{
    wf_value name = value_of(input, "event"), data = value_of(input, "data"),
             id = value_of(input, "id");
    if (name.type != WF_STRING)
        return wrong(replay, "an event has no name");
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
    return status == WFSM_OK && !fired ? wrong(replay, "nothing was due then") : status;
}

static int32_t run_patch(wf_replay *replay, const wf_value *input, int32_t *outcome)
{
    wf_value patch = value_of(input, "patch");
    if (patch.type != WF_OBJECT)
        return wrong(replay, "a patch is no object");
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
    if (find_kept(replay, text_of(input, "id")) == NULL)
        return wrong(replay, "there was no such checkpoint");
    return WFSM_OK;
}

static int32_t run_restore(wf_replay *replay, const wf_value *input, int32_t *outcome)
{
    const wf_kept *kept = find_kept(replay, text_of(input, "id"));
    char digest[WF_DIGEST_HEX];
    wf_snapshot from;
    if (kept == NULL)
        return wrong(replay, "there was no such checkpoint");
    if (!wf_snapshot_init(&from, replay->machine, &replay->allocator))
        return WFSM_NO_MEMORY;
    wf_stored stored = {replay->id, kept->id, kept->text, kept->length};
    int32_t status = wf_snapshot_read(&from, &stored, digest, NULL);
    if (status == WFSM_OK)
        status = wf_step_restore(&replay->step, &from, outcome);
    wf_snapshot_fini(&from);
    return status;
}

/* The text of a part of the record, as it stands there. */
static int32_t read_part(wf_replay *replay, const wf_value *part, const wf_value *input,
                         wf_snapshot *from)
{
    const wf_value *checkpoint = member(input, "checkpoint");
    char digest[WF_DIGEST_HEX];
    wf_buffer *text = &replay->full;
    wf_buffer_clear(text);
    wf_json_write(text, part);
    if (text->failed)
        return WFSM_NO_MEMORY;
    wf_stored stored = {text_of(input, "source"),
                        checkpoint != NULL ? text_of(input, "checkpoint") : NULL, text->data,
                        text->length};
    int32_t status = wf_snapshot_read(from, &stored, digest, NULL);
    wf_value revision = value_of(input, "revision");
    if (status == WFSM_NO_MEMORY)
        return status;
    if (status != WFSM_OK || from->status != WFSM_RUNNING || revision.type != WF_NUMBER ||
        revision.as.number != (double)from->revision)
        return wrong(replay, "the state that a fork came from is not one");
    return WFSM_OK;
}

static int32_t run_fork(wf_replay *replay, const wf_value *input, int32_t *outcome)
{
    const wf_value *part = member(input, "snapshot");
    wf_snapshot from;
    if (part == NULL)
        return wrong(replay, "a fork does not tell what it came from");
    if (!wf_snapshot_init(&from, replay->machine, &replay->allocator))
        return WFSM_NO_MEMORY;
    int32_t status = read_part(replay, part, input, &from);
    if (status == WFSM_OK)
        status = wf_step_fork(&replay->step, &from, member(input, "checkpoint") == NULL,
                              outcome);
    wf_snapshot_fini(&from);
    return status;
}

static int32_t run_migrate(wf_replay *replay, const wf_value *input, int32_t *outcome)
{
    if (replay->left == NULL ||
        strcmp(text_of(input, "from"), replay->left->fingerprint) != 0)
        return wrong(replay, "a migration leads from another document to this one");
    return wf_step_migrate(&replay->step, &replay->before, outcome);
}

static int32_t run_result(wf_replay *replay, const wf_value *input, int32_t *outcome)
{
    wf_value output = value_of(input, "output");
    return wf_step_result(&replay->step, invocation_of(replay, input), &output, outcome);
}

static int32_t run_failure(wf_replay *replay, const wf_value *input, int32_t *outcome)
{
    wf_value word = value_of(input, "class");
    uint32_t failure_class =
        word.type == WF_STRING ? wf_class_find(word.as.text, word.length) : WF_CLASSES;
    if (failure_class == WF_CLASSES)
        return wrong(replay, "there is no such failure class");
    return wf_step_failed(&replay->step, invocation_of(replay, input), failure_class,
                          text_of(input, "message"), outcome);
}

static int32_t run_claim(wf_replay *replay, const wf_value *input, int32_t *outcome)
{
    return wf_step_claim(&replay->step, invocation_of(replay, input),
                         text_of(input, "owner"), outcome);
}

static int32_t run_probe(wf_replay *replay, const wf_value *input, int32_t *outcome)
{
    const char *answer = text_of(input, "answer");
    return wf_step_probed(&replay->step, invocation_of(replay, input),
                          strcmp(answer, "running") == 0, strcmp(answer, "gone") == 0,
                          replay->step.owner, outcome);
}

typedef struct input_kind {
    const char *name;
    bool about_invocation;
    int32_t (*run)(wf_replay *replay, const wf_value *input, int32_t *outcome);
} input_kind;

static const input_kind kinds[] = {
    {"start", false, run_start},     {"fork", false, run_fork},
    {"event", false, run_event},
    {"timer", false, run_due},       {"timeout", false, run_due},
    {"patch", false, run_patch},     {"checkpoint", false, run_checkpoint},
    {"delete_checkpoint", false, run_delete},
    {"restore", false, run_restore}, {"migrate", false, run_migrate},
    {"result", true, run_result},
    {"failure", true, run_failure},  {"claim", true, run_claim},
    {"probe", true, run_probe}};

static int32_t run_input(wf_replay *replay, const wf_value *input, int32_t *outcome)
{
    const char *name = text_of(input, "kind");
    bool first = replay->snapshot.revision == 0;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (strcmp(kinds[i].name, name) != 0)
            continue;
        if (first != (kinds[i].run == run_start || kinds[i].run == run_fork))
            return wrong(replay, "the first record, and no other, is a start or a fork");
        if (kinds[i].about_invocation &&
            invocation_of(replay, input) == replay->snapshot.ledger.count)
            return wrong(replay, "no such invocation was outstanding then");
        return kinds[i].run(replay, input, outcome);
    }
    return wrong(replay, "the input is of an unknown kind");
}

/* ---- one record ---- */

static int32_t parse_record(wf_replay *replay, const char *text, size_t length,
                            int64_t *now)
{
    wf_arena_reset(&replay->arena);
    replay->next_answer = 0;
    int32_t status = wf_json_parse(&replay->arena, text, length, &replay->record, NULL);
    if (status == WFSM_NO_MEMORY)
        return status;
    if (status != WFSM_OK) {
        replay->record = wf_null(); /* the last one went with the arena */
        return wrong(replay, "the record is malformed");
    }
    wf_value time = value_of(&replay->record, "now");
    if (time.type != WF_NUMBER || !(time.as.number >= 0) ||
        member(&replay->record, "input") == NULL)
        return wrong(replay, "the record is malformed");
    *now = (int64_t)time.as.number;
    return WFSM_OK;
}

/* NOT_FOUND when the record is the first of another document. */
static int32_t check_document(wf_replay *replay)
{
    const char *fingerprint = text_of(&replay->record, "fingerprint");
    const wf_value *input = member(&replay->record, "input");
    if (replay->machine != NULL && strcmp(fingerprint, replay->machine->fingerprint) == 0)
        return WFSM_OK;
    if (replay->machine != NULL && strcmp(text_of(input, "kind"), "migrate") != 0)
        return wrong(replay, "the record is of another document");
    if (strlen(fingerprint) >= sizeof replay->wanted)
        return wrong(replay, "the record is malformed");
    memcpy(replay->wanted, fingerprint, strlen(fingerprint) + 1);
    return WFSM_NOT_FOUND;
}

static int32_t compare(wf_replay *replay, const wf_value *input, int32_t outcome,
                       const char *text, size_t length)
{
    wf_record record = {input, outcome, replay->digest};
    wf_buffer_clear(&replay->written);
    wf_record_write(&replay->written, &replay->step, &record);
    if (replay->written.failed || replay->step.arena.failed)
        return WFSM_NO_MEMORY;
    if (replay->written.length != length || memcmp(replay->written.data, text, length) != 0)
        return wrong(replay, "the same input does not give this record");
    return WFSM_OK;
}

static int32_t finish(wf_replay *replay, const wf_value *input, const char *text,
                      size_t length, bool full)
{
    bool checkpoint = strcmp(text_of(input, "kind"), "checkpoint") == 0;
    wf_digest_text(text, length, replay->digest);
    replay->checkpoint = checkpoint ? text_of(input, "id") : "";
    if (full || checkpoint) {
        wf_snapshot_note note = {replay->id, checkpoint ? replay->checkpoint : NULL,
                                 replay->snapshot.revision + 1, replay->digest};
        wf_buffer_clear(&replay->full);
        wf_snapshot_write(&replay->full, &replay->snapshot, &note);
        if (replay->full.failed)
            return WFSM_NO_MEMORY;
    }
    if (strcmp(text_of(input, "kind"), "delete_checkpoint") == 0)
        forget_checkpoint(replay, text_of(input, "id"));
    return checkpoint ? keep_checkpoint(replay, input) : WFSM_OK;
}

int32_t wf_replay_record(wf_replay *replay, const char *text, size_t length, bool full,
                         wfsm_error *error)
{
    int64_t now = 0;
    int32_t outcome = 0;
    replay->wrong = "the input is refused";
    int32_t status = parse_record(replay, text, length, &now);
    if (status == WFSM_OK)
        status = check_document(replay);
    if (status == WFSM_OK)
        status = wf_step_begin(&replay->step, now);
    if (status != WFSM_OK)
        return status == WFSM_NO_MEMORY ? wf_no_memory(error) : status;
    wf_value input = value_of(&replay->record, "input");
    grant_slots(replay);
    status = run_input(replay, &input, &outcome);
    if (status == WFSM_OK)
        status = compare(replay, &input, outcome, text, length);
    if (status == WFSM_OK)
        status = finish(replay, &input, text, length, full);
    if (status == WFSM_OK) {
        wf_step_commit(&replay->step);
        forget_before(replay);
        return WFSM_OK;
    }
    wf_step_rollback(&replay->step);
    return status == WFSM_NO_MEMORY ? wf_no_memory(error) : WFSM_CORRUPT;
}
