#include "process_identity.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../base/invariant.h"

enum { START_TIME_FIELD = 22, STATE_FIELD = 3, BOOT_LENGTH = 16 };

/* Files in /proc have no size to ask for; one read gives the short ones whole. */
static int read_short(const char *path, char *text, size_t room)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t got;

    if (fd < 0)
        return -1;
    do {
        got = read(fd, text, room - 1);
    } while (got < 0 && errno == EINTR);
    close(fd);
    if (got <= 0)
        return -1;
    text[got] = '\0';
    return 0;
}

/* The fields after the program's name, which may hold blanks and parentheses itself:
 * they begin behind the last ')' with field 3. */
static int parse_stat(const char *text, char *state, unsigned long long *start)
{
    const char *at = strrchr(text, ')');
    int field;

    if (!at || at[1] != ' ')
        return -1;
    at += 2;
    *state = *at;
    for (field = STATE_FIELD; field < START_TIME_FIELD; field++) {
        at = strchr(at, ' ');
        if (!at)
            return -1;
        at++;
    }
    return sscanf(at, "%llu", start) == 1 ? 0 : -1;
}

static void read_boot(char boot[BOOT_LENGTH + 1])
{
    char text[64];
    size_t length = 0;
    const char *at;

    if (read_short("/proc/sys/kernel/random/boot_id", text, sizeof text) != 0)
        text[0] = '\0';
    for (at = text; *at && *at != '\n' && length < BOOT_LENGTH; at++)
        if (*at != '-')
            boot[length++] = *at;
    boot[length] = '\0';
}

int wfa_process_identity(pid_t pid, char identity[WFA_IDENTITY_SIZE])
{
    char path[48], text[1024], boot[BOOT_LENGTH + 1], state = '?';
    unsigned long long start;

    identity[0] = '\0';
    (void)snprintf(path, sizeof path, "/proc/%ld/stat", (long)pid);
    if (read_short(path, text, sizeof text) != 0)
        return -1;
    if (parse_stat(text, &state, &start) != 0 || state == 'Z' || state == 'X')
        return -1;
    read_boot(boot);
    (void)snprintf(identity, WFA_IDENTITY_SIZE, "%ld:%llu:%s", (long)pid, start, boot);
    WF_INVARIANT(pid < 2 || wfa_identity_pid(identity) == pid);
    return 0;
}

pid_t wfa_identity_pid(const char *identity)
{
    char *end;
    long pid;

    if (identity[0] < '1' || identity[0] > '9')
        return -1;
    errno = 0;
    pid = strtol(identity, &end, 10);
    /* 1 is never ours, and kill(-1) would reach everybody. */
    if (errno != 0 || *end != ':' || pid < 2 || pid > INT_MAX)
        return -1;
    return (pid_t)pid;
}

int wfa_process_alive(const char *identity)
{
    char now[WFA_IDENTITY_SIZE];
    pid_t pid = wfa_identity_pid(identity);

    if (pid < 0)
        return -1;
    if (wfa_process_identity(pid, now) != 0)
        return 0;
    return strcmp(now, identity) == 0;
}
