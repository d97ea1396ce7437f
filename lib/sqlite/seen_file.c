/* sqlite/seen_file.c: the small file beside a store, "-seen", that says which generation of the store
 * was seen last. It is no part of the store, so it stays when a backup is put in the store's place. A
 * file that is missing, damaged or not permitted says nothing. It need not be synced: it may lag
 * behind. */
#include "database.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Of the same length in every generation, so that it is overwritten in place. */
#define FORMAT                                                                                 \
    "wfsm store %s generation %019lld\n"                                                       \
    "It shows if an older copy is put in the place of the store beside this file.\n"           \
    "Delete this file to use such a copy all the same.\n"
enum { ROOM = 512, FLAGS = O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC };

static bool is_file(int file)
{
    struct stat found;
    return fstat(file, &found) == 0 && S_ISREG(found.st_mode);
}

/* Nothing but the text that is written below. */
static bool parse(const char *text, wf_sqlite_generation *seen)
{
    char again[ROOM];
    long long number;
    if (sscanf(text, "wfsm store %32[0-9a-f] generation %19lld\n", seen->store, &number) != 2)
        return false;
    seen->number = number;
    snprintf(again, sizeof again, FORMAT, seen->store, number);
    return !strcmp(text, again);
}

static bool read_from(int file, wf_sqlite_generation *seen)
{
    char text[ROOM];
    ssize_t got = is_file(file) ? pread(file, text, sizeof text - 1, 0) : -1;
    if (got >= 0)
        text[got] = '\0';
    return got >= 0 && parse(text, seen);
}

int32_t wf_sqlite_seen_read(const wf_sqlite *db, wf_sqlite_generation *seen, wfsm_error *error)
{
    int file = open(db->seen_file, O_RDONLY | FLAGS);
    int number = errno;
    if (file < 0 || !read_from(file, seen))
        *seen = (wf_sqlite_generation){.number = 0};
    if (file >= 0)
        close(file);
    if (file < 0 && number == ELOOP)
        return wf_sqlite_refuse(db, WFSM_IO, error, "%s is a link, and a file was expected",
                                db->seen_file);
    return WFSM_OK;
}

/* Who may read and write the store may read and write the file. -1 if it cannot be opened or made, or
 * if the file of the store is empty: then a VFS keeps the store in another place. */
static int open_file(const wf_sqlite *db)
{
    struct stat store;
    if (stat(db->path, &store) != 0 || store.st_size == 0)
        return -1;
    int file = open(db->seen_file, O_RDWR | O_CREAT | O_EXCL | FLAGS, store.st_mode & 0777);
    if (file < 0)
        return open(db->seen_file, O_RDWR | FLAGS);
    (void)fchmod(file, store.st_mode & 0777); /* whatever the umask is */
    return file;
}

/* Another process may have written a newer one meanwhile. */
static bool is_news(const wf_sqlite *db, int file)
{
    wf_sqlite_generation seen;
    return is_file(file) &&
           (!read_from(file, &seen) || strcmp(seen.store, db->generation.store) != 0 ||
            seen.number < db->generation.number);
}

void wf_sqlite_seen_write(const wf_sqlite *db)
{
    char text[ROOM];
    int length = snprintf(text, sizeof text, FORMAT, db->generation.store,
                          (long long)db->generation.number);
    int file = open_file(db);
    if (file < 0)
        return;
    if (is_news(db, file) && pwrite(file, text, (size_t)length, 0) == length)
        (void)!ftruncate(file, length);
    close(file);
}
