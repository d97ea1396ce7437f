#include "wait.h"

#include "clock.h"

enum { PATIENCE = 60000 };

/* How long a child's end may go unseen while the network is waited for. */
enum { CHILD_MS = 50 };

int wfa_wait(wfa_children *children, wfa_http *http, int64_t timeout_ms)
{
    int fresh;

    if (!http || wfa_http_running(http) == 0)
        return wfa_children_poll(children, timeout_ms);
    if (wfa_children_running(children) > 0 && (timeout_ms < 0 || timeout_ms > CHILD_MS))
        timeout_ms = CHILD_MS;
    fresh = wfa_http_poll(http, timeout_ms);
    return fresh + wfa_children_poll(children, 0);
}

int wfa_wait_until(wfa_children *children, wfa_http *http, int64_t time, int64_t longest)
{
    int64_t left = time - wfa_now();

    if (left > longest)
        left = longest;
    return wfa_wait(children, http, left > 0 ? left : 0);
}

void wfa_wait_ended(wfa_children *children)
{
    int64_t end = wfa_now() + PATIENCE;

    while (wfa_children_running(children) > 0 && wfa_now() < end)
        (void)wfa_children_poll(children, 50);
}
