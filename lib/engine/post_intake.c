/* engine/post_intake.c: posts for the instances of this engine are consumed. */
#include "engine/post_intake.h"

#include <string.h>

#include "engine/engine.h"
#include "engine/entry_input.h"
#include "engine/entry_ownership.h"
#include "engine/reload.h"
#include "engine/report.h"

/* The entry whose post is taken. */
typedef struct wf_taker {
    wfsm_engine *engine;
    wf_entry *entry;
} wf_taker;

static int32_t keep_machine(void *user, wfsm_machine **machine, wfsm_error *error)
{
    const wf_taker *self = user;

    return wf_input_migrates(self->engine, self->entry, machine, error);
}

static int32_t take(wfsm_engine *engine, wf_entry *entry, const wfsm_row *post)
{
    wf_taker target = {engine, entry};
    const wf_migrating migrating = {engine->functions, keep_machine, &target};
    int32_t outcome = 0;

    return wf_instance_consume(&entry->instance, post, &migrating, engine->now, &outcome,
                               engine->failed);
}

/* It reads the store, which does not have the commits of this round yet. So it has to be the first
 * input of its instance in a round. */
static bool comes_first(int32_t kind)
{
    return kind == WFSM_POST_RESTORE || kind == WFSM_POST_MIGRATE ||
           kind == WFSM_POST_CHECKPOINT || kind == WFSM_POST_APPROVAL;
}

/* True if an earlier post of the instance waits for another round, or this one has to. */
static bool is_held(wfsm_engine *engine, wf_entry *entry, int32_t kind)
{
    if (comes_first(kind) && !wf_entry_is_evicted(entry) &&
        wf_instance_waits(entry->instance)) {
        entry->held = engine->round;
        engine->posted = true;
    }
    return entry->held == engine->round;
}

/* The store returns it again. */
static bool is_left(wfsm_engine *engine)
{
    bool left = !wf_may_input(engine);

    engine->posted |= left;
    return left;
}

static void consume(wfsm_engine *engine, const wfsm_row *post)
{
    wf_entry *entry = wf_entries_find(engine, post->instance, strlen(post->instance));
    int32_t status;

    if (!entry)
        return;
    if (wf_entry_is_left(entry))
        wf_outgoing_read_again(engine, post->number);
    if (is_left(engine) || is_held(engine, entry, post->kind))
        return;
    if (!wf_entry_is_fit_to_own(engine, entry)) {
        engine->posted = true;
        return;
    }
    entry->took = engine->round;
    wf_input_begin(engine, entry, NULL);
    status = take(engine, entry, post);
    wf_input_end(engine, entry);
    if (status == WFSM_OK)
        return;
    entry->held = engine->round;
    wf_entry_failed(engine, entry, status);
}

/* The first post of every instance, before any instance has a second one. If the round ends before that,
 * the next one begins with those that had none. */
static void consume_first(wfsm_engine *engine, uint64_t cycle, bool had_none)
{
    for (const wf_row *at = engine->outgoing.inbox.first; at; at = at->next) {
        wf_entry *entry = wf_entries_find(engine, at->row.instance, strlen(at->row.instance));

        if (entry && entry->took != engine->round && (entry->took < cycle) == had_none)
            consume(engine, &at->row);
    }
}

/* A post that is not taken stays in the store, which returns it again. */
void wf_posts_consume(wfsm_engine *engine)
{
    const wf_outgoing *outgoing = &engine->outgoing;
    size_t count = outgoing->inbox.count;
    uint64_t cycle = engine->post_cycle;

    consume_first(engine, cycle, true);
    if (wf_may_input(engine))
        engine->post_cycle = engine->round + 1; /* all of them had their turn */
    consume_first(engine, cycle, false);
    for (const wf_row *at = outgoing->behind.first; at && count < WF_RUN_POSTS; at = at->next) {
        consume(engine, &at->row);
        count++;
    }
    wf_outgoing_clear(engine);
}
