/* A new folder for each test, and files in it. */
#ifndef TESTS_HOSTS_WORKSPACE_H
#define TESTS_HOSTS_WORKSPACE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <unity.h>

static char workspace[64];

static inline void workspace_make(void)
{
    strcpy(workspace, "/tmp/wfsm-hosts-XXXXXX");
    TEST_ASSERT_NOT_NULL(mkdtemp(workspace));
}

/* In memory, where there is such a folder: for tests with many small files. What stands there
 * may not be allowed to run. */
static inline void workspace_make_fast(void)
{
    (void)snprintf(workspace, sizeof workspace, "%s/wfsm-hosts-XXXXXX",
                   access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
    TEST_ASSERT_NOT_NULL(mkdtemp(workspace));
}

static inline void workspace_remove(void)
{
    char command[128];

    (void)snprintf(command, sizeof command, "rm -rf '%s'", workspace);
    TEST_ASSERT_EQUAL(0, system(command));
}

/* A path in the workspace; good for the next three calls. */
static inline const char *in_workspace(const char *name)
{
    static char paths[4][256];
    static unsigned next;
    char *path = paths[next++ % 4];

    (void)snprintf(path, sizeof paths[0], "%s/%s", workspace, name);
    return path;
}

/* Writes a whole file; the path may be anywhere. */
static inline void write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "wb");

    TEST_ASSERT_NOT_NULL_MESSAGE(file, path);
    TEST_ASSERT_EQUAL(strlen(text), fwrite(text, 1, strlen(text), file));
    TEST_ASSERT_EQUAL(0, fclose(file));
}

static inline const char *write_text(const char *name, const char *text)
{
    const char *path = in_workspace(name);

    write_file(path, text);
    return path;
}

#endif
