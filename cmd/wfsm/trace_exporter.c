/* The exporter of a worker or a server. A store that is open may not be used in a child, so the child begins as a new
 * program. */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include "wfsm/forked.h"
#include "wfsm/trace.h"

/* One that runs for so long has not failed at once. */
enum { FIRST_PAUSE_MS = 1000, MOST_PAUSE_MS = 60000 };

static int64_t monotonic_ms(void)
{
    struct timespec now = {0};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void plan(trace_exporter *self, const char *why)
{
    int64_t now = monotonic_ms();
    bool at_once = now - self->began < MOST_PAUSE_MS;
    self->pause = at_once && self->pause > 0 ? 2 * self->pause : FIRST_PAUSE_MS;
    if (self->pause > MOST_PAUSE_MS)
        self->pause = MOST_PAUSE_MS;
    self->next = now + self->pause;
    self->process = 0;
    cli_say(
        "%s: the exporter of spans %s; it starts again in %d s. wfsm trace exports what ends until then",
        self->path, why, (int)(self->pause / 1000));
}

void trace_exporter_start(trace_exporter *self)
{
    const char *words[9] = {"trace", "--follow", "--otlp", self->url};
    int count = 4;
    if (!self->url)
        return;
    if (self->agents) {
        words[count++] = "--agents";
        words[count++] = self->agents;
    }
    words[count++] = "--";
    words[count] = self->path;
    self->began = monotonic_ms();
    self->process = forked_program(words);
    if (self->process < 0)
        plan(self, "cannot be started");
}

static void note_end(trace_exporter *self, int status)
{
    char why[64];
    if (WIFSIGNALED(status))
        snprintf(why, sizeof why, "was ended by signal %d", WTERMSIG(status));
    else
        snprintf(why, sizeof why, "has ended with exit code %d", WEXITSTATUS(status));
    plan(self, why);
}

void trace_exporter_look(trace_exporter *self)
{
    int status = 0;
    if (self->process > 0 && waitpid(self->process, &status, WNOHANG) == self->process)
        note_end(self, status);
    if (self->url && self->process == 0 && monotonic_ms() >= self->next)
        trace_exporter_start(self);
}

void trace_exporter_end(trace_exporter *self)
{
    if (self->process <= 0)
        return;
    kill(self->process, SIGTERM);
    forked_code(self->process);
    self->process = 0;
}
