/* Laws of forks: they begin in the state of another instance, and do not change it. */
#include "law.h"

#include <stdio.h>
#include <stdlib.h>
#include "chance.h"
#include "../given.h"

static void check_loading(world *self)
{
    wfsm_instance *again = world_load(self);
    char *left = bytes_of(self->instance), *right = bytes_of(again);
    same(left, right, "loading a fork gives the same bytes");
    free(left);
    free(right);
    wfsm_instance_free(again);
}

static void same_state(wfsm_instance *left, wfsm_instance *right)
{
    size_t length;
    same(wfsm_instance_configuration(left, &length),
         wfsm_instance_configuration(right, &length), "a fork is where its source is");
    same(wfsm_instance_context(left, &length), wfsm_instance_context(right, &length),
         "a fork has the context of its source");
    holds(left->snapshot.extras->timers.count == right->snapshot.extras->timers.count &&
              left->snapshot.extras->ledger.count == right->snapshot.extras->ledger.count,
          "a fork waits for what its source waits for");
    holds(right->snapshot.extras->outbox.count == 0, "a fork has nothing to tell");
}

/* The fork continues for a while in the place of its source. */
static void live_on(world *self, wfsm_instance *fork, uint64_t seed)
{
    wfsm_instance *source = self->instance;
    int64_t now = self->now;
    int32_t outcome;
    self->instance = fork;
    for (int i = 0; i < 6; i++) {
        input given = world_choose(self, seed, i);
        world_give(self, &given, &outcome);
        check_configuration(&fork->snapshot);
    }
    check_loading(self);
    self->instance = source;
    self->now = now;
}

static bool is_refusal(int32_t status)
{
    return status == WFSM_NOT_FOUND || status == WFSM_DENIED;
}

/* The present state, the newest checkpoint, or a revision, which may not be there. */
static int32_t fork_from(world *self, wfsm_instance **fork, const char *id, chance *random,
                         bool present)
{
    wfsm_instance *source = self->instance;
    uint32_t last = (uint32_t)wfsm_instance_revision(source);
    if (present)
        return wfsm_instance_fork(fork, source, NULL, id, self->now, self->error);
    if (draw_percent(random, 50))
        return wfsm_instance_fork(fork, source, FROM(""), id, self->now, self->error);
    return wfsm_instance_fork(fork, source, AT(1 + draw(random, last + 1)), id, self->now,
                              self->error);
}

static wfsm_instance *make_fork(world *self, chance *random, int index, bool present)
{
    bool scarcity = draw_percent(random, 30);
    wfsm_instance *fork = NULL;
    char id[32], *before = bytes_of(self->instance);
    snprintf(id, sizeof id, "fork-%d", index);
    if (scarcity)
        self->memory.fail_at = self->memory.calls + 1 + draw(random, 80);
    int32_t status = fork_from(self, &fork, id, random, present);
    self->memory.fail_at = 0;
    holds(status == WFSM_OK || is_refusal(status) || (scarcity && status == WFSM_NO_MEMORY),
          "a fork has a status that is known");
    char *after = bytes_of(self->instance);
    same(before, after, "a fork does not change its source");
    free(before);
    free(after);
    return fork;
}

void check_fork(world *self, uint64_t seed, int index)
{
    chance random = {seed ^ 0xF0F0 ^ ((uint64_t)index << 32)};
    bool present = draw_percent(&random, 50);
    if (!draw_percent(&random, 10))
        return;
    at.input = "fork";
    wfsm_instance *fork = make_fork(self, &random, index, present);
    if (!fork)
        return;
    counts.forks++;
    if (present)
        same_state(self->instance, fork);
    live_on(self, fork, seed + (uint64_t)index);
    wfsm_instance_free(fork);
}
