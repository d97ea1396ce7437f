#include "ids.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "shared/files.h"

static int is_letter_or_digit(unsigned char byte)
{
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
           (byte >= '0' && byte <= '9');
}

static int fits(const char *id, size_t index)
{
    unsigned char byte = (unsigned char)id[index];

    return is_letter_or_digit(byte) || (index > 0 && (byte == '-' || byte == '_'));
}

static void describe(unsigned char byte, char text[8])
{
    (void)snprintf(text, 8, byte > ' ' && byte < 0x7F ? "'%c'" : "\\x%02X", byte);
}

int change_id_check(const char *id, host_error *error)
{
    size_t length = strlen(id), index = 0;
    char found[8];

    if (length == 0)
        return host_fail(error, "change id: expected a name, found an empty text");
    while (index < length && fits(id, index))
        index++;
    if (index < length) {
        describe((unsigned char)id[index], found);
        return host_fail(error,
                         "change id: expected letters, digits, '-' and '_', beginning with a "
                         "letter or a digit, found %s at byte %zu",
                         found, index + 1);
    }
    if (length > CHANGE_ID_MOST)
        return host_fail(error, "change id: %zu bytes are more than the %d allowed", length,
                         (int)CHANGE_ID_MOST);
    return 0;
}

int project_at(project *found, const char *folder, host_error *error)
{
    struct stat status;

    found->root = realpath(folder, NULL);
    if (!found->root || stat(found->root, &status) != 0)
        return host_fail(error, "%s: %s", folder, strerror(errno));
    return S_ISDIR(status.st_mode) ? 0 : host_fail(error, "%s: not a folder", folder);
}

/* 1: yes, 0: no, -1: out of memory. */
static int is_project(const char *root)
{
    char *path = host_path_join(root, "agentd");
    struct stat status;
    int is = path ? stat(path, &status) == 0 && S_ISDIR(status.st_mode) : -1;

    free(path);
    return is;
}

/* The workspace of a change may have a folder agentd, too; an agent that works there is at work on
 * the project around it. */
static void leave_workspace(char *root)
{
    char *inside = strstr(root, "/agentd/.worktrees/");

    if (inside)
        inside[inside == root] = '\0';
}

int project_find(project *found, const char *folder, host_error *error)
{
    int is;

    if (project_at(found, folder, error) != 0)
        return -1;
    leave_workspace(found->root);
    while ((is = is_project(found->root)) == 0 && found->root[1] != '\0') {
        char *slash = strrchr(found->root, '/');
        slash[slash == found->root] = '\0';
    }
    if (is < 0)
        return host_fail(error, "out of memory");
    if (is == 0)
        return host_fail(error,
                         "there is no folder agentd in %s or above it; `agentd init` makes one",
                         strcmp(folder, ".") == 0 ? "this folder" : folder);
    return 0;
}

void project_clear(project *found)
{
    free(found->root);
    found->root = NULL;
}

static int is_plain_part(const char *part, size_t length)
{
    return length > 0 && !(length == 1 && part[0] == '.') &&
           !(length == 2 && part[0] == '.' && part[1] == '.');
}

static int has_plain_parts(const char *below)
{
    for (;;) {
        size_t length = strcspn(below, "/");
        if (!is_plain_part(below, length))
            return 0;
        if (below[length] == '\0')
            return 1;
        below += length + 1;
    }
}

static int is_below(const char *root, const char *path)
{
    size_t length = strcmp(root, "/") == 0 ? 0 : strlen(root);

    return strncmp(root, path, length) == 0 && (path[length] == '/' || path[length] == '\0');
}

/* A path that exists, or a link, must lead below the root. 1: it does, 0: nothing exists. */
static int check_place(const char *root, const char *path, host_error *error)
{
    struct stat found;
    char *real;
    int inside;

    if (lstat(path, &found) != 0)
        return errno == ENOENT ? 0 : host_fail(error, "%s: %s", path, strerror(errno));
    real = realpath(path, NULL);
    if (!real)
        return host_fail(error, "%s: %s", path, strerror(errno));
    inside = is_below(root, real);
    free(real);
    return inside ? 1 : host_fail(error, "%s: a link leads out of the project", path);
}

/* From the first part to the last, or to the first that does not exist. */
static int check_way(const char *root, char *path, host_error *error)
{
    char *slash = path + strlen(root);
    int there = 1;

    while (there > 0 && slash) {
        slash = strchr(slash + 1, '/');
        if (slash)
            *slash = '\0';
        there = check_place(root, path, error);
        if (slash)
            *slash = '/';
    }
    return there < 0 ? -1 : 0;
}

char *project_path(const project *in, const char *below, host_error *error)
{
    char *path;

    if (!has_plain_parts(below)) {
        (void)host_fail(error, "%s: expected a path below the project", below);
        return NULL;
    }
    path = host_path_join(in->root, below);
    if (!path)
        (void)host_fail(error, "out of memory");
    if (path && check_way(in->root, path, error) != 0) {
        free(path);
        return NULL;
    }
    return path;
}

static char *path_in(const project *in, const char *folder, const char *id, const char *name,
                     host_error *error)
{
    size_t room = strlen(folder) + strlen(id) + (name ? strlen(name) : 0) + 3;
    char *below = NULL, *path = NULL;

    if (change_id_check(id, error) != 0)
        return NULL;
    below = malloc(room);
    if (!below) {
        (void)host_fail(error, "out of memory");
        return NULL;
    }
    (void)snprintf(below, room, "%s/%s%s%s", folder, id, name ? "/" : "", name ? name : "");
    path = project_path(in, below, error);
    free(below);
    return path;
}

char *change_path(const project *in, const char *id, const char *name, host_error *error)
{
    return path_in(in, "agentd/changes", id, name, error);
}

char *archived_path(const project *in, const char *id, const char *name, host_error *error)
{
    return path_in(in, "agentd/archive", id, name, error);
}
