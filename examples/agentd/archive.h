/* The archive: a change's specs become the project's, and its folder moves.
 *
 *     1. agentd/changes/ID/specs/NAME.md is copied to agentd/specs/NAME.md,
 *     2. with "archived: 2026-01-21" in its front matter (made when there is none),
 *     3. agentd/changes/ID becomes agentd/archive/ID.
 *
 * All or nothing. Everything is written first to agentd/.archiving/ID, where a full disk hurts
 * nobody; then come renames only, and the last, that of the change's folder, is what decides.
 * A call that fails before it undoes what was done. If the process died before it, the next
 * call undoes its work and begins again; if it died after it, the next call finishes the work.
 * So repeating the call leads to the same result.
 *
 * A spec that agentd/specs has already, with other words, is not replaced without being asked;
 * then the old one is kept, in agentd/archive/ID/replaced-specs. STATE.yaml and the store are the
 * caller's business, afterwards. One caller at a time for a project. */
#ifndef AGENTD_ARCHIVE_H
#define AGENTD_ARCHIVE_H

#include <jansson.h>
#include <stdint.h>

#include "ids.h"

typedef struct archive_order {
    const project *in;
    const char *id;
    int64_t now;   /* ms since 1970: the day that the specs are dated with */
    int overwrite; /* specs of the same name may be replaced */
} archive_order;

/* 0: it is archived, now or before; or *conflicts, a new array when it is not empty, names the
 * specs ("agentd/specs/NAME.md") that are there already, and nothing was done. -1 and an error:
 * nothing was done; or, as the error then says, what was done could not be undone either, and
 * the same call continues from there. */
int archive_change(const archive_order *order, json_t **conflicts, host_error *error);

/* Is there an archive of this change that has begun and not ended? */
int archive_is_open(const project *in, const char *id);

#endif
