#include "instance/replay_parts.h"

#include <stdio.h>
#include <string.h>
#include "base/invariant.h"
#include "base/error.h"
#include "base/memory.h"
#include "logic/json.h"
#include "store/decode.h"

void wf_replay_init(wf_replay *replay, const char *id, const wfsm_allocator *allocator)
{
    memset(replay, 0, sizeof *replay);
    replay->allocator = *allocator;
    snprintf(replay->id, sizeof replay->id, "%s", id);
    wf_arena_init(&replay->arena, &replay->allocator, 0);
    wf_buffer_init(&replay->written, &replay->allocator);
    wf_buffer_init(&replay->full, &replay->allocator);
    wf_names_init(&replay->gone, &replay->allocator);
}

static bool make_state(wf_replay *replay, wfsm_machine *machine)
{
    if (!wf_snapshot_init(&replay->snapshot, machine, &replay->allocator))
        return false;
    if (!wf_step_init(&replay->step, &replay->snapshot, replay->id)) {
        wf_snapshot_fini(&replay->snapshot);
        return false;
    }
    replay->step.host = (wf_host){replay, wf_replay_guard, wf_replay_action};
    return true;
}

bool wf_replay_enter(wf_replay *replay, wfsm_machine *machine)
{
    wfsm_machine *left = replay->machine;
    wf_step_fini(&replay->step);
    wf_snapshot_move(&replay->before, &replay->snapshot);
    replay->machine = wfsm_machine_ref(machine);
    bool made = make_state(replay, machine) &&
                (!left || wf_migrate_ready(&replay->snapshot, &replay->before));
    replay->left = left;
    return made;
}

/* The state and the document before a migration are not needed any more. */
static void forget_before(wf_replay *replay)
{
    wf_snapshot_fini(&replay->before);
    wfsm_machine_unref(replay->left);
    replay->left = NULL;
}

void wf_replay_fini(wf_replay *replay)
{
    for (size_t i = 0; i < replay->kept_count; i++)
        wf_replay_free_kept(replay, &replay->kept[i]);
    wf_free(&replay->allocator, replay->kept);
    wf_step_fini(&replay->step);
    wf_snapshot_fini(&replay->snapshot);
    forget_before(replay);
    wfsm_machine_unref(replay->machine);
    wf_arena_fini(&replay->arena);
    wf_buffer_fini(&replay->written);
    wf_buffer_fini(&replay->full);
    wf_names_fini(&replay->gone);
}

/* ---- one record ---- */

static int32_t parse_record(wf_replay *replay, const char *text, size_t length, int64_t *now)
{
    wf_arena_reset(&replay->arena);
    replay->next_answer = 0;
    int32_t status = wf_json_parse(&replay->arena, text, length, &replay->record, NULL);
    if (status == WFSM_NO_MEMORY)
        return status;
    if (status != WFSM_OK) {
        replay->record = wf_null(); /* the last one went with the arena */
        return wf_replay_wrong(replay, "the record is malformed");
    }
    wf_value time = wf_replay_value(&replay->record, "now");
    if (time.type != WF_NUMBER || !(time.as.number >= 0) ||
        !wf_replay_member(&replay->record, "input"))
        return wf_replay_wrong(replay, "the record is malformed");
    *now = (int64_t)time.as.number;
    return WFSM_OK;
}

/* Only the first record and a migration name a document. NOT_FOUND if it is not the present
 * one. */
static int32_t check_document(wf_replay *replay)
{
    const char *fingerprint = wf_replay_text(&replay->record, "fingerprint");
    const wf_value *input = wf_replay_member(&replay->record, "input");
    if (replay->compare)
        return WFSM_OK;
    if (replay->machine && strcmp(wf_replay_text(input, "kind"), "migrate") != 0)
        return WFSM_OK;
    if (replay->machine && strcmp(fingerprint, replay->machine->fingerprint) == 0)
        return WFSM_OK;
    WF_INVARIANT(!replay->step.open); /* wf_replay_enter() makes another step */
    if (fingerprint[0] == '\0' || strlen(fingerprint) >= sizeof replay->wanted)
        return wf_replay_wrong(replay, "the record is malformed");
    memcpy(replay->wanted, fingerprint, strlen(fingerprint) + 1);
    return WFSM_NOT_FOUND;
}

static int32_t compare(wf_replay *replay, const wf_value *input, int32_t outcome,
                       const char *text, size_t length)
{
    wf_record record = {input, outcome, replay->digest, replay->left != NULL};
    wf_buffer_clear(&replay->written);
    wf_record_write(&replay->written, &replay->step, &record);
    if (replay->written.failed || replay->step.arena.failed)
        return WFSM_NO_MEMORY;
    if (replay->compare)
        return replay->compare(replay);
    if (replay->written.length != length || memcmp(replay->written.data, text, length) != 0)
        return wf_replay_wrong(replay, "the same input does not give this record");
    return WFSM_OK;
}

static int32_t finish(wf_replay *replay, const wf_value *input, const char *text, size_t length,
                      bool full)
{
    bool checkpoint = strcmp(wf_replay_text(input, "kind"), "checkpoint") == 0;
    wf_digest_text(text, length, replay->digest);
    replay->checkpoint = checkpoint ? wf_replay_text(input, "id") : "";
    if (full || checkpoint) {
        wf_snapshot_note note = {replay->id, checkpoint ? replay->checkpoint : NULL,
                                 replay->snapshot.revision + 1, replay->digest};
        wf_buffer_clear(&replay->full);
        wf_snapshot_write(&replay->full, &replay->snapshot, &note);
        if (replay->full.failed)
            return WFSM_NO_MEMORY;
    }
    if (strcmp(wf_replay_text(input, "kind"), "delete_checkpoint") == 0)
        return wf_replay_forget(replay, wf_replay_text(input, "id"));
    return checkpoint ? wf_replay_keep(replay, input) : WFSM_OK;
}

/* The limits in force, if the record says that they changed. */
static int32_t take_limits(wf_replay *replay)
{
    const wf_value *stored = wf_replay_member(&replay->record, "limits");
    wf_limits limits;
    if (!stored)
        return WFSM_OK;
    if (!wf_limits_read(&limits, stored))
        return wf_replay_wrong(replay, "the record has malformed limits");
    return wf_draft_limits(&replay->step, &limits);
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
    wf_value input = wf_replay_value(&replay->record, "input");
    wf_replay_grant(replay);
    if (replay->snapshot.revision > 0)
        wf_step_builds_on(&replay->step, replay->digest);
    status = take_limits(replay);
    const wf_value *origin = wf_replay_member(&replay->record, "origin");
    if (status == WFSM_OK && origin && !wf_origin_read(&replay->step, origin))
        status = wf_replay_wrong(replay, "the record has a malformed origin");
    if (status == WFSM_OK)
        status = wf_replay_input(replay, &input, &outcome);
    if (status == WFSM_OK)
        status = compare(replay, &input, outcome, text, length);
    if (status == WFSM_OK)
        status = finish(replay, &input, text, length, full);
    if (status == WFSM_OK)
        status = wf_step_prepare(&replay->step);
    if (status == WFSM_OK) {
        wf_step_commit(&replay->step);
        forget_before(replay);
        return WFSM_OK;
    }
    wf_step_rollback(&replay->step);
    return status == WFSM_NO_MEMORY ? wf_no_memory(error) : WFSM_CORRUPT;
}

int32_t wf_replay_look(wf_replay *replay, const char *text, size_t length, wfsm_error *error)
{
    int64_t now = 0;
    int32_t status = parse_record(replay, text, length, &now);
    return status == WFSM_NO_MEMORY ? wf_no_memory(error) : status;
}

wf_replay_note wf_replay_noted(const wf_replay *replay)
{
    const wf_value *input = wf_replay_member(&replay->record, "input");
    const char *kind = input ? wf_replay_text(input, "kind") : "";
    bool made = strcmp(kind, "checkpoint") == 0;
    bool deleted = strcmp(kind, "delete_checkpoint") == 0;
    return (wf_replay_note){.checkpoint = made ? wf_replay_text(input, "id") : "",
                            .deleted = deleted ? wf_replay_text(input, "id") : "",
                            .migrates = strcmp(kind, "migrate") == 0};
}

const char *wf_replay_event_id(const wf_replay *replay)
{
    const wf_value *input = wf_replay_member(&replay->record, "input");
    const char *kind = input ? wf_replay_text(input, "kind") : "";
    bool event = strcmp(kind, "event") == 0 || strcmp(kind, "approval") == 0;
    return event ? wf_replay_text(input, "id") : NULL;
}

uint64_t wf_replay_restored(const wf_replay *replay)
{
    const wf_value *input = wf_replay_member(&replay->record, "input");
    if (!input || strcmp(wf_replay_text(input, "kind"), "restore") != 0 ||
        !wf_replay_member(input, "snapshot"))
        return 0;
    return (uint64_t)wf_replay_member(input, "revision")->as.number;
}

void wf_replay_write_restored(const wf_replay *replay, wf_buffer *out)
{
    const wf_value *input = wf_replay_member(&replay->record, "input");
    wf_json_write(out, wf_replay_member(input, "snapshot"));
}

const char *wf_replay_previous(const wf_replay *replay)
{
    return wf_replay_text(&replay->record, "prev");
}

int32_t wf_replay_write(wf_replay *replay, wfsm_error *error)
{
    wf_snapshot_note note = {replay->id, NULL, replay->snapshot.revision, replay->digest};
    replay->checkpoint = "";
    wf_buffer_clear(&replay->full);
    wf_snapshot_write(&replay->full, &replay->snapshot, &note);
    return replay->full.failed ? wf_no_memory(error) : WFSM_OK;
}
