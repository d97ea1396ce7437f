/* The times after the last decision are taken in their order, as Temporal does. What was decided is in the
 * data of "decided", which the schedule takes in one step. */
#include "schedule_decide.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "schedule_calendar.h"
#include "schedule_document.h"
#include "text_buffer.h"

/* Times of one decision; those that are left are decided in the next one. Of missed times, as many are
 * counted. */
/* Integers of JSON end at 2^53. */
#define MOST_NUMBER (INT64_C(1) << 52)
enum { MOST_TIMES = 100, MOST_MISSED = 1000, MOST_RUNNING = 100, ID_ROOM = 256 };

typedef struct wfa_decision {
    const char *id; /* of the schedule */
    const wfa_schedule_host *host;
    const wfa_schedule *schedule;
    int is_paused;
    json_t *running; /* ids of instances that run */
    json_t *pending; /* id of the one that is buffered; or NULL */
    json_t *started; /* ids of this decision */
    int64_t skipped, missed, failed;
    char failure[512]; /* why the last start failed; "" */
    int has_no_memory;
} wfa_decision;

/* ---- instances ---- */

static void append(wfa_decision *self, json_t *list, const char *id)
{
    self->has_no_memory |= json_array_append_new(list, json_string(id)) != 0;
}

/* Forgets those that have ended. */
static int look_at_running(wfa_decision *self, const json_t *before, wfa_error *error)
{
    size_t index;
    json_t *one;

    json_array_foreach(before, index, one)
    {
        int running = 0;
        if (!json_is_string(one))
            continue;
        if (self->host->is_running(self->host->user, json_string_value(one), &running, error) !=
            0)
            return -1;
        if (running)
            append(self, self->running, json_string_value(one));
    }
    return 0;
}

static int stop_running(wfa_decision *self, const char *for_id, wfa_error *error)
{
    size_t index;
    json_t *one;

    json_array_foreach(self->running, index,
                       one) if (self->host->stop(self->host->user, json_string_value(one),
                                                 for_id, error) != 0) return -1;
    return 0;
}

static int is_busy(const wfa_decision *self)
{
    return json_array_size(self->running) > 0;
}

/* One that can never be started is counted, and the schedule continues. */
static int start(wfa_decision *self, const char *id, wfa_error *error)
{
    wfa_error why = {.status = WFSM_OK};

    if (self->host->start(self->host->user, self->schedule->machine, id, self->schedule->input,
                          &why) == 0) {
        append(self, self->started, id);
        append(self, self->running, id);
        if (json_array_size(self->running) > MOST_RUNNING)
            self->has_no_memory |= json_array_remove(self->running, 0) != 0;
        return 0;
    }
    if (why.status != WFSM_DENIED) {
        if (error)
            *error = why;
        return -1;
    }
    self->failed++;
    (void)snprintf(self->failure, sizeof self->failure, "%s: %.200s", id, why.message);
    wfa_text_make_plain(self->failure, strlen(self->failure)); /* it may be cut */
    return 0;
}

/* ---- the policies ---- */

static void buffer(wfa_decision *self, const char *id)
{
    self->skipped += self->pending != NULL;
    json_decref(self->pending);
    self->pending = json_string(id);
    self->has_no_memory |= self->pending == NULL;
}

static int take(wfa_decision *self, const char *id, wfa_error *error)
{
    wfa_overlap overlap = self->schedule->overlap;

    if (overlap == WFA_OVERLAP_ALLOW_ALL || (!is_busy(self) && !self->pending))
        return start(self, id, error);
    switch (overlap) {
    case WFA_OVERLAP_CANCEL_OTHER:
        buffer(self, id);
        return stop_running(self, id, error);
    case WFA_OVERLAP_TERMINATE_OTHER:
        if (stop_running(self, id, error) != 0)
            return -1;
        json_array_clear(self->running);
        return start(self, id, error);
    case WFA_OVERLAP_BUFFER_ONE:
        if (!self->pending) {
            buffer(self, id);
            return 0;
        }
        break;
    case WFA_OVERLAP_SKIP:
    case WFA_OVERLAP_ALLOW_ALL:
        break;
    }
    self->skipped++;
    return 0;
}

static int take_pending(wfa_decision *self, wfa_error *error)
{
    json_t *pending = self->pending;
    int answer;

    if (!pending || is_busy(self) || self->is_paused)
        return 0;
    self->pending = NULL;
    answer = start(self, json_string_value(pending), error);
    json_decref(pending);
    return answer;
}

/* ---- the times ---- */

static void make_id(const wfa_decision *self, int64_t time, char id[ID_ROOM])
{
    char text[WFA_TIME_TEXT];

    wfa_time_text(time / 1000, text);
    (void)snprintf(id, ID_ROOM, "%.180s-%sZ", self->id, text);
}

/* From the last decision to the first time that is not too long ago. */
static int skip_missed(wfa_decision *self, int64_t now, int64_t *last, wfa_error *error)
{
    int64_t begin = now - self->schedule->catchup_ms, at = *last, next;
    int count;

    if (begin <= *last)
        return 0;
    for (count = 0; count < MOST_MISSED; count++) {
        if (wfa_schedule_next_time(self->schedule, at, &next, error) != 0)
            return -1;
        if (next >= begin)
            break;
        self->missed++;
        at = next;
    }
    *last = begin - 1;
    return 0;
}

/* *last becomes the last time that was decided. 1: more are due. */
static int take_times(wfa_decision *self, int64_t now, int64_t *last, wfa_error *error)
{
    char id[ID_ROOM];
    int64_t next;
    int count;

    for (count = 0; count < MOST_TIMES; count++) {
        if (wfa_schedule_next_time(self->schedule, *last, &next, error) != 0)
            return -1;
        if (next > now) {
            *last = now > *last ? now : *last;
            return 0;
        }
        make_id(self, next, id);
        if (take(self, id, error) != 0)
            return -1;
        *last = next;
    }
    return 1;
}

static int take_triggers(wfa_decision *self, const json_t *triggers, wfa_error *error)
{
    char id[ID_ROOM];
    size_t index;
    json_t *one;

    json_array_foreach(triggers, index, one)
    {
        (void)snprintf(id, sizeof id, "%.180s-trigger-%" PRId64 "-%" PRId64, self->id,
                       (int64_t)json_integer_value(json_object_get(one, "number")),
                       (int64_t)json_integer_value(json_object_get(one, "time")));
        if (take(self, id, error) != 0)
            return -1;
    }
    return 0;
}

/* ---- the answer ---- */

/* Anybody can post anything: what is no count is 0. */
static int64_t number_of(const json_t *context, const char *name)
{
    const json_t *value = json_object_get(context, name);
    int64_t number = json_is_integer(value) ? json_integer_value(value) : 0;

    return number >= 0 && number < MOST_NUMBER ? number : 0;
}

static json_t *answer_of(wfa_decision *self, const json_t *context, int64_t last, int64_t next,
                         int more)
{
    json_t *answer = json_pack(
        "{s:I, s:o?, s:O?, s:O, s:O, s:I, s:I, s:I, s:I, s:b, s:b, s:s?}", "last",
        (json_int_t)last, "next", next == INT64_MAX ? NULL : json_integer(next), "pending",
        self->pending, "running", self->running, "starts", self->started, "started",
        (json_int_t)(number_of(context, "started") + (int64_t)json_array_size(self->started)),
        "skipped", (json_int_t)(number_of(context, "skipped") + self->skipped), "missed",
        (json_int_t)(number_of(context, "missed") + self->missed), "failed",
        (json_int_t)(number_of(context, "failed") + self->failed), "more", more, "broken", 0,
        "error", *self->failure ? self->failure : NULL);

    return self->has_no_memory ? json_decref(answer), NULL : answer;
}

/* The document cannot be carried out: it says so, until it is updated. */
static json_t *broken(const json_t *context, int64_t now, const wfa_error *why)
{
    return json_pack("{s:I, s:n, s:n, s:O, s:[], s:I, s:I, s:I, s:I, s:b, s:b, s:s}", "last",
                     (json_int_t)now, "next", "pending", "running",
                     json_object_get(context, "running"), "starts", "started",
                     (json_int_t)number_of(context, "started"), "skipped",
                     (json_int_t)number_of(context, "skipped"), "missed",
                     (json_int_t)number_of(context, "missed"), "failed",
                     (json_int_t)number_of(context, "failed"), "more", 0, "broken", 1, "error",
                     why->message);
}

static int run(wfa_decision *self, const json_t *context, int64_t now, int64_t *last,
               wfa_error *error)
{
    int more = 0;

    if (look_at_running(self, json_object_get(context, "running"), error) != 0 ||
        skip_missed(self, now, last, error) != 0)
        return -1;
    if (self->is_paused)
        *last = now > *last ? now : *last;
    else if ((more = take_times(self, now, last, error)) < 0)
        return -1;
    if (take_triggers(self, json_object_get(context, "triggers"), error) != 0 ||
        take_pending(self, error) != 0)
        return -1;
    return more;
}

static json_t *decide(wfa_decision *self, const json_t *context, int64_t now, wfa_error *error)
{
    int64_t last = number_of(context, "last"), next = INT64_MAX;
    int more = run(self, context, now, &last, error);
    json_t *answer;

    if (more < 0 || wfa_schedule_next_time(self->schedule, last, &next, error) != 0)
        return NULL;
    answer = answer_of(self, context, last, next, more);
    if (!answer)
        (void)wfa_no_memory(error);
    return answer;
}

json_t *wfa_schedule_decide(const char *id, const json_t *context, int64_t now,
                            const wfa_schedule_host *host, wfa_error *error)
{
    const json_t *pending = json_object_get(context, "pending");
    wfa_schedule schedule;
    wfa_decision self = {.id = id,
                         .host = host,
                         .schedule = &schedule,
                         .is_paused = json_is_true(json_object_get(context, "paused")),
                         .running = json_array(),
                         .started = json_array()};
    json_t *answer = NULL;
    wfa_error why = {.status = WFSM_OK};

    if (json_is_string(pending))
        self.pending = json_string(json_string_value(pending));
    if (wfa_schedule_read(&schedule, json_object_get(context, "schedule"), &why) == 0)
        answer = decide(&self, context, now, &why);
    else if (why.status != WFSM_NO_MEMORY) {
        wfa_text_make_plain(why.message, strlen(why.message));
        answer = broken(context, now, &why);
    }
    if (!answer && error)
        *error = why;
    wfa_schedule_free(&schedule);
    json_decref(self.running);
    json_decref(self.started);
    json_decref(self.pending);
    return answer;
}

int wfa_schedule_is_free(const json_t *context, const wfa_schedule_host *host, int *is_free,
                         wfa_error *error)
{
    size_t index;
    json_t *one;
    int running = 0;

    json_array_foreach(json_object_get(context, "running"), index, one)
    {
        if (running || !json_is_string(one))
            continue;
        if (host->is_running(host->user, json_string_value(one), &running, error) != 0)
            return -1;
    }
    *is_free = !running;
    return 0;
}
