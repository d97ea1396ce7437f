/* Random legal machine documents. */
#ifndef TESTS_LAWS_CHART_H
#define TESTS_LAWS_CHART_H

#include <stddef.h>
#include <stdint.h>

/* Document number `seed`, NUL-terminated, freed by the caller. Keys and ids of states are
 * `prefix` and a number, and `prefix` is found nowhere else; nothing but the names depends
 * on it. */
char *make_chart(uint64_t seed, const char *prefix);

/* What is sent to charts. */
extern const char *const chart_events[];
enum { CHART_EVENTS = 9 };
#endif
