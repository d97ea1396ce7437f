#include "state_sync.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agentd.h"

/* malloc'ed. NULL without an error if the folder does not exist: an archive that is not
 * recorded yet has moved it, or somebody has removed it. */
static char *find_file(const place *at, const change *known, int *done, host_error *error)
{
    char *folder = known->phase == PHASE_ARCHIVED
                       ? archived_path(&at->in, known->id, NULL, error)
                       : change_path(&at->in, known->id, NULL, error);
    int there = folder && access(folder, F_OK) == 0;

    *done = folder ? END_DONE : END_STORE;
    free(folder);
    if (!there)
        return NULL;
    return known->phase == PHASE_ARCHIVED
               ? archived_path(&at->in, known->id, "STATE.yaml", error)
               : change_path(&at->in, known->id, "STATE.yaml", error);
}

static int write_file(const char *path, const state *truth, int tell)
{
    state_file_is is;
    host_error what = {""}, why;

    if (state_file_check(path, truth, &is, &what) != 0)
        return host_failed(&what, END_STORE);
    if (is == STATE_FILE_CURRENT)
        return END_DONE;
    if (tell && is != STATE_FILE_BEHIND)
        print_error("%s; it is rewritten from the store", what.message);
    if (state_file_write(path, truth, &why) != 0)
        return host_failed(&why, END_STORE);
    return END_DONE;
}

int state_sync(const place *at, const change *known, int tell)
{
    state truth;
    host_error why;
    char *path;
    int code;

    if (!known->has_phase)
        return END_DONE;
    path = find_file(at, known, &code, &why);
    if (code != END_DONE)
        return host_failed(&why, code);
    if (!path)
        return END_DONE;
    change_state(known, &truth);
    code = write_file(path, &truth, tell);
    free(path);
    return code;
}

int state_look(const place *at, const change *known, host_error *what)
{
    state truth;
    state_file_is is = STATE_FILE_CURRENT;
    int code;
    char *path = known->has_phase ? find_file(at, known, &code, what) : NULL;

    if (!path)
        return 0;
    change_state(known, &truth);
    if (state_file_check(path, &truth, &is, what) != 0)
        is = STATE_FILE_EDITED;
    free(path);
    return is != STATE_FILE_CURRENT && is != STATE_FILE_BEHIND;
}
