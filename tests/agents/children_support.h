/* Children that are shell scripts, started and waited for. */
#ifndef TESTS_HOSTS_CHILDREN_SUPPORT_H
#define TESTS_HOSTS_CHILDREN_SUPPORT_H

#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "agents/files.h"
#include "agents/process.h"
#include "agents/process_identity.h"
#include "hosts/workspace.h"

static wfa_children *children;

static inline void begin_children(void)
{
    workspace_make();
    children = wfa_children_new();
    TEST_ASSERT_NOT_NULL(children);
}

static inline void end_children(void)
{
    wfa_children_free(children);
    workspace_remove();
}

static inline int64_t now_ms(void)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static inline void nap(long ms)
{
    struct timespec time = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};

    (void)nanosleep(&time, NULL);
}

/* A shell script as an agent; the spec's lists and path live until the next call. */
static inline wfa_child_spec script(const char *name, const char *text)
{
    static const char *argv[4];
    static char base[256];
    wfa_child_spec spec = {.argv = argv, .base = base, .grace_ms = 100, .timeout_ms = 120000};

    (void)snprintf(base, sizeof base, "%s", in_workspace(name));
    argv[0] = "sh";
    argv[1] = "-c";
    argv[2] = text;
    return spec;
}

static inline wfa_child *start(const wfa_child_spec *spec)
{
    wfa_child *child = NULL;
    wfa_error error;

    TEST_ASSERT_EQUAL(0, wfa_child_start(children, spec, &child, &error));
    return child;
}

static inline void wait_for(const wfa_child *child)
{
    int64_t limit = now_ms() + 60000;

    while (wfa_child_state_of(child) != WFA_CHILD_ENDED && now_ms() < limit)
        (void)wfa_children_poll(children, 1000);
    TEST_ASSERT_EQUAL(WFA_CHILD_ENDED, wfa_child_state_of(child));
}

static inline wfa_child *run(const wfa_child_spec *spec)
{
    wfa_child *child = start(spec);

    wait_for(child);
    return child;
}

static inline void assert_output(wfa_child *child, const char *expected)
{
    size_t length;
    const char *text = wfa_child_output(child, &length, NULL);

    TEST_ASSERT_EQUAL_STRING(expected, text);
    TEST_ASSERT_EQUAL(strlen(expected), length);
}

/* The file that a script wrote its process number to, once it is there. */
static inline pid_t told_pid(const char *name)
{
    int64_t limit = now_ms() + 60000;
    const char *path = in_workspace(name);
    long pid = 0;

    while (pid == 0 && now_ms() < limit) {
        FILE *file = fopen(path, "r");
        if (file && fscanf(file, "%ld\n", &pid) != 1)
            pid = 0;
        if (file)
            (void)fclose(file);
        nap(5);
    }
    TEST_ASSERT_TRUE(pid > 1);
    return (pid_t)pid;
}

static inline int is_there(pid_t pid)
{
    char identity[WFA_IDENTITY_SIZE];

    return wfa_process_identity(pid, identity) == 0;
}

static inline void assert_goes_away(pid_t pid)
{
    int64_t limit = now_ms() + 60000;

    while (is_there(pid) && now_ms() < limit)
        nap(5);
    TEST_ASSERT_FALSE(is_there(pid));
}

#endif
