/* Documents that the proposer has written through `agentd mcp`, and that its answer names by their digests. They
 * are in agentd/.state/drafts/ID, each under its digest, and are nothing until the workflow saves them. */
#ifndef AGENTD_DRAFTS_H
#define AGENTD_DRAFTS_H

#include <wfsm/base.h>

#include "place.h"

/* Writes a draft, and tells its digest. */
int drafts_write(const place *at, const char *id, const char *text, size_t length,
                 char digest[WFSM_DIGEST_SIZE], host_error *error);
/* Reads the draft that has this digest. *text is malloc'ed. */
int drafts_read(const place *at, const char *id, const char *digest, char **text,
                size_t *length, host_error *error);
/* Removes all drafts of a change. That one cannot be removed does not matter. */
void drafts_clear(const place *at, const char *id);

#endif
