#include "wfsm/work.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>
#include "wfsm/shown.h"

/* How often a worker looks for new instances, and how often in a row its store may fail. */
enum { HURRY_MS = 50, LOOK_MS = 1000, MOST_FAILURES = 10, LONG_AGO_MS = 60000 };

static bool set_timer(const work *self, int64_t ms)
{
    const struct itimerspec when = {
        .it_value = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000}};
    return timerfd_settime(self->timer, 0, &when, NULL) == 0;
}

/* While there is nothing to take, a server is asked less and less often. */
static int64_t next_look(work *self, bool took)
{
    if (self->has_more && !self->is_file)
        return 1; /* after the next round */
    int64_t most = self->is_file ? LOOK_MS : self->lapse_ms / 3;
    self->look_ms = took || self->look_ms == 0 ? LOOK_MS : self->look_ms * 2;
    if (self->look_ms > most)
        self->look_ms = most > LOOK_MS ? most : LOOK_MS;
    return work_jitter(self, self->look_ms);
}

static void look(void *user, int32_t descriptor, int32_t events)
{
    work *self = user;
    uint64_t times;
    ssize_t got = read(descriptor, &times, sizeof times);
    (void)got, (void)events;
    self->is_hurried = false;
    work_metrics_run(self);
    trace_exporter_look(&self->exporter);
    work_sweep(self, wfsm_agents_now());
    set_timer(self, next_look(self, work_adopt(self, wfsm_agents_now())));
}

/* The store says that others have done something. Workers that are told at the same time do not all look at once. */
static void wake(void *user, int32_t descriptor, int32_t events)
{
    work *self = user;
    (void)descriptor, (void)events;
    wfsm_engine_look(wfsm_loop_engine(self->loop));
    if (!self->is_hurried)
        self->is_hurried = set_timer(self, 1 + rand_r(&self->seed) % HURRY_MS);
}

static bool begin(work *self)
{
    self->timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
    if (self->timer < 0 || !set_timer(self, 1)) {
        cli_say("a timer cannot be made: %s", strerror(errno));
        return false;
    }
    int32_t told = wfsm_engine_fd(wfsm_loop_engine(self->loop));
    int32_t status =
        wfsm_loop_watch(self->loop, self->timer, WFSM_LOOP_READ, look, self, self->error);
    if (status == WFSM_OK && told >= 0)
        status = wfsm_loop_watch(self->loop, told, WFSM_LOOP_READ, wake, self, self->error);
    if (status != WFSM_OK)
        cli_say_error(self->path, self->error);
    return status == WFSM_OK;
}

static void wait_a_second(void)
{
    nanosleep(&(struct timespec){.tv_sec = 1}, NULL);
}

/* A store that fails is tried again: a server may be restarted, a disk may have been full. */
int work_run(work *self)
{
    int failures = 0;
    int64_t last = 0;
    if (!begin(self))
        return CLI_FAILED;
    while (wfsm_loop_signal(self->loop) == 0) {
        int32_t status = wfsm_loop_run(self->loop, self->error);
        if (status == WFSM_OK || wfsm_loop_signal(self->loop) != 0)
            continue;
        int64_t now = wfsm_agents_now();
        failures = now - last < LONG_AGO_MS ? failures + 1 : 1;
        last = now;
        cli_say_error(self->path, self->error);
        if (failures == MOST_FAILURES)
            return CLI_FAILED;
        wait_a_second();
    }
    shown_printf("ends: its instances belong to nobody\n");
    return CLI_OK;
}
