/* Wraps the C library's calls in order to count them. */
#include <sys/syscall.h>
#include <unistd.h>
#include "floor.h"

static int64_t syncs;

int fsync(int file)
{
    syncs++;
    return (int)syscall(SYS_fsync, file);
}

int fdatasync(int file)
{
    syncs++;
    return (int)syscall(SYS_fdatasync, file);
}

int64_t sync_count(void)
{
    return syncs;
}
