#include "process_marked.h"

#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { MOST_PASSES = 20 };

/* Entries end with a NUL. */
static int has_entry(FILE *in, const char *entry)
{
    const size_t length = strlen(entry), differs = length + 1;
    size_t same = 0;
    int byte;

    while ((byte = getc(in)) != EOF) {
        if (byte == '\0' && same == length)
            return 1;
        if (byte == '\0')
            same = 0;
        else
            same = same < length && byte == (unsigned char)entry[same] ? same + 1 : differs;
    }
    return same == length;
}

static int is_marked(pid_t pid, const char *entry)
{
    char path[48];
    FILE *in;
    int found;

    (void)snprintf(path, sizeof path, "/proc/%ld/environ", (long)pid);
    in = fopen(path, "re");
    if (!in)
        return 0;
    found = has_entry(in, entry);
    (void)fclose(in);
    return found;
}

/* The number is bound to the process first, because another one may get it. */
static int kill_marked(pid_t pid, const char *entry)
{
    int handle = -1, found;

#if defined(SYS_pidfd_open) && defined(SYS_pidfd_send_signal)
    handle = (int)syscall(SYS_pidfd_open, pid, 0);
#endif
    found = is_marked(pid, entry);
#if defined(SYS_pidfd_open) && defined(SYS_pidfd_send_signal)
    if (found && handle >= 0)
        (void)syscall(SYS_pidfd_send_signal, handle, SIGKILL, NULL, 0);
#endif
    if (found && handle < 0)
        (void)kill(pid, SIGKILL);
    if (handle >= 0)
        (void)close(handle);
    return found;
}

/* How many were found. */
static int kill_once(const char *entry)
{
    DIR *all = opendir("/proc");
    const struct dirent *one;
    int found = 0;

    while (all && (one = readdir(all))) {
        long pid =
            one->d_name[0] >= '1' && one->d_name[0] <= '9' ? strtol(one->d_name, NULL, 10) : 0;
        if (pid > 1 && pid != (long)getpid())
            found += kill_marked((pid_t)pid, entry);
    }
    if (all)
        (void)closedir(all);
    return found;
}

void wfa_marked_kill(const char *entry)
{
    int passes;

    for (passes = 0; passes < MOST_PASSES && kill_once(entry) > 0; passes++)
        continue;
}
