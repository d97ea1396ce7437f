/* Wraps the C library's calls in order to count them, and to make the disk slower. */
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include "floor.h"

static int64_t syncs;
static long delay;

static void sync_wait(void)
{
    syncs++;
    if (delay > 0)
        nanosleep(&(struct timespec){0, delay}, NULL);
}

int fsync(int file)
{
    sync_wait();
    return (int)syscall(SYS_fsync, file);
}

int fdatasync(int file)
{
    sync_wait();
    return (int)syscall(SYS_fdatasync, file);
}

int64_t sync_count(void)
{
    return syncs;
}

void sync_delay(long microseconds)
{
    delay = microseconds * 1000;
}
