/* bench/bench.h: shared by the benchmarks: a clock, and one line of JSON per figure. */
#ifndef BENCH_H
#define BENCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Nanoseconds of a monotonic clock. */
int64_t bench_clock(void);
/* Milliseconds since 1970, as fine as the kernel's tick: some milliseconds. */
int64_t bench_milliseconds(void);
/* Nanoseconds that the process has used of its processor, in itself and in the kernel. */
int64_t bench_busy(void);

/* Prints {"workload","figure","value","unit","floor"}; floor is the figure of the same run
 * that this one is compared with, or NULL. */
void bench_print(const char *workload, const char *figure, double value, const char *unit,
                 const char *floor);

/* Runs `work`, which does `count` units a call, until `least` milliseconds of the processor
 * are used, and answers nanoseconds per unit. */
double bench_time(void (*work)(void *user), void *user, uint64_t count, int least);

/* 0 to below - 1, always the same sequence from the same state. */
uint32_t bench_random(uint64_t *state, uint32_t below);

/* Bytes of memory that the process holds. */
double bench_resident(void);

/* Ends the program with the words. */
_Noreturn void bench_fail(const char *what, const char *why);

/* The file's text, with a zero behind it. */
char *bench_read(const char *path, size_t *length);
#endif
