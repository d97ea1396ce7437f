/* The clocks of hosts of agents. */
#include <wfsm/agents.h>

#include <time.h>

int64_t wfsm_agents_now(void)
{
    struct timespec time;

    (void)clock_gettime(CLOCK_REALTIME, &time);
    return (int64_t)time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

int64_t wfsm_agents_clock(void *user)
{
    struct timespec time;

    (void)user;
    (void)clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000 + time.tv_nsec / 1000000;
}
