#include "wfsm/serve.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "wfsm/owned.h"

/* ---- has something changed? ---- */

/* PAUSES: a page that takes long is made less often. */
enum { PAUSE_MS = 2000, PAUSES = 10, MOST_PAUSE_MS = 60000 };

static int64_t pause_after(int64_t began)
{
    int64_t took = owned_clock() - began, pause = PAUSES * (took > 0 ? took : 0);
    if (pause < PAUSE_MS)
        return PAUSE_MS;
    return pause < MOST_PAUSE_MS ? pause : MOST_PAUSE_MS;
}

/* /events/PAGE tells the sum of the page, and ends. The browser asks again after the pause. So there is
 * nothing to be dropped: a connection that is lost is one that is made again. And a window holds none of the
 * few that a browser makes to one server. */
void serve_events(const serve_request *asked, serve_answer *answer)
{
    int64_t began = owned_clock();
    serve_request page = *asked;
    serve_answer shown = {.status = 200};
    page.path += strlen("/events");
    page.asks_sum = true;
    if (!*page.path)
        page.path = "/";
    serve_page(&page, &shown);
    cli_text_free(&shown.body);
    free(shown.location);
    answer->type = "text/event-stream";
    html_raw(&answer->body, "retry: %" PRId64 "\ndata: %016" PRIx64 "\n\n", pause_after(began),
             shown.sum);
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
