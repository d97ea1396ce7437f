#include "state_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <wfsm/base.h>

#include "durable.h"
#include "shared/files.h"
#include "state_parse.h"
#include "time_text.h"

enum { MOST_BYTES = 64 * 1024, TEXT_SIZE = 1024 };

static const char heading[] =
    "# Written by agentd from its store, and rewritten when it is edited.\n";

/* The contents of the file. */
static size_t render(const state *from, char text[TEXT_SIZE])
{
    char created[TIME_TEXT_SIZE], updated[TIME_TEXT_SIZE], digest[WFSM_DIGEST_SIZE];
    int length;

    time_text(from->created, created);
    time_text(from->updated, updated);
    length = snprintf(text, TEXT_SIZE,
                      "%schange_id: \"%s\"\nphase: %s\nverdict: %s\niteration: %lld\n"
                      "revision: %lld\ncreated_at: %s\nupdated_at: %s\n",
                      heading, from->change_id, phase_name(from->phase),
                      from->verdict == VERDICT_NONE ? "~" : verdict_name(from->verdict),
                      (long long)from->iteration, (long long)from->revision, created, updated);
    if (*from->tree)
        length +=
            snprintf(text + length, TEXT_SIZE - (size_t)length, "tree: \"%s\"\n", from->tree);
    (void)wfsm_digest(text, (size_t)length, digest);
    length += snprintf(text + length, TEXT_SIZE - (size_t)length, "digest: \"%s\"\n", digest);
    return (size_t)length;
}

int state_file_write(const char *path, const state *written, host_error *error)
{
    char text[TEXT_SIZE];
    size_t length;

    if (change_id_check(written->change_id, error) != 0)
        return -1;
    length = render(written, text);
    return durable_write(path, text, length, error);
}

/* True if every byte is as agentd writes it for these values. */
static int is_ours(const state *read, const char *text, size_t length)
{
    char ours[TEXT_SIZE];

    return render(read, ours) == length && memcmp(ours, text, length) == 0;
}

static int read_bytes(const char *path, const char *text, size_t length, state *read,
                      host_error *error)
{
    if (state_parse(path, text, length, read, error) != 0)
        return -1;
    if (!is_ours(read, text, length))
        return host_fail(error, "%s: was edited: it is not as agentd wrote it", path);
    return 0;
}

int state_file_read(const char *path, state *read, host_error *error)
{
    char *text;
    size_t length;
    int status;

    if (host_file_read(path, MOST_BYTES, &text, &length, error) != 0)
        return -1;
    status = read_bytes(path, text, length, read, error);
    free(text);
    return status;
}

static int same(const state *one, const state *other)
{
    char left[TEXT_SIZE], right[TEXT_SIZE];
    size_t length = render(one, left);

    return length == render(other, right) && memcmp(left, right, length) == 0;
}

static state_file_is compare(const char *path, const state *read, const state *truth,
                             host_error *what)
{
    if (same(read, truth))
        return STATE_FILE_CURRENT;
    if (strcmp(read->change_id, truth->change_id) != 0) {
        (void)host_fail(what, "%s: is that of another change, %s", path, read->change_id);
        return STATE_FILE_EDITED;
    }
    if (read->revision <= truth->revision)
        return STATE_FILE_BEHIND;
    (void)host_fail(what,
                    "%s: was written at revision %lld, the store has %lld: was an old store "
                    "put back?",
                    path, (long long)read->revision, (long long)truth->revision);
    return STATE_FILE_AHEAD;
}

/* A longer file is not agentd's, and is not read. */
static int look(const char *path, state_file_is *is, host_error *what)
{
    struct stat found;

    *is = STATE_FILE_CURRENT;
    if (stat(path, &found) != 0) {
        *is = STATE_FILE_LOST;
        (void)host_fail(what, "%s: %s", path, errno == ENOENT ? "was lost" : strerror(errno));
        return errno == ENOENT ? 0 : -1;
    }
    if (!S_ISREG(found.st_mode))
        return host_fail(what, "%s: not a regular file", path);
    if (found.st_size > MOST_BYTES) {
        *is = STATE_FILE_EDITED;
        (void)host_fail(what, "%s: was edited: it has %lld bytes", path,
                        (long long)found.st_size);
    }
    return 0;
}

int state_file_check(const char *path, const state *truth, state_file_is *is, host_error *what)
{
    char *text;
    size_t length;
    state read;

    if (look(path, is, what) != 0)
        return -1;
    if (*is != STATE_FILE_CURRENT)
        return 0;
    if (host_file_read(path, MOST_BYTES, &text, &length, what) != 0)
        return -1;
    if (read_bytes(path, text, length, &read, what) != 0)
        *is = STATE_FILE_EDITED;
    else
        *is = compare(path, &read, truth, what);
    free(text);
    return 0;
}
