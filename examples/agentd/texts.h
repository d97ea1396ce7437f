/* Texts of a change that are kept beside its documents, in a folder for each kind and change, under their digests. */
#ifndef AGENTD_TEXTS_H
#define AGENTD_TEXTS_H

#include <wfsm/base.h>

#include "place.h"

typedef enum text_kind {
    /* What the proposer has written through `agentd mcp`, and its answer names: agentd/.state/drafts/ID. It is nothing
     * until the workflow saves it. */
    TEXT_DRAFT,
    /* What a document was before it was written again: agentd/.state/versions/ID. */
    TEXT_VERSION
} text_kind;

/* Writes a text, and tells its digest. */
int texts_write(const place *at, text_kind kind, const char *id, const char *text,
                size_t length, char digest[WFSM_DIGEST_SIZE], host_error *error);
/* Reads the text that has this digest. *text is malloc'ed. */
int texts_read(const place *at, text_kind kind, const char *id, const char *digest, char **text,
               size_t *length, host_error *error);
/* Keeps a document as it is now, before it is written again. Nothing if it cannot be read. */
int texts_keep(const place *at, const char *id, const char *document, host_error *error);
/* Removes all texts of a change. That one cannot be removed does not matter. */
void texts_clear(const place *at, const char *id);

#endif
