/*
 * Shared by the tests of the sizes of structs. Every public struct begins with its size. Each is
 * passed as a caller of this release would, as one of an earlier release with a shorter struct,
 * and as one of a later release with a longer one. sized.py checks that none is missing.
 */
#ifndef TESTS_ABI_SIZES_H
#define TESTS_ABI_SIZES_H

#include <stddef.h>
#include <stdint.h>
#include <unity.h>
#include <wfsm/wfsm.h>
#include "../given.h"

/* Made for each test. The instance "i" is in the store. */
extern const char sizes_document[];
extern wfsm_machine *machine;
extern wfsm_store *store;
extern wfsm_instance *instance;

/* A new engine on the store. */
wfsm_engine *an_engine(void);
/* A wfsm_row_sink. */
int32_t no_row(void *user, const wfsm_row *row);

/* ---- structs that are handed in ---- */

/* Calls a function of the library with a struct. Returns its status. */
typedef int32_t take(const void *given);

/* `full` has `known` bytes; `least` is the size of the shortest that may be handed in. */
void takes(const char *name, take *taken, const void *full, size_t known, size_t least);

#define TAKES(type, taken, least, ...)                                                         \
    do {                                                                                       \
        type full = {.size = sizeof full, __VA_ARGS__};                                        \
        takes(#type, taken, &full, sizeof full, least);                                        \
    } while (0)
#define ALL(type) sizeof(type)
#define UP_TO(type, member) (offsetof(type, member) + sizeof(((type *)0)->member))
#define NO_MORE sizeof(size_t)

/* ---- structs that are asked for ---- */

/* Calls a function of the library that fills in a struct. Returns its status. */
typedef int32_t give(void *to);

/* `least` is the size of the shortest that may be asked for. */
void gives(const char *name, give *given, size_t known, size_t least);
/* At `hole` are four bytes that belong to no member. */
void gives_but(const char *name, give *given, size_t known, size_t least, size_t hole);

#endif
