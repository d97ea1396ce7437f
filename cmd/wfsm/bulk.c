#include "wfsm/bulk.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "wfsm/asked.h"
#include "wfsm/many.h"
#include "wfsm/owned.h"
#include "wfsm/shown.h"

/* Posts of one transaction, and the longest id of one. */
enum { BATCH = 256, ID_MOST = 255 };

typedef struct posting {
    const bulk *wanted;
    wfsm_store *store;
    wfsm_error *error;
    stored_machines machines;
    const char *id; /* of the command */
    char made_id[OWNED_NAME_BYTES + 16];
    wfsm_post posts[BATCH]; /* `instance` and `id` are owned, and `data` if `retries` */
    size_t count;
    bool retries;
    size_t found; /* without being posted: a dry run */
    size_t posted, known, gone;
    bool checked; /* the post as such: the first one was accepted by the library */
} posting;

static void forget(posting *self)
{
    for (size_t i = 0; i < self->count; i++) {
        free((void *)self->posts[i].instance);
        free((void *)self->posts[i].id);
        if (self->retries)
            free((void *)self->posts[i].data);
    }
    self->count = 0;
}

/* Ids are known by instance: that of an invocation counts without the instance, which it begins with. */
static char *post_id(const posting *self, const char *instance, const char *invocation)
{
    size_t skipped = strlen(instance);
    const char *part = invocation && strncmp(invocation, instance, skipped) == 0
                           ? invocation + skipped
                           : invocation;
    size_t length = strlen(self->id) + (part ? strlen(part) : 0) + 1;
    char *made = cli_need(malloc(length));
    snprintf(made, length, "%s%s", self->id, part ? part : "");
    return made;
}

static bool tally(posting *self, int32_t answer)
{
    self->posted += answer == WFSM_OK;
    self->known += answer == WFSM_EXISTS;
    self->gone += answer == WFSM_NOT_FOUND;
    return answer == WFSM_OK || answer == WFSM_EXISTS || answer == WFSM_NOT_FOUND;
}

static void show_progress(const posting *self)
{
    if (isatty(STDERR_FILENO))
        shown_fprintf(stderr, "\r%zu posted", self->posted + self->known);
}

/* The library checks an input that is submitted, but not the posts of an exchange. The first one stands
 * for the others, which differ in nothing that it checks. */
static bool submit_first(posting *self)
{
    self->checked = tally(self, wfsm_store_submit(self->store, &self->posts[0], self->error));
    return self->checked;
}

static bool exchange(posting *self, size_t first)
{
    const wfsm_post *posts[BATCH];
    int32_t answers[BATCH];
    wfsm_exchange exchange = {.size = sizeof exchange,
                              .now = self->wanted->post->now,
                              .posts = posts,
                              .post_count = self->count - first,
                              .post_answers = answers};
    for (size_t i = first; i < self->count; i++)
        posts[i - first] = &self->posts[i];
    bool fine = true;
    wfsm_store_exchange(self->store, &exchange, self->error);
    for (size_t i = 0; i < exchange.post_count; i++)
        fine &= tally(self, answers[i]);
    return fine;
}

static bool flush(posting *self)
{
    size_t first = self->checked ? 0 : 1;
    bool fine = self->count == 0 || self->checked || submit_first(self);
    if (fine && self->count > first)
        fine = exchange(self, first);
    if (!fine)
        cli_say_error(self->wanted->path, self->error);
    forget(self);
    show_progress(self);
    return fine;
}

static bool only_show(posting *self, const char *instance, const char *invocation)
{
    self->found++;
    shown_printf("%s%s%s\n", instance, invocation ? " " : "", invocation ? invocation : "");
    return true;
}

static bool is_too_long(const wfsm_post *post)
{
    bool too_long = strlen(post->id) > ID_MOST;
    if (too_long)
        cli_say("%s: the id of a post has at most %d bytes: %s", post->instance, ID_MOST,
                post->id);
    return too_long;
}

/* The post for an instance, or for one of its invocations. */
static bool add(posting *self, const char *instance, const char *invocation)
{
    if (self->wanted->dry_run)
        return only_show(self, instance, invocation);
    wfsm_post *post = &self->posts[self->count++];
    *post = *self->wanted->post;
    post->instance = cli_need(strdup(instance));
    post->id = post_id(self, instance, invocation);
    if (is_too_long(post))
        return false;
    if (invocation) {
        json_t *data = cli_need(json_pack("{s:s}", "invocation", invocation));
        post->data = cli_need(json_dumps(data, JSON_COMPACT));
        post->length = strlen(post->data);
        json_decref(data);
    }
    return self->count < BATCH || flush(self);
}

static bool waits_for_retry(const posting *self, const json_t *one)
{
    return strcmp(asked_text(one, "status"), "pending") == 0 &&
           json_integer_value(json_object_get(one, "attempt")) > 0 &&
           (!self->wanted->agent || strcmp(asked_text(one, "src"), self->wanted->agent) == 0);
}

static bool add_retries(posting *self, const char *instance)
{
    stored_head head = {0};
    stored_instance loaded = {0};
    size_t length = 0, index;
    const char *text = NULL;
    bool fine = stored_find(self->store, self->wanted->path, instance, &head) &&
                stored_load_known(&loaded, self->store, &head, &self->machines);
    if (fine)
        text = wfsm_instance_invocations(loaded.instance, &length);
    json_t *list = text ? json_loadb(text, length, 0, NULL) : NULL, *one;
    json_array_foreach(list, index, one)
    {
        if (waits_for_retry(self, one))
            fine = fine && add(self, instance, asked_text(one, "id"));
    }
    json_decref(list);
    stored_unload(&loaded);
    stored_head_free(&head);
    return fine;
}

static bool one(posting *self, const char *instance)
{
    return self->retries ? add_retries(self, instance) : add(self, instance, NULL);
}

static void tell(const posting *self)
{
    if (isatty(STDERR_FILENO))
        shown_fprintf(stderr, "\r\033[K");
    shown_printf("%zu posted", self->posted);
    if (self->known > 0)
        shown_printf(", %zu were already", self->known);
    if (self->gone > 0)
        shown_printf(", %zu are gone", self->gone);
    shown_printf("\n");
}

static bool all(posting *self, const many *ids)
{
    bool fine = true;
    for (size_t i = 0; i < ids->count && fine; i++)
        fine = one(self, ids->ids[i]);
    fine = fine && flush(self);
    if (self->wanted->dry_run)
        shown_printf("%zu would be posted\n", self->found);
    else
        tell(self);
    return fine;
}

/* Without an id the command makes one, and says it before anything is posted. */
static void name_command(posting *self)
{
    char name[OWNED_NAME_BYTES];
    self->id = self->wanted->post->id;
    if (self->id || self->wanted->dry_run)
        return;
    owned_name(name);
    snprintf(self->made_id, sizeof self->made_id, "bulk:%s", name);
    self->id = self->made_id;
    cli_say("if this is interrupted, continue with --id %s", self->id);
}

static bool list(many *ids, const posting *self)
{
    wfsm_query query = selection_query(self->wanted->which);
    if (query.status == WFSM_DONE) {
        cli_say("--status done: an instance that has ended takes no posts");
        return false;
    }
    query.status = WFSM_RUNNING;
    return many_list(ids, self->store, self->wanted->path, &query);
}

int bulk_post(const bulk *wanted)
{
    posting self = {.wanted = wanted, .retries = wanted->post->kind == WFSM_POST_RETRY};
    many ids = {0};
    self.error = cli_need(wfsm_error_new(NULL));
    self.store =
        wanted->dry_run ? stored_open(wanted->path) : stored_open_to_write(wanted->path);
    bool fine = self.store && list(&ids, &self);
    if (fine) {
        name_command(&self);
        fine = all(&self, &ids);
    }
    forget(&self);
    stored_machines_free(&self.machines);
    many_free(&ids);
    wfsm_store_free(self.store);
    wfsm_error_free(self.error);
    return cli_finish(fine ? CLI_OK : CLI_FAILED);
}
