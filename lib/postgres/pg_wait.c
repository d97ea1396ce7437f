/* postgres/pg_wait.c: waiting for the server. libpq itself would wait for ever. */
#include "pg.h"

#include <errno.h>
#include <poll.h>
#include <time.h>

static int64_t monotonic_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

wf_pg_deadline wf_pg_deadline_in(int ms)
{
    return (wf_pg_deadline){monotonic_ms() + ms};
}

static int left(const wf_pg_deadline *deadline)
{
    int64_t ms = deadline->ends - monotonic_ms();

    return ms > 0 ? (int)ms : 0;
}

bool wf_pg_deadline_over(const wf_pg_deadline *deadline)
{
    return left(deadline) == 0;
}

/* The system may interrupt the wait. */
static bool is_ready(PGconn *connection, short events, const wf_pg_deadline *deadline,
                     short *found)
{
    struct pollfd one = {.fd = PQsocket(connection), .events = events};
    int count;

    do
        count = poll(&one, 1, left(deadline));
    while (count < 0 && errno == EINTR && !wf_pg_deadline_over(deadline));
    *found = one.revents;
    return count > 0;
}

bool wf_pg_wait_socket(PGconn *connection, bool to_read, const wf_pg_deadline *deadline)
{
    short found;

    return is_ready(connection, to_read ? POLLIN : POLLOUT, deadline, &found);
}

bool wf_pg_wait(PGconn *connection, bool to_read, const wf_pg_deadline *deadline)
{
    int flushed = PQflush(connection);
    short events = flushed > 0 ? POLLIN | POLLOUT : POLLIN, found;

    if (flushed < 0)
        return to_read && PQconsumeInput(connection) == 1; /* the server may have said why */
    if (!to_read && flushed == 0)
        return true;
    if (!is_ready(connection, events, deadline, &found))
        return false;
    return !(found & ~POLLOUT) || PQconsumeInput(connection) == 1;
}

uint64_t wf_pg_random(wf_pg *db)
{
    uint64_t x = db->random;

    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
    return db->random = x;
}

void wf_pg_back_off(wf_pg *db, int attempt)
{
    uint64_t most = 2000000ull << (attempt < 6 ? attempt : 6); /* 2 ms, doubled */
    struct timespec pause = {0, (long)(wf_pg_random(db) % most)};

    nanosleep(&pause, NULL);
}
