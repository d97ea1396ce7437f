/* engine/share.c: several engines share the instances of a store. What each may take follows from who is
 * there and serves which document (shards.c), so an engine asks nobody. That two of them think for a moment
 * that a shard is theirs does no harm: the store gives an instance to one of them. */
#include <string.h>

#include "base/sized.h"
#include "engine/engine.h"
#include "engine/enter.h"
#include "engine/lease.h"
#include "engine/parting.h"
#include "engine/serving.h"
#include "engine/taking.h"

enum { MOST = 1000 };

typedef struct sharing {
    wfsm_engine *engine;
    wfsm_share share;
    bool alone; /* the store cannot tell who serves what: all shards are this engine's */
    bool own; /* what is found belongs to this engine's session already */
    wf_buffer serving; /* pairs: a session, and the fingerprint of a document */
    wf_buffer left; /* pairs: an owner, and a fingerprint, or "" for all */
    wf_buffer found; /* pairs: an instance, and the fingerprint of its document */
    size_t found_count;
    const char *owner; /* to whom they belong */
    wf_arena arena;
    int32_t first; /* the first failure; the others are tried all the same */
    wfsm_error *error; /* describes it */
} sharing;

/* ---- pairs of texts ---- */

static void add_pair(wf_buffer *pairs, const char *one, const char *two)
{
    wf_buffer_add(pairs, one, strlen(one) + 1);
    wf_buffer_add(pairs, two, strlen(two) + 1);
}

static const char *second_of(const char *pair)
{
    return pair + strlen(pair) + 1;
}

static const char *behind(const char *pair)
{
    const char *two = second_of(pair);

    return two + strlen(two) + 1;
}

#define EACH_PAIR(pair, pairs)                                                                 \
    const char *pair = (pairs)->data;                                                          \
    (pairs)->length > 0 && pair < (pairs)->data + (pairs)->length;                             \
    pair = behind(pair)

static void note_failure(sharing *self, int32_t status)
{
    if (status == WFSM_OK || self->first != WFSM_OK)
        return;
    self->first = status;
    if (wfsm_error_status(self->engine->failed) == status)
        wf_error_copy(self->error, self->engine->failed);
    else
        wf_fail(self->error, status, "%s", wfsm_status_name(status));
}

/* ---- who serves what, and what is left ---- */

static int32_t note_row(void *user, const wfsm_row *row)
{
    sharing *self = user;
    wf_buffer *pairs = row->part == WFSM_ROW_SERVES ? &self->serving : &self->left;

    if (row->part == WFSM_ROW_SERVES || row->part == WFSM_ROW_LEFT)
        add_pair(pairs, row->id, row->name);
    return pairs->failed ? WFSM_NO_MEMORY : WFSM_OK;
}

static int32_t ask(sharing *self)
{
    wfsm_engine *engine = self->engine;
    wfsm_sharing asked = {.size = sizeof asked, .session = engine->session, .now = engine->now};
    const char **served;

    wf_arena_reset(&self->arena);
    served = wf_arena_take(&self->arena, (engine->machine_count + 1) * sizeof *served);
    if (!served)
        return wf_no_memory(engine->failed);
    for (size_t i = 0; i < engine->machine_count; i++)
        if (engine->machines[i].served)
            served[asked.count++] = engine->machines[i].machine->fingerprint;
    asked.fingerprints = served;
    wf_buffer_clear(&self->serving);
    wf_buffer_clear(&self->left);
    return wfsm_store_share(engine->store, &asked, note_row, self, engine->failed);
}

static size_t count_served(const wfsm_engine *engine)
{
    size_t count = 0;

    for (size_t i = 0; i < engine->machine_count; i++)
        count += engine->machines[i].served;
    return count;
}

/* A document that others serve, or that is left, may be one that this engine serves, too. */
static void learn(sharing *self, const wf_buffer *pairs)
{
    wf_known *known;

    for (EACH_PAIR(pair, pairs))
        note_failure(self, wf_serving_learn(self->engine, second_of(pair), &known,
                                            self->engine->failed));
}

/* If it serves more than the store was told, the store is told again. */
static int32_t look(sharing *self)
{
    size_t before;
    int32_t status;

    do {
        before = count_served(self->engine);
        status = ask(self);
        if (status != WFSM_OK)
            return status;
        learn(self, &self->serving);
        learn(self, &self->left);
    } while (count_served(self->engine) > before);
    return WFSM_OK;
}

/* ---- shards ---- */

static int32_t divide(sharing *self, wf_known *known)
{
    const char *fingerprint = known->machine->fingerprint;
    wf_sharer *sharers;
    size_t count = 0;

    for (EACH_PAIR(pair, &self->serving))
        count += strcmp(second_of(pair), fingerprint) == 0;
    if (count == 0) { /* no instance has it yet */
        memset(known->shards, 255, sizeof known->shards);
        return WFSM_OK;
    }
    sharers = wf_arena_take(&self->arena, count * sizeof *sharers);
    if (!sharers)
        return wf_no_memory(self->engine->failed);
    count = 0;
    for (EACH_PAIR(pair, &self->serving))
        if (strcmp(second_of(pair), fingerprint) == 0)
            sharers[count++] = (wf_sharer){.name = pair};
    wf_shards_divide(sharers, count, self->engine->session, known->shards);
    return WFSM_OK;
}

static int32_t divide_all(sharing *self)
{
    int32_t status = WFSM_OK;

    for (size_t i = 0; i < self->engine->machine_count && status == WFSM_OK; i++) {
        wf_known *known = &self->engine->machines[i];

        if (self->alone)
            memset(known->shards, 255, sizeof known->shards);
        else if (known->served)
            status = divide(self, known);
    }
    return status;
}

/* ---- taking ---- */

static int32_t note_found(void *user, const wfsm_row *row)
{
    sharing *self = user;
    const wfsm_head *head = row->head;

    if (self->share.taken + self->found_count == self->share.most) {
        self->share.more = 1;
        return WFSM_LIMIT;
    }
    if (!wf_serving_may(self->engine, head->fingerprint) ||
        wf_entries_find(self->engine, head->instance, strlen(head->instance)))
        return WFSM_OK;
    add_pair(&self->found, head->instance, head->fingerprint);
    self->found_count++;
    return self->found.failed ? WFSM_NO_MEMORY : WFSM_OK;
}

static bool is_mine(sharing *self, const char *id, const char *fingerprint)
{
    wf_known *known = NULL;

    if (self->own)
        return true;
    note_failure(self,
                 wf_serving_learn(self->engine, fingerprint, &known, self->engine->failed));
    return known && known->served &&
           (self->alone || wf_shard_is_in(known->shards, wfsm_shard(id)));
}

/* Adds those that are here now to what was taken. */
static void take_page(sharing *self, const char *const *ids, size_t count)
{
    const char *here[WF_TAKE_PAGE];
    int32_t answers[WF_TAKE_PAGE];
    int32_t status = wf_take_page(self->engine, ids, count, answers,
                                  self->first == WFSM_OK ? self->error : NULL);
    size_t taken = 0;

    self->first = self->first == WFSM_OK ? status : self->first;
    for (size_t i = 0; i < count; i++) {
        wf_entry *entry = answers[i] == WFSM_OK
                              ? wf_entries_find(self->engine, ids[i], strlen(ids[i]))
                              : NULL;

        if (!entry)
            continue;
        entry->shared = true;
        here[taken++] = ids[i];
    }
    self->share.taken += taken;
    if (taken > 0 && self->share.told)
        self->share.told(self->share.user, self->owner, here, taken);
}

static void take_found(sharing *self)
{
    const char *ids[WF_TAKE_PAGE];
    size_t count = 0;

    for (EACH_PAIR(pair, &self->found)) {
        if (is_mine(self, pair, second_of(pair)))
            ids[count++] = pair;
        if (count == WF_TAKE_PAGE) {
            take_page(self, ids, count);
            count = 0;
        }
    }
    if (count > 0)
        take_page(self, ids, count);
}

/* Those that are this engine's, as far as the query says. */
static void take_those(sharing *self, wfsm_query query)
{
    int32_t status;

    if (self->share.taken >= self->share.most)
        return;
    query.size = sizeof query;
    wf_buffer_clear(&self->found);
    self->found_count = 0;
    status =
        wfsm_store_list(self->engine->store, &query, note_found, self, self->engine->failed);
    note_failure(self, status == WFSM_LIMIT ? WFSM_OK : status);
    self->owner = query.owner && !self->own ? query.owner : "";
    take_found(self);
}

/* The store may have instances of many machines, and lists those of one. */
static void take_by_machine(sharing *self, const char *owner)
{
    for (size_t i = 0; i < self->engine->machine_count; i++) {
        const wf_known *known = &self->engine->machines[i];
        const char *id = wfsm_machine_id(known->machine);

        if (known->named && wf_machines_newest(self->engine, id) == known->machine)
            take_those(self,
                       (wfsm_query){.owner = owner, .status = WFSM_RUNNING, .machine = id});
    }
}

static void take_left(sharing *self)
{
    for (EACH_PAIR(pair, &self->left)) {
        const wf_known *known = wf_known_find(self->engine, second_of(pair));

        if (self->alone)
            take_by_machine(self, pair);
        else if (known && known->served)
            take_those(self, (wfsm_query){.owner = pair,
                                          .status = WFSM_RUNNING,
                                          .fingerprint = second_of(pair),
                                          .shards = known->shards});
    }
}

/* An exchange may have given instances to the session, and its answer was lost. Those of other engines' shards
 * are given up later. */
static void take_own(sharing *self)
{
    wfsm_engine *engine = self->engine;

    self->own = true;
    engine->uncertain = false;
    take_those(self, (wfsm_query){.owner = engine->session, .status = WFSM_RUNNING});
    take_those(self,
               (wfsm_query){.owner = engine->session, .status = WFSM_DONE, .undelivered = 1});
    engine->uncertain |= self->first != WFSM_OK || self->share.more;
}

/* ---- owners that are gone ---- */

static int32_t note_owner(void *user, const wfsm_row *row)
{
    wf_buffer *pairs = user;

    add_pair(pairs, row->id, "");
    return pairs->failed ? WFSM_NO_MEMORY : WFSM_OK;
}

/* For a store that cannot tell, and for instances that have ended and have effects to deliver. */
static int32_t list_owners(sharing *self)
{
    wfsm_engine *engine = self->engine;

    wf_buffer_clear(&self->left);
    return wfsm_store_lapsed(engine->store, engine->now, note_owner, &self->left,
                             engine->failed);
}

static void take_owing(sharing *self)
{
    int32_t status = self->engine->deliver ? list_owners(self) : WFSM_DENIED;

    if (status == WFSM_DENIED)
        return;
    note_failure(self, status);
    for (EACH_PAIR(pair, &self->left))
        take_those(self, (wfsm_query){.owner = pair, .status = WFSM_DONE, .undelivered = 1});
}

/* Everything that is free is this engine's, if it is as quick as the others. */
static void take_alone(sharing *self)
{
    int32_t status = list_owners(self);

    self->alone = true;
    note_failure(self, divide_all(self));
    if (status == WFSM_OK)
        take_left(self);
    else if (status == WFSM_DENIED)
        take_by_machine(self, NULL);
    else
        note_failure(self, status);
}

/* ---- the call ---- */

static void take_and_part(sharing *self)
{
    int32_t status = divide_all(self);

    note_failure(self, status);
    if (status != WFSM_OK)
        return;
    take_left(self);
    note_failure(self, wf_part(self->engine, self->share.most, &self->share.given_up,
                               self->engine->failed));
    self->share.more |= self->share.given_up == self->share.most;
}

static void share_all(sharing *self)
{
    int32_t status = wf_lease_renew(self->engine, self->engine->failed);

    wf_serving_judge(self->engine);
    if (status == WFSM_OK)
        status = look(self);
    if (status == WFSM_OK)
        take_and_part(self);
    else if (status == WFSM_DENIED && !self->engine->store->vtable.share)
        take_alone(self);
    else
        note_failure(self, status);
    if (self->first == WFSM_OK)
        take_owing(self);
    if (self->engine->uncertain && self->first == WFSM_OK)
        take_own(self);
}

static int32_t run_sharing(wfsm_engine *engine, wfsm_share *share, wfsm_error *error)
{
    sharing self = {.engine = engine, .share = *share, .error = error};

    wf_buffer_init(&self.serving, &engine->allocator);
    wf_buffer_init(&self.left, &engine->allocator);
    wf_buffer_init(&self.found, &engine->allocator);
    wf_arena_init(&self.arena, &engine->allocator, 0);
    share_all(&self);
    wf_buffer_fini(&self.serving);
    wf_buffer_fini(&self.left);
    wf_buffer_fini(&self.found);
    wf_arena_fini(&self.arena);
    if (self.share.taken > 0)
        wf_outgoing_read(engine);
    *share = self.share;
    return self.first;
}

int32_t wfsm_engine_share(wfsm_engine *engine, int64_t now, wfsm_share *share,
                          wfsm_error *error)
{
    wfsm_share made = {.size = sizeof made};
    int32_t status = WFSM_OK;

    if (now < 0 || (share && !wf_struct_check(&made, sizeof made, share, sizeof share->size)))
        return wf_fail(error, WFSM_INVALID,
                       "sharing needs a time that is not negative, and a struct with its size");
    made.size = sizeof made;
    made.most = made.most > 0 ? made.most : MOST;
    made.taken = made.given_up = 0;
    made.more = 0;
    status = wf_engine_enter_at(engine, now, error);
    if (status != WFSM_OK)
        return status;
    status = run_sharing(engine, &made, error);
    if (share)
        wf_struct_give(share, &made, sizeof made, sizeof share->size);
    wf_engine_leave(engine);
    return status;
}
