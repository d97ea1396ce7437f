#include "program.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <spawn.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "text.h"

extern char **environ;

int program_find(const char *name, char *file, size_t room)
{
    const char *at = getenv("PATH");
    size_t length;

    for (at = at ? at : "/usr/bin:/bin"; *at; at += length + (at[length] == ':')) {
        length = strcspn(at, ":");
        if (*at != '/' || snprintf(file, room, "%.*s/%s", (int)length, at, name) >= (int)room)
            continue;
        if (access(file, X_OK) == 0)
            return 1;
    }
    return 0;
}

static int redirect(posix_spawn_file_actions_t *actions, int how, int out)
{
    int failed = posix_spawn_file_actions_adddup2(actions, out, STDOUT_FILENO);

    if (!failed && how & PROGRAM_ERRORS)
        failed = posix_spawn_file_actions_adddup2(actions, out, STDERR_FILENO);
    if (!failed && !(how & PROGRAM_ERRORS))
        failed =
            posix_spawn_file_actions_addopen(actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    if (!failed && how & PROGRAM_APART)
        failed =
            posix_spawn_file_actions_addopen(actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    return failed;
}

static int spawn(const char *file, const char *const *words, int how, const int *ends,
                 pid_t *child)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    int failed = posix_spawn_file_actions_init(&actions);

    if (failed)
        return failed;
    failed = posix_spawnattr_init(&attributes);
    if (!failed) {
        failed = redirect(&actions, how, ends[1]);
        if (!failed && how & PROGRAM_APART)
            failed = posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID);
        if (!failed)
            failed = posix_spawn(child, file, &actions, &attributes,
                                 (char *const *)(uintptr_t)words, environ);
        (void)posix_spawnattr_destroy(&attributes);
    }
    (void)posix_spawn_file_actions_destroy(&actions);
    return failed;
}

int program_start(program *run, const char *const *words, int how, host_error *error)
{
    char file[PATH_MAX];
    int ends[2], failed;

    if (!program_find(words[0], file, sizeof file))
        return host_fail(error, "%s: not found in PATH", words[0]);
    if (pipe2(ends, O_CLOEXEC) != 0)
        return host_fail(error, "%s: %s", words[0], strerror(errno));
    failed = spawn(file, words, how, ends, &run->child);
    (void)close(ends[1]);
    run->out = failed ? NULL : fdopen(ends[0], "r");
    if (run->out)
        return 0;
    (void)close(ends[0]);
    if (!failed)
        (void)program_end(run);
    return host_fail(error, "%s: %s", words[0], failed ? strerror(failed) : "out of memory");
}

int program_end(program *run)
{
    int status;

    if (run->out)
        (void)fclose(run->out);
    run->out = NULL;
    while (waitpid(run->child, &status, 0) < 0)
        if (errno != EINTR)
            return -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* -1: too long, or out of memory. */
static int read_all(FILE *in, size_t limit, host_text *text)
{
    char bytes[4096];
    size_t length;

    while ((length = fread(bytes, 1, sizeof bytes, in)) > 0)
        if (text->length + length > limit || host_text_add(text, bytes, length) != 0)
            return -1;
    return host_text_add(text, "", 0);
}

int program_finish(program *run, const char *name, size_t limit, char **text, size_t *length,
                   host_error *error)
{
    host_text all = {.data = NULL};
    int done = read_all(run->out, limit, &all);
    int status = program_end(run);

    if (done != 0 || status < 0) {
        host_text_free(&all);
        return host_fail(error, "%s: %s", name,
                         done != 0 ? "its output is too long" : "it was killed");
    }
    *text = all.data;
    *length = all.length;
    return status;
}

int program_read(const char *const *words, size_t limit, char **text, size_t *length,
                 host_error *error)
{
    program run;
    int status;

    if (program_start(&run, words, 0, error) != 0)
        return -1;
    status = program_finish(&run, words[0], limit, text, length, error);
    if (status <= 0)
        return status;
    free(*text);
    *text = NULL;
    return host_fail(error, "%s: has failed", words[0]);
}
