#include "postgres/relay.h"
#include "postgres/server.h"

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { ROOM = 1 << 20, PORT = 7000 };

static relay *shared;
static pid_t process;

/* The folder is in the server's address. */
static struct sockaddr_un socket_at(int port)
{
    struct sockaddr_un place = {.sun_family = AF_UNIX};
    char folder[200];

    sscanf(server_address(), "host=%199s", folder);
    snprintf(place.sun_path, sizeof place.sun_path, "%.80s/.s.PGSQL.%d", folder, port);
    return place;
}

static int open_server(void)
{
    struct sockaddr_un place = socket_at(5432);
    int server = socket(AF_UNIX, SOCK_STREAM, 0);

    if (server < 0 || connect(server, (struct sockaddr *)&place, sizeof place) != 0)
        _exit(1);
    return server;
}

static void write_all(int to, const char *bytes, size_t length)
{
    while (length > 0) {
        ssize_t wrote = send(to, bytes, length, MSG_NOSIGNAL);

        if (wrote <= 0)
            return;
        bytes += wrote;
        length -= (size_t)wrote;
    }
}

typedef struct pair {
    int number, client, server;
    char *kept;
    size_t length;
    int closed; /* the client is gone */
    size_t passed; /* bytes of the question that is kept back that the server has */
} pair;

static void forward_kept(pair *self)
{
    size_t pass = shared->pass > 0 ? (size_t)shared->pass : 0, more;

    if (shared->hold == self->number) {
        more = pass > self->length ? self->length : pass;
        if (more > self->passed) {
            write_all(self->server, self->kept + self->passed, more - self->passed);
            self->passed = more;
        }
        return;
    }
    write_all(self->server, self->kept + self->passed, self->length - self->passed);
    self->length = self->passed = 0;
    if (self->closed == 1) {
        shutdown(self->server, SHUT_WR);
        self->closed = 2;
    }
}

/* A pipeline ends with the message Sync. */
static bool is_complete(const pair *self)
{
    return self->length >= 5 && memcmp(self->kept + self->length - 5, "S\0\0\0\4", 5) == 0;
}

static void take_question(pair *self)
{
    ssize_t got = recv(self->client, self->kept + self->length, ROOM - self->length, 0);

    if (got > 0)
        self->length += (size_t)got;
    else
        self->closed = 1;
    if (shared->hold == self->number && is_complete(self)) {
        shared->seen = (int)self->length;
        shutdown(self->client, SHUT_RDWR);
    }
}

/* The server answers when it has committed. */
static void take_answer(pair *self)
{
    static char bytes[1 << 16];
    ssize_t got = recv(self->server, bytes, sizeof bytes, 0);

    if (got <= 0) {
        shared->ended[self->number % RELAY_MOST] = 1;
        _exit(0);
    }
    if (shared->mute == self->number)
        shutdown(self->client, SHUT_RDWR);
    else
        write_all(self->client, bytes, (size_t)got);
}

static void serve(int number, int client)
{
    pair self = {
        .number = number, .client = client, .server = open_server(), .kept = malloc(ROOM)};

    for (;;) {
        struct pollfd both[] = {{.fd = self.closed ? -1 : client, .events = POLLIN},
                                {.fd = self.server, .events = POLLIN}};

        poll(both, 2, 5);
        if (both[0].revents)
            take_question(&self);
        forward_kept(&self);
        if (both[1].revents)
            take_answer(&self);
    }
}

static void accept_all(int listener)
{
    signal(SIGCHLD, SIG_IGN);
    for (;;) {
        int client = accept(listener, NULL, NULL);
        int number = ++shared->count;

        if (client >= 0 && fork() == 0) {
            server_follow_parent();
            serve(number, client);
        }
        close(client);
    }
}

relay *relay_start(void)
{
    struct sockaddr_un place = socket_at(PORT);
    int listener = socket(AF_UNIX, SOCK_STREAM, 0);

    shared =
        mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    memset(shared, 0, sizeof *shared);
    if (bind(listener, (struct sockaddr *)&place, sizeof place) != 0 ||
        listen(listener, 50) != 0)
        exit(1);
    process = fork();
    if (process == 0) {
        setpgid(0, 0);
        server_follow_parent();
        accept_all(listener);
    }
    close(listener);
    atexit(relay_stop);
    return shared;
}

void relay_stop(void)
{
    if (process > 0) {
        kill(-process, SIGKILL);
        waitpid(process, NULL, 0);
    }
    process = 0;
}

const char *relay_address(void)
{
    return server_address_with("port=7000");
}

void relay_await_end(const relay *self, int number)
{
    const struct timespec moment = {0, 5000000};

    for (int i = 0; i < 6000 && !self->ended[number]; i++)
        nanosleep(&moment, NULL);
}
