#include "work.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "recorder.h"

enum { MOST = 256, NAME = 300 };

/* Free while `until` is 0. */
typedef struct one_work {
    char invocation[NAME];
    int attempt;
    int64_t until;
} one_work;

long work_ms, work_longer_ms;
const char *work_session;
static one_work works[MOST];

int64_t work_time(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000000 + time.tv_nsec / 1000;
}

static one_work *find(const char *invocation, int attempt)
{
    for (int i = 0; i < MOST; i++)
        if (works[i].until && works[i].attempt == attempt &&
            strcmp(works[i].invocation, invocation) == 0)
            return &works[i];
    return NULL;
}

static void say(const char *word, const one_work *one)
{
    note("%s %s %d %s %lld", word, one->invocation, one->attempt, work_session,
         (long long)work_time());
}

static void end(one_work *one)
{
    say("end", one);
    one->until = 0;
}

bool work_begin(const char *invocation, int attempt)
{
    int i = 0;

    if (work_ms == 0)
        return false;
    while (i < MOST && works[i].until)
        i++;
    if (i == MOST)
        abort();
    works[i].attempt = attempt;
    works[i].until = work_time() + work_ms * 1000;
    snprintf(works[i].invocation, sizeof works[i].invocation, "%s", invocation);
    say("begin", &works[i]);
    return true;
}

bool work_is_over(const char *invocation, int attempt)
{
    one_work *one = find(invocation, attempt);

    if (one && one->until > work_time())
        return false;
    if (one)
        end(one);
    return true;
}

void work_cancel(const char *invocation, int attempt)
{
    one_work *one = find(invocation, attempt);

    if (one && !work_longer_ms)
        end(one);
}

void work_cancel_all(void)
{
    for (int i = 0; i < MOST; i++)
        if (works[i].until && !work_longer_ms)
            end(&works[i]);
}

void work_finish(void)
{
    const struct timespec longer = {work_longer_ms / 1000, work_longer_ms % 1000 * 1000000};

    if (work_longer_ms > 0)
        nanosleep(&longer, NULL);
    for (int i = 0; i < MOST; i++)
        if (works[i].until)
            end(&works[i]);
}
