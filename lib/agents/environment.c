/* The environment of a program: what doc/process-agents.md lists, and what was asked for. The rest of
 * the host's stays with the host: keys of other agents, for example. */
#include "process_spawn.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../base/invariant.h"

/* Without these hardly any program works. None of them is a secret. */
static const char *const usual[] = {"HOME", "LANG",   "LANGUAGE", "LOGNAME", "PATH", "SHELL",
                                    "TERM", "TMPDIR", "TZ",       "USER",    NULL};

static size_t count(const char *const *list)
{
    size_t number = 0;

    while (list && list[number])
        number++;
    return number;
}

static int same_name(const char *one, const char *other)
{
    size_t length = strcspn(one, "=");

    return strncmp(one, other, length) == 0 && other[length] == '=';
}

static int is_in(const char *entry, const char *const *names)
{
    for (; names && *names; names++)
        if (same_name(*names, entry))
            return 1;
    return 0;
}

/* Puts `entry` in the place of its namesake, or behind the last of the `used`. */
static size_t put(const char **list, size_t used, const char *entry)
{
    size_t index;

    for (index = 0; index < used; index++)
        if (same_name(entry, list[index]))
            break;
    list[index] = entry;
    return index == used ? used + 1 : used;
}

/* The value of PATH without the folders that depend on where a program works: empty ones and
 * relative ones. The program would find in its workspace what it looks for in the system. */
static void copy_path(const char *from, char *to)
{
    char *begin = to;

    while (*from) {
        size_t length = strcspn(from, ":");

        if (*from == '/') {
            if (to > begin)
                *to++ = ':';
            memcpy(to, from, length);
            to += length;
        }
        from += length + (from[length] == ':');
    }
    *to = '\0';
}

/* `room` has as many bytes as the entry needs. NULL if no folder is left. */
static const char *with_safe_path(const char *entry, char *room)
{
    enum { NAME = sizeof "PATH=" - 1 };

    memcpy(room, entry, NAME);
    copy_path(entry + NAME, room + NAME);
    return room[NAME] ? room : NULL;
}

static int is_passed(const char *entry, const char *const *pass)
{
    return is_in(entry, usual) || strncmp(entry, "LC_", 3) == 0 || is_in(entry, pass);
}

char **wfa_environment(const char *const *extra, const char *const *pass)
{
    const char *const *inherited = (const char *const *)environ;
    const char *path = NULL;
    size_t index, used = 0, given = count(inherited), more = count(extra);
    size_t room = (given + more + 1) * sizeof(char *);
    const char **list;

    for (index = 0; index < given; index++)
        if (strncmp(inherited[index], "PATH=", 5) == 0)
            path = inherited[index];
    list = calloc(1, room + (path ? strlen(path) + 1 : 0));
    if (!list)
        return NULL;
    for (index = 0; index < given; index++) {
        const char *entry = inherited[index];

        if (strncmp(entry, "PATH=", 5) == 0)
            entry = entry == path ? with_safe_path(entry, (char *)list + room) : NULL;
        if (entry && is_passed(entry, pass))
            list[used++] = entry;
    }
    for (index = 0; index < more; index++)
        used = put(list, used, extra[index]);
    WF_INVARIANT(used <= given + more && !list[used]);
    return (char **)(uintptr_t)list;
}
