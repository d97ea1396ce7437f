#include "data.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* By the place of the running program, so that a copied prefix works as well. */
char *host_data_path(const char *host, const char *name)
{
    char program[4096], path[4600];
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    char *slash;

    if (length <= 0)
        return NULL;
    program[length] = '\0';
    slash = strrchr(program, '/');
    if (!slash)
        return NULL;
    *slash = '\0';
    (void)snprintf(path, sizeof path, "%s/../share/wfsm/%s/%s", program, host, name);
    return realpath(path, NULL);
}
