/* Finds the file of a program in PATH, as execvp() does, except that it never looks in the folder in
 * which the program will work. */
#include "process_spawn.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Where the system's programs are, for an environment without PATH. */
static const char *const usual_path = "/usr/local/bin:/usr/bin:/bin";

static const char *path_of(char *const *environment)
{
    for (; *environment; environment++)
        if (strncmp(*environment, "PATH=", 5) == 0)
            return *environment + 5;
    return usual_path;
}

static int is_program(const char *file)
{
    struct stat status;

    if (access(file, X_OK) != 0 || stat(file, &status) != 0)
        return 0;
    if (S_ISREG(status.st_mode))
        return 1;
    errno = EACCES;
    return 0;
}

/* The first of the folders that has such a program; NULL and errno, which is EACCES if a file of the
 * name may not be run. */
static char *find(const char *name, const char *path)
{
    char *file = malloc(strlen(path) + strlen(name) + 2);
    int number = ENOENT;

    while (file && *path) {
        size_t length = strcspn(path, ":");

        (void)sprintf(file, "%.*s/%s", (int)length, path, name);
        if (*path == '/' && is_program(file))
            return file;
        if (*path == '/' && errno == EACCES)
            number = EACCES;
        path += length + (path[length] == ':');
    }
    errno = file ? number : ENOMEM;
    free(file);
    return NULL;
}

char *wfa_program_path(const char *name, char *const *environment)
{
    return strchr(name, '/') ? strdup(name) : find(name, path_of(environment));
}
