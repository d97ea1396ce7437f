/* All journals and posts of a small store, in memory, for searching. */
#ifndef TESTS_CRASH_STORED_H
#define TESTS_CRASH_STORED_H

#include <wfsm/store.h>
#include <stdbool.h>

typedef struct stored_record {
    char *text;
    uint64_t digest;
    char event[64];
    bool told;
    uint64_t delivered; /* a bit for each ordinal */
    int64_t now;
} stored_record;

typedef struct stored_journal {
    char id[64];
    size_t count;   /* records[0] is revision 1 */
    bool runs_back; /* one record is earlier than the one before */
    stored_record *records;
} stored_journal;

enum { STORED_MOST = 16 };

typedef struct stored {
    stored_journal journals[STORED_MOST];
    size_t count;
    struct stored_post {
        char instance[64], id[64];
    } *posts;
    size_t post_count;
} stored;

uint64_t stored_digest(const char *text, size_t length);
/* CORRUPT, too, when revisions are not 1, 2, 3, … up to the head's. Free it in any
 * case. */
int32_t stored_read(stored *all, wfsm_store *store);
void stored_free(stored *all);

/* NULL: there is no such revision. */
stored_record *stored_find(stored *all, const char *instance, uint64_t revision);
/* How many records, or posts, have this event id? */
size_t stored_events(const stored *all, const char *instance, const char *id);
size_t stored_posts(const stored *all, const char *instance, const char *id);
#endif
