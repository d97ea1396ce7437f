#include "wfsm/serve.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "wfsm/owned.h"

/* ---- has something changed? ---- */

typedef struct summing {
    uint64_t sum; /* FNV-1a */
} summing;

static void add_bytes(summing *self, const void *bytes, size_t length)
{
    const unsigned char *at = bytes;
    for (size_t i = 0; i < length; i++)
        self->sum = (self->sum ^ at[i]) * 0x100000001b3u;
}

static int32_t add_head(void *user, const wfsm_row *row)
{
    const wfsm_head *head = row->head;
    add_bytes(user, head->instance, strlen(head->instance));
    add_bytes(user, head->token, strlen(head->token));
    add_bytes(user, head->owner, strlen(head->owner));
    return WFSM_OK;
}

static int32_t add_post(void *user, const wfsm_row *row)
{
    add_bytes(user, &row->number, sizeof row->number);
    return WFSM_OK;
}

static void sum_up(summing *self, const serve_request *asked, wfsm_store *store)
{
    const char *id = serve_get(asked, "id"), *after = serve_get(asked, "after");
    const wfsm_query query = {.size = sizeof query,
                              .after = *after ? after : NULL,
                              .prefix = *id ? id : NULL,
                              .limit = *id ? 20 : 500};
    wfsm_store_list(store, &query, add_head, self, NULL);
    if (*id)
        wfsm_store_inbox(store, id, 100, add_post, self, NULL);
}

/* The browser asks again two seconds after each answer. So there is nothing to be dropped: a connection that is lost
 * is one that is made again. */
void serve_events(const serve_request *asked, serve_answer *answer)
{
    summing self = {0xcbf29ce484222325u};
    wfsm_store *store = serve_open(asked->self, answer);
    if (store)
        sum_up(&self, asked, store);
    wfsm_store_free(store);
    cli_text_free(
        &answer->body); /* a store that is gone may come back: the browser asks again */
    answer->status = 200;
    answer->type = "text/event-stream";
    html_raw(&answer->body, "retry: 2000\ndata: %016" PRIx64 "\n\n", self.sum);
}

/* ---- metrics ---- */

enum { MACHINES = 64 };

typedef struct metrics {
    struct {
        char name[256];
        uint64_t running, done;
    } machines[MACHINES]; /* the last one counts all others, as "" */
    size_t count;
    uint64_t undelivered, overdue, posts;
    int64_t now, oldest_post;
} metrics;

static size_t machine_of(metrics *self, const char *name)
{
    size_t i = 0;
    while (i < self->count && strcmp(self->machines[i].name, name) != 0)
        i++;
    if (i < self->count)
        return i;
    if (self->count == MACHINES)
        return MACHINES - 1;
    if (self->count < MACHINES - 1)
        snprintf(self->machines[i].name, sizeof self->machines[i].name, "%s", name);
    self->count++;
    return i;
}

static int32_t count_head(void *user, const wfsm_row *row)
{
    metrics *self = user;
    const wfsm_head *head = row->head;
    size_t i = machine_of(self, head->machine);
    bool done = head->status == WFSM_DONE;
    self->machines[i].done += done;
    self->machines[i].running += !done;
    self->undelivered += head->effects - head->acknowledged;
    self->overdue += !done && head->deadline <= self->now;
    return WFSM_OK;
}

static int32_t count_post(void *user, const wfsm_row *row)
{
    metrics *self = user;
    if (self->posts++ == 0 || row->now < self->oldest_post)
        self->oldest_post = row->now;
    return WFSM_OK;
}

static void add_number(cli_text *out, const char *name, const char *told, uint64_t number)
{
    html_raw(out, "# HELP %s %s\n# TYPE %s gauge\n%s %" PRIu64 "\n", name, told, name, name,
             number);
}

static void add_oldest(cli_text *out, const metrics *self)
{
    bool waits = self->posts > 0 && self->now > self->oldest_post;
    int64_t ms = waits ? self->now - self->oldest_post : 0;
    html_raw(out,
             "# HELP wfsm_inbox_oldest_seconds How long the oldest of them waits.\n# TYPE "
             "wfsm_inbox_oldest_seconds gauge\nwfsm_inbox_oldest_seconds %" PRId64 ".%03" PRId64
             "\n",
             ms / 1000, ms % 1000);
}

static void add_metrics(cli_text *out, const metrics *self)
{
    html_raw(out,
             "# HELP wfsm_instances Instances by machine and status.\n# TYPE wfsm_instances "
             "gauge\n");
    for (size_t i = 0; i < self->count; i++)
        for (int done = 0; done < 2; done++) {
            html_raw(out, "wfsm_instances{machine=\"");
            html_label(out, self->machines[i].name);
            html_raw(out, "\",status=\"%s\"} %" PRIu64 "\n", done ? "done" : "running",
                     done ? self->machines[i].done : self->machines[i].running);
        }
    add_number(out, "wfsm_inbox_posts", "Posts that nobody has taken yet.", self->posts);
    add_oldest(out, self);
    add_number(out, "wfsm_effects_undelivered", "Effects that are not acknowledged.",
               self->undelivered);
    add_number(out, "wfsm_instances_overdue", "Running instances that are due to be called.",
               self->overdue);
}

void serve_metrics(const serve_request *asked, serve_answer *answer)
{
    metrics self = {.now = owned_clock()};
    const wfsm_query all = {.size = sizeof all};
    wfsm_error *error = cli_need(wfsm_error_new(NULL));
    wfsm_store *store = serve_open(asked->self, answer);
    int32_t status = WFSM_OK;
    if (store)
        status = wfsm_store_list(store, &all, count_head, &self, error);
    if (store && status == WFSM_OK)
        status = wfsm_store_inbox(store, NULL, 0, count_post, &self, error);
    if (status != WFSM_OK) {
        serve_fail(answer, 503, wfsm_error_message(error));
    } else if (store) {
        answer->type = "text/plain; version=0.0.4; charset=utf-8";
        add_metrics(&answer->body, &self);
    }
    wfsm_store_free(store);
    wfsm_error_free(error);
}
