/* The descriptors of a loop, and its waiting. */
#include "loop.h"

#include <stdlib.h>

#include "../base/invariant.h"

static size_t find(const wfsm_loop *loop, int descriptor)
{
    size_t i = 0;

    while (i < loop->watch_count && loop->watches[i].descriptor != descriptor)
        i++;
    return i;
}

/* Room for one more; what is there stays as it is when there is none. The arrays never shrink,
 * because call_ready() may be at their end. */
static int make_room(wfsm_loop *loop)
{
    size_t count = loop->watch_count + 1;
    wfa_watch *watches;
    struct pollfd *polled;

    if (count <= loop->watch_room)
        return 0;
    watches = realloc(loop->watches, count * sizeof *watches);
    if (!watches)
        return -1;
    loop->watches = watches;
    polled = realloc(loop->polled, count * sizeof *polled);
    if (!polled)
        return -1;
    loop->polled = polled;
    loop->watch_room = count;
    return 0;
}

int32_t wfsm_loop_watch(wfsm_loop *loop, int32_t descriptor, int32_t events,
                        wfsm_loop_ready ready, void *user, wfsm_error *error)
{
    const int32_t known = WFSM_LOOP_READ | WFSM_LOOP_WRITE;
    size_t at;

    if (!loop || descriptor < 0 || (events & ~known) || (events && !ready))
        return wfsm_error_set(error, WFSM_INVALID, "expected a loop, a descriptor and events");
    at = find(loop, descriptor);
    if (!events) {
        if (at < loop->watch_count)
            loop->watches[at] = loop->watches[--loop->watch_count];
        return WFSM_OK;
    }
    if (at == loop->watch_count) {
        if (make_room(loop) != 0)
            return wfsm_error_set(error, WFSM_NO_MEMORY, "out of memory");
        loop->watch_count++;
    }
    loop->watches[at] = (wfa_watch){descriptor, events, ready, user};
    return WFSM_OK;
}

static size_t fill(wfsm_loop *loop)
{
    size_t i;

    for (i = 0; i < loop->watch_count; i++) {
        int32_t events = loop->watches[i].events;
        loop->polled[i] = (struct pollfd){.fd = loop->watches[i].descriptor};
        if (events & WFSM_LOOP_READ)
            loop->polled[i].events |= POLLIN;
        if (events & WFSM_LOOP_WRITE)
            loop->polled[i].events |= POLLOUT;
    }
    return i;
}

static int32_t occurred(short polled)
{
    int32_t events = 0;

    if (polled & (POLLIN | POLLHUP | POLLERR | POLLNVAL))
        events |= WFSM_LOOP_READ;
    if (polled & (POLLOUT | POLLERR))
        events |= WFSM_LOOP_WRITE;
    return events;
}

/* A callback may add and remove watches, which moves both arrays. So each watch is looked for again, and is
 * not called if it was removed. */
static void call_ready(wfsm_loop *loop, size_t count)
{
    const wfa_watch *watch;
    size_t i, at;

    for (i = 0; i < count; i++) {
        int32_t events = occurred(loop->polled[i].revents);
        at = find(loop, loop->polled[i].fd);
        if (!events || at == loop->watch_count)
            continue;
        watch = &loop->watches[at];
        /* a hang-up counts as what is watched for */
        events = events & watch->events ? events & watch->events : watch->events;
        watch->ready(watch->user, watch->descriptor, events);
    }
}

void wfa_loop_wait(wfsm_loop *loop, int64_t milliseconds)
{
    wfsm_agents *agents = loop->options.agents;
    size_t count;

    WF_INVARIANT(milliseconds >= 0 && milliseconds <= loop->options.poll_ms);
    if (agents && wfsm_agents_working(agents) > 0) {
        (void)wfsm_agents_wait(agents, milliseconds);
        milliseconds = 0;
    }
    count = fill(loop);
    if (poll(loop->polled, count, (int)milliseconds) > 0)
        call_ready(loop, count);
}
