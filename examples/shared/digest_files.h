/* Digests of files, for approvals: what a person votes on is bound to what the files were.
 *
 * As an agent, for a document that asks a person about files:
 *
 *     "prepare": {"invoke": {"src": "digests", "input": {"files": ["a.c", "b.c"]},
 *                            "onDone": {"target": "ask", …assign event.data.files…}}},
 *     "ask": {"invoke": {"src": "person", "input": {"files": {"var": "context.files"}, …}}}
 */
#ifndef HOST_DIGEST_FILES_H
#define HOST_DIGEST_FILES_H

#include <jansson.h>
#include <wfsm/engine.h>

#include "error.h"

/* A new object of digests by path, in the order of the array `paths`; null for a file that is
 * not there. Paths are below the folder: one that is absolute, or has a ".." in it, is refused,
 * and so is what is no regular file, or larger than 64 MiB. NULL and an error. */
json_t *host_digest_files(const char *folder, const json_t *paths, host_error *error);

/* An agent of this name: input {"files": [PATH, …]}, result {"files": {PATH: DIGEST, …}}. The
 * folder is borrowed, and must outlive the engine. */
int32_t host_digest_agent_add(wfsm_engine *engine, const char *name, const char *folder,
                              wfsm_error *error);

#endif
