/* The archive. Only one runs at a time in a project. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <errno.h>
#include <sys/file.h>
#include <unistd.h>

#include "archive.h"
#include "builtin.h"
#include "workspace.h"

/* Closing the file gives the lock up, and so does the end of the process. -1 and an error. */
static int lock(const place *at, host_error *error)
{
    char *path = project_path(&at->in, "agentd/.state/archive.lock", error);
    int fd = -1;

    if (path) {
        fd = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
        if (fd < 0 || flock(fd, LOCK_EX) != 0)
            (void)host_fail(error, "%s: %s", path, strerror(errno));
    }
    free(path);
    return fd;
}

static json_t *answer(json_t *conflicts)
{
    if (!conflicts)
        return json_pack("{s:b}", "archived", 1);
    return json_pack("{s:b, s:{s:s, s:s, s:o}}", "archived", 0, "problem", "kind", "taken",
                     "message", "these specs exist already with another text", "items",
                     conflicts);
}

static json_t *refused(json_t *problem)
{
    return json_pack("{s:b, s:o}", "archived", 0, "problem", problem);
}

/* The code cannot be taken back once it is merged, so what would refuse the specs is looked for
 * first. */
static json_t *archive(const archive_order *order, const place *at, const char *tree,
                       host_error *error)
{
    json_t *conflicts = NULL, *problem = NULL;
    int failed = archive_look(order, &conflicts, error) != 0;

    if (!failed && !conflicts)
        problem = workspace_land(at, order->id, tree ? tree : "", &failed, error);
    if (problem)
        return refused(problem);
    if (!failed && !conflicts)
        failed = archive_change(order, &conflicts, error) != 0;
    return failed ? NULL : answer(conflicts);
}

json_t *builtin_archive(const place *at, const char *id, const json_t *input, int64_t now,
                        host_error *error)
{
    archive_order order = {.in = &at->in,
                           .id = id,
                           .now = now,
                           .overwrite = json_is_true(json_object_get(input, "overwrite"))};
    json_t *made;
    int fd = lock(at, error);

    if (fd < 0)
        return NULL;
    made = archive(&order, at, json_string_value(json_object_get(input, "tree")), error);
    (void)close(fd);
    return made;
}
