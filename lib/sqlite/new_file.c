/* Makes the file of a new store before SQLite does, so that nobody but its owner can read it. */
#include "database.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* SQLite would follow such a link, and make a file that everybody may read wherever it points. */
static bool leads_nowhere(const char *path)
{
    struct stat status;
    return lstat(path, &status) == 0 && S_ISLNK(status.st_mode) && stat(path, &status) != 0 &&
           errno == ENOENT;
}

/* The log and the shared memory beside the file get its permissions from SQLite. An existing file is
 * not opened here: closing it would drop the locks that this process holds on it. What else stands
 * in the path's way is reported by SQLite. */
int32_t wf_sqlite_make_file(wf_sqlite *db, const wfsm_sqlite_options *options,
                            wfsm_error *error)
{
    mode_t mode = (mode_t)options->mode;
    int file = open(db->path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    if (file < 0 && errno == EEXIST && leads_nowhere(db->path))
        return wf_sqlite_refuse(db, WFSM_IO, error,
                                "it is a link to a file that does not exist");
    if (file < 0)
        return WFSM_OK;
    int failed = fchmod(file, mode); /* the mode that was asked for, whatever the umask is */
    int number = errno;
    close(file);
    return failed ? wf_sqlite_refuse(db, WFSM_IO, error, "its permissions cannot be set: %s",
                                     strerror(number))
                  : WFSM_OK;
}
