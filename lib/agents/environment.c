#include "process_spawn.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../base/invariant.h"

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

/* Puts `entry` in the place of its namesake, or behind the last of the `used`. */
static size_t put(char **list, size_t used, char *entry)
{
    size_t index;

    for (index = 0; index < used; index++)
        if (same_name(entry, list[index]))
            break;
    list[index] = entry;
    return index == used ? used + 1 : used;
}

char **wfa_environment(const char *const *extra)
{
    const char *const *inherited = (const char *const *)environ;
    size_t index, used = count(inherited), more = count(extra);
    char **list = calloc(used + more + 1, sizeof *list);

    if (!list)
        return NULL;
    for (index = 0; index < used; index++)
        list[index] = environ[index];
    for (index = 0; index < more; index++)
        used = put(list, used, (char *)(uintptr_t)extra[index]);
    WF_INVARIANT(count((const char *const *)list) == used);
    return list;
}
