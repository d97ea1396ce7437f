/* The files of a change: which ones exist, and whether they are as agentd wrote them. */
#ifndef AGENTD_FOLDER_H
#define AGENTD_FOLDER_H

#include <jansson.h>

#include "ids.h"

/* A longer document is refused. */
enum { DOCUMENT_MOST = 4 * 1024 * 1024, SPECS_MOST = 200 };

/* Paths of the files that exist: clarifications.md, proposal.md, specs/…, tasks.md,
 * CHALLENGE.md, REVIEW.md, in this order, as a new array. NULL and an error. */
json_t *folder_paths(const project *in, const char *id, host_error *error);
/* The digests of these files, by path. */
json_t *folder_digests(const project *in, const char *id, host_error *error);
/* The texts of these files, by path. */
json_t *folder_texts(const project *in, const char *id, host_error *error);

/* Of an object by path, the files that are challenged: proposal.md, specs/… and tasks.md. */
json_t *folder_documents(const json_t *by_path);
/* "specs/….md", one plain name. */
int folder_is_spec(const char *path);

/* The paths of files whose digests differ from those in `known`, as a new array. */
json_t *folder_edited(const json_t *known, const json_t *now);
/* The paths whose digests differ, or which only one of both has. */
json_t *folder_changed(const json_t *known, const json_t *now);

#endif
