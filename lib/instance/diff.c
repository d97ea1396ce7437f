/* What changed from one revision of an instance to another. */
#include "instance/diff.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <wfsm/revisions.h>
#include "base/error.h"
#include "base/sized.h"
#include "instance/past.h"
#include "logic/json.h"
#include "store/record_parts.h"

typedef struct diff {
    uint64_t to;
    wf_buffer first, second; /* the two states, as snapshots */
    wf_buffer effects; /* made in between, separated by commas */
    wf_buffer out, path;
    wf_arena arena;
    wf_value before, after; /* the two, parsed */
} diff;

static const wf_value *part(const wf_value *state, const char *key)
{
    return wf_value_get_z(state, key);
}

/* A snapshot leaves out a list that is empty. */
static const wf_value *list_in(const wf_value *state, const char *key)
{
    static const wf_value empty = {.type = WF_ARRAY, .depth = 1};
    const wf_value *list = part(state, key);
    return list ? list : &empty;
}

/* ---- what has an identity: timers and invocations ---- */

/* The elements ascend by one or two numbers, which never change. */
typedef struct element_kind {
    const char *list;
    const char *keys[2]; /* the second may be NULL */
    const char *named; /* the id says it, too; or NULL */
} element_kind;

static const element_kind timers = {"timers", {"number", NULL}, NULL};
static const element_kind invocations = {"invocations", {"revision", "ordinal"}, "incarnation"};

static double number_of(const wf_value *element, const char *key)
{
    const wf_value *found = key ? wf_value_get_z(element, key) : NULL;
    return found ? found->as.number : 0;
}

static bool is_before(const element_kind *self, const wf_value *a, const wf_value *b)
{
    double left = number_of(a, self->keys[0]), right = number_of(b, self->keys[0]);
    return left < right ||
           (left == right && number_of(a, self->keys[1]) < number_of(b, self->keys[1]));
}

/* The element of the list that is the same one, or NULL. The search continues at *at. */
static const wf_value *find(const element_kind *self, const wf_value *list,
                            const wf_value *like, uint32_t *at)
{
    while (*at < list->length && is_before(self, &list->as.items[*at], like))
        ++*at;
    if (*at == list->length || is_before(self, like, &list->as.items[*at]))
        return NULL;
    return &list->as.items[*at];
}

static bool is_key(const element_kind *self, const wf_member *member)
{
    const char *const keys[] = {self->keys[0], self->keys[1], self->named};
    for (int i = 0; i < 3; i++)
        if (keys[i] && strcmp(member->key, keys[i]) == 0)
            return true;
    return false;
}

/* "number" of a timer, "id" of an invocation. */
static void write_identity(const diff *self, const element_kind *kind, wf_buffer *out,
                           const wf_value *element)
{
    wf_buffer_byte(out, '{');
    if (!kind->keys[1]) {
        wf_write_key(out, kind->keys[0]);
        wf_json_write(out, wf_value_get_z(element, kind->keys[0]));
        return;
    }
    char id[WF_WORK_ID_BYTES];
    const wf_work work = {.revision = (uint64_t)number_of(element, kind->keys[0]),
                          .ordinal = (uint32_t)number_of(element, kind->keys[1]),
                          .incarnation = (uint64_t)number_of(element, kind->named)};
    wf_work_id(id, part(&self->after, "instance")->as.text, &work);
    wf_write_string(out, "id", id);
}

static void write_element(const diff *self, const element_kind *kind, wf_buffer *out,
                          const wf_value *element)
{
    wf_write_comma(out);
    write_identity(self, kind, out, element);
    for (uint32_t i = 0; i < element->length; i++) {
        const wf_member *member = &element->as.members[i];
        if (is_key(kind, member))
            continue;
        wf_write_name(out, member->key);
        wf_json_write(out, &member->value);
    }
    wf_buffer_byte(out, '}');
}

static void write_changed(diff *self, const element_kind *kind, const wf_value *before,
                          const wf_value *after)
{
    wf_buffer *out = &self->out;
    wf_write_comma(out);
    write_identity(self, kind, out, after);
    wf_diff_changes(out, &self->path, "changes", before, after);
    wf_buffer_byte(out, '}');
}

enum only { REMOVED, ADDED, CHANGED };

static void write_one(diff *self, const element_kind *kind, enum only only,
                      const wf_value *element, const wf_value *other)
{
    if (only != CHANGED && !other)
        write_element(self, kind, &self->out, element);
    if (only == CHANGED && other && !wf_value_equal(element, other))
        write_changed(self, kind, other, element);
}

static void write_only(diff *self, const element_kind *kind, enum only only,
                       const wf_value *list, const wf_value *others)
{
    static const char *const keys[] = {"removed", "added", "changed"};
    wf_buffer *out = &self->out;
    size_t mark = out->length;
    uint32_t at = 0;
    wf_write_key(out, keys[only]);
    wf_buffer_byte(out, '[');
    size_t start = out->length;
    for (uint32_t i = 0; i < list->length; i++) {
        const wf_value *element = &list->as.items[i];
        write_one(self, kind, only, element, find(kind, others, element, &at));
    }
    if (out->length == start)
        wf_diff_cut(out, mark);
    else
        wf_buffer_byte(out, ']');
}

static void write_kind(diff *self, const element_kind *kind)
{
    const wf_value *before = list_in(&self->before, kind->list);
    const wf_value *after = list_in(&self->after, kind->list);
    if (wf_value_equal(before, after))
        return;
    wf_write_key(&self->out, kind->list);
    wf_buffer_byte(&self->out, '{');
    write_only(self, kind, REMOVED, before, after);
    write_only(self, kind, ADDED, after, before);
    write_only(self, kind, CHANGED, after, before);
    wf_buffer_byte(&self->out, '}');
}

/* ---- the whole ---- */

static void write_end(diff *self, const char *key, const wf_value *state)
{
    static const char *const keys[] = {"revision", "now", "fingerprint"};
    wf_write_key(&self->out, key);
    wf_buffer_byte(&self->out, '{');
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        wf_write_key(&self->out, keys[i]);
        wf_json_write(&self->out, part(state, keys[i]));
    }
    wf_buffer_byte(&self->out, '}');
}

static void write_configuration(diff *self)
{
    const wf_value *before = part(&self->before, "configuration");
    const wf_value *after = part(&self->after, "configuration");
    if (wf_value_equal(before, after))
        return;
    wf_write_key(&self->out, "configuration");
    wf_buffer_byte(&self->out, '{');
    wf_diff_missing(&self->out, "left", before, after);
    wf_diff_missing(&self->out, "entered", after, before);
    wf_buffer_byte(&self->out, '}');
}

static void write_pair(diff *self, const char *key)
{
    wf_diff_pair(&self->out, key, part(&self->before, key), part(&self->after, key));
}

static void write_changes(diff *self, const char *key)
{
    wf_diff_changes(&self->out, &self->path, key, part(&self->before, key),
                    part(&self->after, key));
}

static void write_diff(diff *self)
{
    wf_buffer_byte(&self->out, '{');
    wf_write_string(&self->out, "instance", part(&self->after, "instance")->as.text);
    write_end(self, "from", &self->before);
    write_end(self, "to", &self->after);
    write_pair(self, "status");
    write_configuration(self);
    write_changes(self, "histories");
    write_changes(self, "context");
    write_kind(self, &timers);
    write_kind(self, &invocations);
    if (self->effects.length > 0) {
        wf_write_key(&self->out, "effects");
        wf_buffer_add(&self->out, self->effects.data, self->effects.length);
    }
    write_changes(self, "budgets");
    write_changes(self, "limits");
    wf_diff_pair(&self->out, "failures", list_in(&self->before, "failures"),
                 list_in(&self->after, "failures"));
    write_pair(self, "output");
    wf_buffer_byte(&self->out, '}');
}

/* ---- the two states ---- */

static int32_t parse(diff *self, const wf_buffer *text, wf_value *state, wfsm_error *error)
{
    return wf_json_parse(&self->arena, text->data, text->length, state, error);
}

/* The effects of the first state are dropped, so those of the second were made in between. But if
 * records in between were dropped, the second state is read by itself. */
static int32_t write_effects(diff *self, wf_past *past, uint64_t before)
{
    wf_snapshot *state = &past->replay.snapshot;
    wf_buffer_clear(&self->effects);
    wf_snapshot_acknowledge(state, before);
    if (state->extras->outbox.count > 0)
        wf_write_entries(&self->effects, state->machine, wf_kind_of(WF_OUTBOX),
                         &state->extras->outbox);
    return self->effects.failed ? wf_no_memory(past->error) : WFSM_OK;
}

/* In one pass over the records. The texts have no effects. */
static int32_t read_both(void *user, wf_past *past)
{
    diff *self = user;
    wf_buffer_clear(&self->first);
    wf_buffer_clear(&self->second);
    wf_arena_reset(&self->arena);
    uint64_t before = past->replay.snapshot.extras->singles.effect_number;
    int32_t status = wf_past_write(past, &self->first);
    if (status == WFSM_OK)
        status = wf_past_continue(past, self->to);
    if (status == WFSM_OK)
        status = write_effects(self, past, before);
    if (status == WFSM_OK)
        status = wf_past_write(past, &self->second);
    if (status == WFSM_OK)
        status = parse(self, &self->first, &self->before, past->error);
    return status == WFSM_OK ? parse(self, &self->second, &self->after, past->error) : status;
}

static int32_t give(diff *self, const char *instance, wfsm_row_sink sink, void *user,
                    wfsm_error *error)
{
    write_diff(self);
    if (self->out.failed)
        return wf_no_memory(error);
    const wfsm_row row = {.size = sizeof row,
                          .id = instance,
                          .instance = instance,
                          .revision = self->to,
                          .text = self->out.data,
                          .length = self->out.length};
    return sink(user, &row);
}

static void begin(diff *self, const wfsm_allocator *allocator)
{
    wf_buffer_init(&self->first, allocator);
    wf_buffer_init(&self->second, allocator);
    wf_buffer_init(&self->effects, allocator);
    wf_buffer_init(&self->out, allocator);
    wf_buffer_init(&self->path, allocator);
    wf_arena_init(&self->arena, allocator, 0);
}

static void end(diff *self)
{
    wf_arena_fini(&self->arena);
    wf_buffer_fini(&self->path);
    wf_buffer_fini(&self->out);
    wf_buffer_fini(&self->effects);
    wf_buffer_fini(&self->second);
    wf_buffer_fini(&self->first);
}

static int32_t check(wfsm_revision_range *out, const wfsm_revision_range *given,
                     wfsm_row_sink sink, wfsm_error *error)
{
    if (!wf_struct_check(out, sizeof *out, given, WF_SIZE_UP_TO(wfsm_revision_range, last)) ||
        !sink)
        return wf_fail(error, WFSM_INVALID,
                       "the range, or its size, is not set, or the sink is NULL");
    if (out->first > out->last)
        return wf_fail(error, WFSM_INVALID, "revision %" PRIu64 " is after revision %" PRIu64,
                       out->first, out->last);
    return WFSM_OK;
}

int32_t wfsm_store_diff(wfsm_store *store, const char *instance,
                        const wfsm_revision_range *range, wfsm_row_sink sink, void *user,
                        wfsm_error *error)
{
    diff self;
    wfsm_revision_range wanted;
    int32_t status = check(&wanted, range, sink, error);
    if (status == WFSM_OK)
        status = wf_store_ready(store, error);
    if (status == WFSM_OK)
        status = wf_store_check_id(instance, "the id of an instance", error);
    if (status != WFSM_OK)
        return status;
    begin(&self, &store->allocator);
    self.to = wanted.last;
    const wf_past_reader reader = {wanted.first, read_both, &self};
    status = wf_past_read(store, instance, &reader, error);
    if (status == WFSM_OK)
        status = give(&self, instance, sink, user, error);
    end(&self);
    return status;
}
