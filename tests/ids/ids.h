/*
 * Tests name work without its incarnation, INSTANCE/REVISION/ORDINAL, and a child workflow
 * INSTANCE/REVISION/ORDINAL/ATTEMPT.
 */
#ifndef TESTS_IDS_H
#define TESTS_IDS_H

#include <wfsm/store.h>

/* A copy of the text with the ids that the store has in place of all such names. A name of nothing
 * stays. One of eight buffers, which are used in turn. */
const char *ids_in(wfsm_store *store, const char *text);
/* A copy of JSON text without the incarnations. One of two buffers. */
const char *bare_ids(const char *text);
#endif
