#include "run_record.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../base/invariant.h"
#include "files.h"
#include "process.h"

enum { LONGEST = 384 };

static const char *const end_names[] = {
    [WFA_END_NONE] = "running",           [WFA_END_EXITED] = "exited",
    [WFA_END_SIGNALED] = "signaled",      [WFA_END_TIMEOUT] = "timeout",
    [WFA_END_OUTPUT_LIMIT] = "output",    [WFA_END_CANCELED] = "canceled",
    [WFA_END_SPAWN_FAILED] = "unstarted", [WFA_END_UNSEEN] = "unseen",
};

int wfa_run_record_write(const char *path, const wfa_run_record *record, wfa_error *error)
{
    char text[LONGEST];
    int length = snprintf(
        text, sizeof text, "process %s\ntoken %s\nstarted %" PRId64 "\n%s %d\n",
        record->identity, record->token, record->started, end_names[record->end], record->code);

    WF_INVARIANT(length > 0 && length < LONGEST);
    WF_INVARIANT(record->identity[0] && record->token[0] && !strpbrk(record->token, " \n"));
    return wfa_file_write(path, text, (size_t)length, error);
}

static int end_of_name(const char *name)
{
    int end;

    for (end = 0; end < (int)(sizeof end_names / sizeof end_names[0]); end++)
        if (strcmp(name, end_names[end]) == 0)
            return end;
    return -1;
}

static int parse(const char *path, const char *text, wfa_run_record *record, wfa_error *error)
{
    char name[16];

    if (sscanf(text, "process %63s\ntoken %63s\nstarted %" SCNd64 "\n%15s %d\n",
               record->identity, record->token, &record->started, name, &record->code) != 5)
        return wfa_fail(error,
                        "%s: not a record of a run: expected the lines 'process', "
                        "'token', 'started' and its end",
                        path);
    record->end = end_of_name(name);
    if (record->end < 0)
        return wfa_fail(error, "%s: '%s' is not a known end of a run", path, name);
    if (wfa_identity_pid(record->identity) < 0)
        return wfa_fail(error, "%s: '%s' does not identify a process", path, record->identity);
    return 0;
}

int wfa_run_record_read(const char *path, wfa_run_record *record, int *found, wfa_error *error)
{
    char *text;
    size_t length;
    int status;

    *found = 0;
    if (access(path, F_OK) != 0 && errno == ENOENT)
        return 0;
    if (wfa_file_read_own(path, LONGEST, &text, &length, error) != 0)
        return -1;
    status = parse(path, text, record, error);
    free(text);
    *found = status == 0;
    return status;
}
