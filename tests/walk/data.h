/* Random data of the kind that a document reads: the constants of its rules and schemas, under
 * the names that its rules read. */
#ifndef TESTS_WALK_DATA_H
#define TESTS_WALK_DATA_H

#include "laws/chance.h"
#include "logic/value.h"

enum { POOL_MOST = 256, DEPTH_MOST = 3, ITEMS_MOST = 3 };

typedef struct data_pool {
    wf_arena arena;                /* of the pool itself */
    wf_value scalars[POOL_MOST];   /* constants, and their neighbours */
    size_t scalar_count;
    wf_value names[POOL_MOST];     /* members that are read of events' data */
    size_t name_count;
} data_pool;

/* From a whole document, which must live as long as the pool. */
void data_pool_init(data_pool *pool, const wfsm_allocator *allocator, const wf_value *document);
void data_pool_fini(data_pool *pool);

/* Anything: a scalar, an object, a list. */
wf_value data_any(const data_pool *pool, chance *random, wf_arena *arena, int depth);
/* What a schema might allow; mostly it does. */
wf_value data_of_schema(const data_pool *pool, chance *random, wf_arena *arena,
                        const wf_value *schema, int depth);
#endif
