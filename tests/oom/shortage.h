/* One count of allocations for the library and for SQLite, the n-th of which fails. */
#ifndef TESTS_OOM_SHORTAGE_H
#define TESTS_OOM_SHORTAGE_H

#include <stdbool.h>
#include <wfsm/base.h>

/* Before SQLite is used: its memory is counted, each block by itself. */
void shortage_install(void);
/* The library's share. */
wfsm_allocator *shortage_allocator(void);
/* The n-th allocation from now on fails (from 1), once. */
void shortage_arm(long n);
/* Ends it; did one fail? */
bool shortage_disarm(void);
/* Blocks that are not freed, of both. */
long shortage_alive(void);
#endif
