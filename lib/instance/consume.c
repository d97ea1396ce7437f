/* instance/consume.c: the owner takes the posts of others, each as the input that its kind names.
 * Whatever becomes of a post, one commit consumes it; so none stays in front of the others. */
#include "instance/inner.h"

#include <string.h>
#include "base/error.h"
#include "base/invariant.h"
#include "logic/json.h"
#include "store/submit.h"

/* A post, its data, and what the call that takes it needs. */
typedef struct taking {
    wfsm_instance *instance;
    wfsm_instance **place; /* that a migration replaces */
    const wf_migrating *migrating;
    const wfsm_row *post;
    wf_value data;
    wf_buffer text; /* of a part of the data */
    int64_t now;
    wfsm_error *error;
} taking;

/* ---- the kinds ---- */

static int32_t approve(taking *self, int32_t *outcome)
{
    wf_note note = {0};
    int32_t status = wf_instance_begin(self->instance, self->now, self->error);
    if (status != WFSM_OK)
        return status;
    status = wf_run_approval(self->instance, self->post->id, &self->data, &note, self->error);
    if (status != WFSM_OK)
        return wf_instance_drop(self->instance, status);
    return wf_instance_commit_input(self->instance, &note, outcome, self->error);
}

/* A member of the data as JSON; NULL: there is none. */
static int32_t write_part(taking *self, const char *key, const char **text)
{
    const wf_value *found = wf_value_get_z(&self->data, key);
    *text = NULL;
    if (!found)
        return WFSM_OK;
    wf_json_write(&self->text, found);
    *text = self->text.data;
    return self->text.failed ? wf_no_memory(self->error) : WFSM_OK;
}

static int32_t answer(taking *self, int32_t *outcome)
{
    const char *output;
    int32_t status = write_part(self, "output", &output);
    if (status != WFSM_OK)
        return status;
    const wfsm_result result = {.size = sizeof result,
                                .invocation = wf_post_text(&self->data, "invocation"),
                                .output = output,
                                .length = self->text.length};
    const wfsm_failure failure = {.size = sizeof failure,
                                  .invocation = result.invocation,
                                  .failure_class = wf_post_text(&self->data, "class"),
                                  .message = wf_post_text(&self->data, "message")};
    if (output)
        return wfsm_instance_result(self->instance, &result, self->now, outcome, self->error);
    return wfsm_instance_failure(self->instance, &failure, self->now, outcome, self->error);
}

static int32_t stop(taking *self, int32_t *outcome)
{
    return wfsm_instance_stop(self->instance, self->now, outcome, self->error);
}

static int32_t cancel(taking *self, int32_t *outcome)
{
    return wfsm_instance_cancel(self->instance, wf_post_text(&self->data, "invocation"),
                                wf_post_text(&self->data, "message"), self->now, outcome,
                                self->error);
}

static int32_t retry(taking *self, int32_t *outcome)
{
    return wfsm_instance_retry(self->instance, wf_post_text(&self->data, "invocation"),
                               self->now, outcome, self->error);
}

static int32_t restore(taking *self, int32_t *outcome)
{
    const wf_value *revision = wf_value_get_z(&self->data, "revision");
    wfsm_restore_point from = {.size = sizeof from,
                               .checkpoint = wf_post_text(&self->data, "checkpoint")};
    if (revision && revision->type == WF_NUMBER && revision->as.number >= 1 &&
        revision->as.number <= (double)WF_NUMBER_MOST)
        from.revision = (uint64_t)revision->as.number;
    return wfsm_instance_restore(self->instance, &from, self->now, outcome, self->error);
}

static int32_t checkpoint(taking *self, int32_t *outcome)
{
    const wf_value *deleted = wf_value_get_z(&self->data, "delete");
    const char *artifacts;
    if (deleted && wf_value_truth(deleted))
        return wfsm_instance_delete_checkpoint(self->instance, wf_post_text(&self->data, "id"),
                                               self->now, outcome, self->error);
    int32_t status = write_part(self, "artifacts", &artifacts);
    const wfsm_checkpoint kept = {.size = sizeof kept,
                                  .id = wf_post_text(&self->data, "id"),
                                  .artifacts = artifacts,
                                  .length = self->text.length};
    return status == WFSM_OK ? wfsm_instance_checkpoint(self->instance, &kept, self->now,
                                                        outcome, self->error)
                             : status;
}

/* The document is one that anybody may have written, so it is loaded like any other. */
static int32_t migrate(taking *self, int32_t *outcome)
{
    const char *document = wf_post_text(&self->data, "document");
    wfsm_machine *loaded = NULL;
    int32_t status = wfsm_machine_load(&loaded, document, strlen(document), NULL,
                                       self->instance->snapshot.allocator, self->error);
    wfsm_machine *machine = loaded;
    if (status == WFSM_OK)
        status = self->migrating->keep(self->migrating->user, &machine, self->error);
    if (status == WFSM_OK)
        status = wfsm_instance_migrate(self->place, machine, self->migrating->functions,
                                       self->now, outcome, self->error);
    self->instance = *self->place;
    wfsm_machine_unref(loaded);
    return status;
}

static int32_t (*const takes[])(taking *self,
                                int32_t *outcome) = {[WFSM_POST_APPROVAL] = approve,
                                                     [WFSM_POST_ANSWER] = answer,
                                                     [WFSM_POST_STOP] = stop,
                                                     [WFSM_POST_CANCEL] = cancel,
                                                     [WFSM_POST_RETRY] = retry,
                                                     [WFSM_POST_RESTORE] = restore,
                                                     [WFSM_POST_CHECKPOINT] = checkpoint,
                                                     [WFSM_POST_MIGRATE] = migrate};

/* ---- a post that cannot be taken ---- */

/* The same post would be refused again. With any other status it is tried again. */
static bool is_refusal(int32_t status)
{
    return status == WFSM_INVALID || status == WFSM_SEMANTIC || status == WFSM_NOT_FOUND ||
           status == WFSM_DENIED || status == WFSM_LIMIT || status == WFSM_CORRUPT ||
           status == WFSM_SYNTAX || status == WFSM_VERSION;
}

/* A record that changes nothing says why. */
static int32_t refuse(taking *self, int32_t refusal, int32_t *outcome)
{
    const char *const keys[] = {"post", "data"};
    wf_value word = wf_string_z(wf_post_word(self->post->kind));
    const wf_value *values[] = {&word, self->data.type == WF_NULL ? NULL : &self->data};
    wf_note note = {.outcome = refusal == WFSM_OK ? *outcome : WFSM_FAILED};
    int32_t status = wf_instance_begin(self->instance, self->now, self->error);
    if (status != WFSM_OK)
        return status;
    wf_step *step = &self->instance->scratch->step;
    const char *why = wfsm_error_message(self->error);
    step->failure = refusal;
    step->message = wf_arena_text(&step->arena, why, strlen(why));
    note.input = wf_note_value(&step->arena, "post", keys, values, 2);
    return wf_instance_commit_input(self->instance, &note, outcome, self->error);
}

static int32_t take(taking *self, int32_t *outcome)
{
    uint64_t before = self->instance->snapshot.revision;
    WF_INVARIANT(self->instance->attached && !self->instance->attached->post);
    self->instance->attached->post = self->post;
    int32_t status = wf_post_check(self->post->kind, &self->data, self->error);
    if (self->post->kind == WFSM_POST_APPROVAL)
        status = WFSM_OK; /* the record of a vote says what is wrong with it */
    *outcome = WFSM_ENDED;
    if (status == WFSM_OK)
        status = takes[self->post->kind](self, outcome);
    if (self->instance->snapshot.revision == before && !self->instance->sealed &&
        (status == WFSM_OK || is_refusal(status)))
        status = refuse(self, status, outcome);
    self->instance->attached->post = NULL;
    return status;
}

int32_t wf_instance_consume(wfsm_instance **place, const wfsm_row *post,
                            const wf_migrating *migrating, int64_t now, int32_t *outcome,
                            wfsm_error *error)
{
    wf_arena arena;
    wfsm_instance *instance = *place;
    taking self = {.instance = instance,
                   .place = place,
                   .migrating = migrating,
                   .post = post,
                   .now = now,
                   .error = error};
    int32_t status = wf_instance_ready(instance, error);
    if (status != WFSM_OK)
        return status;
    if (post->kind == WFSM_POST_EVENT) {
        instance->attached->post = post;
        status = wf_instance_consume_event(instance, post, now, outcome, error);
        instance->attached->post = NULL;
        return status;
    }
    wf_arena_init(&arena, instance->snapshot.allocator, 0);
    wf_buffer_init(&self.text, instance->snapshot.allocator);
    status = wf_json_parse(&arena, post->text, post->length, &self.data, error);
    if (status == WFSM_OK)
        status = take(&self, outcome);
    wf_buffer_fini(&self.text);
    wf_arena_fini(&arena);
    return status;
}
