/* The archive: a change's specs become the project's, and its folder moves.
 *
 *     1. agentd/changes/ID/specs/NAME.md is copied to agentd/specs/NAME.md,
 *     2. with "archived: 2026-01-21" in its front matter (made when there is none),
 *     3. agentd/changes/ID becomes agentd/archive/ID.
 *
 * All or nothing. Everything is written to agentd/.archiving/ID first, where a full disk does
 * no harm. Then come only renames; with the last, that of the change's folder, the archive is
 * complete. A call that fails before it undoes what was done. If the process died before it,
 * the next call undoes its work and begins again; if it died after it, the next call finishes
 * the work. So repeating the call leads to the same result.
 *
 * A spec that agentd/specs has already with another text is replaced only if `overwrite` says
 * so. The old one is then kept in agentd/archive/ID/replaced-specs. The caller updates
 * STATE.yaml and the store afterwards. Only one process may call this at a time for a project. */
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

/* 0: the change is archived, now or before. Or *conflicts, a new array if it is not empty, has
 * the specs ("agentd/specs/NAME.md") that exist already, and nothing was done. -1 and an error:
 * nothing was done; or, if the error says so, the work could not be undone, and the same call
 * continues it. */
int archive_change(const archive_order *order, json_t **conflicts, host_error *error);

/* Whether archive_change() would begin. Nothing is done. *conflicts as above. */
int archive_look(const archive_order *order, json_t **conflicts, host_error *error);

/* True if an archive of this change has begun and not ended. */
int archive_is_open(const project *in, const char *id);

#endif
