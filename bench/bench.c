#include "bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

int64_t bench_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

int64_t bench_milliseconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME_COARSE, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

void bench_print(const char *workload, const char *figure, double value, const char *unit,
                 const char *floor)
{
    printf("{\"workload\": \"%s\", \"figure\": \"%s\", \"value\": %.6g, \"unit\": \"%s\"",
           workload, figure, value, unit);
    if (floor)
        printf(", \"floor\": \"%s\"", floor);
    puts("}");
    fflush(stdout);
}

/* That others run on the same machine does not count. */
int64_t bench_busy(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

double bench_time(void (*work)(void *user), void *user, uint64_t count, int least)
{
    uint64_t done = 0, calls = 1;
    work(user); /* warm */
    int64_t begin = bench_busy(), now = begin, before;
    while (now - begin < (int64_t)least * 1000000) {
        for (uint64_t i = 0; i < calls; i++)
            work(user);
        done += count * calls;
        before = now;
        now = bench_busy();
        if (now - before < 1000000) /* to ask for the time takes time */
            calls *= 2;
    }
    return (double)(now - begin) / (double)done;
}

/* Marsaglia's xorshift64*, as Vigna describes it. */
uint32_t bench_random(uint64_t *state, uint32_t below)
{
    uint64_t x = *state;
    x ^= x >> 12;
    x ^= x << 25;
    x ^= x >> 27;
    *state = x;
    return (uint32_t)(((x * 0x2545F4914F6CDD1DU) >> 32) * below >> 32);
}

double bench_resident(void)
{
    unsigned long pages = 0, resident = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (!file || fscanf(file, "%lu %lu", &pages, &resident) != 2)
        bench_fail("statm", "cannot be read");
    fclose(file);
    return (double)resident * (double)sysconf(_SC_PAGESIZE);
}

_Noreturn void bench_fail(const char *what, const char *why)
{
    fprintf(stderr, "%s: %s\n", what, why);
    exit(1);
}

char *bench_read(const char *path, size_t *length)
{
    FILE *file = fopen(path, "rb");
    long size;
    if (!file || fseek(file, 0, SEEK_END) || (size = ftell(file)) < 0)
        bench_fail(path, "cannot be read");
    rewind(file);
    char *text = malloc((size_t)size + 1);
    if (!text || fread(text, 1, (size_t)size, file) != (size_t)size)
        bench_fail(path, "cannot be read");
    fclose(file);
    text[size] = '\0';
    *length = (size_t)size;
    return text;
}
