/* Reads from the store where a replay begins: the document, and a stored state. */
#include "instance/replay_parts.h"

#include <string.h>
#include "base/error.h"
#include "logic/json.h"
#include "store/decode.h"

/* ---- documents ---- */

typedef struct compiling {
    wfsm_machine *machine;
    const wfsm_allocator *allocator;
} compiling;

static int32_t compile(void *user, const wfsm_row *row)
{
    compiling *self = user;
    if (self->machine)
        return WFSM_OK;
    int32_t status =
        wfsm_machine_load(&self->machine, row->text, row->length, NULL, self->allocator, NULL);
    return status == WFSM_NO_MEMORY ? status : WFSM_OK;
}

int32_t wf_replay_load(const wf_replay *replay, wfsm_store *store, wfsm_machine **machine,
                       wfsm_error *error)
{
    compiling self = {NULL, &replay->allocator};
    int32_t status = wfsm_store_document(store, replay->wanted, compile, &self, error);
    if (status == WFSM_OK &&
        (!self.machine || strcmp(self.machine->fingerprint, replay->wanted) != 0))
        status = WFSM_NOT_FOUND;
    *machine = self.machine;
    return status;
}

int32_t wf_replay_document(wf_replay *replay, wfsm_store *store, wfsm_error *error)
{
    wfsm_machine *machine = NULL;
    int32_t status = wf_replay_load(replay, store, &machine, error);
    if (status == WFSM_OK && !wf_replay_enter(replay, machine))
        status = WFSM_NO_MEMORY;
    wfsm_machine_unref(machine);
    return status == WFSM_NO_MEMORY ? wf_no_memory(error) : status;
}

/* ---- states ---- */

/* What may be wrong with a stored state. */
typedef struct state_messages {
    const char *malformed, *undocumented, *foreign;
} state_messages;

typedef struct copying {
    wf_buffer text;
    uint64_t revision;
} copying;

static int32_t copy_row(void *user, const wfsm_row *row)
{
    copying *self = user;
    self->revision = row->revision;
    wf_buffer_clear(&self->text);
    wf_buffer_add(&self->text, row->text, row->length);
    return WFSM_OK;
}

/* The row of the document comes before that of the state. */
static int32_t find_fingerprint(wf_replay *replay, const wf_buffer *text,
                                const state_messages *messages)
{
    wf_value state;
    wf_arena_reset(&replay->arena);
    int32_t status = wf_json_parse(&replay->arena, text->data, text->length, &state, NULL);
    if (status == WFSM_NO_MEMORY)
        return status;
    const char *fingerprint = status == WFSM_OK ? wf_replay_text(&state, "fingerprint") : "";
    if (fingerprint[0] == '\0' || strlen(fingerprint) >= sizeof replay->wanted)
        return wf_replay_wrong(replay, messages->malformed);
    memcpy(replay->wanted, fingerprint, strlen(fingerprint) + 1);
    return WFSM_OK;
}

static int32_t enter_state(wf_replay *replay, wfsm_store *store, const copying *state,
                           const state_messages *messages, wfsm_error *error)
{
    wf_stored stored = {replay->id, NULL, state->text.data, state->text.length, NULL};
    int32_t status = find_fingerprint(replay, &state->text, messages);
    if (status == WFSM_OK)
        status = wf_replay_document(replay, store, error);
    if (status == WFSM_NOT_FOUND)
        return wf_replay_wrong(replay, messages->undocumented);
    if (status != WFSM_OK)
        return status;
    status = wf_snapshot_read(&replay->snapshot, &stored, replay->digest, NULL);
    if (status == WFSM_NO_MEMORY)
        return status;
    if (status != WFSM_OK || replay->snapshot.revision != state->revision)
        return wf_replay_wrong(replay, messages->foreign);
    return WFSM_OK;
}

int32_t wf_replay_anchor(wf_replay *replay, wfsm_store *store, wfsm_error *error)
{
    static const state_messages messages = {"the anchor is malformed",
                                            "the document of the anchor is missing",
                                            "the anchor is not a state of this instance"};
    copying anchor = {.revision = 0};
    wf_buffer_init(&anchor.text, &replay->allocator);
    int32_t status = wfsm_store_anchor(store, replay->id, copy_row, &anchor, error);
    if (status == WFSM_OK && anchor.text.failed)
        status = WFSM_NO_MEMORY;
    if (status == WFSM_OK)
        status = enter_state(replay, store, &anchor, &messages, error);
    replay->cut = true;
    wf_buffer_fini(&anchor.text);
    return status == WFSM_NO_MEMORY ? wf_no_memory(error) : status;
}

int32_t wf_replay_snapshot(wf_replay *replay, wfsm_store *store, const char *checkpoint,
                           wfsm_error *error)
{
    static const state_messages messages = {"the snapshot is malformed",
                                            "the document of the snapshot is missing",
                                            "the snapshot is not a state of this instance"};
    copying state = {.revision = 0};
    wf_buffer_init(&state.text, &replay->allocator);
    int32_t status =
        wfsm_store_snapshot(store, replay->id, checkpoint, copy_row, &state, error);
    if (status == WFSM_OK && state.text.failed)
        status = WFSM_NO_MEMORY;
    if (status == WFSM_OK)
        status = enter_state(replay, store, &state, &messages, error);
    wf_buffer_fini(&state.text);
    return status == WFSM_NO_MEMORY ? wf_no_memory(error) : status;
}

bool wf_replay_is_anchor(const wf_replay *replay, const wfsm_row *row)
{
    char digest[WF_DIGEST_HEX];
    wf_digest_text(row->text, row->length, digest);
    return row->revision == replay->snapshot.revision && strcmp(digest, replay->digest) == 0;
}
