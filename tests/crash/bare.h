/* The lowest possible cost of a durable step: one row appended, one row replaced, one sync. */
#ifndef TESTS_CRASH_BARE_H
#define TESTS_CRASH_BARE_H

#include <stddef.h>

typedef struct bare bare;

/* On a file of its own, set up as the store sets up its own. */
bare *bare_new(const char *path, size_t head_bytes);
void bare_free(bare *self);
/* A journal row of so many bytes, and the head of an instance, in one transaction. */
void bare_step(bare *self, int instance, size_t record_bytes);
#endif
