/* How a child comes to be: started here, or found where an earlier host left it. */
#include "child.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../base/invariant.h"
#include "files.h"
#include "process_marked.h"
#include "process_spawn.h"

void wfa_child_watch(wfa_child *child)
{
    WF_INVARIANT(child->pid > 1); /* kill(-1) would reach everybody */
    child->watch = -1;
#ifdef SYS_pidfd_open
    child->watch = (int)syscall(SYS_pidfd_open, child->pid, 0);
    if (child->watch >= 0)
        (void)fcntl(child->watch, F_SETFD, FD_CLOEXEC);
#endif
}

/* An earlier process under the same name would write into the same files. */
static int refuse_second(const wfa_child *child, wfa_error *error)
{
    wfa_run_record earlier;
    int found;

    if (wfa_run_record_read(child->paths.run, &earlier, &found, NULL) != 0 || !found)
        return 0;
    if (wfa_process_alive(earlier.identity) != 1)
        return 0;
    return wfa_fail(error, "%s: process %ld of this run is still at work", child->paths.run,
                    (long)wfa_identity_pid(earlier.identity));
}

/* The old record goes first: it must not be taken for one of the new files. */
static int make_files(wfa_child *child, const wfa_child_spec *spec, wfa_error *error)
{
    /* O_APPEND: processes that share a file do not write over one another. */
    const int flags = O_RDWR | O_APPEND;

    if (wfa_folder_check_of(child->paths.run, error) != 0 ||
        wfa_file_remove_own(child->paths.run, error) != 0)
        return -1;
    child->out = wfa_file_make(child->paths.out, flags, error);
    if (child->out < 0)
        return -1;
    child->log = wfa_file_make(child->paths.log, flags, error);
    if (child->log < 0)
        return -1;
    return wfa_file_write(child->paths.in, spec->input ? spec->input : "",
                          spec->input ? spec->input_length : 0, error);
}

static int write_record(void *user, pid_t pid, wfa_error *error)
{
    wfa_child *child = user;

    if (wfa_process_identity(pid, child->record.identity) != 0)
        return wfa_fail(error, "/proc/%ld/stat: cannot be read", (long)pid);
    return wfa_run_record_write(child->paths.run, &child->record, error);
}

/* What the program gets, and the mark: malloc'ed, NULL when out of memory. */
static char **make_environment(const wfa_child *child, const wfa_child_spec *spec)
{
    size_t count = 0;
    const char **entries;
    char **made;

    while (spec->env && spec->env[count])
        count++;
    entries = calloc(count + 2, sizeof *entries);
    if (!entries)
        return NULL;
    if (count > 0)
        memcpy(entries, spec->env, count * sizeof *entries);
    entries[count] = child->mark;
    made = wfa_environment(entries, spec->pass_env);
    free(entries);
    return made;
}

static int spawn_child(wfa_child *child, const wfa_child_spec *spec, wfa_error *error)
{
    wfa_spawn spawn = {
        .argv = spec->argv, .folder = spec->folder, .record = write_record, .user = child};
    int in = wfa_file_open_own(child->paths.in, O_RDONLY, error);
    int status;

    if (in < 0)
        return -1;
    spawn.files[0] = in;
    spawn.files[1] = child->out;
    spawn.files[2] = child->log;
    spawn.environment = make_environment(child, spec);
    if (spawn.environment)
        status = wfa_spawn_run(&spawn, &child->pid, error);
    else
        status = wfa_no_memory(error);
    free(spawn.environment);
    close(in);
    return status;
}

static int run_child(wfa_child *child, const wfa_child_spec *spec, wfa_error *error)
{
    if (!spec->argv || !spec->argv[0] || !spec->argv[0][0])
        return wfa_fail(error, "no program to run");
    if (refuse_second(child, error) != 0)
        return -1;
    if (make_files(child, spec, error) != 0)
        return -1;
    return spawn_child(child, spec, error);
}

int wfa_child_start(wfa_children *children, const wfa_child_spec *spec, wfa_child **child,
                    wfa_error *error)
{
    wfa_child *made = wfa_child_new(children, spec);
    wfa_error reason = {.status = WFSM_OK};

    *child = made;
    if (!made)
        return wfa_no_memory(error);
    made->begun = wfa_monotonic_ms();
    made->record.started = wfa_wall_ms();
    (void)snprintf(made->record.token, WFA_TOKEN_SIZE, "%s", spec->token ? spec->token : "-");
    if (run_child(made, spec, &reason) == 0) {
        wfa_child_watch(made);
        return 0;
    }
    (void)snprintf(made->message, sizeof made->message, "%s", reason.message);
    wfa_child_finish(made, WFA_END_SPAWN_FAILED, 0);
    return 0;
}

static int open_found_files(wfa_child *child, wfa_error *error)
{
    child->out = wfa_file_open_own(child->paths.out, O_RDONLY | O_NONBLOCK, error);
    if (child->out < 0)
        return -1;
    child->log = wfa_file_open_own(child->paths.log, O_RDONLY | O_NONBLOCK, error);
    return child->log < 0 ? -1 : 0;
}

static void continue_watch(wfa_child *child)
{
    int64_t age = wfa_wall_ms() - child->record.started;

    child->adopted = 1;
    child->begun = wfa_monotonic_ms() - (age > 0 ? age : 0);
    child->pid = wfa_identity_pid(child->record.identity);
    wfa_child_watch(child);
    /* The number is bound to a process only now, so check that it is still the right one. */
    if (child->record.end != WFA_END_NONE)
        wfa_child_finish(child, (wfa_child_end)child->record.end, child->record.code);
    else if (wfa_process_alive(child->record.identity) != 1) {
        wfa_marked_kill(child->mark);
        wfa_child_finish(child, WFA_END_UNSEEN, 0);
    }
}

static int find_child(wfa_child *child, const wfa_child_spec *spec, int *found,
                      wfa_error *error)
{
    if (wfa_run_record_read(child->paths.run, &child->record, found, error) != 0)
        return -1;
    if (*found && spec->token)
        *found = strcmp(child->record.token, spec->token) == 0;
    if (!*found)
        return 0;
    return open_found_files(child, error);
}

int wfa_child_adopt(wfa_children *children, const wfa_child_spec *spec, wfa_child **child,
                    wfa_error *error)
{
    wfa_child *made = wfa_child_new(children, spec);
    int found = 0, status;

    *child = NULL;
    if (!made)
        return wfa_no_memory(error);
    status = find_child(made, spec, &found, error);
    if (status == 0 && found) {
        continue_watch(made);
        *child = made;
        return 0;
    }
    wfa_child_free(made);
    return status;
}
