#ifndef TESTS_WALK_READ_H
#define TESTS_WALK_READ_H

#include <stddef.h>

/* A whole file, not NUL-terminated; NULL if it cannot be read. Freed by the caller. */
char *walk_read(const char *path, size_t *length);
#endif
