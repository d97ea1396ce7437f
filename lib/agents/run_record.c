#include "run_record.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "files.h"
#include "process.h"

enum { LONGEST = 384 };

static const char *const end_names[] = {
    [HK_END_NONE] = "running",           [HK_END_EXITED] = "exited",
    [HK_END_SIGNALED] = "signaled",      [HK_END_TIMEOUT] = "timeout",
    [HK_END_OUTPUT_LIMIT] = "output",    [HK_END_CANCELED] = "canceled",
    [HK_END_SPAWN_FAILED] = "unstarted", [HK_END_UNSEEN] = "unseen",
};

int hk_run_record_write(const char *path, const hk_run_record *record, hk_error *error)
{
    char text[LONGEST];
    int length = snprintf(
        text, sizeof text, "process %s\ntoken %s\nstarted %" PRId64 "\n%s %d\n",
        record->identity, record->token, record->started, end_names[record->end], record->code);

    return hk_file_write(path, text, (size_t)length, error);
}

static int end_of_name(const char *name)
{
    int end;

    for (end = 0; end < (int)(sizeof end_names / sizeof end_names[0]); end++)
        if (strcmp(name, end_names[end]) == 0)
            return end;
    return -1;
}

static int parse(const char *path, const char *text, hk_run_record *record, hk_error *error)
{
    char name[16];

    if (sscanf(text, "process %63s\ntoken %63s\nstarted %" SCNd64 "\n%15s %d\n",
               record->identity, record->token, &record->started, name, &record->code) != 5)
        return hk_fail(error,
                       "%s: not a record of a run: expected the lines 'process', "
                       "'token', 'started' and its end",
                       path);
    record->end = end_of_name(name);
    if (record->end < 0)
        return hk_fail(error, "%s: '%s' is no known end of a run", path, name);
    if (hk_identity_pid(record->identity) < 0)
        return hk_fail(error, "%s: '%s' does not identify a process", path, record->identity);
    return 0;
}

int hk_run_record_read(const char *path, hk_run_record *record, int *found, hk_error *error)
{
    char *text;
    size_t length;
    int status;

    *found = 0;
    if (access(path, F_OK) != 0 && errno == ENOENT)
        return 0;
    if (hk_file_read(path, LONGEST, &text, &length, error) != 0)
        return -1;
    status = parse(path, text, record, error);
    free(text);
    *found = status == 0;
    return status;
}
