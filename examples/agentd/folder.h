/* The files of a change: what is there, and whether it is what agentd wrote. */
#ifndef AGENTD_FOLDER_H
#define AGENTD_FOLDER_H

#include <jansson.h>

#include "ids.h"

/* A document that is longer is refused. */
enum { DOCUMENT_MOST = 4 * 1024 * 1024, SPECS_MOST = 200 };

/* Paths of the files that are there: clarifications.md, proposal.md, specs/…, tasks.md,
 * CHALLENGE.md, REVIEW.md, in this order, as a new array. NULL and an error. */
json_t *folder_paths(const project *in, const char *id, host_error *error);
/* Of these: digests by path. */
json_t *folder_digests(const project *in, const char *id, host_error *error);
/* Of these: texts by path. */
json_t *folder_texts(const project *in, const char *id, host_error *error);

/* Only proposal.md, specs/… and tasks.md: what is challenged, of an object by path. */
json_t *folder_documents(const json_t *by_path);
/* "specs/….md", one plain name. */
int folder_is_spec(const char *path);

/* The paths, as a new array, of which `known` has a digest, and which are there with another. */
json_t *folder_edited(const json_t *known, const json_t *now);
/* The paths whose digests differ, or which only one of both has. */
json_t *folder_changed(const json_t *known, const json_t *now);

#endif
