/*
 * A machine, its snapshot and a step, for the tests of lib/step. Documents and values are JSON
 * with ' in place of ".
 */
#ifndef STEP_WORLD_H
#define STEP_WORLD_H

#include "step/step.h"

typedef struct world {
    wfsm_machine *machine;
    wf_snapshot snapshot;
    wf_step step;
    wf_arena arena;     /* of value() */
    int32_t guard_status, action_status; /* what the host's functions return */
    bool guard_answer;
    int guards, actions; /* how often they were called */
} world;

/* Loads a machine; its instance is called "i" and has not started. */
void world_open(world *self, const char *document);
void world_close(world *self);

/* A value that lives until world_close(). */
wf_value world_value(world *self, const char *json);

/* Each makes one step, commits it if it changed anything, and returns its outcome. */
int32_t world_start(world *self);
int32_t world_send(world *self, const char *event);
int32_t world_send_data(world *self, const char *event, const char *json);
int32_t world_advance(world *self, int64_t now);
int32_t world_claim(world *self, size_t invocation);
int32_t world_result(world *self, size_t invocation, const char *json);
int32_t world_fail(world *self, size_t invocation, uint32_t failure_class, const char *message);
/* What the others do after the call of a step: commits it or rolls it back. */
int32_t world_finish(world *self, int32_t status, int32_t outcome);
/* Commits the open draft. */
void world_commit(world *self);

/* Whether the state of this path is active. */
bool world_in(const world *self, const char *path);
uint32_t world_state(const world *self, const char *path);
/* Fails the test unless the context is this object. */
void world_expect_context(world *self, const char *json);
void world_expect_value(world *self, const char *json, const wf_value *value);
const wf_list *world_timers(const world *self);
const wf_list *world_ledger(const world *self);
#endif
