/* agentd diff: what a change's specs would change in agentd/specs, by diff(1). */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "agentd.h"
#include "folder.h"
#include "place.h"
#include "wfsm/shown.h"

extern char **environ;

typedef struct command {
    char file[PATH_MAX];
    const char *words[10];
} command;

/* In the absolute folders of PATH only: the folder of the project may have a program of that name. */
static int find_program(const char *name, char *file, size_t room)
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

/* What it writes goes into the pipe, also its errors. */
static int start(const command *what, const int *ends, pid_t *child)
{
    posix_spawn_file_actions_t actions;
    int failed = posix_spawn_file_actions_init(&actions);

    if (failed)
        return failed;
    failed = posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    if (!failed)
        failed = posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
    if (!failed)
        failed = posix_spawn(child, what->file, &actions, NULL,
                             (char *const *)(uintptr_t)what->words, environ);
    (void)posix_spawn_file_actions_destroy(&actions);
    return failed;
}

/* Takes `end`. The lines are those of the specs, which agents write. */
static void show_lines(int end)
{
    FILE *in = fdopen(end, "r");
    char *line = NULL;
    size_t room = 0;
    ssize_t length;

    if (!in) {
        (void)close(end);
        return;
    }
    while ((length = getline(&line, &room, in)) >= 0)
        shown_text(stdout, line, (size_t)length);
    free(line);
    (void)fclose(in);
}

static int status_of(pid_t child)
{
    int status;

    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static int run(const command *what)
{
    int ends[2], failed = pipe2(ends, O_CLOEXEC) != 0 ? errno : 0;
    pid_t child;

    if (!failed) {
        failed = start(what, ends, &child);
        (void)close(ends[1]);
        if (failed)
            (void)close(ends[0]);
    }
    if (failed) {
        print_error("%s: %s", what->file, strerror(failed));
        return -1;
    }
    show_lines(ends[0]);
    return status_of(child);
}

/* 0: the same; 1: different; any other value: an error. */
static int run_diff(const char *old, const char *new, const char *id, const char *spec)
{
    char old_label[512], new_label[512];
    command diff = {.words = {"diff", "-u", "-L", old_label, "-L", new_label, "--", old, new}};
    char *shown = shown_line(spec, strlen(spec)); /* a line break in it would forge a line */

    (void)snprintf(old_label, sizeof old_label, "agentd/%.200s", shown ? shown : "");
    (void)snprintf(new_label, sizeof new_label, "agentd/changes/%.110s/%.200s", id,
                   shown ? shown : "");
    free(shown);
    if (find_program("diff", diff.file, sizeof diff.file))
        return run(&diff);
    print_error("diff: not found in PATH");
    return -1;
}

static int diff_spec(const place *at, const char *id, const char *spec, host_error *error)
{
    char below[512], *old, *new;
    int found = -1;

    (void)snprintf(below, sizeof below, "agentd/%s", spec);
    old = project_path(&at->in, below, error);
    new = old ? change_path(&at->in, id, spec, error) : NULL;
    if (new)
        found = run_diff(access(old, F_OK) == 0 ? old : "/dev/null", new, id, spec);
    free(new);
    free(old);
    return found;
}

static int diff_all(const place *at, const char *id)
{
    host_error why = {"diff failed"};
    json_t *paths = folder_paths(&at->in, id, &why), *path;
    size_t index;
    int code = paths ? END_DONE : host_failed(&why, END_STORE), found;

    json_array_foreach(paths, index, path)
    {
        if (!folder_is_spec(json_string_value(path)))
            continue;
        found = diff_spec(at, id, json_string_value(path), &why);
        if (found < 0 || found > 1)
            code = host_failed(&why, END_STORE);
    }
    json_decref(paths);
    return code;
}

static int check_there(const place *at, const char *id)
{
    host_error why;
    char *folder = change_path(&at->in, id, NULL, &why);
    int there = folder && access(folder, F_OK) == 0;

    if (!folder)
        return host_failed(&why, END_USAGE);
    free(folder);
    if (there)
        return END_DONE;
    print_error("agentd/changes/%s: there is no such change", id);
    return END_REFUSED;
}

int cmd_diff(const arguments *given)
{
    place at;
    int code = place_find(&at);

    if (code == END_DONE)
        code = check_there(&at, given->id);
    if (code == END_DONE)
        code = diff_all(&at, given->id);
    place_clear(&at);
    return code;
}
