/* instance/replay_parts.h: shared by the files replay*.c. */
#ifndef WF_INSTANCE_REPLAY_PARTS_H
#define WF_INSTANCE_REPLAY_PARTS_H

#include "instance/replay.h"

/* replay_parts.c */
/* CORRUPT, with the reason. */
int32_t wf_replay_wrong(wf_replay *replay, const char *message);
/* A member of the record, or of a part of it. If it is missing: NULL, "", null. */
const wf_value *wf_replay_member(const wf_value *object, const char *key);
const char *wf_replay_text(const wf_value *object, const char *key);
wf_value wf_replay_value(const wf_value *object, const char *key);
/* replay_store.c */
/* Loads the document whose fingerprint is replay->wanted; you unref it, whatever is returned. NOT_FOUND if
 * it is missing or has another fingerprint. */
int32_t wf_replay_load(const wf_replay *replay, wfsm_store *store, wfsm_machine **machine,
                       wfsm_error *error);

/* replay_moves.c: under a document whose `migrate` gives states of the journal's document other names. */
typedef struct wf_moves {
    wfsm_machine
        *old; /* the journal's document, a reference; NULL: its states have the same names */
    const wf_migration *rule;
    uint32_t
        *states; /* what the states of the last configuration have become; WF_NONE: nothing */
    size_t count;
} wf_moves;
/* The document whose fingerprint is replay->wanted is the journal's. If it is missing, or `machine` does not
 * take its instances, nothing is moved. NO_MEMORY, and what the store answers. */
int32_t wf_moves_init(wf_moves *self, const wf_replay *replay, const wfsm_machine *machine,
                      wfsm_store *store, wfsm_error *error);
void wf_moves_fini(wf_moves *self, const wf_replay *replay);
/* Whether the states that are active in the replay's step are what those of the journal have become. Those
 * that began below such a state do not matter. `then` is the journal's new configuration; NULL: the last one. */
bool wf_moves_agree(wf_moves *self, wf_replay *replay, const wf_value *then);
/* Invocations of the journal, with the names that their states have now. NULL: out of memory. */
const wf_value *wf_moves_invocations(const wf_moves *self, wf_replay *replay,
                                     const wf_value *then);

/* replay_inputs.c */
/* The answers of the host, from the record. */
int32_t wf_replay_guard(void *user, const wf_guard *guard, const wf_value *params, bool *yes,
                        const char **message);
int32_t wf_replay_action(void *user, uint32_t function, const wf_value *params, wf_value *patch,
                         const char **message);
/* Grants the claims that the record's step made: its invocations have an owner. */
void wf_replay_grant(wf_replay *replay);
int32_t wf_replay_input(wf_replay *replay, const wf_value *input, int32_t *outcome);

/* replay_kept.c: checkpoints as the replay made them. */
wf_kept *wf_replay_find(const wf_replay *replay, const char *id);
int32_t wf_replay_keep(wf_replay *replay, const wf_value *input);
int32_t wf_replay_forget(wf_replay *replay, const char *id);
void wf_replay_free_kept(wf_replay *replay, const wf_kept *kept);
#endif
