/* base/names.h: names by number and back: a hash table. */
#ifndef WF_BASE_NAMES_H
#define WF_BASE_NAMES_H

#include <stdbool.h>
#include <wfsm/base.h>
#include "base/private.h"

#define WF_NONE UINT32_MAX

typedef struct wf_name {
    const char *text; /* NUL-terminated, owned by the table's allocator */
    uint32_t length;
    uint32_t hash;
} wf_name;

typedef struct wf_names {
    const wfsm_allocator *allocator;
    wf_name *list; /* by number */
    uint32_t count;
    size_t capacity;
    uint32_t *slots; /* open addressing, numbers + 1 */
    uint32_t mask;   /* slots - 1, or 0 when empty */
} wf_names;

void wf_names_init(wf_names *names, const wfsm_allocator *allocator);
void wf_names_fini(wf_names *names);
/* The number of a name, adding it if it is new; WF_NONE when out of memory. */
uint32_t wf_names_add(wf_names *names, const char *text, size_t length);
/* Takes the names from number `count` on out again. */
void wf_names_cut(wf_names *names, uint32_t count);
/* Takes out the names that do not stay; those behind them move up. Takes as long as the table is
 * large, however many they are. */
typedef bool wf_names_stay(const void *user, uint32_t number);
void wf_names_filter(wf_names *names, wf_names_stay *stays, const void *user);
/* Takes one name out. Takes as long as the table is large. */
void wf_names_remove(wf_names *names, uint32_t number);
/* WF_NONE if it is not there. */
WF_PRIVATE_API uint32_t wf_names_find(const wf_names *names, const char *text, size_t length);
/* The hash of the table and of object keys: 32 bits, eight bytes at a time. It may be another
 * one on another machine, and in the next version. */
WF_PRIVATE_API uint32_t wf_hash(const char *text, size_t length);
/* FNV-1a, for what is kept, or has to come out the same when it is replayed. */
uint32_t wf_hash_kept(const char *text, size_t length);
#endif
