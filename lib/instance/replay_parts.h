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
/* replay_inputs.c */
/* The answers of the host, from the record. */
int32_t wf_replay_guard(void *user, uint32_t guard, const wf_value *params, bool *yes,
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
