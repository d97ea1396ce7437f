/* What a worker counts, for Prometheus: a server of HTTP in the worker's own loop. A worker whose store does
 * not answer does not answer here either, until the store does. */
#include "wfsm/work.h"

#include <arpa/inet.h>
#include <microhttpd.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wfsm/metrics.h>
#include <wfsm/pool.h>
#include "wfsm/html.h"
#include "wfsm/http_clients.h"
#include "wfsm/shown.h"

/* ENOUGH: behind so many, each connection ends another one. */
enum { CONNECTIONS = 64, ENOUGH = 48, TIMEOUT_S = 10, TURNS = 64 };

static enum MHD_Result send_text(struct MHD_Connection *connection, unsigned status,
                                 const char *text, size_t length)
{
    struct MHD_Response *response =
        MHD_create_response_from_buffer(length, (void *)(uintptr_t)text, MHD_RESPMEM_MUST_COPY);
    if (!response)
        return MHD_NO;
    MHD_add_response_header(response, "Content-Type",
                            status == MHD_HTTP_OK ? "text/plain; version=0.0.4; charset=utf-8"
                                                  : "text/plain; charset=utf-8");
    enum MHD_Result result = MHD_queue_response(connection, status, response);
    MHD_destroy_response(response);
    return result;
}

static enum MHD_Result refuse(struct MHD_Connection *connection, unsigned status,
                              const char *text)
{
    return send_text(connection, status, text, strlen(text));
}

/* ---- agents ---- */

static void add_gauge(cli_text *out, const work *self, const char *name, const char *help,
                      bool of_working)
{
    wfsm_engine *engine = wfsm_loop_engine(self->loop);
    const char *agent;
    html_raw(out, "# HELP %s %s\n# TYPE %s gauge\n", name, help, name);
    for (size_t i = 0; (agent = wfsm_agents_name(self->agents, i)); i++) {
        size_t working = 0, waiting = 0;
        wfsm_engine_pool_count(engine, WFSM_POOL_AGENT, agent, &working, &waiting);
        html_raw(out, "%s{agent=\"", name);
        html_label(out, agent);
        html_raw(out, "\"} %zu\n", of_working ? working : waiting);
    }
}

/* Those of the agents' file: no name comes from the data of workflows. */
static void add_agents(cli_text *out, const work *self)
{
    add_gauge(out, self, "wfsm_agent_working", "Invocations at work, by agent.", true);
    add_gauge(out, self, "wfsm_agent_waiting", "Invocations that wait, by agent.", false);
}

static enum MHD_Result answer(void *user, struct MHD_Connection *connection, const char *path,
                              const char *method, const char *version, const char *data,
                              size_t *length, void **context)
{
    static char begun;
    const work *self = user;
    size_t bytes = 0;
    (void)version, (void)data;
    if (!*context || *length > 0) { /* there is more to come, and nobody wants it */
        if (!*context)
            http_clients_head(connection);
        *context = &begun;
        *length = 0;
        return MHD_YES;
    }
    if (strcmp(method, "GET") != 0 && strcmp(method, "HEAD") != 0)
        return refuse(connection, MHD_HTTP_METHOD_NOT_ALLOWED, "there is GET\n");
    if (strcmp(path, "/metrics") != 0)
        return refuse(connection, MHD_HTTP_NOT_FOUND, "there is /metrics\n");
    const char *text = wfsm_engine_metrics(wfsm_loop_engine(self->loop), &bytes);
    cli_text whole = {0};
    cli_text_add(&whole, text ? text : "", bytes);
    add_agents(&whole, self);
    enum MHD_Result result = send_text(connection, MHD_HTTP_OK, whole.data, whole.length);
    cli_text_free(&whole);
    return text ? result : MHD_NO;
}

static void end_request(void *user, struct MHD_Connection *connection, void **context,
                        enum MHD_RequestTerminationCode code)
{
    (void)user, (void)context, (void)code;
    http_clients_end(connection);
}

/* What one turn leaves for the next is not announced by the descriptor. */
void work_metrics_run(work *self)
{
    MHD_UNSIGNED_LONG_LONG wait = 0;
    if (self->metrics)
        http_clients_look(self->clients);
    for (int i = 0; self->metrics && i < TURNS; i++)
        if (MHD_run(self->metrics) != MHD_YES ||
            (i > 0 && (MHD_get_timeout(self->metrics, &wait) != MHD_YES || wait > 0)))
            return;
}

static void serve(void *user, int32_t descriptor, int32_t events)
{
    (void)descriptor, (void)events;
    work_metrics_run(user);
}

/* ---- the address ---- */

/* "PORT", "ADDRESS:PORT" or "[ADDRESS]:PORT", with numbers: no name server is asked. */
static struct addrinfo *resolve(const char *address)
{
    const struct addrinfo numbers = {.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV | AI_PASSIVE,
                                     .ai_socktype = SOCK_STREAM};
    const char *colon = strrchr(address, ':'), *port = colon ? colon + 1 : address;
    char host[64] = "127.0.0.1";
    struct addrinfo *found = NULL;
    size_t length = colon ? (size_t)(colon - address) : 0;
    bool bracketed = length > 2 && address[0] == '[' && colon[-1] == ']';
    if (length >= sizeof host || (colon && length == 0) || !*port ||
        strspn(port, "0123456789") != strlen(port) || strlen(port) > 5 || atoi(port) > 65535 ||
        (memchr(address, ':', length) && !bracketed))
        return NULL;
    if (colon)
        snprintf(host, sizeof host, "%.*s", (int)length - 2 * bracketed, address + bracketed);
    return getaddrinfo(host, port, &numbers, &found) == 0 ? found : NULL;
}

int work_metrics_check(const char *address)
{
    struct addrinfo *found = resolve(address);
    if (!found)
        return cli_misused("--metrics: expected PORT or ADDRESS:PORT, not %s", address);
    freeaddrinfo(found);
    return CLI_OK;
}

static struct MHD_Daemon *start(work *self, const struct addrinfo *at)
{
    unsigned flags = MHD_USE_EPOLL | (at->ai_family == AF_INET6 ? MHD_USE_IPv6 : 0);
    return MHD_start_daemon(
        flags, 0, NULL, NULL, answer, self, MHD_OPTION_SOCK_ADDR, at->ai_addr,
        MHD_OPTION_CONNECTION_LIMIT, (unsigned)CONNECTIONS, MHD_OPTION_CONNECTION_TIMEOUT,
        (unsigned)TIMEOUT_S, MHD_OPTION_NOTIFY_COMPLETED, end_request, NULL,
        MHD_OPTION_NOTIFY_CONNECTION, http_clients_note, self->clients, MHD_OPTION_END);
}

static void say_address(const work *self, const struct addrinfo *at)
{
    const union MHD_DaemonInfo *info =
        MHD_get_daemon_info(self->metrics, MHD_DAEMON_INFO_BIND_PORT);
    bool six = at->ai_family == AF_INET6;
    char host[64] = "";
    getnameinfo(at->ai_addr, at->ai_addrlen, host, sizeof host, NULL, 0, NI_NUMERICHOST);
    shown_printf("metrics: http://%s%s%s:%u/metrics\n", six ? "[" : "", host, six ? "]" : "",
                 info ? (unsigned)info->port : 0);
    fflush(stdout);
}

bool work_metrics_begin(work *self, const char *address)
{
    struct addrinfo *at = resolve(address);
    self->clients = cli_need(calloc(1, sizeof *self->clients));
    self->clients->most = ENOUGH;
    self->metrics = at ? start(self, at) : NULL;
    const union MHD_DaemonInfo *info =
        self->metrics ? MHD_get_daemon_info(self->metrics, MHD_DAEMON_INFO_EPOLL_FD) : NULL;
    bool fine = info && wfsm_loop_watch(self->loop, info->epoll_fd, WFSM_LOOP_READ, serve, self,
                                        self->error) == WFSM_OK;
    if (fine)
        say_address(self, at);
    else
        cli_say("--metrics: %s cannot be served", address);
    if (at)
        freeaddrinfo(at);
    return fine;
}

void work_metrics_end(work *self)
{
    if (self->metrics)
        MHD_stop_daemon(self->metrics);
    self->metrics = NULL;
    free(self->clients);
    self->clients = NULL;
}
