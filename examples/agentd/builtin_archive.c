/* The archive. Only one runs at a time in a project. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <errno.h>
#include <sys/file.h>
#include <unistd.h>

#include "archive.h"
#include "builtin.h"

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

json_t *builtin_archive(const place *at, const char *id, const json_t *input, int64_t now,
                        host_error *error)
{
    archive_order order = {.in = &at->in,
                           .id = id,
                           .now = now,
                           .overwrite = json_is_true(json_object_get(input, "overwrite"))};
    json_t *conflicts = NULL, *made = NULL;
    int fd = lock(at, error);

    if (fd < 0)
        return NULL;
    if (archive_change(&order, &conflicts, error) == 0)
        made = answer(conflicts);
    (void)close(fd);
    return made;
}
