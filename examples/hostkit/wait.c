#include "wait.h"

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
