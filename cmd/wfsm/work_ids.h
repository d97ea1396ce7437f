/* work_ids.h: the ids of invocations and effects, INSTANCE/REVISION/ORDINAL-INCARNATION. Scripts leave
 * the incarnation out, because it depends on the document. */
#ifndef WFSM_WORK_IDS_H
#define WFSM_WORK_IDS_H

#include <jansson.h>
#include "wfsm/cli.h"

enum { WORK_ID_BYTES = 320 };

/* The length of the id without its incarnation. */
size_t work_id_length(const char *id);
/* Whether both are the same without it. */
bool work_id_same(const char *a, const char *b);
/* The id of the invocation that a script calls so, from the journal of its instance; the name itself
 * if there was none. */
const char *work_id_full(wfsm_store *store, const char *instance, const char *name,
                         char room[WORK_ID_BYTES]);
/* An effect as JSON, without the incarnation. */
void work_id_cut_effect(cli_text *out, const char *effect, size_t length);
#endif
