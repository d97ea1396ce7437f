/* postgres/pg_listen.c: a connection of its own that is told when others have done something, and tells them.
 * Nothing depends on it: a notification that is lost costs the time until the next look. After the first time, it
 * never waits for the server: each call does what can be done now. */
#include "pg.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

/* Between two notifications; before a broken connection is made again. In milliseconds. */
enum { NOTIFY_MS = 20, FIRST_RETRY_MS = 500, MOST_RETRY_MS = 30000 };

static int64_t monotonic_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* "wfsm_" and a digest of the schema and the namespace. */
static int32_t name_channel(wf_pg *db)
{
    char text[400], digest[WFSM_DIGEST_SIZE];
    int length = snprintf(text, sizeof text, "%s%c%s", db->schema, '\n', db->tenant);
    int32_t status = wfsm_digest(text, (size_t)length, digest);

    snprintf(db->listener.channel, sizeof db->listener.channel, "wfsm_%.40s", digest);
    return status;
}

/* ---- the descriptor ---- */

/* libpq may have changed the socket. */
static void watch(wf_pg_listener *self, uint32_t events)
{
    struct epoll_event wanted = {.events = events};

    if (self->socket >= 0)
        epoll_ctl(self->events, EPOLL_CTL_DEL, self->socket, NULL);
    self->socket = self->connection ? PQsocket(self->connection) : -1;
    if (self->socket >= 0 && epoll_ctl(self->events, EPOLL_CTL_ADD, self->socket, &wanted) != 0)
        self->socket = -1;
}

static void set_timer(const wf_pg_listener *self, int64_t ms)
{
    const struct itimerspec when = {
        .it_value = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000}};

    timerfd_settime(self->timer, 0, &when, NULL);
}

static bool make_descriptors(wf_pg_listener *self)
{
    struct epoll_event wanted = {.events = EPOLLIN};

    self->events = epoll_create1(EPOLL_CLOEXEC);
    self->timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
    return self->events >= 0 && self->timer >= 0 &&
           epoll_ctl(self->events, EPOLL_CTL_ADD, self->timer, &wanted) == 0;
}

int32_t wf_pg_fd(void *self)
{
    return ((const wf_pg *)self)->listener.events;
}

/* ---- the connection ---- */

static void ignore_notice(void *user, const PGresult *notice)
{
    (void)user, (void)notice;
}

static void disconnect(wf_pg_listener *self)
{
    PQfinish(self->connection);
    self->connection = NULL;
    self->state = WF_PG_APART;
    watch(self, 0);
}

/* It is made again after a random time, which grows. */
static void lose(wf_pg *db)
{
    wf_pg_listener *self = &db->listener;
    int64_t most = FIRST_RETRY_MS;

    for (int i = 0; i < self->failures && most < MOST_RETRY_MS; i++)
        most *= 2;
    disconnect(self);
    self->failures++;
    self->retry = monotonic_ms() + most / 2 + (int64_t)(wf_pg_random(db) % (uint64_t)most) / 2;
}

static void begin(wf_pg *db)
{
    static const char *const keys[] = {"application_name", "target_session_attrs", "dbname",
                                       "client_encoding", NULL};
    wf_pg_listener *self = &db->listener;
    const char *values[] = {"wfsm-listen", "read-write",
                            self->address ? self->address : db->address, "UTF8", NULL};

    self->connection = PQconnectStartParams(keys, values, 1);
    if (!self->connection || PQstatus(self->connection) == CONNECTION_BAD) {
        lose(db);
        return;
    }
    PQsetNoticeReceiver(self->connection, ignore_notice, NULL);
    self->state = WF_PG_CONNECTING;
    self->polled = PGRES_POLLING_WRITING;
    watch(self, EPOLLOUT);
}

static void send_text(wf_pg *db, const char *command, int state)
{
    wf_pg_listener *self = &db->listener;
    char text[80];

    snprintf(text, sizeof text, "%s %s", command, self->channel);
    if (!PQsendQuery(self->connection, text) || PQflush(self->connection) < 0) {
        lose(db);
        return;
    }
    self->state = state;
    watch(self, EPOLLIN);
}

static void connect_on(wf_pg *db)
{
    wf_pg_listener *self = &db->listener;
    wf_pg_deadline now = wf_pg_deadline_in(0);

    if (!wf_pg_wait_socket(self->connection, self->polled == PGRES_POLLING_READING, &now))
        return;
    self->polled = PQconnectPoll(self->connection);
    if (self->polled == PGRES_POLLING_FAILED)
        lose(db);
    else if (self->polled != PGRES_POLLING_OK)
        watch(self, self->polled == PGRES_POLLING_READING ? EPOLLIN : EPOLLOUT);
    else if (PQsetnonblocking(self->connection, 1) == 0)
        send_text(db, "LISTEN", WF_PG_ASKING);
    else
        lose(db);
}

/* ---- what the server says ---- */

/* Whatever a notification says, it means: look. The store's own comes back to it. */
static void take_notifications(wf_pg_listener *self)
{
    PGnotify *one;

    while ((one = PQnotifies(self->connection)) != NULL) {
        self->woken |= one->be_pid != PQbackendPID(self->connection);
        PQfreemem(one);
    }
}

static void receive(wf_pg *db)
{
    wf_pg_listener *self = &db->listener;
    bool fine = PQconsumeInput(self->connection) == 1;

    if (fine)
        take_notifications(self);
    while (fine && self->state == WF_PG_ASKING && !PQisBusy(self->connection)) {
        PGresult *result = PQgetResult(self->connection);

        if (!result) {
            self->state = WF_PG_LISTENING;
            self->failures = 0;
        }
        fine = !result || PQresultStatus(result) == PGRES_COMMAND_OK;
        PQclear(result);
    }
    if (!fine || PQstatus(self->connection) != CONNECTION_OK)
        lose(db);
}

/* One notification for all that has happened since the last one. */
static void notify(wf_pg *db)
{
    wf_pg_listener *self = &db->listener;
    int64_t left = self->notified + NOTIFY_MS - monotonic_ms();

    if (!self->pending || self->state != WF_PG_LISTENING)
        return;
    if (left > 0) {
        set_timer(self, left);
        return;
    }
    self->pending = false;
    self->notified = monotonic_ms();
    self->sent++;
    send_text(db, "NOTIFY", WF_PG_ASKING);
}

void wf_pg_listen_on(wf_pg *db, bool looks)
{
    wf_pg_listener *self = &db->listener;
    uint64_t times;

    if (self->events < 0)
        return;
    while (read(self->timer, &times, sizeof times) < 0 && errno == EINTR)
        continue;
    if (self->state == WF_PG_APART && monotonic_ms() >= self->retry)
        begin(db);
    if (self->state == WF_PG_CONNECTING)
        connect_on(db);
    if (self->state == WF_PG_ASKING || self->state == WF_PG_LISTENING)
        receive(db);
    notify(db);
    self->woken &= !looks;
    if (self->woken)
        set_timer(self, 1);
}

/* ---- what is told ---- */

static bool concerns_others(const wfsm_exchange *exchange)
{
    bool found = exchange->post_count > 0;

    for (size_t i = 0; i < exchange->commit_count && !found; i++) {
        const wfsm_commit *commit = exchange->commits[i];

        found = commit->by_hand || !*commit->owner ||
                (commit->gives_up && commit->status != WFSM_DONE);
    }
    for (size_t i = 0; i < exchange->request_count && !found; i++)
        found = exchange->requests[i]->kind == WFSM_REQUEST_GIVE_UP;
    return found;
}

void wf_pg_listen_tell(wf_pg *db, const wfsm_exchange *exchange)
{
    if (db->listener.events < 0 || !concerns_others(exchange))
        return;
    db->listener.pending = true;
    wf_pg_listen_on(db, false);
}

/* ---- opening and closing ---- */

/* Waits, for the first time and the last one. */
static void listen_until(wf_pg *db, int state, int ms)
{
    wf_pg_listener *self = &db->listener;
    wf_pg_deadline deadline = wf_pg_deadline_in(ms);

    while (self->state != state && self->state != WF_PG_APART &&
           !wf_pg_deadline_over(&deadline)) {
        bool writes = self->state == WF_PG_CONNECTING && self->polled != PGRES_POLLING_READING;

        wf_pg_wait_socket(self->connection, !writes, &deadline);
        wf_pg_listen_on(db, false);
    }
}

/* A pool gives the client a process id of its own, and its sessions to others. */
static int32_t check_process(wf_pg *db, wfsm_error *error)
{
    PGresult *result = PQexec(db->listener.connection, "SELECT pg_backend_pid()");
    bool fine = PQresultStatus(result) == PGRES_TUPLES_OK &&
                wf_pg_int_of(result, 0, 0) == PQbackendPID(db->listener.connection);

    PQclear(result);
    return fine ? WFSM_OK
                : wf_pg_refuse(db, WFSM_DENIED, error,
                               "the connection that listens goes through a pool; the option "
                               "listen_address takes the address of the server itself");
}

int32_t wf_pg_listen_open(wf_pg *db, wfsm_error *error)
{
    wf_pg_listener *self = &db->listener;
    int32_t status = name_channel(db);

    if (status != WFSM_OK || !make_descriptors(self))
        return wf_pg_refuse(db, WFSM_IO, error, "a descriptor to wait for cannot be made");
    begin(db);
    listen_until(db, WF_PG_LISTENING, db->connect_ms);
    if (self->state != WF_PG_LISTENING)
        return wf_pg_refuse(db, WFSM_IO, error, "the connection that listens cannot be made");
    PQsetnonblocking(self->connection, 0);
    status = check_process(db, error);
    PQsetnonblocking(self->connection, 1);
    return status;
}

void wf_pg_listen_close(wf_pg *db)
{
    wf_pg_listener *self = &db->listener;

    if (self->events < 0)
        return;
    if (self->pending && self->state == WF_PG_LISTENING) {
        self->notified = 0;
        wf_pg_listen_on(db, false);
        listen_until(db, WF_PG_LISTENING, NOTIFY_MS * 10);
    }
    disconnect(self);
    close(self->timer);
    close(self->events);
}
