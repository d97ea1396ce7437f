/* What a client of `wfsm serve` sends: whole requests of HTTP, on a small store. */
#include "fuzz_command.h"

#include <arpa/inet.h>
#include <microhttpd.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include <wfsm/sqlite.h>
#include "wfsm/http_clients.h"
#include "wfsm/serve.h"

static const char document[] =
    "{\"id\":\"ship\",\"initial\":\"a\",\"context\":{\"n\":1},\"attributes\":{\"n\":{\"var\":\"context.n\"}},"
    "\"states\":{\"a\":{\"tags\":[\"early\"],\"initial\":\"c\",\"after\":{\"5000\":\"b\"},\"invoke\":{\"src\":\"human\","
    "\"id\":\"ok\",\"onDone\":\"b\"},\"on\":{\"GO\":\"b\"},\"states\":{\"c\":{}}},\"b\":{\"type\":\"final\"}}}";

/* Answers that are not the client's fault. */
static const char *const faults[] = {"HTTP/1.1 500", "HTTP/1.1 502", "HTTP/1.1 503"};
/* In requests, and in what commands print. */
static const char mark[] = "<zz>";
static const fuzz_printed printed[] = {{NULL, mark}};

static struct {
    serve self;
    http_clients clients;
    struct MHD_Daemon *daemon;
} server;

static void must(int32_t status)
{
    fuzz_expect(status == WFSM_OK, "the store can be made");
}

static void make_store(const char *path)
{
    wfsm_store *store = NULL;
    wfsm_machine *machine = NULL;
    must(wfsm_sqlite_open(&store, path, NULL, NULL, NULL));
    must(wfsm_machine_load(&machine, document, strlen(document), NULL, NULL, NULL));
    for (int i = 0; i < 3; i++) {
        char id[8] = {(char)('a' + i)};
        wfsm_instance *one = NULL;
        const wfsm_start_options options = {.size = sizeof options, .id = id, .store = store};
        const wfsm_event event = {.size = sizeof event, .name = i == 1 ? "GO" : "NO"};
        must(wfsm_instance_start(&one, machine, &options, 1, NULL));
        must(wfsm_instance_send(one, &event, 2, NULL, NULL));
        wfsm_instance_free(one);
    }
    wfsm_machine_unref(machine);
    wfsm_store_free(store);
}

static void fill(char secret[SERVE_SECRET + 1], char with)
{
    memset(secret, with, SERVE_SECRET);
    secret[SERVE_SECRET] = '\0';
}

static void begin(void)
{
    static char path[128];
    snprintf(path, sizeof path, "%s/s.db", fuzz_folder());
    make_store(path);
    server.self = (serve){.store = path, .person = "ada", .port = 8080};
    fill(server.self.token, 'a');
    fill(server.self.cookie, 'b');
    fill(server.self.form, 'c');
    server.self.states = serve_states_new();
    server.clients.most = 8;
    signal(SIGPIPE, SIG_IGN);
    fuzz_processes(printed, 0);
    server.daemon =
        serve_daemon(&server.self, &server.clients, MHD_USE_EPOLL | MHD_USE_NO_LISTEN_SOCKET);
    fuzz_expect(server.daemon != NULL, "the server begins");
}

static void check(const char *said, size_t length)
{
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
        fuzz_expect(length < strlen(faults[i]) ||
                        memcmp(said, faults[i], strlen(faults[i])) != 0,
                    "no request is a fault of the server");
    fuzz_expect(memmem(said, length, mark, strlen(mark)) == NULL, "text is escaped");
}

/* Until the server has no more to do. */
static void run(int end, cli_text *said)
{
    char bytes[65536];
    for (int idle = 0; idle < 8; idle++) {
        MHD_run(server.daemon);
        ssize_t got = recv(end, bytes, sizeof bytes, MSG_DONTWAIT);
        if (got == 0)
            return;
        if (got < 0)
            continue;
        cli_text_add(said, bytes, (size_t)got);
        idle = 0;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct sockaddr_in from = {.sin_family = AF_INET,
                                     .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    cli_text said = {0};
    int ends[2];
    if (!server.daemon)
        begin();
    if (size > 65536 || socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0)
        return 0;
    fuzz_expect(send(ends[0], data, size, MSG_DONTWAIT) == (ssize_t)size,
                "a socket takes a request");
    shutdown(ends[0], SHUT_WR);
    fuzz_expect(MHD_add_connection(server.daemon, ends[1], (const struct sockaddr *)&from,
                                   sizeof from) == MHD_YES,
                "a client is taken");
    run(ends[0], &said);
    close(ends[0]);
    for (int i = 0; server.clients.count > 0 && i < 64; i++)
        MHD_run(server.daemon);
    fuzz_expect(server.clients.count == 0, "a client that has gone is forgotten");
    check(said.data ? said.data : "", said.length);
    cli_text_free(&said);
    return 0;
}
