/* audit_archive.h: checks that an archive leads to where the journals of a store begin. */
#ifndef WFSM_AUDIT_ARCHIVE_H
#define WFSM_AUDIT_ARCHIVE_H

#include <wfsm/audit.h>
#include "wfsm/stored.h"

/*
 * Looks at every instance of the store, or the one that is named, whose journal does not
 * begin with its first record: the archive must have those before, and the digest of the last
 * of them must be the one that the first record in the store names. The archive's own
 * journals are audited for themselves.
 */
int32_t audit_archive(wfsm_store *store, wfsm_store *archive, const char *id,
                      wfsm_audit_sink sink, void *user, wfsm_error *error);
#endif
