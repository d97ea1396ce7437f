#include "wfsm/pace.h"

#include <string.h>
#include <time.h>
#include "wfsm/address.h"
#include "wfsm/cli.h"

/* PAUSES: so many times as long as the look. STAMP_S: files that were written within so many seconds of each other
 * may have the same time. */
enum { LOOK_MS = 500, PAUSES = 4, MOST_MS = 60000, STAMP_S = 2 };

static pace_files stat_files(const char *path)
{
    pace_files files = {0};
    cli_text log = {0};
    cli_text_add(&log, path, strlen(path));
    cli_text_add(&log, "-wal", 4);
    if (stat(path, &files.data) != 0)
        files.data = (struct stat){0};
    if (stat(log.data, &files.log) != 0)
        files.log = (struct stat){0};
    cli_text_free(&log);
    return files;
}

static bool same_file(const struct stat *a, const struct stat *b)
{
    return a->st_ino == b->st_ino && a->st_dev == b->st_dev;
}

static bool is_untouched(const struct stat *a, const struct stat *b)
{
    return same_file(a, b) && a->st_size == b->st_size &&
           a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

static bool is_in_place(const pace *self, const pace_files *now)
{
    if (now->data.st_ino == 0)
        cli_say("%s: the file is gone", self->path);
    else if (self->seen.data.st_ino != 0 && !same_file(&self->seen.data, &now->data))
        cli_say("%s: another file is in its place", self->path);
    else
        return true;
    return false;
}

static int64_t monotonic_ms(void)
{
    struct timespec now = {0};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

bool pace_begin(pace *self)
{
    pace_files now = {0};
    self->began = (int64_t)time(NULL);
    self->began_ms = monotonic_ms();
    if (!address_is_file(self->path))
        return true;
    now = stat_files(self->path);
    if (!is_in_place(self, &now))
        return false;
    self->seen = now;
    return true;
}

/* Something may have been written during the look, or just before, with the same time. */
static bool is_fresh(const pace *self)
{
    int64_t written = self->seen.data.st_mtim.tv_sec, logged = self->seen.log.st_mtim.tv_sec;
    return (logged > written ? logged : written) + STAMP_S > self->began;
}

static int64_t pause_of(const pace *self)
{
    int64_t pause = PAUSES * (monotonic_ms() - self->began_ms);
    if (pause < LOOK_MS)
        return LOOK_MS;
    return pause < MOST_MS ? pause : MOST_MS;
}

bool pace_wait(const pace *self)
{
    int64_t ms = pause_of(self);
    bool waits = true;
    while (waits) {
        nanosleep(&(struct timespec){.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000},
                  NULL);
        if (!address_is_file(self->path))
            return true;
        pace_files now = stat_files(self->path);
        if (!is_in_place(self, &now))
            return false;
        waits = !is_fresh(self) && is_untouched(&self->seen.data, &now.data) &&
                is_untouched(&self->seen.log, &now.log);
        ms = LOOK_MS;
    }
    return true;
}
