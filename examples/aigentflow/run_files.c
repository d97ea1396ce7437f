#include "run_files.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "shared/files.h"

static int is_plain(char byte)
{
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
           (byte >= '0' && byte <= '9') || byte == '-' || byte == '_' || byte == '.';
}

void run_name(const char *id, char name[RUN_NAME_SIZE])
{
    size_t length = 0;
    const char *at;

    for (at = id; *at && length < RUN_NAME_SIZE - 4; at++) {
        if (*at == '/')
            name[length++] = '+';
        else if (is_plain(*at) && !(*at == '.' && at == id))
            name[length++] = *at;
        else
            length +=
                (size_t)snprintf(name + length, 4, "%%%02X", (unsigned)(unsigned char)*at);
    }
    name[length] = '\0';
}

/* INSTANCE+REVISION+ORDINAL… : behind the instance there is one more +. */
int run_is_of(const char *file, const char *instance)
{
    char name[RUN_NAME_SIZE];
    size_t length;
    const char *plus;

    run_name(instance, name);
    length = strlen(name);
    if (strncmp(file, name, length) != 0 || file[length] != '+')
        return 0;
    plus = strchr(file + length + 1, '+');
    return plus != NULL && strchr(plus + 1, '+') == NULL;
}

static int delete_one(const char *folder, const char *name)
{
    char *path = host_path_join(folder, name);
    int done = path && unlink(path) == 0;

    free(path);
    return done;
}

size_t run_files_delete(const char *folder, const char *instance)
{
    DIR *files = opendir(folder);
    const struct dirent *one;
    size_t count = 0;

    while (files && (one = readdir(files)) != NULL)
        if (run_is_of(one->d_name, instance))
            count += delete_one(folder, one->d_name) != 0;
    if (files)
        (void)closedir(files);
    return count;
}

static int is_log(const char *name)
{
    size_t length = strlen(name);

    return length > 4 && strcmp(name + length - 4, ".log") == 0;
}

typedef struct newest {
    char *path;
    struct timespec when;
} newest;

static int is_later(const struct timespec *one, const struct timespec *other)
{
    return one->tv_sec > other->tv_sec ||
           (one->tv_sec == other->tv_sec && one->tv_nsec > other->tv_nsec);
}

static void consider(newest *found, char *path)
{
    struct stat about;

    if (path && stat(path, &about) == 0 && about.st_size > 0 &&
        (!found->path || is_later(&about.st_mtim, &found->when))) {
        free(found->path);
        found->path = path;
        found->when = about.st_mtim;
        return;
    }
    free(path);
}

char *run_newest_log(const char *folder, const char *instance)
{
    DIR *files = opendir(folder);
    const struct dirent *one;
    newest found = {NULL, {0, 0}};

    while (files && (one = readdir(files)) != NULL)
        if (is_log(one->d_name) && run_is_of(one->d_name, instance))
            consider(&found, host_path_join(folder, one->d_name));
    if (files)
        (void)closedir(files);
    return found.path;
}
