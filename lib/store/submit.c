/* store/submit.c: posts. An input that somebody leaves for the owner of an instance is checked
 * before it is stored, so that the owner rarely meets one that it cannot take. */
#include "store/submit.h"

#include <string.h>

#include "base/sized.h"
#include "base/utf8.h"
#include "logic/json.h"
#include "step/step.h"
#include "store/exchange.h"

/* What the data of each kind has: a text under `key`, and one of the others. */
static const struct kind {
    const char *word, *key, *either, *other;
} kinds[] = {
    [WFSM_POST_EVENT] = {"event", NULL, NULL, NULL},
    [WFSM_POST_APPROVAL] = {"approval", "invocation", NULL, NULL},
    [WFSM_POST_ANSWER] = {"answer", "invocation", "output", "class"},
    [WFSM_POST_STOP] = {"stop", NULL, NULL, NULL},
    [WFSM_POST_CANCEL] = {"cancel", "invocation", NULL, NULL},
    [WFSM_POST_RETRY] = {"retry", "invocation", NULL, NULL},
    [WFSM_POST_RESTORE] = {"restore", NULL, "checkpoint", "revision"},
    [WFSM_POST_CHECKPOINT] = {"checkpoint", "id", NULL, NULL},
    [WFSM_POST_MIGRATE] = {"migrate", "document", NULL, NULL},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

const char *wf_post_word(int32_t kind)
{
    return kind >= 0 && kind < KINDS ? kinds[kind].word : "";
}

static const wf_value *member(const wf_value *data, const char *key)
{
    return data->type == WF_OBJECT ? wf_value_get_z(data, key) : NULL;
}

const char *wf_post_text(const wf_value *data, const char *key)
{
    const wf_value *found = member(data, key);
    return found && found->type == WF_STRING ? found->as.text : NULL;
}

int32_t wf_post_check(int32_t kind, const wf_value *data, wfsm_error *error)
{
    const char *ignored;
    if (kind < 0 || kind >= KINDS)
        return wf_fail(error, WFSM_INVALID, "there is no such kind of post");
    const struct kind *self = &kinds[kind];
    if (kind == WFSM_POST_APPROVAL && !wf_vote_names(data, &ignored, &ignored))
        return wf_fail(error, WFSM_INVALID, "the approval is not complete; use wfsm_approve()");
    if (self->key && !wf_post_text(data, self->key))
        return wf_fail(error, WFSM_SEMANTIC, "a post of kind \"%s\" has a text \"%s\"",
                       self->word, self->key);
    if (self->either && !member(data, self->either) == !member(data, self->other))
        return wf_fail(error, WFSM_SEMANTIC,
                       "a post of kind \"%s\" has either \"%s\" or \"%s\"", self->word,
                       self->either, self->other);
    return WFSM_OK;
}

static int32_t check_data(const wfsm_store *store, const wfsm_post *post, wfsm_error *error)
{
    wf_arena arena;
    wf_value value;
    wf_arena_init(&arena, &store->allocator, 0);
    int32_t status = wf_json_parse(&arena, post->data, post->length, &value, error);
    if (!status && (value.depth > WF_KEPT_DEPTH || wf_value_weight(&value) > WF_INPUT_WEIGHT))
        status = wf_fail(error, WFSM_LIMIT, "the data is nested too deeply, or too large");
    if (!status)
        status = wf_post_check(post->kind, &value, error);
    wf_arena_fini(&arena);
    return status;
}

/* An event has the name that it was given, every other kind its word. */
static int32_t check_name(wfsm_post *post, wfsm_error *error)
{
    if (post->kind != WFSM_POST_EVENT) {
        post->name = wf_post_word(post->kind);
        return WFSM_OK;
    }
    int32_t status = wf_store_check_id(post->name, "the name of an event", error);
    return status ? status : wf_event_outside(post->name, error);
}

int32_t wfsm_store_submit(wfsm_store *store, const wfsm_post *given, wfsm_error *error)
{
    wfsm_post post;
    int32_t status = wf_store_ready(store, error);
    if (status)
        return status;
    if (!wf_struct_check(&post, sizeof post, given, WF_SIZE_UP_TO(wfsm_post, now)) ||
        post.now < 0)
        return wf_fail(error, WFSM_INVALID,
                       "the post or its size is not set, or its time is negative");
    status = wf_store_check_id(post.instance, "the id of an instance", error);
    if (!status)
        status = check_name(&post, error);
    if (!status && post.id)
        status = wf_store_check_id(post.id, "the id of an event", error);
    if (!status)
        status = wf_origin_check(post.interface, post.sender, error);
    if (post.interface == 0)
        post.interface = WFSM_INTERFACE_POST;
    if (!post.data) {
        post.data = "null";
        post.length = 4;
    }
    if (!status)
        status = check_data(store, &post, error);
    post.size = sizeof post;
    return status ? status : wf_store_put_post(store, &post, error);
}

int32_t wfsm_store_post(wfsm_store *store, const char *instance, const char *name,
                        const char *id, const char *data, size_t length, int64_t now,
                        wfsm_error *error)
{
    const wfsm_post post = {.size = sizeof post,
                            .instance = instance,
                            .id = id,
                            .name = name,
                            .data = data,
                            .length = length,
                            .now = now};
    return wfsm_store_submit(store, &post, error);
}
