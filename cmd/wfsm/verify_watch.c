/* Editors write a file in place, or put a new one in its place: the folder tells of both. */
#include "wfsm/verify_watch.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "wfsm/cli.h"

#if defined(__linux__)

#include <sys/inotify.h>
#include <unistd.h>

struct verify_watch {
    const char *path, *name; /* name: the part of path behind the folder */
    int fd;
};

static bool fail(const verify_watch *self, const char *why)
{
    cli_say("%s: cannot be watched: %s", self->path, why);
    return false;
}

static bool watch_folder(verify_watch *self)
{
    cli_text folder = {0};
    const char *slash = strrchr(self->path, '/');
    self->name = slash ? slash + 1 : self->path;
    cli_text_add(&folder, self->path, (size_t)(self->name - self->path));
    cli_text_add(&folder, ".", 1);
    self->fd = inotify_init1(IN_CLOEXEC);
    bool fine = self->fd >= 0 &&
                inotify_add_watch(self->fd, folder.data, IN_CLOSE_WRITE | IN_MOVED_TO) >= 0;
    cli_text_free(&folder);
    return fine || fail(self, strerror(errno));
}

verify_watch *verify_watch_new(const char *path)
{
    verify_watch *self = cli_need(calloc(1, sizeof *self));
    self->path = path;
    if (watch_folder(self))
        return self;
    verify_watch_free(self);
    return NULL;
}

/* An overflow may have lost a save. */
static bool is_save(const verify_watch *self, const struct inotify_event *event)
{
    return (event->mask & IN_Q_OVERFLOW) != 0 ||
           (event->len > 0 && strcmp(event->name, self->name) == 0);
}

bool verify_watch_wait(verify_watch *self)
{
    _Alignas(struct inotify_event) char room[4096];
    for (bool saved = false; !saved;) {
        ssize_t length = read(self->fd, room, sizeof room);
        if (length < 0 && errno == EINTR)
            continue;
        if (length <= 0)
            return fail(self, strerror(errno));
        const struct inotify_event *event;
        for (ssize_t at = 0; at < length; at += (ssize_t)(sizeof *event + event->len)) {
            event = (const void *)(room + at);
            if (event->mask & IN_IGNORED)
                return fail(self, "its folder is gone");
            saved |= is_save(self, event);
        }
    }
    return true;
}

void verify_watch_free(verify_watch *self)
{
    if (self && self->fd >= 0)
        close(self->fd);
    free(self);
}

#else

#include <sys/stat.h>
#include <time.h>

/* Looks at the file five times a second. */
struct verify_watch {
    const char *path;
    struct stat last;
};

static void look(const char *path, struct stat *now)
{
    if (stat(path, now) != 0)
        memset(now, 0, sizeof *now);
}

verify_watch *verify_watch_new(const char *path)
{
    verify_watch *self = cli_need(calloc(1, sizeof *self));
    self->path = path;
    look(path, &self->last);
    return self;
}

bool verify_watch_wait(verify_watch *self)
{
    const struct timespec pause = {.tv_nsec = 200000000};
    struct stat before = self->last;
    for (;;) {
        look(self->path, &self->last);
        if (self->last.st_ino != before.st_ino || self->last.st_size != before.st_size ||
            self->last.st_mtime != before.st_mtime)
            return true;
        nanosleep(&pause, NULL);
    }
}

void verify_watch_free(verify_watch *self)
{
    free(self);
}

#endif
