#include "wait.h"

#include "clock.h"

enum { PATIENCE = 60000 };

/* How long a child's end may go unseen while the network is waited for. */
enum { CHILD_MS = 50 };

int hk_wait(hk_children *children, hk_http *http, int64_t timeout_ms)
{
    int fresh;

    if (!http || hk_http_running(http) == 0)
        return hk_children_poll(children, timeout_ms);
    if (hk_children_running(children) > 0 && (timeout_ms < 0 || timeout_ms > CHILD_MS))
        timeout_ms = CHILD_MS;
    fresh = hk_http_poll(http, timeout_ms);
    return fresh + hk_children_poll(children, 0);
}

int hk_wait_until(hk_children *children, hk_http *http, int64_t time, int64_t longest)
{
    int64_t left = time - hk_now();

    if (left > longest)
        left = longest;
    return hk_wait(children, http, left > 0 ? left : 0);
}

void hk_wait_ended(hk_children *children)
{
    int64_t end = hk_now() + PATIENCE;

    while (hk_children_running(children) > 0 && hk_now() < end)
        (void)hk_children_poll(children, 50);
}
