#include "wfsm/serve.h"

#include <arpa/inet.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include "wfsm/http_clients.h"
#include "wfsm/shown.h"

/* ENOUGH: behind so many, each connection ends another one. */
enum { CONNECTIONS = 1100, ENOUGH = 1000, FILES = 2048, TIMEOUT_S = 10, TURN_MS = 500 };

/* Nothing from elsewhere, and nothing that stands in the page itself. */
static const char policy[] =
    "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; form-action "
    "'self'; base-uri 'none'; frame-ancestors 'none'";

/* ---- what was asked ---- */

/* A value that comes in parts belongs to the field that came last. */
static cli_text *add_field(serve_request *asked, const char *name, bool is_part)
{
    if (is_part && asked->count > 0 && strcmp(asked->fields[asked->count - 1].name, name) == 0)
        return &asked->fields[asked->count - 1].value;
    if (asked->count == SERVE_FIELDS)
        return NULL;
    asked->fields[asked->count].name = cli_need(strdup(name));
    return &asked->fields[asked->count++].value;
}

static void take_bytes(serve_request *asked, const char *name, bool is_part, const char *bytes,
                       size_t length)
{
    cli_text *value = add_field(asked, name, is_part);
    asked->bytes += length;
    asked->too_large = asked->too_large || !value || asked->bytes > SERVE_FORM;
    if (!asked->too_large)
        cli_text_add(value, bytes, length);
}

static enum MHD_Result take_argument(void *user, enum MHD_ValueKind kind, const char *name,
                                     const char *value)
{
    (void)kind;
    take_bytes(user, name, false, value ? value : "", value ? strlen(value) : 0);
    return MHD_YES;
}

static enum MHD_Result take_part(void *user, enum MHD_ValueKind kind, const char *name,
                                 const char *file, const char *type, const char *encoding,
                                 const char *bytes, uint64_t offset, size_t length)
{
    (void)kind, (void)file, (void)type, (void)encoding;
    take_bytes(user, name, offset > 0, bytes, length);
    return MHD_YES;
}

/* A request between its head and its end. */
typedef struct pending {
    serve_request asked;
    struct MHD_PostProcessor *form;
} pending;

static void free_pending(pending *one)
{
    if (one->form)
        MHD_destroy_post_processor(one->form);
    for (size_t i = 0; i < one->asked.count; i++) {
        free(one->asked.fields[i].name);
        cli_text_free(&one->asked.fields[i].value);
    }
    free(one);
}

/* ---- what is answered ---- */

static void add_headers(const serve *self, struct MHD_Response *response,
                        const serve_answer *answer)
{
    char cookie[192];
    MHD_add_response_header(response, "Content-Type", answer->type);
    MHD_add_response_header(response, "Content-Security-Policy", policy);
    MHD_add_response_header(response, "X-Content-Type-Options", "nosniff");
    MHD_add_response_header(response, "Referrer-Policy", "same-origin");
    MHD_add_response_header(response, "Cache-Control", "no-store");
    if (answer->location)
        MHD_add_response_header(response, "Location", answer->location);
    if (!answer->gives_cookie)
        return;
    snprintf(cookie, sizeof cookie, "wfsm_%lld=%s; Path=/; HttpOnly; SameSite=Strict",
             (long long)self->port, self->cookie);
    MHD_add_response_header(response, "Set-Cookie", cookie);
}

static enum MHD_Result send_answer(const serve *self, struct MHD_Connection *connection,
                                   serve_answer *answer)
{
    struct MHD_Response *response = MHD_create_response_from_buffer(
        answer->body.length, answer->body.data ? answer->body.data : (char *)"",
        MHD_RESPMEM_MUST_COPY);
    enum MHD_Result result = MHD_NO;
    if (response) {
        add_headers(self, response, answer);
        result = MHD_queue_response(connection, answer->status, response);
        MHD_destroy_response(response);
    }
    cli_text_free(&answer->body);
    free(answer->location);
    return result;
}

/* ---- who may ask for what ---- */

void serve_page(const serve_request *asked, serve_answer *answer)
{
    static const struct {
        const char *path;
        void (*answer)(const serve_request *asked, serve_answer *answer);
    } pages[] = {{"/", serve_list},
                 {"/instance", serve_instance},
                 {"/machine", serve_machine},
                 {"/diff", serve_diff}};
    answer->sum = SERVE_SUM;
    for (size_t i = 0; i < sizeof pages / sizeof *pages; i++)
        if (strcmp(pages[i].path, asked->path) == 0) {
            pages[i].answer(asked, answer);
            return;
        }
    serve_fail(answer, 404, "there is no such page");
}

static bool is_events(const char *path)
{
    return strncmp(path, "/events", 7) == 0 && (path[7] == '\0' || path[7] == '/');
}

static void route(const serve_request *asked, serve_answer *answer)
{
    if (asked->posts && strcmp(asked->path, "/act") == 0)
        serve_act(asked, answer);
    else if (asked->posts)
        serve_fail(answer, 404, "there is no such page");
    else if (is_events(asked->path))
        serve_events(asked, answer);
    else if (strcmp(asked->path, "/metrics") == 0)
        serve_metrics(asked, answer);
    else
        serve_page(asked, answer);
}

static bool is_asset(const serve_request *asked, serve_answer *answer)
{
    if (!asked->posts && strcmp(asked->path, "/style.css") == 0) {
        answer->type = "text/css; charset=utf-8";
        cli_text_add(&answer->body, html_style(), strlen(html_style()));
        cli_text_add(&answer->body, serve_style, strlen(serve_style));
    } else if (!asked->posts && strcmp(asked->path, "/page.js") == 0) {
        answer->type = "text/javascript; charset=utf-8";
        cli_text_add(&answer->body, serve_script, strlen(serve_script));
    }
    return answer->body.length > 0;
}

static const char *header_of(struct MHD_Connection *connection, const char *name)
{
    return MHD_lookup_connection_value(connection, MHD_HEADER_KIND, name);
}

/* The token becomes a cookie, and leaves the address. */
static void let_in(serve_answer *answer)
{
    answer->status = 303;
    answer->location = cli_need(strdup("/"));
    answer->gives_cookie = true;
}

/* /metrics is for programs, which have no cookie. */
static bool has_bearer(const serve *self, const serve_request *asked,
                       struct MHD_Connection *connection)
{
    const char *given = header_of(connection, "Authorization");
    return strcmp(asked->path, "/metrics") == 0 && given && strncmp(given, "Bearer ", 7) == 0 &&
           serve_same(given + 7, self->token);
}

static void judge(serve_request *asked, struct MHD_Connection *connection, serve_answer *answer)
{
    const serve *self = asked->self;
    const char *host = header_of(connection, "Host");
    if (!serve_is_own_host(self, host))
        serve_fail(answer, 421, "this server has another name");
    else if (asked->too_large)
        serve_fail(answer, 413, "too much was sent");
    else if (is_asset(asked, answer))
        return;
    else if (!asked->posts && serve_same(serve_get(asked, "token"), self->token))
        let_in(answer);
    else if (!serve_has_cookie(self, header_of(connection, "Cookie")) &&
             !has_bearer(self, asked, connection))
        serve_fail(answer, 403, "open the address that wfsm serve has printed");
    else if (asked->posts && !serve_is_own_form(asked, header_of(connection, "Origin"), host))
        serve_fail(answer, 403, "this form is not from here; load the page again");
    else
        route(asked, answer);
}

/* ---- libmicrohttpd's calls ---- */

/* What somebody sends who may not is not kept. */
static bool may_send(const serve *self, struct MHD_Connection *connection)
{
    return serve_is_own_host(self, header_of(connection, "Host")) &&
           serve_has_cookie(self, header_of(connection, "Cookie"));
}

static pending *begin_request(serve *self, struct MHD_Connection *connection, const char *path,
                              const char *method)
{
    pending *made = cli_need(calloc(1, sizeof *made));
    made->asked = (serve_request){.self = self, .posts = strcmp(method, "POST") == 0};
    made->asked.path = path;
    if (made->asked.posts && may_send(self, connection))
        made->form = MHD_create_post_processor(connection, 32768, take_part, &made->asked);
    else if (!made->asked.posts)
        MHD_get_connection_values(connection, MHD_GET_ARGUMENT_KIND, take_argument,
                                  &made->asked);
    return made;
}

static enum MHD_Result answer_request(void *user, struct MHD_Connection *connection,
                                      const char *path, const char *method, const char *version,
                                      const char *data, size_t *length, void **context)
{
    serve *self = user;
    pending *one = *context;
    serve_answer answer = {.status = 200, .type = "text/html; charset=utf-8"};
    (void)version;
    if (!one) {
        http_clients_head(connection);
        *context = begin_request(self, connection, path, method);
        return MHD_YES;
    }
    one->asked.path = path;
    if (*length > 0) {
        if (one->form && !one->asked.too_large)
            MHD_post_process(one->form, data, *length);
        *length = 0;
        return MHD_YES;
    }
    if (strcmp(method, "GET") != 0 && strcmp(method, "POST") != 0 &&
        strcmp(method, "HEAD") != 0)
        serve_fail(&answer, 405, "there are GET and POST");
    else
        judge(&one->asked, connection, &answer);
    return send_answer(self, connection, &answer);
}

static void end_request(void *user, struct MHD_Connection *connection, void **context,
                        enum MHD_RequestTerminationCode code)
{
    (void)user, (void)code;
    http_clients_end(connection);
    if (*context)
        free_pending(*context);
    *context = NULL;
}

/* ---- the loop ---- */

static volatile sig_atomic_t is_over;

static void note_signal(int number)
{
    (void)number;
    is_over = 1;
}

/* Slow clients hold connections, and the store needs some files, too. */
static void allow_connections(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= FILES)
        return;
    limit.rlim_cur = limit.rlim_max < FILES ? limit.rlim_max : FILES;
    setrlimit(RLIMIT_NOFILE, &limit);
}

struct MHD_Daemon *serve_daemon(serve *self, http_clients *clients, unsigned flags)
{
    const struct sockaddr_in address = {.sin_family = AF_INET,
                                        .sin_port = htons((uint16_t)self->port),
                                        .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    /* libmicrohttpd 1.0 refuses an address without a socket to listen on. */
    const void *at = (flags & MHD_USE_NO_LISTEN_SOCKET) == 0 ? &address : NULL;
    return MHD_start_daemon(flags, 0, NULL, NULL, answer_request, self, MHD_OPTION_SOCK_ADDR,
                            at, MHD_OPTION_NOTIFY_COMPLETED, end_request, NULL,
                            MHD_OPTION_NOTIFY_CONNECTION, http_clients_note, clients,
                            MHD_OPTION_CONNECTION_LIMIT, (unsigned)CONNECTIONS,
                            MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)TIMEOUT_S, MHD_OPTION_END);
}

static bool say_address(serve *self, struct MHD_Daemon *daemon)
{
    const union MHD_DaemonInfo *info = MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_BIND_PORT);
    if (!info)
        return false;
    self->port = info->port;
    shown_printf("http://127.0.0.1:%lld/?token=%s\n", (long long)self->port, self->token);
    return fflush(stdout) == 0;
}

int serve_run(serve *self)
{
    http_clients clients = {.most = ENOUGH};
    allow_connections();
    struct MHD_Daemon *daemon = serve_daemon(self, &clients, MHD_USE_EPOLL);
    if (!daemon) {
        cli_say("the port %lld of 127.0.0.1 cannot be used", (long long)self->port);
        return CLI_FAILED;
    }
    signal(SIGINT, note_signal);
    signal(SIGTERM, note_signal);
    signal(SIGPIPE, SIG_IGN);
    bool fine = say_address(self, daemon);
    while (fine && !is_over) {
        MHD_run_wait(daemon, TURN_MS);
        http_clients_look(&clients);
        trace_exporter_look(&self->exporter);
    }
    MHD_stop_daemon(daemon);
    return fine ? CLI_OK : CLI_FAILED;
}
