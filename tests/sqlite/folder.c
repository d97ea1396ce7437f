#include "sqlite/folder.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <unity.h>

static char path[256];

/* Nothing here has to survive the machine, and memory does not wait for a disk. */
static const char *place(void)
{
    const char *asked = getenv("TMPDIR");
    if (asked && *asked)
        return asked;
    return access("/dev/shm", W_OK) ? "/tmp" : "/dev/shm";
}

const char *folder_path(void)
{
    if (*path)
        return path;
    snprintf(path, sizeof path, "%s/wfsm-test-XXXXXX", place());
    TEST_ASSERT_NOT_NULL(mkdtemp(path));
    return path;
}

const char *folder_file(const char *name)
{
    static char names[4][512];
    static size_t next;
    char *file = names[next++ % 4];
    snprintf(file, sizeof names[0], "%s/%s", folder_path(), name);
    return file;
}

void folder_wipe(void)
{
    DIR *folder = opendir(folder_path());
    struct dirent *entry;
    while (folder && (entry = readdir(folder)))
        if (entry->d_name[0] != '.')
            unlink(folder_file(entry->d_name));
    if (folder)
        closedir(folder);
}

void folder_remove(void)
{
    if (!*path)
        return;
    folder_wipe();
    rmdir(path);
    *path = '\0';
}

wfsm_store *folder_open(const char *name)
{
    wfsm_store *opened = NULL;
    wfsm_error *error = wfsm_error_new(NULL);
    int32_t status = wfsm_sqlite_open(&opened, folder_file(name), NULL, NULL, error);
    TEST_ASSERT_EQUAL_INT32_MESSAGE(WFSM_OK, status, wfsm_error_message(error));
    wfsm_error_free(error);
    return opened;
}
