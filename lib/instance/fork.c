/* A fork: a new instance that begins in the state of another one, of its checkpoint or
 * of an earlier revision. Its first record has that state as it is stored, so that a replay needs nothing else. */
#include "instance/inner.h"

#include <string.h>
#include "base/invariant.h"
#include "base/error.h"
#include "base/utf8.h"
#include "logic/json.h"
#include "store/record_parts.h"

typedef struct forking {
    wfsm_instance *source;
    wfsm_restore_point point;
    wf_restore_source origin;
    bool present; /* the present state: the origin is empty */
    const wf_ownership *by;
    int64_t now;
    wf_buffer text; /* the snapshot of the source */
    wf_snapshot from; /* the same, decoded */
} forking;

static int32_t check(const wfsm_instance *source, bool present, wfsm_error *error)
{
    int32_t status = wf_instance_ready(source, error);
    if (status == WFSM_OK)
        status = wf_instance_flushed(source, error);
    if (status != WFSM_OK)
        return status;
    if (!wf_instance_store(source))
        return wf_fail(error, WFSM_INVALID, "without a store there are no forks");
    if (present && source->snapshot.status == WFSM_DONE)
        return wf_fail(error, WFSM_DENIED,
                       "\"%.60s\" has ended: only a checkpoint or an earlier "
                       "revision of it can be forked",
                       wf_instance_id(source));
    if (!wf_step_may_restore(&source->snapshot))
        return wf_fail(error, WFSM_DENIED,
                       "the machine's `restore` rule does not allow it from where \"%.60s\" is",
                       wf_instance_id(source));
    return WFSM_OK;
}

/* ---- the state that it comes from ---- */

/* Leaves out the effects, which the source delivers. */
static int32_t write_present(forking *self, wfsm_error *error)
{
    const wfsm_instance *source = self->source;
    WF_INVARIANT(source->attached->waiting == 0); /* the digest is that of a stored record */
    wf_snapshot bare = source->snapshot;
    wf_extras extras = *bare.extras;
    wf_snapshot_note note = {wf_instance_id(source), NULL, bare.revision,
                             source->attached->digest};
    extras.outbox.count = 0;
    bare.extras = &extras;
    wf_snapshot_write(&self->text, &bare, &note);
    return self->text.failed ? wf_no_memory(error) : WFSM_OK;
}

static int32_t read_present(forking *self, wfsm_error *error)
{
    char digest[WF_DIGEST_HEX];
    int32_t status = write_present(self, error);
    if (status != WFSM_OK)
        return status;
    wf_stored stored = {wf_instance_id(self->source), NULL, self->text.data, self->text.length,
                        NULL};
    status = wf_snapshot_read(&self->from, &stored, digest, error);
    WF_INVARIANT(status != WFSM_OK || self->from.extras->outbox.count == 0);
    return status;
}

static int32_t read_state(forking *self, wfsm_error *error)
{
    int32_t status = self->present ? read_present(self, error)
                                   : wf_restore_read(&self->origin, self->source, &self->text,
                                                     &self->from, error);
    /* A restore does not give back what budgets have lost since then. */
    if (status == WFSM_OK)
        wf_budgets_copy(&self->from.extras->budgets, &self->source->snapshot.extras->budgets);
    return status;
}

/* ---- the first step ---- */

/* The present ones are in the snapshot. */
static int32_t note_budgets(const forking *self, wfsm_instance *made, wf_value *budgets,
                            wfsm_error *error)
{
    const wfsm_machine *machine = made->snapshot.machine;
    wf_buffer text;
    *budgets = wf_absent();
    if (self->present || machine->budget_count == 0)
        return WFSM_OK;
    wf_buffer_init(&text, made->snapshot.allocator);
    wf_write_entries(&text, machine, wf_kind_of(WF_BUDGETS), &self->from.extras->budgets);
    int32_t status = text.failed ? wf_no_memory(error)
                                 : wf_json_parse(&made->scratch->step.arena, text.data,
                                                 text.length, budgets, error);
    wf_buffer_fini(&text);
    return status;
}

/* The id of a checkpoint, or `past` for a revision that was asked for: timers have the time that
 * was left then, and not the time that is left now. */
static int32_t note_fork(const forking *self, wfsm_instance *made, wf_note *note,
                         wfsm_error *error)
{
    static const char *const keys[] = {"source",  "revision", "checkpoint", "past",    "event",
                                       "budgets", "session",  "start",      "snapshot"};
    const wf_name *event = &made->snapshot.machine->restore_event;
    const wf_restore_source *origin = &self->origin;
    wf_arena *arena = &made->scratch->step.arena;
    wf_value source = wf_string_z(wf_instance_id(self->source)), budgets, snapshot;
    wf_value revision = wf_number((double)self->from.revision), past = wf_boolean(true);
    wf_value checkpoint = wf_string_z(origin->checkpoint);
    wf_value session = wf_string_z(self->by->owner),
             start = wf_number((double)self->by->number);
    wf_value under = event->text ? wf_string_z(event->text) : wf_null();
    int32_t status = wf_json_parse(arena, self->text.data, self->text.length, &snapshot, error);
    if (status == WFSM_OK)
        status = note_budgets(self, made, &budgets, error);
    if (status != WFSM_OK)
        return status;
    const wf_value *values[] = {&source,
                                &revision,
                                origin->checkpoint[0] != '\0' ? &checkpoint : NULL,
                                origin->revision != 0 ? &past : NULL,
                                event->text ? &under : NULL,
                                budgets.type == WF_OBJECT ? &budgets : NULL,
                                self->by->owner[0] != '\0' ? &session : NULL,
                                self->by->number > 0 ? &start : NULL,
                                &snapshot};
    note->input = wf_note_value(arena, "fork", keys, values, 9);
    return wf_step_arena(&made->scratch->step);
}

/* A fork continues under the limits of its source. */
static int32_t take_limits(wfsm_instance *made, const wfsm_instance *source, wfsm_error *error)
{
    made->attached->limits = source->attached->limits;
    made->attached->limited = source->attached->limited;
    return wf_snapshot_set_limits(&made->snapshot, &source->snapshot.extras->limits)
               ? WFSM_OK
               : wf_no_memory(error);
}

static int32_t first_step(const forking *self, wfsm_instance *made, wfsm_error *error)
{
    wf_note note = {0};
    int64_t now = self->now > self->from.now ? self->now : self->from.now;
    int32_t status = wf_instance_set_owner(made, self->by->owner, error);
    if (status == WFSM_OK)
        made->attached->grant = self->by->grant;
    if (status == WFSM_OK)
        status = take_limits(made, self->source, error);
    if (status == WFSM_OK)
        status = wf_instance_begin(made, self->now < 0 ? self->now : now, error);
    if (status == WFSM_OK)
        wf_instance_first(made, self->by->owner, self->by->number);
    if (status == WFSM_OK)
        wf_step_origin(&made->scratch->step, self->point.interface, self->point.sender);
    if (status == WFSM_OK)
        status = wf_step_fork(&made->scratch->step, &self->from, self->present, &note.outcome);
    if (status == WFSM_OK)
        status = note_fork(self, made, &note, error);
    return status == WFSM_OK ? wf_instance_commit(made, &note, error) : status;
}

static int32_t make(wfsm_instance **fork, forking *self, const char *id, wfsm_error *error)
{
    const wfsm_instance *source = self->source;
    wfsm_instance *made = NULL;
    int32_t status = read_state(self, error);
    if (status == WFSM_OK)
        status = wf_instance_make(&made, source->snapshot.machine, wf_instance_store(source),
                                  source->attached->functions, id, error);
    if (status != WFSM_OK)
        return status;
    status = first_step(self, made, error);
    if (status != WFSM_OK) {
        wfsm_instance_free(made);
        return status;
    }
    *fork = made;
    return WFSM_OK;
}

/* A point that is empty is a mistake. */
static bool is_of_the_present(const wfsm_restore_point *from, const wfsm_restore_point *point)
{
    bool says_who = point->interface != 0 || point->sender;
    return !from || (says_who && !point->checkpoint && point->revision == 0);
}

int32_t wf_instance_fork_owned(wfsm_instance **fork, wfsm_instance *source,
                               const wfsm_restore_point *from, const char *id,
                               const wf_ownership *by, int64_t now, wfsm_error *error)
{
    forking self = {.source = source, .by = by, .now = now};
    int32_t status = wf_instance_check(fork, id, error);
    if (status == WFSM_OK && from)
        status = wf_restore_point(&self.point, from, error);
    self.present = is_of_the_present(from, &self.point);
    if (status == WFSM_OK)
        status = check(source, self.present, error);
    if (status == WFSM_OK && !self.present)
        status = wf_restore_find(&self.origin, source, &self.point, error);
    if (status != WFSM_OK)
        return status;
    if (!wf_snapshot_init(&self.from, source->snapshot.machine, source->snapshot.allocator))
        return wf_no_memory(error);
    wf_buffer_init(&self.text, source->snapshot.allocator);
    status = make(fork, &self, id, error);
    wf_buffer_fini(&self.text);
    wf_snapshot_fini(&self.from);
    return status;
}

int32_t wfsm_instance_fork(wfsm_instance **fork, wfsm_instance *source,
                           const wfsm_restore_point *from, const char *id, int64_t now,
                           wfsm_error *error)
{
    const wf_ownership nobody = {.owner = ""};
    return wf_instance_fork_owned(fork, source, from, id, &nobody, now, error);
}
