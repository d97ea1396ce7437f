#include "wfsm/crash_witness.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* One line, one write: a process that is killed has written it, or not. */
static int32_t note(void *user, uint64_t revision, uint64_t effect)
{
    const crash_witness *self = user;
    char line[64];
    int length = snprintf(line, sizeof line, "%" PRIu64 " %" PRIu64 "\n", revision, effect);
    return write(self->file, line, (size_t)length) == length ? WFSM_OK : WFSM_IO;
}

static bool read_notes(crash_witness *self, const char *path)
{
    char line[64];
    FILE *file = fopen(path, "r");
    while (file && fgets(line, sizeof line, file)) {
        uint64_t revision = 0, effect = 0;
        if (sscanf(line, "%" SCNu64 " %" SCNu64, &revision, &effect) != 2)
            continue;
        if (revision > self->witness.acknowledged)
            self->witness.acknowledged = revision;
        if (effect > self->witness.delivered)
            self->witness.delivered = effect;
    }
    bool fine = file ? !ferror(file) : errno == ENOENT;
    if (file)
        fclose(file);
    return fine;
}

bool crash_witness_open(crash_witness *self, const char *path)
{
    *self = (crash_witness){.file = -1};
    self->witness =
        (wfsm_testkit_witness){.size = sizeof self->witness, .user = self, .note = note};
    if (read_notes(self, path))
        self->file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (self->file < 0)
        cli_say("%s: %s", path, strerror(errno));
    return self->file >= 0;
}

void crash_witness_close(crash_witness *self)
{
    if (self->file >= 0)
        close(self->file);
}
