/* wfsm trace --follow: spans as they end. Work is not held up by it: workers run it in a process of its own. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "wfsm/feed.h"
#include "wfsm/trace.h"

/* PAUSES: a look at a large store takes long, and then the next one waits so many times as long. */
enum { LOOK_MS = 500, PAUSES = 9, MOST_WAIT_MS = 60000 };

/* What is known of an instance: {"revision", "created", "sent": {SPAN-ID: true}}. */
typedef struct following {
    const trace_follow *asked;
    trace_export out;
    trace_collector *collector; /* NULL: prints */
    wfsm_store *store;
    feed from;
    json_t *entry; /* what is known of the instance that is being exported */
    json_t *known; /* by id */
    json_t *changed; /* ids whose revision is not the known one */
    bool first; /* what is there already is not exported */
} following;

static volatile sig_atomic_t is_over;

static void note_signal(int number)
{
    (void)number;
    is_over = 1;
}

static void listen_to_signals(void)
{
    struct sigaction action = {.sa_handler = note_signal};
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGINT, &action, NULL);
}

/* ---- what has changed ---- */

static bool is_known(const json_t *entry, const wfsm_head *head)
{
    return entry &&
           json_integer_value(json_object_get(entry, "revision")) ==
               (json_int_t)head->revision &&
           json_integer_value(json_object_get(entry, "created")) == (json_int_t)head->created;
}

static json_t *entry_of(const wfsm_head *head)
{
    return cli_need(json_pack("{s:I, s:I, s:{}}", "revision", (json_int_t)head->revision,
                              "created", (json_int_t)head->created, "sent"));
}

static int32_t take_head(void *user, const wfsm_row *row)
{
    following *self = user;
    const wfsm_head *head = row->head;
    if (is_known(json_object_get(self->known, head->instance), head))
        return WFSM_OK;
    if (self->first)
        json_object_set_new(self->known, head->instance, entry_of(head));
    else
        json_array_append_new(self->changed, json_string(head->instance));
    return WFSM_OK;
}

static bool look(following *self)
{
    wfsm_error *error = cli_need(wfsm_error_new(NULL));
    json_array_clear(self->changed);
    int32_t status = feed_look(&self->from, self->store, take_head, self, error);
    if (status != WFSM_OK)
        cli_say_error(self->asked->path, error);
    wfsm_error_free(error);
    if (self->first && status == WFSM_OK)
        cli_say("%s: exports spans from now on", self->asked->path);
    self->first = self->first && status != WFSM_OK;
    return status == WFSM_OK;
}

/* ---- what is sent ---- */

static const char *id_of(const json_t *span)
{
    return json_string_value(json_object_get(span, "spanId"));
}

static void drop_sent(json_t *spans, const json_t *sent)
{
    for (size_t i = json_array_size(spans); i-- > 0;)
        if (json_object_get(sent, id_of(json_array_get(spans, i))))
            json_array_remove(spans, i);
}

static void note_sent(json_t *sent, const json_t *spans)
{
    for (size_t i = 0; i < json_array_size(spans); i++)
        json_object_set_new(sent, id_of(json_array_get(spans, i)), json_true());
}

/* What a collector refuses, it would refuse again. */
static trace_answer take_spans(void *user, json_t *spans)
{
    following *self = user;
    json_t *sent = json_object_get(self->entry, "sent");
    drop_sent(spans, sent);
    if (json_array_size(spans) == 0)
        return TRACE_TAKEN;
    json_t *message = trace_whole(self->asked->service, spans);
    trace_answer answer = trace_put(self->collector, message);
    json_decref(message);
    if (answer != TRACE_AWAY)
        note_sent(sent, spans);
    return answer;
}

/* Of an instance that has ended, nothing else will be sent. */
static void note_known(following *self, const stored_head *head)
{
    if (head->status == WFSM_DONE)
        json_object_clear(json_object_get(self->entry, "sent"));
    json_object_set_new(self->entry, "revision", json_integer((json_int_t)head->revision));
    json_object_set(self->known, head->id, self->entry);
}

static json_t *known_of(const following *self, const stored_head *head)
{
    json_t *entry = json_object_get(self->known, head->id);
    if (entry && json_integer_value(json_object_get(entry, "created")) == head->created)
        return json_incref(entry);
    return cli_need(json_pack("{s:i, s:I, s:{}}", "revision", 0, "created",
                              (json_int_t)head->created, "sent"));
}

/* One that cannot be exported does not hold up the others. */
static bool send_one(following *self, const stored_head *head)
{
    self->entry = known_of(self, head);
    bool fine = trace_instance(&self->out, head) != TRACE_AWAY;
    if (fine)
        note_known(self, head);
    else
        json_object_set(self->known, head->id, self->entry);
    json_decref(self->entry);
    return fine;
}

/* One that was removed meanwhile is forgotten. */
static bool send_changed(following *self)
{
    for (size_t i = 0; i < json_array_size(self->changed); i++) {
        const char *id = json_string_value(json_array_get(self->changed, i));
        wfsm_head head = {.size = sizeof head};
        stored_head copy = {0};
        int32_t status = wfsm_store_head(self->store, id, &head, NULL);
        if (status == WFSM_NOT_FOUND)
            continue;
        if (status != WFSM_OK)
            return false;
        stored_head_copy(&copy, &head);
        bool fine = send_one(self, &copy);
        stored_head_free(&copy);
        if (!fine)
            return false;
    }
    return true;
}

/* A signal ends the wait. */
static void wait_ms(int64_t ms)
{
    const struct timespec pause = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};
    if (!is_over)
        nanosleep(&pause, NULL);
}

static int64_t monotonic_ms(void)
{
    struct timespec now = {0};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static int64_t between(int64_t least, int64_t ms, int64_t most)
{
    return ms < least ? least : ms < most ? ms : most;
}

/* While the collector or the store is away, it is tried less and less often. */
static void follow(following *self)
{
    int64_t wait = LOOK_MS;
    bool last = false;
    while (!last) {
        last = is_over;
        int64_t began = monotonic_ms();
        bool fine = look(self);
        int64_t took = monotonic_ms() - began;
        fine = fine && send_changed(self);
        if (!fine)
            self->from =
                (feed){0}; /* the next look lists all instances, and finds what was not sent */
        wait = between(LOOK_MS, fine ? took * PAUSES : wait * 2, MOST_WAIT_MS);
        if (!last)
            wait_ms(wait);
    }
}

static bool prepare(following *self)
{
    const trace_follow *asked = self->asked;
    self->out.models = asked->agents ? trace_models(asked->agents) : NULL;
    if ((asked->agents && !self->out.models) || !(self->store = stored_open(asked->path)))
        return false;
    self->out.store = self->store;
    self->collector = asked->url ? trace_collector_new(asked->url) : NULL;
    self->known = cli_need(json_object());
    self->changed = cli_need(json_array());
    return true;
}

bool trace_run(const trace_follow *asked)
{
    following self = {
        .asked = asked,
        .first = true,
        .out = {
            .path = asked->path, .service = asked->service, .sink = take_spans, .user = &self}};
    bool fine = prepare(&self);
    if (fine) {
        listen_to_signals();
        follow(&self);
    }
    trace_collector_free(self.collector);
    json_decref(self.known);
    json_decref(self.changed);
    json_decref((json_t *)(uintptr_t)self.out.models);
    wfsm_store_free(self.store);
    return fine;
}
