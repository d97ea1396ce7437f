/* The local agents of the documents: what agentd itself does in a change's folder.
 *
 *     look      which files exist, for the next agent
 *     save      writes the proposer's files
 *     report    writes CHALLENGE.md or REVIEW.md, and reads its verdict
 *     validate  the format of proposal.md, and small repairs
 *     archive   the four steps of the archive
 *
 * Each may be killed at any moment and started again: a file that already has the text that
 * would be written is left as it is. */
#ifndef AGENTD_BUILTIN_H
#define AGENTD_BUILTIN_H

#include <jansson.h>
#include <wfsm/engine.h>

#include "place.h"

/* Adds all of them. The place is borrowed and must outlive the engine. */
int32_t builtin_add(wfsm_engine *engine, const place *at, wfsm_error *error);

/* ---- for the files builtin_*.c ---- */

/* One piece of work: a new object, or NULL and an error. The input is borrowed. */
typedef json_t *(*builtin_work)(const place *at, const char *id, const json_t *input,
                                int64_t now, host_error *error);

json_t *builtin_look(const place *at, const char *id, const json_t *input, int64_t now,
                     host_error *error);
json_t *builtin_save(const place *at, const char *id, const json_t *input, int64_t now,
                     host_error *error);
json_t *builtin_report(const place *at, const char *id, const json_t *input, int64_t now,
                       host_error *error);
json_t *builtin_validate(const place *at, const char *id, const json_t *input, int64_t now,
                         host_error *error);
json_t *builtin_archive(const place *at, const char *id, const json_t *input, int64_t now,
                        host_error *error);

/* The files of the tree input.tree that were changed since; none if the input names no tree. */
json_t *builtin_moved(const place *at, const char *id, const json_t *input, host_error *error);

/* A text to write: a path below the change's folder, and its contents. */
typedef struct builtin_text {
    const char *path, *text;
    size_t length;
} builtin_text;

/* Writes all texts; or none, if a person has edited one of the files. Then *edited, a new
 * array, has the paths of the edited files. *digests is new: `known` with those of the texts. */
int builtin_write(const place *at, const char *id, const builtin_text *texts, size_t count,
                  const json_t *known, int overwrite, json_t **digests, json_t **edited,
                  host_error *error);

#endif
