#include "wfsm/http_clients.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>
#include "wfsm/cli.h"

/* How long the head of a request may take, and then the rest with its answer. */
enum { HEAD_MS = 10000, REQUEST_MS = 60000 };

struct http_client {
    http_client *before, *after;
    struct MHD_Connection *connection;
    int64_t due;
    bool has_head, is_cut;
};

static int64_t monotonic_ms(void)
{
    struct timespec now = {0};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* libmicrohttpd sees the end of what the client sends, and closes. */
static void cut_off(http_client *one)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(one->connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    one->is_cut = true;
    if (info)
        shutdown(info->connect_fd, SHUT_RDWR);
}

static void cut_oldest(const http_clients *self)
{
    http_client *one = self->first;
    while (one && (one->has_head || one->is_cut))
        one = one->after;
    if (one)
        cut_off(one);
}

static void add(http_clients *self, struct MHD_Connection *connection, void **context)
{
    http_client *made = cli_need(calloc(1, sizeof *made));
    *made = (http_client){
        .connection = connection, .before = self->last, .due = monotonic_ms() + HEAD_MS};
    if (self->last)
        self->last->after = made;
    else
        self->first = made;
    self->last = made;
    self->count++;
    *context = made;
    if (self->count > self->most)
        cut_oldest(self);
}

static void drop(http_clients *self, http_client *one)
{
    if (one->before)
        one->before->after = one->after;
    else
        self->first = one->after;
    if (one->after)
        one->after->before = one->before;
    else
        self->last = one->before;
    self->count--;
    free(one);
}

void http_clients_note(void *user, struct MHD_Connection *connection, void **context,
                       enum MHD_ConnectionNotificationCode code)
{
    if (code == MHD_CONNECTION_NOTIFY_STARTED)
        add(user, connection, context);
    else if (*context)
        drop(user, *context);
}

static void set(struct MHD_Connection *connection, bool has_head, int64_t ms)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    http_client *one = info ? info->socket_context : NULL;
    if (!one)
        return;
    one->has_head = has_head;
    one->due = monotonic_ms() + ms;
}

void http_clients_head(struct MHD_Connection *connection)
{
    set(connection, true, REQUEST_MS);
}

void http_clients_end(struct MHD_Connection *connection)
{
    set(connection, false, HEAD_MS);
}

void http_clients_look(const http_clients *self)
{
    int64_t now = monotonic_ms();
    for (http_client *one = self->first; one; one = one->after)
        if (one->due <= now && !one->is_cut)
            cut_off(one);
}
