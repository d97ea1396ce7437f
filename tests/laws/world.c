#include "world.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "chance.h"
#include "chart.h"
#include "../given.h"

/* ---- the world ---- */

static void keep_record(world *self)
{
    size_t length, revision = (size_t)wfsm_instance_revision(self->instance);
    const char *record = wfsm_instance_record(self->instance, &length);
    if (revision == self->count || revision > WORLD_RECORDS)
        return;
    self->records[revision - 1] = malloc(length + 1);
    memcpy(self->records[revision - 1], record, length + 1);
    self->states[revision - 1] = bare_bytes_of(self->instance);
    self->count = revision;
}

static void must(bool holds, const world *self, const char *what)
{
    if (holds)
        return;
    fprintf(stderr, "%s: %s\n", what, wfsm_error_message(self->error));
    abort();
}

bool world_open(world *self, uint64_t seed, const char *document, const char *prefix)
{
    memset(self, 0, sizeof *self);
    self->prefix = prefix;
    self->error = wfsm_error_new(NULL);
    self->allocator = scarce_allocator(&self->memory);
    self->grant.slots = (uint32_t)(seed % 3);
    must(wfsm_machine_load(&self->machine, document, strlen(document), NULL, &self->allocator,
                           self->error) == WFSM_OK,
         self, document);
    must(world_add_answers(self) &&
             wfsm_memory_open(&self->journal, NULL, self->error) == WFSM_OK,
         self, "functions and store");
    self->gate.inner = self->journal;
    self->gate.answer = WFSM_STORE_FAILED;
    must(flaky_open(&self->store, &self->gate, NULL, self->error) == WFSM_OK, self, "gate");
    const wf_ownership me = {.owner = "me", .grant = self->grant};
    if (wf_instance_start_owned(
            &self->instance, self->machine,
            START("one", .store = self->store, .functions = self->functions), &me, 0,
            self->error) != WFSM_OK)
        return false;
    keep_record(self);
    return true;
}

void world_close(world *self)
{
    for (size_t i = 0; i < self->count; i++) {
        free(self->records[i]);
        free(self->states[i]);
    }
    wfsm_instance_free(self->instance);
    wfsm_store_free(self->store);
    wfsm_store_free(self->journal);
    wfsm_functions_free(self->functions);
    wfsm_machine_unref(self->machine);
    wfsm_error_free(self->error);
    must(self->memory.living == 0, self, "blocks are left over");
}

wfsm_instance *world_load(world *self)
{
    wfsm_instance *made = NULL;
    const char *id = wfsm_instance_id(self->instance);
    must(wfsm_instance_load(&made, self->machine, self->store, self->functions, id,
                            self->error) == WFSM_OK,
         self, "loading");
    wf_instance_set_grant(made, &self->grant);
    return made;
}

void world_reload(world *self)
{
    wfsm_instance *again = world_load(self);
    wfsm_instance_free(self->instance);
    self->instance = again;
}

/* ---- inputs ---- */

static const char *const datas[] = {
    NULL, "1", "0", "\"x\"", "{\"ok\":1}", "{\"k\":[1]}", "{\"ok\":[{},\"\\u00e9\"]}", "[]"};
static const char *const names[] = {"one", "two"};

static void choose_event(input *made, chance *random)
{
    made->kind = draw_percent(random, 12) ? INPUT_POST : INPUT_SEND;
    made->name = chart_events[draw(random, CHART_EVENTS)];
    made->data = DRAW_FROM(random, datas);
    if (draw_percent(random, 20))
        snprintf(made->id, sizeof made->id, "id%u", draw(random, 12));
    else if (draw_percent(random, 4))
        made->name = "error";
}

static bool choose_work(const world *self, input *made, chance *random)
{
    static const enum input_kind kinds[] = {INPUT_CLAIM, INPUT_RESULT, INPUT_RESULT,
                                            INPUT_FAILURE, INPUT_PROBE};
    static const char *const classes[] = {"network", "timeout", "auth", "other"};
    const wf_list *ledger = &self->instance->snapshot.extras->ledger;
    if (ledger->count == 0)
        return false;
    const wf_invocation *one = wf_invocation_at(ledger, draw(random, (uint32_t)ledger->count));
    wf_instance_invocation_id(self->instance, one, made->invocation);
    made->kind = one->status == WF_PENDING ? INPUT_CLAIM : DRAW_FROM(random, kinds);
    if (draw_percent(random, 10))
        made->kind = DRAW_FROM(random, kinds);
    if (made->kind == INPUT_PROBE && one->status != WF_RUNNING)
        made->kind = INPUT_CLAIM;
    made->data = made->kind == INPUT_RESULT ? DRAW_FROM(random, datas) : NULL;
    made->name = DRAW_FROM(random, classes);
    made->answer = 1 + (int32_t)draw(random, 3);
    return true;
}

static void choose_rest(const world *self, input *made, chance *random)
{
    static const char *const patches[] = {"{\"n\":0}", "{\"n\":9}", "{\"m\":null,\"x\":{}}",
                                          "{\"l\":[7]}", "{}"};
    static const char *const lists[] = {NULL, "[]", "[\"a\"]", "[\"a/b c\",\"\xC3\xA9\"]"};
    static const enum input_kind kinds[] = {INPUT_PATCH,      INPUT_PATCH,   INPUT_CHECKPOINT,
                                            INPUT_CHECKPOINT, INPUT_RESTORE, INPUT_RESTORE,
                                            INPUT_DELETE};
    made->kind = DRAW_FROM(random, kinds);
    made->name = DRAW_FROM(random, names);
    if (made->kind == INPUT_RESTORE && draw_percent(random, 40))
        made->name = "";
    made->data = made->kind == INPUT_PATCH ? DRAW_FROM(random, patches) : NULL;
    if (made->kind == INPUT_CHECKPOINT)
        made->data = DRAW_FROM(random, lists);
    if (made->kind == INPUT_RESTORE && draw_percent(random, 40))
        made->revision = 1 + draw(random, (uint32_t)wfsm_instance_revision(self->instance) + 1);
}

input world_choose(world *self, uint64_t seed, int index)
{
    chance random = {seed * 0x9E3779B97F4A7C15u + (uint64_t)index};
    input made = {0};
    uint32_t kind = draw(&random, 100);
    if (draw_percent(&random, 40))
        self->now += draw(&random, 25);
    made.now = self->now;
    if (draw_percent(&random, 5))
        made.now = self->now / 2;
    made.acknowledges = draw_percent(&random, 25);
    if (kind < 22)
        made.kind = INPUT_ADVANCE;
    else if (kind < 30)
        choose_rest(self, &made, &random);
    else if (kind >= 55 || !choose_work(self, &made, &random))
        choose_event(&made, &random);
    return made;
}

typedef struct posted {
    world *self;
    int64_t now;
    int32_t status, *outcome;
    char *name, *id, *text;
    wfsm_row row;
} posted;

static char *copy_of(const char *text)
{
    return !text ? NULL : strcpy(malloc(strlen(text) + 1), text);
}

static int32_t take_post(void *user, const wfsm_row *row)
{
    posted *self = user;
    self->row = *row;
    self->row.name = self->name = copy_of(row->name);
    self->row.id = self->id = copy_of(row->id);
    self->row.text = self->text = copy_of(row->text);
    return WFSM_OK;
}

static int32_t consume(world *self, int64_t now, int32_t *outcome, bool *found)
{
    posted post = {.self = self};
    int32_t status = wfsm_store_inbox(self->journal, wfsm_instance_id(self->instance), 1,
                                      take_post, &post, self->error);
    *found = post.name != NULL;
    if (status == WFSM_OK && *found)
        status =
            wf_instance_consume(&self->instance, &post.row, NULL, now, outcome, self->error);
    free(post.name);
    free(post.id);
    free(post.text);
    return status;
}

static size_t length_of(const char *text)
{
    return !text ? 0 : strlen(text);
}

static int32_t post_and_consume(world *self, const input *given, int32_t *outcome)
{
    bool found;
    int32_t status = consume(self, given->now, outcome, &found);
    if (found || status != WFSM_OK)
        return status;
    status = wfsm_store_post(self->journal, wfsm_instance_id(self->instance), given->name,
                             given->id[0] != '\0' ? given->id : NULL, given->data,
                             length_of(given->data), given->now, self->error);
    if (status == WFSM_EXISTS) {
        *outcome = WFSM_DUPLICATE;
        return WFSM_OK;
    }
    return status == WFSM_OK ? consume(self, given->now, outcome, &found) : status;
}

/* As an engine does: an instance that has ended was given up, and has to be owned for another input. */
static void own_again(world *self, int64_t now)
{
    if (wf_instance_is_left(self->instance))
        must(wfsm_store_own(self->journal, "one", "me", now, self->error) == WFSM_OK, self,
             "owning it again");
}

int32_t world_give(world *self, const input *given, int32_t *outcome)
{
    wfsm_instance *instance = self->instance;
    wfsm_error *error = self->error;
    size_t length = length_of(given->data);
    int32_t fired;
    *outcome = 0;
    own_again(self, given->now);
    switch (given->kind) {
    case INPUT_SEND:
        return wfsm_instance_send(instance,
                                  EVENT(given->name,
                                        .id = given->id[0] != '\0' ? given->id : NULL,
                                        .data = given->data, .length = length),
                                  given->now, outcome, error);
    case INPUT_POST:
        return post_and_consume(self, given, outcome);
    case INPUT_ADVANCE:
        return wfsm_instance_advance(instance, given->now, &fired, outcome, error);
    case INPUT_CLAIM:
        return wfsm_instance_claim(instance, given->invocation, "me", given->now, outcome,
                                   error);
    case INPUT_RESULT:
        return wfsm_instance_result(
            instance, RESULT(given->invocation, .output = given->data, .length = length),
            given->now, outcome, error);
    case INPUT_FAILURE:
        return wfsm_instance_failure(
            instance,
            FAILURE(given->invocation, .failure_class = given->name, .message = "it broke"),
            given->now, outcome, error);
    case INPUT_PROBE:
        return wf_instance_probed(instance, given->invocation, given->answer, "me", given->now,
                                  outcome, error);
    case INPUT_PATCH:
        return wfsm_instance_patch(instance, given->data, length, given->now, outcome, error);
    case INPUT_CHECKPOINT:
        return wfsm_instance_checkpoint(
            instance, CHECKPOINT(given->name, .artifacts = given->data, .length = length),
            given->now, outcome, error);
    case INPUT_DELETE:
        return wfsm_instance_delete_checkpoint(instance, given->name, given->now, outcome,
                                               error);
    default:
        return wfsm_instance_restore(
            instance, given->revision != 0 ? AT(given->revision) : FROM(given->name),
            given->now, outcome, error);
    }
}

void world_settle(world *self, const input *given)
{
    const char *effect = NULL;
    size_t length;
    uint64_t number = 0;
    keep_record(self);
    if (!given->acknowledges)
        return;
    must(wfsm_instance_next_effect(self->instance, &effect, &length, &number, self->error) ==
             WFSM_OK,
         self, "the next effect");
    if (effect)
        must(wfsm_instance_ack(self->instance, number, self->error) == WFSM_OK, self, "ack");
}

const char *input_name(enum input_kind kind)
{
    static const char *const kinds[] = {"send",       "post",    "advance", "claim",
                                        "result",     "failure", "probe",   "patch",
                                        "checkpoint", "restore", "delete"};
    return kinds[kind];
}
